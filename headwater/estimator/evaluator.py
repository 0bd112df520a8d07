"""The evaluations of `train_and_evaluate`: after checkpoints, or of a task of its own."""

from __future__ import annotations

import time
from collections import namedtuple
from typing import Any

from headwater.base import logging
from headwater.estimator.specs import EvalSpec
from headwater.graph.graph_keys import GraphKeys
from headwater.io.files import join_path
from headwater.train.hooks.checkpoint_saver import CheckpointSaverListener
from headwater.train.hooks.timers import SecondOrStepTimer

_WARNING_SECONDS = 600


class EvalStatus:
    """Whether there was something to evaluate."""

    EVALUATED = "evaluated"
    MISSING_CHECKPOINT = "missing checkpoint"
    NO_NEW_CHECKPOINT = "no new checkpoint"


class EvalResult(namedtuple("EvalResult", "status metrics checkpoint_path")):
    """The result of an evaluation.

    Args:
        status: a value of EvalStatus.
        metrics: metrics by name, if there was an evaluation.
        checkpoint_path: the path of the evaluated checkpoint, if there was an evaluation.

    Raises:
        ValueError: if metrics or path are given without an evaluation, or are missing.
        TypeError: if the metrics are not a dict.
    """

    def __new__(
        cls, status: str, metrics: Any = None, checkpoint_path: str | None = None
    ) -> EvalResult:
        if status != EvalStatus.EVALUATED:
            if metrics:
                raise ValueError(
                    f"metrics must be `None` if status is not {EvalStatus.EVALUATED}; got status "
                    f"{status}, metrics {metrics}"
                )
            if checkpoint_path:
                raise ValueError(
                    f"checkpoint must be `None` if status is not {EvalStatus.EVALUATED}; got "
                    f"status {status}, checkpoint_path {checkpoint_path}"
                )
            return super().__new__(cls, status, metrics, checkpoint_path)
        if not metrics:
            raise ValueError(
                "Internal error: `Estimator.evaluate` should never return empty metrics."
            )
        if not isinstance(metrics, dict):
            raise TypeError(f"`Estimator.evaluate` should return dict. Given {type(metrics)}.")
        if GraphKeys.GLOBAL_STEP not in metrics:
            raise ValueError(
                "Internal error: `Estimator.evaluate` result should have `global_step` in result. "
                f"Given {metrics}"
            )
        if not checkpoint_path:
            raise ValueError("Internal error: `checkpoint_path` should never be empty.")
        return super().__new__(cls, status, metrics, checkpoint_path)


class ContinuousEvalListener:
    """What is asked before and after evaluations; subclasses can end them."""

    def before_eval(self) -> bool:
        """Whether the next evaluation takes place."""
        return True

    def after_eval(self, eval_result: EvalResult) -> bool:
        """Whether further evaluations follow.

        Args:
            eval_result: the last result.
        """
        return True


class Evaluator:
    """Evaluates new checkpoints, and exports them.

    Args:
        estimator: the Estimator.
        eval_spec: the EvalSpec.
        max_training_steps: the global step of the last export; None if it is unknown.
    """

    def __init__(self, estimator: Any, eval_spec: EvalSpec, max_training_steps: int | None) -> None:
        self._estimator = estimator
        self._eval_spec = eval_spec
        self._is_final_export_triggered = False
        self._previous_ckpt_path: str | None = None
        self._last_warning_time = 0.0
        self._max_training_steps = max_training_steps

    @property
    def is_final_export_triggered(self) -> bool:
        """Whether the last checkpoint has been exported."""
        return self._is_final_export_triggered

    def evaluate_and_export(self) -> tuple[EvalResult, list[Any]]:
        """Evaluates the latest checkpoint, and exports it if the exporters want to.

        Returns:
            (result, what each exporter has returned).
        """
        path = self._estimator.latest_checkpoint()
        if not path:
            self._warn(
                "Estimator is not trained yet. Will start an evaluation when a checkpoint is ready."
            )
            return EvalResult(EvalStatus.MISSING_CHECKPOINT), []
        if path == self._previous_ckpt_path:
            self._warn(
                "No new checkpoint ready for evaluation. Skip the current evaluation pass as "
                "evaluation results are expected to be same for the same checkpoint."
            )
            return EvalResult(EvalStatus.NO_NEW_CHECKPOINT), []
        metrics = self._estimator.evaluate(
            input_fn=self._eval_spec.input_fn,
            steps=self._eval_spec.steps,
            name=self._eval_spec.name,
            checkpoint_path=path,
            hooks=self._eval_spec.hooks,
        )
        result = EvalResult(EvalStatus.EVALUATED, metrics, path)
        limit = self._max_training_steps
        is_final = bool(limit and metrics[GraphKeys.GLOBAL_STEP] >= limit)
        exports = self._export_eval_result(result, is_final)
        if is_final:
            logging.debug("Calling exporter with the `is_the_final_export=True`.")
            self._is_final_export_triggered = True
        self._last_warning_time = 0.0
        self._previous_ckpt_path = path
        return result, exports

    def _warn(self, message: str) -> None:
        now = time.time()
        if now - self._last_warning_time > _WARNING_SECONDS:
            logging.warning(message)
            self._last_warning_time = now

    def _export_eval_result(self, eval_result: EvalResult, is_the_final_export: bool) -> list[Any]:
        folder = join_path(self._estimator.model_dir, "export")
        return [
            exporter.export(
                estimator=self._estimator,
                export_path=join_path(folder, exporter.name),
                checkpoint_path=eval_result.checkpoint_path,
                eval_result=eval_result.metrics,
                is_the_final_export=is_the_final_export,
            )
            for exporter in self._eval_spec.exporters
        ]


class NewCheckpointListener(CheckpointSaverListener):
    """Evaluates after checkpoints of the training, but for the first one.

    Args:
        evaluator: the Evaluator.
        eval_throttle_secs: how many seconds there are between two evaluations at least.
        continuous_eval_listener: a ContinuousEvalListener.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        eval_throttle_secs: float,
        continuous_eval_listener: ContinuousEvalListener,
    ) -> None:
        self._evaluator = evaluator
        self._eval_throttle_secs = eval_throttle_secs
        self._continuous_eval_listener = continuous_eval_listener
        self.eval_result: EvalResult | None = None
        self.export_results: list[Any] | None = None

    def begin(self) -> None:
        """Starts the clock."""
        self._timer = SecondOrStepTimer(every_secs=self._eval_throttle_secs)
        self._is_first_run = True

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Evaluates the new checkpoint, unless the last evaluation was too short ago."""
        # The checkpoint of the initial state.
        if self._is_first_run:
            self._is_first_run = False
            return None
        if not self._continuous_eval_listener.before_eval():
            logging.info(
                "Exiting training and evaluation loop, as requested by "
                "_ContinuousEvalListener.before_eval."
            )
            return True
        if not self._timer.should_trigger_for_step(global_step_value):
            logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._eval_throttle_secs,
            )
            return None
        self._evaluate(global_step_value)
        assert self.eval_result is not None
        if not self._continuous_eval_listener.after_eval(self.eval_result):
            logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.after_eval.")
            return True
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Evaluates the last checkpoint if it has not been."""
        if global_step_value == self._timer.last_triggered_step():
            return
        if self._continuous_eval_listener.before_eval():
            self._evaluate(global_step_value)
            assert self.eval_result is not None
            self._continuous_eval_listener.after_eval(self.eval_result)

    def _evaluate(self, global_step_value: int) -> None:
        self._timer.update_last_triggered_step(global_step_value)
        self.eval_result, self.export_results = self._evaluator.evaluate_and_export()
        if self.eval_result.status != EvalStatus.EVALUATED:
            raise RuntimeError(
                "There was no new checkpoint after the training. Eval status: "
                f"{self.eval_result.status}"
            )
