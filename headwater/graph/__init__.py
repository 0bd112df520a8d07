"""Graphs: nodes, scopes, the registry of op types, static shapes, gradients.

Op files import what they need from here.
"""

from headwater.base.export import export
from headwater.graph import shapes, stacks
from headwater.graph.basic_nodes import (
    filled,
    group,
    ones_like,
    rank_tensor,
    shape_tensor,
    size_tensor,
    tuple_,
    with_dependencies,
    zeros_like,
    zeros_of,
)
from headwater.graph.broadcast_gradient import broadcast_axes, broadcast_reducers, shapes_equal
from headwater.graph.builders import build
from headwater.graph.constant_value import (
    constant_elements,
    constant_value,
    constant_value_as_shape,
    literal_value,
)
from headwater.graph.convert import (
    constant_node,
    convert_n_to_tensor,
    convert_to_tensor,
    register_tensor_conversion_function,
)
from headwater.graph.default_graph import (
    colocate_with,
    control_dependencies,
    get_default_graph,
    name_scope,
    reset_default_graph,
)
from headwater.graph.gradients import gradients
from headwater.graph.graph import Graph
from headwater.graph.importer import import_graph_def
from headwater.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import (
    NOT_DIFFERENTIABLE,
    VJP,
    OpRecord,
    RunsOn,
    Sample,
    lookup,
    records,
    register_op,
)
from headwater.graph.shapes import ShapeContext
from headwater.graph.sparse_tensor import (
    SparseTensor,
    SparseTensorValue,
    convert_to_tensor_or_sparse_tensor,
    is_sparse,
)

__all__ = [
    "NOT_DIFFERENTIABLE",
    "VJP",
    "Graph",
    "IndexedSlices",
    "IndexedSlicesValue",
    "OpRecord",
    "RunsOn",
    "Operation",
    "Sample",
    "ShapeContext",
    "SparseTensor",
    "SparseTensorValue",
    "Tensor",
    "broadcast_axes",
    "broadcast_reducers",
    "build",
    "colocate_with",
    "constant_elements",
    "constant_node",
    "constant_value",
    "constant_value_as_shape",
    "control_dependencies",
    "convert_n_to_tensor",
    "convert_to_tensor",
    "convert_to_tensor_or_sparse_tensor",
    "export",
    "filled",
    "get_default_graph",
    "gradients",
    "group",
    "import_graph_def",
    "literal_value",
    "is_sparse",
    "lookup",
    "name_scope",
    "ones_like",
    "rank_tensor",
    "records",
    "register_op",
    "register_tensor_conversion_function",
    "reset_default_graph",
    "shape_tensor",
    "shapes",
    "shapes_equal",
    "size_tensor",
    "stacks",
    "tuple_",
    "with_dependencies",
    "zeros_like",
    "zeros_of",
]
