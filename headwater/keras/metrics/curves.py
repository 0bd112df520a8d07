"""Metrics of curves over thresholds: AUC, sensitivity at a specificity and the reverse."""

from __future__ import annotations

import enum
from typing import Any

from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.settings import epsilon
from headwater.keras.metrics.base import Metric
from headwater.keras.metrics.counts import count_updates
from headwater.ops.array.fill import ones_like
from headwater.ops.math.arg_extrema import argmin
from headwater.ops.math.cast import cast
from headwater.ops.math.division import divide_no_nan
from headwater.ops.math.exponential import log
from headwater.ops.math.extrema import maximum, minimum
from headwater.ops.math.logical import logical_and
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.select import where
from headwater.ops.math.sign import absolute as absolute


class AUCCurve(enum.Enum):
    """The curves below which there is an area."""

    ROC = "ROC"
    PR = "PR"

    @staticmethod
    def from_str(key: str) -> AUCCurve:
        """The curve of a name.

        Raises:
            ValueError: if the name is unknown.
        """
        if key in ("pr", "PR"):
            return AUCCurve.PR
        if key in ("roc", "ROC"):
            return AUCCurve.ROC
        raise ValueError(f'Invalid AUC curve value "{key}".')


class AUCSummationMethod(enum.Enum):
    """The heights of the rectangles whose areas are added."""

    INTERPOLATION = "interpolation"
    MAJORING = "majoring"
    MINORING = "minoring"

    @staticmethod
    def from_str(key: str) -> AUCSummationMethod:
        """The method of a name.

        Raises:
            ValueError: if the name is unknown.
        """
        for method in AUCSummationMethod:
            if key in (method.value, method.value.capitalize()):
                return method
        raise ValueError(f'Invalid AUC summation method value "{key}".')


def _evenly_spaced(count: int) -> list[float]:
    """The thresholds between the ends 0 and 1, which are counted."""
    return [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]


class _ThresholdCurve(Metric):
    """The base of metrics of true and false predictions at many thresholds.

    Args:
        thresholds: a sorted list.
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(self, thresholds: list[float], name: str | None, dtype: DTypeLike | None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.thresholds = thresholds
        shape = (len(thresholds),)
        self.true_positives = self.add_weight("true_positives", shape=shape, initializer="zeros")
        self.true_negatives = self.add_weight("true_negatives", shape=shape, initializer="zeros")
        self.false_positives = self.add_weight("false_positives", shape=shape, initializer="zeros")
        self.false_negatives = self.add_weight("false_negatives", shape=shape, initializer="zeros")

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
        counts = {
            "tp": self.true_positives,
            "tn": self.true_negatives,
            "fp": self.false_positives,
            "fn": self.false_negatives,
        }
        return count_updates(
            counts, y_true, y_pred, list(self.thresholds), self._dtype, sample_weight
        )


@export("keras.metrics.AUC")
class AUC(_ThresholdCurve):
    """The area below a curve, as a sum of rectangles between thresholds.

    Args:
        num_thresholds: the number of thresholds, with both ends.
        curve: "ROC" (recall over false positive rate) or "PR" (precision over recall).
        summation_method: "interpolation" (the middle of both ends; for "PR" the interpolation of
            true positives), "minoring" or "majoring" (the lower or higher end).
        name: the name.
        dtype: the type of the state and of the result.
        thresholds: the thresholds without the ends 0 and 1; evenly spaced if None.

    Raises:
        ValueError: if there are too few thresholds, one is outside of [0, 1], or a name is unknown.

    Source: J. Davis, M. Goadrich, "The Relationship Between Precision-Recall and ROC Curves", 2006.
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: Any = "ROC",
        summation_method: Any = "interpolation",
        name: str | None = None,
        dtype: DTypeLike | None = None,
        thresholds: Any = None,
    ) -> None:
        if thresholds is not None:
            num_thresholds = len(thresholds) + 2
            thresholds = sorted(thresholds)
        else:
            if num_thresholds <= 1:
                raise ValueError("`num_thresholds` must be > 1.")
            thresholds = _evenly_spaced(num_thresholds)
        ends = 0.0 - epsilon(), 1.0 + epsilon()
        self.num_thresholds = num_thresholds
        self.curve = curve if isinstance(curve, AUCCurve) else AUCCurve.from_str(curve)
        self.summation_method = (
            summation_method
            if isinstance(summation_method, AUCSummationMethod)
            else AUCSummationMethod.from_str(summation_method)
        )
        super().__init__([ends[0], *thresholds, ends[1]], name, dtype)

    def interpolate_pr_auc(self) -> Tensor:
        """The area below the curve of precision over recall, with true positives interpolated."""
        tp, fp, fn = self.true_positives, self.false_positives, self.false_negatives
        last = self.num_thresholds - 1
        tp_step = tp[:last] - tp[1:]
        positive = tp + fp
        step = positive[:last] - positive[1:]
        slope = divide_no_nan(tp_step, maximum(step, 0), name="prec_slope")
        intercept = tp[1:] - slope * positive[1:]
        both = logical_and(positive[:last] > 0, positive[1:] > 0)
        ratio = where(
            both,
            divide_no_nan(positive[:last], maximum(positive[1:], 0), name="recall_relative_ratio"),
            ones_like(positive[1:]),
        )
        areas = slope * (tp_step + intercept * log(ratio))
        total = maximum(tp[1:] + fn[1:], 0)
        return reduce_sum(
            divide_no_nan(areas, total, name="pr_auc_increment"), name="interpolate_pr_auc"
        )

    def result(self) -> Any:
        """Returns the area."""
        method = self.summation_method
        if self.curve is AUCCurve.PR and method is AUCSummationMethod.INTERPOLATION:
            return self.interpolate_pr_auc()
        tp, fp = self.true_positives, self.false_positives
        recall = divide_no_nan(tp, tp + self.false_negatives)
        if self.curve is AUCCurve.ROC:
            x, y = divide_no_nan(fp, fp + self.true_negatives), recall
        else:
            x, y = recall, divide_no_nan(tp, tp + fp)
        last = self.num_thresholds - 1
        if method is AUCSummationMethod.INTERPOLATION:
            heights = (y[:last] + y[1:]) / 2.0
        elif method is AUCSummationMethod.MINORING:
            heights = minimum(y[:last], y[1:])
        else:
            heights = maximum(y[:last], y[1:])
        return reduce_sum((x[:last] - x[1:]) * heights, name=self.name)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": self.curve.value,
            "summation_method": self.summation_method.value,
            "thresholds": list(self.thresholds[1:-1]),
        }


class _AtOperatingPoint(_ThresholdCurve):
    """The base of the metrics of one ratio where another one has a value.

    Args:
        value: the value of the other ratio.
        num_thresholds: the number of thresholds, with both ends.
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, value: float, num_thresholds: int, name: str | None, dtype: DTypeLike | None
    ) -> None:
        if num_thresholds <= 0:
            raise ValueError("`num_thresholds` must be > 0.")
        self.value = value
        self.num_thresholds = num_thresholds
        single = num_thresholds == 1
        thresholds = [0.5] if single else [0.0, *_evenly_spaced(num_thresholds), 1.0]
        super().__init__(thresholds, name, dtype)

    def _at(self, found: Tensor, hits: Any, misses: Any) -> Tensor:
        """A ratio at the threshold where another one is closest to the value."""
        place = cast(argmin(absolute(found - self.value), axis=0), "int32")
        return divide_no_nan(hits[place], hits[place] + misses[place], name=self.name)


@export("keras.metrics.SensitivityAtSpecificity")
class SensitivityAtSpecificity(_AtOperatingPoint):
    """The share of positives that are found at the threshold that gives a specificity.

    Args:
        specificity: the share of negatives that are to be found, in [0, 1].
        num_thresholds: the number of thresholds.
        name: the name.
        dtype: the type of the state and of the result.

    Raises:
        ValueError: if the specificity or the number is out of range.
    """

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if specificity < 0 or specificity > 1:
            raise ValueError("`specificity` must be in the range [0, 1].")
        self.specificity = specificity
        super().__init__(specificity, num_thresholds, name, dtype)

    def result(self) -> Any:
        """Returns the sensitivity."""
        specificities = divide_no_nan(
            self.true_negatives, self.true_negatives + self.false_positives
        )
        return self._at(specificities, self.true_positives, self.false_negatives)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        own = {"num_thresholds": self.num_thresholds, "specificity": self.specificity}
        return {**super().get_config(), **own}


@export("keras.metrics.SpecificityAtSensitivity")
class SpecificityAtSensitivity(_AtOperatingPoint):
    """The share of negatives that are found at the threshold that gives a sensitivity.

    Args:
        sensitivity: the share of positives that are to be found, in [0, 1].
        num_thresholds: the number of thresholds.
        name: the name.
        dtype: the type of the state and of the result.

    Raises:
        ValueError: if the sensitivity or the number is out of range.
    """

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if sensitivity < 0 or sensitivity > 1:
            raise ValueError("`sensitivity` must be in the range [0, 1].")
        self.sensitivity = sensitivity
        super().__init__(sensitivity, num_thresholds, name, dtype)

    def result(self) -> Any:
        """Returns the specificity."""
        sensitivities = divide_no_nan(
            self.true_positives, self.true_positives + self.false_negatives
        )
        return self._at(sensitivities, self.true_negatives, self.false_positives)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        own = {"num_thresholds": self.num_thresholds, "sensitivity": self.sensitivity}
        return {**super().get_config(), **own}
