"""Building the nodes of a loop, in TensorFlow's order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.base.typing import TensorLike
from headwater.graph.builders import build
from headwater.graph.control_flow.flows import flow_of, has_flow, with_flows
from headwater.graph.control_flow.loop_context import LoopContext
from headwater.graph.control_flow.nodes import (
    enter,
    exit_,
    identity,
    merge,
    next_iteration,
    switch_ref_or_tensor,
    tensor_or_composite,
)
from headwater.graph.control_flow.shape_invariants import (
    enforce_invariant,
    invariants_of,
    set_invariants,
)
from headwater.graph.control_flow.summaries import new_summaries
from headwater.graph.control_flow.util import is_loop_constant_enter
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import control_dependencies
from headwater.graph.indexed_slices import IndexedSlices, as_indexed_slices
from headwater.graph.operation import Tensor


def build_loop(
    context: LoopContext,
    pred: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any,
    return_same_structure: bool,
) -> Any:
    """Builds a loop.

    Args:
        context: the context of the loop.
        pred: from the loop variables to a boolean scalar.
        body: from the loop variables to their next values.
        loop_vars: a sequence of nested structures of values.
        shape_invariants: a structure of shapes like `loop_vars`, or None.
        return_same_structure: whether the only loop variable comes back in a list as well.

    Returns:
        The final values, in the structure that `body` returns.
    """
    values = [tensor_or_composite(flow_of(value)) for value in nest.flatten(loop_vars)]
    shapes = invariants_of(values, shape_invariants)
    tensors = nest.flatten(values, expand_composites=True)
    try:
        context.Enter()
        results, exits = _Loop(context, loop_vars, tensors, shapes).build(pred, body)
    finally:
        context.Exit()
    final = _packed(results, exits)
    if return_same_structure or len(exits) > 1:
        return final
    return final[0]


def _packed(structure: Any, tensors: list[Tensor]) -> Any:
    """A structure like the given one of other tensors; TensorArrays get them as their flows."""
    leaves = nest.flatten(structure, expand_composites=True)
    return nest.pack_sequence_as(structure, with_flows(leaves, tensors), expand_composites=True)


class _Loop:
    """A loop that is being built; its context is entered."""

    def __init__(
        self, context: LoopContext, loop_vars: Any, tensors: list[Tensor], shapes: list[Any]
    ) -> None:
        self.context = context
        self.loop_vars = loop_vars
        self.tensors = tensors
        self.shapes = shapes

    def build(self, pred: Callable[..., Any], body: Callable[..., Any]) -> tuple[Any, list[Tensor]]:
        """The structure that the body returns, and the tensors that leave the loop."""
        context = self.context
        enters = self._enters()
        merges = [merge([tensor, tensor])[0] for tensor in enters]
        context._pivot_for_pred = merges[0]
        decision = to_tensor(pred(*_packed(self.loop_vars, merges)))
        context._pivot = build.LoopCond(decision, name="LoopCond")
        switches = [switch_ref_or_tensor(tensor, context._pivot) for tensor in merges]
        in_body = [identity(pair[1]) for pair in switches]
        context._pivot_for_body = in_body[0]
        arguments = _packed(self.loop_vars, in_body)
        results = _body_results(body, arguments)
        nest.assert_same_structure(list(arguments), list(results), expand_composites=True)
        following = [
            tensor_or_composite(flow_of(value))
            for value in nest.flatten(results, expand_composites=True)
        ]
        if len(merges) != len(following):
            raise ValueError(
                "Number of inputs and outputs of body must match loop_vars: "
                f"{len(merges)}, {len(following)}"
            )
        for merged, value in zip(merges, following):
            add_back_edge(merged, value)
        exits = [exit_(pair[0]) for pair in switches]
        context._loop_exits = exits
        context.ExitResult(exits)
        return results, exits

    def _enters(self) -> list[Tensor]:
        """The Enter nodes of the loop variables."""
        context = self.context
        outer = context._outer_context
        context._InitializeValues(self.tensors)
        tensors = self.tensors
        if outer is not None:
            tensors = [outer.AddValue(tensor) for tensor in tensors]
        with control_dependencies(None):
            enters = [
                enter(
                    tensor,
                    context._name,
                    parallel_iterations=context._parallel_iterations,
                    use_input_shape=False,
                )
                for tensor in tensors
            ]
            for tensor in enters:
                tensor.graph.prevent_feeding(tensor)
                if outer is not None:
                    outer.AddInnerOp(tensor.op)
        self._tie_to_outer_iteration(enters)
        set_invariants(tensors, enters, self.shapes)
        context._FixControlInputsAndContext(enters)
        context._InitializeValues(enters)
        context._loop_enters = enters
        return enters

    def _tie_to_outer_iteration(self, enters: list[Tensor]) -> None:
        """Ties an inner loop to the outer iteration, even if all of its values are constant."""
        pivot = None
        around = self.context._outer_context
        while around is not None and pivot is None:
            pivot = around.GetControlPivot()
            around = around.outer_context
        if pivot is None:
            return
        for tensor in enters:
            if is_loop_constant_enter(tensor.op.inputs[0].op):
                tensor.op._add_control_input(pivot.op)


def _body_results(body: Callable[..., Any], arguments: Any) -> Any:
    with new_summaries() as summaries:
        results = body(*arguments)
    if not nest.is_sequence_or_composite(results):
        results = [results]
    if not summaries:
        return results
    with control_dependencies(summaries):
        return nest.map_structure(
            lambda value: value if has_flow(value) else build.Identity(value),
            results,
            expand_composites=True,
        )


def add_back_edge(merged: Any, value: TensorLike, enforce_shape_invariant: bool = True) -> Any:
    """Makes a value the second input of the Merge of a loop variable.

    A variable that is made of several tensors has a Merge for each.

    Returns:
        The output of the new NextIteration node.

    Raises:
        ValueError: if the shape does not fit.
    """
    if not isinstance(merged, Tensor):
        if isinstance(merged, IndexedSlices):
            value = as_indexed_slices(value, optimize=False)
        following = next_iteration(value)
        merges = nest.flatten(merged, expand_composites=True)
        for part, next_part in zip(merges, nest.flatten(following, expand_composites=True)):
            part.op._update_input(1, next_part)
        return following
    following = next_iteration(to_tensor(value))
    if enforce_shape_invariant:
        enforce_invariant(merged, following)
    merged.op._update_input(1, following)
    return following
