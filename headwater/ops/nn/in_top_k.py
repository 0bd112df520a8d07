"""InTopK: whether the target of a row is among its k largest predictions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import errors
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Sample, Tensor, build, export, name_scope, register_op, shapes

_FIRST_COLUMNS = 128


def shape_in_top_k(c: shapes.ShapeContext) -> Shape:
    predictions = c.with_rank("predictions", 2)
    targets = c.with_rank("targets", 1)
    return (c.merge_dims(predictions[0], targets[0]),)


def kernel_in_top_k(xp: ArrayModule, predictions: Array, targets: Array, *, k: int) -> Array:
    text = ""
    if predictions.ndim != 2:
        text = "predictions must be 2-dimensional"
    elif targets.ndim != 1:
        text = "targets must be 1-dimensional"
    elif predictions.shape[0] != targets.shape[0]:
        text = (
            f"First dimension of predictions {predictions.shape[0]} must match length of targets "
            f"{targets.shape[0]}"
        )
    if text:
        raise errors.InvalidArgumentError(None, None, text)
    classes = predictions.shape[1]
    if classes == 0:
        return xp.zeros(targets.shape, bool)
    inside = xp.logical_and(targets >= 0, targets < classes)
    column = xp.where(inside, targets, targets.dtype.type(0))[:, None]
    chosen = xp.take_along_axis(predictions, column, axis=1)
    return xp.logical_and(inside, _few_above(xp, predictions, chosen, k))


def _few_above(xp: ArrayModule, predictions: Array, chosen: Array, k: Array) -> Array:
    """Whether less than k predictions of a row are above the chosen one, and all are finite.

    Most rows are decided by their first columns if the chosen class is any class.
    """
    rows, classes = predictions.shape
    if classes < 8 * _FIRST_COLUMNS or rows < 16:
        return _all_finite_and_few_above(xp, predictions, chosen, k)
    first = predictions[:, :_FIRST_COLUMNS]
    open_rows = xp.sum(first > chosen, axis=1, dtype=np.int32) < k
    if xp is np:
        result = np.zeros(rows, bool)
        decided = _all_finite_and_few_above(xp, predictions[open_rows], chosen[open_rows], k)
        result[open_rows] = decided
        return result
    room = rows // 16

    def some_rows() -> Array:
        # Positions after the last undecided row are out of range, and are dropped.
        (places,) = xp.nonzero(open_rows, size=room, fill_value=rows)
        taken = xp.minimum(places, rows - 1)
        decided = _all_finite_and_few_above(xp, predictions[taken], chosen[taken], k)
        return xp.zeros(rows, bool).at[places].set(decided, mode="drop")

    def all_rows() -> Array:
        return _all_finite_and_few_above(xp, predictions, chosen, k)

    return lax.cond(xp.sum(open_rows) <= room, some_rows, all_rows)


def _all_finite_and_few_above(
    xp: ArrayModule, predictions: Array, chosen: Array, k: Array
) -> Array:
    above = xp.sum(predictions > chosen, axis=1, dtype=np.int32)
    return xp.logical_and(xp.all(xp.isfinite(predictions), axis=1), above < k)


def kernel_in_top_k_v2(xp: ArrayModule, predictions: Array, targets: Array, k: Array) -> Array:
    if k.ndim != 0:
        text = f"k must be 0-D, got shape {shapes.show(k.shape)}"
        raise errors.InvalidArgumentError(None, None, text)
    return kernel_in_top_k(xp, predictions, targets, k=k)


def reference_in_top_k(predictions: Array, targets: Array, *, k: Array) -> Array:
    result = []
    for row, target in zip(predictions, targets):
        known = 0 <= target < len(row) and bool(np.isfinite(row).all())
        result.append(known and int((row > row[target]).sum()) < k)
    return np.array(result, bool)


def reference_in_top_k_v2(predictions: Array, targets: Array, k: Array) -> Array:
    return reference_in_top_k(predictions, targets, k=k)


_PREDICTIONS = np.array(
    [[0.1, 0.5, 0.5], [0.3, 0.2, 0.1], [np.nan, 1, 2], [1, np.inf, 2], [1, 2, 3], [1, 1, 1]],
    np.float32,
)
_TARGETS = np.array([1, 1, 1, 1, 7, 2], np.int32)


def samples_in_top_k() -> Iterator[Sample]:
    yield Sample(_PREDICTIONS, _TARGETS, k=1)
    yield Sample(_PREDICTIONS, _TARGETS.astype(np.int64), k=2)
    # Many classes: the first columns decide on almost all rows, or only on some.
    predictions = np.random.RandomState(0).rand(48, 1100).astype(np.float32)
    predictions[0, 0], predictions[[1, 2], [1000, 100]] = 2, np.inf
    targets = np.arange(48, dtype=np.int32) * 23
    yield Sample(predictions, targets, k=3)
    yield Sample(predictions, targets, k=40)


def samples_in_top_k_v2() -> Iterator[Sample]:
    yield Sample(_PREDICTIONS, _TARGETS, np.int32(1))
    yield Sample(_PREDICTIONS, _TARGETS.astype(np.int64), np.int64(2))


register_op(
    "InTopK",
    inputs="predictions: float, targets: T",
    outputs="precision: bool",
    attrs="k: int, T: {int32, int64} = int32",
    shape=shape_in_top_k,
    kernel=kernel_in_top_k,
    reference=reference_in_top_k,
    samples=samples_in_top_k,
)
register_op(
    "InTopKV2",
    inputs="predictions: float, targets: T, k: T",
    outputs="precision: bool",
    attrs="T: {int32, int64} = int32",
    shape=shape_in_top_k,
    kernel=kernel_in_top_k_v2,
    reference=reference_in_top_k_v2,
    samples=samples_in_top_k_v2,
)


@export("nn.in_top_k", "math.in_top_k")
def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: TensorLike, name: str | None = None
) -> Tensor:
    """Tells for each row whether its target is among the k largest predictions.

    Classes with the same prediction as the k-th one count as being among them.

    Args:
        predictions: float32 matrix of one row per example.
        targets: int32 or int64 vector of class indices.
        k: how many predictions count.
        name: the name scope.

    Returns:
        A bool vector; False where a prediction of the row is not finite or the target is not a
        class.
    """
    with name_scope(name, "in_top_k"):
        return build.InTopKV2(predictions, targets, k, name=name)
