"""Classifiers and regressors with the interface of scikit-learn."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.keras.engine.sequential import Sequential
from headwater.keras.utils.arrays import to_categorical


def _takes(function: Callable[..., Any], name: str) -> bool:
    return name in inspect.signature(function).parameters


class _Estimator:
    """A model that a function builds, with the interface of scikit-learn.

    Args:
        build_fn: a function that returns a compiled model; a subclass may be callable instead.
        **sk_params: arguments of `build_fn`, `fit`, `predict` and `evaluate`.
    """

    def __init__(self, build_fn: Any = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def _builder(self) -> Callable[..., Any]:
        if self.build_fn is None:
            # A subclass builds its model when it is called.
            builder: Callable[..., Any] = getattr(self, "__call__")  # noqa: B004, B009
        elif not inspect.isfunction(self.build_fn) and not inspect.ismethod(self.build_fn):
            builder = self.build_fn.__call__
        else:
            builder = self.build_fn
        return builder

    def check_params(self, params: dict[str, Any]) -> None:
        """Checks the names of arguments.

        Args:
            params: the arguments.

        Raises:
            ValueError: if nothing takes one of them.
        """
        known: list[Callable[..., Any]] = [
            Sequential.fit,
            Sequential.predict,
            Sequential.predict_classes,
            Sequential.evaluate,
            self._builder(),
        ]
        for name in params:
            if name != "nb_epoch" and not any(_takes(function, name) for function in known):
                raise ValueError(f"{name} is not a legal parameter")

    def get_params(self, **params: Any) -> dict[str, Any]:
        """The arguments of the constructor.

        Args:
            **params: accepted.
        """
        return {**copy.deepcopy(self.sk_params), "build_fn": self.build_fn}

    def set_params(self, **params: Any) -> Any:
        """Sets arguments.

        Args:
            **params: the arguments.

        Returns:
            This object.
        """
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def filter_sk_params(
        self, fn: Callable[..., Any], override: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The arguments that a function takes.

        Args:
            fn: the function.
            override: arguments that replace those of the constructor.
        """
        found = {name: value for name, value in self.sk_params.items() if _takes(fn, name)}
        return {**found, **(override or {})}

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Builds the model and trains it.

        Args:
            x: the inputs.
            y: the targets.
            **kwargs: arguments of `Sequential.fit`.

        Returns:
            A History.
        """
        builder = self._builder()
        self.model = builder(**self.filter_sk_params(builder))
        loss = self.model.loss
        name = getattr(loss, "__name__", loss)
        if name == "categorical_crossentropy" and len(y.shape) != 2:
            y = to_categorical(y)
        arguments = copy.deepcopy(self.filter_sk_params(Sequential.fit))
        return self.model.fit(x, y, **{**arguments, **kwargs})


@export("keras.wrappers.scikit_learn.KerasClassifier")
class KerasClassifier(_Estimator):
    """A classifier; see the arguments of `KerasRegressor`.

    Args:
        build_fn: a function that returns a compiled model.
        **sk_params: arguments of `build_fn`, `fit`, `predict` and `evaluate`.
    """

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Builds the model and trains it.

        Args:
            x: the inputs.
            y: the classes, of any values, or one-hot rows.
            **kwargs: arguments of `Sequential.fit`.

        Returns:
            A History.

        Raises:
            ValueError: if the shape of `y` is neither.
        """
        y = np.array(y)
        if len(y.shape) == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif len(y.shape) == 1 or (len(y.shape) == 2 and y.shape[1] == 1):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError("Invalid shape for y: " + str(y.shape))
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Array:
        """The classes of examples.

        Args:
            x: the inputs.
            **kwargs: arguments of `Sequential.predict_classes`.

        Returns:
            An array of classes.
        """
        kwargs = self.filter_sk_params(Sequential.predict_classes, kwargs)
        found: Array = self.classes_[self.model.predict_classes(x, **kwargs)]
        return found

    def predict_proba(self, x: Any, **kwargs: Any) -> Array:
        """The probabilities of classes.

        Args:
            x: the inputs.
            **kwargs: arguments of `Sequential.predict_proba`.

        Returns:
            An array of shape (examples, classes).
        """
        kwargs = self.filter_sk_params(Sequential.predict_proba, kwargs)
        found: Array = self.model.predict(x, **kwargs)
        # One output is the probability of the second class.
        return np.hstack([1 - found, found]) if found.shape[1] == 1 else found

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """The accuracy.

        Args:
            x: the inputs.
            y: the classes.
            **kwargs: arguments of `Sequential.evaluate`.

        Raises:
            ValueError: if the model has no metric "accuracy".
        """
        y = np.searchsorted(self.classes_, y)
        kwargs = self.filter_sk_params(Sequential.evaluate, kwargs)
        loss = getattr(self.model.loss, "__name__", self.model.loss)
        if loss == "categorical_crossentropy" and len(y.shape) != 2:
            y = to_categorical(y)
        outputs = self.model.evaluate(x, y, **kwargs)
        outputs = outputs if isinstance(outputs, list) else [outputs]
        for name, output in zip(self.model.metrics_names, outputs):
            if name in ("accuracy", "acc"):
                return float(output)
        raise ValueError(
            "The model is not configured to compute accuracy. You should pass "
            '`metrics=["accuracy"]` to the `model.compile()` method.'
        )


@export("keras.wrappers.scikit_learn.KerasRegressor")
class KerasRegressor(_Estimator):
    """A regressor with the interface of scikit-learn.

    Args:
        build_fn: a function that returns a compiled model.
        **sk_params: arguments of `build_fn`, `fit`, `predict` and `evaluate`.
    """

    def predict(self, x: Any, **kwargs: Any) -> Array:
        """The values of examples.

        Args:
            x: the inputs.
            **kwargs: arguments of `Sequential.predict`.

        Returns:
            An array.
        """
        kwargs = self.filter_sk_params(Sequential.predict, kwargs)
        return np.squeeze(self.model.predict(x, **kwargs))

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """The loss with a minus sign: the greater the better.

        Args:
            x: the inputs.
            y: the targets.
            **kwargs: arguments of `Sequential.evaluate`.
        """
        kwargs = self.filter_sk_params(Sequential.evaluate, kwargs)
        loss = self.model.evaluate(x, y, **kwargs)
        return -float(loss[0] if isinstance(loss, list) else loss)
