"""Queues that are filled with the rows of arrays and DataFrames."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from headwater.base import dtypes, errors, logging
from headwater.base.typing import Array, FeedDict
from headwater.estimator.inputs.feeding_queue_runner import FeedingQueueRunner
from headwater.graph import Tensor, get_default_graph
from headwater.model.queues.queue_base import QueueBase
from headwater.model.queues.queue_kinds import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from headwater.ops.array.constant import placeholder
from headwater.ops.math.cast import cast
from headwater.ops.math.extrema import maximum
from headwater.ops.summary.scalar import scalar
from headwater.train.queue_runner import add_queue_runner


class RowIndices:
    """The indices of the rows of batches, epoch after epoch.

    Args:
        rows: the number of rows.
        batch_size: the number of rows of a batch; the last batch may have fewer.
        num_epochs: how often each row comes; None for ever.
        random_start: whether the first row is a random one.
        seed: the seed of the random start; None for another one in each run.
    """

    def __init__(
        self,
        rows: int,
        batch_size: int,
        num_epochs: int | None = None,
        random_start: bool = False,
        seed: int | None = None,
    ) -> None:
        self._rows = rows
        self._batch_size = batch_size
        self._num_epochs = num_epochs
        self._start = random.Random(seed).randrange(rows) if random_start else 0
        self._done = 0

    def next(self) -> Array:
        """The indices of the next batch.

        Returns:
            An int64 vector.

        Raises:
            OutOfRangeError: after the last epoch.
        """
        end = self._done + self._batch_size
        if self._num_epochs is not None:
            if self._done >= self._num_epochs * self._rows:
                raise errors.OutOfRangeError(
                    None, None, f"Already emitted {self._num_epochs} epochs."
                )
            end = min(end, self._num_epochs * self._rows)
        indices = (self._start + np.arange(self._done, end)) % self._rows
        self._done = end
        return indices


def _array_feeds(
    placeholders: Sequence[Tensor], array: Array, **indices: Any
) -> Callable[[], FeedDict]:
    """A function that feeds rows of an array, with their indices."""
    rows = RowIndices(len(array), **indices)

    def feeds() -> FeedDict:
        taken = rows.next()
        return {placeholders[0]: taken, placeholders[1]: array[taken]}

    return feeds


def _dict_feeds(
    placeholders: Sequence[Tensor], arrays: OrderedDict[str, Array], **indices: Any
) -> Callable[[], FeedDict]:
    """A function that feeds rows of several arrays, with their indices.

    Raises:
        ValueError: if the arrays differ in length.
    """
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1:
        raise ValueError("Array lengths must match.")
    rows = RowIndices(lengths.pop(), **indices)

    def feeds() -> FeedDict:
        taken = rows.next()
        return dict(zip(placeholders, [taken, *(array[taken] for array in arrays.values())]))

    return feeds


def _frame_feeds(
    placeholders: Sequence[Tensor], frame: Any, **indices: Any
) -> Callable[[], FeedDict]:
    """A function that feeds rows of a DataFrame: its index, then its columns."""
    rows = RowIndices(len(frame), **indices)

    def feeds() -> FeedDict:
        taken = frame.iloc[rows.next()]
        columns = [taken[name].to_numpy() for name in taken.columns]
        return dict(zip(placeholders, [taken.index.to_numpy(), *columns]))

    return feeds


class _GeneratorRows:
    """Rows that a generator function yields as dicts, epoch after epoch.

    Args:
        generator: the generator function.
        keys: the keys of the dicts, in the order of the placeholders.
        batch_size: how many values are fed at a time at least, over all keys.
        num_epochs: how often the generator runs; None for ever.
        pad_value: what shorter rows of a batch are filled up with; None to leave them as they are.
    """

    def __init__(
        self,
        generator: Callable[[], Any],
        keys: Sequence[str],
        batch_size: int,
        num_epochs: int | None,
        pad_value: Any,
    ) -> None:
        self._generator = generator
        self._keys = keys
        # As in TensorFlow, whose count is one of values.
        self._batch_rows = -(-batch_size // len(keys))
        self._num_epochs = num_epochs
        self._pad_value = pad_value
        self._epoch = 0
        self._iterator = generator()

    def next(self) -> list[Array]:
        """The columns of the next batch.

        The batch in which the last epoch ends goes on with the first rows of another one, as in
        TensorFlow.

        Raises:
            OutOfRangeError: after the last epoch.
            KeyError: if a row has not all keys.
        """
        if self._num_epochs is not None and self._epoch >= self._num_epochs:
            raise errors.OutOfRangeError(None, None, f"Already emitted {self._epoch} epochs.")
        rows = [self._next_row() for _ in range(self._batch_rows)]
        return [self._column([row[key] for row in rows]) for key in self._keys]

    def _next_row(self) -> dict[str, Any]:
        try:
            row = next(self._iterator)
        except StopIteration:
            self._epoch += 1
            self._iterator = self._generator()
            row = next(self._iterator)
        if any(key not in row for key in self._keys):
            raise KeyError(
                "key mismatch between dicts emitted by GenFun "
                f"Expected {self._keys} keys; got {row.keys()}"
            )
        result: dict[str, Any] = row
        return result

    def _column(self, values: list[Any]) -> Array:
        if self._pad_value is None:
            return np.asarray(values)
        longest = max(len(np.atleast_1d(value)) for value in values)

        def padded(value: Any) -> Array:
            value = np.asarray(value)
            if value.ndim == 0 or len(value) == longest:
                return value
            rest = [(0, longest - len(value)), *[(0, 0)] * (value.ndim - 1)]
            return np.pad(value, rest, constant_values=self._pad_value)

        return np.asarray([padded(value) for value in values])


def _generator_feeds(
    placeholders: Sequence[Tensor],
    generator: Callable[[], Any],
    batch_size: int,
    num_epochs: int | None = None,
    pad_value: Any = None,
    **_: Any,
) -> Callable[[], FeedDict]:
    """A function that feeds rows that a generator function yields."""
    keys = sorted(next(generator()))
    rows = _GeneratorRows(generator, keys, batch_size, num_epochs, pad_value)
    return lambda: dict(zip(placeholders, rows.next()))


def _is_frame(data: Any) -> bool:
    """Whether data is a pandas DataFrame; pandas is not imported for it."""
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "iloc")


def _column_types(data: Any) -> tuple[list[Any], list[Any], Callable[..., Any]]:
    """The types and shapes of the components of a queue for data, and what feeds it.

    Raises:
        TypeError: if the data is of another kind.
    """
    if isinstance(data, np.ndarray):
        types = [dtypes.int64, dtypes.as_dtype(data.dtype)]
        return types, [(), data.shape[1:]], _array_feeds
    if isinstance(data, OrderedDict):
        types = [dtypes.int64, *(dtypes.as_dtype(column.dtype) for column in data.values())]
        return types, [(), *(column.shape[1:] for column in data.values())], _dict_feeds
    if _is_frame(data):
        # As arrays, because pandas has types that NumPy does not know.
        arrays = [data.index.to_numpy(), *(data[name].to_numpy() for name in data.columns)]
        types = [dtypes.as_dtype(array.dtype) for array in arrays]
        return types, [() for _ in types], _frame_feeds
    if isinstance(data, FunctionType):
        row = next(data())
        columns = [np.asarray(row[key]) for key in sorted(row)]
        types = [dtypes.as_dtype(column.dtype) for column in columns]
        return types, [column.shape for column in columns], _generator_feeds
    raise TypeError(
        "data must be either a numpy array or pandas DataFrame if pandas is installed; got "
        f"{type(data).__name__}"
    )


def enqueue_data(
    data: Any,
    capacity: int,
    shuffle: bool = False,
    min_after_dequeue: int | None = None,
    num_threads: int = 1,
    seed: int | None = None,
    name: str = "enqueue_input",
    enqueue_size: int = 1,
    num_epochs: int | None = None,
    pad_value: Any = None,
) -> QueueBase:
    """Makes a queue that is filled with the rows of data.

    Args:
        data: an array, an OrderedDict of arrays, a pandas DataFrame, or a function that returns a
            generator of dicts.
        capacity: how many rows the queue holds.
        shuffle: whether rows come in random order.
        min_after_dequeue: how many rows are left in a shuffling queue at least; a quarter of the
            capacity if None.
        num_threads: the number of threads that fill the queue, each with all rows.
        seed: the seed of the random order; or None.
        name: the name scope.
        enqueue_size: how many rows are enqueued at a time.
        num_epochs: how often each row comes; None for ever.
        pad_value: what shorter rows of a generator are filled up with; None if all have one shape.

    Returns:
        A queue whose first component is the index of a row, unless the rows come of a generator.

    Raises:
        TypeError: if the data is of another kind.
        NotImplementedError: if rows are padded that do not come of a generator, or are shuffled.
    """
    with get_default_graph().name_scope(name):
        types, shapes, make_feeds = _column_types(data)
        options: dict[str, Any] = {}
        if pad_value is not None:
            if make_feeds is not _generator_feeds:
                raise NotImplementedError("padding is only available with generator usage")
            options["pad_value"] = pad_value
        _warn_of_threads(num_threads, num_epochs, shuffle)
        queue: QueueBase
        if shuffle:
            low = int(capacity / 4 if min_after_dequeue is None else min_after_dequeue)
            if pad_value is not None:
                raise NotImplementedError(
                    "padding and shuffling data at the same time is not implemented"
                )
            queue = RandomShuffleQueue(capacity, low, dtypes=types, shapes=shapes, seed=seed)
        elif pad_value is not None:
            low = 0
            shapes = [(*shape[:-1], None) if shape else shape for shape in shapes]
            queue = PaddingFIFOQueue(capacity, dtypes=types, shapes=shapes)
        else:
            low = 0
            queue = FIFOQueue(capacity, dtypes=types, shapes=shapes)
        enqueue_ops, feeds = [], []
        for index in range(num_threads):
            # Without shapes they take any number of rows.
            placeholders = [placeholder(t) for t in types]
            enqueue_ops.append(queue.enqueue_many(placeholders))
            feeds.append(
                make_feeds(
                    placeholders,
                    data,
                    batch_size=enqueue_size,
                    random_start=shuffle,
                    seed=None if seed is None else (index + 1) * seed,
                    num_epochs=num_epochs,
                    **options,
                )
            )
        add_queue_runner(
            FeedingQueueRunner(
                queue,
                enqueue_ops,
                feeds,
                queue_closed_exception_types=(
                    errors.OutOfRangeError,
                    errors.CancelledError,
                ),
            )
        )
        _add_summary(queue, low, capacity)
        return queue


def _warn_of_threads(num_threads: int, num_epochs: int | None, shuffle: bool) -> None:
    if num_threads <= 1:
        return
    if num_epochs is not None:
        logging.warning(
            "enqueue_data was called with num_epochs and num_threads > 1. num_epochs is applied "
            "per thread, so this will produce more epochs than you probably intend. If you want to "
            "limit epochs, use one thread."
        )
    if shuffle and num_epochs is not None:
        logging.warning(
            "enqueue_data was called with shuffle=True, num_threads > 1, and num_epochs. This will "
            "create multiple threads, all reading the array/dataframe in order adding to the same "
            "shuffling queue; the results will likely not be sufficiently shuffled."
        )
    if not shuffle:
        logging.warning(
            "enqueue_data was called with shuffle=False and num_threads > 1. This will create "
            "multiple threads, all reading the array/dataframe in order. If you want examples read "
            "in order, use one thread; if you want multiple threads, enable shuffling."
        )


def _add_summary(queue: QueueBase, low: int, capacity: int) -> None:
    """A summary of how full the queue is, rows that always stay left out."""
    usable = capacity - low
    full = cast(maximum(0, queue.size() - low), dtypes.float32) * (1.0 / usable)
    scalar(f"queue/{queue.name}fraction_over_{low}_of_{usable}_full", full)
