"""Images made larger or smaller and moved, with a choice of filters: ScaleAndTranslate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail, require
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import (
    Operation,
    Sample,
    ShapeContext,
    Tensor,
    build,
    register_op,
    shapes,
)
from headwater.ops.image.sampling import invalid, size_of

_SMALLEST_SUM = np.float32(1000 * np.finfo(np.float32).tiny)


def _lanczos(radius: float) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, x: Array) -> Array:
        angle = np.float32(np.pi) * xp.maximum(x, np.float32(1e-3))
        value = np.float32(radius) * xp.sin(angle) * xp.sin(angle / np.float32(radius))
        value = xp.where(x <= np.float32(1e-3), np.float32(1), value / (angle * angle))
        return xp.where(x > np.float32(radius), np.float32(0), value)

    return kernel


def _gaussian(xp: ArrayModule, x: Array) -> Array:
    return xp.where(x < np.float32(1.5), xp.exp(x * x * np.float32(-2)), np.float32(0))


def _box(xp: ArrayModule, x: Array) -> Array:
    edge = xp.where(x == np.float32(0.5), np.float32(0.5), np.float32(0))
    return xp.where(x < np.float32(0.5), np.float32(1), edge)


def _triangle(xp: ArrayModule, x: Array) -> Array:
    return xp.maximum(np.float32(1) - x, np.float32(0))


def _cubic(near: tuple[float, ...], far: tuple[float, ...]) -> Callable[..., Any]:
    """Two polynomials of degree 3: for distances up to 1 and up to 2."""

    def value(x: Array, factors: tuple[float, ...]) -> Array:
        result = x * 0
        for factor in factors:
            result = result * x + np.float32(factor)
        return result

    def kernel(xp: ArrayModule, x: Array) -> Array:
        outer = xp.where(x >= 2, np.float32(0), value(x, far))
        return xp.where(x >= 1, outer, value(x, near))

    return kernel


# Keys, "Cubic Convolution Interpolation for Digital Image Processing", 1981;
# Mitchell and Netravali, "Reconstruction Filters in Computer Graphics", 1988.
_KERNELS: dict[str, Callable[..., Any]] = {
    "lanczos1": _lanczos(1),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": _gaussian,
    "box": _box,
    "triangle": _triangle,
    "keyscubic": _cubic((1.5, -2.5, 0, 1), (-0.5, 2.5, -4, 2)),
    "mitchellcubic": _cubic((7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9)),
}


def _weights(
    xp: ArrayModule,
    source: int,
    target: int,
    scale: Array,
    move: Array,
    kernel: str,
    antialias: bool,
) -> Array:
    """How much of each input pixel is in each output pixel, [target, source]."""
    inverse = np.float32(1) / scale
    place = (xp.arange(target, dtype=np.float32) + np.float32(0.5)) * inverse - inverse * move
    width = xp.maximum(inverse, np.float32(1)) if antialias else np.float32(1)
    pixel = xp.arange(source, dtype=np.float32) + np.float32(0.5)
    weights = _KERNELS[kernel](xp, xp.abs((pixel - place[:, None]) / width))
    total = weights.sum(1, keepdims=True)
    enough = xp.abs(total) >= _SMALLEST_SUM
    weights = xp.where(enough, weights / xp.where(enough, total, np.float32(1)), np.float32(0))
    inside = (place >= 0) & (place <= np.float32(source))
    return xp.where(inside[:, None], weights, np.float32(0)).astype(np.float32)


def _both_weights(
    xp: ArrayModule,
    source: Sequence[int],
    target: Sequence[int],
    scale: Array,
    move: Array,
    kernel: str,
    antialias: bool,
) -> tuple[Any, Any]:
    if kernel not in _KERNELS:
        fail(f"Unrecognized kernel type: {kernel}")
    for value in (scale, move):
        if value.shape != (2,):
            fail(f"t must have two elements{shapes.show(value.shape)}")
    require(xp, scale > 0, lambda: invalid("Scale must be greater than zero."))
    rows, columns = (
        _weights(xp, source[i], target[i], scale[i], move[i], kernel, antialias) for i in (0, 1)
    )
    return rows, columns


def kernel_scale_and_translate(
    xp: ArrayModule,
    images: Array,
    size: np.ndarray,
    scale: Array,
    translation: Array,
    *,
    kernel_type: str,
    antialias: bool,
) -> Array:
    if images.ndim != 4:
        fail(f"input must be 4-dimensional{shapes.show(images.shape)}")
    if size.shape != (2,):
        fail(f"output_size must have two elements{shapes.show(size.shape)}")
    target = [int(n) for n in size]
    if min(target) <= 0:
        fail("output dimensions must be positive")
    source = images.shape[1:3]
    rows, columns = _both_weights(xp, source, target, scale, translation, kernel_type, antialias)
    tall = xp.einsum("oh,bhwc->bowc", rows, images.astype(np.float32))
    return xp.einsum("ow,bhwc->bhoc", columns, tall)


def kernel_scale_and_translate_grad(
    xp: ArrayModule,
    grads: Array,
    images: Array,
    scale: Array,
    translation: Array,
    *,
    kernel_type: str,
    antialias: bool,
) -> Array:
    rows, columns = _both_weights(
        xp, images.shape[1:3], grads.shape[1:3], scale, translation, kernel_type, antialias
    )
    tall = xp.einsum("oh,bowc->bhwc", rows, grads)
    return xp.einsum("ow,bhoc->bhwc", columns, tall)


def gradient_scale_and_translate(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    images, _, scale, translation = op.inputs
    result = build.ScaleAndTranslateGrad(
        grad,
        images,
        scale,
        translation,
        kernel_type=op.get_attr("kernel_type"),
        antialias=op.get_attr("antialias"),
    )
    return result, None, None, None


def shape_scale_and_translate(c: ShapeContext) -> Shape:
    batch, _, _, depth = c.with_rank("images", 4)
    return (batch, *size_of(c, "size"), depth)


def shape_scale_and_translate_grad(c: ShapeContext) -> Shape:
    return c.shape("original_image")


def samples_scale_and_translate() -> Iterator[Sample]:
    images = np.random.RandomState(0).uniform(0, 9, [1, 5, 6, 2]).astype(np.float32)
    numbers = np.array([0.71, 1.37], np.float32), np.array([0.23, -0.61], np.float32)
    for kernel in _KERNELS:
        yield Sample(
            images, np.array([3, 8], np.int32), *numbers, kernel_type=kernel, gradient=(0,)
        )
    yield Sample(images, np.array([4, 4], np.int32), *numbers, antialias=False, gradient=(0,))


_ATTRS = "kernel_type: string = 'lanczos3', antialias: bool = true"

register_op(
    "ScaleAndTranslate",
    inputs="images: T, size: int32, scale: float, translation: float",
    outputs="resized_images: float",
    attrs=(
        "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}, " + _ATTRS
    ),
    shape=shape_scale_and_translate,
    kernel=kernel_scale_and_translate,
    gradient=gradient_scale_and_translate,
    concrete=("size",),
    samples=samples_scale_and_translate,
)

register_op(
    "ScaleAndTranslateGrad",
    inputs="grads: T, original_image: T, scale: float, translation: float",
    outputs="output: T",
    attrs="T: {float}, " + _ATTRS,
    shape=shape_scale_and_translate_grad,
    kernel=kernel_scale_and_translate_grad,
)
