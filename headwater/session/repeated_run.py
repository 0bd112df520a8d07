"""Runs of one op again and again, as queue runners do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.engine import trace
from headwater.engine.analysis.ordering import needed_ops
from headwater.engine.running.several_runs import SeveralRuns, several_runs
from headwater.graph import Operation
from headwater.session.session import BaseSession


class RepeatedRun:
    """The runs of an op by one thread.

    Args:
        session: a session, or what takes the place of one.
        op: the op, or another fetch.
    """

    def __init__(self, session: Any, op: Any) -> None:
        self._session = session
        self._op = op
        self._run = session.make_callable(op)
        # Programs may have runs of their own.
        self._may_join = (
            isinstance(op, Operation)
            and isinstance(session, BaseSession)
            and type(session).make_callable is BaseSession.make_callable
            and type(session).run is BaseSession.run
            and BaseSession.profile_context is None
            and session._is_direct
        )
        self._has_run = False
        self._several: SeveralRuns | None = None
        self._changes: Any = None
        self._work: Any = None

    def __call__(self, is_stopped: Callable[[], bool]) -> None:
        """Runs the op once, or several times if that is the same to everybody.

        Args:
            is_stopped: whether no more runs are wanted.

        Raises:
            OpError: if a run fails.
        """
        if not (self._may_join and self._has_run and self._run_several(is_stopped)):
            self._run()
            # The first run has checked what all do.
            self._has_run = True

    def _run_several(self, is_stopped: Callable[[], bool]) -> bool:
        session = self._session
        if self._changes != session.graph.changes:
            self._prepare()
        if self._several is None or trace.tracers or session._closed:
            return False
        outer = session._enter_run()
        try:
            return self._several.run(lambda: session._closed or is_stopped())
        finally:
            session._leave_run(outer)

    def _prepare(self) -> None:
        self._changes = self._session.graph.changes
        ops = needed_ops([], [self._op], ())
        work = [(op, op._inputs, tuple(op._control_inputs)) for op in ops]
        if work != self._work:
            self._work = work
            self._several = several_runs(self._op, self._session._state)
