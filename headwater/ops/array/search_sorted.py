"""Places in sorted rows: LowerBound and UpperBound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.dtypes import DType
from headwater.base.lazy import jax
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    register_op,
    shape_tensor,
    shapes,
)


def shape_bound(c: shapes.ShapeContext) -> Shape:
    c.with_rank("sorted_inputs", 2)
    shape = c.shape("values")
    return None if shape is None else c.with_rank("values", 2)


def _bound(xp: ArrayModule, rows: Array, values: Array, side: str, out_type: DType) -> Array:
    if rows.shape[0] != values.shape[0]:
        raise errors.InvalidArgumentError(
            None, None, "Leading dim_size of both tensors must match."
        )
    kind = out_type.numpy_dtype
    if xp is not np:
        search = jax.vmap(lambda row, value: xp.searchsorted(row, value, side=side))
        return search(rows, values).astype(kind)
    found = [np.searchsorted(row, value, side=side) for row, value in zip(rows, values)]  # type: ignore[call-overload]
    return np.array(found, kind).reshape(values.shape)


def kernel_lower_bound(xp: ArrayModule, rows: Array, values: Array, *, out_type: DType) -> Array:
    return _bound(xp, rows, values, "left", out_type)


def kernel_upper_bound(xp: ArrayModule, rows: Array, values: Array, *, out_type: DType) -> Array:
    return _bound(xp, rows, values, "right", out_type)


def reference_lower_bound(rows: np.ndarray, values: np.ndarray, *, out_type: DType) -> np.ndarray:
    below = rows[:, None, :] < values[:, :, None]
    return below.sum(-1).astype(out_type.numpy_dtype)


def reference_upper_bound(rows: np.ndarray, values: np.ndarray, *, out_type: DType) -> np.ndarray:
    below = rows[:, None, :] <= values[:, :, None]
    return below.sum(-1).astype(out_type.numpy_dtype)


def samples_bound() -> Iterator[Sample]:
    rows = np.array([[1.0, 2.0, 2.0, 5.0], [0.0, 0.0, 7.0, 8.0]], np.float32)
    values = np.array([[2.0, 9.0, 0.5], [0.0, -1.0, 7.5]], np.float32)
    for out_type in (np.int32, np.int64):
        yield Sample(rows, values, out_type=out_type)
        yield Sample(rows.astype(np.int64), values.astype(np.int64), out_type=out_type)


def _register_bound(name: str, kernel: Callable[..., Any], reference: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="sorted_inputs: T, values: T",
        outputs="output: out_type",
        attrs="T: type, out_type: {int32, int64} = int32",
        shape=shape_bound,
        kernel=kernel,
        reference=reference,
        samples=samples_bound,
    )


_register_bound("LowerBound", kernel_lower_bound, reference_lower_bound)
_register_bound("UpperBound", kernel_upper_bound, reference_upper_bound)


@export("searchsorted")
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Finds where values would have to be put into sorted rows.

    Args:
        sorted_sequence: a tensor whose last dimension is sorted.
        values: a tensor with the same other dimensions.
        side: ``"left"``: before equal elements; ``"right"``: behind them.
        out_type: the type of the places, int32 or int64.
        name: the name of the node.

    Returns:
        Integers of the shape of `values`.

    Raises:
        ValueError: if `side` is something else.
    """
    width = shape_tensor(sorted_sequence)[-1]
    count = shape_tensor(values)[-1]
    rows = build.Reshape(sorted_sequence, [-1, width])
    flat = build.Reshape(values, [-1, count])
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
    make = build.UpperBound if side == "right" else build.LowerBound
    found = make(rows, flat, out_type=out_type, name=name)
    return build.Reshape(found, shape_tensor(convert_to_tensor(values)))
