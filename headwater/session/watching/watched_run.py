"""A run that hands out the values of watched tensors as they are made."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dead import DEAD
from headwater.engine.analysis.control_flow import (
    ENTERS,
    EXITS,
    LOOP_CONDITIONS,
    MERGES,
    NEXT_ITERATIONS,
    SWITCHES,
)
from headwater.engine.analysis.variables import is_alias, variable_of
from headwater.engine.nodes.layout import NOTHING
from headwater.engine.state import State, on_host
from headwater.engine.trace import LoopStage, Tracer
from headwater.graph import Operation, Tensor, lookup
from headwater.session.run_graph import RunGraph
from headwater.session.watching.debug_graph import DebugGraph
from headwater.session.watching.dump import Dump, tensor_proto
from headwater.session.watching.watches import DebugOp, Watches

# Nodes of loops hand their first input on; no step of the engine stands for them.
_PASSING = ENTERS | EXITS | SWITCHES | NEXT_ITERATIONS | LOOP_CONDITIONS


class WatchedGraph:
    """What a session keeps of a kind of run and its watches.

    Args:
        graph: the nodes of the run.
        options: the DebugOptions of the run.

    Attributes:
        watches: the watches.
        debug_graph: the nodes with the debug nodes.
        partitions: the GraphDef of each device, by the device's name.
        fetched: the fetched tensors, after the calls of functions have been inlined.
        runs: how often it has run.

    Raises:
        OpError: if a watch is not valid.
    """

    def __init__(self, graph: RunGraph, options: Any) -> None:
        self.watches = Watches(options)
        self.debug_graph = DebugGraph(graph, self.watches)
        self.partitions = self.debug_graph.partitions()
        self.fetched = graph.fetched
        self.runs = 0


class Watcher(Tracer):
    """Sees the values of one run and writes the watched ones.

    A tensor for which the engine has no step of its own (a constant, a variable, what passes
    through a loop) is seen when a step takes it, with the value that the step takes.

    Args:
        graph: the watched graph.
        dump: where the values are written.
    """

    sees_values = True

    def __init__(self, graph: WatchedGraph, dump: Dump) -> None:
        super().__init__(by_op=True)
        self._fetched = graph.fetched
        self._watched = graph.debug_graph.watched
        self._nodes = graph.debug_graph.nodes
        self._dump = dump
        self._seen: set[Tensor] = set()
        # The values of loop variables in the current iteration.
        self._variables: dict[Tensor, Any] = {}
        self._lock = threading.RLock()

    def begin(self, fed: Sequence[Tensor], feeds: Sequence[Any], state: State) -> None:
        """Writes what is there before anything runs: feeds, variables and constants."""
        self._seen.update(fed)
        for position, (tensor, value) in enumerate(zip(fed, feeds)):
            name = f"_arg_{tensor._op._name}_{tensor._value_index}_{position}"
            self._write(name, 0, tensor, value)
        for op in (node.op for node in self._nodes.values() if node.op is not None):
            if op._record.variable and op._outputs[0] not in self._seen:
                self._emit(op._outputs[0], on_host(state.slot_of(op).value))
            elif op._record.name == "Const" and not op._control_inputs:
                self._take(op._outputs[0], op._attrs["value"])

    def end(self, values: Sequence[Any]) -> None:
        """Writes fetched tensors that no step has made."""
        for tensor, value in zip(self._fetched, values):
            self._take(tensor, value)

    # What the engine tells

    def see_inputs(self, op: Operation, inputs: list[Any]) -> None:
        with self._lock:
            for tensor, value in zip(op._inputs, inputs):
                if value is not NOTHING:
                    self._take(tensor, value)

    def see(self, op: Operation, values: list[Any]) -> None:
        with self._lock:
            for tensor, value in zip(op._outputs, values):
                if value is not NOTHING:
                    self._emit(tensor, value)

    def see_loop(self, loop: Any, stage: LoopStage, values: list[Any]) -> None:
        with self._lock:
            if stage is LoopStage.BEGIN:
                for op in loop.members:
                    self._seen.difference_update(op._outputs)
                self._variables.update(dict.fromkeys(_merges(loop)))
            elif stage is LoopStage.ENTERED:
                self._enter_iteration(loop, values)
            elif stage is LoopStage.NEXT:
                for op in _of_types(loop, NEXT_ITERATIONS):
                    self._take(op._outputs[0], _value(loop, op._inputs[0], values))
            elif stage is LoopStage.END:
                for op in _of_types(loop, EXITS):
                    self._take(op._outputs[0], _value(loop, op._inputs[0], values))
            else:
                self._decide(loop, int(stage is LoopStage.GOES_ON))

    def _enter_iteration(self, loop: Any, values: list[Any]) -> None:
        merges = _merges(loop)
        first = all(self._variables[merge] is None for merge in merges)
        for op in loop.members:
            if op._record.name not in ENTERS:
                self._seen.difference_update(op._outputs)
        for merge in merges:
            value = self._variables[merge] = _value(loop, merge, values)
            op = merge._op
            if first:
                self._take(op._inputs[0], value)
            self._emit(op._outputs[1], np.array(0 if first else 1, np.int32))
            self._emit(merge, value)

    def _decide(self, loop: Any, branch: int) -> None:
        """Sees the predicate of a loop, and what the switches hand on."""
        for op in _of_types(loop, LOOP_CONDITIONS):
            self._take(op._outputs[0], np.array(bool(branch)))
        for op in _of_types(loop, SWITCHES):
            if op._inputs[1]._op._record.name in LOOP_CONDITIONS:
                value = self._variables.get(op._inputs[0])
                if value is not None:
                    self._take(op._outputs[branch], value)

    # Values

    def _take(self, tensor: Tensor, value: Any) -> None:
        """Sees a tensor that a step takes, unless it has been seen."""
        if tensor in self._seen or value is DEAD:
            return
        op = tensor._op
        if op._record.name in _PASSING or (is_alias(op) and op._inputs):
            self._take(op._inputs[0], value)
        self._emit(tensor, value)

    def _emit(self, tensor: Tensor, value: Any) -> None:
        self._seen.add(tensor)
        if value is not DEAD:
            self._write(tensor._op._name, tensor._value_index, tensor, value)

    def _write(self, name: str, slot: int, tensor: Tensor, value: Any) -> None:
        debug_ops = self._watched.get((name, slot))
        if not debug_ops:
            return
        value = on_host(value)
        device = self._nodes[name].device.name
        for op in debug_ops:
            proto = _debug_output(op, tensor, value)
            if proto is not None:
                self._dump.tensor(op.urls, device, name, slot, op.type, proto, op.is_gated)


def _merges(loop: Any) -> list[Tensor]:
    """The loop variables of plain values, at the start of an iteration."""
    found = []
    for op in _of_types(loop, MERGES):
        if any(t._op._record.name in NEXT_ITERATIONS for t in op._inputs):
            tensor = op._outputs[0]
            if variable_of(tensor, loop.layout.fed) is None:
                found.append(tensor)
    return found


def _of_types(loop: Any, types: frozenset[str]) -> list[Operation]:
    inner = {op for node in loop.nodes if hasattr(node, "exits") for op in node.members}
    ops = [op for op in loop.members if op._record.name in types and op not in inner]
    return sorted(ops, key=lambda op: op._id_value)


def _value(loop: Any, tensor: Tensor, values: list[Any]) -> Any:
    """The value of a tensor of a loop; DEAD if it has none of its own."""
    index = loop.layout.index(tensor)
    if index >= len(values) or values[index] is None:
        return DEAD
    return values[index]


def _debug_output(op: DebugOp, tensor: Tensor, value: Any) -> Any:
    """What a debug op says of a value, as a TensorProto; None if it has nothing to say."""
    if op.type == "DebugIdentity":
        return tensor_proto(value, tensor._dtype, tensor._shape, tensor._op._name)
    is_array = isinstance(value, (np.ndarray, np.generic))
    if op.type == "DebugNanCount":
        count = _kernel(op.type)(np, np.asarray(value)) if is_array else 0
        result = np.array([count], np.int64)
        return tensor_proto(result, dtypes.int64, (1,))
    if not is_array:
        return _summary_of_nothing(tensor)
    result = _kernel(op.type)(
        np,
        np.asarray(value),
        T=tensor._dtype.base_dtype,
        lower_bound=op.attrs["lower_bound"],
        upper_bound=op.attrs["upper_bound"],
    )
    nan, low, high = result[2], result[3], result[7]
    if op.attrs["mute_if_healthy"] and not (nan or low or high):
        return None
    return tensor_proto(result, dtypes.float64, result.shape)


def _summary_of_nothing(tensor: Tensor) -> Any:
    """The DebugNumericSummary of a tensor without a value."""
    dims = list(tensor._shape or ())
    measured = [np.inf, -np.inf, np.nan, np.nan]
    about = [tensor._dtype.base_dtype.as_datatype_enum, len(dims), *(dim or 0 for dim in dims)]
    result = np.array([*[0] * 8, *measured, *about], np.float64)
    return tensor_proto(result, dtypes.float64, result.shape)


def _kernel(op_type: str) -> Any:
    return lookup(op_type).kernel
