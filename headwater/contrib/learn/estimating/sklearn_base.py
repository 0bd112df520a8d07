"""What estimators have in common with those of scikit-learn."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from headwater.base.export import export


@export("contrib.learn.NotFittedError", "contrib.learn.estimators.NotFittedError")
class NotFittedError(ValueError, AttributeError):
    """Raised when a model is used that has not been trained.

    Example:
        >>> issubclass(tf.contrib.learn.NotFittedError, ValueError)
        True
    """


class SklearnEstimator:
    """An estimator whose parameters are its public attributes."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the estimator.

        Args:
            deep: whether those of estimators among the parameters are included.

        Returns:
            Values by name; those of an inner estimator by "name__inner_name".
        """
        found: dict[str, Any] = {}
        public = [name for name in vars(self) if not name.startswith("_")]
        for name in public:
            value = getattr(self, name, None)
            if callable(value):
                continue
            if deep and value is not None and hasattr(value, "get_params"):
                for inner_name, inner in value.get_params().items():
                    found[f"{name}__{inner_name}"] = inner
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Any:
        """Sets parameters of the estimator.

        Args:
            **params: values by name; those of an inner estimator by "name__inner_name".

        Returns:
            This object.

        Raises:
            ValueError: if there is no such parameter.
        """
        if not params:
            return self
        known = self.get_params(deep=True)
        for key, value in params.items():
            name, _, inner_name = key.partition("__")
            if name not in known:
                owner = self if inner_name else type(self).__name__
                raise ValueError(
                    f"Invalid parameter {name} for estimator {owner}. Check the list of available "
                    "parameters with `estimator.get_params().keys()`."
                )
            if inner_name:
                known[name].set_params(**{inner_name: value})
            else:
                setattr(self, key, value)
        return self

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self.get_params(deep=False).items())
        return f"{type(self).__name__}({shown})"


class ClassifierMixin:
    """Marks classifiers."""


class RegressorMixin:
    """Marks regressors."""


class TransformerMixin:
    """Marks transformers."""


def accuracy_score(y_true: Any, y_pred: Any) -> Any:
    """The share of predictions that are right.

    Args:
        y_true: labels.
        y_pred: predictions.

    Returns:
        A number.
    """
    return np.average(y_true == y_pred)


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the squared errors of predictions.

    Args:
        y_true: labels.
        y_pred: predictions.

    Returns:
        A number.
    """
    true, predicted = np.asarray(y_true), np.asarray(y_pred)
    if true.ndim > 1:
        true = np.squeeze(true)
    if predicted.ndim > 1:
        predicted = np.squeeze(predicted)
    return np.average((true - predicted) ** 2)


def train_test_split(*args: Any, **options: Any) -> list[Any]:
    """Divides arrays into random parts for training and testing.

    Args:
        *args: arrays of the same length.
        **options: `test_size` and `train_size`, shares of the rows, and `random_state`, a seed.

    Returns:
        The two parts of the first array, those of the second, ...
    """
    test_size = options.pop("test_size", None)
    train_size = options.pop("train_size", None)
    random_state = options.pop("random_state", None)
    if train_size is None:
        train_size = 1 - (0.25 if test_size is None else test_size)
    count = len(args[0])
    rows = int(train_size * count)
    order = np.random.RandomState(random_state).permutation(count)
    first, second = order[:rows], order[rows:]
    parts = (_both(array, first, second) for array in args)
    return list(itertools.chain.from_iterable(parts))


def _both(array: Any, first: Any, second: Any) -> tuple[Any, Any]:
    array = np.asarray(array)
    return array[first], array[second]
