"""Reductions along axes, running sums and products."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.tensors import without_bool
from headwater.ops.math import arg_extrema, reduce_functions, scan
from headwater.ops.math.cast import cast


@export("keras.backend.max")
def max_(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Returns the largest element along axes.

    Args:
        x: a tensor.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor.
    """
    return reduce_functions.reduce_max(x, axis, keepdims)


@export("keras.backend.min")
def min_(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Returns the smallest element along axes.

    Args:
        x: a tensor.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor.
    """
    return reduce_functions.reduce_min(x, axis, keepdims)


@export("keras.backend.sum")
def sum_(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Returns the sum along axes.

    Args:
        x: a tensor.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor.
    """
    return reduce_functions.reduce_sum(x, axis, keepdims)


@export("keras.backend.prod")
def prod(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Returns the product along axes.

    Args:
        x: a tensor.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor.
    """
    return reduce_functions.reduce_prod(x, axis, keepdims)


@export("keras.backend.mean")
def mean(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Returns the mean along axes.

    Args:
        x: a tensor.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor.
    """
    return reduce_functions.reduce_mean(without_bool(x), axis, keepdims)


@export("keras.backend.var")
def var(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Returns the variance along axes.

    Args:
        x: a tensor.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor.
    """
    return reduce_functions.reduce_variance(without_bool(x), axis, keepdims)


@export("keras.backend.std")
def std(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Returns the standard deviation along axes.

    Args:
        x: a tensor.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor.
    """
    return reduce_functions.reduce_std(without_bool(x), axis, keepdims)


@export("keras.backend.any")
def any_(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Whether any element is true along axes.

    Args:
        x: a tensor; what is not 0 is true.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor of booleans.
    """
    return reduce_functions.reduce_any(cast(x, dtypes.bool_), axis, keepdims)


@export("keras.backend.all")
def all_(x: TensorLike, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true along axes.

    Args:
        x: a tensor; what is not 0 is true.
        axis: the axes; None for all.
        keepdims: whether they stay, with length 1.

    Returns:
        A tensor of booleans.
    """
    return reduce_functions.reduce_all(cast(x, dtypes.bool_), axis, keepdims)


@export("keras.backend.argmax")
def argmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Returns the index of the largest element along an axis.

    Args:
        x: a tensor.
        axis: the axis.

    Returns:
        A tensor of int64.
    """
    return arg_extrema.argmax(x, axis)


@export("keras.backend.argmin")
def argmin(x: TensorLike, axis: int = -1) -> Tensor:
    """Returns the index of the smallest element along an axis.

    Args:
        x: a tensor.
        axis: the axis.

    Returns:
        A tensor of int64.
    """
    return arg_extrema.argmin(x, axis)


@export("keras.backend.cumsum")
def cumsum(x: TensorLike, axis: Any = 0) -> Tensor:
    """Returns the running sums along an axis.

    Args:
        x: a tensor.
        axis: the axis.

    Returns:
        A tensor of its shape.
    """
    return scan.cumsum(x, axis=axis)


@export("keras.backend.cumprod")
def cumprod(x: TensorLike, axis: Any = 0) -> Tensor:
    """Returns the running products along an axis.

    Args:
        x: a tensor.
        axis: the axis.

    Returns:
        A tensor of its shape.
    """
    return scan.cumprod(x, axis=axis)
