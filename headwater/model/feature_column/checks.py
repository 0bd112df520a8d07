"""Checks of the arguments of feature columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import ShapeLike
from headwater.graph import SparseTensor, Tensor
from headwater.model.feature_column.base import FeatureColumn, _FeatureColumn


def assert_key_is_string(key: Any) -> None:
    """Checks that the name of a feature is a text.

    Raises:
        ValueError: if it is not.
    """
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def assert_string_or_int(dtype: DType, prefix: str) -> None:
    """Checks that a type is that of strings or integers.

    Raises:
        ValueError: if it is not.
    """
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def check_shape(shape: Any, key: str) -> tuple[int, ...]:
    """The shape of a numeric feature as a tuple.

    Raises:
        TypeError: if a dimension is no integer.
        ValueError: if a dimension is not positive.
    """
    found = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    for dimension in found:
        if int(dimension) != dimension or not isinstance(dimension, (int, np.integer)):
            raise TypeError(f"shape dimensions must be integer. shape: {found}, key: {key}")
        if dimension < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {found}, key: {key}")
    return found


def check_default_value(shape: ShapeLike, default_value: Any, dtype: DType, key: str) -> Any:
    """The default of a feature as nested tuples of its shape, or None.

    Raises:
        TypeError: if the default does not fit the type.
        ValueError: if it does not fit the shape.
    """
    if default_value is None:
        return None
    if isinstance(default_value, int):
        return _filled(shape, default_value)
    if isinstance(default_value, float) and dtype.is_floating:
        return _filled(shape, default_value)
    if callable(getattr(default_value, "tolist", None)):
        default_value = default_value.tolist()
    if _is_nested(default_value):
        if not _has_shape(default_value, shape):
            raise ValueError(
                "The shape of default_value must be equal to given shape. "
                f"default_value: {default_value}, shape: {shape}, key: {key}"
            )
        if all(isinstance(v, int) for v in _flat(default_value)):
            return _as_tuple(default_value)
        if dtype.is_floating and all(isinstance(v, (int, float)) for v in _flat(default_value)):
            return _as_tuple(default_value)
    raise TypeError(
        f"default_value must be compatible with dtype. default_value: {default_value}, "
        f"dtype: {dtype}, key: {key}"
    )


def _is_nested(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes))


def _filled(shape: Sequence[int], value: Any) -> Any:
    if not shape:
        return value
    return tuple(_filled(shape[1:], value) for _ in range(shape[0]))


def _flat(value: Any) -> Iterator[Any]:
    if not _is_nested(value):
        yield value
        return
    for item in value:
        yield from _flat(item)


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if _is_nested(value) else value


def _has_shape(value: Any, shape: Sequence[int]) -> bool:
    if not _is_nested(value):
        return len(shape) == 0
    if len(shape) < 1 or len(value) != shape[0]:
        return False
    return all(_has_shape(item, shape[1:]) for item in value)


def check_types_agree(key: str, dtype: DType, tensor: SparseTensor) -> None:
    """Checks that a column and its feature are both of integers or both of strings.

    Raises:
        ValueError: if they are not.
    """
    if dtype.is_integer != tensor.dtype.is_integer:
        raise ValueError(
            "Column dtype and SparseTensors dtype must be compatible. "
            f"key: {key}, column dtype: {dtype}, tensor dtype: {tensor.dtype}"
        )


def check_embedding(
    dimension: Any,
    initializer: Any,
    ckpt_to_load_from: str | None,
    tensor_name_in_ckpt: str | None,
    of_column: str = "",
) -> None:
    """Checks the arguments that embedding columns of all kinds share.

    Raises:
        ValueError: if one is wrong.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{of_column}")


def check_checkpoint(ckpt_to_load_from: str | None, tensor_name_in_ckpt: str | None) -> None:
    """Checks that a checkpoint and a name in it are given together.

    Raises:
        ValueError: if only one is given.
    """
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )


def normalized_columns(feature_columns: Any) -> list[Any]:
    """The columns as a list, checked, for functions of the first interface.

    Args:
        feature_columns: a column, or an iterable of columns.

    Returns:
        A list of columns in the given order.

    Raises:
        ValueError: if an item is no column, there is none, or two have the same name.
    """
    return _normalized(feature_columns, _FeatureColumn, "_FeatureColumn")


def normalized_columns_v2(feature_columns: Any) -> list[Any]:
    """The columns as a list sorted by name, checked, for layers of version 2.

    Args:
        feature_columns: a column, or an iterable of columns.

    Returns:
        A list of columns.

    Raises:
        ValueError: if an item is no column, there is none, or two have the same name.
    """
    found = _normalized(feature_columns, FeatureColumn, "FeatureColumn")
    return sorted(found, key=lambda column: column.name)


def _normalized(feature_columns: Any, kind: type, kind_text: str) -> list[Any]:
    if isinstance(feature_columns, kind):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, Mapping):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    found = list(feature_columns)
    for column in found:
        if not isinstance(column, kind):
            raise ValueError(
                f"Items of feature_columns must be a {kind_text}. "
                f"Given (type {type(column)}): {column}."
            )
    if not found:
        raise ValueError("feature_columns must not be empty.")
    by_name: dict[str, Any] = {}
    for column in found:
        if column.name in by_name:
            raise ValueError(
                "Duplicate feature column name found for columns: "
                f"{column} and {by_name[column.name]}. This usually means that these columns "
                "refer to same base feature. Either one must be discarded or a duplicated but "
                "renamed item must be inserted in features dict."
            )
        by_name[column.name] = column
    return found


def is_feature_column_v2(feature_columns: Sequence[Any]) -> bool:
    """Whether all columns work with layers of version 2.

    Args:
        feature_columns: the columns.

    Returns:
        A bool.
    """
    return all(
        isinstance(column, FeatureColumn) and column._is_v2_column for column in feature_columns
    )


def check_batch_sizes(tensors: Sequence[Tensor], columns: Sequence[Any]) -> None:
    """Checks that the static batch sizes of the outputs of columns agree.

    Raises:
        ValueError: if they do not.
    """
    expected = None
    for i, tensor in enumerate(tensors):
        size = tensor.shape[0].value
        if size is None:
            continue
        if expected is None:
            expected, first = size, i
        elif size != expected:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of "
                f"columns ({columns[first].name}, {columns[i].name}): ({expected}, {size})"
            )
