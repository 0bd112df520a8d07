"""The public functions that reduce tensors along axes: `tf.reduce_sum` and its relatives."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.typing import AxisLike, DTypeLike, NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
    zeros_like,
)
from headwater.ops.math.axes import all_axes


def one_of(
    old_name: str, old: TensorLike | None, new_name: str, new: NestedTensors | None
) -> NestedTensors | None:
    """The value of an argument that has two names.

    Raises:
        ValueError: if both are given.
    """
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old


def axes_tensor(x: TensorLike, axis: AxisLike | None) -> NestedTensors:
    """The axes to reduce: those given, or all of them."""
    return all_axes(x) if axis is None else axis


def _reduce(
    op_type: str,
    x: TensorLike,
    axis: AxisLike | None,
    keepdims: bool | None,
    name: str | None,
    reduction_indices: AxisLike | None,
    keep_dims: bool | None,
) -> Tensor:
    axis = one_of("reduction_indices", reduction_indices, "axis", axis)
    keep = bool(one_of("keep_dims", keep_dims, "keepdims", keepdims))
    axes = axes_tensor(x, axis)
    result = getattr(build, op_type)(x, axes, keep_dims=keep, name=name)
    if axis is None and not keep and result._rank() is None:
        result.set_shape(())
    return result


@export("reduce_sum", "math.reduce_sum")
def reduce_sum(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the sums of elements along axes.

    Args:
        input_tensor: a tensor.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name of the node.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if an argument is given under both of its names, or an axis is out of range.

    Example:
        >>> x = tf.constant([[1, 1, 1], [1, 1, 1]])
        >>> print(tf.reduce_sum(x).eval())
        6
        >>> print(tf.reduce_sum(x, axis=0).eval())
        [2 2 2]
    """
    return _reduce("Sum", input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@export("reduce_mean", "math.reduce_mean")
def reduce_mean(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the means of elements along axes.

    Args:
        input_tensor: a tensor.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name of the node.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if an argument is given under both of its names, or an axis is out of range.

    Example:
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> print(tf.reduce_mean(x).eval())
        2.5
        >>> print(tf.reduce_mean(x, axis=1).eval())
        [1.5 3.5]
    """
    return _reduce("Mean", input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@export("reduce_prod", "math.reduce_prod")
def reduce_prod(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the products of elements along axes.

    Args:
        input_tensor: a tensor.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name of the node.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if an argument is given under both of its names, or an axis is out of range.
    """
    return _reduce("Prod", input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@export("reduce_max", "math.reduce_max")
def reduce_max(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the largest elements along axes.

    Args:
        input_tensor: a tensor.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name of the node.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if an argument is given under both of its names, or an axis is out of range.

    Example:
        >>> print(tf.reduce_max([[1, 5], [7, 2]], axis=0).eval())
        [7 5]
    """
    return _reduce("Max", input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@export("reduce_min", "math.reduce_min")
def reduce_min(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the smallest elements along axes.

    Args:
        input_tensor: a tensor.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name of the node.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if an argument is given under both of its names, or an axis is out of range.

    Example:
        >>> print(tf.reduce_min([[1, 5], [7, 2]], axis=1).eval())
        [1 2]
    """
    return _reduce("Min", input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@export("reduce_any", "math.reduce_any")
def reduce_any(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns whether any element along axes is true.

    Args:
        input_tensor: a tensor.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name of the node.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if an argument is given under both of its names, or an axis is out of range.
    """
    return _reduce("Any", input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@export("reduce_all", "math.reduce_all")
def reduce_all(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns whether all elements along axes are true.

    Args:
        input_tensor: a tensor.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name of the node.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if an argument is given under both of its names, or an axis is out of range.
    """
    return _reduce("All", input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


@export("math.reduce_euclidean_norm")
def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the square roots of the sums of squares along axes.

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name of the node.

    Returns:
        A tensor of the same type.
    """
    return _reduce("EuclideanNorm", input_tensor, axis, bool(keepdims), name, None, None)


@export("math.reduce_variance")
def reduce_variance(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the means of squared distances from the mean along axes.

    Args:
        input_tensor: a tensor of real numbers.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name scope.

    Returns:
        A tensor of the same type.
    """
    with name_scope(name or "reduce_variance"):
        mean = _reduce("Mean", input_tensor, axis, True, None, None, None)
        squares = build.Square(input_tensor - mean)
        return _reduce("Mean", squares, axis, keepdims, None, None, None)


@export("math.reduce_std")
def reduce_std(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the standard deviations along axes, as the root of `tf.math.reduce_variance`.

    Args:
        input_tensor: a tensor of real numbers.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name scope.

    Returns:
        A tensor of the same type.
    """
    with name_scope(name or "reduce_std"):
        return build.Sqrt(reduce_variance(input_tensor, axis, keepdims))


@export("reduce_logsumexp", "math.reduce_logsumexp")
def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns log(sum(exp(x))) along axes without overflow.

    Args:
        input_tensor: a tensor of real numbers.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        name: the name scope.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if an argument is given under both of its names.
    """
    axis = one_of("reduction_indices", reduction_indices, "axis", axis)
    keep = bool(one_of("keep_dims", keep_dims, "keepdims", keepdims))
    with name_scope(name, "ReduceLogSumExp", [input_tensor]):
        largest = _reduce("Max", input_tensor, axis, True, None, None, None)
        finite = build.Select(build.IsFinite(largest), largest, zeros_like(largest))
        offset = build.StopGradient(finite)
        powers = build.Exp(build.Sub(input_tensor, offset))
        result = build.Log(_reduce("Sum", powers, axis, keep, None, None, None))
        if not keep:
            offset = build.Reshape(offset, shape_tensor(result))
        return build.Add(result, offset)


@export("count_nonzero", "math.count_nonzero")
def count_nonzero(
    input_tensor: TensorLike | None = None,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Returns how many elements along axes are not zero (or not an empty string).

    Args:
        input_tensor: a tensor of numbers, booleans or strings.
        axis: an axis or a list of axes; None means all.
        keepdims: whether reduced axes stay, with length 1.
        dtype: the type of the result.
        name: the name scope.
        reduction_indices: older name of `axis`.
        keep_dims: older name of `keepdims`.
        input: newer name of `input_tensor`.

    Returns:
        A tensor of type `dtype`.

    Raises:
        ValueError: if an argument is given under both of its names.
    """
    counted = one_of("input_tensor", input_tensor, "input", input)
    axis = one_of("reduction_indices", reduction_indices, "axis", axis)
    keep = bool(one_of("keep_dims", keep_dims, "keepdims", keepdims))
    with name_scope(name, "count_nonzero", [counted]):
        counted = convert_to_tensor(counted, name="input")
        kind = counted.dtype.base_dtype
        value = b"" if kind is dtypes.string else np.zeros((), kind.as_numpy_dtype)
        zero = constant_node(value, kind, "zeros")
        differs = build.Cast(build.NotEqual(counted, zero), DstT=dtypes.int64)
        count = _reduce("Sum", differs, axis, keep, None, None, None)
        if as_dtype(dtype).base_dtype is dtypes.int64:
            return count
        return build.Cast(count, DstT=dtype)
