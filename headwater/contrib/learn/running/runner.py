"""`tf.contrib.learn.learn_runner`: runs an experiment by a schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import logging
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.cluster_configs import RunConfig, TaskType
from headwater.contrib.learn.notices import RUNNER
from headwater.contrib.learn.running.experiment_runs import Experiment
from headwater.contrib.training.hparam import HParams


def _execute_schedule(experiment: Any, schedule: str) -> Any:
    """Calls a method of an experiment."""
    if not hasattr(experiment, schedule):
        valid = _tasks_of(experiment)
        logging.error("Schedule references non-existent task %s", schedule)
        logging.error("Allowed values for this experiment are: %s", valid)
        raise ValueError(f"Schedule references non-existent task {schedule}")
    task = getattr(experiment, schedule)
    if not callable(task):
        valid = _tasks_of(experiment)
        logging.error("Schedule references non-callable member %s", schedule)
        logging.error("Allowed values for this experiment are: %s", valid)
        raise TypeError(f"Schedule references non-callable member {schedule}")
    return task()


def _tasks_of(experiment: Any) -> list[str]:
    """The names of what can be called of an experiment."""
    names = dir(experiment)
    return [name for name in names if callable(getattr(experiment, name, None))]


def _checked_experiment(experiment: Any) -> Any:
    if not isinstance(experiment, Experiment):
        raise TypeError(
            "Experiment builder did not return an Experiment instance, got "
            f"{type(experiment)} instead."
        )
    return experiment


def _with_uid_check(
    experiment_fn: Callable[..., Any], require_hparams: bool = False
) -> Callable[..., Any]:
    """An experiment function that checks that the estimator has the given configuration."""

    def wrapped(run_config: Any, hparams: Any) -> Any:
        if not isinstance(run_config, RunConfig):
            raise ValueError("`run_config` must be `tf.contrib.learn.RunConfig` instance")
        if not run_config.model_dir:
            raise ValueError("Must specify a model directory `model_dir` in `run_config`.")
        if hparams is not None and not isinstance(hparams, HParams):
            raise ValueError("`hparams` must be `HParams` instance")
        if require_hparams and hparams is None:
            raise ValueError("`hparams` cannot be `None`.")
        expected = run_config.uid()
        experiment = _checked_experiment(experiment_fn(run_config, hparams))
        config = experiment.estimator.config
        if not hasattr(config, "uid"):
            raise RuntimeError(
                "Pass `run_config` argument of the `experiment_fn` to the Estimator in Experiment. "
                "It is likely a different `RunConfig` is passed to `Estimator` or the `config` "
                "constructor argument in `Estimator` is not set."
            )
        if config.uid() != expected:
            raise RuntimeError(
                "`RunConfig` instance is expected to be used by the `Estimator` inside the "
                f"`Experiment`. expected {expected}, but got {config.uid()}"
            )
        return experiment

    return wrapped


@export("contrib.learn.learn_runner.run")
@deprecated(None, RUNNER)
def run(
    experiment_fn: Callable[..., Any],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Makes an experiment and runs it.

    Args:
        experiment_fn: a function of `run_config` and `hparams`, or of `output_dir`, that returns
            an Experiment.
        output_dir: the folder of the model; or None.
        schedule: the name of a method of the experiment; by default the one for the task of this
            process in its cluster.
        run_config: a RunConfig with a folder, which the estimator uses; or None.
        hparams: hyperparameters, with `run_config`; or None.

    Returns:
        What the method returns.

    Raises:
        ValueError: if an argument is missing, both kinds are given, or there is no such method.
        TypeError: if the function cannot be called, or returns something else.
        RuntimeError: if the estimator has another configuration.
    """
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`")
    if output_dir is None and run_config is None:
        raise ValueError("Must set value for `output_dir` or `run_config`")
    if not callable(experiment_fn):
        raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if run_config is not None:
        experiment = _with_uid_check(experiment_fn)(run_config=run_config, hparams=hparams)
    else:
        if not output_dir:
            raise ValueError("Must specify an output directory")
        if hparams is not None:
            raise ValueError("Must set `hparams` as None for `experiment_fn` with `output_dir`.")
        experiment = _checked_experiment(experiment_fn(output_dir=output_dir))
    config = experiment.estimator.config
    return _execute_schedule(experiment, schedule or _get_default_schedule(config))


@export("contrib.learn.learn_runner.tune")
@deprecated(None, RUNNER)
def tune(experiment_fn: Callable[..., Any], tuner: Any) -> None:
    """Runs experiments with the hyperparameters of a tuner.

    Args:
        experiment_fn: a function of `run_config` and `hparams` that returns an Experiment.
        tuner: an object with the methods `next_trial`, which tells whether there is one more,
            and `run_experiment`.

    Raises:
        ValueError: if a trial lacks hyperparameters or a folder.
    """
    while tuner.next_trial():
        tuner.run_experiment(_with_uid_check(experiment_fn, require_hparams=True))


def _is_distributed(config: Any) -> bool:
    """Whether a configuration has a cluster of more than one task."""
    if not config.cluster_spec:
        return False
    counts = [config.cluster_spec.num_tasks(job) for job in config.cluster_spec.jobs]
    return sum(counts) > 1


def _get_default_schedule(config: Any) -> str:
    """The schedule of a task.

    Raises:
        ValueError: if there is none for its type.
    """
    if not config or not _is_distributed(config):
        return "train_and_evaluate"
    if not config.task_type:
        raise ValueError("Must specify a schedule")
    if config.task_type == TaskType.MASTER:
        return "train_and_evaluate"
    if config.task_type == TaskType.PS:
        return "run_std_server"
    if config.task_type == TaskType.WORKER:
        return "train"
    raise ValueError(f"No default schedule for task type: {config.task_type}")
