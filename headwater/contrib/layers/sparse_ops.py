"""Sparse tensors of dense ones."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import SparseTensor, convert_to_tensor, name_scope
from headwater.model.feature_column.transformation import elements_without


def dense_to_sparse_tensor(dense_tensor: TensorLike, ignore_value: Any = None) -> SparseTensor:
    """The elements of a tensor that differ from a value.

    Args:
        dense_tensor: a tensor.
        ignore_value: the value that is left out; None means 0, or "" for strings.

    Returns:
        A SparseTensor.
    """
    with name_scope("DenseToSparseTensor"):
        dense = convert_to_tensor(dense_tensor)
        if ignore_value is None:
            strings = dense.dtype.base_dtype == dtypes.string
            ignore_value = "" if strings else dense.dtype.as_numpy_dtype(0)
        return elements_without(dense, ignore_value)
