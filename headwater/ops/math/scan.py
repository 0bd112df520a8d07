"""Running sums, products and log-sum-exps along one axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)


def _axis(x: Array, axis: Array) -> int:
    if np.ndim(axis):
        raise errors.InvalidArgumentError(
            None, None, f"ScanOp: axis must be a scalar, not {shapes.show(np.shape(axis))}"
        )
    axis = int(axis)
    if not -x.ndim <= axis < x.ndim:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"ScanOp: Expected scan axis in the range [{-x.ndim}, {x.ndim}), but got {axis}",
        )
    return axis % x.ndim


def _scan(
    xp: ArrayModule,
    x: Array,
    axis: int,
    exclusive: bool,
    reverse: bool,
    function: Callable[..., Any],
    start: Array,
) -> Array:
    """Applies a cumulative function, shifted by one if exclusive, from the back if reverse."""
    if reverse:
        x = xp.flip(x, axis)
    if exclusive and x.shape[axis]:
        first = [slice(None)] * x.ndim
        first[axis] = slice(0, -1)
        edge = list(x.shape)
        edge[axis] = 1
        x = xp.concatenate([xp.full(edge, start, x.dtype), x[tuple(first)]], axis)
    result = function(x, axis)
    return xp.flip(result, axis) if reverse else result


def kernel_cumsum(
    xp: ArrayModule, x: Array, axis: Array, *, exclusive: bool, reverse: bool
) -> Array:
    def total(values: Array, along: int) -> Array:
        return xp.cumsum(values, along, dtype=x.dtype)

    return _scan(xp, x, _axis(x, axis), exclusive, reverse, total, 0)


def kernel_cumprod(
    xp: ArrayModule, x: Array, axis: Array, *, exclusive: bool, reverse: bool
) -> Array:
    def product(values: Array, along: int) -> Array:
        return xp.cumprod(values, along, dtype=x.dtype)

    return _scan(xp, x, _axis(x, axis), exclusive, reverse, product, 1)


def kernel_logsumexp(
    xp: ArrayModule, x: Array, axis: Array, *, exclusive: bool, reverse: bool
) -> Array:
    lowest = np.finfo(x.dtype).min

    def total(values: Array, along: int) -> Array:
        if xp is np:
            return np.logaddexp.accumulate(values, along, dtype=x.dtype)
        return lax.cumlogsumexp(values, along)

    return _scan(xp, x, _axis(x, axis), exclusive, reverse, total, lowest)


def _reference(combine: Callable[..., Any], start: Callable[..., Any]) -> Callable[..., Any]:
    """A running combination, element by element."""

    def reference(x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> Array:
        rows = np.moveaxis(x, int(axis), 0)
        result = np.empty_like(rows)
        running = np.full(rows.shape[1:], start(x.dtype), x.dtype)
        order = range(len(rows))
        for i in reversed(order) if reverse else order:
            before, running = running, combine(running, rows[i])
            result[i] = before if exclusive else running
        return np.moveaxis(result, 0, int(axis))

    return reference


def gradient_cumsum(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    axis = op.inputs[1]
    exclusive, reverse = op.get_attr("exclusive"), op.get_attr("reverse")
    return build.Cumsum(grad, axis, exclusive=exclusive, reverse=not reverse), None


def gradient_cumprod(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    x, axis = op.inputs
    exclusive, reverse = op.get_attr("exclusive"), op.get_attr("reverse")
    product = build.Cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    total = build.Cumsum(product * grad, axis, exclusive=exclusive, reverse=not reverse)
    return total / x, None


def gradient_logsumexp(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    x, axis = op.inputs
    y = op.outputs[0]
    exclusive, reverse = op.get_attr("exclusive"), op.get_attr("reverse")
    lowest = grad.dtype.min

    def logarithms(condition: Tensor, size: Tensor) -> Tensor:
        return build.SelectV2(condition, build.Log(size), lowest)

    positive = logarithms(grad > 0, grad)
    below = grad < 0
    negative = logarithms(below, -grad)
    parts = [
        build.Exp(
            build.CumulativeLogsumexp(part - y, axis, exclusive=exclusive, reverse=not reverse) + x
        )
        for part in (positive, negative)
    ]
    return parts[0] - parts[1], None


def samples_scan() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -0.5]], np.float32)
    for exclusive in (False, True):
        for reverse in (False, True):
            yield Sample(x, np.int32(1), exclusive=exclusive, reverse=reverse)
    yield Sample(x.astype(np.float64), np.int64(-2))
    yield Sample(np.array([3, 1, 2], np.int32), np.int32(0))
    yield Sample(np.zeros((2, 0), np.float32), np.int32(1), exclusive=True, gradient=())


def samples_sum() -> Iterator[Sample]:
    yield from samples_scan()
    yield Sample(np.array([1 + 2j, -3j], np.complex64), np.int32(0))


def samples_floats() -> Iterator[Sample]:
    for sample in samples_scan():
        if sample.inputs[0].dtype.kind == "f":
            if sample.attrs.get("exclusive"):
                # The logarithm of an empty sum is the smallest number, where finite differences are
                # meaningless.
                sample.gradient = ()
            yield sample


def _register_scan(
    name: str,
    types: str,
    kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    reference_kernel: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="x: T, axis: Tidx",
        outputs="out: T",
        attrs=f"exclusive: bool = false, reverse: bool = false, T: {types}, "
        "Tidx: {int32, int64} = int32",
        shape=shapes.like_first,
        kernel=kernel,
        gradient=gradient,
        concrete=("axis",),
        reference=reference_kernel,
        samples=samples,
    )


_register_scan(
    "Cumsum",
    types="numbertype",
    kernel=kernel_cumsum,
    gradient=gradient_cumsum,
    reference_kernel=_reference(np.add, lambda dtype: 0),
    samples=samples_sum,
)
_register_scan(
    "Cumprod",
    types="numbertype",
    kernel=kernel_cumprod,
    gradient=gradient_cumprod,
    reference_kernel=_reference(np.multiply, lambda dtype: 1),
    samples=samples_sum,
)
_register_scan(
    "CumulativeLogsumexp",
    types="{half, float, double}",
    kernel=kernel_logsumexp,
    gradient=gradient_logsumexp,
    reference_kernel=_reference(np.logaddexp, lambda dtype: np.finfo(dtype).min),
    samples=samples_floats,
)


@export("cumsum", "math.cumsum")
def cumsum(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns running sums along an axis.

    Args:
        x: a tensor of numbers.
        axis: the axis.
        exclusive: whether an element itself is left out of its sum.
        reverse: whether the sums run from the end.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    with name_scope(name, "Cumsum", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return build.Cumsum(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


@export("cumprod", "math.cumprod")
def cumprod(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns running products along an axis.

    Args:
        x: a tensor of numbers.
        axis: the axis.
        exclusive: whether an element itself is left out of its product.
        reverse: whether the products run from the end.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    with name_scope(name, "Cumprod", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return build.Cumprod(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


@export("math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the logarithms of running sums of exp(x) along an axis.

    Args:
        x: a tensor of floating-point numbers.
        axis: the axis.
        exclusive: whether an element itself is left out of its sum.
        reverse: whether the sums run from the end.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    with name_scope(name, "CumulativeLogsumexp", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return build.CumulativeLogsumexp(x, axis, exclusive=exclusive, reverse=reverse, name=scope)
