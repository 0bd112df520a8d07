"""Steps: the values that the parts of one run hand to each other, on one worker."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import errors
from headwater.base.cancellation import Cancellation
from headwater.base.dead import DEAD
from headwater.base.rendezvous import Edge, Rendezvous
from headwater.base.waiting import Waiting, finish_all
from headwater.distributed.assignment import task_of
from headwater.distributed.buffers import copy_of
from headwater.distributed.calls import Call
from headwater.engine.state import on_host

# How the errors begin that follow from another one: the master reports that one.
DERIVED = "[_Derived_]"
# Larger values are sent at once.
_LARGE_BYTES = 1 << 20


class Step(Rendezvous):
    """One step of one worker.

    Args:
        fetch: asks the task that makes a value for it: a function of the edge, the step's number
            and what waits for the value; None if the value comes without that.
        push: sends values to the task that needs them: a function of the task, the step's number,
            the values by key and `is_followed`; returns the call, or None if there is no need to
            wait for one.
        number: the number of the step.

    Attributes:
        cancellation: ends the run of the worker's part.
        is_followed: whether who runs the worker's part has begun, and waits for, all other parts.
        runs: how many runs of parts there are.
    """

    def __init__(
        self,
        fetch: Callable[[Edge, int, Waiting], Callable[[], object] | None],
        push: Callable[[str, int, Mapping[str, Any], bool], Call | None],
        number: int,
    ) -> None:
        self._fetch = fetch
        self._push = push
        self.number = number
        self.is_followed = False
        self.cancellation = Cancellation()
        self.cancellation.rendezvous = self
        self._lock = threading.Lock()
        self._values: dict[str, Any] = {}
        self._wanted: dict[str, Waiting] = {}
        self._calls: dict[Waiting, Callable[[], object]] = {}
        # The values to be pushed, by task and key.
        self._outbox: dict[str, dict[str, Any]] = {}
        self._pushed: list[Call] = []
        # How many values of the edges in loops have been sent and asked for.
        self._sent: Counter[str] = Counter()
        self._received: Counter[str] = Counter()
        self._error: errors.OpError | None = None
        self._ended = False

    def send(self, edge: Edge, value: Any) -> None:
        if value is not DEAD:
            # The memory may be that of a variable, which the next run updates in place.
            value = copy_of(on_host(value))
        if not edge.is_pushed:
            self.put({edge.key: value})
            return
        task = task_of(edge.recv_device)
        self._outbox.setdefault(task, {})[self._key(edge, self._sent)] = value
        # The other task may wait for the value of an iteration before it sends what this one needs.
        if edge.is_repeated or (value is not DEAD and value.nbytes > _LARGE_BYTES):
            self.flush()

    def _key(self, edge: Edge, counts: Counter[str]) -> str:
        """The key of the next value of an edge."""
        if not edge.is_repeated:
            return edge.key
        with self._lock:
            count = counts[edge.key]
            counts[edge.key] += 1
        return edge.key_of(count)

    def flush(self) -> None:
        if not self._outbox:
            return
        outbox, self._outbox = self._outbox, {}
        for task, values in outbox.items():
            call = self._push(task, self.number, values, self.is_followed)
            if call is not None:
                self._pushed.append(call)

    def wait_for_arrivals(self, run: Cancellation) -> None:
        """Waits until the values that were pushed have arrived.

        Args:
            run: ends the waiting.

        Raises:
            OpError: if one has not.
        """
        self.flush()
        calls, self._pushed = self._pushed, []
        for call in calls:
            if not call.ended:
                with run.calling(call.cancel):
                    call.result()
            call.result()

    def put(self, values: Mapping[str, Any]) -> None:
        """Gives values to whoever asks for their keys, now or later."""
        found = []
        with self._lock:
            if self._failure() is not None:
                return
            for key, value in values.items():
                waiting = self._wanted.pop(key, None)
                if waiting is None:
                    self._values[key] = value
                else:
                    found.append((waiting, (value,)))
        finish_all(found)

    def receive(self, edge: Edge) -> Waiting:
        work = Waiting("RecvAsync is cancelled.")
        call = self._fetch(edge, self.number, work)
        if call is None:
            self.take(self._key(edge, self._received), work)
            return work
        with self._lock:
            if not work.done:
                self._calls[work] = call
            error = self._failure()
        if error is not None:
            call()
        return work

    def take(self, key: str, work: Waiting) -> None:
        """Finishes some work with the value of a key, when there is one."""
        with self._lock:
            error = self._failure()
            found = key in self._values
            if error is None and not found:
                self._wanted[key] = work
                return
            value = self._values.pop(key, None)
        if found:
            work.finish((value,))
        else:
            assert error is not None
            work.fail(error)

    def end(self) -> None:
        """Ends the step: nobody needs its values any more."""
        with self._lock:
            # Its error is made only if anyone still comes.
            self._ended = True
            is_awaited = bool(self._wanted or self._calls)
        if is_awaited:
            self.abort(errors.AbortedError(None, None, f"Step {self.number}"))
        else:
            self.cancellation.cancel()

    def _failure(self) -> errors.OpError | None:
        """The error of the step, if it has failed or ended; the caller holds the lock."""
        if self._error is None and self._ended:
            self._error = errors.AbortedError(None, None, f"{DERIVED}Step {self.number}")
        return self._error

    def abort(self, error: errors.OpError) -> None:
        """Ends the run, and whatever waits for a value of this step."""
        with self._lock:
            if self._error is None:
                self._error = errors.make_error(
                    error.error_code, f"{DERIVED}{error.message.removeprefix(DERIVED)}"
                )
            wanted = list(self._wanted.values())
            self._wanted.clear()
            calls = list(self._calls.values())
            self._calls.clear()
        for call in calls:
            call()
        for work in wanted:
            work.fail(self._error)
        self.cancellation.cancel()
