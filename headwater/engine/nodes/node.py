"""A node: one op of a run, with its kernel and the indices of its values."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.dead import DEAD
from headwater.engine import trace
from headwater.engine.nodes.kernels import failure, host_call, located, uninitialized
from headwater.engine.nodes.layout import NOTHING, Layout, Values
from headwater.engine.state import Memory, Pending, on_host
from headwater.graph import Operation, OpRecord
from headwater.graph.shapes import is_static

# What a kernel may raise.
KERNEL_ERRORS = (
    errors.OpError,
    ValueError,
    TypeError,
    IndexError,
    ZeroDivisionError,
    OverflowError,
    MemoryError,
    RuntimeError,
)


class Node:
    """One op of a plan, with its kernel and the indices of what it reads and makes."""

    __slots__ = (
        "alive",
        "call",
        "guards",
        "handle",
        "host",
        "inputs",
        "layout",
        "op",
        "outputs",
        "reads",
        "record",
        "released",
        "slots_read",
        "state",
        "twins",
        "updates",
    )

    def __init__(
        self, layout: Layout, op: Operation, host: bool, record: OpRecord | None = None
    ) -> None:
        self.layout = layout
        self.op = op
        # Ops that do the same work on the same inputs, and so have no nodes.
        self.twins: list[Operation] = []
        self.record = record or op._record
        self.host = host
        self.call: Callable[..., Any] = host_call(op, self.record, layout.state.functions)
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.updates: list[int] = []
        # The index of what the op keeps between runs.
        self.state: int | None = None
        # The resource that the op has found, and what it has returned for it.
        self.handle: tuple[Any, Any] | None = None
        # Indices of values that keep the node from running if they are dead.
        self.guards: list[int] = []
        # Indices of outputs, each with an index for segments that only test whether it is dead.
        self.alive: list[tuple[int, int]] = []
        self.reads: list[int] = []
        # Those of the inputs that are variables.
        self.slots_read: list[int] = []
        self.released: list[int] = []

    def __repr__(self) -> str:
        return f"<{'host' if self.host else 'device'} {self.op.type} {self.op.name!r}>"

    @property
    def members(self) -> tuple[Operation, ...]:
        """The op, and those that it stands for."""
        return (self.op, *self.twins)

    def note_dynamic_shapes(self) -> None:
        """Notes those outputs whose shapes may change from run to run, for a node on the host."""
        for index, tensor in zip(self.outputs, self.op._outputs):
            if not is_static(tensor._shape):
                self.layout.dynamic_shapes[index] = (self.record.name, tensor._value_index)

    def run(self, values: Values, pending: Pending) -> None:
        """Runs the node on the host with the variables that it reads and updates."""
        if self.updates or (self.state is not None and not self.record.resource):
            self._run_in_turn(values, pending)
        else:
            self._run(values, pending)
        self.note_alive(values)

    def _run_in_turn(self, values: Values, pending: Pending) -> None:
        """Runs an op that updates variables or what it keeps, so that no update is lost."""
        state, slots = self.layout.state, self.layout.slots
        with state.lock if self.updates else state.op_lock:
            if state.unpublished:
                self._settle(pending)
            self._run(values, pending)
            if self.state is not None and state.takes_turns and slots[self.state] in pending:
                slots[self.state].value = pending.pop(slots[self.state])
            with state.lock:
                state.hold(pending)

    def _settle(self, pending: Pending) -> None:
        """Publishes what other runs hold of the variables and the state that the op updates."""
        updated = self.updates if self.state is None else [*self.updates, self.state]
        with self.layout.lock:
            self.layout.state.settle([self.layout.slots[i] for i in updated], pending)

    def note_alive(self, values: Values) -> None:
        """Sets the values by which segments test whether an output is dead."""
        for output, alive in self.alive:
            values[alive] = DEAD if values[output] is DEAD else NOTHING

    def _run(self, values: Values, pending: Pending) -> None:
        slots, read = self.layout.slots, self.slots_read
        if pending and self.record.exchanges:
            self.layout.publish(pending)
        state = [] if self.state is None else [self.state]
        if not read and not state:
            run_node(self, values)
            return
        if self.handle is not None and self._repeat_handle(values):
            return
        if self.record.existence_only and not trace.tracers:
            for index in read:
                values[index] = self.layout.existence(slots[index], pending)
            run_node(self, values)
            return
        for index in (*read, *state):
            values[index] = self.layout.read(slots[index], pending)
        before = [values[i] for i in read]
        before_state = values[state[0]] if state else None
        if self.record.opaque:
            # Such a node may keep the array, which must not change with the variable.
            for index in read:
                values[index] = np.array(values[index])
        if not run_node(self, values):
            return
        if before:
            # A view of a variable would change with it when a program reuses its buffer.
            memory = Memory(before)
            for index in (*self.outputs, *self.updates):
                values[index] = memory.unaliased(values[index])
        for index in self.updates:
            pending[slots[index]] = values[index]
        # A resource stays the same object.
        if state and values[state[0]] is not before_state:
            pending[slots[state[0]]] = values[state[0]]
        elif state and self.record.resource and not self.guards and _is_handle(self.op):
            self.handle = before_state, values[self.outputs[0]]

    def _repeat_handle(self, values: Values) -> bool:
        """Returns the handle of the last run, if the session still keeps the same resource."""
        assert self.handle is not None and self.state is not None
        resource, handle = self.handle
        if trace.tracers or self.layout.slots[self.state].value is not resource:
            return False
        values[self.state] = resource
        values[self.outputs[0]] = handle
        return True


def _is_handle(op: Operation) -> bool:
    """Whether an op returns the handle of its resource, and nothing that changes."""
    if op.inputs or len(op.outputs) != 1:
        return False
    dtype = op.outputs[0].dtype
    return dtype == dtypes.resource or dtype._is_ref_dtype


def run_node(node: Node, values: Values) -> bool:
    """Runs one node on the host and stores its results.

    Returns:
        False if the node is dead, and so are its outputs now.
    """
    start = time.perf_counter_ns() if trace.tracers else 0
    is_dead = bool(node.guards) and any(values[i] is DEAD for i in node.guards)
    if is_dead and not node.record.joins:
        return kill(node, values)
    inputs: list[Any] = []
    for index in node.inputs:
        value = DEAD if is_dead else values[index]
        if type(value) is not np.ndarray:
            if value is DEAD and not node.record.joins:
                return kill(node, values)
            value = value if node.record.opaque else on_host(value)
            if value is None and not node.record.allows_uninitialized:
                if not node.record.joins and any(values[i] is DEAD for i in node.inputs):
                    return kill(node, values)
                slot = node.layout.slots.get(index)
                name = None if slot is None else slot.name
                container = node.layout.state.default_container
                raise uninitialized(node.op, node.op._inputs[len(inputs)], name, container)
        inputs.append(value)
    if start and node.record is node.op._record and (seer := trace.value_seer()) is not None:
        for op in node.members:
            seer.see_inputs(op, inputs)
    try:
        if node.state is None:
            results = node.call(*inputs)
        else:
            results, values[node.state] = node.call(*inputs, state=on_host(values[node.state]))
    except KERNEL_ERRORS as error:
        raise_located(error, node.op)
    if type(results) is np.ndarray and not node.updates and node.outputs:
        # As `store` does it, for most nodes.
        values[node.outputs[0]] = results
    else:
        store(node, results, values)
    if start and node.record is node.op._record:
        results = [values[i] for i in node.outputs or node.updates]
        trace.note_op(node.op, start, results)
        for op in node.twins:
            trace.note_op(op, time.perf_counter_ns(), results)
    return True


def raise_located(error: Exception, op: Operation) -> NoReturn:
    """Raises the error of a kernel as an error of its op."""
    if isinstance(error, errors.OpError):
        raise located(error, op) from None
    if isinstance(error, (MemoryError, RuntimeError)):
        raise failure(error, op) from error
    raise located(errors.InvalidArgumentError(None, None, str(error)), op) from error


def kill(node: Node, values: Any) -> bool:
    """Makes the outputs of a node dead; returns False."""
    for index in node.outputs:
        values[index] = DEAD
    return False


def store(node: Node, results: Any, values: Values) -> None:
    """Stores the results of a kernel: new values of variables come first."""
    if not isinstance(results, (tuple, list)):
        results = () if results is None else (results,)
    updates = node.updates
    if updates:
        for index, value in zip(updates, results):
            values[index] = value
        results = results[len(updates) :]
    for index, value in zip(node.outputs, results):
        values[index] = value
