"""Calls of functions from kernels, such as those of datasets, with the state of a session."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.function_runtime import VariableHandle
from headwater.base.typing import Array
from headwater.engine.nodes.kernels import uninitialized
from headwater.engine.running.executor import call
from headwater.engine.running.plan import Plan
from headwater.engine.state import FunctionState, State
from headwater.graph import Graph, Operation
from headwater.graph.functions import FunctionGraph
from headwater.graph.graph_base import GraphBase

# A body runs once per element, and most are small: only a long dataset pays for a compilation.
_COMPILE_AFTER = 200


class SessionFunctions:
    """The FunctionRuntime of a session.

    Args:
        state: what the session keeps.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def captured(self, graph: Graph, attr: Any, values: Sequence[Array]) -> _CapturedFunction:
        """The function that an attr of an op names, with values that it has captured."""
        function = graph._get_function(attr.name)
        if function is None:
            raise ValueError(f"Function {attr.name} is not defined.")
        convert = GraphBase._proto_maker("python_attr")
        attrs = {key: convert(value) for key, value in attr.attr.items()}
        return _CapturedFunction(self._state, attr.name, function.body(attrs), values)


class _CapturedFunction:
    """A function's body with the values of its last arguments."""

    def __init__(
        self, state: State, name: str, body: FunctionGraph, values: Sequence[Array]
    ) -> None:
        self.name = name
        self._state = state
        self._body = body
        placeholders = body.inputs[len(body.inputs) - len(values) :]
        pairs = list(zip(placeholders, values))
        self._bound = {t: v for t, v in pairs if isinstance(v, VariableHandle)}
        self._fixed = [(t, v) for t, v in pairs if not isinstance(v, VariableHandle)]
        self._arguments = body.inputs[: len(body.inputs) - len(values)]
        for tensor, handle in self._bound.items():
            if tensor._dtype.name != "resource" and handle.slot.value is None:
                raise uninitialized(handle.op, handle.op._outputs[0])
        self.has_state = _keeps_state(body)
        self._lock = threading.Lock()
        self._shared: Plan | None = None

    def instantiate(self) -> Callable[[Sequence[Array]], list[Array]]:
        """A function from arguments to results; see CapturedFunction."""
        fixed = [value for _, value in self._fixed]
        if self.has_state:
            plan = self._plan(FunctionState(self._state))
        else:
            with self._lock:
                if self._shared is None:
                    self._shared = self._plan(self._state)
            plan = self._shared
        if not fixed:
            return functools.partial(call, plan)
        return lambda arguments: call(plan, [*arguments, *fixed])

    def _plan(self, state: State) -> Plan:
        feeds = [*self._arguments, *(tensor for tensor, _ in self._fixed)]
        targets = [op for op in self._body.get_operations() if _has_effect(op)]
        return Plan(
            self._body, state, self._body.outputs, targets, feeds, self._bound, _COMPILE_AFTER
        )


def _has_effect(op: Operation) -> bool:
    record = op._record
    if record.variable or record.name in ("Placeholder", "PlaceholderV2"):
        return False
    return bool(record.stateful or record.checks or not op._outputs)


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
