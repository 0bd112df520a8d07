"""Batches of single examples in random order."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.data.input_queues.pipeline import (
    Pipeline,
    as_list,
    as_lists,
    as_original,
    converted,
    converted_lists,
    flat,
)
from headwater.graph import build, name_scope
from headwater.model.queues.queue_kinds import RandomShuffleQueue
from headwater.ops.math.cast import cast
from headwater.ops.summary.scalar import scalar


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
    """Makes batches, in random order, of the examples that `keep_input` selects.

    Args:
        tensors: as for `batch`.
        batch_size: as for `shuffle_batch`, and so are the others.
        keep_input: as for `maybe_batch`.

    Returns:
        The batches, in the structure of `tensors`.
    """
    tensor_list = as_list(tensors)
    with name_scope(name, "shuffle_batch", [*tensor_list, keep_input]) as scope:
        result = _shuffle_batch(
            [converted(tensor_list)],
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
        return as_original(tensors, result)


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
    """Makes batches, in random order, of the examples of several lists that `keep_input` selects.

    Args:
        tensors_list: a list of what `batch` takes as `tensors`.
        batch_size: as for `shuffle_batch`, and so are the others.
        keep_input: as for `maybe_batch`.

    Returns:
        The batches, in the structure of an element of `tensors_list`.
    """
    lists = as_lists(tensors_list)
    with name_scope(name, "shuffle_batch_join", [*flat(lists), keep_input]) as scope:
        result = _shuffle_batch(
            converted_lists(lists),
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
        return as_original(tensors_list[0], result)
