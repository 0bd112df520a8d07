"""Sparse tensors whose last dimension is given by the values of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import SparseTensor, Tensor, build, export, name_scope
from headwater.ops.array.concat import concat
from headwater.ops.math.cast import cast
from headwater.ops.sparse.index_checks import checked_sparse
from headwater.ops.sparse.reorder import sparse_reorder


@export("sparse_merge", "sparse.merge")
def sparse_merge(
    sp_ids: NestedTensors,
    sp_values: TensorLike | SparseTensor,
    vocab_size: TensorLike,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Makes a sparse tensor of ids and values: the ids become the last dimension.

    Args:
        sp_ids: a SparseTensor of integers, or a list of them, one for each new dimension.
        sp_values: a SparseTensor of values with the same indices.
        vocab_size: the number of ids, or a list of numbers.
        name: the name scope.
        already_sorted: whether the ids are in order in each row.

    Returns:
        A SparseTensor of the values.

    Raises:
        TypeError: if the ids and values are not sparse or the sizes no numbers.
        ValueError: if there are more or fewer sizes than ids.
    """
    if isinstance(sp_ids, Mapping):
        raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
    sparse_ids: list[Any]
    if hasattr(sp_ids, "dense_shape") or not isinstance(sp_ids, (list, tuple)):
        sparse_ids = [sp_ids]
        if not isinstance(vocab_size, (Tensor, int)) and not hasattr(vocab_size, "__int__"):
            raise TypeError(
                f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}"
            )
        sizes = [vocab_size]
    else:
        sparse_ids = list(sp_ids)
        if isinstance(vocab_size, (str, bytes)) or not hasattr(vocab_size, "__iter__"):
            raise TypeError(
                f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}"
            )
        sizes = list(vocab_size)
        for size in sizes:
            if not isinstance(size, Tensor) and not hasattr(size, "__int__"):
                raise TypeError(
                    f"vocab_size has to be a list of Tensors or Python ints. Found {type(size)}"
                )
    if len(sparse_ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    ids = [checked_sparse(x) for x in sparse_ids]
    values = checked_sparse(sp_values)
    with name_scope(name, "SparseMerge", [*ids, values]):
        columns = []
        for x in ids:
            numbers = x.values
            if numbers.dtype != dtypes.int64:
                numbers = cast(numbers, dtypes.int64)
            columns.append(build.ExpandDims(numbers, 1))
        lengths = [cast(size, dtypes.int64) for size in sizes]
        indices = concat([ids[0].indices[:, :-1], *columns], 1)
        shape = concat([ids[0].dense_shape[:-1], lengths], 0)
        result = SparseTensor(indices, values.values, shape)
        if already_sorted:
            return result
        ordered = sparse_reorder(result)
        return SparseTensor(ordered.indices, ordered.values, shape)
