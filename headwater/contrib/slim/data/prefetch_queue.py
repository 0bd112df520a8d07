"""A queue of batches that are made ahead."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.slim.data.parallel_reader import summarize_fullness
from headwater.graph import convert_to_tensor, name_scope
from headwater.model.queues.queue_kinds import FIFOQueue, PaddingFIFOQueue
from headwater.train.queue_runner import QueueRunner, add_queue_runner


@export("contrib.slim.prefetch_queue.prefetch_queue")
def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Makes a queue of batches and the queue runner that fills it.

    Args:
        tensors: the tensors of a batch, a list or a dictionary.
        capacity: how many batches the queue holds.
        num_threads: how many threads evaluate `tensors`.
        dynamic_pad: whether batches may differ in size.
        shared_name: the name under which sessions share the queue.
        name: the name scope.

    Returns:
        The queue.

    Raises:
        ValueError: if a shape is not known.
    """
    if isinstance(tensors, dict):
        names: Any = sorted(tensors)
        given = [tensors[key] for key in names]
    else:
        names, given = None, list(tensors)
    with name_scope(name, "prefetch_queue", given):
        converted = [convert_to_tensor(tensor) for tensor in given]
        kind: Any = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queue = kind(
            capacity=capacity,
            dtypes=[tensor.dtype for tensor in converted],
            shapes=[tensor.get_shape() for tensor in converted],
            names=names,
            shared_name=shared_name,
        )
        elements: Any = converted if names is None else dict(zip(names, converted, strict=True))
        enqueue = queue.enqueue(elements)
        add_queue_runner(QueueRunner(queue, [enqueue] * num_threads))
        summarize_fullness(queue, capacity)
        return queue
