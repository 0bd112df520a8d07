"""The tasks of `train_and_evaluate`: local training, and the tasks of a cluster."""

from __future__ import annotations

import time
from typing import Any

from headwater.base import logging
from headwater.estimator.cluster import has_servers_already, is_alone, start_server
from headwater.estimator.estimator import Estimator
from headwater.estimator.evaluator import (
    ContinuousEvalListener,
    EvalResult,
    EvalStatus,
    Evaluator,
    NewCheckpointListener,
)
from headwater.estimator.specs import EvalSpec, TrainSpec
from headwater.estimator.task_config import TaskType, has_own_variables
from headwater.graph.graph_keys import GraphKeys
from headwater.train.hooks.session_run_hook import SessionRunHook

_MAX_DELAY_SECS = 60
_DELAY_SECS_PER_WORKER = 5


class TrainingExecutor:
    """Trains and evaluates an Estimator as the task that this process is.

    Args:
        estimator: the Estimator.
        train_spec: the TrainSpec.
        eval_spec: the EvalSpec; or None.
        train_hooks: further SessionRunHooks for training; or None.
        continuous_eval_listener: a ContinuousEvalListener; or None.

    Raises:
        TypeError: if something has the wrong type.
    """

    _Evaluator = Evaluator

    def __init__(
        self,
        estimator: Estimator,
        train_spec: TrainSpec,
        eval_spec: EvalSpec | None,
        train_hooks: Any = None,
        continuous_eval_listener: ContinuousEvalListener | None = None,
    ) -> None:
        for value, kind, message in (
            (estimator, Estimator, "`estimator` must have type `tf.estimator.Estimator`."),
            (train_spec, TrainSpec, "`train_spec` must have type `tf.estimator.TrainSpec`."),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"{message} Got: {type(value)}")
        if eval_spec is not None and not isinstance(eval_spec, EvalSpec):
            raise TypeError(
                "`eval_spec` must be either `None` or have type `tf.estimator.EvalSpec`. Got: "
                f"{type(eval_spec)}"
            )
        self._train_hooks = _checked_hooks(train_hooks)
        if continuous_eval_listener and not isinstance(
            continuous_eval_listener, ContinuousEvalListener
        ):
            raise TypeError("`continuous_eval_listener` must have type `_ContinuousEvalListener`.")
        self._estimator = estimator
        self._train_spec = train_spec
        self._eval_spec: Any = eval_spec
        self._continuous_eval_listener = continuous_eval_listener or ContinuousEvalListener()

    @property
    def estimator(self) -> Estimator:
        """The Estimator."""
        return self._estimator

    def run(self) -> Any:
        """Runs the task that the configuration of the Estimator names.

        Returns:
            For local training the last metrics and what the exporters have returned.

        Raises:
            ValueError: if there is no such task.
        """
        config = self._estimator.config
        if has_own_variables(config.train_distribute) and config.num_worker_replicas > 1:
            logging.info("Running training together with the other workers.")
            return self._train()
        if not config.cluster_spec and config.task_type != TaskType.EVALUATOR:
            logging.info("Running training and evaluation locally (non-distributed).")
            return self.run_local()
        if not config.task_type:
            raise ValueError(
                "`estimator.config` must have task_type set. This usually means TF_CONFIG "
                "environment is not set correctly."
            )
        if config.task_type == "local":
            raise ValueError(
                "`task.type` in TF_CONFIG cannot be `local`. Leaving `cluster` and `task` "
                "properties in TF_CONFIG absent triggers train and evaluate `Estimator` locally "
                "(non-distributed)."
            )
        tasks = {
            TaskType.CHIEF: self.run_chief,
            TaskType.EVALUATOR: self.run_evaluator,
            TaskType.MASTER: self.run_master,
            TaskType.PS: self.run_ps,
            TaskType.WORKER: self.run_worker,
        }
        if config.task_type not in tasks:
            raise ValueError(
                f"Task type {config.task_type} is not supported. Supported task types are "
                f"{list(tasks)}"
            )
        return tasks[config.task_type]()

    def run_local(self) -> tuple[Any, Any]:
        """Trains, and evaluates after checkpoints.

        Returns:
            (the last metrics, what each exporter has returned).
        """
        config = self._estimator.config
        logging.info(
            "Start train and evaluate loop. The evaluate will happen after every checkpoint. "
            "Checkpoint frequency is determined based on RunConfig arguments: "
            "save_checkpoints_steps %s or save_checkpoints_secs %s.",
            config.save_checkpoints_steps,
            config.save_checkpoints_secs,
        )
        evaluator = self._Evaluator(self._estimator, self._eval_spec, self._train_spec.max_steps)
        listener = NewCheckpointListener(
            evaluator, self._eval_spec.throttle_secs, self._continuous_eval_listener
        )
        self._train([listener])
        result = listener.eval_result or EvalResult(EvalStatus.MISSING_CHECKPOINT)
        return result.metrics, listener.export_results

    def run_chief(self) -> Any:
        """Trains as the chief of a cluster."""
        return self._start_distributed_training()

    def run_worker(self) -> Any:
        """Trains as a worker of a cluster."""
        return self._start_distributed_training()

    def run_master(self) -> Any:
        """Trains as the master of a cluster, which evaluates after checkpoints as well."""
        _check_eval_spec(self._eval_spec)
        evaluator = self._Evaluator(self._estimator, self._eval_spec, self._train_spec.max_steps)
        listener = NewCheckpointListener(
            evaluator, self._eval_spec.throttle_secs, self._continuous_eval_listener
        )
        self._start_distributed_training([listener])

    def run_evaluator(self) -> None:
        """Evaluates new checkpoints until the training is over."""
        _check_eval_spec(self._eval_spec)
        self._start_continuous_evaluation()

    def run_ps(self) -> None:
        """Serves variables to the other tasks."""
        self._start_std_server(self._estimator.config).join()

    def _train(self, saving_listeners: Any = None) -> None:
        self._estimator.train(
            input_fn=self._train_spec.input_fn,
            max_steps=self._train_spec.max_steps,
            hooks=[*self._train_spec.hooks, *self._train_hooks],
            saving_listeners=saving_listeners,
        )

    def _start_std_server(self, config: Any) -> Any:
        """Starts the server of this task.

        Raises:
            RuntimeError: if the configuration lacks the cluster, the task or its address.
        """
        return start_server(config)

    def _start_distributed_training(self, saving_listeners: Any = None) -> None:
        config = self._estimator.config
        if is_alone(config):
            logging.info(
                "Skip starting Tensorflow server as there is only one node in the cluster."
            )
        elif not has_servers_already():
            self._start_std_server(config)
        delay = 0
        if config.task_type == TaskType.WORKER:
            limit = config.experimental_max_worker_delay_secs
            limit = _MAX_DELAY_SECS if limit is None else limit
            delay = min(limit, (config.task_id + 1) * _DELAY_SECS_PER_WORKER)
        if delay > 0:
            logging.info("Waiting %d secs before starting training.", delay)
            time.sleep(delay)
        self._train(saving_listeners)

    def _start_continuous_evaluation(self) -> None:
        spec = self._eval_spec
        if spec.start_delay_secs > 0:
            logging.info("Waiting %f secs before starting eval.", spec.start_delay_secs)
            time.sleep(spec.start_delay_secs)
        evaluator = self._Evaluator(self._estimator, spec, self._train_spec.max_steps)
        limit = self._train_spec.max_steps
        should_stop = False
        while not should_stop:
            result, should_stop = self._execute_evaluator_once(
                evaluator, self._continuous_eval_listener, spec.throttle_secs
            )
            if should_stop or result.status != EvalStatus.EVALUATED:
                continue
            step = result.metrics.get(GraphKeys.GLOBAL_STEP)
            if step and limit and step >= limit:
                logging.info(
                    "Exiting evaluation, global_step=%s >= train max_steps=%s", step, limit
                )
                return

    def _execute_evaluator_once(
        self,
        evaluator: Evaluator,
        continuous_eval_listener: ContinuousEvalListener,
        throttle_secs: float,
    ) -> tuple[EvalResult, bool]:
        """Evaluates if there is a new checkpoint; returns the result, and whether to stop."""
        start = time.time()
        if not continuous_eval_listener.before_eval():
            logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.before_eval.")
            return EvalResult(EvalStatus.MISSING_CHECKPOINT), True
        result, _ = evaluator.evaluate_and_export()
        if not continuous_eval_listener.after_eval(result):
            logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.after_eval.")
            return result, True
        left = throttle_secs - (time.time() - start)
        if left > 0:
            logging.info("Waiting %f secs before starting next eval run.", left)
            time.sleep(left)
        elif throttle_secs == 0 and result.status != EvalStatus.EVALUATED:
            logging.warning(
                "EvalSpec.throttle_secs is set as 0. This might overload the job before finding "
                "(next) new checkpoint. Please consider to increase it."
            )
        return result, False


def _checked_hooks(hooks: Any) -> list[SessionRunHook]:
    result = list(hooks or [])
    for hook in result:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be `SessionRunHook` instances, given: {hook}")
    return result


def _check_eval_spec(eval_spec: Any) -> None:
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(
            f"`eval_spec` must have type `tf.estimator.EvalSpec`. Got: {type(eval_spec)}"
        )
