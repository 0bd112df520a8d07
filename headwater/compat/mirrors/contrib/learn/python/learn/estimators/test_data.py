"""tensorflow.contrib.learn.python.learn.estimators.test_data: the iris data as input functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import Array
from headwater.data.catalogue.csv_tables import Dataset, load_iris
from headwater.graph import Tensor
from headwater.ops.array.constant import constant

__all__ = [
    "get_quantile_based_buckets",
    "iris_input_logistic_fn",
    "iris_input_multiclass_fn",
    "prepare_iris_data_for_logistic_regression",
]


def get_quantile_based_buckets(feature_values: Array, num_buckets: int) -> list[float]:
    """The boundaries between buckets of about as many values each.

    Args:
      feature_values: the values.
      num_buckets: the number of boundaries.

    Returns:
      The boundaries in ascending order.
    """
    shares = np.arange(1, num_buckets + 1) / (num_buckets + 1)
    return [float(np.percentile(feature_values, 100 * share)) for share in shares]


def prepare_iris_data_for_logistic_regression() -> Dataset:
    """Returns the examples of the first two classes."""
    iris = load_iris()
    kept = np.flatnonzero((iris.target == 0) | (iris.target == 1))
    return Dataset(data=iris.data[kept], target=iris.target[kept])


def iris_input_logistic_fn() -> tuple[dict[str, Tensor], Tensor]:
    """Returns features and labels of the first two classes."""
    return _input(prepare_iris_data_for_logistic_regression())


def iris_input_multiclass_fn() -> tuple[dict[str, Tensor], Tensor]:
    """Returns features and labels of all classes."""
    return _input(load_iris())


def _input(iris: Dataset) -> tuple[dict[str, Tensor], Tensor]:
    labels: Sequence[int] = iris.target
    features = {"feature": constant(iris.data, dtype=dtypes.float32)}
    return features, constant(np.reshape(labels, [-1, 1]), dtype=dtypes.int32)
