"""A segment: a run of compilable nodes, which becomes one XLA program per shape of its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import errors
from headwater.base.backend_errors import as_op_error
from headwater.base.cancellation import uninterrupted
from headwater.base.dead import DEAD
from headwater.base.lazy import jax
from headwater.engine import trace
from headwater.engine.compiling.compile_policy import Demand
from headwater.engine.compiling.dynamic_shapes import Inputs, Probe
from headwater.engine.compiling.lowering import NeedsValue
from headwater.engine.compiling.program import Program
from headwater.engine.nodes.kernels import located, run_node
from headwater.engine.state import Slot, is_lost, on_host, value_of
from headwater.graph.shapes import is_static, number_of_elements

if TYPE_CHECKING:
    from headwater.engine.blocks.block import Block, Node, Schedule

# A constant with more elements is an argument of the program instead of a literal in it.
_LITERAL_ELEMENTS = 2048
# Interpreting so few ops on so few elements costs less than calling a compiled program.
_SMALL_NODES = 4
_SMALL_ELEMENTS = 256
# What has so many elements is not worked out on the host just because a program is to know it.
_LARGE = 1024
# Smaller variables may be there twice, on the host and on the device.
_LARGE_BYTES = 1 << 20
# A segment that cannot be parted is looked at so many times.
_MOST_PROBES = 4
# Shapes that come less often than once in so many runs are not worth a program.
_RARE = 32

Frame = list[Any]


class Segment:
    """Consecutive nodes that XLA can compile.

    Attributes:
        nodes: the nodes in order.
        inputs: frame indices of the values that come from feeds, host nodes and other segments.
        outputs: frame indices of the values that later steps or the fetches want.
        read: frame indices of variables that are only read.
        updated: frame indices of variables and hidden states that get new values.
        kept: those of `updated` whose old values are read too; the others may be uninitialized.
        concrete: those of `inputs` whose values are part of the key of a program.
        has_checks: whether programs have to look for values that are errors.
    """

    schedule: Schedule
    has_checks = True

    def __init__(self, block: Block, nodes: list[Node], runs: int = 0) -> None:
        self.block = block
        self.nodes = nodes
        self.concrete: set[int] = set()
        self.outputs: list[int] = []
        self.last = False
        self._programs: dict[Any, Program] = {}
        self._demand = Demand(block.jit_mode, _RARE, initial=runs)
        self._last_inputs: Inputs | None = None
        self._probes = 0
        self._unawaited: Any = None
        made: set[int] = set()
        inputs: dict[int, None] = {}
        touched: dict[int, None] = {}
        updated: dict[int, None] = {}
        constants: dict[int, None] = {}
        replaced: set[int] = set()
        for node in nodes:
            if node.record.allows_uninitialized and not block.conditional:
                replaced.update(i for i in node.updates if i not in touched)
            for index in node.reads:
                if index in block.slots:
                    if index not in replaced:
                        touched[index] = None
                elif block.template[index] is not None:
                    constants[index] = None
                elif index not in made:
                    inputs[index] = None
            made.update(node.outputs)
            updated.update((i, None) for i in node.updates)
            if node.cell is not None:
                updated[node.cell] = touched[node.cell] = None
        self.device = block.device_of(nodes[0].op)
        self.made = made
        self.inputs = list(inputs)
        self._steady = block.unsteady.keys().isdisjoint(inputs)
        self.updated = list(updated)
        self.read = [i for i in touched if i not in updated]
        self.constants = {i: block.template[i] for i in constants}
        self.large_constants = [
            i for i, value in self.constants.items() if value.size > _LITERAL_ELEMENTS
        ]
        self._device_constants: list[Any] | None = None
        self._small = len(nodes) <= _SMALL_NODES and all(
            is_static(t._shape) and (number_of_elements(t._shape) or 0) <= _SMALL_ELEMENTS
            for n in nodes
            for t in (*n.op._inputs, *n.op._outputs)
        )
        self.kept = [i for i in self.updated if i in touched]
        self._slots_updated = [block.slots[i] for i in self.updated]
        self._slots_kept = [block.slots[i] for i in self.kept]
        self._slots_read = [block.slots[i] for i in self.read]
        self._replaced = [(i, block.slots[i]) for i in self.updated if i not in touched]

    def __str__(self) -> str:
        return f"<segment of {len(self.nodes)} nodes: {', '.join(n.op.type for n in self.nodes)}>"

    def set_boundary(self, wanted: set[int], last: bool) -> None:
        """Sets what later steps want, and whether nothing after this segment can fail."""
        self.outputs = [i for i in self.made if i in wanted]
        self.last = last

    # Running

    def run(self, frame: Frame, pending: dict[Slot, Any]) -> None:
        """Runs the segment on a frame; new values of variables go to their slots.

        Args:
            frame: the values of this run.
            pending: new values of slots that are published when the whole run has succeeded.
        """
        if trace.tracers and trace.took_over(self, frame, pending):
            return
        if self._small and self.block.jit_mode == "auto":
            self.interpret(frame, pending)
            return
        taken = self._taken(frame)
        key = self._key(taken)
        runs = self._demand.note(key)
        program = self._programs.get(key)
        if program is None:
            wanted = self._demand.is_enough(runs, self.block.compile_after, len(self._programs))
            if not wanted or _missing(*self._state(pending)):
                if self._probes == _MOST_PROBES or (self._steady and not self.concrete):
                    self.interpret(frame, pending)
                else:
                    self._interpret_unsteady(frame, pending)
                return
            try:
                with uninterrupted():
                    program = self._programs[key] = self._compile(taken, pending)
            except NeedsValue as need:
                steps = self._split(need)
                self.schedule.replace(self, steps)
                for step in steps:
                    step.run(frame, pending)
                return
            except errors.OpError:
                # A check on known values has failed: interpreted, it finds all values of its text.
                self.interpret(frame, pending)
                raise
        self._execute(program, taken, frame, pending)

    def _taken(self, frame: Frame) -> Any:
        """The inputs as programs take them, by frame index."""
        return frame

    def _key(self, taken: Any) -> Any:
        shapes = tuple([taken[i].shape for i in self.inputs])
        if not self.concrete:
            return shapes
        concrete = tuple(on_host(taken[i]).tobytes() for i in sorted(self.concrete))
        return shapes, concrete

    def _interpret_unsteady(self, frame: Frame, pending: dict[Slot, Any]) -> None:
        """Runs the nodes; moves those to the host that would want a program for every run."""
        before, now = self._last_inputs, Inputs(self, frame)
        self._last_inputs = now
        changes = {} if before is None else now.changed_from(before)
        if not changes:
            self.interpret(frame, pending)
            return
        self._probes += 1
        probe = Probe(self, changes)
        self.interpret(frame, pending, probe)
        hosted = probe.unsteady()
        if hosted:
            self.schedule.move_to_host(self, hosted)

    def interpret(self, frame: Frame, pending: dict[Slot, Any], probe: Probe | None = None) -> None:
        """Runs the nodes one by one with NumPy."""
        if not self._slots_updated and not self._slots_read:
            self._run_nodes(frame, probe)
            return
        feeds = [frame[i] for i in self.block.feeds]
        with self.block.lock:
            for index, slot in (
                *zip(self.kept, self._slots_kept),
                *zip(self.read, self._slots_read),
            ):
                frame[index] = value_of(slot, pending)
            for index, slot in self._replaced:
                frame[index] = None if is_lost(value := pending.get(slot, slot.value)) else value
            before = [frame[i] for i in self.updated]
            self._run_nodes(frame, probe)
            with uninterrupted():
                for index, slot, old in zip(self.updated, self._slots_updated, before):
                    if frame[index] is not old:
                        pending[slot] = unaliased(frame[index], feeds)
                self._publish(pending)

    def _run_nodes(self, frame: Frame, probe: Probe | None) -> None:
        with np.errstate(all="ignore"):
            for node in self.nodes:
                run_node(node, frame)
                if probe is not None:
                    probe.note(node, frame)
                for index in node.released:
                    frame[index] = None

    def _publish(self, pending: dict[Slot, Any]) -> None:
        """Puts new values into their slots if nothing that follows can fail.

        Programs may have taken over the buffers of the old ones: no other thread may see those.
        """
        if self.last:
            for slot, value in pending.items():
                slot.value = value
            pending.clear()

    def _execute(
        self, program: Program, taken: Any, frame: Frame, pending: dict[Slot, Any]
    ) -> None:
        """Runs the compiled program; donated buffers never leave the lock."""
        inputs = [taken[i] for i in program.inputs]
        if not program.outputs:
            # Nobody waits for the program, and the caller is free to change what it has fed.
            inputs = [v.copy() if isinstance(v, np.ndarray) else v for v in inputs]
            self._wait_for_last()
        if not self._slots_updated and not self._slots_read:
            with uninterrupted():
                outcome = self._outcome(program, [], [], inputs)
            self._finish(program, outcome, frame, pending)
            return
        # A program takes the old values over: a Ctrl-C must not lose the new ones.
        with self.block.lock, uninterrupted():
            kept, read = self._state(pending)
            if _missing(kept, read):
                # The error of the first node that reads such a variable, if one runs.
                self.interpret(frame, pending)
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
                    pending[self.block.slots[index]] = value
                self._publish(pending)
                if not program.outputs and outcome[1]:
                    self._unawaited = outcome[1][-1]
        self._finish(program, outcome, frame, pending)

    def _outcome(
        self, program: Program, kept: list[Any], read: list[Any], inputs: list[Any]
    ) -> Any:
        """What a program returns (see `Program.run`)."""
        try:
            try:
                return program.run(kept, read, inputs)
            except TypeError:
                # The program is for other shapes of variables than they have now.
                program.compile(kept, read, inputs)
                return program.run(kept, read, inputs)
        except (errors.ResourceExhaustedError, MemoryError, RuntimeError) as error:
            translated = error if isinstance(error, errors.OpError) else as_op_error(error)
            if translated is None:
                raise
            op = None
            if translated.error_code == errors.RESOURCE_EXHAUSTED:
                translated, op = program.error_of(translated, kept, read, inputs)
            raise translated if op is None else located(translated, op) from error

    def _forget_lost(self, pending: dict[Slot, Any]) -> None:
        """Empties the slots of variables whose values a failed program has taken over."""
        for slot in self._slots_updated:
            if is_lost(pending.get(slot)):
                del pending[slot]
            if is_lost(slot.value):
                slot.lose()

    def _wait_for_last(self) -> None:
        """Waits for the last run that nobody waits for: callers are never more than one ahead.

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
                # Another thread has handed it to a program.
                return
            with self.block.lock:
                self._forget_lost({})
            raise translated from error

    def _bring(self, values: list[Any], slots: list[Slot], pending: dict[Slot, Any]) -> None:
        """Puts device arrays in the place of large variables that are still on the host.

        So no variable is there twice while the program runs, and none is copied in every run.
        """
        for i, slot in enumerate(slots):
            if isinstance(values[i], np.ndarray) and values[i].nbytes >= _LARGE_BYTES:
                values[i] = jax.device_put(values[i], self.device)
                if slot in pending:
                    pending[slot] = values[i]
                else:
                    slot.value = values[i]

    def _finish(
        self, program: Program, outcome: Any, frame: Frame, pending: dict[Slot, Any]
    ) -> None:
        """Puts the results of a program into the frame."""
        if outcome is None:
            # A check has failed: run again where errors have texts.
            self.interpret(frame, pending)
            return
        for index, value in zip(program.outputs, outcome[0]):
            frame[index] = value
        for index in program.dead:
            frame[index] = DEAD

    def _state(self, pending: dict[Slot, Any]) -> tuple[list[Any], list[Any]]:
        """The values of the variables that a program takes."""
        if pending:
            kept = [pending.get(s, s.value) for s in self._slots_kept]
            read = [pending.get(s, s.value) for s in self._slots_read]
        else:
            kept = [s.value for s in self._slots_kept]
            read = [s.value for s in self._slots_read]
        return kept, read

    # Compiling

    def _compile(self, taken: Any, pending: dict[Slot, Any]) -> Program:
        known = dict(self.constants)
        known.update((i, on_host(taken[i])) for i in self.concrete)
        if self._device_constants is None:
            self._device_constants = [jax.device_put(known[i]) for i in self.large_constants]
        known.update((i, DEAD) for i in self.inputs if taken[i] is DEAD)
        with self.block.lock:
            kept, read = self._state(pending)
        program = Program(self, known, self._device_constants)
        program.compile(kept, read, [taken[i] for i in program.inputs])
        return program

    def _split(self, need: NeedsValue) -> list[Any]:
        """Cuts the segment so that a value is known when the op that needs it is compiled."""
        if need.node.record.host_unless_known:
            return self._split_at(need)
        if need.index in self.inputs:
            self.concrete.add(need.index)
            self._programs.clear()
            self._demand.start_again(initial=1)
            return [self]
        moved = self._producers(need.index)
        if moved is not None:
            for node in moved:
                node.host = True
            first, rest = [], [n for n in self.nodes if not n.host]
        else:
            position = self.nodes.index(need.node)
            first, rest = self.nodes[:position], self.nodes[position:]
        parts = [*self.part(first), *(moved or ()), *self.part(rest)]
        parts[-1].concrete.add(need.index)
        return parts

    def _split_at(self, need: NeedsValue) -> list[Any]:
        """Cuts the segment so that the op that needs a value runs on the host."""
        node = need.node
        first, hosted = self.nodes[: self.nodes.index(node)], [node]
        moved = [] if need.index in self.inputs else self._producers(need.index)
        if moved is not None:
            ready = {*self.inputs, *self.constants, *(i for n in moved for i in n.outputs)}
            if ready.issuperset(node.inputs):
                # Nothing that comes before is worth a program of its own.
                first, hosted = [], [*moved, node]
        for n in hosted:
            n.host = True
        rest = [n for n in self.nodes if not n.host and n not in first]
        return [*self.part(first), *hosted, *self.part(rest)]

    def part(self, nodes: list[Node]) -> list[Segment]:
        """Some of the nodes as a segment; no segment if there are none."""
        if not nodes:
            return []
        part = Segment(self.block, nodes, runs=1)
        part.concrete = {i for i in self.concrete if i in part.inputs}
        return [part]

    def _producers(self, index: int) -> list[Node] | None:
        """The few nodes that a value depends on; None if it takes more than a little arithmetic.

        State and chance are more, and so are values that are not known to be small.
        """
        wanted = {index}
        found: list[Node] = []
        for node in reversed(self.nodes):
            if wanted.isdisjoint(node.outputs):
                continue
            if node.updates or node.cell is not None or node.record.stateful:
                return None
            if any(i in self.block.slots for i in node.inputs) or not _is_little_work(node):
                return None
            wanted.update(node.reads)
            found.append(node)
        return found[::-1]


def _is_little_work(node: Node) -> bool:
    """Whether NumPy does the node's work in no time."""
    if node.record.heavy:
        return False
    sizes = [number_of_elements(t._shape) for t in node.op._outputs if t._dtype.is_floating]
    return all(size is not None and size < _LARGE for size in sizes)


def _missing(kept: list[Any], read: list[Any]) -> bool:
    return any(v is None for v in kept) or any(v is None for v in read)


def unaliased(value: Any, sources: list[Any]) -> Any:
    """A value that shares no memory with arrays that may change later."""
    if isinstance(value, np.ndarray) and any(
        isinstance(source, np.ndarray) and np.may_share_memory(value, source) for source in sources
    ):
        return value.copy()
    return value
