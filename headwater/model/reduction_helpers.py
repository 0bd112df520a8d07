"""Sums and means as compositions of model functions write them."""

from __future__ import annotations

from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import Tensor, build
from headwater.ops.math.reduce_functions import axes_tensor


def sum_of(
    x: TensorLike, axis: AxisLike | None = None, keep_dims: bool = False, name: str | None = None
) -> Tensor:
    """The sum over axes, or over all if `axis` is None."""
    result = build.Sum(x, axes_tensor(x, axis), keep_dims=keep_dims, name=name)
    return _scalar_if_all(result, axis, keep_dims)


def mean_of(
    x: TensorLike, axis: int | None = None, keep_dims: bool = False, name: str | None = None
) -> Tensor:
    """The mean over axes, or over all if `axis` is None."""
    result = build.Mean(x, axes_tensor(x, axis), keep_dims=keep_dims, name=name)
    return _scalar_if_all(result, axis, keep_dims)


def _scalar_if_all(result: Tensor, axis: AxisLike | None, keep_dims: bool) -> Tensor:
    if axis is None and not keep_dims and result.shape.ndims is None:
        result.set_shape(())
    return result


def max_of(x: TensorLike) -> Tensor:
    """The largest element."""
    return _scalar_if_all(build.Max(x, axes_tensor(x, None)), None, False)


def min_of(x: TensorLike) -> Tensor:
    """The smallest element."""
    return _scalar_if_all(build.Min(x, axes_tensor(x, None)), None, False)
