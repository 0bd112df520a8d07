"""tensorflow.python.keras.utils.metrics_utils: counts of true and false predictions."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Operation
from headwater.keras.metrics.counts import checked_thresholds, count_updates
from headwater.keras.metrics.curves import AUCCurve, AUCSummationMethod

__all__ = [
    "AUCCurve",
    "AUCSummationMethod",
    "ConfusionMatrix",
    "Reduction",
    "assert_thresholds_range",
    "parse_init_thresholds",
    "update_confusion_matrix_variables",
]


class Reduction(enum.Enum):
    """What a metric makes of its values."""

    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    WEIGHTED_MEAN = "weighted_mean"


class ConfusionMatrix(enum.Enum):
    """The kinds of true and false predictions."""

    TRUE_POSITIVES = "tp"
    FALSE_POSITIVES = "fp"
    TRUE_NEGATIVES = "tn"
    FALSE_NEGATIVES = "fn"


def assert_thresholds_range(thresholds: Sequence[float] | None) -> None:
    """Checks that thresholds are in [0, 1].

    Raises:
        ValueError: if one is not.
    """
    if thresholds is not None:
        checked_thresholds(thresholds, 0.5)


def parse_init_thresholds(thresholds: Any, default_threshold: float = 0.5) -> list[float]:
    """Returns thresholds as a list.

    Args:
        thresholds: a number or a list of numbers in [0, 1]; None for the default.
        default_threshold: the default.

    Raises:
        ValueError: if one is not in [0, 1].
    """
    return checked_thresholds(thresholds, default_threshold)


def update_confusion_matrix_variables(
    variables_to_update: Mapping[ConfusionMatrix, Any] | None,
    y_true: TensorLike,
    y_pred: TensorLike,
    thresholds: Sequence[float],
    top_k: int | None = None,
    class_id: int | None = None,
    sample_weight: TensorLike | None = None,
) -> Operation | None:
    """Makes the op that counts true and false predictions at thresholds.

    Args:
        variables_to_update: variables of the length of `thresholds`.
        y_true: the targets, 0 or 1.
        y_pred: the predictions in [0, 1].
        thresholds: what is above counts as 1.
        top_k: how many of the largest predictions may count as 1; all if None.
        class_id: the one class that is counted; all if None.
        sample_weight: weights that fit the predictions; 1 if None.

    Returns:
        An op; None without variables.

    Raises:
        ValueError: if a key is not a ConfusionMatrix.
    """
    if variables_to_update is None:
        return None
    known = list(ConfusionMatrix)
    given = variables_to_update.keys()
    if not any(key in known for key in given):
        raise ValueError(
            "Please provide at least one valid confusion matrix variable to update. Valid variable "
            f'key options are: "{known}". Received: "{given}"'
        )
    invalid = [key for key in given if key not in known]
    if invalid:
        raise ValueError(f'Invalid keys: {invalid}. Valid variable key options are: "{known}"')
    counts = {key.value: variable for key, variable in variables_to_update.items()}
    dtype = next(iter(counts.values())).dtype.base_dtype
    return count_updates(
        counts, y_true, y_pred, list(thresholds), dtype, sample_weight, top_k, class_id
    )
