"""Elementwise comparisons with broadcasting, and tests for special values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import native
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.math.elementwise import (
    FLOATS,
    binary_kernel,
)

_EQUALITY = (
    f"{FLOATS}, uint8, int8, int16, int32, int64, complex64, quint8, qint8, qint32, string, bool, "
    "complex128"
)


def _comparison(ufunc: str) -> Callable[..., Any]:
    @binary_kernel
    def kernel(xp: ArrayModule, x: Array, y: Array) -> Array:
        result = getattr(xp, ufunc)(x, y)
        # NumPy compares arrays of strings to arrays of objects.
        return result if result.dtype == bool else result.astype(bool)

    return kernel


def kernel_approximate_equal(xp: ArrayModule, x: Array, y: Array, *, tolerance: float) -> Array:
    distance = xp.abs(xp.subtract(x, y))
    return distance < np.asarray(tolerance).astype(distance.dtype)


def reference_approximate_equal(x: Array, y: Array, *, tolerance: float) -> Array:
    return np.isclose(x, y, rtol=0, atol=tolerance)


def shape_equality(c: shapes.ShapeContext) -> Shape:
    if c.attr("incompatible_shape_error"):
        return shapes.broadcast(c)
    try:
        return shapes.broadcast_shapes(*c.shapes)
    except ValueError:
        return ()


def kernel_equal(xp: ArrayModule, x: Array, y: Array, *, incompatible_shape_error: bool) -> Array:
    if not incompatible_shape_error and not _fit(x, y):
        return np.array(False)
    return _equal(xp, x, y)


def kernel_not_equal(
    xp: ArrayModule, x: Array, y: Array, *, incompatible_shape_error: bool
) -> Array:
    if not incompatible_shape_error and not _fit(x, y):
        return np.array(True)
    if xp is np and x.dtype == object and not y.ndim:
        found = native.host().differs(x, y.item())
        if found is not None:
            return found
    return _not_equal(xp, x, y)


_equal = _comparison("equal")
_not_equal = _comparison("not_equal")


def _fit(x: TensorLike, y: TensorLike) -> bool:
    try:
        shapes.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    except ValueError:
        return False
    return True


def samples_order() -> Iterator[Sample]:
    x = np.array([[1.0, 2.0, 3.0], [3.0, np.nan, -np.inf]], np.float32)
    yield Sample(x, x[:, ::-1])
    yield Sample(x, np.float32(2))
    yield Sample(np.array([1, 2, 3], np.int32), np.array([[2], [3]], np.int32))
    yield Sample(np.array([1, 200], np.uint8), np.array([200, 1], np.uint8))


def samples_equality() -> Iterator[Sample]:
    yield from samples_order()
    yield Sample(np.array([True, False]), np.array([True, True]))
    yield Sample(np.array([1 + 2j, 2], np.complex64), np.array([1 + 2j, 2j], np.complex64))
    yield Sample(np.array([b"a", b"b"], object), np.array(b"a", object))


def samples_approximate() -> Iterator[Sample]:
    x = np.array([1.0, 2.0, 3.0], np.float32)
    yield Sample(x, x + np.array([0, 1e-3, 1.0], np.float32), tolerance=0.01)
    yield Sample(np.array([1, 2], np.int32), np.array([1, 5], np.int32), tolerance=2.0)


def _register_order(name: str, ufunc: str) -> None:
    register_op(
        name,
        inputs="x: T, y: T",
        outputs="z: bool",
        attrs="T: realnumbertype",
        shape=shapes.broadcast,
        kernel=_comparison(ufunc),
        gradient=NOT_DIFFERENTIABLE,
        reference=getattr(np, ufunc),
        samples=samples_order,
    )


_register_order("Less", "less")
_register_order("LessEqual", "less_equal")
_register_order("Greater", "greater")
_register_order("GreaterEqual", "greater_equal")


def _register_equality(
    name: str, kernel: Callable[..., Any], reference: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="x: T, y: T",
        outputs="z: bool",
        attrs=f"T: {{{_EQUALITY}}}, incompatible_shape_error: bool = true",
        shape=shape_equality,
        kernel=kernel,
        gradient=NOT_DIFFERENTIABLE,
        reference=reference,
        samples=samples_equality,
        commutative=True,
    )


_register_equality("Equal", kernel_equal, np.equal)
_register_equality("NotEqual", kernel_not_equal, np.not_equal)
register_op(
    "ApproximateEqual",
    inputs="x: T, y: T",
    outputs="z: bool",
    attrs="T: numbertype, tolerance: float = 9.99999975e-06",
    shape=shapes.merged,
    kernel=kernel_approximate_equal,
    gradient=NOT_DIFFERENTIABLE,
    reference=reference_approximate_equal,
    samples=samples_approximate,
    commutative=True,
)


def _special(function: str) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, x: Array) -> Array:
        return getattr(xp, function)(x)

    return kernel


def samples_special() -> Iterator[Sample]:
    for kind in (np.float32, np.float64, np.float16):
        yield Sample(np.array([[1.0, np.nan], [np.inf, -np.inf]], kind))


def _register_predicate(name: str, function: str) -> None:
    register_op(
        name,
        inputs="x: T",
        outputs="y: bool",
        attrs=f"T: {{{FLOATS}}}",
        shape=shapes.like_first,
        kernel=_special(function),
        reference=getattr(np, function),
        samples=samples_special,
    )


_register_predicate("IsNan", "isnan")
_register_predicate("IsInf", "isinf")
_register_predicate("IsFinite", "isfinite")


@export("less", "math.less")
def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether x < y.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.less([1, 2, 3], 2).eval())
        [ True False False]
    """
    return build.Less(x, y, name=name)


@export("less_equal", "math.less_equal")
def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether x <= y.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.LessEqual(x, y, name=name)


@export("greater", "math.greater")
def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether x > y.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.greater([1, 2, 3], 2).eval())
        [False False  True]
    """
    return build.Greater(x, y, name=name)


@export("greater_equal", "math.greater_equal")
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether x >= y.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.greater_equal([1, 2, 3], 2).eval())
        [False  True  True]
    """
    return build.GreaterEqual(x, y, name=name)


@export("equal", "math.equal")
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether x and y are equal.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.equal([1, 2, 3], [1, 0, 3]).eval())
        [ True False  True]
    """
    return build.Equal(x, y, name=name)


@export("not_equal", "math.not_equal")
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether x and y differ.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.not_equal([1, 2, 3], 2).eval())
        [ True False  True]
    """
    return build.NotEqual(x, y, name=name)


@export("is_nan", "math.is_nan", "debugging.is_nan")
def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns which elements are NaN.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.IsNan(x, name=name)


@export("is_inf", "math.is_inf", "debugging.is_inf")
def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns which elements are infinite.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.IsInf(x, name=name)


@export("is_finite", "math.is_finite", "debugging.is_finite")
def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns which elements are finite.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.IsFinite(x, name=name)


Tensor._override_operator("__lt__", less)
Tensor._override_operator("__le__", less_equal)
Tensor._override_operator("__gt__", greater)
Tensor._override_operator("__ge__", greater_equal)
