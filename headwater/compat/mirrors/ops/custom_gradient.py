"""tensorflow.python.ops.custom_gradient."""

from headwater.model.custom_gradient import (
    custom_gradient,
    get_dependent_variables,
    grad_pass_through,
    recompute_grad,
)

__all__ = ["custom_gradient", "get_dependent_variables", "grad_pass_through", "recompute_grad"]
