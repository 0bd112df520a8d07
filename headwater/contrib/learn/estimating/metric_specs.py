"""MetricSpec: a metric function, and which features, labels and predictions it is given."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export

# The names that arguments of metric functions have; the first is the usual one.
_LABELS = ("labels", "label", "target", "targets")
_PREDICTIONS = ("predictions", "prediction", "logits", "logit")
_WEIGHTS = ("weights", "weight")


def _matching_argument(
    function_name: str, names: Sequence[str], candidates: Sequence[str], is_required: bool
) -> str | None:
    """The parameter of a function that has one of some names; None if there is none.

    Raises:
        ValueError: if there are several, or a required one is missing.
    """
    found = [name for name in candidates if name in names]
    if len(found) > 1:
        raise ValueError(
            f"Ambiguous arguments {set(found)}, must provide only one of {set(candidates)}."
        )
    if found:
        if found[0] != candidates[0]:
            logging.warning(
                "Canonical arg %s missing from %s(%s), using %s.",
                candidates[0],
                function_name,
                names,
                found[0],
            )
        return found[0]
    if is_required:
        raise ValueError(f"{set(candidates)} missing from {function_name}({names}).")
    return None


def _name_of(function: Any) -> str:
    if isinstance(function, functools.partial):
        return _name_of(function.func)
    name: str = getattr(function, "__name__", None) or str(function)
    return name


def _adapted(
    metric_fn: Callable[..., Any], is_labels_required: bool, is_weights_required: bool
) -> Callable[..., Any]:
    """A metric function as a function of labels, predictions and weights, given by name.

    Raises:
        ValueError: if the parameters are ambiguous, or a required one is missing.
    """
    name = _name_of(metric_fn)
    names = fn_args(metric_fn)
    labels_name = _matching_argument(name, names, _LABELS, is_labels_required)
    weights_name = _matching_argument(name, names, _WEIGHTS, is_weights_required)
    predictions_name = _matching_argument(name, names, _PREDICTIONS, False)

    def adapted(
        _sentinel: Any = None, labels: Any = None, predictions: Any = None, weights: Any = None
    ) -> Any:
        if _sentinel is not None:
            raise ValueError(
                "`metric_fn` requires named args: `labels`, `predictions`, and optionally "
                "`weights`."
            )
        named: dict[str, Any] = {}
        if weights is not None and weights_name is not None:
            named[weights_name] = weights
        if predictions_name is not None:
            named[predictions_name] = predictions
            if labels_name is not None:
                named[labels_name] = labels
            return metric_fn(**named)
        if labels_name is None:
            return metric_fn(predictions, **named)
        # The predictions are the first parameter, unless that is the labels.
        if names[0] == labels_name:
            return metric_fn(labels, predictions, **named)
        return metric_fn(predictions, labels, **named)

    return adapted


@export("contrib.learn.MetricSpec", "contrib.learn.metric_spec.MetricSpec")
class MetricSpec:
    """A metric function, and which features, labels and predictions it is given.

    Args:
        metric_fn: a function of `predictions` (or `prediction`, `logits`, `logit`) and, if it has
            them, `labels` (`label`, `target`, `targets`) and `weights` (`weight`), which returns
            the ops of the metric. Functions with other names of parameters get the predictions
            first.
        prediction_key: the name of the prediction; None if there is one only.
        label_key: the name of the labels; None if there are one only.
        weight_key: the name of the feature with the weights; None for no weights.

    Raises:
        ValueError: if the function lacks a parameter for the labels or weights.

    Example:
        >>> spec = tf.contrib.learn.MetricSpec(tf.metrics.accuracy, prediction_key="classes")
        >>> print(spec.prediction_key, spec.label_key)
        classes None
    """

    @deprecated(None, "Use tf.estimator.EstimatorSpec.eval_metric_ops.")
    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        self._metric_fn_name = _name_of(metric_fn)
        self._metric_fn = _adapted(
            metric_fn,
            is_labels_required=label_key is not None,
            is_weights_required=weight_key is not None,
        )
        self._prediction_key = prediction_key
        self._label_key = label_key
        self._weight_key = weight_key

    @property
    def prediction_key(self) -> str | None:
        """The name of the prediction, or None."""
        return self._prediction_key

    @property
    def label_key(self) -> str | None:
        """The name of the labels, or None."""
        return self._label_key

    @property
    def weight_key(self) -> str | None:
        """The name of the feature with the weights, or None."""
        return self._weight_key

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """The metric as a function of `labels`, `predictions` and `weights`, given by name."""
        return self._metric_fn

    def __str__(self) -> str:
        return (
            f"MetricSpec(metric_fn={self._metric_fn_name}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Calls the metric function.

        Args:
            inputs: the features by name; needed for weights.
            labels: a tensor or tensors by name.
            predictions: a tensor or tensors by name.

        Returns:
            What the metric function returns: a tensor, or a pair of value and update op.

        Raises:
            ValueError: if it is not clear which labels or predictions are meant.
            KeyError: if a name is missing.
        """
        weights = inputs[self._weight_key] if self._weight_key else None
        try:
            return self._metric_fn(
                labels=_selected("label", labels, self._label_key),
                predictions=_selected("prediction", predictions, self._prediction_key),
                weights=weights,
            )
        except Exception as error:
            logging.error("Could not create metric ops for %s, %s.", self, error)
            raise


def _selected(kind: str, value: Any, key: str | None) -> Any:
    """The tensor of a name; the only one if there is no name."""
    if key:
        if not isinstance(value, dict):
            raise ValueError(
                f"MetricSpec with {kind}_key specified requires {kind}s dict, got {value}.\nYou "
                f"must not provide a {kind}_key if you only have a single Tensor as {kind}s."
            )
        if key not in value:
            raise KeyError(f"Key '{key}' missing from {value.keys()}.")
        return value[key]
    if not isinstance(value, dict):
        return value
    if len(value) > 1:
        raise ValueError(
            f"MetricSpec without specified {kind}_key requires {kind}s tensor or single element "
            f"dict, got {value}"
        )
    return next(iter(value.values()))


def make_metrics_ops(metrics: Any, features: Any, labels: Any, predictions: Any) -> dict[str, Any]:
    """Makes the ops of metrics.

    Args:
        metrics: MetricSpecs by name; or functions of predictions and labels by name, or by pairs
            of name and name of the prediction.
        features: a tensor or tensors by name.
        labels: a tensor or tensors by name.
        predictions: a tensor or tensors by name.

    Returns:
        What the metric functions return, by name.

    Raises:
        ValueError: if it is not clear which predictions are meant.
    """
    metrics = metrics or {}
    only_labels = labels
    if isinstance(labels, dict) and len(labels) == 1:
        only_labels = next(iter(labels.values()))
    result: dict[str, Any] = {}
    # Names may be tuples and texts.
    for name, metric in sorted(metrics.items(), key=lambda item: str(item[0])):
        if isinstance(metric, MetricSpec):
            result[name] = metric.create_metric_ops(features, labels, predictions)
            continue
        logging.warning(
            "Please specify metrics using MetricSpec. Using bare functions or (key, fn) tuples is "
            "deprecated and support for it will be removed on Oct 1, 2016."
        )
        if not isinstance(name, tuple):
            if isinstance(predictions, dict):
                raise ValueError(
                    "Metrics passed provide only name, no prediction, but predictions are dict. "
                    f"Metrics: {metrics}, Labels: {only_labels}."
                )
            result[name] = metric(predictions, only_labels)
            continue
        if len(name) != 2:
            raise ValueError(
                f"Invalid metric for {name}. It returned a tuple with len {len(name)}, expected 2."
            )
        if not isinstance(predictions, dict):
            raise ValueError(
                "Metrics passed provide (name, prediction), but predictions are not dict. "
                f"Metrics: {metrics}, Predictions: {predictions}."
            )
        chosen = only_labels
        if isinstance(labels, dict) and name[1] in labels:
            chosen = labels[name[1]]
        result[name[0]] = metric(predictions[name[1]], chosen)
    return result
