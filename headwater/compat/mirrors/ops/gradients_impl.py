"""tensorflow.python.ops.gradients_impl."""

from headwater.graph.gradients import AggregationMethod, gradients
from headwater.model.hessians import hessian_vector_product as _hessian_vector_product
from headwater.model.hessians import hessians

__all__ = ["AggregationMethod", "_hessian_vector_product", "gradients", "hessians"]
