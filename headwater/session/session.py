"""Session: runs parts of a graph and keeps the values of its variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.export import export
from headwater.engine.devices import Device, local_devices
from headwater.engine.executor import execute
from headwater.engine.plan import Plan
from headwater.engine.state import State
from headwater.graph import Graph, Tensor, get_default_graph, stacks
from headwater.session.feeds import FeedMap, feed_array
from headwater.session.fetches import FetchMap, fetch_key
from headwater.session.partial_run import PartialRun


class PreparedRun:
    """One kind of run: what comes in, what is done, what goes out."""

    __slots__ = ("_feed_map", "fetch_map", "plan")

    def __init__(self, fetch_map: FetchMap, feed_map: FeedMap, plan: Plan) -> None:
        self.fetch_map = fetch_map
        self._feed_map = feed_map
        self.plan = plan

    def feeds(self, feed_dict: Any) -> list[np.ndarray]:
        """The checked values of a feed_dict in the order of the plan's feeds."""
        return self._feed_map.arrays(feed_dict) if feed_dict else []


class BaseSession:
    """What all sessions have in common.

    Args:
        target: where the graph runs; "" is this process.
        graph: the graph; the default graph if None.
        config: a ConfigProto or None.

    Raises:
        TypeError: if an argument has a wrong type.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph)}")
        if not isinstance(target, (str, bytes)):
            raise TypeError(f"target must be a string, but got {type(target)}")
        if config is not None and not hasattr(config, "graph_options"):
            raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
        self._graph = get_default_graph() if graph is None else graph
        self._target = target.decode() if isinstance(target, bytes) else target
        self._config = config
        self._state = _state_of(config)
        self._closed = False
        self._prepared: dict[Any, PreparedRun] = {}
        self._partial_runs: dict[str, PartialRun] = {}
        self._plans: dict[Any, Plan] = {}

    @property
    def graph(self) -> Graph:
        """The graph of this session."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        """The target that this session is connected to."""
        return self._target

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
            raise RuntimeError("Attempted to use a closed Session.")
        prepared = self._prepared_run(fetches, feed_dict or {})
        feeds = prepared.feeds(feed_dict)
        return prepared.fetch_map.result(execute(prepared.plan, feeds))

    def _prepared_run(self, fetches: Any, feed_dict: Any) -> PreparedRun:
        """The plan for these fetches and feeds, made once per kind of run."""
        key = fetch_key(fetches)
        if key is not None:
            key = (key, *feed_dict)
            prepared = self._prepared.get(key)
            if prepared is not None and prepared.plan.changes == self._graph.changes:
                return prepared
        if self._graph.version == 0:
            raise RuntimeError(
                "The Session graph is empty.  Add operations to the graph before calling run()."
            )
        fetch_map = FetchMap(self._graph, fetches)
        feed_map = FeedMap(self._graph, feed_dict)
        prepared = PreparedRun(fetch_map, feed_map, self._plan(fetch_map, feed_map.tensors))
        if key is not None:
            self._prepared[key] = prepared
        return prepared

    def _plan(self, fetch_map: FetchMap, feeds: list[Tensor]) -> Plan:
        """The plan of a run; one that the growth of the graph has left as it was stays."""
        key = (*fetch_map.tensors, None, *fetch_map.operations, None, *feeds)
        old = self._plans.get(key)
        if old is not None and old.changes == self._graph.changes:
            return old
        plan = Plan(self._graph, self._state, fetch_map.tensors, fetch_map.operations, feeds)
        if old is not None and old.same_work(plan):
            old.changes = plan.changes
            return old
        self._plans[key] = plan
        return plan

    def make_callable(
        self, fetches: Any, feed_list: Iterable[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function that runs one kind of run with little overhead.

        Args:
            fetches: as for `run`.
            feed_list: the tensors that the function's arguments feed, in order.
            accept_options: whether the function takes ``options`` and ``run_metadata``.

        Returns:
            The function of the fed values.
        """
        fetch_map = FetchMap(self._graph, fetches)
        feeds = FeedMap(self._graph, dict.fromkeys(feed_list or ())).tensors

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if self._closed:
                raise RuntimeError("Attempted to use a closed Session.")
            if len(values) != len(feeds):
                raise TypeError(f"expected {len(feeds)} fed values, got {len(values)}")
            arrays = [feed_array(t, v) for t, v in zip(feeds, values)]
            return fetch_map.result(execute(self._plan(fetch_map, feeds), arrays))

        return call

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
        fetch_map = FetchMap(self._graph, fetches)
        feed_map = FeedMap(self._graph, dict.fromkeys(feeds or ()))
        targets = [*fetch_map.tensors, *fetch_map.operations]
        if not targets:
            raise errors.InvalidArgumentError(
                None, None, "Must specify at least one target to fetch or execute."
            )
        plan = self._plan(fetch_map, feed_map.tensors)
        run = PartialRun(plan, targets, feed_map.tensors)
        self._partial_runs[run.handle] = run
        return run.handle

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
        run = self._partial_runs.get(handle)
        if run is None:
            raise errors.InvalidArgumentError(
                None, None, "Must run 'setup' before performing partial runs!"
            )
        fetch_map = FetchMap(self._graph, fetches)
        feed_map = FeedMap(self._graph, feed_dict or {})
        values = feed_map.arrays(feed_dict or {})
        results = run.run(
            fetch_map.tensors, fetch_map.operations, dict(zip(feed_map.tensors, values))
        )
        if run.finished:
            del self._partial_runs[handle]
        return fetch_map.result(results)

    def list_devices(self) -> list[Device]:
        """The devices that ops of this session can run on."""
        return list(self._state.devices)

    def close(self) -> None:
        """Frees the values of the variables; the session cannot be used any more."""
        self._closed = True
        self._state.clear()
        self._plans.clear()
        self._prepared.clear()


def _state_of(config: Any) -> State:
    """The state of a new session with what a ConfigProto says of devices and compilation."""
    if config is None:
        return State()
    # ON_1 and ON_2 ask for XLA at once, OFF (and opt_level L0) for no compilation.
    options = config.graph_options.optimizer_options
    mode = None
    if options.global_jit_level > 0:
        mode = "always"
    elif options.global_jit_level < 0 or options.opt_level < 0:
        mode = "never"
    return State(mode, local_devices(config), config.allow_soft_placement)


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
        self._contexts: list[Any] = []

    def __enter__(self) -> Session:
        contexts = (self._graph.as_default(), self.as_default())
        for context in contexts:
            context.__enter__()
        self._contexts.append(contexts)
        return self

    def __exit__(self, *exc: Any) -> None:
        for context in reversed(self._contexts.pop()):
            context.__exit__(*exc)
        self.close()

    @staticmethod
    def reset(target: str, containers: list[str] | None = None, config: Any = None) -> None:
        """Clears containers of a cluster; sessions of this process share nothing to clear."""


@export("InteractiveSession")
class InteractiveSession(BaseSession):
    """A session that is the default session from the moment it is made.

    Args:
        target: where the graph runs; "" is this process.
        graph: the graph; the default graph if None.
        config: a ConfigProto or None.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._entered = []
        contexts = [self.as_default()]
        if graph is not None:
            contexts.insert(0, graph.as_default())
        for context in contexts:
            context.__enter__()
            self._entered.append(context)
        stacks.sessions.enforce_nesting = stacks.graphs.enforce_nesting = False

    def close(self) -> None:
        """Closes the session; it is not the default session any more."""
        super().close()
        while self._entered:
            self._entered.pop().__exit__(None, None, None)


@export("get_default_session")
def get_default_session() -> BaseSession | None:
    """The default session of this thread, or None."""
    return stacks.sessions.top()
