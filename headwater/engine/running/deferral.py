"""Deferral: while a blocking op waits, the other steps of its run go on.

Steps run in the order of the plan. A step that has to wait is skipped until it can go on, and so is
everything that depends on it. So a run may fill a queue and empty it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from headwater.base import cancellation, errors
from headwater.base.waiting import Waiting, wait_for_any
from headwater.engine import trace
from headwater.engine.analysis.ordering import needed_ops
from headwater.engine.compiling.segment import Segment
from headwater.engine.loops.loop import Loop
from headwater.engine.nodes.blocking import run_or_defer
from headwater.engine.nodes.kernels import located
from headwater.engine.nodes.layout import Values
from headwater.engine.nodes.node import Node, store
from headwater.engine.running.plan import Plan
from headwater.engine.state import Pending
from headwater.graph import Operation


def run_steps(plan: Plan, values: Values, pending: Pending) -> None:
    """Runs the steps of a plan with blocking ops."""
    run = _Run(plan, values, pending)
    try:
        run.go()
    except BaseException:
        for work in run.waiting.values():
            work.withdraw()
        raise


class _Run:
    """One run: the waiting ops, and the steps that they block."""

    def __init__(self, plan: Plan, values: Values, pending: Pending) -> None:
        self._plan = plan
        self._values = values
        self._pending = pending
        self.waiting: dict[Node, Waiting] = {}
        self._blocked: set[Operation] = set()
        # The values that blocked steps will read: other steps may release them.
        self._kept: dict[Any, Values] = {}

    def go(self) -> None:
        """Runs all steps."""
        held = self._run(self._plan.schedule.steps)
        while self.waiting:
            wait_for_any(list(self.waiting.values()))
            for node in [n for n, work in self.waiting.items() if work.done]:
                work = self.waiting.pop(node)
                try:
                    store(node, work.result(), self._values)
                except errors.OpError as error:
                    raise located(error, node.op) from None
            self._blocked = dependents(self._plan, [node.op for node in self.waiting])
            held = self._run(held)

    def _run(self, steps: Iterable[Any]) -> list[Any]:
        """Runs steps; returns the blocked ones."""
        held: list[Any] = []
        for step in steps:
            if self._blocked and not self._blocked.isdisjoint(_ops(step)):
                held.append(step)
                if step not in self._kept:
                    self._kept[step] = [self._values[i] for i in _reads(step)]
                continue
            self._restore(step)
            cancellation.check_time()
            if isinstance(step, Node) and step.record.exchanges:
                work = run_or_defer(step, self._values, self._pending)
                if work is not None:
                    self.waiting[step] = work
                    self._blocked |= dependents(self._plan, [step.op])
                continue
            start = time.perf_counter_ns() if trace.tracers else 0
            step.run(self._values, self._pending)
            if start and isinstance(step, Loop):
                trace.note_loop(step, start)
        return held

    def _restore(self, step: Any) -> None:
        for index, value in zip(_reads(step), self._kept.pop(step, ())):
            if self._values[index] is None:
                self._values[index] = value


def dependents(plan: Plan, ops: list[Operation]) -> set[Operation]:
    """The ops of a plan that depend on some others, directly or not."""
    members = [op for node in plan.nodes for op in node.members]
    found: set[Operation] = set()
    sources = set(ops)
    # In order of creation; only in loops, which are steps of their own, edges lead back.
    for op in needed_ops((), members, plan.layout.fed):
        before = (*op._control_inputs, *(t._op for t in op._inputs if t not in plan.layout.fed))
        if any(b in sources or b in found for b in before):
            found.add(op)
    return found


def _ops(step: Any) -> Iterable[Operation]:
    return [n.op for n in step.nodes] if isinstance(step, Segment) else step.members


def _reads(step: Any) -> list[int]:
    return step.inputs if isinstance(step, Segment) else step.reads
