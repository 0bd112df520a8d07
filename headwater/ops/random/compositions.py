"""The nodes around a random op: standard numbers, scaled and shifted."""

from __future__ import annotations

from collections.abc import Callable

from headwater.base import dtypes
from headwater.base.dimension import Dimension
from headwater.base.dtypes import as_dtype
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor


def shape_argument(shape: TensorLike) -> Tensor:
    """Converts the argument `shape` of a public function."""
    if isinstance(shape, (tuple, list)):
        if not shape:
            return convert_to_tensor(shape, dtypes.int32, name="shape")
        shape = [int(n) if isinstance(n, Dimension) and n.value is not None else n for n in shape]
    return convert_to_tensor(shape, name="shape")


def upper_bound(dtype: DTypeLike, maxval: TensorLike | None) -> Tensor | float:
    """Returns the upper bound of uniform numbers, after the checks of the public functions.

    Raises:
        ValueError: if `dtype` is not supported, or an integer type and there is no bound.
    """
    dtype = as_dtype(dtype)
    floats = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
    if dtype not in (*floats, dtypes.int32, dtypes.int64):
        raise ValueError(f"Invalid dtype {dtype!r}")
    if maxval is None and dtype.is_integer:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
    return 1 if maxval is None else maxval


def between(
    shape: TensorLike,
    minval: TensorLike,
    maxval: TensorLike,
    dtype: DTypeLike,
    floats: Callable[[Tensor], Tensor],
    integers: Callable[[Tensor, Tensor, Tensor], Tensor],
    scope: str,
) -> Tensor:
    """Makes the nodes of uniform numbers of [minval, maxval).

    Args:
        shape: the shape of the result.
        minval: the lower bound.
        maxval: the upper bound.
        dtype: the type of the result.
        floats: function of the shape that makes the node of numbers of [0, 1).
        integers: function of shape and bounds that makes the node of integers.
        scope: the name of the result.
    """
    dtype = as_dtype(dtype)
    shape = shape_argument(shape)
    minval = convert_to_tensor(minval, dtype=dtype, name="min")
    maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
    if dtype.is_integer:
        return integers(shape, minval, maxval)
    numbers = floats(shape)
    width = build.Sub(maxval, minval, name="sub")
    return build.Add(build.Mul(numbers, width, name="mul"), minval, name=scope)


def scaled(
    shape: TensorLike,
    mean: TensorLike,
    stddev: TensorLike,
    dtype: DTypeLike,
    standard: Callable[[Tensor], Tensor],
    scope: str,
) -> Tensor:
    """Makes the nodes of standard numbers times `stddev` plus `mean`.

    Args:
        shape: the shape of the result.
        mean: the mean.
        stddev: the standard deviation.
        dtype: the type of the result.
        standard: function of the shape that makes the node of standard numbers.
        scope: the name of the result.
    """
    dtype = as_dtype(dtype)
    shape = shape_argument(shape)
    mean = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    return build.Add(build.Mul(standard(shape), stddev, name="mul"), mean, name=scope)
