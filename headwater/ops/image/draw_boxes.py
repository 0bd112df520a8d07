"""Drawing boxes into images: DrawBoundingBoxes."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    ShapeContext,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.image.sampling import invalid

_COLOURS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


def _drawn(images: Array, boxes: Array, colours: np.ndarray) -> np.ndarray:
    if images.ndim != 4:
        raise invalid("The rank of the images should be 4")
    if boxes.ndim != 3:
        raise invalid("The rank of the boxes tensor should be 3")
    if images.shape[0] != boxes.shape[0]:
        raise invalid("The batch sizes should be the same")
    _, height, width, depth = images.shape
    if depth not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if depth == 1:
        colours = np.ones_like(colours[:, :1])
    result = np.array(images)
    scale = np.array([height - 1, width - 1] * 2, np.float32)
    corners = (np.asarray(boxes, np.float32) * scale).astype(np.int64)
    for image, own in zip(result, corners.tolist()):
        for i, (top, left, bottom, right) in enumerate(own):
            if top > bottom or left > right:
                continue
            if top >= height or bottom < 0 or left >= width or right < 0:
                continue
            colour = colours[i % len(colours), :depth].astype(images.dtype)
            rows = slice(max(top, 0), min(bottom, height - 1) + 1)
            columns = slice(max(left, 0), min(right, width - 1) + 1)
            if top >= 0:
                image[top, columns] = colour
            if bottom < height:
                image[bottom, columns] = colour
            if left >= 0:
                image[rows, left] = colour
            if right < width:
                image[rows, right] = colour
    return result


def kernel_draw(xp: ArrayModule, images: Array, boxes: Array) -> np.ndarray:
    return _drawn(images, boxes, _COLOURS)


def kernel_draw_v2(xp: ArrayModule, images: Array, boxes: Array, colors: Array) -> np.ndarray:
    if colors.ndim != 2 and colors.size:
        raise invalid("colors must be a 2-D matrix")
    if colors.ndim == 2 and images.ndim == 4 and colors.shape[1] < images.shape[3]:
        raise invalid(
            "colors must have equal or more channels than the image provided: "
            f"{shapes.show(colors.shape)}"
        )
    if not colors.size:
        return _drawn(images, boxes, _COLOURS)
    return _drawn(images, boxes, np.asarray(colors, np.float32))


def shape_draw(c: ShapeContext) -> Shape:
    boxes = c.with_rank("boxes", 3)
    if boxes[2] not in (4, None):
        c.fail(f"Dimension must be 4 but is {boxes[2]}")
    return c.shape("images")


register_op(
    "DrawBoundingBoxes",
    inputs="images: T, boxes: float",
    outputs="output: T",
    attrs="T: {float, half} = float",
    shape=shape_draw,
    kernel=kernel_draw,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "DrawBoundingBoxesV2",
    inputs="images: T, boxes: float, colors: float",
    outputs="output: T",
    attrs="T: {float, half} = float",
    shape=shape_draw,
    kernel=kernel_draw_v2,
    runs_on=RunsOn.HOST,
)


@export("image.draw_bounding_boxes")
def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: TensorLike | None = None
) -> Tensor:
    """Draws the outlines of boxes into images.

    Args:
        images: floats ``[batch, height, width, channels]`` with 1, 3 or 4 channels.
        boxes: ``[batch, boxes, 4]``: top, left, bottom, right in parts of the image.
        name: the name of the node.
        colors: ``[colours, channels]``, used one after the other; ten fixed ones if None.

    Returns:
        A tensor of the shape of `images`.
    """
    if colors is None:
        return build.DrawBoundingBoxes(images, boxes, name=name)
    return build.DrawBoundingBoxesV2(images, boxes, colors, name=name)
