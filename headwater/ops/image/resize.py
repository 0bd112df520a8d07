"""Resizing images by linear, nearest, cubic and area sampling, with their gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    ShapeContext,
    Tensor,
    build,
    export,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.image import native_resize
from headwater.ops.image.linear_resize import resize_on_host
from headwater.ops.image.sampling import (
    apply_matrices,
    apply_taps,
    checked_sizes,
    cubic_taps,
    invalid,
    linear_matrix,
    linear_taps,
    matrix_of,
    nearest_taps,
    scale_of,
    shape_resize,
    size_of,
)

_INTEGERS = "int8, uint8, int16, uint16, int32, int64"
_CORNERS = "align_corners: bool = false, half_pixel_centers: bool = false"


def kernel_bilinear(
    xp: ArrayModule,
    images: Array,
    size: np.ndarray,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Array:
    height, width = checked_sizes(images, size, align_corners, half_pixel_centers)
    flags = (align_corners, half_pixel_centers)
    if xp is np:
        return resize_on_host(images, height, width, *flags)
    top, bottom, down = linear_taps(images.shape[1], height, *flags)
    left, right, across = linear_taps(images.shape[2], width, *flags)
    across, down = across[:, None], down[:, None, None]

    def line(rows: np.ndarray) -> Array:
        pixels = xp.take(images, rows, axis=1).astype(np.float32)
        first = xp.take(pixels, left, axis=2)
        return first + (xp.take(pixels, right, axis=2) - first) * across

    upper = line(top)
    return upper + (line(bottom) - upper) * down


def kernel_bilinear_grad(
    xp: ArrayModule,
    grads: Array,
    original_image: Array,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Array:
    _, height, width, _ = original_image.shape
    flags = (align_corners, half_pixel_centers)
    rows = linear_matrix(height, grads.shape[1], *flags)
    columns = linear_matrix(width, grads.shape[2], *flags)
    return apply_matrices(xp, grads, rows.T, columns.T).astype(original_image.dtype)


def kernel_nearest(
    xp: ArrayModule,
    images: Array,
    size: np.ndarray,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Array:
    height, width = checked_sizes(images, size, align_corners, half_pixel_centers)
    flags = (align_corners, half_pixel_centers)
    rows = nearest_taps(images.shape[1], height, *flags)
    columns = nearest_taps(images.shape[2], width, *flags)
    return xp.take(xp.take(images, rows, axis=1), columns, axis=2)


def kernel_nearest_grad(
    xp: ArrayModule,
    grads: Array,
    size: np.ndarray,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Array:
    if align_corners and half_pixel_centers:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    if grads.ndim != 4:
        raise invalid(f"input must be 4-dimensional{shapes.show(grads.shape)}")
    height, width = (int(n) for n in size)
    flags = (align_corners, half_pixel_centers)
    batch, _, _, depth = grads.shape
    rows = nearest_taps(height, grads.shape[1], *flags)
    columns = nearest_taps(width, grads.shape[2], *flags)
    partly = _added(xp, grads, rows, 1, (batch, height, grads.shape[2], depth))
    return _added(xp, partly, columns, 2, (batch, height, width, depth))


def _added(
    xp: ArrayModule, x: Array, places: np.ndarray, axis: int, shape: tuple[int, ...]
) -> Array:
    """Adds the slices of `x` along an axis to zeros, each at its place."""
    index: tuple[Any, ...] = (slice(None),) * axis + (places,)
    if xp is np:
        result = np.zeros(shape, x.dtype)
        np.add.at(result, index, x)
        return result
    return xp.zeros(shape, x.dtype).at[index].add(x)


def kernel_bicubic(
    xp: ArrayModule,
    images: Array,
    size: np.ndarray,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Array:
    height, width = checked_sizes(images, size, align_corners, half_pixel_centers)
    flags = (align_corners, half_pixel_centers)
    taps, weights = cubic_taps(images.shape[1], height, *flags)
    if xp is np:
        return apply_taps(images, (taps, weights), cubic_taps(images.shape[2], width, *flags))
    partly = sum(
        xp.take(images, tap, axis=1).astype(np.float32) * weight[:, None, None]
        for tap, weight in zip(taps, weights)
    )
    taps, weights = cubic_taps(images.shape[2], width, *flags)
    return sum(xp.take(partly, tap, axis=2) * weight[:, None] for tap, weight in zip(taps, weights))


def kernel_bicubic_grad(
    xp: ArrayModule,
    grads: Array,
    original_image: Array,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Array:
    _, height, width, _ = original_image.shape
    flags = (align_corners, half_pixel_centers)
    rows = matrix_of(*cubic_taps(height, grads.shape[1], *flags), height)
    columns = matrix_of(*cubic_taps(width, grads.shape[2], *flags), width)
    return apply_matrices(xp, grads, rows.T, columns.T).astype(original_image.dtype)


@functools.lru_cache(maxsize=64)
def _area_taps(source: int, target: int, align_corners: bool) -> tuple[np.ndarray, np.ndarray]:
    """The pixels of the source that each pixel of the target covers, and their shares."""
    matrix = _area_matrix(source, target, align_corners)
    covered = matrix != 0
    count = max(1, int(covered.sum(1).max()))
    taps = covered.argmax(1) + np.arange(count)[:, None]
    shares = np.where(taps < source, np.take_along_axis(matrix, taps.T % source, 1).T, 0)
    return np.minimum(taps, source - 1), shares.astype(np.float32)


def _area_matrix(source: int, target: int, align_corners: bool) -> np.ndarray:
    """The share of each pixel of the source in each pixel of the target."""
    scale = scale_of(source, target, align_corners)
    begin = (np.arange(target, dtype=np.float32) * scale)[:, None]
    end = ((np.arange(target) + 1).astype(np.float32) * scale)[:, None]
    # Pixels beyond the border count as the last one.
    pixel = np.arange(max(source, int(np.ceil(end).max())), dtype=np.float32)
    shares = np.minimum(pixel + 1, end) - np.maximum(pixel, begin)
    shares = np.where((pixel < np.ceil(end)) & (pixel >= np.floor(begin)), shares, np.float32(0))
    # A target pixel that lies within one source pixel is that pixel.
    shares = np.where((pixel < begin) & (pixel + 1 > end), scale, shares)
    matrix = shares[:, :source].copy()
    matrix[:, -1] += shares[:, source:].sum(1)
    return matrix


def kernel_area(xp: ArrayModule, images: Array, size: np.ndarray, *, align_corners: bool) -> Array:
    height, width = checked_sizes(images, size)
    _, rows, columns, _ = images.shape
    down = scale_of(rows, height, align_corners)
    across = scale_of(columns, width, align_corners)
    if xp is np:
        sums = apply_taps(
            images,
            _area_taps(rows, height, align_corners),
            _area_taps(columns, width, align_corners),
        )
    else:
        sums = apply_matrices(
            xp,
            images,
            _area_matrix(rows, height, align_corners),
            _area_matrix(columns, width, align_corners),
        )
    with np.errstate(divide="ignore"):
        return sums * (np.float32(1) / (down * across))


def shape_nearest_grad(c: ShapeContext) -> Shape:
    batch, _, _, depth = c.with_rank("grads", 4)
    return (batch, *size_of(c, "size"), depth)


def shape_like_original(c: ShapeContext) -> Shape:
    return c.shape("original_image")


def _flags_of(op: Operation) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in ("align_corners", "half_pixel_centers")}


def gradient_bilinear(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    return build.ResizeBilinearGrad(grad, op.inputs[0], **_flags_of(op)), None


def gradient_nearest(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    image = op.inputs[0]
    shape = image._shape
    if shape is not None and None not in shape[1:3]:
        size: Array = list(shape[1:3])
    else:
        size = shape_tensor(image)[1:3]
    return build.ResizeNearestNeighborGrad(grad, size, **_flags_of(op)), None


def gradient_bicubic(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    image = op.inputs[0]
    if image.dtype.base_dtype.name not in ("float32", "float64"):
        return None, None
    return build.ResizeBicubicGrad(grad, image, **_flags_of(op)), None


def _interpolated(
    pixel: Callable[..., Any], image: np.ndarray, size: np.ndarray, align: bool
) -> np.ndarray:
    """Calls ``pixel(place, image line)`` for each pixel, first down, then across."""
    image = image.astype(np.float64)
    for axis, target in ((1, int(size[0])), (2, int(size[1]))):
        lines = np.moveaxis(image, axis, 0)
        count = len(lines)
        scale = (count - 1) / (target - 1) if align and target > 1 else count / target
        image = np.moveaxis(np.stack([pixel(i, scale, lines) for i in range(target)]), 0, axis)
    return image


def reference_bilinear(
    images: Array, size: Array, *, align_corners: bool, half_pixel_centers: bool
) -> Array:
    def pixel(i: int, scale: float, lines: np.ndarray) -> np.ndarray:
        place = max((i + 0.5) * scale - 0.5, 0) if half_pixel_centers else i * scale
        first = min(int(place), len(lines) - 1)
        second = min(first + 1, len(lines) - 1)
        return lines[first] * (1 - (place - first)) + lines[second] * (place - first)

    return _interpolated(pixel, images, size, align_corners).astype(np.float32)


def reference_area(images: Array, size: Array, *, align_corners: bool) -> Array:
    def pixel(i: int, scale: float, lines: np.ndarray) -> np.ndarray:
        fine = np.linspace(i * scale, (i + 1) * scale, 20001)
        middles = (fine[1:] + fine[:-1]) / 2
        counts = np.bincount(np.minimum(middles.astype(int), len(lines) - 1), minlength=len(lines))
        return np.tensordot(counts / counts.sum(), lines, 1)

    return _interpolated(pixel, images, size, align_corners).astype(np.float32)


def _images(*shape: int) -> np.ndarray:
    values = np.arange(np.prod(shape), dtype=np.float32) * np.float32(7) % np.float32(13)
    return values.reshape(shape)


def samples_resize() -> Iterator[Sample]:
    for flags in ({}, {"align_corners": True}, {"half_pixel_centers": True}):
        for size in ([3, 8], [7, 2], [1, 1]):
            sizes = np.array(size, np.int32)
            yield Sample(_images(2, 4, 5, 3), sizes, rtol=1e-4, atol=1e-4, gradient=(), **flags)
    yield Sample(_images(1, 3, 3, 1).astype(np.uint8), np.array([5, 2], np.int32))


def samples_area() -> Iterator[Sample]:
    for size in ([3, 8], [2, 2], [4, 5]):
        yield Sample(_images(2, 4, 5, 3), np.array(size, np.int32), rtol=1e-3, atol=1e-3)


def samples_grad() -> Iterator[Sample]:
    yield Sample(_images(2, 3, 7, 2), _images(2, 4, 5, 2))
    yield Sample(_images(1, 3, 2, 2), _images(1, 4, 5, 2), align_corners=True)


def samples_nearest_grad() -> Iterator[Sample]:
    yield Sample(_images(2, 3, 7, 2), np.array([4, 5], np.int32))
    yield Sample(_images(2, 3, 2, 2).astype(np.int32), np.array([4, 5], np.int32))


def _register_resize(
    name: str,
    types: str,
    kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    reference: Callable[..., Any] | None,
    quick_on_host: Callable[[], bool] | bool = False,
) -> None:
    register_op(
        name,
        inputs="images: T, size: int32",
        outputs=f"resized_images: {'T' if name == 'ResizeNearestNeighbor' else 'float'}",
        attrs=f"T: {{{types}}}, {_CORNERS}",
        shape=shape_resize,
        kernel=kernel,
        gradient=gradient,
        concrete=("size",),
        reference=reference,
        samples=samples_resize,
        quick_on_host=quick_on_host,
    )


_register_resize(
    "ResizeBilinear",
    types=f"{_INTEGERS}, bfloat16, half, float, double",
    kernel=kernel_bilinear,
    gradient=gradient_bilinear,
    reference=reference_bilinear,
    quick_on_host=native_resize.is_built,
)
_register_resize(
    "ResizeNearestNeighbor",
    types=f"{_INTEGERS}, half, float, double",
    kernel=kernel_nearest,
    gradient=gradient_nearest,
    reference=None,
)
_register_resize(
    "ResizeBicubic",
    types=f"{_INTEGERS}, half, float, double",
    kernel=kernel_bicubic,
    gradient=gradient_bicubic,
    reference=None,
)


def _register_resize_gradient(name: str, types: str, grad_kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="grads: float, original_image: T",
        outputs="output: T",
        attrs=f"T: {{{types}}}, {_CORNERS}",
        shape=shape_like_original,
        kernel=grad_kernel,
        samples=samples_grad,
    )


_register_resize_gradient(
    "ResizeBilinearGrad", "float, bfloat16, half, double", kernel_bilinear_grad
)
_register_resize_gradient("ResizeBicubicGrad", "float, double", kernel_bicubic_grad)
register_op(
    "ResizeNearestNeighborGrad",
    inputs="grads: T, size: int32",
    outputs="output: T",
    attrs=f"T: {{uint8, int8, int32, half, float, double}}, {_CORNERS}",
    shape=shape_nearest_grad,
    kernel=kernel_nearest_grad,
    concrete=("size",),
    samples=samples_nearest_grad,
)
register_op(
    "ResizeArea",
    inputs="images: T, size: int32",
    outputs="resized_images: float",
    attrs=f"T: {{{_INTEGERS}, half, float, double}}, align_corners: bool = false",
    shape=shape_resize,
    kernel=kernel_area,
    concrete=("size",),
    reference=reference_area,
    samples=samples_area,
)


@export("image.resize_bilinear")
def resize_bilinear(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes images by linear interpolation.

    Args:
        images: a tensor ``[batch, height, width, channels]``.
        size: the new height and width.
        align_corners: whether the centres of the corner pixels are kept.
        name: the name of the node.
        half_pixel_centers: whether pixels have their centre at a half.

    Returns:
        A float32 tensor ``[batch, new height, new width, channels]``.
    """
    flags = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return build.ResizeBilinear(images, size, name=name, **flags)


@export("image.resize_nearest_neighbor")
def resize_nearest_neighbor(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes images by taking the nearest pixel.

    Args:
        images: a tensor ``[batch, height, width, channels]``.
        size: the new height and width.
        align_corners: whether the centres of the corner pixels are kept.
        name: the name of the node.
        half_pixel_centers: whether pixels have their centre at a half.

    Returns:
        A tensor ``[batch, new height, new width, channels]`` of the type of `images`.
    """
    flags = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return build.ResizeNearestNeighbor(images, size, name=name, **flags)


@export("image.resize_bicubic")
def resize_bicubic(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes images by cubic interpolation.

    Args:
        images: a tensor ``[batch, height, width, channels]``.
        size: the new height and width.
        align_corners: whether the centres of the corner pixels are kept.
        name: the name of the node.
        half_pixel_centers: whether pixels have their centre at a half.

    Returns:
        A float32 tensor ``[batch, new height, new width, channels]``.
    """
    flags = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return build.ResizeBicubic(images, size, name=name, **flags)


@export("image.resize_area")
def resize_area(
    images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Resizes images by the mean over the area of each new pixel.

    Args:
        images: a tensor ``[batch, height, width, channels]``.
        size: the new height and width.
        align_corners: whether the centres of the corner pixels are kept.
        name: the name of the node.

    Returns:
        A float32 tensor ``[batch, new height, new width, channels]``.
    """
    return build.ResizeArea(images, size, align_corners=align_corners, name=name)
