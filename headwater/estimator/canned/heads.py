"""The heads of canned estimators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.estimator.head.base import _Head
from headwater.estimator.head.binary import binary_logistic_head
from headwater.estimator.head.multi_class import multi_class_softmax_head


def classifier_head(
    n_classes: int,
    weight_column: Any,
    label_vocabulary: Sequence[str] | None,
    loss_reduction: str,
) -> _Head:
    """The head of a classifier.

    Args:
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one.

    Returns:
        A head.
    """
    if n_classes == 2:
        return binary_logistic_head(
            weight_column=weight_column,
            label_vocabulary=label_vocabulary,
            loss_reduction=loss_reduction,
        )
    return multi_class_softmax_head(
        n_classes,
        weight_column=weight_column,
        label_vocabulary=label_vocabulary,
        loss_reduction=loss_reduction,
    )


def check_features(features: Any) -> None:
    """Checks that features are by name.

    Raises:
        ValueError: if they are not.
    """
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


def check_units(units: Any) -> None:
    """Checks that the number of logits is an int.

    Raises:
        ValueError: if it is not.
    """
    if not isinstance(units, int):
        raise ValueError(f"units must be an int.  Given type: {type(units)}")
