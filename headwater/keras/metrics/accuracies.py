"""Accuracies as metrics."""

from __future__ import annotations

from headwater.base.export import export
from headwater.base.typing import DTypeLike
from headwater.keras.metrics import functions
from headwater.keras.metrics.base import MeanMetricWrapper


@export("keras.metrics.Accuracy")
class Accuracy(MeanMetricWrapper):
    """How often predictions equal targets.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(self, name: str | None = "accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(functions.accuracy, name, dtype=dtype)


@export("keras.metrics.BinaryAccuracy")
class BinaryAccuracy(MeanMetricWrapper):
    """How often predictions are on the right side of a threshold.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
        threshold: what is above counts as 1.
    """

    def __init__(
        self,
        name: str | None = "binary_accuracy",
        dtype: DTypeLike | None = None,
        threshold: float = 0.5,
    ) -> None:
        super().__init__(functions.binary_accuracy, name, dtype=dtype, threshold=threshold)


@export("keras.metrics.CategoricalAccuracy")
class CategoricalAccuracy(MeanMetricWrapper):
    """How often the largest prediction is where the largest target is.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.categorical_accuracy, name, dtype=dtype)


@export("keras.metrics.SparseCategoricalAccuracy")
class SparseCategoricalAccuracy(MeanMetricWrapper):
    """How often the largest prediction is that of the target's class.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self, name: str | None = "sparse_categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(functions.sparse_categorical_accuracy, name, dtype=dtype)


@export("keras.metrics.TopKCategoricalAccuracy")
class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the largest target is among the k largest predictions.

    Args:
        k: how many predictions count.
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self,
        k: int = 5,
        name: str | None = "top_k_categorical_accuracy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(functions.top_k_categorical_accuracy, name, dtype=dtype, k=k)


@export("keras.metrics.SparseTopKCategoricalAccuracy")
class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the target's class is among the k largest predictions.

    Args:
        k: how many predictions count.
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(functions.sparse_top_k_categorical_accuracy, name, dtype=dtype, k=k)
