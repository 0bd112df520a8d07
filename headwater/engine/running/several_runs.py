"""Several runs at a time of an op that enqueues what is computed of a record or an element.

The threads of a queue runner run one op again and again: it takes a record from a reader, or an
element from another queue, computes something of it and enqueues the result. Here as many of them
as there is room for are computed together. What can be seen of it is what that many runs do that
nothing comes between: in one step, the source gives them away and the queue gets the results. Until
then nothing has changed: the source has only been looked at, and whoever else asks it for one gets
the first of them. Whatever would wait, fail or end a file is left to a run of its own.

What is computed of the elements is one call for all of them where all ops have rules for that
(graph/row_functions), else a call for each, in several threads (element_calls.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.engine.analysis.ordering import needed_ops
from headwater.engine.analysis.placement import physical_placement
from headwater.engine.running.drawn_numbers import (
    DrawnNumbers,
    DrawnStates,
    Draws,
    with_given_state,
)
from headwater.engine.running.element_calls import ElementCalls
from headwater.engine.running.run_sources import Elements, Files, Records, Source
from headwater.engine.state import Slot, State
from headwater.graph import Operation, Tensor, build
from headwater.graph.builders import node_of_parts
from headwater.graph.functions import FunctionGraph

_READS = ("ReaderRead", "ReaderReadV2")
_DEQUEUES = ("QueueDequeue", "QueueDequeueV2")
_ENQUEUES = ("QueueEnqueue", "QueueEnqueueV2")
_WHOLE_FILES = ("WholeFileReader", "WholeFileReaderV2")
_KEEPS_SPARSE = "AddSparseToTensorsMap"
# Only checks, though it is stateful.
_CHECKS = "Assert"

_MOST_RUNS = 128

# After so many failures in succession, all runs are alone.
_PATIENCE = 3


class SeveralRuns:
    """The runs of one op by one thread, several at a time.

    Args:
        parts: what the op needs.
        state: what the session keeps.
    """

    def __init__(self, parts: _Parts, state: State) -> None:
        self._queue = state.slot_of(parts.queue)
        self._source = _source_of(parts.source, state)
        self._maps: list[tuple[Slot, Any]] = [
            (state.slot_of(op), op._attrs["T"]) for op in parts.keepers
        ]
        self._components = len(parts.enqueue._inputs) - 1
        self._types = parts.enqueue._attrs["Tcomponents"]
        # Kept, because the session's functions keep nothing alive.
        self._body = _body_of(parts)
        self._drawn = [DrawnNumbers(op, state) for op in parts.random]
        self._drawn += [DrawnStates(op, state) for op in parts.seeded]
        rows = _call_of(self._body, state)
        self._elements = None if rows is not None else _element_calls(self._body, parts, state)
        self._call = rows or self._elements
        self._failures = 0
        # How many runs come alone, because one of them fails.
        self._alone = 0

    def run(self, is_stopped: Callable[[], bool]) -> bool:
        """Does several runs, if none of them has to wait.

        Args:
            is_stopped: whether no more runs are wanted.

        Returns:
            Whether it has done any. If not, the next one has to be done alone.
        """
        if self._alone:
            self._alone -= 1
            return False
        queue = self._queue.value
        if self._call is None or queue is None or queue.types != self._types:
            return False
        try:
            most = _MOST_RUNS
            if self._elements is not None:
                most = min(most, self._elements.most)
            arguments = self._source.look_ahead(lambda: queue.room(most))
            if not arguments or len(arguments[0]) < 2:
                return False
            return self._run_of(arguments, queue, is_stopped)
        finally:
            self._source.leave()

    def _run_of(
        self, arguments: list[np.ndarray], queue: Any, is_stopped: Callable[[], bool]
    ) -> bool:
        """As many runs as arguments are stacked, or the first of them."""
        count = len(arguments[0])
        maps = [slot.value for slot, _ in self._maps]
        if None in maps:
            return False
        handles = [tensors.reserve(count) for tensors in maps]
        used = 0
        try:
            numbers = [np.array(reserved, np.int64) for reserved in handles]
            results = self._results([*arguments, *numbers], count)
            if results is None or not queue.accepts_rows(results[: self._components]):
                self._note_failure(count)
                return False
            sparse = list(zip(maps, self._maps, handles, results[self._components :]))

            def admit(fitting: int) -> int:
                taken = 0 if is_stopped() else self._source.take(fitting)
                for tensors, (_, dtype), reserved, rows in sparse:
                    for number, parts in zip(reserved[:taken], rows.tolist()):
                        tensors.add_reserved(number, *parts, dtype)
                return taken

            used = int(queue.enqueue_rows(results[: self._components], admit))
        finally:
            for op in self._drawn:
                op.settle(used)
            for tensors, reserved in zip(maps, handles):
                tensors.release(reserved[used:])
        self._failures = 0
        return used > 0

    def _results(self, arguments: list[np.ndarray], count: int) -> list[Any] | None:
        """The results, stacked or as lists; None if one of the runs fails."""
        assert self._call is not None
        try:
            drawn = [op.draw(count) for op in self._drawn]
            results = self._call([*arguments, *drawn])
            if self._elements is None:
                results = [np.asarray(result) for result in results]
        except Exception:
            # A run alone raises it, when its turn comes.
            return None
        return results if all(len(result) == count for result in results) else None

    def _note_failure(self, count: int) -> None:
        self._failures += 1
        self._alone = count
        if self._failures == _PATIENCE:
            self._call = None


class _Parts:
    """What an enqueue op needs.

    Attributes:
        enqueue: the op.
        source: the op that reads a record or takes an element from another queue.
        queue: the op that makes the queue.
        keepers: the ops that keep sparse tensors in a map and enqueue their handles.
        random: the ops with a state, which depend on nothing else.
        seeded: ops with a state that depend on their inputs, too.
        work: all ops but the keepers and the random ones, in order: they depend on nothing but each
            other, the source, the random ops and the states of the seeded ones.
    """

    def __init__(
        self, enqueue: Operation, source: Operation, rest: Sequence[Operation], draws: Draws
    ) -> None:
        self.enqueue = enqueue
        self.source = source
        self.queue = enqueue._inputs[0]._op
        self.keepers = [op for op in rest if op._record.name == _KEEPS_SPARSE]
        self.random = [op for op in rest if draws.numbers(op)]
        others = {*self.keepers, *self.random}
        self.work = [op for op in _in_order(rest) if op not in others]
        self.seeded = [op for op in self.work if draws.states(op)]


def several_runs(op: Operation, state: State) -> SeveralRuns | None:
    """The runs of an op, several at a time; None if it may have to be run alone."""
    parts = _parts_of(op, state)
    if parts is None:
        return None
    try:
        runs = SeveralRuns(parts, state)
    except (KeyError, ValueError, TypeError):
        # Ops that the body of a function cannot have.
        return None
    return None if runs._call is None else runs


def _parts_of(op: Operation, state: State) -> _Parts | None:
    if op._record.name not in _ENQUEUES:
        return None
    ops = needed_ops([], [op], ())
    sources = [o for o in ops if o._record.name in _READS + _DEQUEUES]
    if len(sources) != 1:
        return None
    source = sources[0]
    made = {op._inputs[0]._op, *(tensor._op for tensor in source._inputs)}
    rest = [o for o in ops if o not in made and o is not op and o is not source]
    if any(o._control_inputs for o in (op, source, *made)):
        return None
    if any(not o._record.resource or o._inputs for o in made):
        return None
    # A queue may have several nodes.
    slots = {state.slot_of(o) for o in made}
    draws = Draws(_in_order(ops))
    if len(slots) != 1 + len(source._inputs):
        return None
    if not all(_is_pure(o) or draws.numbers(o) or draws.states(o) for o in rest):
        return None
    if physical_placement(ops, state.devices) is not None:
        return None
    return _Parts(op, source, rest, draws)


def _in_order(ops: Sequence[Operation]) -> list[Operation]:
    """Ops with those first on which others depend: a Switch may be younger than what it feeds."""
    order: dict[Operation, None] = {}
    begun: set[Operation] = set()
    wanted = set(ops)
    stack = list(reversed(ops))
    while stack:
        op = stack[-1]
        if op in begun:
            order.setdefault(stack.pop())
            continue
        begun.add(op)
        sources = [*(tensor._op for tensor in op._inputs), *op._control_inputs]
        stack.extend(source for source in sources if source in wanted and source not in begun)
    return list(order)


def _is_pure(op: Operation) -> bool:
    """Whether an op depends on nothing but its inputs, or keeps a sparse tensor."""
    record = op._record
    if record.name == _KEEPS_SPARSE:
        return not op._control_inputs
    return not (
        (record.stateful and record.name != _CHECKS)
        or record.state
        or record.variable
        or record.resource
        or record.updates
        or record.exchanges
        or record.calls_python
        or record.body
        or any(t._dtype._is_ref_dtype for t in (*op._inputs, *op._outputs))
    )


def _body_of(parts: _Parts) -> FunctionGraph:
    """A function of what the source gives, handles of sparse tensors, random numbers and states.

    It returns the components of the element, and the sparse tensors.
    """
    graph = FunctionGraph("enqueued")
    graph._functions = parts.enqueue._graph._functions
    new: dict[Tensor, Tensor] = {}
    for tensor in parts.source._outputs:
        new[tensor] = graph.add_input(tensor._dtype, tensor._shape, "element")
    for op in parts.keepers:
        new[op._outputs[0]] = graph.add_input(dtypes.int64, (), "handle")
    for op in parts.random:
        new[op._outputs[0]] = graph.add_input(op._outputs[0]._dtype, op._outputs[0]._shape, "drawn")
    states = {op: graph.add_input(dtypes.uint32, None, "kept") for op in parts.seeded}
    # What an op waits for: what comes from outside has been before all of them.
    waited: dict[Operation, list[Operation]] = {op: [] for op in (parts.source, *parts.random)}
    with graph.as_default():
        for op in parts.work:
            attrs = {key: value for key, value in op._attrs.items() if not key.startswith("_")}
            inputs = [new[tensor] for tensor in op._inputs]
            record = op._record
            if op in states:
                record, inputs = with_given_state(record), [*inputs, states[op]]
            before = [new_op for control in op._control_inputs for new_op in waited[control]]
            with graph.control_dependencies(before):
                copied = node_of_parts(graph, record, inputs, attrs, graph.new_name(op._name))
            waited[op] = [copied]
            for tensor, original in zip(copied._outputs, op._outputs):
                tensor.set_shape(original._shape)
                new[original] = tensor
        sparse = [
            build.SerializeSparse(*(new[t] for t in op._inputs), out_type=dtypes.variant)
            for op in parts.keepers
        ]
    graph.outputs = [*(new[tensor] for tensor in parts.enqueue._inputs[1:]), *sparse]
    return graph


def _call_of(
    body: FunctionGraph, state: State
) -> Callable[[Sequence[np.ndarray]], list[np.ndarray]] | None:
    """The function of stacked arguments; None if there is none."""
    if all(tensor in body.inputs for tensor in body.outputs):
        positions = [body.inputs.index(tensor) for tensor in body.outputs]
        return lambda arguments: [arguments[i] for i in positions]
    assert state.functions is not None
    return state.functions.of_body(body).rows()


def _element_calls(body: FunctionGraph, parts: _Parts, state: State) -> ElementCalls | None:
    """The function of stacked arguments that calls the body for each element.

    None if sparse tensors are kept.
    """
    if parts.keepers:
        return None
    assert state.functions is not None
    return ElementCalls(state.functions.of_body(body).instantiate())


def _source_of(op: Operation, state: State) -> Source:
    """What an op that reads a record, or takes an element from a queue, takes."""
    slot = state.slot_of(op._inputs[0]._op)
    if op._record.name not in _READS:
        return Elements(slot, op._attrs["component_types"])
    if op._inputs[0]._op._record.name in _WHOLE_FILES:
        return Files(slot, state.slot_of(op._inputs[1]._op))
    return Records(slot)
