"""A segment: consecutive compilable nodes, which become one XLA program per key."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from headwater.base import errors
from headwater.base.backend_errors import as_op_error
from headwater.base.cancellation import uninterrupted
from headwater.base.dead import DEAD
from headwater.base.lazy import jax
from headwater.engine import trace
from headwater.engine.compiling import compile_policy
from headwater.engine.compiling.compile_policy import CompilePolicy, worthwhile_after
from headwater.engine.compiling.dynamic_shapes import Observation, computed_elements
from headwater.engine.compiling.expected import Expecting, compile_with_others, outline
from headwater.engine.compiling.interpreter import Interpreter, can_interpret
from headwater.engine.compiling.lowering import NeedsValue
from headwater.engine.compiling.needed_values import deciding, deciding_on_others, producers
from headwater.engine.compiling.program import Program
from headwater.engine.compiling.region import Region
from headwater.engine.compiling.small_work import (
    AWAITED_PROGRAM,
    SMALL_ELEMENTS,
    SMALL_NODES,
    is_much_work,
    is_quick,
    is_small,
    is_worth_compiling,
)
from headwater.engine.nodes.kernels import located
from headwater.engine.nodes.layout import Layout, Values
from headwater.engine.nodes.node import Node, run_node
from headwater.engine.nodes.picked_rows import picks_rows
from headwater.engine.state import Memory, Pending, Slot, is_lost, on_host, value_of
from headwater.graph.registry import RunsOn

_MOST_SMALL_KEYS = 64
_FEW_NODES = 20
# Smaller variables may exist twice, on the host and on the device.
_LARGE_BYTES = 1 << 20
# Ops that only hand on an array that they are given.
_MOVES = frozenset(("Assign", "AssignVariableOp", "Identity", "NoOp"))
# Shapes of less than one run in so many are not compiled.
_RARE = 32


class Steps(Protocol):
    """The steps that a segment is one of."""

    steps: list[Any]

    def replace(self, segment: Segment, steps: list[Any]) -> None:
        """Puts other steps in the place of a segment."""

    def join(self) -> None:
        """Joins the steps that run on the host."""

    def move_to_host(self, segment: Segment, nodes: list[Node], elements: dict[Node, int]) -> None:
        """Puts steps in the place of a segment of which the given nodes run on the host."""


class _Sizes:
    """The sizes of the values of some nodes.

    Args:
        inputs: the values that they take.

    Attributes:
        largest: the largest number of elements of a value.
        elements: how many elements each node makes.
    """

    def __init__(self, inputs: list[Any]) -> None:
        self.largest = 0
        self.elements: dict[Node, int] = {}
        self._note(inputs)

    def _note(self, values: list[Any]) -> None:
        self.largest = max([self.largest, *(getattr(value, "size", 0) for value in values)])

    def note(self, node: Node, values: Values) -> None:
        """Notes the outputs of a node."""
        self._note([values[i] for i in node.outputs])
        self.elements[node] = computed_elements(node, values)


class Awaited(enum.Enum):
    """How much of the results of a segment steps on the host wait for."""

    NOTHING = enum.auto()
    SOMETHING = enum.auto()
    ALL = enum.auto()


class Segment(Region, Expecting):
    """A region as a step of a block.

    Args:
        layout: where the values of the nodes stand.
        nodes: the nodes in order.
        runs: the count of runs with which new shapes begin.

    Attributes:
        schedule: the steps that it is one of.
        elements: how many elements the nodes have computed in the first interpreted run; None
            before.
    """

    schedule: Steps

    def __init__(self, layout: Layout, nodes: list[Node], runs: int = 0) -> None:
        super().__init__(layout, nodes)
        self._programs: dict[Any, Program] = {}
        # The key of the program that the next run may compile, and what it takes.
        self._expected: tuple[Any, dict[int, Any]] | None = None
        self._is_static = layout.dynamic_shapes.keys().isdisjoint(self.inputs)
        # Dynamic shapes have to recur first.
        initial = runs if self._is_static else 0
        self._policy = CompilePolicy(layout.jit_mode, _RARE, initial)
        self._observation: Observation | None = None
        self._is_observed = False
        self._is_awaited = False
        self._is_pure_work = False
        self._unawaited: Any = None
        # Another thread may regroup the nodes while this segment runs.
        self._released = [node.released for node in nodes]
        self._device_constants: list[Any] | None = None
        self._interpreter: Interpreter | None = None
        self._can_interpret = all(can_interpret(node, with_state=True) for node in nodes)
        self._interpretations = 0
        # Whether it is part of what has been found worth compiling.
        self._is_worth_it = False
        self.elements: int | None = None
        # Those that a program would not compute, or go through, faster.
        self._quick_elements = 0
        self._small = is_small(nodes, layout.awaited, layout.typical_rows)
        self._moves = bool(self.updated) and all(node.op.type in _MOVES for node in nodes)
        self._slots_updated = [layout.slots[i] for i in self.updated]
        self._slots_kept = [layout.slots[i] for i in self.kept]
        self._slots_read = [layout.slots[i] for i in self.read]
        # Variables of which nodes only copy rows.
        picked = {i for i in self.read if all(picks_rows(n, i) for n in nodes if i in n.reads)}
        self._lent = [(i, layout.slots[i]) for i in self.read if i in picked]
        self._seen = [(i, layout.slots[i]) for i in (*self.kept, *self.read) if i not in picked]
        self._replaced = [(i, layout.slots[i]) for i in self.updated if i not in self.kept]
        # Only runs tell whether dynamic shapes are small: the keys for which they were.
        self._small_keys: set[Any] = set()
        self._may_be_small = self._has_few_nodes()

    def set_boundary(
        self, wanted: set[int], last: bool, awaited: Awaited = Awaited.NOTHING
    ) -> None:
        """Sets what later steps want, and how much of it steps on the host wait for."""
        super().set_boundary(wanted, last)
        updates = self._updates_variables()
        self._is_awaited = awaited is not Awaited.NOTHING and not updates
        self._is_pure_work = not (updates or self.read)
        rows = self.layout.typical_rows
        whole = awaited is Awaited.ALL or (self._is_pure_work and is_quick(self.nodes, rows))
        if not self._small and whole and not updates:
            self._small = is_small(self.nodes, True, rows)

    def _has_few_nodes(self) -> bool:
        """Whether interpreting the nodes costs less than calling a program if values are small."""
        return (
            len(self.nodes) <= SMALL_NODES
            and not self.uses_variables
            and not self.concrete
            and not any(node.record.runs_on is RunsOn.XLA for node in self.nodes)
        )

    def _updates_variables(self) -> bool:
        return any(self.layout.variable_ops[i]._record.variable for i in self.updated)

    def __str__(self) -> str:
        return f"<segment of {len(self.nodes)} nodes: {', '.join(n.op.type for n in self.nodes)}>"

    @property
    def is_interpreted(self) -> bool:
        """Whether every run interprets the nodes."""
        mode = self.layout.jit_mode
        return mode == "never" or (mode == "auto" and self._small)

    @property
    def uses_variables(self) -> bool:
        """Whether the nodes read or update variables."""
        return bool(self._slots_updated or self._slots_read)

    @property
    def released(self) -> set[int]:
        """The indices that no later step reads."""
        return {index for released in self._released for index in released}

    # Running

    def _only_moves(self, values: Values) -> bool:
        """Whether a program would only copy arrays of the host into variables, as in restoring."""
        return self._moves and all(isinstance(values[i], np.ndarray) for i in self.inputs)

    def run(self, values: Values, pending: Pending) -> None:
        """Runs the segment on the values of a run; new values of variables go to their slots.

        Args:
            values: the values of this run.
            pending: new values of slots that are published when the whole run has succeeded.
        """
        if trace.tracers and self._run_traced(values, pending):
            return
        if self.layout.jit_mode == "auto" and (self._small or self._only_moves(values)):
            self.interpret(values, pending)
            return
        taken = self._taken(values)
        key = self._key(taken)
        runs = self._policy.note(key)
        program = self._programs.get(key)
        if program is None:
            if key in self._small_keys and self.layout.jit_mode == "auto":
                self.interpret(values, pending)
                return
            wanted = self._policy.is_enough(runs, self._runs_needed(), len(self._programs))
            if not wanted or _missing(*self._state(pending)):
                self._expect(key, taken)
                if self._may_be_small:
                    self._interpret_measured(key, values, pending)
                elif self._is_static and not self.concrete:
                    self._interpret_weighed(key, values, pending)
                else:
                    self._interpret_observed(values, pending)
                return
            if self._was_small():
                self._small = True
                with self.layout.lock:
                    self.schedule.join()
                self.interpret(values, pending)
                return
            try:
                with uninterrupted():
                    program = compile_with_others(
                        lambda: self._compile(taken, pending), self, self.schedule.steps
                    )
                    self._programs[key] = program
            except NeedsValue as need:
                with self.layout.lock:
                    # Otherwise another thread has replaced the segment.
                    steps = self._split(need, taken) if self in self.schedule.steps else []
                    if steps:
                        self.schedule.replace(self, steps)
                if not steps:
                    self.interpret(values, pending)
                for step in steps:
                    step.run(values, pending)
                return
            except errors.OpError:
                # A check on known values has failed: interpreted, its error text has all values.
                self.interpret(values, pending)
                raise
        self._execute(program, taken, values, pending)

    def _runs_needed(self) -> int:
        """After how many runs with the same shapes a program is compiled."""
        first = self.layout.compile_after
        if self._programs and self.elements is None:
            # The first run with other shapes tells.
            return first + 1
        if self.elements is None or (self._is_worth_it and not self._programs):
            return first
        latest = (
            compile_policy.LATEST_ITERATION if self.layout.iterates else compile_policy.LATEST_RUN
        )
        nodes, later = len(self.nodes), bool(self._programs)
        return max(first, worthwhile_after(nodes, nodes, self.elements, latest, later))

    def _run_traced(self, values: Values, pending: Pending) -> bool:
        """Runs the segment as the tracer of this thread demands.

        Returns:
            False if this thread is not traced; the segment has then not been run.
        """
        tracer = trace.of_this_thread()
        if tracer is None:
            return False
        if tracer.by_op:
            self.interpret(values, pending)
            return True
        start = time.perf_counter_ns()
        with trace.suspended(tracer):
            self.run(values, pending)
            for index in self.outputs:
                if hasattr(values[index], "block_until_ready"):
                    values[index].block_until_ready()
        tracer.note(
            [op for n in self.nodes for op in n.members], start, [values[i] for i in self.outputs]
        )
        return True

    def _taken(self, values: Values) -> Any:
        """The inputs as programs take them, by index."""
        return values

    def _key(self, taken: Any) -> Any:
        shapes = tuple([taken[i].shape for i in self.inputs])
        if not self.concrete:
            return shapes
        concrete = tuple(on_host(taken[i]).tobytes() for i in sorted(self.concrete))
        return shapes, concrete

    def _interpret_observed(self, values: Values, pending: Pending) -> None:
        """Interprets the nodes; moves those with dynamic shapes to the host."""
        if self._is_observed:
            self.interpret(values, pending)
            return
        observation = self._observation = self._observation or Observation(self)
        if not observation.begin(values):
            self.interpret(values, pending)
            return
        self.interpret(values, pending, observation)
        if not observation.is_complete():
            return
        hosted = observation.dynamic_nodes()
        self._is_observed = bool(hosted) or observation.is_exhausted()
        if hosted:
            with self.layout.lock:
                if self in self.schedule.steps:
                    self.schedule.move_to_host(self, hosted, observation.elements)

    def _interpret_measured(self, key: Any, values: Values, pending: Pending) -> None:
        """Interprets a few nodes; notes whether that costs less than calling a program."""
        sizes = _Sizes([values[i] for i in self.inputs])
        self.interpret(values, pending, sizes)
        if sizes.largest <= SMALL_ELEMENTS and len(self._small_keys) < _MOST_SMALL_KEYS:
            self._small_keys.add(key)
        else:
            self._may_be_small = False

    def _interpret_weighed(self, key: Any, values: Values, pending: Pending) -> None:
        """Interprets the nodes; notes whether that costs less than a program that is awaited."""
        if not self._is_awaited or len(self._small_keys) >= _MOST_SMALL_KEYS:
            self.interpret(values, pending)
            return
        sizes = _Sizes([])
        self.interpret(values, pending, sizes)
        boundary = len(self.inputs) + len(self.outputs)
        if not is_worth_compiling(self.nodes, sizes.elements, boundary):
            self._small_keys.add(key)

    def _was_small(self) -> bool:
        """Whether interpreting the nodes has cost less than a program.

        Either all runs wait for the results, or most of the work is that of ops for which a
        program would not be faster.
        """
        if self.layout.jit_mode != "auto":
            return False
        quick = self._is_pure_work and self._quick_elements >= AWAITED_PROGRAM
        if not quick and (self._observation is None or not self._is_awaited):
            return False
        boundary = len(self.inputs) + len(self.outputs)
        if self._observation is not None:
            return not is_worth_compiling(self.nodes, self._observation.elements, boundary)
        return not is_much_work(self.nodes, self.elements or 0, boundary)

    def interpret(
        self, values: Values, pending: Pending, observation: Observation | _Sizes | None = None
    ) -> None:
        """Runs the nodes one by one with NumPy."""
        if not self.uses_variables:
            self._run_nodes(values, observation)
            return
        feeds = Memory([values[i] for i in self.layout.feeds])
        state = self.layout.state
        with self.layout.lock:
            if state.unpublished:
                state.settle(self._slots_updated, pending)
            for index, slot in self._seen:
                values[index] = value_of(slot, pending)
            for index, slot in self._lent:
                # A tracer may keep what it sees.
                values[index] = value_of(slot, pending, lent=not trace.tracers)
            for index, slot in self._replaced:
                values[index] = None if is_lost(value := pending.get(slot, slot.value)) else value
            before = [values[i] for i in self.updated]
            self._run_nodes(values, observation)
            with uninterrupted():
                for index, slot, old in zip(self.updated, self._slots_updated, before):
                    if values[index] is not old:
                        pending[slot] = feeds.unaliased(values[index])
                self._publish(pending)

    def _run_nodes(self, values: Values, observation: Observation | _Sizes | None) -> None:
        with np.errstate(all="ignore"):
            if observation is None and not trace.tracers and self._run_calls(values):
                return
            elements = quick = 0
            for node, released in zip(self.nodes, self._released):
                run_node(node, values)
                computed, as_quick = _elements(node, values)
                elements += computed
                quick += as_quick
                if observation is not None:
                    observation.note(node, values)
                for index in released:
                    values[index] = None
            if self.elements is None:
                self.elements, self._quick_elements = elements, quick

    def _run_calls(self, values: Values) -> bool:
        """Runs the nodes as a list of calls; tells whether it could."""
        if self._interpreter is None:
            # Nothing is listed for the first run.
            self._interpretations += 1
            if self._interpretations < 2 or not self._can_interpret:
                return False
            self._interpreter = Interpreter(
                self.layout, self.nodes, {i for r in self._released for i in r}
            )
        return self._interpreter.run(values)

    def _publish(self, pending: Pending) -> None:
        """Puts new values into their slots if nothing that follows can fail.

        The buffers of the old ones may have been donated: no other thread may see those.
        """
        if self.last:
            self.layout.state.exchange(pending)
        else:
            self.layout.state.hold(pending)

    def _execute(self, program: Program, taken: Any, values: Values, pending: Pending) -> None:
        """Runs the compiled program; donated buffers never leave the lock."""
        inputs = [taken[i] for i in program.inputs]
        if not program.outputs:
            # The program is not awaited, and the caller may change the fed arrays meanwhile.
            inputs = [v.copy() if isinstance(v, np.ndarray) else v for v in inputs]
            self._wait_for_last()
        if not self._slots_updated and not self._slots_read:
            with uninterrupted():
                outcome = self._outcome(program, [], [], inputs)
            self._finish(program, outcome, values, pending)
            return
        # The old values are donated: a Ctrl-C must not lose the new ones.
        state = self.layout.state
        with state.lock, uninterrupted():
            if state.unpublished:
                state.settle(self._slots_updated, pending)
            kept, read = self._state(pending)
            if _missing(kept, read):
                # The first node that reads such a variable raises the error, if it runs.
                self.interpret(values, pending)
                return
            self._bring(kept, self._slots_kept, pending)
            self._bring(read, self._slots_read, pending)
            try:
                outcome = self._outcome(program, kept, read, inputs)
            except errors.OpError:
                self._forget_lost(pending)
                raise
            if outcome is not None:
                for index, value in zip(program.updated, outcome[1]):
                    pending[self.layout.slots[index]] = value
                self._publish(pending)
                if not program.outputs and outcome[1]:
                    self._unawaited = outcome[1][-1]
        self._finish(program, outcome, values, pending)

    def _outcome(
        self, program: Program, kept: list[Any], read: list[Any], inputs: list[Any]
    ) -> Any:
        """What a program returns (see `Program.run`)."""
        try:
            try:
                return program.run(kept, read, inputs)
            except TypeError:
                # The program was compiled for other shapes of the variables.
                if not self._compile_again(program, kept, read, inputs):
                    return None
                return program.run(kept, read, inputs)
        except (errors.ResourceExhaustedError, MemoryError, RuntimeError) as error:
            translated = error if isinstance(error, errors.OpError) else as_op_error(error)
            if translated is None:
                raise
            op = None
            if translated.error_code == errors.RESOURCE_EXHAUSTED:
                translated, op = program.error_of(translated, kept, read, inputs)
            raise translated if op is None else located(translated, op) from error

    def _compile_again(
        self, program: Program, kept: list[Any], read: list[Any], inputs: list[Any]
    ) -> bool:
        """Compiles a program for other shapes of the variables; tells whether it could."""
        try:
            program.compile(kept, read, inputs)
        except errors.ResourceExhaustedError:
            raise
        except (NeedsValue, errors.OpError):
            # This run is interpreted; the next one compiles anew and may split the segment.
            for key in [k for k, known in list(self._programs.items()) if known is program]:
                self._programs.pop(key, None)
            return False
        return True

    def _forget_lost(self, pending: dict[Slot, Any]) -> None:
        """Empties the slots of variables whose values were donated to a failed program."""
        for slot in self._slots_updated:
            if is_lost(pending.get(slot)):
                del pending[slot]
            if is_lost(slot.value):
                slot.lose()

    def _wait_for_last(self) -> None:
        """Waits for the last unawaited program: callers are at most one run ahead.

        Raises:
            OpError: if that run has failed.
        """
        last, self._unawaited = self._unawaited, None
        if last is None:
            return
        try:
            last.block_until_ready()
        except RuntimeError as error:
            translated = as_op_error(error)
            if translated is None or last.is_deleted():
                # Another thread has donated it to a program.
                return
            with self.layout.lock:
                self._forget_lost({})
            raise translated from error

    def _bring(self, values: list[Any], slots: list[Slot], pending: Pending) -> None:
        """Moves large variables that are still on the host to the device.

        So no variable exists twice while the program runs, and none is copied in every run.
        """
        for i, slot in enumerate(slots):
            if isinstance(values[i], np.ndarray) and values[i].nbytes >= _LARGE_BYTES:
                values[i] = jax.device_put(values[i], self.device)
                if slot in pending:
                    pending[slot] = values[i]
                else:
                    slot.value = values[i]

    def _finish(self, program: Program, outcome: Any, values: Values, pending: Pending) -> None:
        """Stores the results of a program."""
        if outcome is None:
            # A check has failed: interpreted, it raises its error.
            self.interpret(values, pending)
            return
        for index, value in zip(program.outputs, outcome[0]):
            values[index] = value
        for index in program.dead:
            values[index] = DEAD

    def _state(self, pending: Pending) -> tuple[list[Any], list[Any]]:
        """The values of the variables that a program takes."""
        if pending:
            kept = [pending.get(s, s.value) for s in self._slots_kept]
            read = [pending.get(s, s.value) for s in self._slots_read]
        else:
            kept = [s.value for s in self._slots_kept]
            read = [s.value for s in self._slots_read]
        return kept, read

    # Compiling

    def _is_next(self, key: Any) -> bool:
        """Whether the next run compiles a program if it has this key."""
        runs = self._policy.runs(key) + 1
        return self._policy.is_enough(runs, self._runs_needed(), len(self._programs))

    def _expect(self, key: Any, taken: Any) -> None:
        """Notes what the next run takes if it is like this one, and compiles a program then."""
        self._expected = None
        if self._is_next(key) and not any(getattr(taken[i], "weak_type", 0) for i in self.inputs):
            concrete = self.concrete
            self._expected = (
                key,
                {
                    i: np.array(on_host(taken[i])) if i in concrete else outline(taken[i])
                    for i in self.inputs
                },
            )

    def expected_program(self) -> Callable[[], None] | None:
        """What compiles the program that the next run is expected to need; None if none."""
        expected, self._expected = self._expected, None
        if expected is None or self.is_interpreted or self._was_small():
            return None
        key, taken = expected
        if key in self._programs or key in self._small_keys or not self._is_next(key):
            return None
        program, kept, read = self._begun(taken, {})
        if _missing(kept, read):
            return None
        kept, read = list(map(outline, kept)), list(map(outline, read))

        def compile_it() -> None:
            program.compile(kept, read, [taken[i] for i in program.inputs])
            self._programs[key] = program

        return compile_it

    def _compile(self, taken: Any, pending: Pending) -> Program:
        program, kept, read = self._begun(taken, pending)
        program.compile(kept, read, [taken[i] for i in program.inputs])
        return program

    def _begun(self, taken: Any, pending: Pending) -> tuple[Program, list[Any], list[Any]]:
        """A program that is not compiled yet, and the values of the variables that it takes."""
        known = dict(self.constants)
        known.update((i, on_host(taken[i])) for i in self.concrete)
        if self._device_constants is None:
            self._device_constants = [jax.device_put(known[i]) for i in self.large_constants]
        known.update((i, DEAD) for i in self.inputs if taken[i] is DEAD)
        with self.layout.lock:
            kept, read = self._state(pending)
        return Program(self, known, self._device_constants), kept, read

    def _split(self, need: NeedsValue, taken: Any) -> list[Any]:
        """Splits the segment so that a value is known when the op that needs it is compiled."""
        if need.node.record.runs_on is RunsOn.HOST_UNLESS_KNOWN:
            return self._split_at(need)
        inputs = {need.index} if need.index in self.inputs else deciding(self, need.index, taken)
        if inputs:
            self.concrete.update(inputs, deciding_on_others(self, taken))
            self._programs.clear()
            self._policy.start_again(initial=int(self._is_static))
            self._is_worth_it = True
            return [self]
        moved = producers(self, need.index)
        if moved is not None:
            for node in moved:
                node.host = True
            first, rest = [], [n for n in self.nodes if not n.host]
        else:
            position = self.nodes.index(need.node)
            first, rest = self.nodes[:position], self.nodes[position:]
        parts = [*self.part(first, True), *(moved or ()), *self.part(rest, True)]
        parts[-1].concrete.add(need.index)
        return parts

    def _split_at(self, need: NeedsValue) -> list[Any]:
        """Splits the segment so that the op that needs a value runs on the host."""
        node = need.node
        first, hosted = self.nodes[: self.nodes.index(node)], [node]
        moved = [] if need.index in self.inputs else producers(self, need.index)
        if moved is not None:
            ready = {*self.inputs, *self.constants, *(i for n in moved for i in n.outputs)}
            if ready.issuperset(node.inputs):
                # The nodes before it need no segment of their own.
                first, hosted = [], [*moved, node]
        for n in hosted:
            n.host = True
        rest = [n for n in self.nodes if not n.host and n not in first]
        return [*self.part(first, True), *hosted, *self.part(rest, True)]

    def part(self, nodes: list[Node], is_worth_it: bool = False) -> list[Segment]:
        """Some of the nodes as a segment; no segment if there are none."""
        if not nodes:
            return []
        # A run tells whether so few nodes are worth a program.
        part = Segment(self.layout, nodes, runs=int(len(nodes) > _FEW_NODES))
        part.concrete = {i for i in self.concrete if i in part.inputs}
        part._is_worth_it = is_worth_it
        return [part]


class Interpreted(Segment):
    """Nodes that are never compiled, because their shapes or values change from run to run."""

    is_interpreted = True

    def run(self, values: Values, pending: Pending) -> None:
        """Runs the nodes one by one."""
        if not trace.tracers or not self._run_traced(values, pending):
            self.interpret(values, pending)


def _elements(node: Node, values: Values) -> tuple[int, int]:
    """How many elements a node has computed, and how many as fast as a program would."""
    made = sum([getattr(values[i], "size", 0) for i in node.outputs])
    record = node.record
    if record.is_quick_on_host:
        return 0, made
    if record.quick_elements is None:
        return made, 0
    inputs = [values[i] for i in node.inputs]
    if any(value is DEAD for value in inputs):
        return made, 0
    quick = record.quick_elements(*inputs)
    return max(made, sum([getattr(value, "size", 0) for value in inputs]) - quick), quick


def _missing(kept: list[Any], read: list[Any]) -> bool:
    return any(v is None for v in kept) or any(v is None for v in read)
