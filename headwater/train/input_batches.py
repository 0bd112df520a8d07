"""Batches of single examples by a queue: the last part of an input pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    name_scope,
)
from headwater.model.queues.queue_base import QueueBase
from headwater.model.queues.queue_kinds import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from headwater.model.smart_cond import smart_cond
from headwater.ops.array.dynamic_partition import dynamic_partition
from headwater.ops.control.identity import no_op
from headwater.ops.math.cast import cast
from headwater.ops.summary.scalar import scalar
from headwater.train import input_sparse
from headwater.train.queue_runner import QueueRunner, add_queue_runner


class Pipeline:
    """The nodes from lists of tensors over a queue to batches.

    Args:
        lists: lists of tensors of equal types, each of which is enqueued in a thread of its own.
        keep_input: whether they are wanted; a bool tensor.
        enqueue_many: whether each tensor is a batch already.
        threads: how many threads enqueue one list.
    """

    def __init__(
        self, lists: list[list[Any]], keep_input: Any, enqueue_many: bool, threads: int = 1
    ) -> None:
        self._enqueue_many = enqueue_many
        self._threads = threads
        keep = convert_to_tensor(keep_input)
        self._keep_input = _checked_keep_input(keep, enqueue_many)
        stored = [input_sparse.store(lists[0], enqueue_many, self._keep_input)]
        for tensors in lists[1:]:
            stored.append(input_sparse.store(tensors, enqueue_many, self._keep_input, stored[0][1]))
        kinds = [[info.sparse for info in infos] for _, infos in stored]
        for kind in kinds[1:]:
            if any(a != b for a, b in zip(kinds[0], kind)):
                raise ValueError(
                    f"Inconsistent SparseTensors list: {lists[0]} vs. {lists[kinds.index(kind)]}"
                )
        self._lists = [tensors for tensors, _ in stored]
        self._infos = input_sparse.merged([infos for _, infos in stored])
        self.types = _types(self._lists)

    def shapes(self, shapes: Any) -> Any:
        """The shapes of single examples: those that are given, or what the tensors say."""
        if shapes is not None:
            return shapes
        count = len(self._lists[0])
        for tensors in self._lists:
            for tensor in tensors[:count]:
                if tensor.get_shape().ndims is None:
                    raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        return [
            _merged_shape([tensors[i].get_shape() for tensors in self._lists], self._enqueue_many)
            for i in range(count)
        ]

    def enqueue(self, queue: QueueBase) -> None:
        """Makes the queue runner that fills the queue."""
        many = queue.enqueue_many if self._enqueue_many else queue.enqueue
        ops = [
            op
            for tensors in self._lists
            for op in [self._enqueue_op(many, tensors)] * self._threads
        ]
        add_queue_runner(QueueRunner(queue, ops))

    def _enqueue_op(self, enqueue: Callable[[Any], Any], tensors: list[Tensor]) -> Any:
        if self._keep_input.get_shape().ndims == 1:
            chosen = cast(self._keep_input, dtypes.int32)
            return enqueue([dynamic_partition(t, chosen, 2)[1] for t in tensors])
        return smart_cond(self._keep_input, lambda: enqueue(tensors), no_op)

    def dequeue(
        self, queue: QueueBase, batch_size: Any, allow_smaller_final_batch: bool, name: str
    ) -> list[Any]:
        """A batch."""
        take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        return input_sparse.restore(take(batch_size, name=name), self._infos)


def _checked_keep_input(keep_input: Tensor, enqueue_many: bool) -> Tensor:
    rank = keep_input.get_shape().ndims
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep_input


def _types(lists: list[list[Tensor]]) -> list[Any]:
    types = [t.dtype for t in lists[0]]
    for tensors in lists[1:]:
        for first, other in zip(types, tensors):
            if first != other.dtype:
                raise TypeError(
                    f"Expected types to be consistent: {first.name} vs. {other.dtype.name}."
                )
    return types


def _merged_shape(shapes: list[TensorShape], enqueue_many: bool) -> list[int | None]:
    if enqueue_many:
        shapes = [shape.with_rank_at_least(1)[1:] for shape in shapes]
    for shape in shapes[1:]:
        # What later ones know does not count, but they must not contradict the first.
        shapes[0].merge_with(shape)
    return shapes[0].as_list()


# Dictionaries and lists


def _as_list(tensors: Any) -> list[Any]:
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors)]
    return tensors


def _as_lists(all_tensors: Any) -> list[Any]:
    if not all_tensors:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(all_tensors[0], dict):
        keys = set(all_tensors[0])
        for tensors in all_tensors[1:]:
            if set(tensors) != keys:
                raise ValueError("All dictionaries in tensors_list must have the same keys")
        return [_as_list(tensors) for tensors in all_tensors]
    return all_tensors


def _as_original(original: Any, tensors: list[Any]) -> Any:
    """Batches in the structure of the examples."""
    if isinstance(original, dict):
        return dict(zip(sorted(original), tensors))
    return tensors[0] if len(tensors) == 1 else tensors


def _converted(tensors: Any) -> list[Any]:
    converted = [
        t if isinstance(t, (Tensor, SparseTensor)) else convert_to_tensor(t) for t in tensors
    ]
    if not converted:
        raise ValueError("Expected at least one tensor in batch().")
    return converted


def _converted_lists(lists: Any) -> list[list[Any]]:
    converted = [_converted(tensors) for tensors in lists]
    if not converted:
        raise ValueError("Expected at least one input in batch_join().")
    return converted


def _flat(lists: Any) -> list[Any]:
    return [tensor for tensors in lists for tensor in tensors]


# Batches in order


def _batch(
    lists: list[list[Any]],
    batch_size: Any,
    keep_input: Any,
    scope: str,
    threads: int,
    capacity: int,
    enqueue_many: bool,
    shapes: Any,
    dynamic_pad: bool,
    allow_smaller_final_batch: bool,
    shared_name: str | None,
) -> list[Any]:
    pipeline = Pipeline(lists, keep_input, enqueue_many, threads)
    kind: Any = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    queue = kind(
        capacity=capacity,
        dtypes=pipeline.types,
        shapes=pipeline.shapes(shapes),
        shared_name=shared_name,
    )
    pipeline.enqueue(queue)
    fullness = cast(queue.size(), dtypes.float32) * (1.0 / capacity)
    scalar(f"fraction_of_{capacity}_full", fullness)
    return pipeline.dequeue(queue, batch_size, allow_smaller_final_batch, scope)


@export("train.batch", "train.input.batch")
def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of single examples, with a queue and a queue runner that fills it.

    Args:
        tensors: the tensors of an example, a list or dictionary; dense or sparse ones.
        batch_size: how many examples make a batch.
        num_threads: how many threads evaluate `tensors`.
        capacity: how many examples the queue holds.
        enqueue_many: whether `tensors` is a batch of examples already.
        shapes: the shapes of an example; None for those that are known.
        dynamic_pad: whether examples may differ in size; a batch is then padded with zeros.
        allow_smaller_final_batch: whether the last batch may be smaller.
        shared_name: the name under which sessions share the queue.
        name: the name scope.

    Returns:
        The batches, in the structure of `tensors`.

    Raises:
        ValueError: if a shape is not known.
    """
    return maybe_batch(
        tensors,
        True,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


@export("train.maybe_batch", "train.input.maybe_batch")
def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of those examples that are wanted.

    Args:
        tensors: as for `batch`.
        keep_input: a bool tensor that tells whether an example is wanted; a vector if
            `enqueue_many` is true, or a scalar for the whole batch.
        batch_size: as for `batch`, and so are the others.

    Returns:
        The batches, in the structure of `tensors`.
    """
    tensor_list = _as_list(tensors)
    with name_scope(name, "batch", [*tensor_list, keep_input]) as scope:
        result = _batch(
            [_converted(tensor_list)],
            batch_size,
            keep_input,
            scope,
            num_threads,
            capacity,
            enqueue_many,
            shapes,
            dynamic_pad,
            allow_smaller_final_batch,
            shared_name,
        )
        return _as_original(tensors, result)


@export("train.batch_join", "train.input.batch_join")
def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of examples that come from several lists of tensors, a thread for each.

    Args:
        tensors_list: a list of what `batch` takes as `tensors`.
        batch_size: as for `batch`, and so are the others.

    Returns:
        The batches, in the structure of an element of `tensors_list`.
    """
    return maybe_batch_join(
        tensors_list,
        True,
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


@export("train.maybe_batch_join", "train.input.maybe_batch_join")
def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of those examples of several lists that are wanted.

    Args:
        tensors_list: a list of what `batch` takes as `tensors`.
        keep_input: as for `maybe_batch`.
        batch_size: as for `batch`, and so are the others.

    Returns:
        The batches, in the structure of an element of `tensors_list`.
    """
    lists = _as_lists(tensors_list)
    with name_scope(name, "batch_join", [*_flat(lists), keep_input]) as scope:
        result = _batch(
            _converted_lists(lists),
            batch_size,
            keep_input,
            scope,
            1,
            capacity,
            enqueue_many,
            shapes,
            dynamic_pad,
            allow_smaller_final_batch,
            shared_name,
        )
        return _as_original(tensors_list[0], result)


# Shuffled batches


def _shuffle_batch(
    lists: list[list[Any]],
    batch_size: Any,
    keep_input: Any,
    scope: str,
    threads: int,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None,
    enqueue_many: bool,
    shapes: Any,
    allow_smaller_final_batch: bool,
    shared_name: str | None,
) -> list[Any]:
    if capacity <= min_after_dequeue:
        raise ValueError(
            f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}."
        )
    pipeline = Pipeline(lists, keep_input, enqueue_many, threads)
    queue = RandomShuffleQueue(
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        dtypes=pipeline.types,
        shapes=pipeline.shapes(shapes),
        shared_name=shared_name,
    )
    pipeline.enqueue(queue)
    over = build.Maximum(0, queue.size() - min_after_dequeue)
    fullness = cast(over, dtypes.float32) * (1.0 / (capacity - min_after_dequeue))
    scalar(f"fraction_over_{min_after_dequeue}_of_{capacity - min_after_dequeue}_full", fullness)
    return pipeline.dequeue(queue, batch_size, allow_smaller_final_batch, scope)


@export("train.shuffle_batch", "train.input.shuffle_batch")
def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches of examples in random order.

    Args:
        tensors: as for `batch`.
        batch_size: how many examples make a batch.
        capacity: how many examples the queue holds.
        min_after_dequeue: how many stay in it, so that there is a choice.
        num_threads: how many threads evaluate `tensors`.
        seed: a seed for the order.
        enqueue_many: as for `batch`, and so are the others.

    Returns:
        The batches, in the structure of `tensors`.
    """
    return maybe_shuffle_batch(
        tensors,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


@export("train.maybe_shuffle_batch", "train.input.maybe_shuffle_batch")
def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches, in random order, of those examples that are wanted.

    Args:
        tensors: as for `batch`.
        batch_size: as for `shuffle_batch`, and so are the others.
        keep_input: as for `maybe_batch`.

    Returns:
        The batches, in the structure of `tensors`.
    """
    tensor_list = _as_list(tensors)
    with name_scope(name, "shuffle_batch", [*tensor_list, keep_input]) as scope:
        result = _shuffle_batch(
            [_converted(tensor_list)],
            batch_size,
            keep_input,
            scope,
            num_threads,
            capacity,
            min_after_dequeue,
            seed,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            shared_name,
        )
        return _as_original(tensors, result)


@export("train.shuffle_batch_join", "train.input.shuffle_batch_join")
def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches, in random order, of examples that come from several lists of tensors.

    Args:
        tensors_list: a list of what `batch` takes as `tensors`.
        batch_size: as for `shuffle_batch`, and so are the others.

    Returns:
        The batches, in the structure of an element of `tensors_list`.
    """
    return maybe_shuffle_batch_join(
        tensors_list,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


@export("train.maybe_shuffle_batch_join", "train.input.maybe_shuffle_batch_join")
def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes batches, in random order, of those examples of several lists that are wanted.

    Args:
        tensors_list: a list of what `batch` takes as `tensors`.
        batch_size: as for `shuffle_batch`, and so are the others.
        keep_input: as for `maybe_batch`.

    Returns:
        The batches, in the structure of an element of `tensors_list`.
    """
    lists = _as_lists(tensors_list)
    with name_scope(name, "shuffle_batch_join", [*_flat(lists), keep_input]) as scope:
        result = _shuffle_batch(
            _converted_lists(lists),
            batch_size,
            keep_input,
            scope,
            1,
            capacity,
            min_after_dequeue,
            seed,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            shared_name,
        )
        return _as_original(tensors_list[0], result)
