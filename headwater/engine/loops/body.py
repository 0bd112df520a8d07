"""The body of a loop: what enters a frame, the loop variables, and what leaves it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from headwater.base import errors
from headwater.engine.analysis.control_flow import (
    LOOP_CONDITIONS,
    MERGES,
    NEXT_ITERATIONS,
    SWITCHES,
    Conditions,
    Frame,
    leads_back,
)
from headwater.engine.analysis.placement import runs_on_host
from headwater.engine.analysis.purity import is_pure
from headwater.engine.analysis.scalars import scalar_ops
from headwater.engine.analysis.variables import variable_of
from headwater.engine.analysis.waits import arranged
from headwater.engine.blocks.block import Block
from headwater.engine.blocks.schedule import Step
from headwater.engine.nodes.layout import Layout
from headwater.engine.nodes.node import Node
from headwater.graph import Operation, Tensor
from headwater.graph.traceback import defined_at


class LoopBody(Block):
    """The nodes of a frame, by when they run.

    An iteration runs the nodes that the predicate needs; while it is true, those of the body; and
    when it is false, those that the exits need.

    Args:
        outer: the block around the loop.
        frame: the ops.
        live: the ops that have to be executed.
        guards: indices of the outer block that are dead if the loop does not run.
        make_loop: makes the steps of the loops in the frame.

    Attributes:
        name: the name of the frame.
        members: its ops.
        entries: for what comes in, its index inside and outside.
        exits: for what goes out, its index inside and outside.
        valueless_exits: indices outside of exits that only say whether the loop has run.
        reads: indices outside of what comes in and of the guards.
        outputs: indices outside of what goes out.
        released: indices outside that are not read afterwards.
        variable_indices: the loop variables.
        first_indices: their values in the first iteration.
        next_indices: their values in the following iteration.
        constant_indices: what comes in and is the same in every iteration.
        constants: the constants by index.
        test_index: the predicate; None if the frame is not a loop.
        test_nodes: the nodes that run in every iteration, and once more at the end.
        once_nodes: the nodes of the body that compute the same in every iteration; they run in the
            first one.
        body_nodes: the other nodes that run while the predicate is true.
        end_nodes: the nodes that run when it is false.
        slots_outside: for each slot of the loop, its index outside.
        updated_slots: the indices of the slots that the loop updates.
        updates: their indices outside.
    """

    host = True
    merges_identities = True

    def __init__(
        self,
        outer: Block,
        frame: Frame,
        live: Collection[Operation],
        guards: list[int],
        make_loop: Callable[..., Step],
    ) -> None:
        layout = Layout(outer.layout.state, outer.layout.fed)
        layout.iterates = True
        layout.placement = outer.layout.placement
        super().__init__(layout, make_loop)
        self.name = frame.name
        self.members = frame.members
        self.released: list[int] = []
        self._outer = outer
        own = [op for op in frame.items if isinstance(op, Operation)]
        condition = _condition(frame.name, own)
        predicate = None if condition is None else condition._outputs[0]
        variables = self._loop_variables(own, predicate)
        self._enter(frame)
        self.reads = [*(index for _, index in self.entries), *guards]
        self.variable_indices = [layout.index(merge._outputs[0]) for merge, _, _ in variables]
        self.first_indices = [layout.index(first) for _, first, _ in variables]
        self.constant_indices = [i for i, _ in self.entries if i not in self.first_indices]
        layout.feeds = [*(index for index, _ in self.entries), *self.variable_indices]
        self.scalars = scalar_ops(own, variables)
        order, layout.waits = arranged(
            frame.items, layout.fed, lambda item: item in self.scalars or runs_on_host(item)
        )
        flow = {*frame.enters, *frame.exits}
        flow.update(op for op in own if any(leads_back(t, op) for t in op._inputs))
        conditions = Conditions(order, predicate)
        phases: dict[bool | None, list[Any]] = {None: [], True: [], False: []}
        for item in order:
            if item not in flow:
                phases[conditions.phase(item)].append(item)
        self.test_nodes, body, self.end_nodes = (
            self.make_nodes(phases[phase], live, conditions) for phase in (None, True, False)
        )
        self.once_nodes, self.body_nodes = self._by_invariance(body)
        self.next_indices = [layout.index(later) for _, _, later in variables]
        self.test_index = None if predicate is None else layout.index(predicate)
        self.exits = [
            (layout.index(op._inputs[0]), outer.layout.index(op._outputs[0]))
            for op in frame.exits
            if op in live and variable_of(op._outputs[0], layout.fed) is None
        ]
        # Control edges may come from exits whose values nobody reads.
        self.valueless_exits = [
            outer.layout.index(op._outputs[0])
            for op in frame.exits
            if op not in live and variable_of(op._outputs[0], layout.fed) is None
        ]
        self.outputs = [*(index for _, index in self.exits), *self.valueless_exits]
        self._note_slots()
        self.constants = {i: v for i, v in enumerate(layout.template) if v is not None}

    def __repr__(self) -> str:
        return f"<loop {self.name!r}>"

    @property
    def nodes(self) -> list[Any]:
        """All nodes: those of the test, of the body, and of the end."""
        return [*self.test_nodes, *self.once_nodes, *self.body_nodes, *self.end_nodes]

    def compiled_ops(self) -> Iterator[Operation]:
        """The ops of the loop, and of the loops in it, that are part of programs."""
        for node in self.nodes:
            if isinstance(node, LoopBody):
                yield from node.compiled_ops()
            elif not node.host:
                yield node.op

    def _by_invariance(self, nodes: list[Any]) -> tuple[list[Any], list[Any]]:
        """The nodes of the body that compute the same in every iteration, and the others."""
        if self.layout.waits is not None:
            return [], nodes
        updated = {i for node in (*self.test_nodes, *nodes, *self.end_nodes) for i in node.updates}
        same = {*self.constant_indices, *(i for i in self.layout.slots if i not in updated)}
        same.update(i for i, value in enumerate(self.layout.template) if value is not None)
        once: list[Any] = []
        others: list[Any] = []
        for node in nodes:
            if isinstance(node, Node) and self._is_invariant(node, same):
                once.append(node)
                same.update(node.outputs)
            else:
                others.append(node)
        return once, others

    def _is_invariant(self, node: Node, same: set[int]) -> bool:
        """Whether a node computes the same in every iteration if the values `same` are."""
        return (
            same.issuperset(node.reads)
            and (is_pure(node.record) or node.record.name == "ReadVariableOp")
            and node.op not in self.scalars
            and not (node.guards or node.alive)
        )

    def _loop_variables(
        self, own: list[Operation], predicate: Tensor | None
    ) -> list[tuple[Operation, Tensor, Tensor]]:
        """Of each loop variable: its merge, its first value, its value in the next iteration."""
        variables = []
        for op in own:
            name = op._record.name
            if name in MERGES:
                later = [t for t in op._inputs if t._op._record.name in NEXT_ITERATIONS]
                if later and variable_of(op._outputs[0], self.layout.fed) is None:
                    first = next(t for t in op._inputs if t not in later)
                    variables.append((op, first, later[0]._op._inputs[0]))
            elif name in NEXT_ITERATIONS or name in LOOP_CONDITIONS:
                self.layout.same[op._outputs[0]] = op._inputs[0]
            elif name in SWITCHES and op._inputs[1] is predicate:
                self.layout.same.update(dict.fromkeys(op._outputs, op._inputs[0]))
        return variables

    def _enter(self, frame: Frame) -> None:
        """Finds the values that enter the loop."""
        entering = [
            (op._outputs[0], op._inputs[0])
            for op in frame.enters
            if variable_of(op._outputs[0], self.layout.fed) is None
        ]
        # Graphs from graph optimizers take constants from outside without an Enter.
        direct = dict.fromkeys(
            t
            for item in frame.items
            if item not in frame.enters
            for t in item._inputs
            if t._op not in frame.members and variable_of(t, self.layout.fed) is None
        )
        entering.extend((t, t) for t in direct)
        inside, outside = self.layout, self._outer.layout
        self.entries = [(inside.index(inner), outside.index(t)) for inner, t in entering]
        self._entering = [inner._op for inner, _ in entering]

    def _note_slots(self) -> None:
        self.slots_outside = {
            index: self._outer.layout.slot_index(op)
            for index, op in self.layout.variable_ops.items()
        }
        updated: dict[int, None] = {}
        for node in self.nodes:
            updated.update(dict.fromkeys(node.updates))
            if isinstance(node, Node) and node.state is not None:
                updated[node.state] = None
        self.updated_slots = list(updated)
        # The updated slots, for the block around the loop.
        self.updates = [self.slots_outside[i] for i in self.updated_slots]


def _condition(frame_name: str, ops: list[Operation]) -> Operation | None:
    """The LoopCond of a frame; None if it is not a loop."""
    found = [op for op in ops if op._record.name in LOOP_CONDITIONS]
    if len(found) > 1:
        nodes = " and ".join(f"node {op.name}{defined_at(op._stack)}" for op in found[:2])
        text = f'Loop "{frame_name}" has more than one LoopCond node: {nodes}.'
        raise errors.InvalidArgumentError(
            found[1].node_def,
            found[1],
            f"Invalid loop structure: {text}",
            hint="A graph with a loop can be imported once only in each frame.",
        )
    return found[0] if found else None
