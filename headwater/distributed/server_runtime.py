"""Sessions whose master is a server of this process."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.distributed.task import Task
from headwater.engine.devices import Device
from headwater.engine.running.plan import Plan
from headwater.graph import Graph, Operation, Tensor
from headwater.session.configuration import Configuration
from headwater.session.observed_run import ObservedRun
from headwater.session.partial_run import PartialRun
from headwater.session.prepared_run import PreparedRun
from headwater.session.runtimes import Runtime

_TIMED_OUT = "Timed out waiting for notification"


class _Request(threading.local):
    """The gRPC context of the request that this thread serves."""

    context: Any = None


request = _Request()


class ServerRuntime(Runtime):
    """Plans and runs on the server's own task.

    Args:
        task: the task of the server.
        graph: the graph of the session.
        config: the ConfigProto of the session, or None.
        settings: what it says.
    """

    def __init__(self, task: Task, graph: Graph, config: Any, settings: Configuration) -> None:
        self.task = task
        self._settings = settings
        self.handle = secrets.token_hex(8)
        settings.devices = task.devices
        self.state = task.session_state(
            settings, isolated=config is not None and config.isolate_session_state
        )

    def plan(
        self,
        graph: Graph,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
    ) -> Any:
        return Plan(graph, self.state, fetches, targets, feeds)

    def run(
        self,
        prepared: PreparedRun,
        feeds: list[np.ndarray],
        options: Any,
        metadata: Any,
        number: int,
        session: cancellation.Cancellation,
    ) -> list[Any]:
        step = cancellation.Cancellation(parent=session)
        if request.context is not None:
            # The client has gone, or does not wait any longer.
            request.context.add_callback(step.cancel)
        run = ObservedRun(self._settings, options, metadata, number)
        try:
            with cancellation.running(step):
                return run.execute(prepared, feeds, self.state, step)
        except errors.OpError as error:
            raise self._of_task(error) from error

    def _of_task(self, error: errors.OpError) -> errors.OpError:
        """The error of a run, with the task that it comes from."""
        if error.message.startswith(_TIMED_OUT):
            return errors.DeadlineExceededError(None, None, "Operation timed out.")
        if isinstance(error, errors.CancelledError) and error.op is None:
            return error
        text = f"From {self.task.name}:\n{error.message}"
        return errors.make_error(error.error_code, text, error.node_def, error.op, error.hint)

    def partial_run(self, plan: Any, targets: list[Any], feeds: list[Tensor]) -> PartialRun:
        return PartialRun(plan, targets, feeds)

    def list_devices(self) -> list[Device]:
        return list(self.task.devices)

    def close(self) -> None:
        self.state.clear()

    def closed_error(self) -> errors.OpError:
        return errors.AbortedError(None, None, f"Session {self.handle} is not found.")
