"""Runs a function once for each replica, and lets the replicas meet in merge calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from headwater.base import thread_state
from headwater.distributed.replicas import values
from headwater.graph import get_default_graph
from headwater.graph.default_graph import control_dependencies, name_scope
from headwater.graph.default_graph import device as in_device
from headwater.model.variables.variable_creation import variable_creator_scope
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope


class _Stopped(BaseException):
    """Ends the thread of a replica when another one has failed."""


class MergeCall:
    """What a replica has called `merge_call` with, and where its code stood.

    Args:
        function: the function of the strategy and of the arguments.
        args: arguments.
        kwargs: arguments by name.
    """

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        graph = get_default_graph()
        self.function = function
        self.args = tuple(args)
        self.kwargs = dict(kwargs or {})
        self.name_scope = graph.get_name_scope()
        self.variable_scope = get_variable_scope()
        self.controls = graph._current_control_dependencies()


class ReplicaThread:
    """The code of one replica in a thread of its own; only one thread runs at any time.

    Args:
        number: the number of the replica.
        enter: opens the contexts of the replica in its thread.
        call: the code.
    """

    def __init__(
        self,
        number: int,
        enter: Callable[[ReplicaThread, ExitStack], None],
        call: Callable[[], Any],
    ) -> None:
        self.number = number
        self.merge: MergeCall | None = None
        self.result: Any = None
        self.done = False
        self._enter = enter
        self._call = call
        self._answer: Any = None
        self._error: BaseException | None = None
        self._stopping = False
        self._may_run, self._has_paused = threading.Semaphore(0), threading.Semaphore(0)
        self._states = thread_state.captured()
        self._states.append(thread_state.copy_of(get_default_graph()._scopes))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._may_run.acquire()
        try:
            if not self._stopping:
                thread_state.restore(self._states)
                with ExitStack() as stack:
                    self._enter(self, stack)
                    self.result = self._call()
        except _Stopped:
            pass
        except BaseException as error:  # it is raised where the replicas were started
            self._error = error
        self.done = True
        self._has_paused.release()

    def resume(self, answer: Any = None) -> None:
        """Runs the code up to its next merge call or its end.

        Args:
            answer: what the merge call returns at which it stands.
        """
        self._answer, self.merge = answer, None
        self._may_run.release()
        self._has_paused.acquire()
        if self._error is not None:
            raise self._error

    def pause(self, merge: MergeCall) -> Any:
        """Called in the thread: stops at a merge call, and returns what it returns."""
        self.merge = merge
        self._has_paused.release()
        self._may_run.acquire()
        if self._stopping:
            raise _Stopped
        return self._answer

    def stop(self) -> None:
        """Ends the thread if it still stands at a merge call."""
        self._stopping = True
        if not self.done:
            self._may_run.release()
        self._thread.join()


def run_in_replicas(
    strategy: Any,
    devices: Sequence[str],
    make_context: Callable[[int, ReplicaThread], Any],
    call: Callable[[int], Any],
) -> Any:
    """Calls a function for each replica; their merge calls are made once for all.

    Args:
        strategy: the strategy.
        devices: the device of each replica.
        make_context: makes the ReplicaContext of a replica.
        call: the code of the replica of a number.

    Returns:
        The structure of what it has returned, with values of all replicas as its leaves.

    Raises:
        RuntimeError: if the replicas differ in the number of their merge calls.
    """
    shared = SharedVariables()
    scope = get_variable_scope()
    graph = get_default_graph()
    start = graph.get_name_scope()

    def enter(thread: ReplicaThread, stack: ExitStack) -> None:
        number = thread.number
        stack.enter_context(graph.as_default())
        path = "/".join(p for p in (start, f"replica_{number}" if number else "") if p)
        stack.enter_context(make_context(number, thread))
        stack.enter_context(in_device(devices[number]))
        stack.enter_context(graph.name_scope(f"{path}/" if path else None))
        stack.enter_context(variable_scope(scope, reuse=number > 0))
        stack.enter_context(variable_creator_scope(shared.creator(number)))

    threads = [
        ReplicaThread(n, enter, lambda n=n: call(n))  # type: ignore[misc]
        for n in range(len(devices))
    ]
    try:
        answers: list[Any] = [None] * len(threads)
        while True:
            for thread, answer in zip(threads, answers):
                thread.resume(answer)
            if all(thread.done for thread in threads):
                return values.regroup(devices, [thread.result for thread in threads])
            if any(thread.done for thread in threads):
                raise RuntimeError(
                    "Some replicas made a different number of replica_context().merge_call() calls."
                )
            merged = _merged(strategy, devices, [t.merge for t in threads if t.merge is not None])
            answers = [values.select(n, merged) for n in range(len(threads))]
    finally:
        for thread in threads:
            thread.stop()


def _merged(strategy: Any, devices: Sequence[str], calls: Sequence[MergeCall]) -> Any:
    """What the function of a merge call returns, called where the first replica stands."""
    first = calls[0]
    args = values.regroup(devices, [call.args for call in calls])
    kwargs = values.regroup(devices, [call.kwargs for call in calls])
    controls = [op for call in calls for op in call.controls]
    with (
        name_scope(first.name_scope + "/" if first.name_scope else None),
        control_dependencies(list(dict.fromkeys(controls))),
        _in_variable_scope(first.variable_scope),
    ):
        return first.function(strategy, *args, **kwargs)


@contextmanager
def _in_variable_scope(scope: Any) -> Iterator[None]:
    with variable_scope(scope, auxiliary_name_scope=False):
        yield


class SharedVariables:
    """The variables that the first replica makes in its code, for the others to find."""

    def __init__(self) -> None:
        self._made: dict[str, list[Any]] = {}

    def creator(self, number: int) -> Callable[..., Any]:
        """The creator of variables for the replica of a number."""
        counts: dict[str, int] = {}

        def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            graph = get_default_graph()
            parts = graph.get_name_scope().split("/")
            path = [part for part in parts if part not in ("", f"replica_{number}")]
            key = "/".join([*path, str(kwargs.get("name"))])
            made = self._made.setdefault(key, [])
            place = counts[key] = counts.get(key, -1) + 1
            if number == 0:
                made.append(next_creator(**kwargs))
            elif place >= len(made):
                raise RuntimeError(
                    f"Tried to create variable {key} with mismatching name on device {number}"
                )
            return made[place]

        return create
