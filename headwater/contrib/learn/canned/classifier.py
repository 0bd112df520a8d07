"""Classifier of release 0.12: an Estimator of a function that computes probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.metric_specs import MetricSpec
from headwater.contrib.metrics.renamed import streaming_accuracy
from headwater.ops.math.arg_extrema import argmax


@export(
    "contrib.learn.Classifier",
    "contrib.learn.classifier.Classifier",
    "contrib.learn.estimators.Classifier",
)
class Classifier(Estimator):
    """A classifier of a model function that returns probabilities.

    Args:
        model_fn: a function of features, labels and mode, and of `params` if there are some, which
            returns the probabilities ``[batch, n_classes]``, the loss and the op that trains.
        n_classes: the number of classes.
        model_dir: the folder of checkpoints and event files; or None.
        config: a RunConfig; or None.
        params: hyperparameters for the model function; or None.
        feature_engineering_fn: a function of features and labels; or None.
    """

    CLASS_OUTPUT = "classes"
    PROBABILITY_OUTPUT = "probabilities"

    @deprecated("2016-11-30", "Please use Estimator directly.")
    def __init__(
        self,
        model_fn: Callable[..., Any],
        n_classes: int,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        self._n_classes = n_classes
        self._logits_fn = model_fn
        super().__init__(
            model_fn=self._model_with_params if params else self._model,
            model_dir=model_dir,
            config=config,
            params=params,
            feature_engineering_fn=feature_engineering_fn,
        )

    def _model(self, features: Any, labels: Any, mode: str) -> Any:
        return self._with_classes(*self._logits_fn(features, labels, mode))

    def _model_with_params(self, features: Any, labels: Any, mode: str, params: Any) -> Any:
        return self._with_classes(*self._logits_fn(features, labels, mode, params))

    def _with_classes(self, probabilities: Any, loss: Any, train_op: Any) -> Any:
        predictions = {
            self.CLASS_OUTPUT: argmax(probabilities, 1),
            self.PROBABILITY_OUTPUT: probabilities,
        }
        return predictions, loss, train_op

    def evaluate(  # type: ignore[override]  # release 0.12 has fewer parameters
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        **arguments: Any,
    ) -> Any:
        """Evaluates a checkpoint; the metric is the accuracy by default. See Estimator."""
        accuracy = MetricSpec(streaming_accuracy, prediction_key=self.CLASS_OUTPUT)
        return super().evaluate(
            x=x,
            y=y,
            input_fn=input_fn,
            feed_fn=feed_fn,
            batch_size=batch_size,
            steps=steps,
            metrics=metrics or {"accuracy": accuracy},
            name=name,
            **arguments,
        )

    def _output(self, key: str, x: Any, input_fn: Any, batch_size: Any, as_iterable: bool) -> Any:
        found = super().predict(
            x=x, input_fn=input_fn, batch_size=batch_size, outputs=[key], as_iterable=as_iterable
        )
        return (prediction[key] for prediction in found) if as_iterable else found[key]

    def predict(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the classes of examples.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            as_iterable: whether classes come example by example, or in an array.

        Returns:
            An iterator of ints, or an array.
        """
        return self._output(self.CLASS_OUTPUT, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the probabilities of the classes of examples.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            as_iterable: whether they come example by example, or in an array.

        Returns:
            An iterator of arrays ``[n_classes]``, or an array ``[examples, n_classes]``.
        """
        return self._output(self.PROBABILITY_OUTPUT, x, input_fn, batch_size, as_iterable)
