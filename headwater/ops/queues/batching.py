"""Batch, Unbatch and UnbatchGrad: the inputs of concurrent runs are computed as one batch."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.cancellation import uninterrupted
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.base.waiting import Waiting
from headwater.graph import Operation, RunsOn, Tensor, build, register_op
from headwater.graph.shapes import ShapeContext
from headwater.ops.queues.resource import cancelled

_ids = itertools.count(random.getrandbits(32))


class _Batch:
    """The inputs of several runs."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, Sequence[Array], Waiting]] = []
        self.timer: threading.Timer | None = None

    def size(self) -> int:
        return sum(len(tensors[0]) for _, tensors, _ in self.entries)


class Batcher:
    """Collects inputs of runs until there are enough, or until it has waited long enough.

    Args:
        max_batch_size: how many rows a batch has at most.
        timeout: how long the first input waits for others, in seconds.
        allowed_sizes: the sizes that batches are padded to; none if empty.
    """

    def __init__(self, max_batch_size: int, timeout: float, allowed_sizes: Sequence[int]) -> None:
        if list(allowed_sizes) != sorted(set(allowed_sizes)):
            fail("allowed_batch_sizes entries must be monotonically increasing")
        if allowed_sizes and allowed_sizes[-1] != max_batch_size:
            fail("final entry in allowed_batch_sizes must equal max_batch_size")
        self._max = max_batch_size
        self._timeout = timeout
        self._allowed = allowed_sizes
        self._lock = threading.Lock()
        # {name of a queue: the batch that takes inputs}
        self._open: dict[str, _Batch] = {}

    def put(self, queue: str, tensors: Sequence[Array]) -> Waiting:
        """The work of an op that adds its inputs to the open batch of a queue."""
        for tensor in tensors:
            if tensor.ndim == 0:
                fail("Batching input tensors must have at least one dimension")
            if len(tensor) != len(tensors[0]):
                fail(
                    "Batching input tensors supplied in a given op invocation must have equal "
                    "0th-dimension size"
                )
        rows = len(tensors[0])
        if rows > self._max:
            fail(f"Task size {rows} is larger than maximum batch size {self._max}")
        work = Waiting("Batch operation was cancelled", self._withdraw)
        with uninterrupted(), self._lock:
            batch = self._open.get(queue)
            if batch is not None and batch.size() + rows > self._max:
                self._close(queue, batch)
                batch = None
            if batch is None:
                batch = self._open[queue] = _Batch()
                batch.timer = threading.Timer(self._timeout, self._time_out, (queue, batch))
                batch.timer.daemon = True
                batch.timer.start()
            batch.entries.append((next(_ids), tensors, work))
            if batch.size() == self._max:
                self._close(queue, batch)
        return work

    def _time_out(self, queue: str, batch: _Batch) -> None:
        with self._lock:
            if self._open.get(queue) is batch:
                self._close(queue, batch)

    def _close(self, queue: str, batch: _Batch) -> None:
        """Gives the batch to the run that came last; the others get no rows."""
        del self._open[queue]
        if batch.timer is not None:
            batch.timer.cancel()
        if not batch.entries:
            return
        *others, last = batch.entries
        for number, tensors, work in others:
            empty = [tensor[:0] for tensor in tensors]
            work.finish((*empty, np.zeros((0, 3), np.int64), np.asarray(number, np.int64)))
        number, tensors, work = last
        try:
            work.finish((*self._joined(batch), _places(batch), np.asarray(number, np.int64)))
        except ValueError as error:
            work.fail(errors.InvalidArgumentError(None, None, str(error)))

    def _joined(self, batch: _Batch) -> list[Array]:
        size = batch.size()
        padded = next((allowed for allowed in self._allowed if allowed >= size), size)
        joined = []
        for parts in zip(*(tensors for _, tensors, _ in batch.entries)):
            first = parts[0][:1]
            joined.append(np.concatenate([*parts, *[first] * (padded - size)]))
        return joined

    def _withdraw(self, work: Waiting) -> None:
        with uninterrupted(), self._lock:
            if not work.done:
                for batch in self._open.values():
                    batch.entries = [entry for entry in batch.entries if entry[2] is not work]
                work.fail(cancelled(work.cancelled_text))


def _places(batch: _Batch) -> Array:
    """Whose rows stand where: (id, first row, row after the last one)."""
    ends = np.cumsum([len(tensors[0]) for _, tensors, _ in batch.entries])
    rows = [
        (number, end - len(tensors[0]), end)
        for (number, tensors, _), end in zip(batch.entries, ends.tolist())
    ]
    return np.asarray(rows, np.int64)


class Unbatcher:
    """Passes the rows of a batch back to the runs that they came from.

    Args:
        timeout: how long a run waits for its rows, in seconds.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._lock = threading.Lock()
        self._rows: dict[int, Array] = {}
        self._waiting: dict[int, Waiting] = {}

    def pass_on(self, batched: Array, places: Array, number: int) -> Array | Waiting:
        """Gives the rows of a batch to their runs, and returns those of this one."""
        if places.ndim != 2 or places.shape[1] != 3:
            fail("batch_index must be a matrix with 3 columns")
        with uninterrupted(), self._lock:
            for owner, start, end in places.tolist():
                rows = batched[start:end]
                work = self._waiting.pop(owner, None)
                if work is not None:
                    work.finish((rows,))
                else:
                    self._rows[owner] = rows
            if number in self._rows:
                return self._rows.pop(number)
            work = self._waiting[number] = Waiting("Unbatch was cancelled", self._withdraw)
        timer = threading.Timer(self._timeout, self._time_out, (work,))
        timer.daemon = True
        timer.start()
        work.then(timer.cancel)
        return work

    def _time_out(self, work: Waiting) -> None:
        text = "Batched input tensor not found within the time limit of Unbatch"
        self._give_up(work, errors.DeadlineExceededError(None, None, text))

    def _withdraw(self, work: Waiting) -> None:
        self._give_up(work, cancelled(work.cancelled_text))

    def _give_up(self, work: Waiting, error: errors.OpError) -> None:
        with uninterrupted(), self._lock:
            if not work.done:
                self._waiting = {n: w for n, w in self._waiting.items() if w is not work}
                work.fail(error)


class GradientCollector:
    """Makes the gradient of a batch from those of the runs that its rows went to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gradients: dict[int, Array] = {}
        # (work, batch, ids of its runs)
        self._waiting: list[tuple[Waiting, Array, list[int]]] = []

    def collect(self, original: Array, places: Array, grad: Array, number: int) -> Array | Waiting:
        """Adds the gradient of a run; the run that has the batch gets the gradient of all rows."""
        with uninterrupted(), self._lock:
            self._gradients[number] = grad
            result: Array | Waiting = np.zeros_like(original[:0])
            if len(places):
                result = Waiting("UnbatchGrad was cancelled", self._withdraw)
                self._waiting.append((result, original, places[:, 0].tolist()))
            for entry in list(self._waiting):
                work, batch, owners = entry
                if all(owner in self._gradients for owner in owners):
                    rows = [self._gradients.pop(owner) for owner in owners]
                    missing = len(batch) - sum(map(len, rows))
                    padding = np.zeros((missing, *batch.shape[1:]), batch.dtype)
                    self._waiting.remove(entry)
                    work.finish((np.concatenate([*rows, padding]),))
        return result

    def _withdraw(self, work: Waiting) -> None:
        with uninterrupted(), self._lock:
            if not work.done:
                self._waiting = [entry for entry in self._waiting if entry[0] is not work]
                work.fail(cancelled(work.cancelled_text))


def make_batcher(attrs: dict[str, Any]) -> Batcher:
    timeout = attrs["batch_timeout_micros"] / 1e6
    return Batcher(attrs["max_batch_size"], timeout, attrs["allowed_batch_sizes"])


def make_unbatcher(attrs: dict[str, Any]) -> Unbatcher:
    return Unbatcher(attrs["timeout_micros"] / 1e6)


def make_collector(attrs: dict[str, Any]) -> GradientCollector:
    return GradientCollector()


def kernel_batch(
    xp: ArrayModule, in_tensors: list[Any], *, batching_queue: str, state: Batcher
) -> tuple[Any, ...]:
    return state.put(batching_queue, in_tensors), state


def kernel_unbatch(
    xp: ArrayModule, batched_tensor: Array, batch_index: Array, id: Array, *, state: Unbatcher
) -> tuple[Any, ...]:
    return state.pass_on(batched_tensor, batch_index, int(id)), state


def kernel_unbatch_grad(
    xp: ArrayModule,
    original_input: Array,
    batch_index: Array,
    grad: Array,
    id: Array,
    *,
    state: GradientCollector,
) -> tuple[Any, ...]:
    return state.collect(original_input, batch_index, grad, int(id)), state


def gradient_batch(op: Operation, *grads: Tensor | None) -> list[Tensor | None]:
    timeout = op.get_attr("grad_timeout_micros")
    places, number = op.outputs[-2:]
    return [
        None if grad is None else build.Unbatch(grad, places, number, timeout_micros=timeout)
        for grad in grads[:-2]
    ]


def gradient_unbatch(op: Operation, grad: Tensor) -> list[Tensor | None]:
    batched, places, number = op.inputs
    return [build.UnbatchGrad(batched, places, grad, number), None, None]


def shape_batch(c: ShapeContext) -> list[Any]:
    rows = [None if shape is None else (None, *shape[1:]) for shape in c.shapes]
    return [*rows, (None, 3), ()]


def shape_unbatch(c: ShapeContext) -> Any:
    shape = c.shapes[0]
    return None if shape is None else (None, *shape[1:])


register_op(
    "Batch",
    inputs="in_tensors: T",
    outputs="batched_tensors: T, batch_index: int64, id: int64",
    attrs=(
        "num_batch_threads: int, max_batch_size: int, max_enqueued_batches: int = 10, "
        "batch_timeout_micros: int, allowed_batch_sizes: list(int) = [], grad_timeout_micros: int, "
        "container: string = '', shared_name: string = '', batching_queue: string = '', "
        "T: list(type) >= 1"
    ),
    shape=shape_batch,
    kernel=kernel_batch,
    gradient=gradient_batch,
    state=make_batcher,
    resource="batcher",
    exchanges=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "Unbatch",
    inputs="batched_tensor: T, batch_index: int64, id: int64",
    outputs="unbatched_tensor: T",
    attrs="timeout_micros: int, container: string = '', shared_name: string = '', T: type",
    shape=shape_unbatch,
    kernel=kernel_unbatch,
    gradient=gradient_unbatch,
    state=make_unbatcher,
    resource="unbatcher",
    exchanges=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "UnbatchGrad",
    inputs="original_input: T, batch_index: int64, grad: T, id: int64",
    outputs="batched_grad: T",
    attrs="container: string = '', shared_name: string = '', T: type",
    shape=shape_unbatch,
    kernel=kernel_unbatch_grad,
    state=make_collector,
    resource="gradient collector",
    exchanges=True,
    runs_on=RunsOn.HOST,
)
