"""Calls of functions from kernels, such as those of datasets, with the state of a session."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from headwater.base import errors
from headwater.base.function_runtime import VariableHandle
from headwater.base.typing import Array
from headwater.engine.analysis.inlining import is_active
from headwater.engine.nodes.kernels import uninitialized
from headwater.engine.running.executor import call
from headwater.engine.running.plan import Plan
from headwater.engine.running.remembered_calls import remembered
from headwater.engine.state import FunctionState, State
from headwater.graph import Graph, Tensor
from headwater.graph.functions import FunctionGraph
from headwater.graph.graph_base import GraphBase
from headwater.graph.row_functions.body import row_body

# A body runs once per element, and most are small: only a long dataset pays for a compilation.
_COMPILE_AFTER = 200

# What the work of a function of rows is estimated for: a usual batch.
_TYPICAL_ROWS = 128

Call: TypeAlias = Callable[[Sequence[Array]], list[Array]]


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

    def keep(self, resource: Any) -> None:
        """Keeps a resource that no op keeps, until it is released or the session is closed."""
        self._state.anonymous[id(resource)] = resource

    def release(self, resource: Any) -> None:
        """Forgets a resource that `keep` keeps."""
        self._state.anonymous.pop(id(resource), None)

    def captured(self, graph: Graph, attr: Any, values: Sequence[Array]) -> _CapturedFunction:
        """The function that an attr of an op names, with values that it has captured."""
        function = graph._get_function(attr.name)
        if function is None:
            raise ValueError(f"Function {attr.name} is not defined.")
        convert = GraphBase._proto_maker("python_attr")
        attrs = {key: convert(value) for key, value in attr.attr.items()}
        return self._function_of(attr.name, function.body(attrs), values)

    def of_body(self, body: FunctionGraph) -> _CapturedFunction:
        """The function of a FunctionGraph that captures nothing."""
        return self._function_of(body.name, body, [])

    def _function_of(
        self, name: str, graph: FunctionGraph, values: Sequence[Array]
    ) -> _CapturedFunction:
        with self._lock:
            body = self._bodies.get(graph)
            if body is None:
                body = self._bodies[graph] = _Body(graph)
        return _CapturedFunction(self._state, name, body, graph, values)


class _Body:
    """What the calls of a function share.

    Attributes:
        has_state: whether an op keeps something between calls.
        active_types: the types of the ops that have effects or states, or call other functions.
        plans: the plans, by the variables that are bound and whether they take rows.
        lock: is held while plans are looked up and made.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        self.has_state = _keeps_state(graph)
        self.active_types = frozenset(
            op.type
            for op in graph.get_operations()
            if op._record.stateful or any("func" in attr.type for attr in op._record.schema.attrs)
        )
        self.plans: dict[Any, Plan | None] = {}
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
    ) -> None:
        self.name = name
        self.has_state = body.has_state
        self.active_types = body.active_types
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
        key = tuple((tensor, handle.slot) for tensor, handle in self._bound.items())
        plans = self._body.plans
        if self.has_state:
            plans = {} if kept is None else kept.setdefault(self.name, {})
        with self._body.lock:
            plan = plans.get(key)
            if plan is None:
                state = FunctionState(self._state) if self.has_state else self._state
                plan = plans[key] = _plan(
                    self._graph, state, self._arguments, self._fixed_inputs, self._bound
                )
        return functools.partial(self._called, plan, [value for _, value in self._fixed])

    def _called(
        self, plan: Plan, fixed: Sequence[Array], arguments: Sequence[Array]
    ) -> list[Array]:
        try:
            return call(plan, [*arguments, *fixed] if fixed else arguments)
        except errors.OpError as error:
            raise _in_function(error, self.name) from error

    def instantiate_remembering(self, kept: dict[str, Any] | None = None) -> Call:
        """As `instantiate`, for functions that get equal arguments often; see CapturedFunction."""
        function = self.instantiate(kept)
        if self.has_state or self._bound:
            return function
        return remembered(function, self._graph, self._arguments)

    def rows(self) -> Call | None:
        """A function from stacked arguments to stacked results; see CapturedFunction."""
        if self.has_state:
            return None
        key = ("rows", *((tensor, handle.slot) for tensor, handle in self._bound.items()))
        plans = self._body.plans
        with self._body.lock:
            if key not in plans:
                plans[key] = self._row_plan()
            plan = plans[key]
        if plan is None:
            return None
        fixed = [value for _, value in self._fixed]
        ranks = [None if t._shape is None else len(t._shape) + 1 for t in self._arguments]

        def call_rows(arguments: Sequence[Array]) -> list[Array]:
            if [array.ndim for array in arguments] != ranks:
                raise ValueError("An element has not the rank that the dataset declares.")
            return call(plan, [*arguments, *fixed])

        return call_rows

    def _row_plan(self) -> Plan | None:
        copied = row_body(self._graph, len(self._arguments))
        if copied is None:
            return None
        new = dict(zip(self._graph.inputs, copied.inputs))
        bound = {new[tensor]: handle for tensor, handle in self._bound.items()}
        fixed = [new[tensor] for tensor in self._fixed_inputs]
        arguments = copied.inputs[: len(self._arguments)]
        return _plan(copied, self._state, arguments, fixed, bound, _TYPICAL_ROWS)

    @property
    def _fixed_inputs(self) -> list[Tensor]:
        return [tensor for tensor, _ in self._fixed]


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
    work = _COMPILE_AFTER, True, rows
    return Plan(graph, state, graph.outputs, targets, feeds, bound, *work)


def _in_function(error: errors.OpError, name: str) -> errors.OpError:
    """The same error with the function in which it was raised."""
    message = error.message
    if not message.startswith("{{function_node"):
        message = f"{{{{function_node {name}}}}} {message}"
    return errors.make_error(error.error_code, message, error.node_def, error.op, error.hint)


def _keeps_state(body: FunctionGraph) -> bool:
    """Whether an op of a body, or of a function that it calls, keeps something between calls."""
    pending, seen = [body], set()
    while pending:
        graph = pending.pop()
        if id(graph) in seen:
            continue
        seen.add(id(graph))
        for op in graph.get_operations():
            record = op._record
            if record.state and not record.resource and not record.variable:
                return True
            if record.body is not None:
                pending.append(record.body(op))
    return False
