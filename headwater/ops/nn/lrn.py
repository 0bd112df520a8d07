"""Local response normalization across channels: LRN and LRNGrad."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes

_ATTRS = (
    "depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5, "
    "T: {half, bfloat16, float} = float"
)


def shape_lrn(c: shapes.ShapeContext) -> Shape:
    return c.with_rank("input", 4)


def shape_lrn_grad(c: shapes.ShapeContext) -> Shape:
    grads = c.merge(c.with_rank("input_grads", 4), c.with_rank("input_image", 4))
    return c.merge(grads, c.with_rank("output_image", 4))


def _window_sum(xp: ArrayModule, x: Array, radius: int) -> Array:
    """The sum over the channels within `radius`."""
    depth = x.shape[-1]
    radius = min(radius, max(depth - 1, 0))
    padded = xp.pad(x, [(0, 0)] * (x.ndim - 1) + [(radius, radius)])
    total = padded[..., :depth]
    for offset in range(1, 2 * radius + 1):
        total = total + padded[..., offset : offset + depth]
    return total


def _norm(xp: ArrayModule, x: Array, radius: int, bias: float, alpha: float) -> Array:
    kind = x.dtype.type
    return kind(bias) + kind(alpha) * _window_sum(xp, xp.square(x), radius)


def _inverse_power(xp: ArrayModule, norm: Array, beta: float) -> Array:
    """norm ** -beta, by logarithms as in TensorFlow."""
    if beta == 1:
        return 1 / norm
    if beta == 0.5:
        return 1 / xp.sqrt(norm)
    return xp.exp(norm.dtype.type(-beta) * xp.log(norm))


def kernel_lrn(
    xp: ArrayModule, x: Array, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Array:
    if x.ndim != 4:
        raise errors.InvalidArgumentError(None, None, "in must be 4-dimensional")
    norm = _norm(xp, x, depth_radius, bias, alpha)
    return x * _inverse_power(xp, norm, beta)


def kernel_lrn_grad(
    xp: ArrayModule,
    input_grads: Array,
    x: Array,
    y: Array,
    *,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> Array:
    if input_grads.ndim != 4 or x.ndim != 4:
        raise errors.InvalidArgumentError(None, None, "inputs must be 4-dimensional")
    if input_grads.shape != x.shape or y.shape != x.shape:
        raise errors.InvalidArgumentError(
            None, None, "input_grads, input_image, and out_image should have the same shape"
        )
    kind = x.dtype.type
    norm = _norm(xp, x, depth_radius, bias, alpha)
    direct = input_grads * _inverse_power(xp, norm, beta)
    others = _window_sum(xp, input_grads * y / norm, depth_radius)
    return direct - kind(2 * alpha * beta) * x * others


def gradient_lrn(op: Operation, grad: Tensor) -> Tensor:
    attrs = {n: op.get_attr(n) for n in ("depth_radius", "bias", "alpha", "beta")}
    return build.LRNGrad(grad, op.inputs[0], op.outputs[0], **attrs)


def reference_lrn(x: Array, *, depth_radius: int, bias: float, alpha: float, beta: float) -> Array:
    wide = x.astype(np.float64)
    result = np.empty_like(wide)
    for i in range(x.shape[-1]):
        near = wide[..., max(i - depth_radius, 0) : i + depth_radius + 1]
        result[..., i] = wide[..., i] / (bias + alpha * (near**2).sum(-1)) ** beta
    return result.astype(x.dtype)


def reference_lrn_grad(
    input_grads: Array,
    x: Array,
    y: Array,
    *,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> Array:
    depth = x.shape[-1]
    distance = np.abs(np.subtract.outer(np.arange(depth), np.arange(depth)))
    band = (distance <= depth_radius).astype(np.float64)
    wide = x.astype(np.float64)
    norm = bias + alpha * (wide**2) @ band
    scaled = (input_grads * y / norm) @ band
    return (input_grads * norm**-beta - 2 * alpha * beta * wide * scaled).astype(x.dtype)


_IMAGE = np.linspace(-2, 3, 16, dtype=np.float32).reshape(1, 2, 1, 8)


def samples_lrn() -> Iterator[Sample]:
    yield Sample(_IMAGE)
    yield Sample(_IMAGE, depth_radius=2, bias=0.5, alpha=0.1, beta=0.75)
    yield Sample(_IMAGE, depth_radius=0, bias=2.0)


def samples_lrn_grad() -> Iterator[Sample]:
    options: dict[str, Any] = {"depth_radius": 2, "bias": 0.5, "alpha": 0.1, "beta": 0.75}
    output = reference_lrn(_IMAGE, **options)
    yield Sample(np.cos(_IMAGE), _IMAGE, output, gradient=(), **options)


register_op(
    "LRN",
    inputs="input: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_lrn,
    kernel=kernel_lrn,
    gradient=gradient_lrn,
    reference=reference_lrn,
    samples=samples_lrn,
)
register_op(
    "LRNGrad",
    inputs="input_grads: T, input_image: T, output_image: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_lrn_grad,
    kernel=kernel_lrn_grad,
    reference=reference_lrn_grad,
    samples=samples_lrn_grad,
)


@export("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides each element by a norm of the elements in neighbouring channels.

    The result is input / (bias + alpha * s) ** beta, where s is the sum of squares over the
    channels that are no farther than `depth_radius`.

    Args:
        input: a tensor of shape [batch, height, width, channels], float32, half or bfloat16.
        depth_radius: half the width of the window of channels.
        bias: what keeps the norm from being zero.
        alpha: the factor of the sum of squares.
        beta: the exponent.
        name: the name of the node.

    Returns:
        A tensor like `input`.

    Source: A. Krizhevsky, I. Sutskever, G. Hinton, "ImageNet Classification with Deep Convolutional
    Neural Networks", 2012, section 3.3.
    """
    return build.LRN(input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)
