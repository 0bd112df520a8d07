"""Deferral: while a blocking op waits, the other steps of its run go on.

Steps run in the order of the schedule. A step that has to wait is skipped until it can go on, and
so is everything that depends on it. So a run may fill a queue and empty it.

Blocking ops of queues say that they have to wait. Ops that call Python functions cannot: they run
in threads, and after a short time the run goes on without them. The last one runs in the thread of
the caller if all the others have ended.
"""

from __future__ import annotations

import contextvars
import functools
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from headwater.base import cancellation, errors, rendezvous, workers
from headwater.base.waiting import Waiting, advanced, wait_for_all, wait_for_any
from headwater.engine import trace
from headwater.engine.analysis.waits import Waits
from headwater.engine.blocks.schedule import Schedule
from headwater.engine.compiling.segment import Segment
from headwater.engine.nodes.blocking import run_or_defer
from headwater.engine.nodes.kernels import located
from headwater.engine.nodes.layout import Values
from headwater.engine.nodes.node import Node, store
from headwater.engine.state import Pending
from headwater.graph import Operation

# Python functions that take less time, in seconds, run one after the other and keep their order.
_GRACE = 0.02


def run_steps(schedule: Schedule, values: Values, pending: Pending) -> None:
    """Runs the steps of a schedule; if one has to wait, the others go on."""
    if schedule.waits is not None:
        run_deferring(schedule, values, pending)
        return
    for step in schedule.joined:
        step.run(values, pending)


def run_deferring(schedule: Schedule, values: Values, pending: Pending) -> None:
    """Runs the steps of a schedule in which some may have to wait for each other."""
    stopped = _run_until_wait(schedule, values, pending)
    if stopped is None:
        return
    run = _Run(schedule, values, pending, stopped.ended)
    try:
        run.go(stopped)
    except BaseException:
        run.give_up()
        raise


class _Stopped(NamedTuple):
    """Where a run has stopped because a step has to wait, or may have to.

    Attributes:
        steps: that step and those after it.
        ended: the number of contending steps that have ended.
        work: what the step waits for; None if it has not begun.
        begun: when it has begun, as `time.perf_counter_ns` says.
    """

    steps: Sequence[Any]
    ended: int
    work: Waiting | None = None
    begun: int = 0


def _run_until_wait(schedule: Schedule, values: Values, pending: Pending) -> _Stopped | None:
    """Runs steps one after the other, up to one that has to wait; returns None if none has to."""
    steps, contending = schedule.steps, schedule.contending
    current = cancellation.current()
    is_limited = current is not None and current.is_limited
    ended = position = 0
    while position < len(steps):
        step = steps[position]
        if is_limited:
            cancellation.check_time()
        if step not in contending:
            _run_here(step, values, pending)
            position += 1
            continue
        if not _can_say(step):
            return _Stopped(steps[position:], ended)
        begun = time.perf_counter_ns() if trace.tracers else 0
        work = run_or_defer(step, values, pending)
        count = 1
        if work is not None:
            count = _count_awaited(schedule, position)
            if not count:
                return _Stopped(steps[position:], ended, work, begun)
            _wait_together(steps[position : position + count], work, begun, values, pending)
        position += count
        ended += count
    return None


def _count_awaited(schedule: Schedule, position: int) -> int:
    """How many steps from a position on may be waited for together.

    They are steps that say that they have to wait, and everything after them depends on each of
    them, so nothing could run meanwhile.
    """
    key = "awaited", position
    found: int | None = schedule.facts.get(key)
    if found is None:
        assert schedule.waits is not None
        steps = schedule.steps[position:]
        dependents: list[frozenset[Operation]] = []
        for step in steps:
            ops = frozenset(_ops(step))
            can_wait = step in schedule.contending and _can_say(step)
            if not can_wait or any(not known.isdisjoint(ops) for known in dependents):
                break
            dependents.append(schedule.waits.dependents(ops))
        later = [frozenset(_ops(step)) for step in steps[len(dependents) :]]
        free = any(known.isdisjoint(ops) for known in dependents for ops in later)
        found = schedule.facts[key] = 0 if free else len(dependents)
    return found


def _wait_together(
    steps: Sequence[Any], first: Waiting, begun: int, values: Values, pending: Pending
) -> None:
    """Ends some steps that everything after them waits for.

    Args:
        steps: the steps.
        first: what the first one waits for.
        begun: when that has begun.
        values: the values of the run.
        pending: new values of variables.
    """
    waiting = [(steps[0], first, begun)]
    try:
        for step in steps[1:]:
            begun = time.perf_counter_ns() if trace.tracers else 0
            work = run_or_defer(step, values, pending)
            if work is not None:
                waiting.append((step, work, begun))
        rendezvous.flush()
        while waiting:
            wait_for_all([work for _, work, _ in waiting])
            waiting = _stored(waiting, values)
    except BaseException:
        for _, work, _ in waiting:
            work.withdraw()
        raise


def _stored(
    waiting: list[tuple[Any, Waiting, int]], values: Values
) -> list[tuple[Any, Waiting, int]]:
    """Stores the results of steps that have ended, and returns the others."""
    left = []
    for step, work, begun in sorted(waiting, key=lambda found: not found[1].has_failed):
        try:
            results = advanced(work)
        except errors.OpError as error:
            raise located(error, step.op) from None
        if isinstance(results, Waiting):
            left.append((step, results, begun))
        else:
            _store(step, results, begun, values)
    return left


def _store(step: Any, results: Any, begun: int, values: Values) -> None:
    """Stores the results of a step that has waited."""
    store(step, results, values)
    step.note_alive(values)
    if trace.tracers:
        trace.note_op(step.op, begun, [values[i] for i in step.outputs or step.updates])


def _run_here(step: Any, values: Values, pending: Pending) -> None:
    """Runs a step in the thread of the caller."""
    start = time.perf_counter_ns() if trace.tracers else 0
    if not isinstance(step, Node):
        rendezvous.flush()
    step.run(values, pending)
    if start and not isinstance(step, (Node, Segment)):
        trace.note_loop(step, start)


def _can_say(step: Any) -> bool:
    """Whether a contending step says that it has to wait, instead of waiting."""
    return isinstance(step, Node) and step.record.exchanges


class _Facts:
    """What decides whether a step can run while others wait.

    Args:
        step: the step.
        waits: the contending items of its block.

    Attributes:
        ops: its ops.
        dependents: the ops that depend on it.
        used: the indices of the variables that it uses.
        updated: the indices of those that it updates.
        leads: whether a contending step depends on it.
    """

    def __init__(self, step: Any, waits: Waits) -> None:
        self.ops = frozenset(_ops(step))
        self.dependents = waits.dependents(self.ops)
        self.used, self.updated = _slots(step)
        self.leads = waits.leads(self.ops)


class _Run:
    """The rest of a run: the waiting steps, and the steps that they block.

    Args:
        schedule: the schedule.
        values: the values of the run.
        pending: new values of variables.
        ended: the number of contending steps that have ended.
    """

    def __init__(self, schedule: Schedule, values: Values, pending: Pending, ended: int) -> None:
        assert schedule.waits is not None
        self._waits: Waits = schedule.waits
        self._facts_by_step: dict[Any, _Facts] = schedule.facts
        self._contending = schedule.contending
        self._values = values
        self._pending = pending
        self._waiting: dict[Any, Waiting] = {}
        self._begun: dict[Any, int] = {}
        # The number of contending steps that have not ended.
        self._unfinished = len(self._waits.contending) - ended
        self._threads: cancellation.Cancellation | None = None
        # The ops that depend on waiting or blocked steps.
        self._blocked: set[Operation] = set()
        # The variables that blocked steps and steps in threads use, and those that they update.
        self._used: set[int] = set()
        self._updated: set[int] = set()
        # The values that blocked steps will read: other steps may release them.
        self._kept: dict[Any, dict[int, Any]] = {}

    def go(self, stopped: _Stopped) -> None:
        """Runs the steps that have not ended."""
        steps = stopped.steps
        if stopped.work is not None:
            self._waiting[steps[0]] = stopped.work
            self._begun[steps[0]] = stopped.begun
            steps = steps[1:]
        held = self._run(steps)
        while self._waiting:
            rendezvous.flush()
            wait_for_any(list(self._waiting.values()))
            for step in [s for s, work in self._waiting.items() if work.done]:
                self._end(step, self._waiting.pop(step))
            held = self._run(held)

    def give_up(self) -> None:
        """Cancels the waiting steps."""
        if self._threads is not None:
            self._threads.cancel()
        for work in self._waiting.values():
            work.withdraw()

    def _run(self, steps: Iterable[Any]) -> list[Any]:
        """Runs steps; returns the blocked ones."""
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
            if step in self._contending:
                self._begin(step)
            else:
                _run_here(step, self._values, self._pending)
        return held

    # Blocked steps

    def _facts(self, step: Any) -> _Facts:
        facts = self._facts_by_step.get(step)
        if facts is None:
            facts = self._facts_by_step[step] = _Facts(step, self._waits)
        return facts

    def _is_held(self, step: Any) -> bool:
        facts = self._facts(step)
        if not self._blocked.isdisjoint(facts.ops):
            return True
        if self._updated.isdisjoint(facts.used) and self._used.isdisjoint(facts.updated):
            return False
        # Uses of a variable keep their order, unless a contending step depends on this one.
        return not facts.leads

    def _hold(self, step: Any) -> None:
        # A blocked op blocks the other ops of its segment, and all that depend on them.
        self._blocked |= self._facts(step).dependents
        self._note_slots(step)
        kept = self._kept.setdefault(step, {})
        for index in step.inputs if isinstance(step, Segment) else step.reads:
            if self._values[index] is not None:
                kept[index] = self._values[index]

    def _note_slots(self, step: Any) -> None:
        facts = self._facts(step)
        self._used.update(facts.used)
        self._updated.update(facts.updated)

    def _restore(self, step: Any) -> None:
        for index, value in self._kept.pop(step, {}).items():
            if self._values[index] is None:
                self._values[index] = value

    # Waiting steps

    def _begin(self, step: Any) -> None:
        """Starts a step that may have to wait."""
        if _can_say(step):
            self._begun[step] = time.perf_counter_ns()
            work = run_or_defer(step, self._values, self._pending)
            if work is None:
                self._unfinished -= 1
                return
        elif self._unfinished == 1:
            # Nothing is left that it could have to wait for.
            _run_here(step, self._values, self._pending)
            self._unfinished = 0
            return
        else:
            work = self._start(step)
            if work.done:
                self._end(step, work)
                return
        self._waiting[step] = work
        self._note_waiting(step, work)

    def _note_waiting(self, step: Any, work: Waiting) -> None:
        self._blocked |= self._facts(step).dependents
        if isinstance(work, _Threaded):
            # Blocking ops read their inputs before they wait.
            self._note_slots(step)

    def _start(self, step: Any) -> _Threaded:
        """Runs a step in a thread and waits for it a short time."""
        if self._threads is None:
            self._threads = cancellation.Cancellation(parent=cancellation.current())
        if self._pending and any(op._record.exchanges for op in step.members):
            # A loop with a blocking op: what the run has assigned is published before.
            step.layout.publish(self._pending)
        rendezvous.flush()
        work = _Threaded(step, self._values, self._pending, self._threads)
        work.wait_a_moment()
        return work

    def _end(self, step: Any, work: Waiting) -> None:
        """Stores the results of a step that has finished waiting, unless it waits again."""
        if isinstance(work, _Threaded):
            self._unfinished -= 1
            work.take(self._values, self._pending)
            return
        try:
            results = advanced(work)
            if isinstance(results, Waiting):
                self._waiting[step] = results
                return
            self._unfinished -= 1
        except errors.OpError as error:
            raise located(error, step.op) from None
        _store(step, results, self._begun[step], self._values)


class _Threaded(Waiting):
    """A step that runs in a thread of its own.

    Args:
        step: a node or a loop.
        values: the values of the run; the thread has a copy of them.
        pending: new values of variables; the thread has a copy of them.
        stop: cancels it.
    """

    def __init__(
        self, step: Any, values: Values, pending: Pending, stop: cancellation.Cancellation
    ) -> None:
        super().__init__("Run call was cancelled")
        self._step = step
        self._values = values.copy()
        self._before = pending.copy()
        self._pending = pending.copy()
        self._stop = stop
        self._tracer = trace.of_this_thread()
        # Released at the end.
        self._running = threading.Lock()
        self._running.acquire()
        workers.start(functools.partial(contextvars.copy_context().run, self._run))

    def wait_a_moment(self) -> None:
        """Waits for the end, for a short time."""
        self._running.acquire(timeout=_GRACE)

    def _run(self) -> None:
        cancellation.enter(self._stop)
        ident = threading.get_ident()
        if self._tracer is not None:
            trace.tracers[ident] = self._tracer
        try:
            start = time.perf_counter_ns()
            self._step.run(self._values, self._pending)
            if not isinstance(self._step, Node):
                trace.note_loop(self._step, start)
        except BaseException as error:
            # Whatever ends a Python function ends the run that called it.
            self._step.layout.state.drop(self._pending)
            self.fail(error)
        else:
            self.finish()
        finally:
            trace.tracers.pop(ident, None)
            cancellation.enter(None)
            self._running.release()

    def take(self, values: Values, pending: Pending) -> None:
        """Stores the results in the values of the run.

        Raises:
            BaseException: the error of the step.
        """
        self.result()
        for index in self._step.outputs:
            values[index] = self._values[index]
        if isinstance(self._step, Node):
            for _, index in self._step.alive:
                values[index] = self._values[index]
        state = self._step.layout.state
        with state.lock:
            for slot, value in self._pending.items():
                if value is not self._before.get(slot):
                    pending[slot] = value
            state.drop(self._pending)
            state.hold(pending)


def _ops(step: Any) -> Iterable[Operation]:
    if isinstance(step, Segment):
        return [op for node in step.nodes for op in node.members]
    members: Iterable[Operation] = step.members
    return members


def _slots(step: Any) -> tuple[set[int], list[int]]:
    """The indices of the variables that a step uses, and of those that it updates."""
    if isinstance(step, Segment):
        return {*step.read, *step.updated}, step.updated
    if isinstance(step, Node):
        return {*step.slots_read, *step.updates}, step.updates
    return set(step.slots_outside.values()), step.updates
