"""Softmax and LogSoftmax."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import errors
from headwater.base.older_calls import inserted
from headwater.base.typing import Array, ArrayModule, AxisLike, Shape, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.nn.axes import along_axis
from headwater.ops.nn.elementwise import in_single

_FLOATS = "T: {half, bfloat16, float, double}"


def shape_softmax(c: shapes.ShapeContext) -> Shape:
    return c.with_rank_at_least("logits", 1)


def _require_vector(logits: Array) -> None:
    if logits.ndim < 1:
        raise errors.InvalidArgumentError(
            None, None, f"logits must have >= 1 dimension, got {shapes.show(logits.shape)}"
        )


def kernel_softmax(xp: ArrayModule, logits: Array) -> Array:
    _require_vector(logits)
    if logits.shape[-1] == 0:
        return logits
    wide = in_single(logits)
    powers = xp.exp(wide - xp.max(wide, axis=-1, keepdims=True))
    total = xp.sum(powers, axis=-1, keepdims=True, dtype=wide.dtype)
    return (powers / total).astype(logits.dtype)


def kernel_log_softmax(xp: ArrayModule, logits: Array) -> Array:
    _require_vector(logits)
    if logits.shape[-1] == 0:
        return logits
    wide = in_single(logits)
    shifted = wide - xp.max(wide, axis=-1, keepdims=True)
    total = xp.sum(xp.exp(shifted), axis=-1, keepdims=True, dtype=wide.dtype)
    return (shifted - xp.log(total)).astype(logits.dtype)


def gradient_softmax(op: Operation, grad: Tensor) -> Tensor:
    softmax = op.outputs[0]
    inner = build.Sum(build.Mul(grad, softmax, name="mul"), -1, keep_dims=True)
    return build.Mul(build.Sub(grad, inner, name="sub"), softmax, name="mul")


def gradient_log_softmax(op: Operation, grad: Tensor) -> Tensor:
    softmax = build.Exp(op.outputs[0])
    total = build.Sum(grad, -1, keep_dims=True)
    return build.Sub(grad, build.Mul(total, softmax, name="mul"), name="sub")


def reference_softmax(logits: Array) -> Array:
    wide = logits.astype(np.float64)
    if wide.size == 0:
        return logits
    powers = np.exp(wide - wide.max(-1)[..., None])
    return np.einsum("...i,...->...i", powers, 1 / powers.sum(-1)).astype(logits.dtype)


def reference_log_softmax(logits: Array) -> Array:
    wide = logits.astype(np.float64)
    if wide.size == 0:
        return logits
    return (wide - np.logaddexp.reduce(wide, axis=-1)[..., None]).astype(logits.dtype)


def samples_softmax() -> Iterator[Sample]:
    logits = np.array([[1.0, 2.0, 3.5], [-0.5, 0.25, 0.5]], np.float32)
    yield Sample(logits)
    yield Sample(logits.astype(np.float64))
    yield Sample(logits.astype(np.float16), gradient=(), rtol=4e-3)
    yield Sample(logits[0])
    yield Sample(np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4))
    yield Sample(np.array([[1000.0, 1001.0], [-1000.0, 0.0]], np.float32), gradient=())
    yield Sample(np.zeros((2, 0), np.float32))


register_op(
    "Softmax",
    inputs="logits: T",
    outputs="softmax: T",
    attrs=_FLOATS,
    shape=shape_softmax,
    kernel=kernel_softmax,
    gradient=gradient_softmax,
    reference=reference_softmax,
    samples=samples_softmax,
)
register_op(
    "LogSoftmax",
    inputs="logits: T",
    outputs="logsoftmax: T",
    attrs=_FLOATS,
    shape=shape_softmax,
    kernel=kernel_log_softmax,
    gradient=gradient_log_softmax,
    reference=reference_log_softmax,
    samples=samples_softmax,
)


@export("nn.softmax", "math.softmax")
@inserted(1, None)
def softmax(
    logits: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    dim: AxisLike | None = None,
) -> Tensor:
    """Returns exp(logits) / sum(exp(logits), axis).

    Args:
        logits: a tensor of floating-point numbers, of rank 1 or more.
        axis: the axis along which the results sum up to 1; None is the last one.
        name: the name of the last node.
        dim: older name of `axis`.

    Returns:
        A tensor of the same type and shape.

    Raises:
        ValueError: if both `axis` and `dim` are given.
        InvalidArgumentError: if the axis is out of range.

    Example:
        >>> print(tf.nn.softmax([[1.0, 1.0], [-1000.0, 0.0]]).eval())
        [[0.5 0.5]
         [0.  1. ]]
    """
    return along_axis(build.Softmax, logits, axis, dim, name)


@export("nn.log_softmax", "math.log_softmax")
@inserted(1, None)
def log_softmax(
    logits: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    dim: AxisLike | None = None,
) -> Tensor:
    """Returns logits - log(sum(exp(logits), axis)).

    Args:
        logits: a tensor of floating-point numbers, of rank 1 or more.
        axis: the axis along which the exponentials of the results sum up to 1; None is the last.
        name: the name of the last node.
        dim: older name of `axis`.

    Returns:
        A tensor of the same type and shape.

    Raises:
        ValueError: if both `axis` and `dim` are given.
        InvalidArgumentError: if the axis is out of range.
    """
    return along_axis(build.LogSoftmax, logits, axis, dim, name)
