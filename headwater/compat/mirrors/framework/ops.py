"""tensorflow.python.framework.ops: what has no public name."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import DTypeLike
from headwater.compat.mirrors.framework.tensor_like import _TensorLike
from headwater.graph import NOT_DIFFERENTIABLE, VJP, Graph, Operation, get_default_graph, stacks
from headwater.graph.convert import convert_n_to_tensor, convert_to_tensor, is_tensor_like
from headwater.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from headwater.graph.node_defs import describe_op as _create_c_op
from headwater.graph.registry import gradient_of, lookup
from headwater.graph.scope_names import prepend_name_scope, strip_name_scope
from headwater.graph.shapes import ShapeContext
from headwater.graph.statistics import OpStats, RegisterStatistics, get_stats_for_node_def
from headwater.graph.vjp import build_vjp
from headwater.train.checkpoints.meta_graph import functions_of

__all__ = [
    "OpStats",
    "RegisterStatistics",
    "_TensorLike",
    "_create_c_op",
    "convert_to_tensor_or_indexed_slices",
    "get_stats_for_node_def",
    "is_dense_tensor_like",
    "prepend_name_scope",
    "strip_name_scope",
]

is_dense_tensor_like = is_tensor_like

# Selects one of two graph builders in releases that had two; there is one here.
_USE_C_API = True
_USE_C_SHAPES = True


def _set_call_cpp_shape_fn(call_cpp_shape_fn: Any) -> None:
    """Does nothing: static shapes are inferred by the registered op types."""


class _DefaultGraphs:
    """The stack of default graphs of this thread."""

    @property
    def stack(self) -> list[Graph]:
        """The graphs, the innermost last."""
        return stacks.graphs.items

    def get_default(self) -> Graph:
        """Returns the default graph."""
        return get_default_graph()

    def is_cleared(self) -> bool:
        """Tells whether no `Graph.as_default` is active."""
        return not stacks.graphs.items

    def reset(self) -> None:
        """Removes all graphs from the stack."""
        stacks.graphs.items.clear()

    def get_controller(self, default: Graph) -> Any:
        """Returns a with block in which a graph is the default one."""
        return default.as_default()


_default_graph_stack = _DefaultGraphs()


def get_name_scope() -> str:
    """Returns the name scope of the default graph."""
    return get_default_graph().get_name_scope()


def get_all_collection_keys() -> list[Any]:
    """Returns the names of the collections of the default graph."""
    return get_default_graph().get_all_collection_keys()


def default_session(session: Any) -> Any:
    """Returns a with block in which a session is the default one."""
    return stacks.sessions.entered(session)


def get_gradient_function(op: Operation) -> Any:
    """Returns the gradient function of an op, None for an op that has no gradient.

    Args:
      op: the op.

    Raises:
      LookupError: if nothing is registered for it.
    """
    if not op.inputs:
        return None
    name = op._attrs.get("_gradient_op_type") or op.type
    function = gradient_of(name)
    if function is None:
        raise LookupError(f"gradient registry has no entry for: {name}")
    if function is NOT_DIFFERENTIABLE:
        return None
    return build_vjp if function is VJP else function


internal_convert_to_tensor = convert_to_tensor
internal_convert_n_to_tensor = convert_n_to_tensor


def get_collection_proto_type(collection_name: str) -> Any:
    """Returns the class of the protos of a collection's items, or None."""
    functions = functions_of(collection_name)
    return None if functions is None else functions.proto_type


def tensor_id(tensor: Any) -> int:
    """Returns a number that no other tensor of this process has."""
    return id(tensor)


def has_default_graph() -> bool:
    """Tells whether a `Graph.as_default` is active."""
    return bool(stacks.graphs.items)


def numpy_text(tensor: Any, is_repr: bool = False) -> str:
    """Returns the value of a tensor as text.

    Args:
      tensor: something with `dtype` and `numpy()`.
      is_repr: whether the text is that of `repr`.
    """
    if not tensor.dtype.is_numpy_compatible:
        text = "<unprintable>"
    else:
        text = repr(tensor.numpy()) if is_repr else str(tensor.numpy())
    return "\n" + text if "\n" in text else text


def set_shape_and_handle_data_for_outputs(_: Any) -> None:
    """Does nothing: ops get their static shapes when they are made."""


def register_dense_tensor_like_type(tensor_type: type) -> None:
    """Accepts a class whose objects stand for tensors.

    Args:
      tensor_type: the class; it is known by its method `_as_graph_element`.

    Raises:
      TypeError: if it does not have the properties `name` and `dtype`.
    """
    for name in ("name", "dtype"):
        if not isinstance(getattr(tensor_type, name, None), property):
            raise TypeError(f"Type {tensor_type.__name__} does not define a `{name}` property")


def name_from_scope_name(name: str) -> str:
    """Returns the name of an op from a name scope: without the slash at its end."""
    return name[:-1] if name.endswith("/") else name


def _as_graph_element(obj: Any) -> Any:
    """Returns the tensor or op that an object stands for, or None."""
    convert = getattr(obj, "_as_graph_element", None)
    return None if convert is None else convert()


def _get_graph_from_inputs(op_input_list: Any, graph: Graph | None = None) -> Graph:
    """Returns the graph of the inputs of an op, or the default graph if none has one.

    Args:
      op_input_list: the inputs.
      graph: the graph that they must be of, or None.

    Raises:
      ValueError: if they are of different graphs.
    """
    first = None
    for item in op_input_list:
        element = item if hasattr(item, "graph") else _as_graph_element(item)
        if element is None:
            continue
        if graph is None:
            first, graph = element, element.graph
        elif element.graph is not graph:
            if first is not None:
                raise ValueError(f"{element} must be from the same graph as {first}.")
            raise ValueError(f"{element} is not from the passed-in graph.")
    return graph or get_default_graph()


internal_convert_to_tensor_or_indexed_slices = convert_to_tensor_or_indexed_slices


def convert_n_to_tensor_or_indexed_slices(
    values: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> list[Any]:
    """`convert_to_tensor_or_indexed_slices` of each element of a list; None stays None."""
    return [
        None
        if value is None
        else convert_to_tensor_or_indexed_slices(
            value, dtype, None if name is None else f"{name}_{i}"
        )
        for i, value in enumerate(values)
    ]


internal_convert_n_to_tensor_or_indexed_slices = convert_n_to_tensor_or_indexed_slices


def set_shapes_for_outputs(op: Operation) -> None:
    """Infers the static shapes of the outputs of an op from what is known of its inputs by now.

    Args:
      op: the op.

    Raises:
      ValueError: if the shapes of the inputs do not fit.
    """
    record = lookup(op.type)
    shapes: Any = record.shape(ShapeContext(record, op.inputs, op._attrs, op.name))
    if shapes is NotImplemented:
        return
    for tensor, shape in zip(op.outputs, shapes if isinstance(shapes, list) else [shapes]):
        tensor.set_shape(shape)
