"""Several runs at a time of an op that enqueues what is computed of a record or an element.

The threads of a queue runner run one op again and again: it takes a record from a reader, or an
element from another queue, computes something of it and enqueues the result. Here as many of them
as there is room for are computed together. What can be seen of it is what that many runs do that
nothing comes between: in one step, the source gives them away and the queue gets the results. Until
then nothing has changed: the source has only been looked at, and whoever else asks it for one gets
the first of them. Whatever would wait, fail or end a file is left to a run of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.engine.analysis.ordering import needed_ops
from headwater.engine.analysis.placement import physical_placement
from headwater.engine.state import Slot, State
from headwater.graph import Operation, Tensor, build
from headwater.graph.builders import node_of_parts
from headwater.graph.functions import FunctionGraph

_READS = ("ReaderRead", "ReaderReadV2")
_DEQUEUES = ("QueueDequeue", "QueueDequeueV2")
_ENQUEUES = ("QueueEnqueue", "QueueEnqueueV2")
_KEEPS_SPARSE = "AddSparseToTensorsMap"

# The largest number of runs, and of bytes of what the source gives them.
_MOST_RUNS = 128
_MOST_BYTES = 1 << 18

# After so many failures in succession, all runs are alone.
_PATIENCE = 3


class _Records:
    """The records that a reader gives next.

    Args:
        slot: the slot of the reader.
    """

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._turn: Any = None

    def look_ahead(self, room: Callable[[], int]) -> list[np.ndarray]:
        """Keys and values of records; empty if the next one needs a run alone.

        Args:
            room: says in the turn of this thread for how many there is room.
        """
        reader = self._slot.value
        if reader is None:
            return []
        try:
            self._turn = reader._take_turn()
        except errors.OpError:
            # A run alone raises it.
            return []
        if self._turn is None:
            return []
        self._reader = reader
        most = room()
        if most < 2:
            return []
        keys, values = reader._look_ahead(most)
        count = _within_bytes(map(len, values))
        return [_strings(keys[:count]), _strings(values[:count])]

    def take(self, count: int) -> int:
        """Takes so many of them; returns how many it could."""
        self._reader._produce(count)
        return count

    def leave(self) -> None:
        """Ends the look ahead."""
        turn, self._turn = self._turn, None
        if turn is not None:
            self._reader._leave(turn)


class _Elements:
    """The elements that a queue gives next.

    Args:
        slot: the slot of the queue.
        types: the types of their components.
    """

    def __init__(self, slot: Slot, types: Any) -> None:
        self._slot = slot
        self._types = types
        self._queue: Any = None
        self._elements: list[Any] = []

    def look_ahead(self, room: Callable[[], int]) -> list[np.ndarray]:
        """The components of elements; empty if the next one needs a run alone.

        Args:
            room: says in the turn of this thread for how many there is room.
        """
        queue = self._slot.value
        if queue is None or queue.types != self._types:
            return []
        # Two threads that see the same elements would both compute, for one of them to take them.
        # No thread waits for anything in its turn.
        queue.turn.acquire()
        self._queue = queue
        most = room()
        elements = queue.look_ahead(most) if most > 1 else []
        count = _within_bytes(sum(array.nbytes for array in element) for element in elements)
        self._elements = elements[:count]
        return list(queue.batch(self._elements)) if count else []

    def take(self, count: int) -> int:
        """Takes so many of them; returns how many it could."""
        return int(self._queue.dequeue_seen(self._elements[:count]))

    def leave(self) -> None:
        """Ends the look ahead."""
        self._elements = []
        queue, self._queue = self._queue, None
        if queue is not None:
            queue.turn.release()


class SeveralRuns:
    """The runs of one op by one thread, several at a time.

    Args:
        parts: what the op needs.
        state: what the session keeps.
    """

    def __init__(self, parts: _Parts, state: State) -> None:
        slot, self._queue = state.slot_of(parts.source._inputs[0]._op), state.slot_of(parts.queue)
        self._source: _Records | _Elements
        if parts.source._record.name in _READS:
            self._source = _Records(slot)
        else:
            self._source = _Elements(slot, parts.source._attrs["component_types"])
        self._maps: list[tuple[Slot, Any]] = [
            (state.slot_of(op), op._attrs["T"]) for op in parts.keepers
        ]
        self._components = len(parts.enqueue._inputs) - 1
        self._types = parts.enqueue._attrs["Tcomponents"]
        # Kept, because the session's functions keep nothing alive.
        self._body = _body_of(parts)
        self._call = _call_of(self._body, state)
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
            arguments = self._source.look_ahead(lambda: queue.room(_MOST_RUNS))
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
            for tensors, reserved in zip(maps, handles):
                tensors.release(reserved[used:])
        self._failures = 0
        return used > 0

    def _results(self, arguments: list[np.ndarray], count: int) -> list[np.ndarray] | None:
        """The stacked results; None if one of the runs fails."""
        assert self._call is not None
        try:
            results = [np.asarray(result) for result in self._call(arguments)]
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
        pure: the other ops, in order: they depend on nothing but each other and the source.
    """

    def __init__(self, enqueue: Operation, source: Operation, rest: Sequence[Operation]) -> None:
        self.enqueue = enqueue
        self.source = source
        self.queue = enqueue._inputs[0]._op
        self.keepers = [op for op in rest if op._record.name == _KEEPS_SPARSE]
        self.pure = [op for op in rest if op._record.name != _KEEPS_SPARSE]


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
    if len(sources) != 1 or any(o._control_inputs for o in ops):
        return None
    source = sources[0]
    made = {op._inputs[0]._op, *(tensor._op for tensor in source._inputs)}
    rest = [o for o in ops if o not in made and o is not op and o is not source]
    if any(not o._record.resource or o._inputs for o in made):
        return None
    # A queue may have several nodes.
    slots = {state.slot_of(o) for o in made}
    if len(slots) != 1 + len(source._inputs) or not all(map(_is_pure, rest)):
        return None
    if physical_placement(ops, state.devices) is not None:
        return None
    return _Parts(op, source, rest)


def _is_pure(op: Operation) -> bool:
    """Whether an op depends on nothing but its inputs, or keeps a sparse tensor."""
    record = op._record
    if record.name == _KEEPS_SPARSE:
        return True
    return not (
        record.stateful
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
    """A function of what the source gives, and of the handles of the sparse tensors.

    It returns the components of the element, and the sparse tensors.
    """
    graph = FunctionGraph("enqueued")
    graph._functions = parts.enqueue._graph._functions
    new: dict[Tensor, Tensor] = {}
    for tensor in parts.source._outputs:
        new[tensor] = graph.add_input(tensor._dtype, tensor._shape, "element")
    for op in parts.keepers:
        new[op._outputs[0]] = graph.add_input(dtypes.int64, (), "handle")
    with graph.as_default():
        for op in parts.pure:
            attrs = {key: value for key, value in op._attrs.items() if not key.startswith("_")}
            inputs = [new[tensor] for tensor in op._inputs]
            copied = node_of_parts(graph, op._record, inputs, attrs, graph.new_name(op._name))
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


def _within_bytes(sizes: Iterable[int]) -> int:
    """How many of some records or elements are not too large to be computed together."""
    total = count = 0
    for size in sizes:
        total += size
        if total > _MOST_BYTES:
            break
        count += 1
    return count


def _strings(texts: Sequence[bytes]) -> np.ndarray:
    array = np.empty(len(texts), object)
    array[:] = texts
    return array
