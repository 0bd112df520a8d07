"""Hue, saturation and value of images, changed by a linear map of YIQ colours: AdjustHsvInYiq."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Sample, ShapeContext, register_op, shapes

# From RGB to YIQ, the colours of the National Television System Committee (1953).
_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
_FROM_YIQ = np.linalg.inv(_TO_YIQ)


def kernel_adjust_hsv_in_yiq(
    xp: ArrayModule, images: Array, delta_h: Array, scale_s: Array, scale_v: Array
) -> Array:
    if images.ndim < 3:
        fail(f"input must be at least 3-D, got shape{shapes.show(images.shape)}")
    if images.shape[-1] != 3:
        fail(f"input must have 3 channels but instead has {images.shape[-1]} channels.")
    for name, value in (("delta_h", delta_h), ("scale_s", scale_s), ("scale_v", scale_v)):
        if value.ndim:
            fail(f"{name} must be scalar: {shapes.show(value.shape)}")
    turn, value = delta_h.astype(np.float64), scale_v.astype(np.float64)
    chroma = value * scale_s.astype(np.float64)
    u, w, zero = chroma * xp.cos(turn), chroma * xp.sin(turn), xp.zeros_like(turn)
    change = xp.stack([value, zero, zero, zero, u, -w, zero, w, u]).reshape(3, 3)
    matrix = _FROM_YIQ @ change @ _TO_YIQ
    return (images.astype(np.float32) @ matrix.T.astype(np.float32)).astype(images.dtype)


def reference_adjust_hsv_in_yiq(
    images: Array, delta_h: Array, scale_s: Array, scale_v: Array
) -> Array:
    y, i, q = np.moveaxis(images.astype(np.float64) @ _TO_YIQ.T, -1, 0)
    turned = (i + 1j * q) * np.exp(1j * float(delta_h)) * float(scale_s)
    yiq = np.stack([y, turned.real, turned.imag], axis=-1) * float(scale_v)
    return (yiq @ np.linalg.inv(_TO_YIQ).T).astype(images.dtype)


def shape_adjust_hsv_in_yiq(c: ShapeContext) -> Shape:
    return c.with_rank_at_least("images", 3)


def samples_adjust_hsv_in_yiq() -> Iterator[Sample]:
    images = np.random.RandomState(3).uniform(0, 1, [2, 3, 4, 3]).astype(np.float32)
    for numbers in ((0.7, 1.5, 0.8), (0.0, 0.2, 1.0)):
        yield Sample(images, *(np.array(n, np.float32) for n in numbers), gradient=())


register_op(
    "AdjustHsvInYiq",
    inputs="images: T, delta_h: float, scale_s: float, scale_v: float",
    outputs="output: T",
    attrs="T: {uint8, int8, int16, int32, int64, half, float, double}",
    shape=shape_adjust_hsv_in_yiq,
    kernel=kernel_adjust_hsv_in_yiq,
    reference=reference_adjust_hsv_in_yiq,
    samples=samples_adjust_hsv_in_yiq,
)
