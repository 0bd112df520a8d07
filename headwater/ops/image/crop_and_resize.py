"""Cutting boxes out of images and resizing them: CropAndResize and its gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.dtypes import DType
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
from headwater.ops.image.sampling import invalid, size_of

_TYPES = "uint8, uint16, int8, int16, int32, int64, half, float, double"


def _check(xp: ArrayModule, image_shape: Sequence[int], boxes: Array, box_ind: Array) -> None:
    if len(image_shape) != 4:
        raise invalid(f"input image must be 4-D{shapes.show(tuple(image_shape))}")
    if 0 in tuple(image_shape)[1:3]:
        raise invalid("image dimensions must be positive")
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D{shapes.show(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    if box_ind.ndim != 1:
        raise invalid(f"box_index must be 1-D{shapes.show(box_ind.shape)}")
    if box_ind.shape[0] != boxes.shape[0]:
        raise invalid("box_index has incompatible shape")

    def outside() -> Exception:
        return errors.OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")

    require(xp, xp.logical_and(box_ind >= 0, box_ind < image_shape[0]), outside)


def _places(xp: ArrayModule, first: Array, last: Array, size: int, count: int) -> Array:
    """The places in the image of the pixels of each box along one dimension, ``[boxes, count]``."""
    limit = np.float32(size - 1)
    if count == 1:
        return (np.float32(0.5) * (first + last) * limit)[:, None]
    step = (last - first) * limit / np.float32(count - 1)
    return first[:, None] * limit + xp.arange(count, dtype=np.float32) * step[:, None]


def _taps(xp: ArrayModule, places: Array, size: int, method: str) -> tuple[Any, Any, Any, Any]:
    """Lower and upper pixel, the distance from the lower, and whether the place is inside."""
    inside = xp.logical_and(places >= 0, places <= np.float32(size - 1))
    places = xp.where(inside, places, np.float32(0))
    if method == "nearest":
        # Halves are rounded away from zero.
        nearest = xp.floor(places + np.float32(0.5)).astype(np.int32)
        nearest = xp.minimum(nearest, size - 1)
        return nearest, nearest, xp.zeros_like(places), inside
    floor = xp.floor(places)
    return floor.astype(np.int32), xp.ceil(places).astype(np.int32), places - floor, inside


def _grids(
    xp: ArrayModule, boxes: Array, shape: Sequence[int], crop: tuple[int, ...], method: str
) -> tuple[list[Array], ...]:
    """The taps down and across, shaped to be broadcast to ``[boxes, height, width]``."""
    y1, x1, y2, x2 = (boxes[:, i] for i in range(4))
    down = _taps(xp, _places(xp, y1, y2, shape[1], crop[0]), shape[1], method)
    across = _taps(xp, _places(xp, x1, x2, shape[2], crop[1]), shape[2], method)
    return [t[:, :, None] for t in down], [t[:, None, :] for t in across]


def kernel_crop_and_resize(
    xp: ArrayModule,
    image: Array,
    boxes: Array,
    box_ind: Array,
    crop_size: np.ndarray,
    *,
    method: str,
    extrapolation_value: float,
) -> Array:
    _check(xp, image.shape, boxes, box_ind)
    if crop_size.ndim != 1:
        raise invalid(f"crop_size must be 1-D{shapes.show(crop_size.shape)}")
    if crop_size.shape != (2,):
        raise invalid(f"crop_size must have two elements{shapes.show(crop_size.shape)}")
    crop = tuple(int(n) for n in crop_size)
    if min(crop) <= 0:
        raise invalid("crop dimensions must be positive")
    down, across = _grids(xp, boxes, image.shape, crop, method)
    top, bottom, y_distance, y_inside = down
    left, right, x_distance, x_inside = across
    batch = box_ind[:, None, None]
    x_distance, y_distance = x_distance[..., None], y_distance[..., None]

    def pixels(rows: Array, columns: Array) -> Array:
        return image[batch, rows, columns].astype(np.float32)

    if method == "nearest":
        crops = pixels(top, left)
    else:
        first = pixels(top, left)
        upper = first + (pixels(top, right) - first) * x_distance
        first = pixels(bottom, left)
        lower = first + (pixels(bottom, right) - first) * x_distance
        crops = upper + (lower - upper) * y_distance
    inside = xp.logical_and(y_inside, x_inside)[..., None]
    return xp.where(inside, crops, np.float32(extrapolation_value))


def kernel_grad_image(
    xp: ArrayModule,
    grads: Array,
    boxes: Array,
    box_ind: Array,
    image_size: np.ndarray,
    *,
    method: str,
    T: DType,
) -> Array:
    shape = tuple(int(n) for n in image_size)
    _check(xp, shape, boxes, box_ind)
    down, across = _grids(xp, boxes, shape, grads.shape[1:3], method)
    inside = xp.logical_and(down[3], across[3])[..., None]
    grads = xp.where(inside, grads, np.float32(0))
    total = xp.zeros(shape, np.float32)
    batch = box_ind[:, None, None]
    near_y, near_x = np.float32(1) - down[2], np.float32(1) - across[2]
    corners = [(down[0], near_y, across[0], near_x)]
    if method != "nearest":
        corners += [
            (down[0], near_y, across[1], across[2]),
            (down[1], down[2], across[0], near_x),
            (down[1], down[2], across[1], across[2]),
        ]
    for rows, y_weight, columns, x_weight in corners:
        part = grads * (y_weight * x_weight)[..., None]
        if xp is np:
            np.add.at(total, (batch, rows, columns), part)
        else:
            total = total.at[batch, rows, columns].add(part)
    return total.astype(T.as_numpy_dtype)


def kernel_grad_boxes(
    xp: ArrayModule, grads: Array, image: Array, boxes: Array, box_ind: Array, *, method: str
) -> Array:
    _check(xp, image.shape, boxes, box_ind)
    _, height, width, _ = image.shape
    rows, columns = grads.shape[1:3]
    (top, bottom, dy, y_inside), (left, right, dx, x_inside) = _grids(
        xp, boxes, image.shape, (rows, columns), method
    )
    batch = box_ind[:, None, None]
    dx, dy = dx[..., None], dy[..., None]

    def pixels(y: Array, x: Array) -> Array:
        return image[batch, y, x].astype(np.float32)

    top_left, top_right = pixels(top, left), pixels(top, right)
    bottom_left, bottom_right = pixels(bottom, left), pixels(bottom, right)
    slope_y = (1 - dx) * (bottom_left - top_left) + dx * (bottom_right - top_right)
    slope_x = (1 - dy) * (top_right - top_left) + dy * (bottom_right - bottom_left)
    inside = xp.logical_and(y_inside, x_inside)[..., None]
    grads = xp.where(inside, grads, np.float32(0))
    parts_y = xp.sum(slope_y * grads, axis=(2, 3)) * np.float32(height - 1)
    parts_x = xp.sum(slope_x * grads, axis=(1, 3)) * np.float32(width - 1)

    def ends(parts: Array, count: int) -> tuple[Any, Any]:
        if count == 1:
            half = parts[:, 0] * np.float32(0.5)
            return half, half
        share = xp.arange(count, dtype=np.float32) / np.float32(count - 1)
        return xp.sum(parts * (1 - share), axis=1), xp.sum(parts * share, axis=1)

    y1, y2 = ends(parts_y, rows)
    x1, x2 = ends(parts_x, columns)
    return xp.stack([y1, x1, y2, x2], axis=1).astype(np.float32)


def _box_count(c: ShapeContext) -> int | None:
    count, columns = c.with_rank("boxes", 2)
    (indices,) = c.with_rank("box_ind", 1)
    if columns not in (4, None):
        c.fail(f"Dimension must be 4 but is {columns}")
    return c.merge_dims(count, indices)


def shape_crop_and_resize(c: ShapeContext) -> Shape:
    image = c.with_rank("image", 4)
    return (_box_count(c), *size_of(c, "crop_size"), image[3])


def shape_grad_image(c: ShapeContext) -> Shape:
    sizes = c.value_as_shape("image_size")
    return (None,) * 4 if sizes is None else sizes


def gradient_crop_and_resize(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    image, boxes, box_ind, _ = op.inputs
    image_grad = None
    if image.dtype.base_dtype.is_floating:
        image_grad = build.CropAndResizeGradImage(
            grad,
            boxes,
            box_ind,
            shape_tensor(image)
            if image._shape is None or None in image._shape
            else list(image._shape),
            T=image.dtype.base_dtype,
            method=op.get_attr("method"),
        )
    # As in TensorFlow, boxes get the gradient of linear interpolation whatever the method.
    box_grad = build.CropAndResizeGradBoxes(grad, image, boxes, box_ind)
    return image_grad, box_grad, None, None


def samples_crop() -> Iterator[Sample]:
    image = (np.arange(60, dtype=np.float32) * np.float32(7) % np.float32(13)).reshape(2, 5, 6, 1)
    boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8], [-0.2, 0.3, 1.2, 0.9]], np.float32)
    where = np.array([0, 1, 1], np.int32)
    for method in ("bilinear", "nearest"):
        size = np.array([3, 4], np.int32)
        yield Sample(image, boxes, where, size, method=method, gradient=(0,), rtol=1e-2, atol=1e-2)


register_op(
    "CropAndResize",
    inputs="image: T, boxes: float, box_ind: int32, crop_size: int32",
    outputs="crops: float",
    attrs=(
        f"T: {{{_TYPES}}}, method: {{'bilinear', 'nearest'}} = 'bilinear', "
        "extrapolation_value: float = 0.0"
    ),
    shape=shape_crop_and_resize,
    kernel=kernel_crop_and_resize,
    gradient=gradient_crop_and_resize,
    concrete=("crop_size",),
    samples=samples_crop,
)
register_op(
    "CropAndResizeGradImage",
    inputs="grads: float, boxes: float, box_ind: int32, image_size: int32",
    outputs="output: T",
    attrs="T: {float, half, double}, method: {'bilinear', 'nearest'} = 'bilinear'",
    shape=shape_grad_image,
    kernel=kernel_grad_image,
    concrete=("image_size",),
)
register_op(
    "CropAndResizeGradBoxes",
    inputs="grads: float, image: T, boxes: float, box_ind: int32",
    outputs="output: float",
    attrs=f"T: {{{_TYPES}}}, method: {{'bilinear'}} = 'bilinear'",
    shape=lambda c: c.shape("boxes"),
    kernel=kernel_grad_boxes,
)


@export("image.crop_and_resize")
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike | None = None,
    crop_size: TensorLike | None = None,
    method: str | None = "bilinear",
    extrapolation_value: float | None = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Cuts boxes out of images and resizes them to one size.

    Args:
        image: images ``[batch, height, width, channels]``.
        boxes: ``[boxes, 4]``: top, left, bottom and right in parts of the image; a box with
            bottom above top is upside down.
        box_ind: the image of each box.
        crop_size: height and width of the results.
        method: ``"bilinear"`` or ``"nearest"``.
        extrapolation_value: the value outside the image.
        name: the name of the node.
        box_indices: the newer name of `box_ind`.

    Returns:
        A float32 tensor ``[boxes, height, width, channels]``.
    """
    indices = box_ind if box_indices is None else box_indices
    # None stood for the default in early releases.
    return build.CropAndResize(
        image,
        boxes,
        indices,
        crop_size,
        method="bilinear" if method is None else method,
        extrapolation_value=0.0 if extrapolation_value is None else extrapolation_value,
        name=name,
    )
