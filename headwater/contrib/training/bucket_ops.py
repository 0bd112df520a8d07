"""Batches of examples that belong to the same bucket, by one queue per bucket."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.errors import CancelledError, OutOfRangeError
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.input_queues import sparse_elements
from headwater.data.input_queues.pipeline import Pipeline, as_list, as_original
from headwater.graph import Operation, Tensor, constant_value, convert_to_tensor, name_scope
from headwater.graph.basic_nodes import group
from headwater.model.queues.queue_base import QueueBase
from headwater.model.queues.queue_kinds import FIFOQueue, PaddingFIFOQueue
from headwater.model.smart_cond import smart_cond
from headwater.ops.array.constant import constant
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import no_op
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal, less, less_equal
from headwater.ops.math.logical import logical_and
from headwater.ops.math.reduce_functions import reduce_min
from headwater.ops.math.select import where
from headwater.ops.summary.scalar import scalar
from headwater.train.queue_runner import QueueRunner, add_queue_runner

_ENDS = (OutOfRangeError, CancelledError)


@export("contrib.training.bucket")
def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: TensorLike = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """Makes batches of examples of the same bucket.

    Args:
        tensors: the tensors of an example, a list or dictionary; dense or sparse ones.
        which_bucket: the bucket of the example, an int32 scalar in [0, num_buckets).
        batch_size: how many examples make a batch; a list for one number per bucket.
        num_buckets: how many buckets there are.
        num_threads: how many threads evaluate `tensors`.
        capacity: how many batches the queue of batches holds, and how many examples each bucket.
        bucket_capacities: how many examples each bucket holds, or None.
        shapes: the shapes of an example; None for those that are known.
        dynamic_pad: whether examples may differ in size; a batch is then padded with zeros.
        allow_smaller_final_batch: whether the last batch of a bucket may be smaller.
        keep_input: a bool scalar that tells whether the example is wanted.
        shared_name: the name under which sessions share the queues.
        name: the name scope.

    Returns:
        A pair: the bucket of a batch, and the batch in the structure of `tensors`.

    Raises:
        ValueError: if a shape is not known, or a list has not one element per bucket.
    """
    batch_sizes = batch_size if isinstance(batch_size, (list, tuple)) else [batch_size]
    if isinstance(batch_size, (list, tuple)):
        if len(batch_size) != num_buckets:
            raise ValueError("If batch_size is a list it must have num_buckets elements")
    else:
        batch_sizes = [batch_size] * num_buckets
    if bucket_capacities is None:
        bucket_capacities = [capacity] * num_buckets
    if len(bucket_capacities) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({bucket_capacities}) must have exactly num_buckets "
            f"({num_buckets}) elements."
        )
    tensor_list = as_list(tensors)
    with name_scope(name, "bucket", tensor_list):
        if not tensor_list:
            raise ValueError("Expected at least one tensor in bucket().")
        pipeline = Pipeline([list(tensor_list)], keep_input, enqueue_many=False)
        queues = _Queues(
            pipeline, pipeline.shapes(shapes), batch_sizes, capacity, bucket_capacities,
            dynamic_pad, allow_smaller_final_batch, shared_name,
        )  # fmt: skip
        enqueue = queues.enqueue_example(which_bucket)
        queues.run(enqueue, num_threads)
        queues.summarize()
        dequeued = queues.top.dequeue(name="dequeue_top")
        batches = sparse_elements.restore(dequeued[1:], pipeline.infos)
        return dequeued[0], as_original(tensors, batches)


class _Queues:
    """The queue of each bucket, and the queue of the batches."""

    def __init__(
        self,
        pipeline: Pipeline,
        shapes: Any,
        batch_sizes: Sequence[Any],
        capacity: int,
        bucket_capacities: Sequence[int],
        dynamic_pad: bool,
        allow_smaller: bool,
        shared_name: str | None,
    ) -> None:
        self._pipeline = pipeline
        self._capacity = capacity
        self._allow_smaller = allow_smaller
        self._batch_sizes = [_known_or_tensor(size) for size in batch_sizes]
        first = self._batch_sizes[0]
        same = all(isinstance(size, int) and size == first for size in self._batch_sizes)
        rows = first if same and not allow_smaller else None
        kind: Any = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        self.buckets: list[QueueBase] = [
            kind(
                capacity=count,
                dtypes=pipeline.types,
                shapes=shapes,
                shared_name=f"{shared_name}_{i}" if shared_name else None,
                name=f"bucket_queue_{i}",
            )
            for i, count in enumerate(bucket_capacities)
        ]
        self.top = PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[dtypes.int32, *pipeline.types],
            shapes=[[], *([rows, *shape] for shape in shapes)],
            shared_name=shared_name,
            name="top_queue",
        )

    def enqueue_example(self, which_bucket: Any) -> Any:
        """An op that puts the example into its bucket, if it is wanted."""
        tensors = self._pipeline.lists[0]

        def enqueue() -> Operation:
            ops = []
            for i, queue in enumerate(self.buckets):
                put = functools.partial(queue.enqueue, tensors)
                ops.append(cond(equal(which_bucket, i), put, no_op))
            return group(*ops, name="group_enqueues")

        return smart_cond(self._pipeline.keep_input, enqueue, no_op)

    def run(self, enqueue: Any, threads: int) -> None:
        """Adds the runners that make batches of the buckets, and that fill the buckets."""
        batches = [self._enqueue_batch(i) for i in range(len(self.buckets))]
        add_queue_runner(
            QueueRunner(
                self.buckets[0],
                batches,
                close_op=self.top.close(),
                cancel_op=self.top.close(cancel_pending_enqueues=True),
                queue_closed_exception_types=_ENDS,
            )
        )
        add_queue_runner(
            QueueRunner(
                self.top,
                [enqueue] * threads,
                close_op=group(*[queue.close() for queue in self.buckets]),
                cancel_op=group(
                    *[queue.close(cancel_pending_enqueues=True) for queue in self.buckets]
                ),
                queue_closed_exception_types=_ENDS,
            )
        )

    def _enqueue_batch(self, i: int) -> Operation:
        which = constant(i)
        queue = self.buckets[i]
        take = queue.dequeue_up_to if self._allow_smaller else queue.dequeue_many
        batch = take(self._batch_sizes[i], name=f"read_bucket_{i}")
        parts = list(batch) if isinstance(batch, (list, tuple)) else [batch]
        return self.top.enqueue([which, *parts], name=f"enqueue_from_bucket_{i}")

    def summarize(self) -> None:
        """Adds the summaries of how full the queues are."""
        for queue in self.buckets:
            scalar(f"bucket/{queue.name}/size", cast(self.top.size(), dtypes.float32))
        fullness = cast(self.top.size(), dtypes.float32) * (1.0 / self._capacity)
        scalar(f"bucket/{self.top.name}/fraction_of_{self._capacity}_full", fullness)


def _known_or_tensor(batch_size: Any) -> Any:
    tensor = convert_to_tensor(batch_size, dtype=dtypes.int32, name="batch_size")
    known = constant_value(tensor)
    return tensor if known is None else int(known)


@export("contrib.training.bucket_by_sequence_length")
def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: TensorLike = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """Makes batches of sequences of similar length.

    Args:
        input_length: the length of the sequence, an int32 scalar.
        tensors: the tensors of the sequence, a list or dictionary.
        batch_size: how many sequences make a batch; a list for one number per bucket.
        bucket_boundaries: increasing lengths; one is the first that belongs to the next bucket.
        num_threads: as for `bucket`, and so are the others.

    Returns:
        A pair: the lengths of the sequences of a batch, and the batch in the structure of
        `tensors`.

    Raises:
        TypeError: if `bucket_boundaries` is not a list or tuple of integers.
        ValueError: if `bucket_boundaries` is empty or does not increase, or for the reasons of
            `bucket`.
    """
    _check_boundaries(bucket_boundaries)
    boundaries = list(bucket_boundaries)
    tensor_list = as_list(tensors)
    with name_scope(name, "bucket_by_sequence_length", [input_length, *tensor_list]):
        input_length = convert_to_tensor(input_length, dtype=dtypes.int32, name="input_length")
        smallest, largest = dtypes.int32.min, dtypes.int32.max
        fits = logical_and(
            less_equal([smallest, *boundaries], input_length),
            less(input_length, [*boundaries, largest]),
        )
        which_bucket = cast(reduce_min(where(fits)), dtypes.int32)
        _, batches = bucket(
            tensors=[input_length, *tensor_list],
            which_bucket=which_bucket,
            batch_size=batch_size,
            num_buckets=len(boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=None if shapes is None else [[], *shapes],
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        rest = batches[1:]
        if not isinstance(tensors, dict):
            return batches[0], rest
        # As in TensorFlow, the value of the only key of a dictionary is a list.
        return batches[0], dict(zip(sorted(tensors), [rest] if len(rest) == 1 else rest))


def _check_boundaries(boundaries: Any) -> None:
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {boundaries}")
    if not boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for first, second in itertools.pairwise(boundaries):
        if not isinstance(first, int) or not isinstance(second, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {first} and {second}")
        if first >= second:
            raise ValueError(
                "Buckets must contain sequential increasing lengths, but saw: "
                f"{first} before {second}"
            )
