"""Sparse tensors in queues: the queue holds handles, and a map in the session holds the tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    SparseTensor,
    Tensor,
    constant_node,
    with_dependencies,
)
from headwater.model.smart_cond import smart_cond
from headwater.ops.array.fill import ones
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.sparse.rows import sparse_retain
from headwater.ops.sparse.tensors_map import (
    add_many_sparse_to_tensors_map,
    add_sparse_to_tensors_map,
    take_many_sparse_from_tensors_map,
)


class SparseInfo(NamedTuple):
    """The metadata needed to restore a sparse tensor from one component."""

    sparse: bool
    map_op: Operation | None
    rank: int | None


def store(
    tensors: Sequence[Any],
    enqueue_many: bool,
    keep_input: Tensor,
    shared: Sequence[SparseInfo] | None = None,
) -> tuple[list[Tensor], list[SparseInfo]]:
    """Replaces sparse tensors with handles.

    Args:
        tensors: dense and sparse tensors.
        enqueue_many: whether each is a batch.
        keep_input: a bool tensor: whether they are wanted at all; one per row if it is a vector.
        shared: the metadata of an earlier list, whose maps are used.

    Returns:
        The tensors for the queue, and their metadata.
    """
    names = [info.map_op.name if info.map_op else None for info in shared or ()]
    stored, infos = [], []
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, SparseTensor):
            stored.append(tensor)
            infos.append(SparseInfo(False, None, None))
            continue
        handle = _handle(tensor, names[i] if names else None, enqueue_many, keep_input)
        size = tensor.dense_shape.get_shape()
        rank = size.as_list()[0] if size.ndims == 1 else None
        if rank is not None and not enqueue_many:
            rank += 1
        # The last dimension tells a batch of single handles from a batch of batches.
        stored.append(expand_dims(handle, [-1]))
        infos.append(SparseInfo(True, _storing_op(handle), rank))
    return stored, infos


def _handle(tensor: Any, shared_name: str | None, enqueue_many: bool, keep_input: Tensor) -> Tensor:
    if not enqueue_many:
        return smart_cond(
            keep_input,
            lambda: add_sparse_to_tensors_map(tensor, shared_name=shared_name),
            lambda: constant_node(-1, dtypes.int64),
        )
    if keep_input.get_shape().ndims == 1:
        rows = gather(keep_input, tensor.indices[:, 0])
        return add_many_sparse_to_tensors_map(sparse_retain(tensor, rows), shared_name=shared_name)
    return smart_cond(
        keep_input,
        lambda: add_many_sparse_to_tensors_map(tensor, shared_name=shared_name),
        lambda: -1 * ones(shape(tensor)[0:1], dtypes.int64),
    )


def _storing_op(handle: Tensor) -> Operation:
    """The op that has put a tensor into the map; it may be in a branch."""
    if handle.op.type == "Merge":
        return handle.op.inputs[1].op
    return handle.op


def merged(lists: Sequence[Sequence[SparseInfo]]) -> list[SparseInfo]:
    """Merges the metadata of components that come from several lists."""
    result = []
    for infos in zip(*lists):
        ranks = {info.rank for info in infos}
        result.append(infos[0]._replace(rank=ranks.pop() if len(ranks) == 1 else None))
    return result


def restore(dequeued: Any, infos: Sequence[SparseInfo]) -> list[Any]:
    """Replaces handles with sparse tensors.

    Args:
        dequeued: a tensor, or a list with one per component.
        infos: their metadata.

    Returns:
        Dense and sparse tensors. Each is available only once all are taken out of the maps.
    """
    tensors = list(dequeued) if isinstance(dequeued, (list, tuple)) else [dequeued]
    if not any(info.sparse for info in infos):
        return tensors
    result = [
        take_many_sparse_from_tensors_map(
            sparse_map_op=info.map_op, sparse_handles=squeeze(tensor, [1]), rank=info.rank
        )
        if info.map_op is not None
        else tensor
        for tensor, info in zip(tensors, infos)
    ]
    ops = [t.op for t in result]
    after = [_after(ops, t) for t in result]
    return after if isinstance(dequeued, (list, tuple)) else result


def _after(ops: list[Operation], tensor: TensorLike) -> Any:
    if isinstance(tensor, SparseTensor):
        return SparseTensor(
            indices=with_dependencies(ops, tensor.indices),
            values=with_dependencies(ops, tensor.values),
            dense_shape=with_dependencies(ops, tensor.dense_shape),
        )
    return with_dependencies(ops, tensor)
