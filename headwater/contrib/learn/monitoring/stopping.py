"""Monitors that stop training: at a step, at a NaN, or when an evaluation no longer improves."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.contrib.learn.monitoring.base_monitor import BaseMonitor, EveryN, extract_output
from headwater.estimator.estimator import Estimator as CoreEstimator
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.hooks.tensor_hooks import NanLossDuringTrainingError

export(
    "contrib.learn.monitors.NanLossDuringTrainingError", "contrib.learn.NanLossDuringTrainingError"
)(NanLossDuringTrainingError)


@export("contrib.learn.monitors.StopAtStep")
class StopAtStep(BaseMonitor):
    """Stops training at a step.

    Args:
        num_steps: how many steps to train; or None.
        last_step: the global step to stop at; or None.

    Raises:
        ValueError: if both or none is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        super().__init__()
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    @property
    def run_on_all_workers(self) -> bool:
        """True: every worker stops."""
        return True

    def step_begin(self, step: int) -> list[Any]:
        """Finds the last step before the first one.

        Args:
            step: the global step after the step.

        Returns:
            An empty list.
        """
        super().step_begin(step)
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = step + self._num_steps - 1
        return []

    def step_end(self, step: int, output: Mapping[Any, Any]) -> bool:
        """Says whether this was the last step.

        Args:
            step: the global step.
            output: unused.

        Returns:
            Whether training stops.
        """
        super().step_end(step, output)
        assert self._last_step is not None
        return step >= self._last_step


@export("contrib.learn.monitors.NanLoss")
class NanLoss(EveryN):
    """Stops training, or fails, when the loss is NaN.

    Args:
        loss_tensor: the loss.
        every_n_steps: the interval in steps.
        fail_on_nan_loss: whether training fails.
    """

    def __init__(
        self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True
    ) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the loss.

        Args:
            step: the global step after the step.

        Returns:
            The loss, in a list.
        """
        super().every_n_step_begin(step)
        return [self._loss_tensor]

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Looks at the loss.

        Args:
            step: the global step.
            outputs: the value of the loss.

        Returns:
            Whether training stops.

        Raises:
            NanLossDuringTrainingError: if the loss is NaN, and training shall fail.
        """
        super().every_n_step_end(step, outputs)
        if not np.isnan(extract_output(outputs, self._loss_tensor)):
            return False
        message = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            logging.error(message)
            raise NanLossDuringTrainingError
        logging.warning(message)
        return True


@export("contrib.learn.monitors.ValidationMonitor")
class ValidationMonitor(EveryN):
    """Evaluates new checkpoints, and stops training when a metric no longer improves.

    Args:
        x: an array of features; or None.
        y: an array of labels; or None.
        input_fn: a function that returns features and labels, if `x` and `y` are None.
        batch_size: the size of batches of `x` and `y`; or None.
        eval_steps: how many batches; None for all of the input.
        every_n_steps: the interval in steps; an evaluation needs a new checkpoint, too.
        metrics: MetricSpecs by name; or None.
        hooks: SessionRunHooks of evaluations; or None.
        early_stopping_rounds: after how many steps without improvement training stops; or None.
        early_stopping_metric: the name of the metric.
        early_stopping_metric_minimize: whether lower values are better.
        name: the name of the evaluation; or None.
        check_interval_secs: how many seconds pass at least before the next look for a checkpoint;
            or None.

    Raises:
        ValueError: if there is no input.

    Example:
        >>> monitor = tf.contrib.learn.monitors.ValidationMonitor(
        ...     input_fn=lambda: (tf.zeros([1]), tf.zeros([1])), early_stopping_rounds=200)
        >>> print(monitor.early_stopped, monitor.early_stopping_metric)
        False loss
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Any = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self.x = x
        self.y = y
        self.input_fn = input_fn
        self.batch_size = batch_size
        self.eval_steps = eval_steps
        self.metrics = metrics
        self.hooks = hooks
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self.name = name
        self._best_value_step: int | None = None
        self._best_value: Any = None
        self._best_metrics: dict[str, Any] | None = None
        self._early_stopped = False
        self._latest_path: str | None = None
        self._latest_path_step: int | None = None
        self._last_checkpoint_check_time: float | None = None
        self._check_interval_secs = check_interval_secs

    @property
    def early_stopped(self) -> bool:
        """Whether the monitor has stopped training."""
        return self._early_stopped

    @property
    def best_step(self) -> int | None:
        """The step with the best value."""
        return self._best_value_step

    @property
    def best_value(self) -> Any:
        """The best value of the metric."""
        return self._best_value

    @property
    def best_metrics(self) -> dict[str, Any] | None:
        """All metrics of the evaluation with the best value."""
        return self._best_metrics

    def _evaluate_estimator(self) -> Any:
        if not isinstance(self._estimator, CoreEstimator):
            return self._estimator.evaluate(
                x=self.x,
                y=self.y,
                input_fn=self.input_fn,
                batch_size=self.batch_size,
                steps=self.eval_steps,
                metrics=self.metrics,
                hooks=self.hooks,
                name=self.name,
            )
        if any(value is not None for value in (self.x, self.y, self.batch_size, self.metrics)):
            raise ValueError(
                "tf.estimator.Estimator does not support following arguments: x, y, batch_size, "
                "metrics. Should set as `None` in ValidationMonitor"
            )
        return self._estimator.evaluate(
            input_fn=self.input_fn, steps=self.eval_steps, hooks=self.hooks, name=self.name
        )

    def _new_checkpoint(self, step: int) -> str | None:
        """The path of a checkpoint that has not been evaluated, or None."""
        now = time.time()
        last = self._last_checkpoint_check_time
        if (
            self._check_interval_secs is not None
            and last is not None
            and now - last < self._check_interval_secs
        ):
            logging.debug(
                "Skipping evaluation since less than %d seconds have passed since last check for a "
                "new checkpoint.",
                self._check_interval_secs,
            )
            return None
        self._last_checkpoint_check_time = now
        path = latest_checkpoint(self._estimator.model_dir)
        if path is None:
            logging.debug(
                "Skipping evaluation since model has not been saved yet at step %d.", step
            )
        elif path == self._latest_path:
            logging.debug(
                "Skipping evaluation due to same checkpoint %s for step %d as for step %d.",
                path,
                step,
                self._latest_path_step,
            )
            return None
        return path

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Evaluates the latest checkpoint, if it is new.

        Args:
            step: the global step.
            outputs: unused.

        Returns:
            Whether training stops.

        Raises:
            ValueError: if there is no estimator, or its evaluation lacks the metric.
        """
        super().every_n_step_end(step, outputs)
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        path = self._new_checkpoint(step)
        if path is None:
            return False
        self._latest_path, self._latest_path_step = path, step
        results = self._evaluate_estimator()
        shown = ", ".join("%s = %s" % (name, value) for name, value in results.items())  # noqa: UP031
        logging.info("Validation (step %d): %s", step, shown)
        return self.early_stopping_rounds is not None and self._stops(step, results)

    def _stops(self, step: int, results: dict[str, Any]) -> bool:
        """Whether the metric has not improved for too long."""
        if self.early_stopping_metric not in results:
            raise ValueError(
                f"Metric {self.early_stopping_metric} missing from outputs {set(results)}."
            )
        value = results[self.early_stopping_metric]
        if self._best_value is None or (
            value < self._best_value
            if self.early_stopping_metric_minimize
            else value > self._best_value
        ):
            self._best_value = value
            self._best_metrics = copy.deepcopy(results)
            self._best_value_step = step
        assert self._best_value_step is not None and self.early_stopping_rounds is not None
        if step - self._best_value_step < self.early_stopping_rounds:
            return False
        logging.info(
            f"Stopping. Best step: {self._best_value_step} with {self.early_stopping_metric} = "
            f"{self._best_value}."
        )
        self._early_stopped = True
        return True
