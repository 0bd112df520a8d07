"""Small helpers for tensors and graphs of tf.contrib.framework."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.export import export
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import Graph, Tensor, build, convert_to_tensor, get_default_graph, name_scope
from headwater.model import squeezing
from headwater.ops.control.py_func import py_func as array_function
from headwater.ops.control.rank_checks import assert_scalar
from headwater.ops.math.reduce_functions import reduce_sum

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


def get_variable_full_name(variable: Variable) -> str:
    """The name of a variable in checkpoints: that of the whole, if it is a part of one."""
    info = variable._get_save_slice_info()
    return variable.op.name if info is None else info.full_name


@export("contrib.framework.assert_scalar_int")
def assert_scalar_int(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Checks that a tensor is known to be a scalar of an integer type.

    Args:
        tensor: the tensor.
        name: the name of the node, if one is made.

    Returns:
        The tensor.

    Raises:
        ValueError: if it is not.
    """
    with name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(
                f"Expected integer type for {tensor.name}, received type: {tensor.dtype}."
            )
        return assert_scalar(tensor, name=scope)


@export("contrib.framework.reduce_sum_n")
def reduce_sum_n(tensors: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The sum of all elements of several tensors.

    Args:
        tensors: a list of tensors of one type and any shapes.
        name: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if there are no tensors.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [reduce_sum(t, name=f"{t.op.name}/sum") for t in tensors]
        return sums[0] if len(sums) == 1 else build.AddN(sums, name=scope)


@export("contrib.framework.remove_squeezable_dimensions")
def remove_squeezable_dimensions(
    predictions: TensorLike, labels: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Predictions and labels, one without its last dimension of length 1 if that makes them fit.

    Args:
        predictions: a tensor.
        labels: a tensor.
        name: the name scope.

    Returns:
        Predictions and labels.
    """
    predictions = convert_to_tensor(predictions)
    labels = convert_to_tensor(labels)
    labels, predictions = squeezing.remove_squeezable_dimensions(labels, predictions, name=name)
    return predictions, labels


@export("contrib.framework.get_graph_from_inputs")
def get_graph_from_inputs(op_input_list: Sequence[TensorLike], graph: Graph | None = None) -> Graph:
    """The graph of the inputs of an op, or the default graph if none of them has one.

    Args:
        op_input_list: the inputs.
        graph: the graph that they must be of, or None.

    Returns:
        A Graph.

    Raises:
        ValueError: if they are of different graphs.
    """
    first = None
    for item in op_input_list:
        if getattr(item, "graph", None) is None:
            continue
        if graph is None:
            first, graph = item, item.graph
        elif item.graph is not graph:
            if first is not None:
                raise ValueError(f"{item} must be from the same graph as {first}.")
            raise ValueError(f"{item} is not from the passed-in graph.")
    return graph or get_default_graph()


@export("contrib.framework.get_placeholders")
def get_placeholders(graph: Graph) -> list[Tensor]:
    """The placeholders of a graph.

    Args:
        graph: a Graph.

    Returns:
        A list of tensors, in the order in which they were made.
    """
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


@export("contrib.framework.py_func")
def py_func(
    func: Callable[..., Any],
    args: Sequence[NestedTensors] = (),
    kwargs: dict[str, Any] | None = None,
    output_types: DTypeLike | Sequence[DTypeLike] | None = None,
    output_shapes: Sequence[ShapeLike] | None = None,
    stateful: bool = True,
    name: str | None = None,
) -> NestedTensors:
    """Makes an op that calls a Python function on nested structures of arrays.

    Args:
        func: the function.
        args: its positional arguments, nested structures of tensors.
        kwargs: its named arguments.
        output_types: the types of its result, in the structure of the result.
        output_shapes: the static shapes, in the same structure; None if unknown.
        stateful: whether equal arguments may give different results.
        name: the name of the op.

    Returns:
        Tensors in the structure of `output_types`, or an Operation if that is None.

    Raises:
        ValueError: if `args` is not a list or tuple, or `kwargs` not a dict.
    """
    if not isinstance(args, (list, tuple)):
        raise TypeError(f"args must be list and not {type(args)}. args: {args}")
    given = {} if kwargs is None else kwargs
    if not isinstance(given, dict):
        raise TypeError(f"kwargs must be dict and not {type(given)}. args: {given}")
    arguments = (list(args), given)

    def call(*arrays: Any) -> Any:
        positional, named = nest.pack_sequence_as(arguments, list(arrays))
        result = func(*positional, **named)
        if output_types is None:
            return None
        nest.assert_same_structure(output_types, result)
        return nest.flatten(result)

    types = [] if output_types is None else nest.flatten(output_types)
    outputs = array_function(call, nest.flatten(arguments), types, stateful, name)
    if output_types is None:
        return outputs
    if output_shapes is not None:
        for output, shape in zip(outputs, _flat_shapes(output_types, output_shapes)):
            output.set_shape(shape)
    return nest.pack_sequence_as(output_types, outputs)


def _flat_shapes(types: Any, shapes: ShapeLike) -> list[Any]:
    return nest.flatten_up_to(types, shapes) if nest.is_sequence_or_composite(types) else [shapes]
