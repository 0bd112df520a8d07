"""Experiment: an estimator with its data, trained and evaluated by one of several schedules."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.compat_strings import as_bytes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.cluster_configs import Environment, RunConfig
from headwater.contrib.learn.estimating.interfaces import Evaluable, Trainable
from headwater.contrib.learn.exporting.strategies import ExportStrategy
from headwater.contrib.learn.monitoring.adapters import replace_monitors_with_hooks
from headwater.contrib.learn.monitoring.stopping import ValidationMonitor
from headwater.distributed import server
from headwater.estimator.estimator import Estimator as CoreEstimator
from headwater.graph.graph_keys import GraphKeys
from headwater.io.files import is_remote, join_path
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.hooks.checkpoint_saver import CheckpointSaverHook, CheckpointSaverListener
from headwater.train.hooks.stop_at_step import GlobalStepWaiterHook

# How often a missing checkpoint is warned of, in seconds.
_WARNING_INTERVAL = 600
_STEPS_PER_ITERATION = 1000


def _standard_predicate(predicate: Callable[..., Any]) -> Callable[..., Any]:
    """A predicate of results as one of results and the path of the checkpoint."""
    if "checkpoint_path" in fn_args(predicate):
        return predicate

    def of_results(eval_results: Any, checkpoint_path: Any) -> Any:
        del checkpoint_path  # not a parameter of the program's function
        return predicate(eval_results)

    return of_results


def _check_predicate(predicate: Any) -> None:
    if predicate is not None and not callable(predicate):
        raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")


class EvalAndExportListener(CheckpointSaverListener):
    """Evaluates and exports each checkpoint.

    Args:
        eval_fn: a function of `name`, `checkpoint_path`, ... that evaluates.
        export_fn: a function of results and `checkpoint_path` that exports.
        model_dir: the folder of the model.
    """

    def __init__(
        self, eval_fn: Callable[..., Any], export_fn: Callable[..., Any], model_dir: str
    ) -> None:
        self._eval_fn = eval_fn
        self._export_fn = export_fn
        self._model_dir = model_dir
        self._latest_path: str | None = None
        self._eval_result: Any = None
        self._export_results: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        """Evaluates and exports a checkpoint, if it is new.

        Args:
            session: the session.
            global_step_value: the global step.
        """
        logging.info("Checking for checkpoint in %s", self._model_dir)
        path = latest_checkpoint(self._model_dir)
        if not path:
            logging.warning("Skipping evaluation and export since model has not been saved yet.")
        elif path == self._latest_path:
            logging.warning("Skipping evaluation due to same latest checkpoint %s.", path)
        else:
            self._latest_path = path
            self._eval_result = self._eval_fn(name="intermediate_export", checkpoint_path=path)
            self._export_results = self._export_fn(self._eval_result, checkpoint_path=path)

    @property
    def eval_result(self) -> Any:
        """The last results."""
        return self._eval_result

    @property
    def export_results(self) -> Any:
        """The paths of the last exports."""
        return self._export_results


@export("contrib.learn.Experiment", "contrib.learn.experiment.Experiment")
class Experiment:
    """An estimator with its data, trained and evaluated by one of several schedules.

    Args:
        estimator: an estimator of `tf.contrib.learn` or `tf.estimator`.
        train_input_fn: the input function of training.
        eval_input_fn: the input function of evaluation.
        eval_metrics: MetricSpecs by name; or None.
        train_steps: the global step at which training stops; None until the input ends.
        eval_steps: how many batches are evaluated; None for all.
        train_monitors: monitors and SessionRunHooks of training; or None.
        eval_hooks: SessionRunHooks of evaluation; or None.
        local_eval_frequency: the interval of evaluations of `local_run`, in steps; or None.
        eval_delay_secs: how many seconds an evaluation waits at its start.
        continuous_eval_throttle_secs: how many seconds lie between evaluations at least.
        min_eval_frequency: the interval of evaluations of `train_and_evaluate`, in steps; 0 for
            none before the end; None for 1, or 1000 if the model is on another machine.
        delay_workers_by_global_step: whether workers wait for a step rather than for a time.
        export_strategies: ExportStrategies, one of them, or None.
        train_steps_per_iteration: the steps between evaluations of `continuous_train_and_eval`;
            or None.
        checkpoint_and_export: whether `train_and_evaluate` evaluates and exports each checkpoint.
        saving_listeners: CheckpointSaverListeners, for estimators of `tf.estimator`; or None.
        check_interval_secs: how many seconds lie between two looks for a checkpoint.
        continuous_eval_predicate_fn: a function of results that says whether continuous
            evaluation goes on; an argument of the methods since 1.1; or None.

    Raises:
        ValueError: if an argument does not fit the estimator.
    """

    @deprecated(
        None,
        "Please switch to tf.estimator.train_and_evaluate. You will also have to convert to a "
        "tf.estimator.Estimator.",
    )
    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any],
        eval_metrics: Any = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Iterable[Any] | None = None,
        eval_hooks: Any = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Any = None,
        check_interval_secs: float = 5,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
    ) -> None:
        self._core_estimator_used = isinstance(estimator, CoreEstimator)
        self._check_estimator(estimator, eval_metrics, saving_listeners)
        if train_steps_per_iteration is not None and not isinstance(train_steps_per_iteration, int):
            raise ValueError("`train_steps_per_iteration` must be an integer.")
        _check_predicate(continuous_eval_predicate_fn)
        self._estimator = estimator
        self._train_input_fn = train_input_fn
        self._eval_input_fn = eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps = train_steps
        self._eval_steps = eval_steps
        self._local_eval_frequency = local_eval_frequency
        self._eval_delay_secs = eval_delay_secs
        self._continuous_eval_throttle_secs = continuous_eval_throttle_secs
        self._checkpoint_and_export = checkpoint_and_export
        self._saving_listeners = saving_listeners
        self._min_eval_frequency = min_eval_frequency
        if min_eval_frequency is None:
            self._min_eval_frequency = 1000 if is_remote(estimator.model_dir or "") else 1
        self._check_interval_secs = check_interval_secs
        self._delay_workers_by_global_step = delay_workers_by_global_step
        self._train_monitors: list[Any] = list(train_monitors) if train_monitors else []
        self._eval_hooks: list[Any] = list(eval_hooks) if eval_hooks else []
        self._continuous_eval_predicate_fn = continuous_eval_predicate_fn
        self._set_export_strategies(export_strategies)
        self._train_steps_per_iteration = train_steps_per_iteration

    def _check_estimator(self, estimator: Any, eval_metrics: Any, saving_listeners: Any) -> None:
        if self._core_estimator_used:
            if eval_metrics is not None:
                raise ValueError(
                    "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use "
                    "`eval_metric_ops` in `tf.estimator.EstimatorSpec` instead."
                )
            return
        if not isinstance(estimator, Evaluable):
            raise ValueError(
                "`estimator` must implement `tf.contrib.learn.Evaluable` or "
                "`tf.estimator.Estimator`."
            )
        if not isinstance(estimator, Trainable):
            raise ValueError(
                "`estimator` must implement `tf.contrib.learn.Trainable`or "
                "`tf.estimator.`Estimator`."
            )
        if saving_listeners is not None:
            raise ValueError("`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`.")

    @property
    def estimator(self) -> Any:
        """The estimator."""
        return self._estimator

    @property
    def eval_metrics(self) -> Any:
        """The MetricSpecs by name, or None."""
        return self._eval_metrics

    @property
    def train_steps(self) -> int | None:
        """The global step at which training stops, or None."""
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        """How many batches are evaluated, or None."""
        return self._eval_steps

    # What follows up to `export_strategies` is public in 1.0 only.
    @property
    def train_input_fn(self) -> Any:
        """The input function of training."""
        return self._train_input_fn

    @property
    def eval_input_fn(self) -> Any:
        """The input function of evaluation."""
        return self._eval_input_fn

    @property
    def train_monitors(self) -> list[Any]:
        """Monitors and hooks of training."""
        return self._train_monitors

    @train_monitors.setter
    def train_monitors(self, monitors: Iterable[Any] | None) -> None:
        self._train_monitors = list(monitors or [])

    @property
    def eval_hooks(self) -> list[Any]:
        """Hooks of evaluation."""
        return self._eval_hooks

    @property
    def local_eval_frequency(self) -> int | None:
        """The interval of evaluations of `local_run`, in steps, or None."""
        return self._local_eval_frequency

    @property
    def eval_delay_secs(self) -> float:
        """How many seconds an evaluation waits at its start."""
        return self._eval_delay_secs

    @property
    def continuous_eval_throttle_secs(self) -> float:
        """How many seconds lie between evaluations at least."""
        return self._continuous_eval_throttle_secs

    @property
    def min_eval_frequency(self) -> int | None:
        """The interval of evaluations of `train_and_evaluate`, in steps."""
        return self._min_eval_frequency

    @property
    def delay_workers_by_global_step(self) -> bool:
        """Whether workers wait for a step rather than for a time."""
        return self._delay_workers_by_global_step

    @property
    def continuous_eval_predicate_fn(self) -> Callable[..., Any] | None:
        """The function of results that says whether continuous evaluation goes on, or None."""
        return self._continuous_eval_predicate_fn

    @property
    def export_strategies(self) -> Any:
        """The export strategies."""
        return self._export_strategies

    @export_strategies.setter
    def export_strategies(self, values: Any) -> None:
        self._set_export_strategies(values)

    def _set_export_strategies(self, values: Any) -> None:
        found: list[ExportStrategy] = []
        if isinstance(values, ExportStrategy):
            found.append(values)
        else:
            for value in values or ():
                if not isinstance(value, ExportStrategy):
                    raise ValueError(
                        "`export_strategies` must be an ExportStrategy, an iterable of "
                        f"ExportStrategy, or `None`, found {value}."
                    )
                found.append(value)
        self._export_strategies = tuple(found)

    def extend_train_hooks(self, additional_hooks: Iterable[Any]) -> None:
        """Adds hooks of training.

        Args:
            additional_hooks: monitors and SessionRunHooks.
        """
        self._train_monitors.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> Any:
        """Replaces the export strategies.

        Args:
            new_export_strategies: ExportStrategies, one of them, or None.

        Returns:
            The ones before.

        Raises:
            ValueError: if something else is given.
        """
        before = self._export_strategies
        self._set_export_strategies(new_export_strategies)
        return before

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains the estimator; in a cluster, starts the server of this task first.

        Args:
            delay_secs: how many seconds to wait; by default 5 for each worker before this one.

        Returns:
            The estimator.

        Raises:
            ValueError: if a cluster is used with a configuration of `tf.estimator`.
        """
        start = time.time()
        config = self._estimator.config
        if config.cluster_spec and config.master:
            self._start_server_of_training(config)
        hooks: list[Any] = []
        if delay_secs is None:
            task_id = config.task_id or 0
            if self._delay_workers_by_global_step:
                # Later workers wait longer, by ever fewer steps.
                hooks.append(GlobalStepWaiterHook(int(8000.0 * math.log(task_id + 1))))
                delay_secs = 0
            else:
                delay_secs = min(60, task_id * 5)
        if delay_secs > 0:
            remaining = delay_secs - (time.time() - start)
            logging.info("Waiting %d secs before starting training.", remaining)
            time.sleep(remaining)
        return self._call_train(
            input_fn=self._train_input_fn,
            max_steps=self._train_steps,
            hooks=self._train_monitors + hooks,
            saving_listeners=self._saving_listeners,
        )

    def _start_server_of_training(self, config: Any) -> None:
        if not isinstance(config, RunConfig):
            raise ValueError(
                "For distributed runtime, Experiment class only works with "
                f"tf.contrib.learn.RunConfig for now, but provided {type(config)}"
            )
        if config.environment == Environment.LOCAL:
            logging.warning(
                "ClusterSpec and master are provided, but environment is set to 'local'. Set "
                "environment to 'cloud' if you intend to use the distributed runtime."
            )
        elif config.environment != Environment.GOOGLE:
            self._start_server()

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the latest checkpoint.

        Args:
            delay_secs: how many seconds to wait; those of the constructor by default.
            name: the name of the evaluation; "one_pass" by default.

        Returns:
            The values of metrics by name.
        """
        if delay_secs is None:
            delay_secs = self._eval_delay_secs
        if delay_secs:
            logging.info("Waiting %d secs before starting eval.", delay_secs)
            time.sleep(delay_secs)
        return self._evaluate(name or "one_pass")

    def _evaluate(
        self, name: str | None, checkpoint_path: str | None = None, input_fn: Any = None
    ) -> Any:
        return self._call_evaluate(
            input_fn=input_fn or self._eval_input_fn,
            steps=self._eval_steps,
            metrics=self._eval_metrics,
            name=name,
            checkpoint_path=checkpoint_path,
            hooks=self._eval_hooks,
        )

    @deprecated(
        "2016-10-23",
        "local_run will be renamed to train_and_evaluate and the new default behavior will be to "
        "run evaluation every time there is a new checkpoint.",
    )
    def local_run(self) -> Any:
        """Trains and evaluates, every `local_eval_frequency` steps.

        Returns:
            What `train_and_evaluate` returns.
        """
        with _restored(self, "_min_eval_frequency"):
            self._min_eval_frequency = self._local_eval_frequency
            return self.train_and_evaluate()

    def _continuous_eval(
        self,
        input_fn: Any,
        name: str,
        delay_secs: float | None,
        throttle_delay_secs: float | None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        export: bool = True,
    ) -> None:
        """Evaluates checkpoints until training is done or a predicate says so."""
        _check_predicate(continuous_eval_predicate_fn)
        given = continuous_eval_predicate_fn or self._continuous_eval_predicate_fn
        predicate = _standard_predicate(given) if given is not None else None
        if delay_secs is None:
            delay_secs = self._eval_delay_secs
        if throttle_delay_secs is None:
            throttle_delay_secs = self._continuous_eval_throttle_secs
        if delay_secs:
            logging.info("Waiting %f secs before starting eval.", delay_secs)
            time.sleep(delay_secs)
        previous_path: str | None = None
        result: Any = None
        last_warning = 0.0
        while predicate is None or predicate(result, checkpoint_path=previous_path):
            if self._has_training_stopped(result):
                logging.info(
                    "Exiting continuous eval, global_step=%s >= train_step=%s",
                    result[GraphKeys.GLOBAL_STEP],
                    self._train_steps,
                )
                return
            start = time.time()
            path = latest_checkpoint(self._estimator.model_dir)
            problem = None
            if not path:
                problem = (
                    "Estimator is not fitted yet. Will start an evaluation when a checkpoint is "
                    "ready."
                )
            elif evaluate_checkpoint_only_once and path == previous_path:
                problem = "No new checkpoint ready for evaluation."
            if problem:
                result = {}
                if start - last_warning > _WARNING_INTERVAL:
                    logging.warning(problem)
                    last_warning = start
            else:
                result = self._evaluate(name, path, input_fn) or {}
                if export:
                    self._maybe_export(result, checkpoint_path=path)
                last_warning, previous_path = 0.0, path
            remaining = throttle_delay_secs - (time.time() - start)
            if remaining > 0:
                logging.info("Waiting %f secs before starting next eval run.", remaining)
                time.sleep(remaining)

    def _has_training_stopped(self, eval_result: Any) -> bool:
        if not eval_result:
            return False
        step = eval_result.get(GraphKeys.GLOBAL_STEP)
        return bool(step and self._train_steps and step >= self._train_steps)

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates and exports checkpoints as they come, until training is done.

        Args:
            delay_secs: how many seconds to wait; those of the constructor by default.
            throttle_delay_secs: how many seconds lie between evaluations at least.
            evaluate_checkpoint_only_once: whether to wait for a new checkpoint.
            continuous_eval_predicate_fn: a function of results, or of results and
                `checkpoint_path`, that says whether to go on; or None.
            name: the name of the evaluation.

        Raises:
            ValueError: if the predicate cannot be called.
        """
        self._continuous_eval(
            self._eval_input_fn,
            name=name,
            delay_secs=delay_secs,
            throttle_delay_secs=throttle_delay_secs,
            evaluate_checkpoint_only_once=evaluate_checkpoint_only_once,
            continuous_eval_predicate_fn=continuous_eval_predicate_fn,
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """Evaluates checkpoints as they come on the data of training, until that is done.

        Args:
            delay_secs: how many seconds to wait; those of the constructor by default.
            throttle_delay_secs: how many seconds lie between evaluations at least.
            continuous_eval_predicate_fn: a function of results, or of results and
                `checkpoint_path`, that says whether to go on; or None.
            name: the name of the evaluation.

        Raises:
            ValueError: if the predicate cannot be called.
        """
        self._continuous_eval(
            self._train_input_fn,
            name=name,
            delay_secs=delay_secs,
            throttle_delay_secs=throttle_delay_secs,
            continuous_eval_predicate_fn=continuous_eval_predicate_fn,
            export=False,
        )

    def train_and_evaluate(self) -> Any:
        """Trains; evaluates now and then, and at the end; exports.

        Returns:
            (values of metrics by name, paths of exports).
        """
        config = self._estimator.config
        listener = None
        with _restored(self, "_train_monitors"):
            self._train_monitors = list(self._train_monitors)
            if self._checkpoint_and_export and (
                config.save_checkpoints_secs or config.save_checkpoints_steps
            ):
                listener = EvalAndExportListener(
                    eval_fn=self._evaluate,
                    export_fn=self._maybe_export,
                    model_dir=self._estimator.model_dir,
                )
                saver = CheckpointSaverHook(
                    checkpoint_dir=self._estimator.model_dir,
                    save_secs=config.save_checkpoints_secs,
                    save_steps=config.save_checkpoints_steps,
                    listeners=[listener],
                )
                self._train_monitors.append(saver)
            elif self._min_eval_frequency:
                self._train_monitors.append(self._validation_monitor())
            self.train(delay_secs=0)
        if listener is not None:
            # The last checkpoint has been evaluated and exported.
            return listener.eval_result, listener.export_results
        result = self._evaluate(None)
        return result, self._maybe_export(result)

    def _validation_monitor(self) -> ValidationMonitor:
        assert self._min_eval_frequency is not None
        return ValidationMonitor(
            input_fn=self._eval_input_fn,
            eval_steps=self._eval_steps,
            metrics=self._eval_metrics,
            every_n_steps=self._min_eval_frequency,
            hooks=self._eval_hooks,
            check_interval_secs=self._check_interval_secs,
        )

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Callable[..., Any] | None = None
    ) -> Any:
        """Trains and evaluates by turns.

        Args:
            continuous_eval_predicate_fn: a function of results, or of results and
                `checkpoint_path`, that says whether to go on; or None.

        Returns:
            (values of metrics by name, paths of exports).

        Raises:
            ValueError: if the predicate cannot be called.
        """
        _check_predicate(continuous_eval_predicate_fn)
        predicate = None
        if continuous_eval_predicate_fn is not None:
            predicate = _standard_predicate(continuous_eval_predicate_fn)
        steps = _STEPS_PER_ITERATION
        if self._train_steps_per_iteration is not None:
            steps = self._train_steps_per_iteration
        elif self._train_steps is not None:
            steps = int(self._train_steps / 10)
        result: Any = None
        path: str | None = None
        while predicate is None or predicate(result, checkpoint_path=path if result else None):
            if self._has_training_stopped(result):
                logging.info("Stop training model as max steps reached")
                break
            logging.info("Training model for %s steps", steps)
            self._call_train(
                input_fn=self._train_input_fn,
                steps=steps,
                hooks=self._train_monitors,
                saving_listeners=self._saving_listeners,
            )
            logging.info("Evaluating model now.")
            path = latest_checkpoint(self._estimator.model_dir)
            result = self._evaluate("one_pass", path)
        return result, self._maybe_export(result)

    def _maybe_export(self, eval_result: Any, checkpoint_path: str | None = None) -> list[Any]:
        """Exports with all strategies; returns what they return."""
        folder = join_path(self._estimator.model_dir, "export")
        return [
            strategy.export(
                self._estimator,
                as_bytes(join_path(folder, strategy.name)),
                checkpoint_path=checkpoint_path,
                eval_result=eval_result,
            )
            for strategy in self._export_strategies
        ]

    def run_std_server(self) -> None:
        """Runs the server of this task until it is stopped."""
        self._start_server().join()

    def test(self) -> Any:
        """Trains for a step, evaluates a batch and exports.

        Returns:
            The values of metrics by name.
        """
        self._call_train(
            input_fn=self._train_input_fn,
            steps=1,
            hooks=self._train_monitors,
            saving_listeners=self._saving_listeners,
        )
        result = self._call_evaluate(
            input_fn=self._eval_input_fn,
            steps=1,
            metrics=self._eval_metrics,
            name="one_pass",
            hooks=self._eval_hooks,
        )
        self._maybe_export(result)
        return result

    def _start_server(self) -> Any:
        """Starts the server of this task.

        Raises:
            ValueError: if the configuration lacks the cluster or the task.
        """
        config = self._estimator.config
        known = config.cluster_spec and config.task_type and config.master
        if not known or config.task_id is None:
            raise ValueError(
                "Could not start server; be sure to specify cluster_spec, task_type, master, and "
                "task in RunConfig or set the TF_CONFIG environment variable."
            )
        started = server.Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=config.tf_config,
            start=False,
        )
        started.start()
        return started

    def _call_train(
        self,
        _sentinel: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        hooks: Any = None,
        max_steps: int | None = None,
        saving_listeners: Any = None,
    ) -> Any:
        if _sentinel is not None:
            raise ValueError("_call_train should be called with keyword args only")
        if not self._core_estimator_used:
            return self._estimator.fit(
                input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=hooks
            )
        return self._estimator.train(
            input_fn=input_fn,
            steps=steps,
            max_steps=max_steps,
            hooks=replace_monitors_with_hooks(hooks, self._estimator),
            saving_listeners=saving_listeners,
        )

    def _call_evaluate(
        self,
        _sentinel: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
    ) -> Any:
        if _sentinel is not None:
            raise ValueError("_call_evaluate should be called with keyword args only")
        arguments: dict[str, Any] = {
            "input_fn": input_fn,
            "steps": steps,
            "name": name,
            "checkpoint_path": checkpoint_path,
            "hooks": hooks,
        }
        if not self._core_estimator_used:
            arguments["metrics"] = metrics
        elif metrics is not None:
            raise ValueError("`eval_metrics` must be `None` with `tf.estimator.Estimator`")
        return self._estimator.evaluate(**arguments)


@contextmanager
def _restored(obj: Any, attr: str) -> Iterator[None]:
    """A with block after which an attribute has its value again."""
    value = getattr(obj, attr)
    try:
        yield
    finally:
        setattr(obj, attr, value)
