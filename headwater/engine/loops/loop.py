"""Loops: the frames of a graph, run iteration by iteration."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.base.cancellation import uninterrupted
from headwater.base.dead import DEAD
from headwater.base.lazy import jax
from headwater.engine.analysis.control_flow import (
    LOOP_CONDITIONS,
    MERGES,
    NEXT_ITERATIONS,
    SWITCHES,
    Conditions,
    Frame,
    leads_back,
)
from headwater.engine.analysis.ordering import ordered
from headwater.engine.blocks.block import Block, Node, Pending, Schedule, Values, runs_on_host
from headwater.engine.compiling.compile_policy import Demand
from headwater.engine.compiling.lowering import NeedsValue
from headwater.engine.loops.arrays import Arrays
from headwater.engine.loops.counting import Counting, is_countable, scalar_ops
from headwater.engine.loops.program import LoopProgram, compiled_ops, is_traceable
from headwater.engine.nodes.kernels import uninitialized
from headwater.engine.state import Slot, on_host, variable_of
from headwater.graph import Operation, Tensor
from headwater.graph.traceback import defined_at
from headwater.ops.control.traced_resources import NotUniform

# The first time that a loop runs, nothing of it is compiled before so many nodes have run.
_FIRST_NODES = 20_000
# Values of more elements go to the device once per run of the loop.
_SMALL_ELEMENTS = 256
# A program gives way after so many iterations, so that a run can be stopped.
_ITERATIONS_AT_ONCE = 1 << 16
# What comes less often than once in so many runs is not worth a program.
_RARE = 16


class Loop(Block):
    """A frame as one step of the block around it.

    An iteration runs the nodes that the predicate needs; while it is true, those of the body; and
    when it is false, those that the exits need. Where that is possible, many iterations are one
    program (`engine/loops/program.py`).

    Args:
        outer: the block around the loop.
        frame: the ops.
        live: the ops that have to be executed.
        guards: indices of the outer block that are dead if the loop does not run.

    Attributes:
        entries: for what comes in, its index inside and outside.
        exits: for what goes out, its index inside and outside.
        variable_indices: the loop variables.
        first_indices: their values in the first iteration.
        next_indices: their values in the following iteration.
        test_index: the predicate; None if the frame is no loop.
        test_nodes: the nodes that run in every iteration, and once more at the end.
        body_nodes: the nodes that run while the predicate is true.
        end_nodes: the nodes that run when it is false.
        slots_outside: for each slot of the loop, its index outside.
        updated_slots: the indices of the slots that the loop updates.
    """

    host = True
    merges_identities = True

    def __init__(
        self, outer: Block, frame: Frame, live: Collection[Operation], guards: list[int]
    ) -> None:
        super().__init__(outer.state, outer.fed, Loop)
        self.name = frame.name
        self.members = frame.members
        self.released: list[int] = []
        self._outer = outer
        self.placement = outer.placement
        own = [op for op in frame.items if isinstance(op, Operation)]
        condition = _condition(frame.name, own)
        predicate = None if condition is None else condition._outputs[0]
        variables = self._loop_variables(own, predicate)
        self._enter(frame)
        self.reads = [*(index for _, index in self.entries), *guards]
        self.variable_indices = [self.index(merge._outputs[0]) for merge, _, _ in variables]
        self.first_indices = [self.index(first) for _, first, _ in variables]
        self.constant_indices = [i for i, _ in self.entries if i not in self.first_indices]
        self.feeds = [*(index for index, _ in self.entries), *self.variable_indices]
        self.scalars = scalar_ops(own, variables)
        order = ordered(
            frame.items, self.fed, lambda item: item in self.scalars or runs_on_host(item)
        )
        flow = {*frame.enters, *frame.exits}
        flow.update(op for op in own if any(leads_back(t, op) for t in op._inputs))
        conditions = Conditions(order, predicate)
        phases: dict[bool | None, list[Any]] = {None: [], True: [], False: []}
        for item in order:
            if item not in flow:
                phases[conditions.phase(item)].append(item)
        self.test_nodes, self.body_nodes, self.end_nodes = (
            self.make_nodes(phases[phase], live, conditions) for phase in (None, True, False)
        )
        self.next_indices = [self.index(later) for _, _, later in variables]
        self.test_index = None if predicate is None else self.index(predicate)
        self.exits = [
            (self.index(op._inputs[0]), outer.index(op._outputs[0]))
            for op in frame.exits
            if op in live and variable_of(op._outputs[0], self.fed) is None
        ]
        self.outputs = [index for _, index in self.exits]
        self._patience = _FIRST_NODES // (len(self.test_nodes) + len(self.body_nodes) + 1)
        self.compile_after = max(self._patience, 3)
        self._schedule()
        of_programs = {
            i for node in (*self.test_nodes, *self.body_nodes) if not node.host for i in node.reads
        }
        self._for_programs = [i for i in self.constant_indices if i in of_programs]
        self._note_slots()
        self.constants = {i: v for i, v in enumerate(self.template) if v is not None}
        devices = {self.device_of(op) for op in compiled_ops(self)}
        # Where all that is compiled runs; a loop on several devices is no program.
        self.device = devices.pop() if len(devices) == 1 else None
        self._traceable = not devices and is_traceable(self)
        types = {op._record.name for op in self.members if op._record.opaque}
        self._has_arrays = bool(types)
        self._has_stacks = any(name.startswith("StackPush") for name in types)
        self._counting = Counting(self) if is_countable(self) else None
        self._counts: dict[Any, int | None] = {}
        self._programs: dict[Any, LoopProgram] = {}
        # Those of the constants whose values are part of the key of a program.
        self._concrete: set[int] = set()
        self._demand = Demand(self.jit_mode, _RARE)

    def __repr__(self) -> str:
        return f"<loop {self.name!r}>"

    def _loop_variables(
        self, own: list[Operation], predicate: Tensor | None
    ) -> list[tuple[Operation, Tensor, Tensor]]:
        """Of each loop variable: its merge, its first value, its value in the next iteration."""
        variables = []
        for op in own:
            name = op._record.name
            if name in MERGES:
                later = [t for t in op._inputs if t._op._record.name in NEXT_ITERATIONS]
                if later and variable_of(op._outputs[0], self.fed) is None:
                    first = next(t for t in op._inputs if t not in later)
                    variables.append((op, first, later[0]._op._inputs[0]))
            elif name in NEXT_ITERATIONS or name in LOOP_CONDITIONS:
                self.same[op._outputs[0]] = op._inputs[0]
            elif name in SWITCHES and op._inputs[1] is predicate:
                self.same.update(dict.fromkeys(op._outputs, op._inputs[0]))
        return variables

    def _enter(self, frame: Frame) -> None:
        """Finds what comes in."""
        entering = [
            (op._outputs[0], op._inputs[0])
            for op in frame.enters
            if variable_of(op._outputs[0], self.fed) is None
        ]
        # Graphs that others have optimized take constants from outside without an Enter.
        direct = dict.fromkeys(
            t
            for item in frame.items
            if item not in frame.enters
            for t in item._inputs
            if t._op not in frame.members and variable_of(t, self.fed) is None
        )
        entering.extend((t, t) for t in direct)
        self.entries = [(self.index(inner), self._outer.index(t)) for inner, t in entering]
        self._entering = [inner._op for inner, _ in entering]

    def _schedule(self) -> None:
        later, leaving = set(self.next_indices), {index for index, _ in self.exits}
        kept = {*later, *leaving, *(i for node in self.end_nodes for i in node.reads)}
        if self.test_index is not None:
            kept.add(self.test_index)
        self.find_last_uses([*self.test_nodes, *self.body_nodes], kept)
        self.find_last_uses(self.end_nodes, leaving)
        of_body = {i for node in self.body_nodes for i in node.reads}
        self._tests = Schedule(self, self.test_nodes, kept | of_body, final=False)
        self._body = Schedule(self, self.body_nodes, later, final=False)
        self._end = Schedule(self, self.end_nodes, leaving, final=False)

    def _note_slots(self) -> None:
        self.slots_outside = {
            index: self._outer.slot_index(op) for index, op in self.variable_ops.items()
        }
        updated: dict[int, None] = {}
        for node in (*self.test_nodes, *self.body_nodes, *self.end_nodes):
            updated.update(dict.fromkeys(node.updates))
            if isinstance(node, Node) and node.cell is not None:
                updated[node.cell] = None
        self.updated_slots = list(updated)
        # What the block around the loop sees updated.
        self.updates = [self.slots_outside[i] for i in self.updated_slots]

    # Running

    def run(self, outer: Values, pending: Pending) -> None:
        """Runs all iterations."""
        if any(outer[i] is DEAD for i in self.reads):
            for index in self.outputs:
                outer[index] = DEAD
            return
        first_run, count = self.compile_after > 2, 0
        base = self._entered(outer, pending)
        if not first_run and self.jit_mode != "never":
            for index in self._for_programs:
                if type(base[index]) is np.ndarray and base[index].size > _SMALL_ELEMENTS:
                    # Once, and not in every iteration.
                    with uninterrupted():
                        base[index] = jax.device_put(base[index], self.device)
        variables = [base[i] for i in self.first_indices]
        while True:
            cancellation.check()
            frame = base.copy()
            for index, value in zip(self.variable_indices, variables):
                frame[index] = value
            if self._traceable and (not count or self._is_long(count)):
                self._advance(frame, pending, at_once=count > 0)
            run_steps(self._tests, frame, pending)
            if not self._goes_on(frame):
                break
            run_steps(self._body, frame, pending)
            variables = [frame[i] for i in self.next_indices]
            count += 1
        run_steps(self._end, frame, pending)
        for index, outside in self.exits:
            outer[outside] = frame[index]
        self.compile_after = 2

    def _entered(self, outer: Values, pending: Pending) -> Values:
        """The frame with what comes in."""
        frame = self.template.copy()
        for op, (index, outside) in zip(self._entering, self.entries):
            slot = self._outer.slots.get(outside)
            if slot is None:
                frame[index] = outer[outside]
                continue
            value = self.read(slot, pending)
            if value is None:
                raise uninitialized(op, op._inputs[0])
            # The loop may update the variable, and other runs may.
            frame[index] = np.array(value)
        return frame

    def _is_long(self, count: int) -> bool:
        """Whether so many iterations make a program worth it that is good for all numbers."""
        return count >= self._patience and not self._has_arrays

    def _goes_on(self, frame: Values) -> bool:
        return self.test_index is not None and bool(on_host(frame[self.test_index]))

    # Programs

    def _advance(self, frame: Values, pending: Pending, at_once: bool) -> None:
        """Runs iterations in programs, if there are any; the loop variables move on."""
        capacity = self._capacity(frame) if self._has_stacks else 0
        while capacity is not None:
            arrays = Arrays(self, frame)
            room = _ITERATIONS_AT_ONCE if arrays.room is None else arrays.room
            # Another run may hand the value of a variable to a program that takes it over.
            with self.lock, uninterrupted():
                program = self._program(frame, pending, arrays, capacity, at_once)
                if program is None:
                    return
                arguments = self._arguments(frame, pending)
                values, new_slots, states, failed = program.run(*arguments, arrays.states, room)
            if bool(on_host(failed)):
                # The same iterations on the host raise the error.
                return
            arrays.leave(states)
            for index, value in zip(self.variable_indices, values):
                frame[index] = value
            for index, value in zip(self.updated_slots, new_slots):
                pending[self.slots[index]] = value
            cancellation.check()
            test = frame.copy()
            run_steps(self._tests, test, pending)
            if not self._goes_on(test):
                return
            at_once = True

    def _program(
        self, frame: Values, pending: Pending, arrays: Arrays, capacity: int, at_once: bool
    ) -> LoopProgram | None:
        """The program for these shapes, if it is worth having one."""
        if not arrays.fits:
            return None
        key = (
            tuple(np.shape(frame[i]) for i in (*self.variable_indices, *self.constant_indices)),
            tuple(value.tobytes() for value in self._known(frame).values()),
            arrays.key(),
            capacity,
        )
        runs = self._demand.note(key)
        wanted = self._demand.is_enough(runs, 1 if at_once else 2, len(self._programs))
        if key in self._programs or not wanted:
            return self._programs.get(key)
        return self._new_program(key, frame, pending, arrays, capacity)

    def _new_program(
        self, key: Any, frame: Values, pending: Pending, arrays: Arrays, capacity: int
    ) -> LoopProgram | None:
        arguments = self._arguments(frame, pending)
        if any(v is None for v in arguments[2]):
            return None
        try:
            program = LoopProgram(self, *arguments, arrays, capacity, self._known(frame))
        except NeedsValue as need:
            wanted = self._constants_behind(need, frame)
            # Otherwise it changes from iteration to iteration.
            self._traceable = not wanted <= self._concrete
            self._concrete |= wanted
            self._demand.start_again(initial=1)
            return None
        except (NotUniform, TypeError):
            # A shape that an op must know changes from iteration to iteration.
            self._traceable = False
            return None
        self._programs[key] = program
        return program

    def _known(self, frame: Values) -> dict[int, np.ndarray]:
        return {i: on_host(frame[i]) for i in sorted(self._concrete)}

    def _constants_behind(self, need: NeedsValue, frame: Values) -> set[int]:
        """The small numbers from outside that decide on a value which a program has to know."""
        if need.node.block is not self:
            return set()
        wanted = {need.index}
        for node in reversed((*self.test_nodes, *self.body_nodes)):
            if not wanted.isdisjoint(node.outputs):
                wanted.update(node.reads)
        return {i for i in self.constant_indices if i in wanted and _is_small_number(frame[i])}

    def _arguments(self, frame: Values, pending: Pending) -> tuple[list[Any], list[Any], list[Any]]:
        constants = [frame[i] for i in self.constant_indices]
        return (
            [frame[i] for i in self.variable_indices],
            [None if hasattr(v, "in_program") else v for v in constants],
            [self._on_device(slot, pending) for slot in self.slots.values()],
        )

    def _on_device(self, slot: Slot, pending: Pending) -> Any:
        """The value of a variable for a program; a large one moves to the device for good."""
        value = pending.get(slot, slot.value)
        if isinstance(value, np.ndarray) and value.size > _SMALL_ELEMENTS:
            value = jax.device_put(value, self.device)
            if slot in pending:
                pending[slot] = value
            else:
                slot.value = value
        return value

    def _capacity(self, frame: Values) -> int | None:
        """How many iterations follow; None if more than counters decide on it."""
        if self._counting is None:
            return None
        known = [frame[i] for i in self._counting.inputs]
        key = tuple(int(on_host(v)) for v in known)
        if key not in self._counts:
            if len(self._counts) > 4096:
                self._counts.clear()
            self._counts[key] = self._counting.count(frame)
        return self._counts[key]


def _condition(frame_name: str, ops: list[Operation]) -> Operation | None:
    """The op that says whether a frame goes on; None if it is no loop."""
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


def _is_small_number(value: Any) -> bool:
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind in ("i", "u", "b") and value.size <= _SMALL_ELEMENTS


def run_steps(schedule: Schedule, frame: Values, pending: Pending) -> None:
    """Runs the steps of a schedule one after the other."""
    for step in schedule.steps:
        step.run(frame, pending)
