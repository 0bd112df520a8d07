"""Images seen through projective transforms: ImageProjectiveTransform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Sample, ShapeContext, register_op, shapes


def _check(images: Array, transforms: Array) -> None:
    if images.ndim != 4:
        fail("Input images must have rank 4")
    if (
        transforms.ndim != 2
        or transforms.shape[0] not in (1, images.shape[0])
        or transforms.shape[1] != 8
    ):
        fail("Input transform should be num_images x 8 or 1 x 8")


def _output_size(output_shape: np.ndarray) -> tuple[int, int]:
    if output_shape.ndim != 1:
        fail(f"output shape must be 1-dimensional{shapes.show(output_shape.shape)}")
    if output_shape.shape != (2,):
        fail(f"output shape must have two elements{shapes.show(output_shape.shape)}")
    height, width = (int(n) for n in output_shape)
    if height <= 0 or width <= 0:
        fail("output dimensions must be positive")
    return height, width


def _sources(xp: ArrayModule, transforms: Array, height: int, width: int) -> tuple[Any, Any, Any]:
    """The input coordinates of the output's pixels, and which of these are valid.

    Returns:
        x, y and a mask, each of shape [transforms, height, width].
    """
    x = xp.arange(width, dtype=np.float32)[None, None, :]
    y = xp.arange(height, dtype=np.float32)[None, :, None]
    a0, a1, a2, b0, b1, b2, c0, c1 = (transforms[:, i, None, None] for i in range(8))
    depth = c0 * x + c1 * y + np.float32(1)
    visible = depth != 0
    depth = xp.where(visible, depth, np.float32(1))
    return (a0 * x + a1 * y + a2) / depth, (b0 * x + b1 * y + b2) / depth, visible


def _read(xp: ArrayModule, images: Array, x: Array, y: Array, visible: Array) -> Array:
    """The pixels at whole coordinates, 0 outside of the image."""
    batch, height, width, _ = images.shape
    inside = visible & (x >= 0) & (x < width) & (y >= 0) & (y < height)
    rows = xp.where(inside, y, np.float32(0)).astype(np.int32)
    columns = xp.where(inside, x, np.float32(0)).astype(np.int32)
    which = xp.arange(batch)[:, None, None]
    return xp.where(inside[..., None], images[which, rows, columns], images.dtype.type(0))


def _rounded(xp: ArrayModule, x: Array) -> Array:
    """The nearest whole number; halves go away from zero."""
    return xp.trunc(x + xp.copysign(np.float32(0.5), x))


def _transformed(
    xp: ArrayModule, images: Array, transforms: Array, size: Sequence[int], interpolation: str
) -> Array:
    _check(images, transforms)
    height, width = size
    if not images.size:
        return xp.zeros((images.shape[0], height, width, images.shape[3]), images.dtype)
    x, y, visible = _sources(xp, transforms, height, width)
    if interpolation == "NEAREST":
        return _read(xp, images, _rounded(xp, x), _rounded(xp, y), visible)
    if interpolation != "BILINEAR":
        fail(f"Invalid interpolation {interpolation}. Supported types: NEAREST, BILINEAR")
    left, top = xp.floor(x), xp.floor(y)
    right, bottom = left + np.float32(1), top + np.float32(1)
    upper, lower = (
        (right - x)[..., None] * _read(xp, images, left, row, visible).astype(np.float32)
        + (x - left)[..., None] * _read(xp, images, right, row, visible).astype(np.float32)
        for row in (top, bottom)
    )
    mixed = (bottom - y)[..., None] * upper + (y - top)[..., None] * lower
    return xp.where(visible[..., None], mixed, np.float32(0)).astype(images.dtype)


def kernel_image_projective_transform(
    xp: ArrayModule, images: Array, transforms: Array, *, interpolation: str
) -> Array:
    _check(images, transforms)
    return _transformed(xp, images, transforms, images.shape[1:3], interpolation)


def kernel_image_projective_transform_v2(
    xp: ArrayModule,
    images: Array,
    transforms: Array,
    output_shape: np.ndarray,
    *,
    interpolation: str,
) -> Array:
    _check(images, transforms)
    return _transformed(xp, images, transforms, _output_size(output_shape), interpolation)


def reference_image_projective_transform_v2(
    images: Array, transforms: Array, output_shape: Array, *, interpolation: str
) -> Array:
    """One pixel after the other."""
    batch, height, width, depth = images.shape
    rows, columns = (int(n) for n in output_shape)
    result = np.zeros((batch, rows, columns, depth), np.float64)

    def pixel(b: int, y: int, x: int) -> Array:
        return images[b, y, x] if 0 <= y < height and 0 <= x < width else 0

    for b, row, column in np.ndindex(batch, rows, columns):
        t = transforms[b if len(transforms) > 1 else 0].astype(np.float64)
        scale = t[6] * column + t[7] * row + 1
        if scale == 0:
            continue
        x = (t[0] * column + t[1] * row + t[2]) / scale
        y = (t[3] * column + t[4] * row + t[5]) / scale
        if interpolation == "NEAREST":
            whole = [int(np.trunc(v + np.copysign(0.5, v))) for v in (y, x)]
            result[b, row, column] = pixel(b, *whole)
            continue
        top, left = int(np.floor(y)), int(np.floor(x))
        for dy, dx in np.ndindex(2, 2):
            weight = (1 - abs(y - top - dy)) * (1 - abs(x - left - dx))
            result[b, row, column] += weight * pixel(b, top + dy, left + dx)
    return result.astype(images.dtype)


def reference_image_projective_transform(
    images: Array, transforms: Array, *, interpolation: str
) -> Array:
    return reference_image_projective_transform_v2(
        images, transforms, images.shape[1:3], interpolation=interpolation
    )


def shape_image_projective_transform_v2(c: ShapeContext) -> Shape:
    batch, _, _, depth = c.with_rank("images", 4)
    (count,) = c.with_rank("output_shape", 1)
    if count not in (2, None):
        c.fail(f"Dimension must be 2 but is {count}")
    size = c.value_as_shape("output_shape")
    height, width = (None, None) if size is None else size
    return (batch, height, width, depth)


_TRANSFORMS = np.array(
    [[0.9, 0.2, -0.4, -0.1, 1.1, 0.3, 0.01, -0.02], [1, 0, 1, 0, 1, -1, 0, 0]], np.float32
)


def samples_image_projective_transform() -> Iterator[Sample]:
    images = np.random.RandomState(0).randint(1, 200, [2, 4, 5, 2])
    for interpolation in ("NEAREST", "BILINEAR"):
        for kind in (np.uint8, np.float32):
            yield Sample(images.astype(kind), _TRANSFORMS, interpolation=interpolation, gradient=())


def samples_image_projective_transform_v2() -> Iterator[Sample]:
    for sample in samples_image_projective_transform():
        images, transforms = sample.inputs
        size = np.array([3, 6], np.int32)
        yield Sample(images, transforms[:1], size, gradient=(), **sample.attrs)


_ATTRS = "dtype: {uint8, int32, int64, half, float, double}, interpolation: string"

register_op(
    "ImageProjectiveTransform",
    inputs="images: dtype, transforms: float",
    outputs="transformed_images: dtype",
    attrs=_ATTRS,
    shape=lambda c: c.with_rank("images", 4),
    kernel=kernel_image_projective_transform,
    reference=reference_image_projective_transform,
    samples=samples_image_projective_transform,
)

register_op(
    "ImageProjectiveTransformV2",
    inputs="images: dtype, transforms: float, output_shape: int32",
    outputs="transformed_images: dtype",
    attrs=_ATTRS,
    shape=shape_image_projective_transform_v2,
    kernel=kernel_image_projective_transform_v2,
    concrete=("output_shape",),
    reference=reference_image_projective_transform_v2,
    samples=samples_image_projective_transform_v2,
)
