"""The worker of a task: runs the parts of graphs that masters register."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.base.dtypes import DType
from headwater.base.rendezvous import REPEATED, Edge, edge_of
from headwater.base.waiting import Waiting
from headwater.distributed.assignment import task_of
from headwater.distributed.buffers import copy_of
from headwater.distributed.calls import Call
from headwater.distributed.rewriting import SENDS, expand_fused, send_signals
from headwater.distributed.steps import Step
from headwater.distributed.task import Task
from headwater.engine import trace
from headwater.engine.analysis.control_flow import RECEIVES, Frame, items_of
from headwater.engine.devices import Device
from headwater.engine.running.executor import execute
from headwater.engine.running.plan import Plan
from headwater.engine.state import State
from headwater.graph import Graph, Operation
from headwater.graph.importer import extend_graph
from headwater.protos.lazy import config_pb2
from headwater.session.configuration import configuration_of
from headwater.session.run_graph import RunGraph
from headwater.session.run_metadata import RunRecord

# Steps that have ended are remembered, so that late requests for their values do not wait.
_REMEMBERED_STEPS = 4096


class Registered:
    """A part of a graph that runs again and again.

    Args:
        graph_def: the part: what the client feeds and fetches goes through ``_Recv`` and ``_Send``
            nodes with `client_terminated`.
        state: what the session of the part keeps.

    Attributes:
        feeds: the keys of what is fed, in the order of the plan's feeds.
        fetches: the keys of what is fetched, in the order of the plan's fetches.
        types: the types of what is fetched, by key.
    """

    def __init__(self, graph_def: Any, state: State) -> None:
        graph = Graph()
        send_signals(graph_def)
        expand_fused(graph_def)
        extend_graph(graph, graph_def)
        ops = list(graph._nodes_by_name.values())
        _check_loops(ops)
        of_client = {op for op in ops if op._attrs.get("client_terminated")}
        received = [op for op in of_client if op.type in RECEIVES]
        sent = [op for op in of_client if op.type in SENDS]
        self.feeds = [_edge_of(op).key for op in received]
        self.fetches = [_edge_of(op).key for op in sent]
        self.types = {_edge_of(op).key: op._attrs["T"] for op in sent}
        self._state = state
        self._work = (
            [op._inputs[0] for op in sent],
            [op for op in ops if op not in of_client],
            [op._outputs[0] for op in received],
        )
        self.plan = Plan(graph, state, *self._work)

    def run(self, arrays: list[Any], stats: Any = None) -> list[Any]:
        """Runs the part.

        Args:
            arrays: what is fed, in order.
            stats: a StepStats that takes what ran and when, or None.

        Returns:
            What is fetched, in order.
        """
        if stats is None:
            return execute(self.plan, arrays, copy_of)
        tracer = trace.Tracer(by_op=True)
        start = tracer.now()
        with trace.tracing(tracer):
            values = execute(self.plan, arrays, copy_of)
        graph = RunGraph(*self._work, self._state.devices)
        stats.MergeFrom(RunRecord(graph, tracer, start, arrays, self._state).step_stats())
        return values


def _is_asked_for(op: Operation) -> bool:
    """Whether an op sends or receives what another task has to ask for."""
    return op.type in SENDS | RECEIVES and not op._attrs["tensor_name"].startswith(REPEATED)


def _check_loops(ops: Sequence[Operation]) -> None:
    """Refuses loops whose iterations exchange values with tasks of TensorFlow.

    Raises:
        UnimplementedError: if there is one.
    """
    for item in items_of(ops):
        if isinstance(item, Frame) and any(map(_is_asked_for, item.members)):
            raise errors.UnimplementedError(
                None,
                None,
                f"The iterations of the loop '{item.name}' exchange values with other tasks.",
                hint="place all ops of a loop on one task.",
            )


def _edge_of(op: Operation) -> Edge:
    attrs = op._attrs
    return edge_of(
        attrs["tensor_name"],
        attrs["send_device"],
        attrs["send_device_incarnation"],
        attrs["recv_device"],
    )


class Worker:
    """Answers the requests of masters and of other workers.

    Args:
        task: the task.
        receive: asks another task for a value: a function of its name, the edge, the step and the
            work that waits for the value; returns what ends the request.
    """

    def __init__(
        self, task: Task, receive: Callable[[str, Edge, int, Waiting], Callable[[], object]]
    ) -> None:
        self.task = task
        self._receive = receive
        self._lock = threading.Lock()
        self._states: dict[str, State] = {}
        self._graphs: dict[str, tuple[str, Registered]] = {}
        self._numbers = itertools.count()
        self._life = secrets.token_hex(8)
        self._steps: dict[int, Step] = {}
        self._ended: dict[int, None] = {}

    @property
    def devices(self) -> Sequence[Device]:
        """The devices of the task."""
        return self.task.devices

    def create_session(
        self, handle: str, config: Any, isolated: bool, name: str | None = None
    ) -> None:
        """Makes the state of a session.

        Args:
            handle: the handle of the session.
            config: its ConfigProto.
            isolated: whether it shares nothing.
            name: the name of this task in the cluster that the ConfigProto brings along.
        """
        with self._lock:
            if handle not in self._states:
                view = self.task.view(config.cluster_def, name)
                self._states[handle] = view.session_state(configuration_of(config), isolated)

    def adopt_session(self, handle: str, state: State) -> None:
        """Takes the state that a session of this process has."""
        with self._lock:
            self._states[handle] = state

    def delete_session(self, handle: str) -> None:
        """Frees what belongs to a session alone."""
        with self._lock:
            state = self._states.pop(handle, None)
            for name in [n for n, (owner, _) in self._graphs.items() if owner == handle]:
                del self._graphs[name]
        if state is not None:
            state.clear()

    def register(self, session: str, graph_def: Any, required: bool) -> str:
        """Registers a part of a graph.

        Args:
            session: the handle of the session.
            graph_def: the part.
            required: whether the session must have been created.

        Returns:
            The handle of the graph.

        Raises:
            AbortedError: if there is no such session: this worker has been restarted.
        """
        with self._lock:
            known = session in self._states
        if not known:
            if required:
                raise _no_session(session)
            self.create_session(session, config_pb2.ConfigProto(), False)
        registered = Registered(graph_def, self._states[session])
        handle = f"{next(self._numbers):016x}{self._life}"
        with self._lock:
            self._graphs[handle] = session, registered
        return handle

    def deregister(self, handle: str) -> None:
        """Frees a part of a graph."""
        with self._lock:
            if self._graphs.pop(handle, None) is None:
                raise _no_graph(handle)

    def run(
        self,
        handle: str,
        number: int,
        feeds: Mapping[str, np.ndarray],
        fetches: Sequence[str],
        outer: cancellation.Cancellation | None = None,
        stats: Any = None,
        is_followed: bool = False,
    ) -> list[Any]:
        """Runs a part of a graph as a part of a step.

        Args:
            handle: the handle of the graph.
            number: the number of the step.
            feeds: what the client feeds, by key.
            fetches: the keys of what it fetches.
            outer: what else ends the run.
            stats: a StepStats that takes what ran and when, or None.
            is_followed: whether the caller has begun, and waits for, the runs of all other parts.

        Returns:
            The values of the fetches.

        Raises:
            AbortedError: if there is no such graph: this worker has been restarted.
            OpError: if an op fails.
        """
        found = self._graphs.get(handle)
        if found is None:
            raise _no_graph(handle)
        registered = found[1]
        step = self.step(number)
        step.is_followed = is_followed
        run = cancellation.Cancellation(parent=outer)
        run.rendezvous = step
        try:
            arrays = [feeds[key] for key in registered.feeds]
        except KeyError as error:
            raise errors.InvalidArgumentError(None, None, f"{error} is not fed.") from None
        try:
            with step.cancellation.calling(run.cancel), cancellation.running(run):
                results = registered.run(arrays, stats)
                values = dict(zip(registered.fetches, results))
                step.wait_for_arrivals(run)
        except errors.OpError as error:
            step.abort(error)
            raise
        return [values[key] for key in fetches]

    def types_of(self, handle: str) -> dict[str, DType]:
        """The types of what a part of a graph returns, by key."""
        return self._graphs[handle][1].types

    def step(self, number: int) -> Step:
        """The step of a number, which begins with the first request."""
        with self._lock:
            step = self._steps.get(number)
            if step is None:
                step = Step(self._fetch, self._push, number)
                if number in self._ended:
                    step.end()
                else:
                    self._steps[number] = step
            return step

    def _fetch(self, edge: Edge, number: int, work: Waiting) -> Callable[[], object] | None:
        task = task_of(edge.send_device)
        if edge.is_pushed or task in self.task.names:
            return None
        return self._receive(task, edge, number, work)

    def _push(
        self, task: str, number: int, values: Mapping[str, Any], is_followed: bool
    ) -> Call | None:
        call: Call | None = self.task.peer(task).put(number, values, is_followed)
        return call

    def put(self, number: int, values: Mapping[str, Any]) -> None:
        """Takes values of a step, by key, that another task pushes."""
        self.step(number).put(values)

    def give(self, key: str, number: int) -> Waiting:
        """What another task asks for: the value of a key of a step.

        Raises:
            AbortedError: if the key means an earlier life of this task.
        """
        device, incarnation = key.split(";")[:2]
        here, _, rest = device.partition("/device:")
        if here in self.task.names:
            device = f"{self.task.name}/device:{rest}"
        own = {d.name: d.incarnation for d in self.devices}.get(device)
        if own is None:
            raise errors.InvalidArgumentError(None, None, f"Invalid rendezvous key: {key}")
        if int(incarnation, 16) != own:
            raise errors.AbortedError(
                None,
                None,
                f"RecvTensor expects a different device incarnation: {int(incarnation, 16)} vs. "
                f'{own}. Your worker job ("{task_of(device)}") was probably restarted. Check your '
                "worker job for the reason why it was restarted.",
            )
        work = Waiting("RecvTensor is cancelled.")
        self.step(number).take(key, work)
        return work

    def cleanup(self, number: int) -> None:
        """Ends a step: nobody asks for its values any more."""
        with self._lock:
            step = self._steps.pop(number, None)
            self._ended[number] = None
            if len(self._ended) > _REMEMBERED_STEPS:
                del self._ended[next(iter(self._ended))]
        if step is not None:
            step.end()


def _no_session(handle: str) -> errors.OpError:
    return errors.AbortedError(
        None,
        None,
        f'Session handle "{handle}" is not found. Possibly this worker ("") just restarted.',
    )


def _no_graph(handle: str) -> errors.OpError:
    return errors.AbortedError(None, None, f"Graph handle is not found: {handle}")
