"""A loop as a step: run iteration by iteration, or many iterations as one program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, Protocol

import numpy as np

from headwater.base import cancellation
from headwater.base.cancellation import uninterrupted
from headwater.base.checks import fail
from headwater.base.dead import DEAD
from headwater.base.lazy import jax
from headwater.engine import trace
from headwater.engine.analysis.control_flow import Frame
from headwater.engine.blocks.block import Block
from headwater.engine.blocks.deferral import run_steps
from headwater.engine.blocks.schedule import Schedule
from headwater.engine.compiling import compile_policy
from headwater.engine.compiling.compile_policy import CompilePolicy, worthwhile_after
from headwater.engine.compiling.expected import Expecting, compile_with_others, outline
from headwater.engine.compiling.lowering import NeedsValue
from headwater.engine.compiling.segment import Segment
from headwater.engine.devices import may_have_accelerators
from headwater.engine.loops.arrays import Arrays, sizes_vary
from headwater.engine.loops.body import LoopBody
from headwater.engine.loops.counting import Counting, is_countable
from headwater.engine.loops.program import LoopProgram, is_traceable
from headwater.engine.nodes.kernels import uninitialized
from headwater.engine.nodes.layout import NOTHING, Values
from headwater.engine.state import Pending, Slot, on_host
from headwater.engine.trace import LoopStage
from headwater.graph import Operation, shapes
from headwater.ops.control.traced_resources import NotUniform, padded_size

# In the first run of a loop, nothing is compiled before so many nodes have run.
_FIRST_NODES = 20_000
# Larger values are moved to the device once per run of the loop.
_SMALL_ELEMENTS = 256
# A program returns after so many iterations, so that a run can be cancelled.
_ITERATIONS_AT_ONCE = 1 << 16
# After so many sizes of stacks and TensorArrays, a program is for several sizes.
_FEW_SIZES = 2
# Keys of less than one run in so many are not compiled.
_RARE = 16


class Steps(Protocol):
    """The steps that a loop is one of."""

    steps: list[Any]


class Loop(LoopBody, Expecting):
    """A loop as one step of the block around it.

    It runs iteration by iteration or, where that is possible, many iterations as one program
    (`engine/loops/program.py`).

    Args:
        outer: the block around the loop.
        frame: the ops.
        live: the ops that have to be executed.
        guards: indices of the outer block that are dead if the loop does not run.

    Attributes:
        calls: how many kernels the last interpreted run has called.
        elements: how many elements these have made.
        schedule: the steps that it is one of.
    """

    schedule: Steps

    def __init__(
        self, outer: Block, frame: Frame, live: Collection[Operation], guards: list[int]
    ) -> None:
        super().__init__(outer, frame, live, guards, Loop)
        self._patience = _FIRST_NODES // (len(self.test_nodes) + len(self.body_nodes) + 1)
        self.layout.compile_after = max(self._patience, 3)
        self._schedule()
        self._shaped = [*self.variable_indices, *self.constant_indices]
        of_programs = {i for node in self._iterated() if not node.host for i in node.reads}
        self._for_programs = [i for i in self.constant_indices if i in of_programs]
        devices = {self.layout.device_of(op) for op in self.compiled_ops()}
        # A loop on several devices is not compiled as one program.
        self._device = devices.pop() if len(devices) == 1 else None
        self._traceable = not devices and is_traceable(self)
        types = {op._record.name for op in self.members if op._record.opaque}
        self._has_arrays = bool(types)
        self._has_stacks = any(name.startswith("StackPush") for name in types)
        self._counting = Counting(self) if is_countable(self) else None
        self._counts: dict[Any, int | None] = {}
        self._programs: dict[Any, LoopProgram] = {}
        # The key of the program that the next run may compile, and what it takes.
        self._expected: tuple[Any, tuple[Any, ...]] | None = None
        # The constants whose values are part of the key of a program.
        self._concrete: set[int] = set()
        # The stacks whose elements are all the same, and known to a program; those that are not.
        self._uniform: set[int] = set()
        self._varying: set[int] = set()
        self._policy = CompilePolicy(self.layout.jit_mode, _RARE)
        self._sizes: set[Any] = set()
        self.calls, self.elements = 0, 0
        # Whether arrays have more rows than elements in programs. Cutting off rows would bring the
        # arrays of accelerators to the host.
        self._padded = not may_have_accelerators() and sizes_vary(self._entering)

    def _schedule(self) -> None:
        later, leaving = set(self.next_indices), {index for index, _ in self.exits}
        kept = {*later, *leaving, *(i for node in self.end_nodes for i in node.reads)}
        if self.test_index is not None:
            kept.add(self.test_index)
        self.find_last_uses(self._iterated(), kept)
        self.find_last_uses(self.end_nodes, leaving)
        of_body = {i for node in (*self.once_nodes, *self.body_nodes) for i in node.reads}
        self._invariant = [i for node in self.once_nodes for i in node.outputs]
        self._once = Schedule(self.layout, self.once_nodes, self._invariant, final=False)
        self._tests = Schedule(self.layout, self.test_nodes, kept | of_body, final=False)
        self._body = Schedule(self.layout, self.body_nodes, later, final=False)
        self._end = Schedule(self.layout, self.end_nodes, leaving, final=False)

    def _iterated(self) -> tuple[Any, ...]:
        """The nodes of the test and of the body, in an order in which they can run."""
        return (*self.test_nodes, *self.once_nodes, *self.body_nodes)

    # Running

    def run(self, outer: Values, pending: Pending) -> None:
        """Runs all iterations."""
        if any(outer[i] is DEAD for i in self.reads):
            for index in self.outputs:
                outer[index] = DEAD
            return
        seer = trace.value_seer()
        first_run, count = self.layout.compile_after > 2, 0
        base = self._entered(outer, pending)
        if not first_run and self.layout.jit_mode != "never":
            for index in self._for_programs:
                if type(base[index]) is np.ndarray and base[index].size > _SMALL_ELEMENTS:
                    # Once, and not in every iteration.
                    with uninterrupted():
                        base[index] = jax.device_put(base[index], self._device)
        variables = [base[i] for i in self.first_indices]
        if seer is not None:
            seer.see_loop(self, LoopStage.BEGIN, base)
        while True:
            cancellation.check()
            values = base.copy()
            for index, value in zip(self.variable_indices, variables):
                values[index] = value
            if seer is not None:
                seer.see_loop(self, LoopStage.ENTERED, values)
            elif self._traceable and (not count or self._is_long(count)):
                self._advance(values, pending, at_once=count > 0)
            run_steps(self._tests, values, pending)
            goes_on = self._goes_on(values)
            if seer is not None:
                seer.see_loop(self, LoopStage.GOES_ON if goes_on else LoopStage.LEAVES, values)
            if not goes_on:
                break
            if not count or seer is not None or trace.tracers:
                run_steps(self._once, values, pending)
                for index in self._invariant:
                    base[index] = values[index]
            run_steps(self._body, values, pending)
            if seer is not None:
                seer.see_loop(self, LoopStage.NEXT, values)
            variables = [values[i] for i in self.next_indices]
            count += 1
        run_steps(self._end, values, pending)
        if seer is not None:
            seer.see_loop(self, LoopStage.END, values)
        for index, outside in self.exits:
            outer[outside] = values[index]
        for outside in self.valueless_exits:
            outer[outside] = NOTHING
        self.layout.compile_after = 2
        self._note_work(count)

    def _note_work(self, count: int) -> None:
        """Notes what a run costs if so many iterations are interpreted."""
        if not count:
            return
        nodes = [*self.test_nodes, *self.body_nodes]
        inner = [node for node in nodes if isinstance(node, Loop)]
        steps = [*self._tests.steps, *self._body.steps]
        elements = sum(step.elements or 0 for step in steps if isinstance(step, Segment))
        self.calls = count * (len(nodes) + sum(loop.calls for loop in inner))
        self.elements = count * (elements + sum(loop.elements for loop in inner))

    def _runs_needed(self) -> int:
        """After how many runs with the same shapes a program is compiled."""
        nodes = len(self.test_nodes) + len(self.body_nodes)
        latest, later = compile_policy.LATEST_LOOP_RUN, bool(self._programs)
        return max(2, worthwhile_after(nodes, self.calls, self.elements, latest, later))

    def _entered(self, outer: Values, pending: Pending) -> Values:
        """The template with the values that enter the loop."""
        values = self.layout.template.copy()
        for op, (index, outside) in zip(self._entering, self.entries):
            slot = self._outer.layout.slots.get(outside)
            if slot is None:
                values[index] = outer[outside]
                continue
            value = self.layout.read(slot, pending)
            if value is None:
                raise uninitialized(op, op._inputs[0])
            # The loop or other runs may update the variable.
            values[index] = np.array(value)
        return values

    def _is_long(self, count: int) -> bool:
        """Whether a program for any number of iterations pays after so many."""
        return count >= self._patience and not self._has_arrays

    def _goes_on(self, values: Values) -> bool:
        if self.test_index is None:
            return False
        test = on_host(values[self.test_index])
        if np.ndim(test):
            fail(f"The second input must be a scalar, but it has shape {shapes.show(test.shape)}")
        return bool(test)

    # Programs

    def _advance(self, values: Values, pending: Pending, at_once: bool) -> None:
        """Runs iterations in programs, if there are any, and updates the loop variables."""
        capacity = self._capacity(values) if self._has_stacks else 0
        while capacity is not None:
            arrays = Arrays(self, values, self._padded, self._known_elements(values))
            room = _ITERATIONS_AT_ONCE if arrays.room is None else arrays.room
            # Another run may donate the value of a variable to a program.
            with self.layout.lock, uninterrupted():
                program = self._program(values, pending, arrays, capacity, at_once)
                if program is None:
                    return
                updated = [self.layout.slots[index] for index in self.updated_slots]
                self.layout.state.settle(updated, pending)
                arguments = self._arguments(values, pending)
                variables, new_slots, states, failed = program.run(*arguments, arrays, room)
                if failed:
                    # The same iterations, interpreted, raise the error.
                    return
                pending.update(zip(updated, new_slots))
                self.layout.state.hold(pending)
            arrays.leave(states)
            for index, value in zip(self.variable_indices, variables):
                values[index] = value
            cancellation.check()
            test = values.copy()
            run_steps(self._tests, test, pending)
            if not self._goes_on(test):
                return
            at_once = True

    def _program(
        self, values: Values, pending: Pending, arrays: Arrays, capacity: int, at_once: bool
    ) -> LoopProgram | None:
        """The program for these shapes; None if none is to be compiled."""
        if not arrays.fits:
            return None
        if self._padded:
            capacity = padded_size(capacity)
        key = (
            tuple([_shape(values[i]) for i in self._shaped]),
            tuple(value.tobytes() for value in self._known(values).values()),
            arrays.key,
            capacity,
        )
        runs = self._policy.note(key)
        needed = 1 if at_once else self._runs_needed()
        if not at_once and not self._padded:
            self._note_sizes(arrays.sizes(), capacity, needed)
        wanted = self._policy.is_enough(runs, needed, len(self._programs))
        if key in self._programs or not wanted:
            if not wanted and not at_once:
                self._expect(key, values, pending, arrays, capacity)
            return self._programs.get(key)
        return self._new_program(key, values, pending, arrays, capacity)

    def _is_next(self, key: Any) -> bool:
        """Whether the next run compiles a program if it has this key."""
        runs = self._policy.runs(key) + 1
        return self._policy.is_enough(runs, self._runs_needed(), len(self._programs))

    def _expect(
        self, key: Any, values: Values, pending: Pending, arrays: Arrays, capacity: int
    ) -> None:
        """Notes what the next run takes if it is like this one, and compiles a program then."""
        self._expected = None
        if not self._is_next(key):
            return
        arguments = self._arguments(values, pending)
        if any(v is None for v in arguments[2]):
            return
        arrays.keep_outlines()
        outlines = [list(map(outline, several)) for several in arguments]
        self._expected = key, (*outlines, arrays, capacity, self._known(values))

    def expected_program(self) -> Callable[[], None] | None:
        """What compiles the program that the next run is expected to need; None if none."""
        expected, self._expected = self._expected, None
        if expected is None or not self._traceable:
            return None
        key, arguments = expected
        if key in self._programs or not self._is_next(key):
            return None

        def compile_it() -> None:
            self._programs[key] = LoopProgram(self, self._device, *arguments)

        return compile_it

    def _note_sizes(self, sizes: Any, capacity: int, needed: int) -> None:
        """Makes programs be for several sizes, if the arrays have had many in enough runs."""
        self._sizes.add((sizes, capacity))
        if len(self._sizes) <= _FEW_SIZES or self._policy.all_runs < needed:
            return
        device = self._device or jax.local_devices()[0]
        if device.platform == "cpu":
            self._padded = True
            self._expected = None
            self._policy.start_again(initial=0)
        self._sizes.clear()

    def _new_program(
        self, key: Any, values: Values, pending: Pending, arrays: Arrays, capacity: int
    ) -> LoopProgram | None:
        arguments = self._arguments(values, pending)
        if any(v is None for v in arguments[2]):
            return None
        try:
            known = self._known(values)
            program = compile_with_others(
                lambda: LoopProgram(self, self._device, *arguments, arrays, capacity, known),
                self,
                self.schedule.steps,
            )
        except NeedsValue as need:
            wanted, stacks = self._constants_behind(need, values)
            # If there are no new ones, the value differs between iterations.
            self._traceable = not (wanted <= self._concrete and stacks <= self._uniform)
            self._concrete |= wanted
            if not stacks <= self._uniform:
                # Where one is needed, others are: those of other shapes.
                self._uniform |= self._uniform_stacks(self.constant_indices, values)
            self._policy.start_again(initial=compile_policy.LATEST_LOOP_RUN - 1)
            return None
        except (NotUniform, TypeError):
            # A shape that must be known differs between iterations.
            self._traceable = False
            return None
        self._programs[key] = program
        return program

    def _known(self, values: Values) -> dict[int, np.ndarray]:
        return {i: on_host(values[i]) for i in sorted(self._concrete)}

    def _known_elements(self, values: Values) -> dict[int, np.ndarray]:
        """For the stacks of which programs know it, what all of their elements are."""
        known = {}
        for index in sorted(self._uniform):
            element = values[index].same_element()
            if element is None:
                self._uniform.remove(index)
                self._varying.add(index)
            else:
                known[index] = element
        return known

    def _uniform_stacks(self, indices: Iterable[int], values: Values) -> set[int]:
        return {
            i
            for i in indices
            if i not in self._varying
            and hasattr(values[i], "same_element")
            and values[i].same_element() is not None
        }

    def _constants_behind(self, need: NeedsValue, values: Values) -> tuple[set[int], set[int]]:
        """The small integers from outside on which a value depends that a program must know.

        Returns:
            The indices of constants, and of stacks whose elements are all the same.
        """
        if need.node.layout is not self.layout:
            return set(), set()
        wanted = {need.index}
        for node in reversed(self._iterated()):
            if not wanted.isdisjoint(node.outputs):
                wanted.update(node.reads)
        constants = [i for i in self.constant_indices if i in wanted]
        numbers = {i for i in constants if _is_small_number(values[i])}
        return numbers, self._uniform_stacks(constants, values)

    def _arguments(
        self, values: Values, pending: Pending
    ) -> tuple[list[Any], list[Any], list[Any]]:
        constants = [values[i] for i in self.constant_indices]
        return (
            [values[i] for i in self.variable_indices],
            [None if hasattr(v, "in_program") else v for v in constants],
            [self._on_device(slot, pending) for slot in self.layout.slots.values()],
        )

    def _on_device(self, slot: Slot, pending: Pending) -> Any:
        """The value of a variable for a program; a large one stays on the device."""
        value = pending.get(slot, slot.value)
        if isinstance(value, np.ndarray) and value.size > _SMALL_ELEMENTS:
            value = jax.device_put(value, self._device)
            if slot in pending:
                pending[slot] = value
            else:
                slot.value = value
        return value

    def _capacity(self, values: Values) -> int | None:
        """The number of iterations that follow; None if not only counters decide."""
        if self._counting is None:
            return None
        known = [values[i] for i in self._counting.inputs]
        key = tuple(int(on_host(v)) for v in known)
        if key not in self._counts:
            if len(self._counts) > 4096:
                self._counts.clear()
            self._counts[key] = self._counting.count(values)
        return self._counts[key]


def _shape(value: Any) -> Any:
    """The shape of a value; stacks and TensorArrays have none."""
    return getattr(value, "shape", ())


def _is_small_number(value: Any) -> bool:
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind in ("i", "u", "b") and value.size <= _SMALL_ELEMENTS
