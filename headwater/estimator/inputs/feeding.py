"""Queues that are filled with the rows of arrays and DataFrames."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors, logging
from headwater.base.typing import Array, FeedDict
from headwater.estimator.inputs.feeding_queue_runner import FeedingQueueRunner
from headwater.graph import Tensor, get_default_graph
from headwater.model.queues.queue_base import QueueBase
from headwater.model.queues.queue_kinds import FIFOQueue, RandomShuffleQueue
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
) -> QueueBase:
    """Makes a queue that is filled with the rows of data.

    Args:
        data: an array, an OrderedDict of arrays, or a pandas DataFrame.
        capacity: how many rows the queue holds.
        shuffle: whether rows come in random order.
        min_after_dequeue: how many rows are left in a shuffling queue at least; a quarter of the
            capacity if None.
        num_threads: the number of threads that fill the queue, each with all rows.
        seed: the seed of the random order; or None.
        name: the name scope.
        enqueue_size: how many rows are enqueued at a time.
        num_epochs: how often each row comes; None for ever.

    Returns:
        A queue whose first component is the index of a row.

    Raises:
        TypeError: if the data is of another kind.
    """
    with get_default_graph().name_scope(name):
        types, shapes, make_feeds = _column_types(data)
        _warn_of_threads(num_threads, num_epochs, shuffle)
        queue: QueueBase
        if shuffle:
            low = int(capacity / 4 if min_after_dequeue is None else min_after_dequeue)
            queue = RandomShuffleQueue(capacity, low, dtypes=types, shapes=shapes, seed=seed)
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
