"""`tf.while_loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import nest
from headwater.base.older_calls import inserted
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import Tensor, build, constant_node, convert_to_tensor, export, name_scope
from headwater.graph.control_flow.while_context import WhileContext
from headwater.graph.default_graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys


@export("while_loop")
@inserted(3, None, older=lambda value: isinstance(value, int))
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: Sequence[TensorLike | None] | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: TensorLike | None = None,
    return_same_structure: bool = False,
) -> NestedTensors:
    """Repeats `body` as long as `cond` is true.

    Args:
        cond: from the loop variables to a boolean scalar.
        body: from the loop variables to their next values, in the same structure.
        loop_vars: a sequence of the initial values: tensors, TensorArrays, sparse tensors,
            IndexedSlices, and nested structures of them.
        shape_invariants: a structure like `loop_vars` of TensorShapes that hold in all iterations;
            by default the initial shapes.
        parallel_iterations: how many iterations may be under way at once.
        back_prop: whether gradients go through the loop.
        swap_memory: whether values that are kept for the gradient may leave the device.
        name: a name scope.
        maximum_iterations: a bound of the number of iterations.
        return_same_structure: whether the only loop variable comes back in a list as well.

    Returns:
        The final values in the structure of `loop_vars`; the value itself if there is one only.

    Raises:
        TypeError: if `cond` or `body` cannot be called, or `parallel_iterations` is too small.
        ValueError: if there are no loop variables, or `body` returns another structure or shape.
    """
    with name_scope(name, "while", loop_vars):
        if not loop_vars:
            raise ValueError("No loop variables provided")
        if not callable(cond):
            raise TypeError("cond must be callable.")
        if not callable(body):
            raise TypeError("body must be callable.")
        if parallel_iterations < 1:
            raise TypeError("parallel_iterations must be a positive integer.")
        if maximum_iterations is not None:
            limit = maximum_iterations = _scalar(maximum_iterations)
            alone = len(loop_vars) == 1 and not return_same_structure
            counter = constant_node(0, limit.dtype, "iteration_counter")
            cond, body = _counted(cond, body, limit, alone)
            loop_vars = (counter, loop_vars[0] if alone else loop_vars)
            if shape_invariants is not None:
                if alone and _is_list_of_one(shape_invariants) and not nest.is_nested(loop_vars[1]):
                    (shape_invariants,) = shape_invariants
                shape_invariants = (TensorShape(()), shape_invariants)
        if shape_invariants is not None:
            nest.assert_same_structure(loop_vars, shape_invariants)
        context = WhileContext(
            maximum_iterations=maximum_iterations,
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
        )
        if context.outer_context is None:
            get_default_graph().add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        result = context.BuildLoop(cond, body, loop_vars, shape_invariants, return_same_structure)
        return result if maximum_iterations is None else result[1]


def _scalar(maximum_iterations: TensorLike) -> Tensor:
    result = convert_to_tensor(maximum_iterations, name="maximum_iterations")
    if result.shape.ndims != 0:
        raise ValueError(f"maximum_iterations must be a scalar, saw shape: {result.shape}")
    return result


def _is_list_of_one(value: TensorLike) -> bool:
    return nest.is_nested(value) and len(value) == 1


def _counted(
    cond: Callable[..., Any], body: Callable[..., Any], limit: Tensor, alone: bool
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Functions of a counter and the loop variables that stop at a limit.

    Args:
        cond: from the loop variables to a boolean scalar.
        body: from the loop variables to their next values.
        limit: the number of iterations at most.
        alone: whether there is one loop variable that is no longer in a list.
    """

    def arguments(values: NestedTensors) -> Sequence[NestedTensors]:
        return [values] if alone else values

    def counted_cond(i: Tensor, values: NestedTensors) -> Tensor:
        return build.LogicalAnd(i < limit, cond(*arguments(values)))

    def counted_body(i: Tensor, values: NestedTensors) -> tuple[Tensor, Any]:
        return i + 1, body(*arguments(values))

    return counted_cond, counted_body
