"""The nodes between examples and batches: sparse tensors, shapes, the queue and its runner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.data.input_queues import sparse_elements
from headwater.graph import SparseTensor, Tensor, convert_to_tensor
from headwater.model.queues.queue_base import QueueBase
from headwater.model.smart_cond import smart_cond
from headwater.ops.array.dynamic_partition import dynamic_partition
from headwater.ops.control.identity import no_op
from headwater.ops.math.cast import cast
from headwater.train.queue_runner import QueueRunner, add_queue_runner


class Pipeline:
    """The nodes from lists of tensors over a queue to batches.

    Args:
        lists: lists of tensors of equal types, each of which is enqueued in a thread of its own.
        keep_input: whether to keep them; a bool tensor.
        enqueue_many: whether each tensor is a batch already.
        threads: how many threads enqueue one list.
    """

    def __init__(
        self, lists: list[list[Any]], keep_input: TensorLike, enqueue_many: bool, threads: int = 1
    ) -> None:
        self._enqueue_many = enqueue_many
        self._threads = threads
        keep = convert_to_tensor(keep_input)
        self.keep_input = _checked_keep_input(keep, enqueue_many)
        stored = [sparse_elements.store(lists[0], enqueue_many, self.keep_input)]
        for tensors in lists[1:]:
            stored.append(
                sparse_elements.store(tensors, enqueue_many, self.keep_input, stored[0][1])
            )
        kinds = [[info.sparse for info in infos] for _, infos in stored]
        for kind in kinds[1:]:
            if any(a != b for a, b in zip(kinds[0], kind)):
                raise ValueError(
                    f"Inconsistent SparseTensors list: {lists[0]} vs. {lists[kinds.index(kind)]}"
                )
        self.lists = [tensors for tensors, _ in stored]
        self.infos = sparse_elements.merged([infos for _, infos in stored])
        self.types = _types(self.lists)

    def shapes(self, shapes: Any) -> Any:
        """The shapes of single examples: those that are given, or what the tensors say."""
        if shapes is not None:
            return shapes
        count = len(self.lists[0])
        for tensors in self.lists:
            for tensor in tensors[:count]:
                if tensor.get_shape().ndims is None:
                    raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        return [
            _merged_shape([tensors[i].get_shape() for tensors in self.lists], self._enqueue_many)
            for i in range(count)
        ]

    def enqueue(self, queue: QueueBase) -> None:
        """Makes the queue runner that fills the queue."""
        many = queue.enqueue_many if self._enqueue_many else queue.enqueue
        ops = [
            op for tensors in self.lists for op in [self._enqueue_op(many, tensors)] * self._threads
        ]
        add_queue_runner(QueueRunner(queue, ops))

    def _enqueue_op(self, enqueue: Callable[[Any], Any], tensors: list[Tensor]) -> Any:
        if self.keep_input.get_shape().ndims == 1:
            chosen = cast(self.keep_input, dtypes.int32)
            return enqueue([dynamic_partition(t, chosen, 2)[1] for t in tensors])
        return smart_cond(self.keep_input, lambda: enqueue(tensors), no_op)

    def dequeue(
        self, queue: QueueBase, batch_size: Any, allow_smaller_final_batch: bool, name: str
    ) -> list[Any]:
        """A batch."""
        take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        return sparse_elements.restore(take(batch_size, name=name), self.infos)


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
        # The shapes of the first list are used; later ones must be compatible with them.
        shapes[0].merge_with(shape)
    return shapes[0].as_list()


def as_list(tensors: Any) -> list[Any]:
    """The tensors of an example as a list, those of a dictionary in the order of its keys."""
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors)]
    return tensors


def as_lists(all_tensors: Any) -> list[Any]:
    """The tensors of several examples as lists."""
    if not all_tensors:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(all_tensors[0], dict):
        keys = set(all_tensors[0])
        for tensors in all_tensors[1:]:
            if set(tensors) != keys:
                raise ValueError("All dictionaries in tensors_list must have the same keys")
        return [as_list(tensors) for tensors in all_tensors]
    return all_tensors


def as_original(original: Any, tensors: list[Any]) -> Any:
    """Batches in the structure of the examples."""
    if isinstance(original, dict):
        return dict(zip(sorted(original), tensors))
    return tensors[0] if len(tensors) == 1 else tensors


def converted(tensors: Any) -> list[Any]:
    """Converts values to dense and sparse tensors."""
    tensors = [
        t if isinstance(t, (Tensor, SparseTensor)) else convert_to_tensor(t) for t in tensors
    ]
    if not tensors:
        raise ValueError("Expected at least one tensor in batch().")
    return tensors


def converted_lists(lists: Any) -> list[list[Any]]:
    """The same for several examples."""
    result = [converted(tensors) for tensors in lists]
    if not result:
        raise ValueError("Expected at least one input in batch_join().")
    return result


def flat(lists: Any) -> list[Any]:
    """All tensors of several lists."""
    return [tensor for tensors in lists for tensor in tensors]
