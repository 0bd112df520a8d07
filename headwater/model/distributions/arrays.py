"""Triangular matrices, weighted log-sums and other array functions of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.axes import counted_from_start
from headwater.base.dtypes import as_dtype
from headwater.base.typing import Array, AxisLike, DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    with_dependencies,
)
from headwater.model.distributions.arguments import prefer_static_rank
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros, zeros_like
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import reshape, squeeze
from headwater.ops.array.reverse import reverse
from headwater.ops.array.shape import rank, shape
from headwater.ops.array.stack import stack
from headwater.ops.array.transpose import transpose
from headwater.ops.control.type_checks import assert_integer
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.linalg.band_part import matrix_band_part
from headwater.ops.linalg.diagonal import matrix_diag, matrix_diag_part, matrix_set_diag
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_logsumexp, reduce_max, reduce_sum
from headwater.ops.math.select import where_v2
from headwater.ops.math.sign import absolute


@export("contrib.distributions.matrix_diag_transform")
def matrix_diag_transform(
    matrix: TensorLike, transform: Callable[[Any], Any] | None = None, name: str | None = None
) -> Tensor:
    """The matrices with a function applied to their diagonals.

    Args:
        matrix: a tensor [..., n, n].
        transform: the function, from a tensor to one of the same shape.
        name: the name scope.

    Returns:
        A tensor like `matrix`.
    """
    with name_scope(name, "matrix_diag_transform", [matrix]):
        matrix = convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return matrix
        return matrix_set_diag(matrix, transform(matrix_diag_part(matrix)))


def rotate_transpose(x: TensorLike, shift: TensorLike, name: str = "rotate_transpose") -> Tensor:
    """Rotates the dimensions of `x` to the right by `shift`.

    Args:
        x: a tensor.
        shift: an integer; a negative one moves to the left.
        name: the name scope.

    Returns:
        The transposed tensor.
    """
    with name_scope(name, None, [x, shift]):
        x, shift = convert_to_tensor(x, name="x"), convert_to_tensor(shift, name="shift")
        assert_integer(shift)
        known, ndims = constant_value(shift), x.get_shape().ndims
        if ndims is not None and known is not None:
            if ndims < 2:
                return x
            step = int(math.copysign(1, known) * (abs(int(known)) % ndims))
            if step == 0:
                return x
            return transpose(x, perm=np.roll(np.arange(ndims), step))
        # Where the first dimension goes: |shift| mod n counted from the left or the right.
        count: TensorLike = rank(x)
        backward = build.Less(shift, 0)
        left = build.FloorMod(-shift, count)
        first = where_v2(backward, left, count - build.FloorMod(shift, count))
        head = range_(0, first)
        return transpose(x, perm=concat([range_(first, count), head], 0))


@export("contrib.distributions.fill_triangular")
def fill_triangular(x: TensorLike, upper: bool = False, name: str | None = None) -> Tensor:
    """Triangular matrices with given elements, in clockwise order.

    Args:
        x: the elements, [..., n (n + 1) / 2].
        upper: whether the matrices are upper triangular.
        name: the name scope.

    Returns:
        A tensor [..., n, n].

    Raises:
        ValueError: if no matrix has this number of elements.
    """
    with name_scope(name, "fill_triangular", [x]):
        x = convert_to_tensor(x, name="x")
        known = x.get_shape()
        m = None if known.ndims is None else known.with_rank_at_least(1)[-1].value
        if m is not None:
            n: TensorLike = math.isqrt(2 * m)
            if n * (n + 1) != 2 * m:
                raise ValueError(
                    f"Input right-most shape ({m}) does not correspond to a triangular matrix."
                )
            final = known[:-1].concatenate([n, n])
        else:
            sizes: TensorLike = shape(x)
            m = sizes[-1]
            root = build.Sqrt(0.25 + cast(2 * m, dtype=dtypes.float32))
            n = cast(root, dtype=dtypes.int32)
            final = known.with_rank_at_least(1)[:-1].concatenate([None, None])
        ndims = prefer_static_rank(x)
        # The elements followed by themselves reversed fill a square whose one half is wanted.
        if upper:
            parts = [x, reverse(x[..., n:], axis=[ndims - 1])]
        else:
            parts = [x[..., n:], reverse(x, axis=[ndims - 1])]
        if final.is_fully_defined():
            whole: Array = final.as_list()
        else:
            sizes = shape(x)
            whole = concat([sizes[:-1], [n, n]], axis=0)
        square = reshape(concat(parts, axis=-1), whole)
        result: Tensor = matrix_band_part(
            square, num_lower=0 if upper else -1, num_upper=-1 if upper else 0
        )
        result.set_shape(final)
        return result


@export("contrib.distributions.fill_triangular_inverse")
def fill_triangular_inverse(x: TensorLike, upper: bool = False, name: str | None = None) -> Tensor:
    """The elements of triangular matrices in the order of `fill_triangular`.

    Args:
        x: triangular matrices, [..., n, n].
        upper: whether they are upper triangular.
        name: the name scope.

    Returns:
        A tensor [..., n (n + 1) / 2].
    """
    with name_scope(name, "fill_triangular_inverse", [x]):
        x = convert_to_tensor(x, name="x")
        known = x.get_shape().with_rank_at_least(2)
        n: TensorLike = None if known.ndims is None else known[-1].value
        if n is not None:
            m: int = n * (n + 1) // 2
            final = known[:-2].concatenate([m])
        else:
            sizes: TensorLike = shape(x)
            n = sizes[-1]
            m = n * (n + 1) // 2
            final = known[:-2].concatenate([None])
        ndims = prefer_static_rank(x)
        if upper:
            first, rows = x[..., 0, :], x[..., 1:, :]
        else:
            last = x[..., -1, :]
            first = reverse(last, axis=[ndims - 2])
            rows = x[..., :-1, :]
        # The other half of each row is zero, so rows from both ends can share a line.
        folded = rows + reverse(reverse(rows, axis=[ndims - 1]), axis=[ndims - 2])
        sizes = shape(x)
        flat: Tensor = reshape(folded, concat([sizes[:-2], [n * (n - 1)]], axis=0))
        result: TensorLike = concat([first, flat[..., : m - n]], axis=-1)
        result.set_shape(final)
        return result


@export("contrib.distributions.tridiag")
def tridiag(
    below: TensorLike | None = None,
    diag: TensorLike | None = None,
    above: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Matrices with up to three diagonals.

    Args:
        below: the diagonal below the main one, [..., n - 1].
        diag: the main diagonal, [..., n].
        above: the diagonal above, [..., n - 1].
        name: the name scope.

    Returns:
        A tensor [..., n, n].

    Raises:
        ValueError: if none is given.
    """
    with name_scope(name, "tridiag", [below, diag, above]):
        parts: list[Any] = []
        if below is not None:
            below = _between_zeros(convert_to_tensor(below, name="below"))
            whole: Tensor = matrix_diag(below)
            parts.append(whole[..., :-1, 1:])
        if diag is not None:
            parts.append(matrix_diag(convert_to_tensor(diag, name="diag")))
        if above is not None:
            above = _between_zeros(convert_to_tensor(above, name="above"))
            whole = matrix_diag(above)
            parts.append(whole[..., 1:, :-1])
        if not parts:
            raise ValueError("Must specify at least one of {below, diag, above}.")
        return sum(parts[1:], parts[0])


def _between_zeros(x: TensorLike) -> Tensor:
    sizes: TensorLike = shape(x)
    zero = zeros(concat([sizes[:-1], [1]], axis=0), dtype=x.dtype)
    return concat([zero, x, zero], axis=-1)


@export("contrib.distributions.reduce_weighted_logsumexp")
def reduce_weighted_logsumexp(
    logx: TensorLike,
    w: TensorLike | None = None,
    axis: AxisLike | None = None,
    keep_dims: bool = False,
    return_sign: bool = False,
    name: str | None = None,
) -> NestedTensors:
    """log |sum(w exp(logx))|, without an overflow.

    Args:
        logx: a tensor.
        w: weights, which may be negative; None for 1.
        axis: the axes of the sum; None for all.
        keep_dims: whether the axes stay, with length 1.
        return_sign: whether the sign of the sum is returned too.
        name: the name scope.

    Returns:
        A tensor, or the tensor and the signs.
    """
    with name_scope(name, "reduce_weighted_logsumexp", [logx, w]):
        logx = convert_to_tensor(logx, name="logx")
        if w is None:
            result: Tensor = reduce_logsumexp(logx, axis=axis, keepdims=keep_dims)
            return (result, ones_like(result)) if return_sign else result
        w = convert_to_tensor(w, dtype=logx.dtype, name="w")
        terms = logx + build.Log(absolute(w))
        largest: Tensor = reduce_max(terms, axis=axis, keepdims=True)
        largest = where_v2(build.IsInf(largest), zeros_like(largest), largest)
        signed = build.Sign(w) * build.Exp(terms - largest)
        total: Tensor = reduce_sum(signed, axis=axis, keepdims=keep_dims)
        if not keep_dims:
            largest = squeeze(largest, axis)
        sign: Tensor = build.Sign(total)
        result = largest + build.Log(sign * total)
        return (result, sign) if return_sign else result


@export("contrib.distributions.softplus_inverse")
def softplus_inverse(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of softplus: log(exp(x) - 1).

    Args:
        x: a tensor of positive floating-point numbers.
        name: the name scope.

    Returns:
        A tensor like `x`.
    """
    with name_scope(name, "softplus_inverse", [x]):
        x = convert_to_tensor(x, name="x")
        # Below, the result is log(x) up to rounding; above, x.
        threshold = np.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0
        small = build.Less(x, np.exp(threshold))
        large = build.Greater(x, -threshold)
        of_small = build.Log(x)
        # A substitute for those elements, so that no gradient is NaN.
        middle = where_v2(build.LogicalOr(small, large), ones_like(x), x)
        y = middle + build.Log(-build.Expm1(-middle))
        return where_v2(small, of_small, where_v2(large, x, y))


def process_quadrature_grid_and_probs(
    quadrature_grid_and_probs: Sequence[Sequence[float]],
    dtype: DTypeLike,
    validate_args: bool,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """The points and normalized weights of a quadrature.

    Args:
        quadrature_grid_and_probs: points and weights; None for Gauss-Hermite with 8 points.
        dtype: the type of points and weights.
        validate_args: whether the lengths are checked when the graph runs.
        name: the name scope.

    Returns:
        Points and weights.

    Raises:
        ValueError: if there are more or fewer weights than points.
    """
    with name_scope(name, "process_quadrature_grid_and_probs", [quadrature_grid_and_probs]):
        if quadrature_grid_and_probs is None:
            points, weights = np.polynomial.hermite.hermgauss(deg=8)
            kind = as_dtype(dtype).as_numpy_dtype
            points, weights = points.astype(kind), weights.astype(kind)
            weights /= np.sum(np.abs(weights), keepdims=True)
            return (
                convert_to_tensor(points, name="grid", dtype=dtype),
                convert_to_tensor(weights, name="probs", dtype=dtype),
            )
        points, weights = tuple(quadrature_grid_and_probs)
        grid = convert_to_tensor(points, name="grid", dtype=dtype)
        given: Tensor = convert_to_tensor(weights, name="unnormalized_probs", dtype=dtype)
        with name_scope("probs"):
            total = reduce_sum(absolute(given), axis=-1, keepdims=True)
        probs = build.RealDiv(given, total, name="truediv")
        text = (
            "`quadrature_grid_and_probs` must be a `tuple` of same-length zero-th-dimension "
            "`Tensor`s"
        )
        lengths = [_last_length(x) for x in (probs, grid)]
        if None not in lengths:
            if lengths[0] != lengths[1]:
                raise ValueError(f"{text} (saw lengths {lengths[0]}, {lengths[1]})")
        elif validate_args:
            sizes: list[Any] = [shape(probs), shape(grid)]
            check = assert_equal(sizes[0][-1], sizes[1][-1], message=text)
            grid = with_dependencies([check], grid)
        return grid, probs


def _last_length(x: Tensor) -> int | None:
    known = x.get_shape()
    return None if known.ndims is None else known[-1].value


def pad(
    x: TensorLike,
    axis: TensorLike,
    front: bool = False,
    back: bool = False,
    value: TensorLike = 0,
    count: TensorLike = 1,
    name: str | None = None,
) -> Tensor:
    """Adds elements to the beginning, the end, or both, of one axis.

    Args:
        x: a tensor.
        axis: the axis, an int32 scalar.
        front: whether they are added to the beginning.
        back: whether they are added to the end.
        value: their value.
        count: how many.
        name: the name scope.

    Returns:
        The longer tensor.

    Raises:
        ValueError: if neither `front` nor `back` is true.
    """
    with name_scope(name, "pad", [x, value, count]):
        x = convert_to_tensor(x, name="x")
        value = convert_to_tensor(value, dtype=x.dtype, name="value")
        count = convert_to_tensor(count, name="count")
        if not front and not back:
            raise ValueError("At least one of `front`, `back` must be `True`.")
        known = x.get_shape()
        ndims: TensorLike = rank(x, name="ndims") if known.ndims is None else known.ndims
        axis = convert_to_tensor(axis, name="axis")
        place = constant_value(axis)
        added = constant_value(count)
        if place is not None and known.ndims is not None:
            axis = counted_from_start(int(place), ndims)
            length = None
            if known[axis].value is not None and added is not None:
                length = known[axis].value + int(added) * (front + back)
            final: ShapeLike = known[:axis].concatenate([length]).concatenate(known[axis + 1 :])
        else:
            axis = where_v2(build.Less(axis, 0), ndims + axis, axis)
            final = None
        chosen = stack([axis if front else -1, axis if back else -1])
        paddings = one_hot(indices=chosen, depth=ndims, axis=0, on_value=count, dtype=dtypes.int32)
        result = build.PadV2(x, paddings, value)
        if final is not None:
            result.set_shape(final)
        return result
