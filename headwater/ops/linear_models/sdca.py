"""Stochastic dual coordinate ascent: SdcaOptimizer and SdcaOptimizerV2, SdcaShrinkL1, SdcaFprint.

Sources: Shalev-Shwartz, Zhang, "Stochastic dual coordinate ascent methods for regularized loss
minimization", JMLR 2013; adaptive sampling: Csiba, Qu, Richtarik, "Stochastic dual coordinate
ascent with adaptive probabilities", ICML 2015.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.linear_models.sdca_losses import LOSSES, Loss
from headwater.ops.strings.hashes import fingerprint128

_F = np.float32
_Arrays = list[np.ndarray]
# What is kept of an example: its dual variable, primal loss, dual loss and weight.
_STATES = 4


def _sparse_entries(
    number: int, rows: np.ndarray, ids: np.ndarray, known: np.ndarray, examples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Checks a sparse feature; returns the rows and the places of the ids among those known."""
    if rows.shape != ids.shape:
        fail(
            f"Sparse feature {number} has {rows.size} example indices and {ids.size} feature "
            "indices."
        )
    if rows.size and not 0 <= rows.min() <= rows.max() < examples:
        wrong = rows[(rows < 0) | (rows >= examples)][0]
        fail(f"Example index {wrong} of sparse feature {number} is not in [0, {examples}).")
    order = np.argsort(known, kind="stable")
    places = np.searchsorted(known, ids, sorter=order)
    places = order[np.minimum(places, len(known) - 1)] if len(known) else np.zeros_like(ids)
    missing = known[places] != ids if len(known) else np.ones(ids.shape, bool)
    if missing.any():
        fail(f"Found sparse feature indices out of valid range: {ids[missing][0]}")
    if len(np.unique(rows * max(1, len(known)) + places)) < len(rows):
        fail("Duplicate index in sparse vector.")
    return rows, places


class _Examples:
    """The examples as rows of one sparse matrix; its columns are all weights of the model.

    Args:
        example_indices: for each sparse feature, the example of each entry.
        feature_indices: for each sparse feature, the id of each entry.
        feature_values: the values of the first sparse features; those of the others are 1.
        dense: the dense features, matrices with a row for each example.
        known: for each sparse feature, the ids of its weights.
        weights: the weights of the sparse and then of the dense features.
        examples: the number of examples.

    Attributes:
        columns: for each example, the columns of its entries.
        values: for each example, the values of its entries.
        weights: all weights in one vector.
        squared_norms: for each example, the sum of the squares of its values.
    """

    def __init__(
        self,
        example_indices: _Arrays,
        feature_indices: _Arrays,
        feature_values: _Arrays,
        dense: _Arrays,
        known: _Arrays,
        weights: _Arrays,
        examples: int,
    ) -> None:
        rows, columns, values = [], [], []
        offset = 0
        for i, (r, ids, w) in enumerate(zip(example_indices, feature_indices, weights)):
            entries = _sparse_entries(i, r, ids, known[i], examples)
            if w.size != known[i].size:
                fail(f"Sparse feature {i} has {known[i].size} indices and {w.size} weights.")
            v = feature_values[i] if i < len(feature_values) else np.ones(ids.shape, _F)
            if v.shape != ids.shape:
                fail(f"Sparse feature {i} has {ids.size} indices and {v.size} values.")
            rows.append(entries[0])
            columns.append(entries[1] + offset)
            values.append(v)
            offset += w.size
        for i, (matrix, w) in enumerate(zip(dense, weights[len(known) :])):
            if matrix.ndim != 2 or len(matrix) != examples:
                fail(
                    f"Dense feature {i} must be a matrix with {examples} rows, got shape "
                    f"{shapes.show(matrix.shape)}"
                )
            if w.size < matrix.shape[1]:
                fail(f"Dense feature {i} has {matrix.shape[1]} columns and {w.size} weights.")
            rows.append(np.repeat(np.arange(examples), matrix.shape[1]))
            columns.append(np.tile(np.arange(matrix.shape[1]) + offset, examples))
            values.append(matrix.ravel())
            offset += w.size
        row, column = np.concatenate(rows), np.concatenate(columns)
        value = np.concatenate(values).astype(np.float64)
        order = np.argsort(row, kind="stable")
        ends = np.cumsum(np.bincount(row, minlength=examples))[:-1]
        self._row, self._column, self._value = row[order], column[order], value[order]
        self._examples = examples
        self.columns = np.split(self._column, ends)
        self.values = np.split(self._value, ends)
        self.weights = np.concatenate([w.ravel() for w in weights]).astype(np.float64)
        self.squared_norms = self._sums(self._value**2)

    def _sums(self, entries: np.ndarray) -> np.ndarray:
        return np.bincount(self._row, entries, minlength=self._examples)

    def predictions(self, weights: np.ndarray) -> np.ndarray:
        """The products of the examples with a vector of weights."""
        return self._sums(self._value * weights[self._column])


def _shrunk(weights: np.ndarray, threshold: float) -> np.ndarray:
    return np.sign(weights) * np.maximum(np.abs(weights) - threshold, 0)


def _adaptive_order(importance: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Examples drawn by importance; one that was drawn k times is accepted with 1 / 2**k."""
    count = len(importance)
    total = importance.sum()
    if not np.isfinite(total) or total <= 0:
        return rng.permutation(count)
    drawn = np.zeros(count, int)
    chosen: list[int] = []
    refused = 0
    for pick in rng.choice(count, 2 * count, p=importance / total):
        if len(chosen) == count or refused == count:
            break
        if rng.random() > 0.5 ** drawn[pick]:
            refused += 1
            continue
        drawn[pick] += 1
        chosen.append(pick)
    rest = rng.permutation(np.flatnonzero(drawn == 0))[: count - len(chosen)]
    return np.concatenate([np.array(chosen, int), rest])


def _order(
    loss: Loss,
    examples: _Examples,
    state: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    predictions: np.ndarray,
    l2: float,
    adaptive: bool,
) -> np.ndarray:
    """The order of the examples: a random one that depends on their state, to be reproducible."""
    rng = np.random.default_rng(zlib.crc32(state.tobytes()))
    if not adaptive:
        return rng.permutation(len(labels))
    distance = np.abs(state[:, 0] + loss.slope(labels, predictions))
    return _adaptive_order(
        weights * np.sqrt(examples.squared_norms + l2 * loss.smoothness) * distance, rng
    )


def kernel_sdca(
    xp: ArrayModule,
    sparse_example_indices: _Arrays,
    sparse_feature_indices: _Arrays,
    sparse_feature_values: _Arrays,
    dense_features: _Arrays,
    example_weights: np.ndarray,
    example_labels: np.ndarray,
    sparse_indices: _Arrays,
    sparse_weights: _Arrays,
    dense_weights: _Arrays,
    example_state_data: np.ndarray,
    *,
    loss_type: str,
    l1: float,
    l2: float,
    num_loss_partitions: int,
    adaptative: bool = False,
    adaptive: bool = False,
) -> list[Array]:
    count = example_weights.size
    if not (sparse_weights or dense_weights) or not count:
        fail("Requires at least one feature to train.")
    if example_state_data.shape != (count, _STATES):
        got = shapes.show(example_state_data.shape)
        fail(f"Expected shape [{count},{_STATES}] for example_state_data, got {got}")
    if example_labels.size != count:
        fail(f"Expected {count} labels, got {example_labels.size}.")
    loss = LOSSES[loss_type]
    labels = loss.labels(example_labels.ravel().astype(np.float64))
    weights = example_weights.ravel().astype(np.float64)
    examples = _Examples(
        sparse_example_indices,
        sparse_feature_indices,
        sparse_feature_values,
        dense_features,
        sparse_indices,
        [*sparse_weights, *dense_weights],
        count,
    )
    threshold = float(np.float64(l1) / l2)
    before = examples.predictions(_shrunk(examples.weights, threshold))
    order = _order(
        loss, examples, example_state_data, labels, weights, before, l2, adaptive or adaptative
    )
    duals = example_state_data[:, 0].astype(np.float64)
    last, deltas = _ascended(
        loss,
        examples,
        duals,
        (labels, weights, before),
        order,
        (threshold, l2, num_loss_partitions),
    )
    visited = np.zeros(count, bool)
    visited[order] = True
    losses = loss.primal(labels, before) * weights, loss.dual(labels, last) * weights
    state = np.where(
        visited[:, None],
        np.stack([duals, *losses, weights], 1),
        example_state_data,
    )
    shapes_of = [w.shape for w in (*sparse_weights, *dense_weights)]
    parts = np.split(deltas, np.cumsum([int(np.prod(s)) for s in shapes_of])[:-1])
    return [state.astype(_F), *(p.reshape(s).astype(_F) for p, s in zip(parts, shapes_of))]


def _ascended(
    loss: Loss,
    examples: _Examples,
    duals: np.ndarray,
    data: tuple[np.ndarray, ...],
    order: np.ndarray,
    options: tuple[float, float, int],
) -> tuple[np.ndarray, np.ndarray]:
    """Updates the dual variables one after the other, in place.

    Args:
        loss: the loss.
        examples: the examples.
        duals: the dual variables.
        data: labels, weights of the examples, and predictions of the weights at the beginning.
        order: the examples to visit.
        options: the threshold of the weights, the L2 regularization, the number of partitions.

    Returns:
        The dual variables before their last updates, and the changes of the weights.
    """
    threshold, l2, partitions = options
    labels, before = data[0].tolist(), data[2].tolist()
    curvatures = (partitions * data[1] * (examples.squared_norms / l2)).tolist()
    steps = (data[1] / l2).tolist()
    deltas = np.zeros_like(examples.weights)
    last = duals.copy()
    for i in cancellation.checked(order.tolist()):
        columns, values = examples.columns[i], examples.values[i]
        moved = partitions * deltas[columns]
        if threshold:
            prediction = float(values @ _shrunk(examples.weights[columns] + moved, threshold))
        else:
            prediction = before[i] + float(values @ moved)
        last[i] = dual = float(duals[i])
        duals[i] = new = loss.updated(labels[i], dual, prediction, curvatures[i])
        deltas[columns] += values * ((new - dual) * steps[i])
    return last, deltas


def kernel_shrink_l1(
    xp: ArrayModule, weights: Sequence[Array], *, l1: float, l2: float
) -> list[Array]:
    threshold = _F(l1) / _F(l2)
    return [xp.sign(w) * xp.maximum(xp.abs(w) - threshold, _F(0)) for w in weights]


def kernel_fingerprint(xp: ArrayModule, input: np.ndarray) -> Array:
    numbers = [fingerprint128(text) for text in input.tolist()]
    return np.array(numbers, np.uint64).reshape(-1, 2).view(np.int64)


def shape_sdca(c: shapes.ShapeContext) -> list[Shape]:
    attrs = c.attrs
    sparse, dense = attrs["num_sparse_features"], attrs["num_dense_features"]
    return [(None, _STATES), *c.shapes[len(c.shapes) - 1 - sparse - dense : -1]]


def shape_fingerprint(c: shapes.ShapeContext) -> Shape:
    (rows,) = c.with_rank("input", 1) or (None,)
    return (rows, 2)


def samples_sdca() -> Iterator[Sample]:
    rows, ids = np.array([0, 0, 1]), np.array([7, 3, 3])
    dense = np.array([[1, 2], [0.5, -1]], _F)
    for loss_type in LOSSES:
        yield Sample(
            [rows],
            [ids],
            [np.array([1.5, -2, 1], _F)],
            [dense],
            np.array([1, 2], _F),
            np.array([0, 1], _F),
            [np.array([3, 7])],
            [np.array([0.1, 0.2], _F)],
            [np.array([[0.5, -0.25]], _F)],
            np.zeros((2, _STATES), _F),
            loss_type=loss_type,
            num_sparse_features_with_values=1,
            l1=0.1,
            l2=1.0,
            num_loss_partitions=1,
            num_inner_iterations=2,
        )


_INPUTS = (
    "sparse_example_indices: num_sparse_features * int64, "
    "sparse_feature_indices: num_sparse_features * int64, "
    "sparse_feature_values: num_sparse_features_with_values * float, "
    "dense_features: num_dense_features * float, example_weights: float, example_labels: float, "
    "sparse_indices: num_sparse_features * int64, sparse_weights: num_sparse_features * float, "
    "dense_weights: num_dense_features * float, example_state_data: float"
)
_OUTPUTS = (
    "out_example_state_data: float, out_delta_sparse_weights: num_sparse_features * float, "
    "out_delta_dense_weights: num_dense_features * float"
)
_LOSS_TYPE = (
    "loss_type: {'logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', "
    "'poisson_loss'}"
)
_OPTIONS = (
    "num_sparse_features: int >= 0, num_sparse_features_with_values: int >= 0, "
    "num_dense_features: int >= 0, l1: float, l2: float, num_loss_partitions: int >= 1, "
    "num_inner_iterations: int >= 1"
)

register_op(
    "SdcaOptimizer",
    inputs=_INPUTS,
    outputs=_OUTPUTS,
    attrs=f"{_LOSS_TYPE}, adaptative: bool = false, {_OPTIONS}",
    shape=shape_sdca,
    kernel=kernel_sdca,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_sdca,
    runs_on=RunsOn.HOST,
)
register_op(
    "SdcaOptimizerV2",
    inputs=_INPUTS,
    outputs=_OUTPUTS,
    attrs=f"{_LOSS_TYPE}, adaptive: bool = false, {_OPTIONS}",
    shape=shape_sdca,
    kernel=kernel_sdca,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_sdca,
    runs_on=RunsOn.HOST,
)
register_op(
    "SdcaShrinkL1",
    inputs="weights: Ref(num_features * float)",
    attrs="num_features: int >= 0, l1: float, l2: float",
    shape=shapes.none,
    kernel=kernel_shrink_l1,
    gradient=NOT_DIFFERENTIABLE,
    updates=("weights",),
)
register_op(
    "SdcaFprint",
    inputs="input: string",
    outputs="output: int64",
    shape=shape_fingerprint,
    kernel=kernel_fingerprint,
    gradient=NOT_DIFFERENTIABLE,
    samples=lambda: [Sample(np.array([b"abc", b""], object))],
    runs_on=RunsOn.HOST,
)


@export("train.sdca_optimizer")
def sdca_optimizer(
    sparse_example_indices: Sequence[TensorLike],
    sparse_feature_indices: Sequence[TensorLike],
    sparse_feature_values: Sequence[TensorLike],
    dense_features: Sequence[TensorLike],
    example_weights: TensorLike,
    example_labels: TensorLike,
    sparse_indices: Sequence[TensorLike],
    sparse_weights: Sequence[TensorLike],
    dense_weights: Sequence[TensorLike],
    example_state_data: TensorLike,
    loss_type: str,
    l1: float,
    l2: float,
    num_loss_partitions: int,
    num_inner_iterations: int,
    adaptative: bool = True,
    name: str | None = None,
) -> Any:
    """Improves the weights of a linear model by dual coordinate ascent over some examples.

    Args:
        sparse_example_indices: for each sparse feature an int64 vector, the example of each entry.
        sparse_feature_indices: for each sparse feature an int64 vector, the id of each entry.
        sparse_feature_values: for the first of the sparse features a float32 vector of values; the
            values of the others are 1.
        dense_features: float32 matrices with a row for each example.
        example_weights: a float32 vector.
        example_labels: a float32 vector.
        sparse_indices: for each sparse feature an int64 vector, the ids of its weights.
        sparse_weights: for each sparse feature a float32 vector of weights.
        dense_weights: for each dense feature a float32 tensor of weights, one for each column.
        example_state_data: float32 of shape [examples, 4]: dual variables, primal losses, dual
            losses and weights.
        loss_type: one of logistic_loss, squared_loss, hinge_loss, smooth_hinge_loss, poisson_loss.
        l1: the symmetric L1 regularization.
        l2: the symmetric L2 regularization.
        num_loss_partitions: into how many parts the examples are divided that are trained at once.
        num_inner_iterations: taken for compatibility; each run visits the examples once.
        adaptative: whether examples are drawn by how far their dual variables are off.
        name: the name of the node.

    Returns:
        The new state of the examples, a list of changes of the sparse weights, and one of changes
        of the dense weights.

    Raises:
        InvalidArgumentError: when it runs, if ids are unknown or occur twice in an example, labels
            do not fit the loss, or sizes differ.
    """
    return build.SdcaOptimizer(
        sparse_example_indices,
        sparse_feature_indices,
        sparse_feature_values,
        dense_features,
        example_weights,
        example_labels,
        sparse_indices,
        sparse_weights,
        dense_weights,
        example_state_data,
        loss_type=loss_type,
        l1=l1,
        l2=l2,
        num_loss_partitions=num_loss_partitions,
        num_inner_iterations=num_inner_iterations,
        adaptative=adaptative,
        name=name,
    )


@export("train.sdca_shrink_l1")
def sdca_shrink_l1(
    weights: Sequence[TensorLike], l1: float, l2: float, name: str | None = None
) -> Operation:
    """Moves weights towards zero by l1 / l2, as the proximal step of the L1 regularization.

    Args:
        weights: mutable float32 tensors.
        l1: the symmetric L1 regularization.
        l2: the symmetric L2 regularization.
        name: the name of the node.

    Returns:
        The operation.
    """
    return build.SdcaShrinkL1(weights, l1=l1, l2=l2, name=name)


@export("train.sdca_fprint")
def sdca_fprint(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes fingerprints of strings, as keys of examples.

    Args:
        input: a vector of strings.
        name: the name of the node.

    Returns:
        An int64 tensor of shape [n, 2]: the low and high halves of FarmHash's Fingerprint128.
    """
    return build.SdcaFprint(input, name=name)
