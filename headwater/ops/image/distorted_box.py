"""Random crops that hold a part of an object: SampleDistortedBoundingBox."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    ShapeContext,
    Tensor,
    build,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.graph.seeds import get_seed
from headwater.ops.image.sampling import invalid
from headwater.ops.random import arguments, philox

_F = np.float32


class _Random:
    """Random numbers drawn one by one from the words of Philox."""

    def __init__(self, state: Array) -> None:
        self._words = self._stream(np.asarray(state))

    @staticmethod
    def _stream(state: np.ndarray) -> Iterator[int]:
        start = 0
        while True:
            first, second = philox.blocks(np, state, 64, start)
            for a, b in zip(first.tolist(), second.tolist()):
                yield from (a & philox.LOW_32, a >> 32, b & philox.LOW_32, b >> 32)
            start += 64

    def unit(self) -> float:
        """A float32 in [0, 1)."""
        mantissa = next(self._words) & 0x7FFFFF
        return np.array(127 << 23 | mantissa, np.uint32).view(_F).item() - 1

    def below(self, limit: int) -> int:
        """An integer in [0, limit)."""
        if limit & (limit - 1) == 0:
            return next(self._words) & (limit - 1)
        rest = 0xFFFFFFFF % limit + 1
        while True:
            word = next(self._words)
            if word >= rest:
                return word % limit


def _rounded(value: Array) -> int:
    return int(np.rint(value))


def _random_crop(
    size: tuple[int, int], areas: tuple[Any, Any], ratio: Array, random: _Random
) -> tuple[int, int, int, int] | None:
    """A random rectangle (top, left, height, width) of a given proportion, or None."""
    height, width = size
    least, most = _F(areas[0] * _F(width * height)), _F(areas[1] * _F(width * height))
    if areas[1] <= 0 or ratio <= 0 or height <= 0 or width <= 0 or areas[0] > areas[1]:
        return None
    rows = _rounded(np.sqrt(least / ratio))
    most_rows = _rounded(np.sqrt(most / ratio))
    if _rounded(_F(most_rows) * ratio) > width:
        most_rows = int((width + 0.5 - 1e-7) / float(ratio))
        if _rounded(_F(most_rows) * ratio) > width:
            most_rows -= 1
    most_rows = min(most_rows, height)
    rows = min(rows, most_rows)
    if rows < most_rows:
        rows += random.below(most_rows - rows + 1)
    columns = _rounded(_F(rows) * ratio)
    area = _F(rows * columns)
    if area < least:
        rows += 1
        columns = _rounded(_F(rows) * ratio)
        area = _F(rows * columns)
    if area > most:
        rows -= 1
        columns = _rounded(_F(rows) * ratio)
        area = _F(rows * columns)
    if area < least or area > most or columns > width or rows > height:
        return None
    if columns <= 0 or rows <= 0:
        return None
    top = random.below(height - rows) if rows < height else 0
    left = random.below(width - columns) if columns < width else 0
    return top, left, rows, columns


def _covers(crop: tuple[int, int, int, int], boxes: list[Any], least: float) -> bool:
    """Whether the crop holds enough of one of the boxes."""
    top, left, rows, columns = crop
    if rows * columns < 1:
        return False
    for y1, x1, y2, x2 in boxes:
        area = _F((y2 - y1) * (x2 - x1)) if y2 > y1 and x2 > x1 else _F(0)
        if area < 1:
            continue
        both_rows = max(0, min(top + rows, y2) - max(top, y1))
        both_columns = max(0, min(left + columns, x2) - max(left, x1))
        if _F(both_rows * both_columns) / area >= _F(least):
            return True
    return False


def _text(value: float) -> str:
    return f"{float(value):.6g}"


def _check_attrs(least: float, ratios: list[float], areas: list[float], attempts: int) -> None:
    if least < 0:
        raise invalid(f"Min object covered must be non-negative: {_text(least)}")
    for what, limits in (("Aspect ratio", ratios), ("Area", areas)):
        if len(limits) != 2:
            raise invalid(f"{what} range field must specify 2 dimensions")
        if limits[0] <= 0 or limits[1] <= 0:
            shown = ", ".join(_text(n) for n in limits)
            raise invalid(f"{what} range must be non-negative: [{shown}]")
    if attempts <= 0:
        raise invalid(f"Max attempts must be non-negative: {attempts}")


def kernel_v2(
    xp: ArrayModule,
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: TensorLike,
    *,
    aspect_ratio_range: list[float],
    area_range: list[float],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
    state: Array,
) -> tuple[Any, ...]:
    least = float(np.asarray(min_object_covered))
    _check_attrs(least, aspect_ratio_range, area_range, max_attempts)
    if image_size.ndim != 1:
        raise invalid(f"image_size must be 1-dimensional: {shapes.show(image_size.shape)}")
    if image_size.shape != (3,):
        raise invalid(f"image_size must contain 3 elements: {shapes.show(image_size.shape)}")
    if bounding_boxes.ndim != 3:
        raise invalid(
            "bounding boxes must be 3-dimensional [batch, num_boxes, coords]: "
            f"{shapes.show(bounding_boxes.shape)}"
        )
    if bounding_boxes.shape[2] != 4:
        raise invalid(f"bounding boxes must have shape [4]: {shapes.show(bounding_boxes.shape)}")
    height, width = int(image_size[0]), int(image_size[1])
    corners = np.asarray(bounding_boxes, _F).reshape(-1, 4)
    outside = corners[~((corners >= 0) & (corners <= 1))]
    if outside.size:
        raise invalid(f"All bounding box coordinates must be in [0.0, 1.0]: {_text(outside[0])}")
    scale = np.array([height, width, height, width], _F)
    boxes = (corners * scale).astype(np.int32).tolist()
    if not boxes:
        if not use_image_if_no_bounding_boxes:
            raise invalid(
                "No bounding boxes provided as input. One must enable "
                "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes."
            )
        boxes = [[0, 0, height, width]]
    random = _Random(state)
    crop = (0, 0, height, width)
    low, high = (_F(n) for n in aspect_ratio_range)
    areas = (_F(area_range[0]), _F(area_range[1]))
    for _ in cancellation.checked(range(max_attempts), every=64):
        ratio = _F(random.unit()) * (high - low) + low
        found = _random_crop((height, width), areas, ratio, random)
        if found is not None and _covers(found, boxes, least):
            crop = found
            break
    top, left, rows, columns = crop
    kind = image_size.dtype
    with np.errstate(divide="ignore", invalid="ignore"):
        box = np.array([top, left, top + rows, left + columns], _F) / scale
    begin = np.array([top, left, 0], kind)
    size = np.array([rows, columns, -1]).astype(kind)
    after = state_after_sample(state, max_attempts=max_attempts)
    return (begin, size, box.reshape(1, 1, 4)), after


def kernel_v1(
    xp: ArrayModule,
    image_size: Array,
    bounding_boxes: Array,
    *,
    min_object_covered: TensorLike,
    aspect_ratio_range: list[float],
    area_range: list[float],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
    state: Any,
) -> Any:
    return kernel_v2(
        xp,
        image_size,
        bounding_boxes,
        np.float32(min_object_covered),
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
        state=state,
    )


def state_after_sample(
    state: Array, *inputs: Array | None, max_attempts: int, **attrs: Any
) -> np.ndarray:
    # A block of Philox gives the four words of an attempt.
    return philox.skip(np, np.asarray(state), max_attempts)


def shape_sample(c: ShapeContext) -> list[Shape]:
    (count,) = c.with_rank("image_size", 1)
    if count not in (3, None):
        c.fail(f"Dimension must be 3 but is {count}")
    boxes = c.with_rank("bounding_boxes", 3)
    if boxes[2] not in (4, None):
        c.fail(f"Dimension must be 4 but is {boxes[2]}")
    return [(3,), (3,), (1, 1, 4)]


_ATTRS = (
    "aspect_ratio_range: list(float) = [0.75, 1.33000004], "
    "area_range: list(float) = [0.0500000007, 1.0], "
    "max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = false"
)
_SEEDS = "T: {uint8, int8, int16, int32, int64}, seed: int = 0, seed2: int = 0"


def _register_distorted_box(name: str, input: str, attr: str, kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs=f"image_size: T, bounding_boxes: float{input}",
        outputs="begin: T, size: T, bboxes: float",
        attrs=f"{_SEEDS}, {attr}{_ATTRS}",
        shape=shape_sample,
        kernel=kernel,
        runs_on=RunsOn.HOST,
        stateful=True,
        state=arguments.state_of,
        next_state=state_after_sample,
        gradient=NOT_DIFFERENTIABLE,
    )


_register_distorted_box(
    "SampleDistortedBoundingBox", "", "min_object_covered: float = 0.100000001, ", kernel_v1
)
_register_distorted_box(
    "SampleDistortedBoundingBoxV2", ", min_object_covered: float", "", kernel_v2
)


@export("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None,
    area_range: TensorLike = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Chooses a random part of an image that holds a part of one of the boxes.

    Args:
        image_size: height, width and channels of the image.
        bounding_boxes: ``[batch, boxes, 4]``: top, left, bottom, right in parts of the image.
        seed: the first seed.
        seed2: the second seed.
        min_object_covered: the least part of a box that must be inside.
        aspect_ratio_range: the limits of width divided by height.
        area_range: the limits of the area, in parts of the image.
        max_attempts: the number of attempts, after which the whole image is taken.
        use_image_if_no_bounding_boxes: whether the image is the box if there is none.
        name: the name scope.

    Returns:
        A namedtuple: `begin` and `size` for `tf.slice`, and `bboxes` for
        `tf.image.draw_bounding_boxes`.
    """
    given = {
        "seed": seed,
        "seed2": seed2,
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    attrs = {key: value for key, value in given.items() if value is not None}
    least = 0.1 if min_object_covered is None else min_object_covered
    with name_scope(name, "sample_distorted_bounding_box"):
        return build.SampleDistortedBoundingBoxV2(image_size, bounding_boxes, least, **attrs)


def sample_distorted_bounding_box_v2(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None,
    area_range: TensorLike | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Draws a box of random place, size and proportions; see `tf.image`'s function of this name.

    Args:
        image_size: height, width and channels of the image.
        bounding_boxes: ``[batch, boxes, 4]``: top, left, bottom, right in parts of the image.
        seed: the seed of the operation; 0 for none.
        min_object_covered: the least part of a box that must be inside.
        aspect_ratio_range: the limits of width divided by height.
        area_range: the limits of the area, in parts of the image.
        max_attempts: the number of attempts, after which the whole image is taken.
        use_image_if_no_bounding_boxes: whether the image is the box if there is none.
        name: the name scope.

    Returns:
        A namedtuple: `begin` and `size` for `tf.slice`, and `bboxes` for
        `tf.image.draw_bounding_boxes`.
    """
    seed1, seed2 = get_seed(seed) if seed else (0, 0)
    return sample_distorted_bounding_box(
        image_size,
        bounding_boxes,
        seed1,
        seed2,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
        name,
    )
