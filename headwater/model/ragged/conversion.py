"""Conversion of the arguments of functions of ragged tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import AxisLike, DTypeLike, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
)
from headwater.model.ragged.tensor import RaggedTensor
from headwater.model.ragged.value import RaggedTensorValue
from headwater.ops.control.value_checks import assert_equal

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def is_ragged(value: Any) -> bool:
    """Whether a value is a RaggedTensor or a RaggedTensorValue."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def convert(
    value: RaggedTensor | TensorLike | None,
    dtype: DTypeLike | None = None,
    preferred_dtype: DType | None = None,
    name: str | None = None,
) -> Any:
    """A value as a RaggedTensor if it has rows of different lengths, else as a tensor.

    Args:
        value: a ragged tensor, its value, or what can be a tensor.
        dtype: the type of the result.
        preferred_dtype: a type that is tried first.
        name: the name of the node.

    Returns:
        A RaggedTensor or tensor.

    Raises:
        ValueError: if a ragged tensor has another type.
    """
    if isinstance(value, RaggedTensorValue):
        made: TensorLike = constant_node(value.flat_values, None, "flat_values")
        for splits in reversed(value.nested_row_splits):
            made = RaggedTensor.from_row_splits(made, constant_node(splits), validate=False)
        value = made
    if not isinstance(value, RaggedTensor):
        return convert_to_tensor(value, dtype, name, preferred_dtype)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for RaggedTensor "
            f"with dtype {value.dtype.name}: {value!r}"
        )
    return value


def matched_row_splits(*values: Any) -> list[Any]:
    """The values, of which all ragged ones have splits of the same type.

    Args:
        *values: ragged tensors and others.

    Returns:
        The same values.

    Raises:
        ValueError: if the types differ.
    """
    kinds = {v.row_splits.dtype.base_dtype for v in values if isinstance(v, RaggedTensor)}
    if len(kinds) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    return list(values)


def assert_rows_match(values: list[RaggedTensor]) -> list[Operation]:
    """Ops that check that ragged tensors have the same rows.

    Args:
        values: ragged tensors.

    Returns:
        A list of ops; empty if the splits are the very same.

    Raises:
        ValueError: if the number of levels differs.
    """
    return assert_splits_match([value.nested_row_splits for value in values])


def assert_splits_match(nested_splits: list[tuple[Tensor, ...]]) -> list[Operation]:
    """Ops that check that rows begin and end at the same places.

    Args:
        nested_splits: the splits of each ragged tensor.

    Returns:
        A list of ops; empty if the splits are the very same.

    Raises:
        ValueError: if the number of levels differs.
    """
    text = "Inputs must have identical ragged splits"
    first, *others = nested_splits
    if any(len(splits) != len(first) for splits in others):
        raise ValueError(text)
    pairs = [(a, b) for splits in others for a, b in zip(first, splits) if a is not b]
    checks = [assert_equal(a, b, message=text) for a, b in pairs]
    return [check for check in checks if check is not None]


def after(checks: Sequence[Operation | None], value: TensorLike) -> Any:
    """The value, with control dependencies on checks.

    Args:
        checks: ops, or None for what is known to hold.
        value: a RaggedTensor or tensor.

    Returns:
        A value of the same kind.
    """
    ops = [check for check in checks if check is not None]
    if not ops:
        return value
    with control_dependencies(ops):
        if isinstance(value, RaggedTensor):
            return value.with_flat_values(build.Identity(value.flat_values))
        return build.Identity(value)


def positive_axis(axis: AxisLike | None, rank: int | None) -> int:
    """An axis, counted from the first one.

    Args:
        axis: an integer; negative ones count from the end.
        rank: the number of axes, None if it is not known.

    Returns:
        A number that is not negative.

    Raises:
        TypeError: if `axis` is not an integer.
        ValueError: if it is out of bounds, or negative while the rank is unknown.
    """
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    axis = int(axis)
    if rank is None:
        if axis < 0:
            raise ValueError("axis may only be negative if ndims is statically known.")
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return axis % rank
