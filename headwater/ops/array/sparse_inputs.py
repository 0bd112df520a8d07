"""Sparse tensors that must be fed, and slices taken out of IndexedSlices."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.graph.sparse_tensor import SparseTensor


@export("sparse_placeholder", "sparse.placeholder")
def sparse_placeholder(
    dtype: DTypeLike, shape: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """Makes a sparse tensor whose parts must be fed.

    Args:
        dtype: the type of the values.
        shape: the shape of the whole; if None, it is fed too.
        name: the name of the nodes, followed by ``/shape``, ``/values`` and ``/indices``.

    Returns:
        A SparseTensor; feed it with a SparseTensorValue.
    """

    def part(which: str) -> str | None:
        return None if name is None else f"{name}/{which}"

    static = None if isinstance(shape, Tensor) else TensorShape(shape)
    if static is not None and not static.is_fully_defined():
        rank = static.ndims
        sizes = build.Placeholder(dtype=dtypes.int64, shape=(rank,), name=part("shape"))
    else:
        sizes = convert_to_tensor(shape, dtype=dtypes.int64, name=part("shape"))
        rank = sizes.shape[0].value if sizes.shape.ndims else None
    values = build.Placeholder(dtype=dtype, shape=(None,), name=part("values"))
    indices = build.Placeholder(dtype=dtypes.int64, shape=(None, rank), name=part("indices"))
    return SparseTensor(indices, values, sizes)


@export("sparse_mask", "sparse.mask")
def sparse_mask(
    a: IndexedSlices, mask_indices: TensorLike, name: str | None = None
) -> IndexedSlices:
    """Returns the slices of IndexedSlices whose indices are not in a list.

    Args:
        a: IndexedSlices.
        mask_indices: the indices that are dropped, an integer vector.
        name: the name scope.

    Returns:
        IndexedSlices.
    """
    with name_scope(name, "sparse_mask", [a.values, a.indices, mask_indices]) as scope:
        kept = build.ListDiff(a.indices, mask_indices)
        values = build.GatherV2(a.values, kept[1], 0, name=scope)
        return IndexedSlices(values, kept[0], a.dense_shape)
