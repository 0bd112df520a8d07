"""tensorflow.contrib.learn.python.learn.estimators.estimator_test_utils."""

from __future__ import annotations

from typing import Any

from headwater.contrib.learn.estimating.interfaces import Evaluable, Trainable

__all__ = ["assert_estimator_contract", "assert_in_range"]


def assert_estimator_contract(tester: Any, estimator_class: type) -> None:
    """Asserts that a class has the methods of an estimator.

    Args:
      tester: a TestCase.
      estimator_class: the class.
    """
    for interface in (Evaluable, Trainable):
        tester.assertTrue(issubclass(estimator_class, interface))


def assert_in_range(min_value: float, max_value: float, key: str, metrics: Any) -> None:
    """Checks that a metric is between two numbers.

    Args:
      min_value: the least value.
      max_value: the largest value.
      key: the name of the metric.
      metrics: the metrics by name.

    Raises:
      ValueError: if it is not.
    """
    actual_value = metrics[key]
    if actual_value < min_value:
        raise ValueError(f"{key}: {actual_value} < {min_value}.")
    if actual_value > max_value:
        raise ValueError(f"{key}: {actual_value} > {max_value}.")
