"""Calls of functions from kernels, such as those of datasets, with the state of a session."""

from __future__ import annotations

import functools
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from headwater.base import errors
from headwater.base.function_runtime import VariableHandle
from headwater.base.typing import Array
from headwater.engine.analysis.inlining import is_active
from headwater.engine.nodes.kernels import uninitialized
from headwater.engine.running.executor import call
from headwater.engine.running.plan import Plan
from headwater.engine.running.remembered_calls import remembered
from headwater.engine.state import FunctionState, Slot, State
from headwater.graph import Graph, OpRecord, Tensor
from headwater.graph.functions import FunctionGraph
from headwater.graph.graph_base import GraphBase
from headwater.graph.row_functions.body import RowBody, row_body

# A body runs once per element, and most are small: only a long dataset pays for a compilation.
_COMPILE_AFTER = 200

# What the work of a function of rows is estimated for: a usual batch.
_TYPICAL_ROWS = 128

# Names that TensorFlow's client takes out of the texts of errors; that of a lambda is none.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\-/]*")

Call: TypeAlias = Callable[[Sequence[Array]], list[Array]]

# The plans of a body, for an element ("element") and for many of them ("rows").
_Plans: TypeAlias = "dict[str, Plan]"


class SessionFunctions:
    """The FunctionRuntime of a session.

    Args:
        state: what the session keeps.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        # The plans of each body: a dataset inside of a function is made anew for each element.
        self._bodies: weakref.WeakKeyDictionary[FunctionGraph, _Body] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    @property
    def device_names(self) -> list[str]:
        """The full names of the session's devices."""
        return [device.name for device in self._state.devices]

    def keep(self, resource: Any) -> None:
        """Keeps a resource that no op keeps, until it is released or the session is closed."""
        self._state.anonymous[id(resource)] = resource

    def release(self, resource: Any) -> None:
        """Forgets a resource that `keep` keeps."""
        self._state.anonymous.pop(id(resource), None)

    def captured(
        self, graph: Graph, attr: Any, values: Sequence[Array], tags_errors: bool = True
    ) -> _CapturedFunction:
        """The function that an attr of an op names, with values that it has captured."""
        function = graph._get_function(attr.name)
        if function is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"Could not find required function definition {attr.name}",
                hint="make the dataset in the graph in which its iterator is made.",
            )
        return self._function_of(attr.name, function.body(_attrs_of(attr)), values, tags_errors)

    def of_body(self, body: FunctionGraph) -> _CapturedFunction:
        """The function of a FunctionGraph that captures nothing."""
        return self._function_of(body.name, body, [], True)

    def _function_of(
        self, name: str, graph: FunctionGraph, values: Sequence[Array], tags_errors: bool
    ) -> _CapturedFunction:
        with self._lock:
            body = self._bodies.get(graph)
            if body is None:
                body = self._bodies[graph] = _Body(graph)
        return _CapturedFunction(self._state, name, body, graph, values, tags_errors)


class _Body:
    """What the calls of a function share.

    Attributes:
        has_state: whether an op keeps something between calls.
        active_types: the types of the ops that have effects or states, or call other functions;
            also those of the functions that they name.
        may_wait: whether a call may wait for other calls or runs.
        row_bodies: the body for rows, by the number of arguments that are components of elements.
        instances: the plans and what their ops keep, by the variables that are bound; for functions
            that keep something it is the caller who has them.
        lock: is held while plans are looked up and made.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        records = _records_of(graph)
        self.has_state = any(map(_keeps_something, records))
        self.may_wait = any(record.calls_python or record.exchanges for record in records)
        self.active_types = frozenset(_active_types(graph))
        self.row_bodies: dict[int, RowBody | None] = {}
        self.instances: dict[Any, tuple[_Plans, State]] = {}
        self.lock = threading.RLock()


class _CapturedFunction:
    """A function's body with the values of its last arguments."""

    def __init__(
        self,
        state: State,
        name: str,
        body: _Body,
        graph: FunctionGraph,
        values: Sequence[Array],
        tags_errors: bool,
    ) -> None:
        self.name = name
        self._tags_errors = tags_errors
        self.has_state = body.has_state
        self.active_types = body.active_types
        self.may_wait = body.may_wait
        self._state = state
        self._body = body
        self._graph = graph
        placeholders = graph.inputs[len(graph.inputs) - len(values) :]
        pairs = list(zip(placeholders, values))
        self._bound = {t: v for t, v in pairs if isinstance(v, VariableHandle)}
        self._fixed = [(t, v) for t, v in pairs if not isinstance(v, VariableHandle)]
        handles = any(t._dtype.name in ("resource", "variant") for t in placeholders)
        self.is_pure = not (body.has_state or self._bound or handles)
        self._arguments = graph.inputs[: len(graph.inputs) - len(values)]
        for tensor, handle in self._bound.items():
            if tensor._dtype.name != "resource" and handle.slot.value is None:
                raise uninitialized(handle.op, handle.op._outputs[0])

    def instantiate(self, kept: dict[str, Any] | None = None) -> Call:
        """A function from arguments to results; see CapturedFunction."""
        with self._body.lock:
            plans, state = self._instance(kept)
            if "element" not in plans:
                plans["element"] = _plan(
                    self._graph, state, self._arguments, self._fixed_inputs, self._bound
                )
            plan = plans["element"]
        return functools.partial(self._called, plan, [value for _, value in self._fixed])

    def _instance(self, kept: dict[str, Any] | None) -> tuple[_Plans, State]:
        """The plans of the calls that share what ops keep, and what they keep."""
        bodies: dict[Any, tuple[_Plans, State]] = self._body.instances
        if self.has_state:
            bodies = {} if kept is None else kept.setdefault(self.name, {})
        key = tuple((tensor, handle.slot) for tensor, handle in self._bound.items())
        if key not in bodies:
            bodies[key] = {}, FunctionState(self._state) if self.has_state else self._state
        return bodies[key]

    def _called(
        self, plan: Plan, fixed: Sequence[Array], arguments: Sequence[Array]
    ) -> list[Array]:
        try:
            return call(plan, [*arguments, *fixed] if fixed else arguments)
        except errors.OpError as error:
            if not self._tags_errors:
                raise
            raise _in_function(error, self.name) from error

    def instantiate_remembering(self, kept: dict[str, Any] | None = None) -> Call:
        """As `instantiate`, for functions that get equal arguments often; see CapturedFunction."""
        function = self.instantiate(kept)
        if self.has_state or self._bound:
            return function
        return remembered(function, self._graph, self._arguments)

    def rows(self, kept: dict[str, Any] | None = None) -> Call | None:
        """A function from stacked arguments to stacked results; see CapturedFunction."""
        with self._body.lock:
            bodies, count = self._body.row_bodies, len(self._arguments)
            if count not in bodies:
                bodies[count] = row_body(self._graph, count)
            found = bodies[count]
            if found is None:
                return None
            plans, state = self._instance(kept)
            if "rows" not in plans:
                plans["rows"] = self._row_plan(state, found)
            plan = plans["rows"]
        slots = [plan.layout.slots[node.state] for node in plan.nodes if node.state is not None]
        fixed = [value for _, value in self._fixed]
        ranks = [None if t._shape is None else len(t._shape) + 1 for t in self._arguments]

        def call_rows(arguments: Sequence[Array]) -> list[Array]:
            if [array.ndim for array in arguments] != ranks:
                raise ValueError("An element has not the rank that the dataset declares.")
            with _unless_failed(state, slots):
                return call(plan, [*arguments, *fixed])

        return call_rows

    def _row_plan(self, state: State, found: RowBody) -> Plan:
        copied, sources = found
        if isinstance(state, FunctionState):
            state.sources.update(sources)
        new = dict(zip(self._graph.inputs, copied.inputs))
        bound = {new[tensor]: handle for tensor, handle in self._bound.items()}
        fixed = [new[tensor] for tensor in self._fixed_inputs]
        arguments = copied.inputs[: len(self._arguments)]
        return _plan(copied, state, arguments, fixed, bound, _TYPICAL_ROWS)

    @property
    def _fixed_inputs(self) -> list[Tensor]:
        return [tensor for tensor, _ in self._fixed]


@contextmanager
def _unless_failed(state: State, slots: Sequence[Slot]) -> Iterator[None]:
    """Takes back what ops have put into slots if a call fails; other calls wait meanwhile."""
    if not slots:
        yield
        return
    with state.op_lock:
        before = [slot.value for slot in slots]
        try:
            yield
        except BaseException:
            for slot, value in zip(slots, before):
                slot.value = value
            raise


def _plan(
    graph: FunctionGraph,
    state: State,
    arguments: Sequence[Tensor],
    fixed: Sequence[Tensor],
    bound: Mapping[Tensor, VariableHandle],
    rows: int | None = None,
) -> Plan:
    targets = [op for op in graph.get_operations() if is_active(op)]
    feeds = [*arguments, *fixed]
    return Plan(
        graph,
        state,
        graph.outputs,
        targets,
        feeds,
        bound,
        compile_after=_COMPILE_AFTER,
        awaited=True,
        typical_rows=rows,
    )


def _in_function(error: errors.OpError, name: str) -> errors.OpError:
    """The same error with the function in which it was raised."""
    message = error.message
    if not message.startswith(("{{function_node", " ")):
        tag = "" if _PLAIN_NAME.fullmatch(name) else f"{{{{function_node {name}}}}}"
        message = f"{tag} {message}"
    return errors.make_error(error.error_code, message, error.node_def, error.op, error.hint)


def _keeps_something(record: OpRecord) -> bool:
    """Whether an op keeps something between calls that only it sees."""
    return bool(record.state) and not record.resource and not record.variable


def _attrs_of(attr: Any) -> dict[str, Any]:
    """The attrs that a NameAttrList gives a function."""
    convert = GraphBase._proto_maker("python_attr")
    return {key: convert(value) for key, value in attr.attr.items()}


def _active_types(body: FunctionGraph) -> set[str]:
    """The types of the ops that do more than compute, in a body and the functions that it names."""
    pending, seen, found = [body], set(), set()
    while pending:
        graph = pending.pop()
        if id(graph) in seen:
            continue
        seen.add(id(graph))
        for op in graph.get_operations():
            names = [attr.name for attr in op._record.schema.attrs if "func" in attr.type]
            if names or op._record.stateful:
                found.add(op.type)
            for name in names:
                value = op._attrs[name]
                for attr in value if isinstance(value, list) else [value]:
                    function = graph._get_function(attr.name)
                    if function is not None:
                        pending.append(function.body(_attrs_of(attr)))
    return found


def _records_of(body: FunctionGraph) -> list[OpRecord]:
    """The records of the ops of a body, and of the functions that it calls."""
    pending, seen = [body], set()
    records: dict[OpRecord, None] = {}
    while pending:
        graph = pending.pop()
        if id(graph) in seen:
            continue
        seen.add(id(graph))
        for op in graph.get_operations():
            records.setdefault(op._record)
            if op._record.body is not None:
                pending.append(op._record.body(op))
    return list(records)
