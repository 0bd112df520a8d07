"""SKCompat: an estimator with the methods of scikit-learn's, which take arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.inputs import get_input_fn
from headwater.contrib.learn.estimating.sklearn_base import SklearnEstimator
from headwater.train.hooks.feeding import FeedFnHook


@export(
    "contrib.learn.SKCompat",
    "contrib.learn.estimators.SKCompat",
    "contrib.learn.estimator.SKCompat",
)
class SKCompat(SklearnEstimator):
    """An estimator with the methods of scikit-learn's, which take arrays.

    Args:
        estimator: an estimator of `tf.contrib.learn`.
    """

    @deprecated(None, "Please switch to the Estimator interface.")
    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: Any = None,
    ) -> SKCompat:
        """Trains from the latest checkpoint on.

        Args:
            x: an array of features, its first dimension the examples.
            y: an array of labels.
            batch_size: the size of batches; or None.
            steps: how many steps to train; or None.
            max_steps: the global step to stop at; or None.
            monitors: monitors and SessionRunHooks; or None.

        Returns:
            This object.
        """
        input_fn, feed_fn = get_input_fn(x, y, None, None, batch_size, shuffle=True, epochs=None)
        hooks: list[Any] = [FeedFnHook(feed_fn)] if feed_fn else []
        self._estimator.fit(
            input_fn=input_fn,
            steps=steps,
            max_steps=max_steps,
            monitors=[*hooks, *(monitors or [])],
        )
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
    ) -> Any:
        """Evaluates the latest checkpoint.

        Args:
            x: an array of features, its first dimension the examples.
            y: an array of labels.
            batch_size: the size of batches; or None.
            steps: how many batches; None for all.
            metrics: MetricSpecs by name; or None.
            name: the name of the evaluation; or None.

        Returns:
            The values of metrics by name.

        Raises:
            ValueError: if `metrics` is not a dict.
        """
        input_fn, feed_fn = get_input_fn(x, y, None, None, batch_size, shuffle=False, epochs=1)
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        results, global_step = self._estimator._evaluate_model(
            input_fn=input_fn, feed_fn=feed_fn, steps=steps, metrics=metrics, name=name
        )
        if results is not None:
            results.update({"global_step": global_step})
        return results

    def predict(
        self, x: Any, batch_size: int | None = 128, outputs: Sequence[str] | None = None
    ) -> Any:
        """Returns the predictions for an array.

        Args:
            x: an array of features, its first dimension the examples.
            batch_size: the size of batches; or None.
            outputs: names of predictions; None for all.

        Returns:
            An array, or arrays by name, their first dimension the examples.
        """
        input_fn, feed_fn = get_input_fn(x, None, None, None, batch_size, shuffle=False, epochs=1)
        batches = list(
            self._estimator._infer_model(
                input_fn=input_fn,
                feed_fn=feed_fn,
                outputs=outputs,
                as_iterable=True,
                iterate_batches=True,
            )
        )
        if not isinstance(batches[0], dict):
            return np.concatenate(batches, axis=0)
        return {
            name: np.concatenate([batch[name] for batch in batches], axis=0) for name in batches[0]
        }
