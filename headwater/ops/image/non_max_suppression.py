"""Choosing boxes that overlap little: NonMaxSuppression in all versions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes, native
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    ShapeContext,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.image.sampling import invalid

Overlap = Callable[[int, "list[int]"], np.ndarray]


class _Queue:
    """Candidates by score, in a binary heap as the C++ standard library keeps it."""

    def __init__(self, items: list[tuple[float, int]]) -> None:
        self._items: list[tuple[float, int, int]] = []
        for score, index in items:
            self.push(score, index, 0)

    def __bool__(self) -> bool:
        return bool(self._items)

    def push(self, score: float, index: int, checked: int) -> None:
        items = self._items
        items.append((score, index, checked))
        self._up(len(items) - 1, 0)

    def _up(self, hole: int, top: int) -> None:
        items = self._items
        item = items[hole]
        while hole > top and items[(hole - 1) // 2][0] < item[0]:
            items[hole] = items[(hole - 1) // 2]
            hole = (hole - 1) // 2
        items[hole] = item

    def pop(self) -> tuple[float, int, int]:
        items = self._items
        best = items[0]
        item = items.pop()
        size = len(items)
        if not size:
            return best
        hole = 0
        while 2 * hole + 2 < size:
            right = 2 * hole + 2
            child = right - 1 if items[right][0] < items[right - 1][0] else right
            items[hole] = items[child]
            hole = child
        if 2 * hole + 2 == size:
            items[hole] = items[2 * hole + 1]
            hole = 2 * hole + 1
        items[hole] = item
        self._up(hole, 0)
        return best


def _overlap_of(boxes: np.ndarray) -> Overlap:
    """Intersection over union of one box and others."""
    kind = boxes.dtype.type
    top, bottom = np.minimum(boxes[:, 0], boxes[:, 2]), np.maximum(boxes[:, 0], boxes[:, 2])
    left, right = np.minimum(boxes[:, 1], boxes[:, 3]), np.maximum(boxes[:, 1], boxes[:, 3])
    areas = (bottom - top) * (right - left)

    def overlap(i: int, others: list[int]) -> np.ndarray:
        height = np.minimum(bottom[i], bottom[others]) - np.maximum(top[i], top[others])
        width = np.minimum(right[i], right[others]) - np.maximum(left[i], left[others])
        both = np.maximum(height, kind(0)) * np.maximum(width, kind(0))
        union = areas[i] + areas[others] - both
        some = (areas[i] > 0) & (areas[others] > 0)
        return np.where(some, both / np.where(some, union, kind(1)), kind(0))

    return overlap


def _chosen(
    overlap: Overlap,
    scores: np.ndarray,
    count: int,
    threshold: float,
    least_score: float,
    sigma: float = 0.0,
) -> tuple[list[int], list[float]]:
    """Takes boxes by falling score unless they overlap one taken before.

    With a sigma, scores fall with the overlap (Bodla et al., "Soft-NMS", 2017).
    """
    queue = _Queue([(float(s), i) for i, s in enumerate(scores) if s > least_score])
    scale = -0.5 / sigma if sigma > 0 else 0.0
    chosen: list[int] = []
    chosen_scores: list[float] = []
    while len(chosen) < count and queue:
        original, index, checked = queue.pop()
        score = original
        others = chosen[checked:]
        overlaps = overlap(index, others)
        if np.any(overlaps > threshold):
            continue
        if sigma > 0 and others:
            for one in overlaps[::-1]:
                score = float(scores.dtype.type(score * math.exp(scale * float(one) ** 2)))
                if score <= least_score:
                    break
        if score == original:
            chosen.append(index)
            chosen_scores.append(score)
        elif score > least_score:
            queue.push(score, index, len(chosen))
    return chosen, chosen_scores


def _kept(
    boxes: np.ndarray, scores: np.ndarray, count: int, threshold: float, least: float = -math.inf
) -> np.ndarray:
    """The numbers of the boxes that are taken, without a sigma."""
    found = native.host().suppressed(boxes, scores, count, threshold, least)
    if found is not None:
        return found
    return _indices(_chosen(_overlap_of(boxes), scores, count, threshold, least)[0])


def _scalar(value: Array, name: str) -> Array:
    value = np.asarray(value)
    if value.ndim:
        raise invalid(f"{name} must be 0-D, got shape {shapes.show(value.shape)}")
    return value[()]


def _checked(boxes: Array, scores: Array, size: Array, threshold: Array) -> tuple[int, float]:
    size = _scalar(size, "max_output_size")
    threshold = float(_scalar(threshold, "iou_threshold"))
    if not 0 <= threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D{shapes.show(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    if scores.ndim != 1:
        raise invalid(f"scores must be 1-D{shapes.show(scores.shape)}")
    if scores.shape[0] != boxes.shape[0]:
        raise invalid("scores has incompatible shape")
    return int(size), threshold


def _indices(chosen: list[int], padded_to: int = 0) -> np.ndarray:
    return np.array(chosen + [0] * (padded_to - len(chosen)), np.int32)


def kernel_v1(
    xp: ArrayModule, boxes: Array, scores: Array, size: Array, *, iou_threshold: float
) -> Array:
    count, threshold = _checked(boxes, scores, size, iou_threshold)
    return _kept(boxes, scores, count, threshold)


def kernel_v2(xp: ArrayModule, boxes: Array, scores: Array, size: Array, threshold: Array) -> Array:
    count, threshold = _checked(boxes, scores, size, threshold)
    return _kept(boxes, scores, count, threshold)


def kernel_v3(
    xp: ArrayModule, boxes: Array, scores: Array, size: Array, threshold: Array, least: Array
) -> Array:
    least = float(_scalar(least, "score_threshold"))
    count, threshold = _checked(boxes, scores, size, threshold)
    return _kept(boxes, scores, count, threshold, least)


def kernel_v4(
    xp: ArrayModule,
    boxes: Array,
    scores: Array,
    size: Array,
    threshold: Array,
    least: Array,
    *,
    pad_to_max_output_size: bool,
) -> tuple[Array, Array]:
    least = float(_scalar(least, "score_threshold"))
    count, threshold = _checked(boxes, scores, size, threshold)
    chosen = _kept(boxes, scores, count, threshold, least)
    missing = max(count - len(chosen), 0) if pad_to_max_output_size else 0
    return np.pad(chosen, (0, missing)), np.asarray(len(chosen), np.int32)


def kernel_v5(
    xp: ArrayModule,
    boxes: Array,
    scores: Array,
    size: Array,
    threshold: Array,
    least: Array,
    sigma: Array,
    *,
    pad_to_max_output_size: bool,
) -> tuple[Array, Array, Array]:
    least = float(_scalar(least, "score_threshold"))
    sigma = float(_scalar(sigma, "soft_nms_sigma"))
    if sigma < 0:
        raise invalid("soft_nms_sigma_val must be >= 0")
    count, threshold = _checked(boxes, scores, size, threshold)
    chosen, values = _chosen(_overlap_of(boxes), scores, count, threshold, least, sigma)
    length = count if pad_to_max_output_size else 0
    padded = np.array(values + [0.0] * (length - len(values)), scores.dtype)
    return _indices(chosen, length), padded, np.asarray(len(chosen), np.int32)


def kernel_overlaps(
    xp: ArrayModule, overlaps: Array, scores: Array, size: Array, threshold: Array, least: Array
) -> Array:
    count = int(_scalar(size, "max_output_size"))
    threshold = float(_scalar(threshold, "overlap_threshold"))
    least = float(_scalar(least, "score_threshold"))
    if overlaps.ndim != 2:
        raise invalid(f"overlaps must be 2-D{shapes.show(overlaps.shape)}")
    if overlaps.shape[0] != overlaps.shape[1]:
        raise invalid(f"overlaps must be square{shapes.show(overlaps.shape)}")
    if scores.shape != overlaps.shape[:1]:
        raise invalid("scores has incompatible shape")

    def overlap(i: int, others: list[int]) -> np.ndarray:
        return overlaps[i, others]

    return _indices(_chosen(overlap, scores, count, threshold, least)[0])


def kernel_combined(
    xp: ArrayModule,
    boxes: Array,
    scores: Array,
    size_per_class: Array,
    total_size: Array,
    threshold: Array,
    least: Array,
    *,
    pad_per_class: bool,
    clip_boxes: bool,
) -> tuple[Array, Array, Array, Array]:
    per_class = int(_scalar(size_per_class, "max_size_per_class"))
    total = int(_scalar(total_size, "max_total_size"))
    threshold = float(_scalar(threshold, "iou_threshold"))
    least = float(_scalar(least, "score_threshold"))
    if total <= 0:
        raise invalid("max_total_size must be > 0")
    if not 0 <= threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if boxes.ndim != 4:
        raise invalid(f"boxes must be 4-D{shapes.show(boxes.shape)}")
    classes = scores.shape[2]
    if boxes.shape[2] not in (1, classes):
        raise invalid("third dimension of boxes must be either 1 or num classes")
    if boxes.shape[1] != scores.shape[1]:
        raise invalid("scores has incompatible shape")
    length = min(total, per_class * classes) if pad_per_class else total
    batch = len(boxes)
    all_boxes = np.zeros((batch, length, 4), np.float32)
    all_scores = np.zeros((batch, length), np.float32)
    all_classes = np.zeros((batch, length), np.float32)
    valid = np.zeros(batch, np.int32)
    for b in range(batch):
        found: list[tuple[float, int, np.ndarray]] = []
        for k in range(classes):
            own = boxes[b, :, k if boxes.shape[2] > 1 else 0]
            ranks = np.ascontiguousarray(scores[b, :, k])
            chosen = _kept(np.ascontiguousarray(own), ranks, per_class, threshold, least)
            found += [(float(ranks[i]), k, own[i]) for i in chosen]
        found.sort(key=lambda item: -item[0])
        valid[b] = min(len(found), length)
        for i, (value, k, box) in enumerate(found[:length]):
            all_boxes[b, i] = np.clip(box, 0, 1) if clip_boxes else box
            all_scores[b, i], all_classes[b, i] = value, k
    return all_boxes, all_scores, all_classes, valid


def _check_shapes(c: ShapeContext) -> None:
    boxes = c.with_rank("boxes", 2)
    (scores,) = c.with_rank("scores", 1)
    for argument in c.record.schema.inputs[2:]:
        c.with_rank(argument.name, 0)
    c.merge_dims(boxes[0], scores)
    if boxes[1] not in (4, None):
        c.fail(f"Dimension must be 4 but is {boxes[1]}")


def shape_indices(c: ShapeContext) -> Shape:
    _check_shapes(c)
    return (None,)


def _padded_size(c: ShapeContext) -> int | None:
    _check_shapes(c)
    size = c.value("max_output_size") if c.attr("pad_to_max_output_size") else None
    return None if size is None else int(size)


def shape_v4(c: ShapeContext) -> Any:
    return [(_padded_size(c),), ()]


def shape_v5(c: ShapeContext) -> Any:
    size = _padded_size(c)
    return [(size,), (size,), ()]


def shape_overlaps(c: ShapeContext) -> Any:
    rows, columns = c.with_rank("overlaps", 2)
    (scores,) = c.with_rank("scores", 1)
    for name in ("max_output_size", "overlap_threshold", "score_threshold"):
        c.with_rank(name, 0)
    c.merge_dims(rows, scores)
    c.merge_dims(rows, columns)
    return (None,)


def shape_combined(c: ShapeContext) -> Any:
    boxes = c.with_rank("boxes", 4)
    scores = c.with_rank("scores", 3)
    c.merge_dims(boxes[0], scores[0])
    c.merge_dims(boxes[1], scores[1])
    total, per_class = c.value("max_total_size"), c.value("max_output_size_per_class")
    length = None if total is None else int(total)
    if c.attr("pad_per_class"):
        known = None not in (per_class, length, scores[2])
        length = min(length or 0, int(per_class) * scores[2]) if known else None  # type: ignore
    batch = boxes[0]
    return [(batch, length, 4), (batch, length), (batch, length), (batch,)]


_BOXES = "boxes: T, scores: T, max_output_size: int32"
_TWO_TYPES = "T: {half, float} = float, T_threshold: {half, float} = float"
_THRESHOLDS = "iou_threshold: T_threshold, score_threshold: T_threshold"
register_op(
    "NonMaxSuppression",
    inputs="boxes: float, scores: float, max_output_size: int32",
    outputs="selected_indices: int32",
    attrs="iou_threshold: float = 0.5",
    shape=shape_indices,
    kernel=kernel_v1,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "NonMaxSuppressionV2",
    inputs=f"{_BOXES}, iou_threshold: T_threshold",
    outputs="selected_indices: int32",
    attrs=_TWO_TYPES,
    shape=shape_indices,
    kernel=kernel_v2,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "NonMaxSuppressionV3",
    inputs=f"{_BOXES}, {_THRESHOLDS}",
    outputs="selected_indices: int32",
    attrs=_TWO_TYPES,
    shape=shape_indices,
    kernel=kernel_v3,
    runs_on=RunsOn.HOST,
)
register_op(
    "NonMaxSuppressionV4",
    inputs=f"{_BOXES}, {_THRESHOLDS}",
    outputs="selected_indices: int32, valid_outputs: int32",
    attrs=f"{_TWO_TYPES}, pad_to_max_output_size: bool = false",
    shape=shape_v4,
    kernel=kernel_v4,
    runs_on=RunsOn.HOST,
)
register_op(
    "NonMaxSuppressionV5",
    inputs=f"{_BOXES}, iou_threshold: T, score_threshold: T, soft_nms_sigma: T",
    outputs="selected_indices: int32, selected_scores: T, valid_outputs: int32",
    attrs="T: {half, float} = float, pad_to_max_output_size: bool = false",
    shape=shape_v5,
    kernel=kernel_v5,
    runs_on=RunsOn.HOST,
)
register_op(
    "NonMaxSuppressionWithOverlaps",
    inputs=(
        "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, "
        "score_threshold: float"
    ),
    outputs="selected_indices: int32",
    shape=shape_overlaps,
    kernel=kernel_overlaps,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "CombinedNonMaxSuppression",
    inputs=(
        "boxes: float, scores: float, max_output_size_per_class: int32, max_total_size: int32, "
        "iou_threshold: float, score_threshold: float"
    ),
    outputs=(
        "nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float, valid_detections: int32"
    ),
    attrs="pad_per_class: bool = false, clip_boxes: bool = true",
    shape=shape_combined,
    kernel=kernel_combined,
    runs_on=RunsOn.HOST,
)


def _number(value: TensorLike, name: str) -> Tensor:
    return convert_to_tensor(value, dtypes.float32, name=name)


@export("image.non_max_suppression")
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    name: str | None = None,
) -> Tensor:
    """Chooses boxes of high scores that overlap little.

    Args:
        boxes: ``[boxes, 4]``, two opposite corners of each.
        scores: the score of each box.
        max_output_size: how many are chosen at most.
        iou_threshold: the largest allowed intersection over union.
        score_threshold: boxes up to this score are left out.
        name: the name scope.

    Returns:
        The indices of the chosen boxes, int32.
    """
    with name_scope(name, "non_max_suppression"):
        threshold = _number(iou_threshold, "iou_threshold")
        least = _number(score_threshold, "score_threshold")
        return build.NonMaxSuppressionV3(boxes, scores, max_output_size, threshold, least)


@export("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Chooses boxes as `tf.image.non_max_suppression`, with a result of fixed length.

    Args:
        boxes: ``[boxes, 4]``, two opposite corners of each.
        scores: the score of each box.
        max_output_size: how many are chosen at most.
        iou_threshold: the largest allowed intersection over union.
        score_threshold: boxes up to this score are left out.
        pad_to_max_output_size: whether zeros are added.
        name: the name scope.

    Returns:
        The indices of the chosen boxes, and how many they are.
    """
    with name_scope(name, "non_max_suppression_padded"):
        threshold = _number(iou_threshold, "iou_threshold")
        least = _number(score_threshold, "score_threshold")
        result = build.NonMaxSuppressionV4(
            boxes,
            scores,
            max_output_size,
            threshold,
            least,
            pad_to_max_output_size=pad_to_max_output_size,
        )
        return result[0], result[1]


@export("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Chooses boxes as `tf.image.non_max_suppression`; overlap may lower scores.

    Args:
        boxes: ``[boxes, 4]``, two opposite corners of each.
        scores: the score of each box.
        max_output_size: how many are chosen at most.
        iou_threshold: the largest allowed intersection over union.
        score_threshold: boxes up to this score are left out.
        soft_nms_sigma: the width of the Gaussian that lowers scores; 0 for none.
        name: the name scope.

    Returns:
        The indices of the chosen boxes, and their scores.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        threshold = _number(iou_threshold, "iou_threshold")
        least = _number(score_threshold, "score_threshold")
        sigma = _number(soft_nms_sigma, "soft_nms_sigma")
        result = build.NonMaxSuppressionV5(boxes, scores, max_output_size, threshold, least, sigma)
        return result[0], result[1]


@export("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    name: str | None = None,
) -> Tensor:
    """Chooses items of high scores by a given table of overlaps.

    Args:
        overlaps: a square matrix.
        scores: the score of each item.
        max_output_size: how many are chosen at most.
        overlap_threshold: the largest allowed overlap.
        score_threshold: items up to this score are left out.
        name: the name scope.

    Returns:
        The indices of the chosen items, int32.
    """
    with name_scope(name, "non_max_suppression_overlaps"):
        threshold = _number(overlap_threshold, "overlap_threshold")
        return build.NonMaxSuppressionWithOverlaps(
            overlaps, scores, max_output_size, threshold, score_threshold
        )


@export("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Chooses boxes of high scores for each class and image of a batch.

    Args:
        boxes: ``[batch, boxes, classes or 1, 4]``.
        scores: ``[batch, boxes, classes]``.
        max_output_size_per_class: how many are chosen of a class at most.
        max_total_size: how many are chosen of an image at most.
        iou_threshold: the largest allowed intersection over union.
        score_threshold: boxes up to this score are left out.
        pad_per_class: whether the length of the result is limited by the classes too.
        clip_boxes: whether boxes are cut at 0 and 1.
        name: the name scope.

    Returns:
        Boxes, scores, classes, and how many of them count in each image.
    """
    with name_scope(name, "combined_non_max_suppression"):
        threshold = _number(iou_threshold, "iou_threshold")
        least = _number(score_threshold, "score_threshold")
        return build.CombinedNonMaxSuppression(
            boxes,
            scores,
            max_output_size_per_class,
            max_total_size,
            threshold,
            least,
            pad_per_class=pad_per_class,
            clip_boxes=clip_boxes,
        )
