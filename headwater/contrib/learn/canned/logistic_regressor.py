"""LogisticRegressor: a model function of probabilities, with their metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.keys import MetricKey, ModeKeys, ProblemType
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.contrib.learn.notices import ESTIMATOR
from headwater.graph import Tensor
from headwater.model.metrics.counts import precision, recall
from headwater.model.metrics.means import accuracy, mean
from headwater.model.metrics.thresholds import auc
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater_equal


def _logistic_metrics(
    labels: Any, predictions: Tensor, thresholds: Sequence[float]
) -> dict[str, Any]:
    if isinstance(labels, dict) and len(labels) == 1:
        (labels,) = labels.values()
    metrics = {
        MetricKey.PREDICTION_MEAN: mean(predictions),
        MetricKey.LABEL_MEAN: mean(labels),
        # What always predicting the mean would reach.
        MetricKey.ACCURACY_BASELINE: mean(labels),
        MetricKey.AUC: auc(labels=labels, predictions=predictions),
    }
    for threshold in thresholds:
        above = cast(
            greater_equal(predictions, threshold),
            dtypes.float32,
            name=f"predictions_at_threshold_{threshold:f}",
        )
        metrics[MetricKey.ACCURACY_MEAN % threshold] = accuracy(labels, above)
        metrics[MetricKey.PRECISION_MEAN % threshold] = precision(labels, above)
        metrics[MetricKey.RECALL_MEAN % threshold] = recall(labels, above)
    return metrics


@export("contrib.learn.LogisticRegressor", "contrib.learn.estimators.LogisticRegressor")
@deprecated(None, ESTIMATOR)
def LogisticRegressor(
    model_fn: Callable[..., Any],
    thresholds: Sequence[float] | None = None,
    model_dir: str | None = None,
    config: Any = None,
    feature_engineering_fn: Any = None,
) -> Estimator:
    """Returns an estimator of probabilities, with the metrics of a binary classifier.

    Args:
        model_fn: a function of features, labels and mode that returns predictions of
            probabilities, the loss and the op that trains.
        thresholds: where probabilities become classes, for metrics; 0.5 if None.
        model_dir: the folder of checkpoints; or None.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.

    Returns:
        An Estimator.
    """

    def with_metrics(
        features: Any, labels: Any, mode: str, params: Mapping[str, Any]
    ) -> ModelFnOps:
        predictions, loss, train_op = model_fn(features, labels, mode)
        metrics = None
        if mode == ModeKeys.EVAL:
            metrics = _logistic_metrics(labels, predictions, params["thresholds"] or [0.5])
        return ModelFnOps(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            output_alternatives={
                "head": (ProblemType.LOGISTIC_REGRESSION, {"predictions": predictions})
            },
        )

    return Estimator(
        model_fn=with_metrics,
        model_dir=model_dir,
        config=config,
        params={"thresholds": thresholds},
        feature_engineering_fn=feature_engineering_fn,
    )
