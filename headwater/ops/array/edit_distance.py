"""Levenshtein distances of sequences in sparse tensors: EditDistance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.graph.sparse_tensor import SparseTensor, SparseTensorValue


def shape_edit_distance(c: shapes.ShapeContext) -> Shape:
    for which in ("hypothesis", "truth"):
        c.with_rank(f"{which}_indices", 2)
        c.with_rank(f"{which}_values", 1)
        c.with_rank(f"{which}_shape", 1)
    sizes = c.value("hypothesis_shape"), c.value("truth_shape")
    if sizes[0] is None or sizes[1] is None:
        return None
    if len(sizes[0]) != len(sizes[1]):
        c.fail(
            "Num elements of hypothesis_shape does not match truth_shape: "
            f"{len(sizes[0])} vs. {len(sizes[1])}"
        )
    return tuple(int(max(a, b)) for a, b in zip(sizes[0][:-1], sizes[1][:-1]))


def _distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """The least number of insertions, deletions and replacements (Wagner and Fischer, 1974)."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            best = min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
            diagonal, row[j] = row[j], best
    return row[-1]


def _sequences(indices: np.ndarray, values: np.ndarray) -> dict[tuple[int, ...], list[Any]]:
    found: dict[tuple[int, ...], list[Any]] = {}
    for index, value in zip(indices.tolist(), values.tolist()):
        found.setdefault(tuple(index[:-1]), []).append(value)
    return found


def kernel_edit_distance(
    xp: ArrayModule,
    hypothesis_indices: np.ndarray,
    hypothesis_values: np.ndarray,
    hypothesis_shape: np.ndarray,
    truth_indices: np.ndarray,
    truth_values: np.ndarray,
    truth_shape: np.ndarray,
    *,
    normalize: bool,
) -> np.ndarray:
    if len(hypothesis_shape) != len(truth_shape):
        raise errors.InvalidArgumentError(
            None,
            None,
            "Expected hypothesis_shape and truth_shape to have the same number of elements, but "
            f"got {len(hypothesis_shape)} and {len(truth_shape)}",
        )
    sizes = tuple(np.maximum(hypothesis_shape, truth_shape)[:-1])
    hypotheses = _sequences(hypothesis_indices, hypothesis_values)
    truths = _sequences(truth_indices, truth_values)
    result = np.zeros(sizes, np.float32)
    for place in {**hypotheses, **truths}:
        hypothesis, truth = hypotheses.get(place, []), truths.get(place, [])
        distance = float(_distance(truth, hypothesis))
        if normalize:
            # An empty truth has no length to divide by.
            distance = distance / len(truth) if truth else np.inf
        result[place] = distance
    return result


def samples_edit_distance() -> Iterator[Sample]:
    i64 = np.int64
    hypothesis = (np.array([[0, 0], [0, 1], [1, 0]], i64), np.array([1, 2, 3], i64))
    truth = (np.array([[0, 0], [1, 0], [1, 1]], i64), np.array([1, 3, 4], i64))
    for normalize in (True, False):
        yield Sample(
            *hypothesis,
            np.array([2, 2], i64),
            *truth,
            np.array([3, 2], i64),
            normalize=normalize,
        )


register_op(
    "EditDistance",
    inputs="hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
    "truth_indices: int64, truth_values: T, truth_shape: int64",
    outputs="output: float",
    attrs="normalize: bool = true, T: type",
    shape=shape_edit_distance,
    kernel=kernel_edit_distance,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_edit_distance,
    concrete=("hypothesis_shape", "truth_shape"),
    runs_on=RunsOn.HOST,
)


@export("edit_distance")
def edit_distance(
    hypothesis: SparseTensor | TensorLike,
    truth: SparseTensor | TensorLike,
    normalize: bool = True,
    name: str = "edit_distance",
) -> Tensor:
    """Returns the Levenshtein distance of each pair of sequences.

    Args:
        hypothesis: a SparseTensor whose last dimension runs along the sequences.
        truth: a SparseTensor of the same type and rank.
        normalize: whether distances are divided by the length of the truth.
        name: the name of the node.

    Returns:
        A float32 tensor without the last dimension.

    Raises:
        TypeError: if an argument is not a SparseTensor.
    """
    for which, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(value, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"{which} must be a SparseTensor.")
    hypothesis, truth = (
        SparseTensor(*value) if isinstance(value, SparseTensorValue) else value
        for value in (hypothesis, truth)
    )
    return build.EditDistance(
        hypothesis.indices,
        hypothesis.values,
        hypothesis.dense_shape,
        truth.indices,
        truth.values,
        truth.dense_shape,
        normalize=normalize,
        name=name,
    )
