"""All values of several runs, and areas under curves that need them all."""

from __future__ import annotations

import statistics
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, control_dependencies, convert_to_tensor, export, group
from headwater.model.metrics.accumulation import aligned, collect, metric_variable
from headwater.model.variables.variable_scope import variable_scope
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.getitem import boolean_mask
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape, size
from headwater.ops.array.transpose import transpose
from headwater.ops.control.cond import cond
from headwater.ops.control.value_checks import assert_greater_equal, assert_less_equal
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import sigmoid
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.scan import cumsum
from headwater.ops.math.select import where_v2
from headwater.ops.nn.top_k import top_k
from headwater.ops.state.assign import assign

Metric = tuple[Any, Any]
AucData = namedtuple("AucData", ["auc", "lower", "upper"])


@export("contrib.metrics.streaming_concat")
def streaming_concat(
    values: TensorLike,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The values of all runs of the update, one after the other.

    Args:
        values: a tensor of known rank; only the length along `axis` may change.
        axis: the axis along which they are put together.
        max_size: how many are kept at most; None for all.
        metrics_collections: collections that get the values.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The values so far, and a tensor that takes the current ones in and gives their number.

    Raises:
        ValueError: if the shape is not known well enough, or there is no such axis.
    """
    with variable_scope(name, "streaming_concat", (values,)):
        values = convert_to_tensor(values)
        known = values.get_shape()
        if known.ndims is None:
            raise ValueError("`values` must have known statically known rank")
        ndims = known.ndims
        if not 0 <= axis < ndims:
            raise ValueError(f"axis = {axis} not in [0, {ndims})")
        fixed = [known[i].value for i in range(ndims) if i != axis]
        if None in fixed:
            raise ValueError(
                "all dimensions of `values` other than the dimension to concatenate along must "
                "have statically known size"
            )
        # The variable has the axis first, and as many rows as there are values.
        array = metric_variable([0, *fixed], values.dtype, validate_shape=False, name="array")
        number = metric_variable([], dtypes.int32, name="size")
        perm = [axis, *(i for i in range(ndims) if i != axis)]
        back = [*range(1, axis + 1), 0, *range(axis + 1, ndims)]
        sizes: Tensor = shape(values)
        added = sizes[axis]
        if max_size is not None:
            added = build.Minimum(added, max_size - number)
        rows: TensorLike = values if axis == 0 else transpose(values, perm)
        so_far = array[:number]
        longer = concat([so_far, rows[:added]], 0)
        with control_dependencies([assign(array, longer, validate_shape=False)]):
            update = assign(number, number + added)
        # Moves the axis back for the fetched value.
        kept: Tensor = array[:number]
        kept.set_shape([None, *fixed])
        value = build.Identity(kept, name="concat") if axis == 0 else transpose(kept, back)
        return collect(metrics_collections, value), collect(updates_collections, update)


def next_array_size(required_size: TensorLike, growth_factor: float = 1.5) -> Any:
    """The least power of a factor that is not below a size.

    Args:
        required_size: a number, or an int32 scalar.
        growth_factor: the factor.

    Returns:
        An int32 scalar.
    """
    exponent: TensorLike = build.Log(cast(required_size, dtypes.float32))
    exponent = build.Ceil(exponent / np.float32(np.log(growth_factor)))
    return cast(build.Ceil(build.Pow(np.float32(growth_factor), exponent)), dtypes.int32)


def _checked(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike
) -> tuple[Any, Any, Any]:
    """Vectors of labels, which must be 0 or 1, float32 predictions and weights."""
    predictions, labels, weights = aligned(
        cast(predictions, dtypes.float32), convert_to_tensor(labels), weights
    )
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), predictions)
        weights = reshape(weights, [-1])
    labels, predictions = reshape(labels, [-1]), reshape(predictions, [-1])
    if labels.dtype == dtypes.bool_:
        return cast(labels, dtypes.int32), predictions, weights
    checks = [
        assert_greater_equal(
            labels, zeros_like(labels), message="labels must be 0 or 1, at least one is <0"
        ),
        assert_less_equal(
            labels, ones_like(labels), message="labels must be 0 or 1, at least one is >1"
        ),
    ]
    with control_dependencies(checks):
        return build.Identity(labels), predictions, weights


def _kept(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike
) -> tuple[Any, Any, Any, list[Any]]:
    kept_predictions, update_predictions = streaming_concat(predictions, name="concat_preds")
    kept_labels, update_labels = streaming_concat(labels, name="concat_labels")
    updates = [update_labels, update_predictions]
    if weights is None:
        return kept_labels, kept_predictions, None, updates
    kept_weights, update_weights = streaming_concat(weights, name="concat_weights")
    return kept_labels, kept_predictions, kept_weights, [*updates, update_weights]


def _two_kinds(labels: TensorLike) -> Tensor:
    """Whether there are labels of both kinds."""
    total = reduce_sum(cast(labels, dtypes.int32))
    return build.LogicalAnd(build.Greater(total, 0), build.Less(total, size(labels)))


def _dynamic_auc(
    labels: TensorLike, predictions: TensorLike, weights: Tensor | None, curve: str
) -> Tensor:
    ordered, order = top_k(predictions, k=size(predictions))
    labels = cast(build.GatherV2(labels, order, 0), dtypes.float64)
    if weights is None:
        weights = ones_like(labels)
    else:
        weights = cast(build.GatherV2(weights, order, 0), dtypes.float64)
    positives: Tensor = cumsum(weights * labels)
    negatives: Tensor = cumsum(weights * (1.0 - labels))
    # Equal predictions are one point of the curve.
    ordered_: Tensor = ordered
    last = concat([build.NotEqual(ordered_[1:], ordered_[:-1]), [True]], 0)
    true, false = boolean_mask(positives, last), boolean_mask(negatives, last)
    recall: Tensor = true / positives[-1]
    zero, one = np.zeros(1), np.ones(1)
    if curve == "ROC":
        x: TensorLike = concat([zero, false / negatives[-1]], 0)
        y: TensorLike = concat([zero, recall], 0)
    else:
        x, y = concat([zero, recall], 0), concat([one, true / (true + false)], 0)
    return reduce_sum((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2.0)


@export("contrib.metrics.streaming_dynamic_auc")
def streaming_dynamic_auc(
    labels: TensorLike,
    predictions: TensorLike,
    curve: str = "ROC",
    metrics_collections: Sequence[str] = (),
    updates_collections: Sequence[str] = (),
    name: str | None = None,
    weights: TensorLike | None = None,
) -> Metric:
    """The exact area under a curve of the predictions of all runs of the update.

    Args:
        labels: 0 or 1.
        predictions: scores of the same shape, of any range.
        curve: ROC (true over false positives) or PR (precision over recall).
        metrics_collections: collections that get the area.
        updates_collections: collections that get the update.
        name: the name of the variable scope.
        weights: what each prediction counts.

    Returns:
        The area so far (0 as long as all labels are the same), and an op that takes the current
        values in.

    Raises:
        ValueError: if the curve is unknown or the shapes do not fit.
    """
    if curve not in ("PR", "ROC"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with variable_scope(name, "dynamic_auc"):
        labels, predictions, weights = _checked(labels, predictions, weights)
        labels, predictions, weights, updates = _kept(labels, predictions, weights)
        value = cond(
            _two_kinds(labels),
            lambda: _dynamic_auc(labels, predictions, weights, curve),
            lambda: constant(0.0, dtypes.float64),
        )
        update = group(*updates)
        return collect(metrics_collections, value), collect(updates_collections, update)


def _placements(scores: TensorLike, other: TensorLike, weights: TensorLike) -> Tensor:
    """For each score, the share of weights of the other kind below it; equal ones count half."""
    below = build.Less(build.ExpandDims(other, 0), build.ExpandDims(scores, 1))
    equal = build.Equal(build.ExpandDims(other, 0), build.ExpandDims(scores, 1))
    parts: Tensor = cast(below, dtypes.float32)
    parts = parts + 0.5 * cast(equal, dtypes.float32)
    return reduce_sum(parts * weights, 1) / reduce_sum(weights)


def _auc_interval(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Tensor,
    alpha: float,
    logit_transformation: bool,
) -> tuple[Any, Any, Any]:
    """The area and its confidence interval (E. R. DeLong et al., 1988)."""
    weights = ones_like(predictions) if weights is None else weights
    true = build.Equal(labels, 1)
    false = build.LogicalNot(true)
    scores = [boolean_mask(predictions, kind) for kind in (true, false)]
    masses = [boolean_mask(weights, kind) for kind in (true, false)]
    above = _placements(scores[0], scores[1], masses[1])
    below: Tensor = 1.0 - _placements(scores[1], scores[0], masses[0])
    auc: Tensor = reduce_sum(above * masses[0]) / reduce_sum(masses[0])
    variance: float = 0.0
    for placement, mass in ((above, masses[0]), (below, masses[1])):
        total: Tensor = reduce_sum(mass)
        squares = reduce_sum(mass * build.Square(placement - auc))
        variance = variance + build.DivNoNan(build.DivNoNan(squares, total - 1.0), total)
    half = np.float32(statistics.NormalDist().inv_cdf((1.0 + alpha) / 2.0))
    deviation: Tensor = build.Sqrt(variance)
    if not logit_transformation:
        return auc, auc - half * deviation, auc + half * deviation
    inner = build.LogicalAnd(build.Greater(auc, 0.0), build.Less(auc, 1.0))
    safe = where_v2(inner, auc, 0.5)
    logit: Tensor = build.Log(safe / (1.0 - safe))
    spread = half * deviation / (safe * (1.0 - safe))
    lower = where_v2(inner, sigmoid(logit - spread), auc)
    return auc, lower, where_v2(inner, sigmoid(logit + spread), auc)


@export("contrib.metrics.auc_with_confidence_intervals")
def auc_with_confidence_intervals(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    alpha: float = 0.95,
    logit_transformation: bool = True,
    metrics_collections: Sequence[str] = (),
    updates_collections: Sequence[str] = (),
    name: str | None = None,
) -> Metric:
    """The area under the ROC curve of all runs of the update, with a confidence interval.

    Args:
        labels: 0 or 1.
        predictions: scores of the same shape.
        weights: what each prediction counts.
        alpha: the probability of the interval.
        logit_transformation: whether the interval is that of the log-odds of the area.
        metrics_collections: collections that get the area.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        A named tuple (auc, lower, upper), zeros as long as all labels are the same, and an op
        that takes the current values in.

    Raises:
        ValueError: if `alpha` is out of range or the shapes do not fit.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.02f}")
    with variable_scope(name, "auc_with_confidence_intervals"):
        if weights is None:
            weights = ones_like(cast(predictions, dtypes.float32))
        labels, predictions, weights = _checked(labels, predictions, weights)
        labels, predictions, weights, updates = _kept(labels, predictions, weights)
        zeros = tuple(np.zeros(3, np.float32))
        found = cond(
            _two_kinds(labels),
            lambda: _auc_interval(labels, predictions, weights, alpha, logit_transformation),
            lambda: tuple(constant(each) for each in zeros),
        )
        update = group(*updates)
        value = AucData(*found)
        return collect(metrics_collections, value), collect(updates_collections, update)
