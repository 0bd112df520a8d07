"""Loops: the frames of a graph, run iteration by iteration."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.base.dead import DEAD
from headwater.engine.block import Block, Pending, Schedule, Values, runs_on_host
from headwater.engine.flow import MERGES, NEXT_ITERATIONS, SWITCHES, Conditions, Frame
from headwater.engine.host import uninitialized
from headwater.engine.ordering import ordered
from headwater.engine.state import on_host, variable_of
from headwater.graph import Operation, Tensor

# The first time that a loop runs, its body is compiled after so many iterations.
_FIRST_ITERATIONS = 64


class Loop(Block):
    """A frame as one step of the block around it.

    An iteration runs the nodes that the predicate needs; while it is true, those of the body; and
    when it is false, those that the exits need.

    Args:
        outer: the block around the loop.
        frame: the ops.
        live: the ops that have to be executed.
        guards: indices of the outer block that are dead if the loop does not run.
    """

    host = True

    def __init__(
        self, outer: Block, frame: Frame, live: Collection[Operation], guards: list[int]
    ) -> None:
        super().__init__(outer._state, outer._fed, Loop)
        self.name = frame.name
        self.members = frame.members
        self.compile_after = _FIRST_ITERATIONS
        self.released: list[int] = []
        self._guards_outside = guards
        self._outer_slots = outer.slots
        self.updates: list[int] = []
        own = [op for op in frame.items if isinstance(op, Operation)]
        predicate = next((op._outputs[0] for op in own if op._record.name == "LoopCond"), None)
        self._find_variables(own, predicate)
        self._find_entries(outer, frame)
        order = ordered(frame.items, self._fed, runs_on_host)
        self._make_phases(order, live, predicate, frame, outer)

    def __repr__(self) -> str:
        return f"<loop {self.name!r}>"

    def _find_variables(self, own: list[Operation], predicate: Tensor | None) -> None:
        """Finds what an iteration takes from the one before it."""
        # The merge of a loop variable, what enters, and what the next iteration gets.
        self._variables: list[tuple[Operation, Tensor, Tensor]] = []
        for op in own:
            name = op._record.name
            if name in MERGES:
                later = [t for t in op._inputs if t._op._record.name in NEXT_ITERATIONS]
                if later:
                    first = next(t for t in op._inputs if t not in later)
                    self._variables.append((op, first, later[0]._op._inputs[0]))
            elif name in NEXT_ITERATIONS or name == "LoopCond":
                self._same[op._outputs[0]] = op._inputs[0]
            elif name in SWITCHES and op._inputs[1] is predicate:
                self._same.update(dict.fromkeys(op._outputs, op._inputs[0]))

    def _find_entries(self, outer: Block, frame: Frame) -> None:
        self._enters = [
            (op, outer.index(op._inputs[0]), self.index(op._outputs[0]))
            for op in frame.enters
            if variable_of(op._outputs[0], self._fed) is None
        ]
        # Graphs that others have optimized take constants from outside without an Enter.
        direct = dict.fromkeys(
            t
            for item in frame.items
            if item not in frame.enters
            for t in item._inputs
            if t._op not in frame.members and variable_of(t, self._fed) is None
        )
        self._enters.extend((t._op, outer.index(t), self.index(t)) for t in direct)
        self._steps_in = [
            (self.index(merge._outputs[0]), self.index(first))
            for merge, first, _ in self._variables
        ]
        self.inputs = [index for _, index, _ in self._enters]
        self.reads = [*self.inputs, *self._guards_outside]
        self.feeds = [inner for _, _, inner in self._enters]
        self.feeds.extend(var for var, _ in self._steps_in)

    def _make_phases(
        self,
        order: list[Any],
        live: Collection[Operation],
        predicate: Tensor | None,
        frame: Frame,
        outer: Block,
    ) -> None:
        conditions = Conditions(order, predicate)
        merges = {merge for merge, _, _ in self._variables}
        flow = {*merges, *frame.enters, *frame.exits}
        phases: dict[bool | None, list[Any]] = {None: [], True: [], False: []}
        for item in order:
            if item not in flow:
                phases[conditions.phase(item)].append(item)
        nodes = {phase: self.make_nodes(items, live, conditions) for phase, items in phases.items()}
        self._steps_on = [
            (self.index(merge._outputs[0]), self.index(later))
            for merge, _, later in self._variables
        ]
        exits = [
            op
            for op in frame.exits
            if op in live and variable_of(op._outputs[0], self._fed) is None
        ]
        self._exits = [(self.index(op._inputs[0]), outer.index(op._outputs[0])) for op in exits]
        self.outputs = [index for _, index in self._exits]
        self._test = None if predicate is None else self.index(predicate)
        later = {index for _, index in self._steps_on}
        leaving = {index for index, _ in self._exits}
        tested = set() if self._test is None else {self._test}
        of_body = {i for n in nodes[True] for i in n.reads}
        of_end = {i for n in nodes[False] for i in n.reads}
        self.find_last_uses([*nodes[None], *nodes[True]], later | leaving | tested | of_end)
        self.find_last_uses(nodes[False], leaving)
        self._tests = Schedule(
            self, nodes[None], later | leaving | tested | of_body | of_end, final=False
        )
        self._body = Schedule(self, nodes[True], later, final=False)
        self._end = Schedule(self, nodes[False], leaving, final=False)

    def run(self, outer: Values, pending: Pending) -> None:
        """Runs all iterations."""
        base = self._entered(outer, pending)
        if base is None:
            for index in self.outputs:
                outer[index] = DEAD
            return
        frame = base.copy()
        for variable, first in self._steps_in:
            frame[variable] = frame[first]
        while True:
            cancellation.check()
            run_steps(self._tests, frame, pending)
            if self._test is None or not on_host(frame[self._test]):
                break
            run_steps(self._body, frame, pending)
            following = base.copy()
            for variable, index in self._steps_on:
                following[variable] = frame[index]
            frame = following
        run_steps(self._end, frame, pending)
        for inner, index in self._exits:
            outer[index] = frame[inner]
        self.compile_after = 2

    def _entered(self, outer: Values, pending: Pending) -> Values | None:
        """The frame with what comes in; None if the loop does not run."""
        if any(outer[i] is DEAD for i in self.reads):
            return None
        frame = self.template.copy()
        for op, outside, inside in self._enters:
            slot = self._outer_slots.get(outside)
            if slot is None:
                frame[inside] = outer[outside]
                continue
            value = self.read(slot, pending)
            if value is None:
                raise uninitialized(op, op._inputs[0])
            # The loop may update the variable, and other runs may.
            frame[inside] = np.array(value)
        return frame


def run_steps(schedule: Schedule, frame: Values, pending: Pending) -> None:
    """Runs the steps of a schedule one after the other."""
    for step in schedule.steps:
        step.run(frame, pending)
