"""Batches of single examples by a queue: the last part of an input pipeline."""

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
from headwater.graph import (
    name_scope,
)
from headwater.model.queues.queue_kinds import FIFOQueue, PaddingFIFOQueue
from headwater.ops.math.cast import cast
from headwater.ops.summary.scalar import scalar


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
    """Makes batches of the examples that `keep_input` selects.

    Args:
        tensors: as for `batch`.
        keep_input: a bool tensor that tells whether an example is wanted; a vector if
            `enqueue_many` is true, or a scalar for the whole batch.
        batch_size: as for `batch`, and so are the others.

    Returns:
        The batches, in the structure of `tensors`.
    """
    tensor_list = as_list(tensors)
    with name_scope(name, "batch", [*tensor_list, keep_input]) as scope:
        result = _batch(
            [converted(tensor_list)],
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
        return as_original(tensors, result)


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
    """Makes batches of the examples of several lists that `keep_input` selects.

    Args:
        tensors_list: a list of what `batch` takes as `tensors`.
        keep_input: as for `maybe_batch`.
        batch_size: as for `batch`, and so are the others.

    Returns:
        The batches, in the structure of an element of `tensors_list`.
    """
    lists = as_lists(tensors_list)
    with name_scope(name, "batch_join", [*flat(lists), keep_input]) as scope:
        result = _batch(
            converted_lists(lists),
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
        return as_original(tensors_list[0], result)
