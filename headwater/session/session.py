"""Session: runs parts of a graph and keeps the values of its variables."""

from __future__ import annotations

import itertools
import warnings
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from headwater.base import cancellation, errors
from headwater.base.compat_strings import as_text
from headwater.base.export import export
from headwater.engine.analysis.placement import check_colocation
from headwater.engine.devices import Device, check_placement
from headwater.engine.running.executor import execute
from headwater.engine.running.plan import Plan
from headwater.graph import Graph, Tensor, get_default_graph, stacks
from headwater.ops.state.session_tensor import forget_tensor
from headwater.session import placement_log
from headwater.session.configuration import configuration_of
from headwater.session.feeds import FeedMap, feed_array
from headwater.session.fetches import FetchMap, fetch_key
from headwater.session.prepared_run import PreparedRun
from headwater.session.runtimes import config_of, protocol_of, runtime_of

_open_sessions: weakref.WeakSet[BaseSession] = weakref.WeakSet()


def open_sessions() -> list[BaseSession]:
    """The sessions of this process that are not closed."""
    return [session for session in _open_sessions if not session._closed]


class BaseSession:
    """What all sessions have in common.

    Args:
        target: where the graph runs; "" is this process.
        graph: the graph; the default graph if None.
        config: a ConfigProto or None.

    Raises:
        TypeError: if an argument has a wrong type.
    """

    # The ProfileContext that is entered: runs of all sessions go through it.
    profile_context: ClassVar[Any] = None

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph)}")
        if not isinstance(target, (str, bytes)):
            raise TypeError(f"target must be a string, but got {type(target)}")
        if config is not None and not hasattr(config, "graph_options"):
            raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
        self._graph = get_default_graph() if graph is None else graph
        self._target = target.decode() if isinstance(target, bytes) else target
        self._config = config = config_of(self._target, config)
        self._settings = settings = configuration_of(config)
        self._runtime = runtime_of(self._target, self._graph, config, settings)
        self._state = self._runtime.state
        # Whether a plain run needs nothing but its plan.
        self._is_direct = self._runtime.is_local and settings.timeout is None
        self._cancellation = cancellation.Cancellation()
        self._closed = False
        # One entry for each run that is under way.
        self._runs: list[None] = []
        self._was_reset = False
        self._run_numbers = itertools.count(1)
        # The number of nodes of the graph whose devices have been checked.
        self._placed = 0
        self._kept_handles: set[str] = set()
        self._prepared: dict[Any, PreparedRun] = {}
        self._partial_runs: dict[str, Any] = {}
        self._plans: dict[Any, Plan] = {}
        _open_sessions.add(self)

    @property
    def graph(self) -> Graph:
        """The graph of this session."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef."""
        return self._graph.as_graph_def(add_shapes=self._settings.infer_shapes)

    @property
    def sess_str(self) -> bytes:
        """The target that this session is connected to."""
        return self._target.encode()

    def as_default(self) -> Any:
        """A with block in which `Tensor.eval` and `Operation.run` use this session."""
        return stacks.sessions.entered(self)

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Computes tensors and runs ops.

        Args:
            fetches: a tensor, op, variable, name, or a nested list, tuple, dict of them.
            feed_dict: values that take the place of tensors, by tensor.
            options: a RunOptions proto.
            run_metadata: a RunMetadata proto that is filled in.

        Returns:
            The values in the structure of `fetches`: arrays for tensors, None for ops.

        Raises:
            RuntimeError: if the session is closed or the graph is empty.
            ValueError: if a fetch or feed is not of this graph or of a wrong shape.
            TypeError: if a fetch or feed is of a wrong kind.
            OpError: if an op fails.
        """
        if self._closed:
            self._raise_closed()
        if feed_dict and type(feed_dict) is not dict and not isinstance(feed_dict, Mapping):
            raise TypeError("input must be a dictionary")
        prepared = self._prepared_run(fetches, feed_dict or {})
        feeds = prepared.feeds(feed_dict)
        context = BaseSession.profile_context
        if context is not None:
            run = partial(self._run_prepared, prepared, feeds)
            return context.run(self._graph, fetches, run, options, run_metadata)
        return self._run_prepared(prepared, feeds, options, run_metadata)

    def _run_prepared(
        self, prepared: PreparedRun, feeds: list[np.ndarray], options: Any, run_metadata: Any
    ) -> Any:
        """Executes a plan with the time limit and any tracing that the options ask for."""
        # As `_enter_run` and `_leave_run`: a small run takes less than ten times a call.
        self._runs.append(None)
        number = next(self._run_numbers)
        outer = cancellation.enter(self._cancellation)
        try:
            if self._closed:
                raise errors.CancelledError(None, None, "Session has been closed.")
            if self._is_direct and options is None and run_metadata is None:
                values = execute(prepared.plan, feeds)
            else:
                values = self._runtime.run(
                    prepared, feeds, options, run_metadata, number, self._cancellation
                )
            if self._closed:
                raise errors.CancelledError(None, None, "Run call was cancelled")
            return prepared.fetch_map.result(values)
        finally:
            cancellation.enter(outer)
            self._runs.pop()
            if self._closed:
                self._clear_state()

    def _enter_run(self) -> cancellation.Cancellation | None:
        """Begins a run; returns the cancellation of the run around it in this thread."""
        # Noted before the check, because `close` sets the flag before it reads the runs.
        self._runs.append(None)
        if self._closed:
            self._end_run()
            raise errors.CancelledError(None, None, "Session has been closed.")
        return cancellation.enter(self._cancellation)

    def _leave_run(self, outer: cancellation.Cancellation | None) -> None:
        cancellation.enter(outer)
        self._end_run()

    def _end_run(self) -> None:
        self._runs.pop()
        if self._closed:
            self._clear_state()

    def _check_cancelled(self) -> None:
        if self._closed:
            raise errors.CancelledError(None, None, "Run call was cancelled")

    @staticmethod
    def _raise_empty() -> None:
        raise RuntimeError(
            "The Session graph is empty.  Add operations to the graph before calling run()."
        )

    def _raise_closed(self) -> None:
        if self._was_reset:
            raise self._runtime.closed_error()
        raise RuntimeError("Attempted to use a closed Session.")

    def _prepared_run(self, fetches: Any, feed_dict: Any) -> PreparedRun:
        """The plan for these fetches and feeds, made once per kind of run."""
        key = fetch_key(fetches)
        if key is not None:
            key = (key, *feed_dict)
            prepared = self._prepared.get(key)
            if (
                prepared is not None
                and prepared.plan.changes == self._graph.changes
                and (prepared.always_fits or prepared.fits(feed_dict))
            ):
                return prepared
        if self._graph.version == 0:
            self._raise_empty()
        fetch_map = FetchMap(self._graph, fetches, self)
        feed_map = FeedMap(self._graph, feed_dict)
        prepared = PreparedRun(fetch_map, feed_map, self._plan(fetch_map, feed_map.tensors))
        if key is not None:
            self._prepared[key] = prepared
        return prepared

    def _plan(self, fetch_map: FetchMap, feeds: list[Tensor]) -> Plan:
        """The plan of a run; the old one is kept if new ops of the graph do not change it."""
        key = (*fetch_map.tensors, None, *fetch_map.operations, None, *feeds)
        old = self._plans.get(key)
        if old is not None and old.changes == self._graph.changes:
            return old
        self._check_placement()
        plan: Plan = self._runtime.plan(self._graph, fetch_map.tensors, fetch_map.operations, feeds)
        if old is not None and old.same_work(plan):
            old.changes = plan.changes
            return old
        self._plans[key] = plan
        return plan

    def _check_placement(self) -> None:
        """Checks that the devices of new nodes exist, also of nodes that no run needs."""
        settings = self._settings
        if settings.place_pruned and not settings.log_placement:
            return
        new = list(self._graph._nodes_by_name.values())[self._placed :]
        if not new:
            return
        if not settings.place_pruned:
            check_placement(new, settings.devices, settings.soft_placement)
            if not settings.soft_placement:
                check_colocation(new)
        if settings.log_placement:
            placement_log.write(new, settings.devices)
        self._placed += len(new)

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function that runs one kind of run with little overhead.

        Args:
            fetches: as for `run`.
            feed_list: a list of the tensors that the function's arguments feed, in order; those
                for which there is no argument are computed.
            accept_options: whether the function takes ``options`` and ``run_metadata``.

        Returns:
            The function of the fed values.
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError("`feed_list` must be a list or tuple.")
        fetch_map = FetchMap(self._graph, fetches, self)
        feed_list = feed_list or ()
        feed_maps = [
            FeedMap(self._graph, dict.fromkeys(feed_list[:count]), partial=True)
            for count in range(len(feed_list) + 1)
        ]

        made: list[PreparedRun | None] = [None] * len(feed_maps)

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if self._closed:
                raise errors.CancelledError(None, None, "Session has been closed.")
            count = min(len(values), len(feed_list))
            prepared = made[count]
            feed_map = feed_maps[count]
            if prepared is None or prepared.plan.changes != self._graph.changes:
                plan = self._plan(fetch_map, feed_map.tensors)
                prepared = made[count] = PreparedRun(fetch_map, feed_map, plan)
            arrays = [feed_array(t, v) for t, v in zip(feed_map.tensors, values)]
            return self._run_prepared(prepared, arrays, options, run_metadata)

        return call

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., list[Any]]:
        """A function of the fed values that a CallableOptions proto describes; gives a list."""
        fetches = list(callable_options.fetch)
        call = self.make_callable(
            [fetches, list(callable_options.target)], list(callable_options.feed)
        )

        def run(*values: Any, run_metadata: Any = None) -> list[Any]:
            options = callable_options.run_options if run_metadata is not None else None
            result: list[Any] = call(*values, options=options, run_metadata=run_metadata)[0]
            return result

        return run

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Begins a run that is done in several calls of `partial_run`.

        Args:
            fetches: everything that will be fetched.
            feeds: the tensors that will be fed.

        Returns:
            A handle for `partial_run`.

        Raises:
            InvalidArgumentError: if there is nothing to fetch.
        """
        if self._closed:
            self._raise_closed()
        if self._graph.version == 0:
            self._raise_empty()
        fetch_map = FetchMap(self._graph, fetches, self)
        feed_map = FeedMap(self._graph, dict.fromkeys(feeds or ()), partial=True)
        targets = [*fetch_map.tensors, *fetch_map.operations]
        if not targets:
            raise errors.InvalidArgumentError(
                None, None, "Must specify at least one target to fetch or execute."
            )
        plan = self._plan(fetch_map, feed_map.tensors)
        run = self._runtime.partial_run(plan, targets, feed_map.tensors)
        self._partial_runs[run.handle] = run
        handle: str = run.handle
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Goes on with a run that `partial_run_setup` began; every op runs once at most.

        Args:
            handle: what `partial_run_setup` returned.
            fetches: some of the fetches given there.
            feed_dict: values of some of the feeds given there.

        Returns:
            The values in the structure of `fetches`.

        Raises:
            InvalidArgumentError: if a fetch or feed does not belong to the run, or too little has
                been fed.
        """
        if self._closed:
            self._raise_closed()
        run = self._partial_runs.get(handle)
        if run is None:
            raise errors.InvalidArgumentError(
                None, None, "Must run 'setup' before performing partial runs!"
            )
        fetch_map = FetchMap(self._graph, fetches, self)
        feed_map = FeedMap(self._graph, feed_dict or {})
        values = feed_map.arrays(feed_dict or {})
        outer = self._enter_run()
        try:
            results = run.run(
                fetch_map.tensors, fetch_map.operations, dict(zip(feed_map.tensors, values))
            )
            self._check_cancelled()
        finally:
            self._leave_run(outer)
        if run.finished:
            del self._partial_runs[handle]
        return fetch_map.result(results)

    def list_devices(self) -> list[Device]:
        """The devices that ops of this session can run on.

        Raises:
            CancelledError: if the session is closed.
        """
        if self._closed:
            raise self._runtime.closed_error()
        return self._runtime.list_devices()

    def close(self) -> None:
        """Frees the values of the variables; the session cannot be used any more.

        Runs of other threads end with a CancelledError: at once if they wait for something, and
        otherwise when they have finished. The values live as long as these runs do.
        """
        self._closed = True
        self._cancellation.cancel()
        self._clear_state()
        self._plans.clear()
        self._prepared.clear()
        self._partial_runs.clear()
        for handle in list(self._kept_handles):
            forget_tensor(handle)
        self._kept_handles.clear()

    def _end_by_reset(self) -> None:
        """Closes the session because its containers have been cleared."""
        self.close()
        self._was_reset = True

    def _clear_state(self) -> None:
        if not self._runs:
            self._runtime.close()


@export("Session")
class Session(BaseSession):
    """Runs parts of a graph and keeps the values of its variables.

    Args:
        target: where the graph runs; "" is this process.
        graph: the graph; the default graph if None.
        config: a ConfigProto or None.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._contexts: tuple[Any, ...] = ()

    def __enter__(self) -> Session:
        if self._contexts:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you "
                "want to enter a session multiple times."
            )
        self._contexts = (self._graph.as_default(), self.as_default())
        for context in self._contexts:
            context.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        contexts, self._contexts = self._contexts, ()
        try:
            for context in reversed(contexts):
                context.__exit__(*exc)
        finally:
            self.close()

    @staticmethod
    def reset(target: str | None, containers: list[str] | None = None, config: Any = None) -> None:
        """Clears containers and closes the sessions that use them.

        Args:
            target: where the sessions run; "" or None is this process: all its sessions without a
                target.
            containers: the names of the containers. None stands for all of them in this process,
                and for the default container, which has the name of its job, on a server.
            config: a ConfigProto or None.

        Raises:
            NotFoundError: if no runtime is known for the target.
        """
        target = "" if target is None else as_text(target)
        protocol = protocol_of(target, config)
        if protocol is not None:
            protocol.reset(target, containers or (), config)
            return
        for session in open_sessions():
            if session._runtime.is_local:
                session._state.clear(containers)
                session._end_by_reset()


@export("InteractiveSession")
class InteractiveSession(BaseSession):
    """A session that becomes the default session when it is created.

    Args:
        target: where the graph runs; "" is this process.
        graph: the graph; the default graph if None.
        config: a ConfigProto or None.
    """

    _active_session_count: ClassVar[int] = 0

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        # In an interactive session, a node for a missing device must not make other runs fail.
        self._settings.place_pruned = True
        if InteractiveSession._active_session_count > 0:
            warnings.warn(
                "An interactive session is already active. This can cause out-of-memory errors in "
                "some cases. You must explicitly call `InteractiveSession.close()` to release "
                "resources held by the other session(s).",
                stacklevel=2,
            )
        InteractiveSession._active_session_count += 1
        self._entered: list[Any] = []
        contexts = [self.as_default()]
        if graph is not None:
            contexts.insert(0, graph.as_default())
        for context in contexts:
            context.__enter__()
            self._entered.append(context)
        stacks.sessions.lenient.append(self)
        if graph is not None:
            stacks.graphs.lenient.append(graph)

    def close(self) -> None:
        """Closes the session; it is not the default session any more."""
        if not self._closed:
            InteractiveSession._active_session_count -= 1
        super().close()
        while self._entered:
            self._entered.pop().__exit__(None, None, None)


@export("get_default_session")
def get_default_session() -> BaseSession | None:
    """The default session of this thread, or None.

    Example:
        >>> with tf.Session() as other:
        ...     print(tf.get_default_session() is other)
        True
    """
    result: BaseSession | None = stacks.sessions.top()
    return result
