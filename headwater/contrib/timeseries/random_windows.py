"""Batches of windows that begin anywhere in a series."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.contrib.timeseries.feature_keys import TrainEvalFeatures
from headwater.contrib.timeseries.input_pipeline import TimeSeriesInputFn, TimeSeriesReader, counter
from headwater.data.input_queues.batches import batch
from headwater.data.input_queues.shuffled_batches import maybe_shuffle_batch, shuffle_batch
from headwater.graph import Tensor
from headwater.graph.default_graph import control_dependencies
from headwater.model.variables.variable_lists import is_variable_initialized
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity
from headwater.ops.math.comparison import greater_equal
from headwater.ops.math.reduce_functions import reduce_all, reduce_any
from headwater.ops.random.uniform import random_uniform
from headwater.ops.state.assign import assign
from headwater.ops.state.count_up_to import count_up_to


@export("contrib.timeseries.RandomWindowInputFn")
class RandomWindowInputFn(TimeSeriesInputFn):
    """Windows of fixed size, in random order.

    The series is cut into windows one after the other, each time beginning elsewhere, and these are
    shuffled in a queue.

    Args:
        time_series_reader: a reader.
        window_size: the number of times in a window.
        batch_size: the number of windows in a batch.
        queue_capacity_multiplier: how many batches the queues hold.
        shuffle_min_after_dequeue_multiplier: how many batches of windows are shuffled, at least.
        discard_out_of_order: whether windows with the end of the series before its start are left
            out.
        discard_consecutive_batches_limit: after how many batches without any window to fail.
        jitter: whether the first cut moves from batch to batch.
        num_threads: the number of threads that cut and shuffle.
        shuffle_seed: the seed of the shuffling.
    """

    def __init__(
        self,
        time_series_reader: TimeSeriesReader,
        window_size: int,
        batch_size: int,
        queue_capacity_multiplier: int = 1000,
        shuffle_min_after_dequeue_multiplier: int = 2,
        discard_out_of_order: bool = True,
        discard_consecutive_batches_limit: int = 1000,
        jitter: bool = True,
        num_threads: int = 2,
        shuffle_seed: int | None = None,
    ) -> None:
        self._reader = time_series_reader
        self._window_size = window_size
        self._reader.check_dataset_size(minimum_dataset_size=window_size)
        self._batch_size = batch_size
        self._queue_capacity_multiplier = queue_capacity_multiplier
        self._shuffle_min_after_dequeue_multiplier = shuffle_min_after_dequeue_multiplier
        self._discard_out_of_order = discard_out_of_order
        self._discard_limit = discard_consecutive_batches_limit
        self._jitter = jitter
        self._num_threads = num_threads
        self._shuffle_seed = shuffle_seed

    def create_batch(self) -> dict[str, Tensor]:
        """Returns features [batch, window, ...]."""
        windows = self._consecutive_windows(self._reader.read())
        kwargs: dict[str, Any] = {}
        if self._discard_out_of_order:
            kwargs["keep_input"] = self._in_order(windows[TrainEvalFeatures.TIMES])
            shuffle: Any = maybe_shuffle_batch
        else:
            shuffle = shuffle_batch
        return shuffle(
            windows,
            num_threads=self._num_threads,
            seed=self._shuffle_seed,
            batch_size=self._batch_size,
            capacity=self._queue_capacity_multiplier * self._batch_size,
            min_after_dequeue=self._shuffle_min_after_dequeue_multiplier * self._batch_size,
            enqueue_many=True,
            **kwargs,
        )

    def _consecutive_windows(self, records: dict[str, Tensor]) -> dict[str, Tensor]:
        """Windows [batch, window, ...] that follow each other, with a jump between batches."""
        needed = self._window_size * self._batch_size
        jumped: Any = 0
        if self._jitter:
            jumped = random_uniform([], minval=0, maxval=2, dtype=dtypes.int32)
        chunk = batch(
            records,
            batch_size=needed + jumped,
            capacity=self._queue_capacity_multiplier * needed,
            enqueue_many=True,
            num_threads=self._num_threads,
        )
        windows = {}
        for name, value in chunk.items():
            value = value[:needed]
            rest = shape(value)[1:]
            window = reshape(value, concat([[self._batch_size, self._window_size], rest], 0))
            window.set_shape(
                TensorShape([self._batch_size, self._window_size]).concatenate(value.shape[1:])
            )
            windows[name] = window
        return windows

    def _in_order(self, times: Tensor) -> Tensor:
        """Which windows to keep; fails if it is none again and again."""
        keep = reduce_all(greater_equal(times[:, 1:], times[:, :-1]), axis=1)
        limiter = counter("discarded_windows_limiter")

        def count_discarded() -> Tensor:
            return cond(
                reduce_any(keep),
                lambda: assign(limiter, constant(0, dtypes.int64)),
                lambda: count_up_to(limiter, self._discard_limit),
            )

        counted = cond(
            is_variable_initialized(limiter),
            count_discarded,
            lambda: constant(0, dtype=dtypes.int64),
        )
        with control_dependencies([counted]):
            return identity(keep)
