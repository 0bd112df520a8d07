"""train_and_evaluate: training with evaluations and exports in between."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.estimator.estimator import Estimator
from headwater.estimator.executor import TrainingExecutor
from headwater.estimator.specs import EvalSpec, TrainSpec
from headwater.estimator.task_config import TaskType


@export("estimator.train_and_evaluate")
def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Trains an Estimator, and evaluates and exports it after checkpoints.

    Args:
        estimator: the Estimator.
        train_spec: a TrainSpec.
        eval_spec: an EvalSpec.

    Returns:
        The last metrics, and what each exporter has returned.

    Raises:
        TypeError: if something has the wrong type.
        ValueError: if the environment variable TF_CONFIG is not valid.
    """
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(
            f"`eval_spec` must have type `tf.estimator.EvalSpec`. Got: {type(eval_spec)}"
        )
    executor = TrainingExecutor(estimator, train_spec, eval_spec)
    logging.info("Not using Distribute Coordinator.")
    config = estimator.config
    if config.task_type == TaskType.EVALUATOR and config.task_id > 0:
        raise ValueError(
            "For distributed training, there can only be one `evaluator` task (with task id 0).  "
            f"Given task id {config.task_id}"
        )
    return executor.run()
