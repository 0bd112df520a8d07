"""Metrics of true and false predictions at thresholds: counts, precision, recall."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Operation, Tensor, control_dependencies, convert_to_tensor
from headwater.keras.metrics.base import Metric, added, fitting_weights
from headwater.model.squeezing import remove_squeezable_dimensions
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.control.value_checks import assert_greater_equal, assert_less_equal
from headwater.ops.math.cast import cast
from headwater.ops.math.division import divide_no_nan
from headwater.ops.math.logical import logical_and, logical_not
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.top_k import top_k as largest

_LEAST = -1e7  # Below each threshold: what a prediction outside of the top k becomes.


def checked_thresholds(thresholds: Any, default: float) -> list[float]:
    """Thresholds as a list.

    Args:
        thresholds: a number, a list of numbers, or None.
        default: the threshold for None.

    Raises:
        ValueError: if one is outside of [0, 1].
    """
    if thresholds is None:
        return [default]
    found = list(thresholds) if isinstance(thresholds, (list, tuple)) else [thresholds]
    invalid = [t for t in found if t is None or t < 0 or t > 1]
    if invalid:
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {invalid}")
    return found


def count_updates(
    counts: dict[str, Any],
    y_true: TensorLike,
    y_pred: TensorLike,
    thresholds: list[float],
    dtype: Any,
    sample_weight: TensorLike | None = None,
    top_k: int | None = None,
    class_id: int | None = None,
) -> Operation:
    """Makes the op that counts true and false predictions at thresholds.

    Args:
        counts: variables of the length of `thresholds`, by "tp", "tn", "fp" or "fn".
        y_true: the targets, 0 or 1.
        y_pred: the predictions in [0, 1].
        thresholds: what is above counts as 1.
        dtype: the type of the counts.
        sample_weight: weights that fit the predictions; 1 if None.
        top_k: how many of the largest predictions may count as 1; all if None.
        class_id: the one class that is counted; all if None.

    Returns:
        An op.
    """
    y_pred, y_true = _checked(cast(y_pred, dtype)), cast(y_true, dtype)
    y_true, y_pred = remove_squeezable_dimensions(y_true, y_pred)
    if top_k is not None:
        y_pred = _only_largest(y_pred, top_k)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    above = reshape(y_pred, [1, -1]) > expand_dims(convert_to_tensor(thresholds, dtype=dtype), 1)
    positive = reshape(cast(y_true, dtypes.bool_), [1, -1])
    weights = None
    if sample_weight is not None:
        fitting = fitting_weights(cast(sample_weight, dtype), y_pred)
        weights = reshape(broadcast_weights(fitting, y_pred), [1, -1])
    sides = {
        "tp": lambda: logical_and(positive, above),
        "tn": lambda: logical_and(logical_not(positive), logical_not(above)),
        "fp": lambda: logical_and(logical_not(positive), above),
        "fn": lambda: logical_and(positive, logical_not(above)),
    }
    pairs = []
    for side, variable in counts.items():
        found = cast(sides[side](), dtype)
        pairs.append((variable, reduce_sum(found if weights is None else found * weights, 1)))
    return added(pairs)


def _checked(y_pred: Tensor) -> Tensor:
    least, most = cast(0.0, y_pred.dtype), cast(1.0, y_pred.dtype)
    checks = [
        assert_greater_equal(y_pred, least, message="predictions must be >= 0"),
        assert_less_equal(y_pred, most, message="predictions must be <= 1"),
    ]
    with control_dependencies(checks):
        return y_pred + cast(0.0, y_pred.dtype)


def _only_largest(y_pred: Tensor, count: int) -> Tensor:
    places = largest(y_pred, count, sorted=False)[1]
    kept = reduce_sum(one_hot(places, y_pred.shape[-1].value, axis=-1), axis=-2)
    return y_pred * kept + _LEAST * (1 - kept)


class ConditionCount(Metric):
    """How often a condition holds at each threshold.

    Args:
        thresholds: a number or a list of numbers in [0, 1]; 0.5 if None.
        name: the name.
        dtype: the type of the state and of the result.
    """

    _side = ""

    def __init__(
        self, thresholds: Any = None, name: str | None = None, dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = checked_thresholds(thresholds, 0.5)
        self.accumulator = self.add_weight(
            "accumulator", shape=(len(self.thresholds),), initializer="zeros"
        )

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Adds a batch.

        Args:
            y_true: the targets, 0 or 1.
            y_pred: the predictions in [0, 1].
            sample_weight: weights that fit them; 1 if None.

        Returns:
            An op.
        """
        counts = {self._side: self.accumulator}
        return count_updates(
            counts, y_true, y_pred, list(self.thresholds), self._dtype, sample_weight
        )

    def result(self) -> Any:
        """Returns the count; a vector if there are several thresholds."""
        return self.accumulator[0] if len(self.thresholds) == 1 else self.accumulator

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {**super().get_config(), "thresholds": self.init_thresholds}


@export("keras.metrics.TruePositives")
class TruePositives(ConditionCount):
    """How often 1 is predicted for 1."""

    _side = "tp"


@export("keras.metrics.TrueNegatives")
class TrueNegatives(ConditionCount):
    """How often 0 is predicted for 0."""

    _side = "tn"


@export("keras.metrics.FalsePositives")
class FalsePositives(ConditionCount):
    """How often 1 is predicted for 0."""

    _side = "fp"


@export("keras.metrics.FalseNegatives")
class FalseNegatives(ConditionCount):
    """How often 0 is predicted for 1."""

    _side = "fn"


class Ratio(Metric):
    """The share of true positives in true positives and some false predictions.

    Args:
        thresholds: a number or a list of numbers in [0, 1]; 0.5 if None, or any if there is
            `top_k`.
        top_k: how many of the largest predictions may count as 1; all if None.
        class_id: the one class that is counted; all if None.
        name: the name.
        dtype: the type of the state and of the result.
    """

    _side = ""
    _variable = ""

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        self.thresholds = checked_thresholds(thresholds, 0.5 if top_k is None else _LEAST)
        shape = (len(self.thresholds),)
        self.true_positives = self.add_weight("true_positives", shape=shape, initializer="zeros")
        made = self.add_weight(self._variable, shape=shape, initializer="zeros")
        setattr(self, self._variable, made)

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Adds a batch.

        Args:
            y_true: the targets, 0 or 1.
            y_pred: the predictions in [0, 1].
            sample_weight: weights that fit them; 1 if None.

        Returns:
            An op.
        """
        return count_updates(
            {"tp": self.true_positives, self._side: getattr(self, self._variable)},
            y_true,
            y_pred,
            list(self.thresholds),
            self._dtype,
            sample_weight,
            top_k=self.top_k,
            class_id=self.class_id,
        )

    def result(self) -> Any:
        """Returns the share; a vector if there are several thresholds."""
        others = getattr(self, self._variable)
        shares = divide_no_nan(self.true_positives, self.true_positives + others)
        return shares[0] if len(self.thresholds) == 1 else shares

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        own = {
            "thresholds": self.init_thresholds,
            "top_k": self.top_k,
            "class_id": self.class_id,
        }
        return {**super().get_config(), **own}


@export("keras.metrics.Precision")
class Precision(Ratio):
    """The share of right predictions of 1 in all predictions of 1."""

    _side = "fp"
    _variable = "false_positives"


@export("keras.metrics.Recall")
class Recall(Ratio):
    """The share of targets of 1 that are predicted."""

    _side = "fn"
    _variable = "false_negatives"
