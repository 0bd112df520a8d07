"""Runs with several ops that may have to wait: while one waits, the others go on.

Steps run in the order of the schedule. One that has to wait is left out, and so is everything that
depends on it, until what it waits for has happened. So a run may fill a queue and empty it.

The ops of queues say that they have to wait. What calls Python functions cannot say so: it runs in
a thread of its own, and once it has taken some time the run goes on without it.
"""

from __future__ import annotations

import contextvars
import functools
import threading
import time
from collections.abc import Iterable
from typing import Any

from headwater.base import cancellation, errors, workers
from headwater.base.waiting import Waiting, wait_for_any
from headwater.engine import trace
from headwater.engine.analysis.waits import Waits
from headwater.engine.blocks.block import Node, Pending, Schedule, Values
from headwater.engine.compiling.segment import Segment
from headwater.engine.nodes.blocking import run_or_defer
from headwater.engine.nodes.kernels import located, store
from headwater.graph import Operation

# Python functions that take less time (in seconds) run one after the other: they keep their order.
_GRACE = 0.02


def run_steps(schedule: Schedule, frame: Values, pending: Pending) -> None:
    """Runs the steps of a schedule in which some may have to wait for each other."""
    run = _Run(schedule, frame, pending)
    try:
        run.go()
    except BaseException:
        run.give_up()
        raise


class _Run:
    """One run: what waits, and what is held back because of that."""

    def __init__(self, schedule: Schedule, frame: Values, pending: Pending) -> None:
        assert schedule.waits is not None
        self._waits: Waits = schedule.waits
        self._steps = schedule.steps
        self._frame = frame
        self._pending = pending
        self._waiting: dict[Any, Waiting] = {}
        self._begun: dict[Any, int] = {}
        self._threads: cancellation.Cancellation | None = None
        # The ops that depend on those that wait, or on steps that are held back.
        self._blocked: set[Operation] = set()
        # The variables that steps use which are held back or run in threads, and those of them
        # that they update.
        self._used: set[int] = set()
        self._updated: set[int] = set()
        # The values that steps which are held back will read: others may release them.
        self._kept: dict[Any, dict[int, Any]] = {}

    def go(self) -> None:
        """Runs all steps."""
        held = self._run(self._steps)
        while self._waiting:
            wait_for_any(list(self._waiting.values()))
            for step in [s for s, work in self._waiting.items() if work.done]:
                self._end(step, self._waiting.pop(step))
            held = self._run(held)

    def give_up(self) -> None:
        """Stops what still waits."""
        if self._threads is not None:
            self._threads.cancel()
        for work in self._waiting.values():
            work.withdraw()

    def _run(self, steps: Iterable[Any]) -> list[Any]:
        """Runs steps; returns those that have to wait."""
        held: list[Any] = []
        self._blocked.clear()
        self._used.clear()
        self._updated.clear()
        for step, work in self._waiting.items():
            self._note_waiting(step, work)
        for step in steps:
            if self._waiting and self._is_held(step):
                self._hold(step)
                held.append(step)
                continue
            self._restore(step)
            cancellation.check_time()
            if not isinstance(step, Segment) and self._waits.contends(step.members):
                self._begin(step)
            else:
                start = time.perf_counter_ns() if trace.tracers else 0
                step.run(self._frame, self._pending)
                if start and not isinstance(step, (Node, Segment)):
                    trace.note_loop(step, start)
        return held

    # What is held back

    def _is_held(self, step: Any) -> bool:
        ops = _ops(step)
        if not self._blocked.isdisjoint(ops):
            return True
        used, updated = _slots(step)
        if self._updated.isdisjoint(used) and self._used.isdisjoint(updated):
            return False
        # It keeps its place among the uses of the variable, unless somebody waits for it.
        return not self._waits.leads(ops)

    def _hold(self, step: Any) -> None:
        # One op of a segment that has to wait holds the others back, and what depends on them.
        self._waits.add_dependents(_ops(step), self._blocked)
        self._note_slots(step)
        kept = self._kept.setdefault(step, {})
        for index in step.inputs if isinstance(step, Segment) else step.reads:
            if self._frame[index] is not None:
                kept[index] = self._frame[index]

    def _note_slots(self, step: Any) -> None:
        used, updated = _slots(step)
        self._used.update(used)
        self._updated.update(updated)

    def _restore(self, step: Any) -> None:
        for index, value in self._kept.pop(step, {}).items():
            if self._frame[index] is None:
                self._frame[index] = value

    # What waits

    def _begin(self, step: Any) -> None:
        """Starts a step that may have to wait."""
        if isinstance(step, Node) and step.record.exchanges:
            self._begun[step] = time.perf_counter_ns()
            work = run_or_defer(step, self._frame, self._pending)
            if work is None:
                return
        else:
            work = self._start(step)
            if work.done:
                self._end(step, work)
                return
        self._waiting[step] = work
        self._note_waiting(step, work)

    def _note_waiting(self, step: Any, work: Waiting) -> None:
        self._waits.add_dependents(step.members, self._blocked)
        if isinstance(work, _Threaded):
            # Others have read what they take before they wait.
            self._note_slots(step)

    def _start(self, step: Any) -> _Threaded:
        """Runs a step in a thread; waits for it a moment."""
        if self._threads is None:
            self._threads = cancellation.Cancellation(parent=cancellation.current())
        if self._pending and any(op._record.exchanges for op in step.members):
            # In a loop; others see what the run has assigned before such an op.
            step.publish(self._pending)
        work = _Threaded(step, self._frame, self._pending, self._threads)
        work.wait_a_moment()
        return work

    def _end(self, step: Any, work: Waiting) -> None:
        """Takes the results of a step that does not wait any more."""
        if isinstance(work, _Threaded):
            work.take(self._frame, self._pending)
            return
        try:
            store(step, work.result(), self._frame)
        except errors.OpError as error:
            raise located(error, step.op) from None
        step.note_alive(self._frame)
        if trace.tracers:
            trace.note_node(step, self._frame, self._begun[step])


class _Threaded(Waiting):
    """A step that runs in a thread of its own.

    Args:
        step: a node or a loop.
        frame: the values of the run; the thread has a copy of them.
        pending: new values of variables; the thread has a copy of them.
        stop: what cancels it.
    """

    def __init__(
        self, step: Any, frame: Values, pending: Pending, stop: cancellation.Cancellation
    ) -> None:
        super().__init__("Run call was cancelled")
        self._step = step
        self._frame = frame.copy()
        self._before = pending.copy()
        self._pending = pending.copy()
        self._stop = stop
        self._tracer = trace.tracers.get(threading.get_ident())
        # Released at the end.
        self._running = threading.Lock()
        self._running.acquire()
        workers.start(functools.partial(contextvars.copy_context().run, self._run))

    def wait_a_moment(self) -> None:
        """Waits for the end, but not for long."""
        self._running.acquire(timeout=_GRACE)

    def _run(self) -> None:
        cancellation.enter(self._stop)
        ident = threading.get_ident()
        if self._tracer is not None:
            trace.tracers[ident] = self._tracer
        try:
            start = time.perf_counter_ns()
            self._step.run(self._frame, self._pending)
            if not isinstance(self._step, Node):
                trace.note_loop(self._step, start)
        except BaseException as error:
            # Whatever ends a Python function ends the run that called it.
            self.fail(error)
        else:
            self.finish()
        finally:
            trace.tracers.pop(ident, None)
            cancellation.enter(None)
            self._running.release()

    def take(self, frame: Values, pending: Pending) -> None:
        """Puts the results where the rest of the run finds them.

        Raises:
            BaseException: what the step has raised.
        """
        self.result()
        for index in self._step.outputs:
            frame[index] = self._frame[index]
        if isinstance(self._step, Node):
            for _, index in self._step.alive:
                frame[index] = self._frame[index]
        for slot, value in self._pending.items():
            if value is not self._before.get(slot):
                pending[slot] = value


def _ops(step: Any) -> Iterable[Operation]:
    return [n.op for n in step.nodes] if isinstance(step, Segment) else step.members


def _slots(step: Any) -> tuple[set[int], list[int]]:
    """The indices of the variables that a step uses, and of those that it updates."""
    if isinstance(step, Segment):
        return {*step.read, *step.updated}, step.updated
    if isinstance(step, Node):
        return {*step.slots_read, *step.updates}, step.updates
    return set(step.slots_outside.values()), step.updates
