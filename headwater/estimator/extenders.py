"""add_metrics: more metrics for an Estimator that exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.arguments import fn_args
from headwater.base.export import export
from headwater.estimator.estimator import Estimator
from headwater.estimator.mode_keys import ModeKeys

_ARGUMENTS = {"features", "labels", "predictions", "config"}


@export("estimator.add_metrics", "contrib.estimator.add_metrics")
def add_metrics(estimator: Estimator, metric_fn: Callable[..., dict[str, Any]]) -> Estimator:
    """Makes an Estimator with further metrics.

    Args:
        estimator: the Estimator, which stays as it is.
        metric_fn: a function that has some of the parameters `features`, `labels`, `predictions`
            and `config`, and returns metrics by name; they replace metrics of the same name.

    Returns:
        An Estimator with the same folder.

    Raises:
        ValueError: if the function has other parameters.
    """
    unknown = list(set(fn_args(metric_fn)) - _ARGUMENTS)
    if unknown:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {unknown}")

    def new_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        given = {
            "features": features,
            "labels": labels,
            "predictions": spec.predictions,
            "config": config,
        }
        arguments = {name: given[name] for name in fn_args(metric_fn)}
        metrics = {**(spec.eval_metric_ops or {}), **metric_fn(**arguments)}
        return spec._replace(eval_metric_ops=metrics)

    return Estimator(
        model_fn=new_model_fn,
        model_dir=estimator.model_dir,
        config=estimator.config,
        warm_start_from=estimator._warm_start_settings,
    )
