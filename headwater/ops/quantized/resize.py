"""Linear resizing of quantized images: QuantizedResizeBilinear."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.image.sampling import checked_sizes, linear_taps, shape_resize
from headwater.ops.quantized.steps import Steps

_F = np.float32


def kernel_resize(
    xp: ArrayModule,
    images: np.ndarray,
    size: np.ndarray,
    low: Array,
    high: Array,
    *,
    T: DType,
    align_corners: bool,
    half_pixel_centers: bool,
) -> tuple[Array, ...]:
    height, width = checked_sizes(images, size, align_corners, half_pixel_centers)
    flags = (align_corners, half_pixel_centers)
    top, bottom, down = linear_taps(images.shape[1], height, *flags)
    left, right, across = linear_taps(images.shape[2], width, *flags)
    across, down = across[:, None], down[:, None, None]
    if T is dtypes.float32:

        def line(rows: np.ndarray) -> np.ndarray:
            pixels = images[:, rows]
            first = pixels[:, :, left]
            return first + (pixels[:, :, right] - first) * across

        upper = line(top)
        return upper + (line(bottom) - upper) * down, _F(low), _F(high)

    # Fixed-point numbers, as TensorFlow has them.
    steps = Steps(T)
    one = 1 << (7 if T is dtypes.quint8 else 30)
    integers = steps.integers(images).astype(np.int64)
    part_across = (across * _F(one)).astype(np.int64)
    part_down = (down * _F(one)).astype(np.int64)

    def fixed_line(rows: np.ndarray) -> np.ndarray:
        pixels = integers[:, rows]
        first = pixels[:, :, left]
        return first * one + (pixels[:, :, right] - first) * part_across

    higher = fixed_line(top)
    resized = higher + _divided(fixed_line(bottom) - higher, one) * part_down
    return steps.array(_divided(resized + one // 2, one)), _F(low), _F(high)


def _divided(x: np.ndarray, by: int) -> np.ndarray:
    """The quotient, rounded towards 0."""
    return np.sign(x) * (np.abs(x) // by)


def shape_quantized_resize(c: shapes.ShapeContext) -> list[Shape]:
    shape = shape_resize(c)
    c.with_rank("min", 0)
    c.with_rank("max", 0)
    return [shape, (), ()]


def samples_resize() -> Iterator[Sample]:
    numbers = (np.arange(24) * 37 % 251).astype(np.uint8).reshape(1, 3, 4, 2)
    images = numbers.view(dtypes.quint8.as_numpy_dtype)
    size = np.array([5, 3], np.int32)
    yield Sample(images, size, _F(-1), _F(2))
    yield Sample(numbers.astype(_F), size, _F(0), _F(255), align_corners=True)


register_op(
    "QuantizedResizeBilinear",
    inputs="images: T, size: int32, min: float, max: float",
    outputs="resized_images: T, out_min: float, out_max: float",
    attrs="T: {quint8, qint32, float}, align_corners: bool = false, "
    "half_pixel_centers: bool = false",
    shape=shape_quantized_resize,
    kernel=kernel_resize,
    samples=samples_resize,
    concrete=("size",),
    runs_on=RunsOn.HOST,
)
