"""Runs of graphs that several tasks share: the part of the master."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.cancellation import Cancellation, running, wait_for
from headwater.distributed.calls import Call
from headwater.distributed.partition import Part
from headwater.distributed.peers import LocalPeer, Peer
from headwater.distributed.steps import DERIVED
from headwater.engine.devices import Device
from headwater.graph import Operation, Tensor


class ClusterPlan:
    """One kind of run on several tasks.

    Args:
        session: the handle of the session.
        config: its ConfigProto.
        parts: what each task does.
        peers: the workers of the tasks.
        own: the task of the master.
        places: the ops of the run, and the device of each.
        fetches: the fetched tensors.
        feeds: the fed tensors.
        changes: the state of the graph for which it is made.
    """

    def __init__(
        self,
        session: str,
        config: Any,
        parts: dict[str, Part],
        peers: dict[str, Peer],
        own: str,
        places: Mapping[Operation, Device],
        fetches: Sequence[Tensor],
        feeds: Sequence[Tensor],
        changes: Any,
    ) -> None:
        self.changes = changes
        self.parts = parts
        self.places = places
        self._session = session
        self._config = config
        self._peers = peers
        self._own = own
        self._ops = [(op, op._inputs, tuple(op._control_inputs)) for op in places]
        self._fetches = list(fetches)
        self._feeds = list(feeds)
        self._handles: dict[str, str] = {}
        self._lock = threading.Lock()

    def same_work(self, other: Any) -> bool:
        """Whether another plan runs the same ops on the same inputs."""
        return isinstance(other, ClusterPlan) and self._ops == other._ops

    def _register(self) -> None:
        with self._lock:
            for task, part in self.parts.items():
                if task not in self._handles:
                    self._handles[task] = self._peers[task].register(
                        self._session, part.graph_def, self._config
                    )

    def forget(self) -> None:
        """Has the tasks free their parts: there will be no further run."""
        with self._lock:
            handles, self._handles = self._handles, {}
        for task, handle in handles.items():
            self._peers[task].deregister(self._session, handle)

    def run(self, feeds: Sequence[np.ndarray], stop: Cancellation, stats: Any = None) -> list[Any]:
        """Runs all parts.

        Args:
            feeds: the values of the feeds, in order.
            stop: ends the run.
            stats: a StepStats that takes what ran on each task and when, or None.

        Returns:
            The values of the fetches, in order.

        Raises:
            OpError: the first error of a task that does not follow from that of another one.
        """
        self._register()
        # As TensorFlow's masters number their steps.
        number = secrets.randbits(56) | 1 << 56
        step = _RunningStep(stop)
        by_task = {task: None if stats is None else type(stats)() for task in self.parts}
        has_ended = False
        try:
            with stop.calling(step.cancel):
                for task in sorted(self.parts, key=lambda task: task == self._own):
                    self._start(task, number, feeds, step, by_task[task])
                results = self._results(step.wait())
            has_ended = True
            if stats is not None:
                for found in by_task.values():
                    stats.MergeFrom(found)
            return results
        except BaseException:
            step.cancel()
            raise
        finally:
            for task in self.parts:
                self._peers[task].cleanup(number, later=has_ended)

    def _start(
        self,
        task: str,
        number: int,
        feeds: Sequence[np.ndarray],
        step: _RunningStep,
        stats: Any,
    ) -> None:
        part, peer = self.parts[task], self._peers[task]
        fed = {
            key: (feeds[position], self._feeds[position].dtype)
            for position, key in part.feeds.items()
        }
        keys = list(dict.fromkeys(part.fetches.values()))
        handle = self._handles[task]
        if task == self._own and isinstance(peer, LocalPeer):
            # In this thread, after the others have been started.
            step.run_here(
                task,
                partial(
                    peer.worker.run,
                    handle,
                    number,
                    _values(fed),
                    keys,
                    step.cancellation,
                    stats,
                    is_followed=True,
                ),
            )
            return
        if isinstance(peer, LocalPeer):
            fed = _values(fed)
        stop = step.cancellation
        step.add(task, peer.start(self._session, handle, number, fed, keys, stop, stats))

    def _results(self, by_task: dict[str, list[Any]]) -> list[Any]:
        results: list[Any] = [None] * len(self._fetches)
        for task, part in self.parts.items():
            values = dict(zip(dict.fromkeys(part.fetches.values()), by_task[task]))
            for position, key in part.fetches.items():
                value = values[key]
                if isinstance(value, np.ndarray) and value.ndim == 0:
                    value = value[()]
                results[position] = value
        return results


def _values(fed: dict[str, tuple[np.ndarray, Any]]) -> dict[str, Any]:
    return {key: value for key, (value, _) in fed.items()}


class _RunningStep:
    """The runs of the parts of one step.

    Args:
        stop: ends all of them.
    """

    def __init__(self, stop: Cancellation) -> None:
        self.cancellation = Cancellation(parent=stop)
        self._stop = stop
        self._ended = threading.Condition()
        self._calls: dict[str, Call] = {}
        self._left = 0
        self._results: dict[str, list[Any]] = {}
        self._errors: list[tuple[str, errors.OpError]] = []

    def add(self, task: str, call: Call) -> None:
        """Adds a run of another task that has begun."""
        self._calls[task] = call
        with self._ended:
            self._left += 1
        call.then(partial(self._finish, task))
        if self.cancellation.cancelled:
            self.cancel()

    def run_here(self, task: str, function: Any) -> None:
        """Runs a part in this thread."""
        try:
            self._results[task] = function()
        except errors.OpError as error:
            with self._ended:
                self._errors.append((task, error))
            self.cancel()

    def _finish(self, task: str, call: Call) -> None:
        error: errors.OpError | None = None
        try:
            self._results[task] = call.result()
        except errors.OpError as failure:
            error = failure
        except Exception as failure:
            error = errors.InternalError(None, None, f"{type(failure).__name__}: {failure}")
        with self._ended:
            if error is not None:
                self._errors.append((task, error))
            self._left -= 1
            self._ended.notify_all()
        if error is not None:
            self.cancel()

    def cancel(self) -> None:
        """Ends all runs."""
        self.cancellation.cancel()
        for call in list(self._calls.values()):
            call.cancel()

    def wait(self) -> dict[str, list[Any]]:
        """Waits until all runs have ended.

        Returns:
            The results by task.

        Raises:
            OpError: the error of the step.
        """
        with running(self._stop), self._ended:
            wait_for(self._ended, self._has_ended, "Step was cancelled by an explicit call")
        if self._errors:
            raise self._error()
        return self._results

    def _has_ended(self) -> bool:
        return self._left == 0

    def _error(self) -> errors.OpError:
        if self._stop.cancelled:
            return errors.CancelledError(None, None, "Run call was cancelled")
        self._stop.check_time()
        roots = [(t, e) for t, e in self._errors if not _follows(e)]
        task, error = (roots or self._errors)[0]
        if error.message.startswith("From /job:"):
            return error
        text = f"From {task}:\n{error.message.removeprefix(DERIVED)}"
        return errors.make_error(error.error_code, text, error.node_def, error.op, error.hint)


def _follows(error: errors.OpError) -> bool:
    """Whether an error is only that of a run that another error has ended."""
    return error.message.startswith(DERIVED) or isinstance(error, errors.CancelledError)
