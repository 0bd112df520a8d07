"""Hooks that end training early, because of what evaluations have shown."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.export import export
from headwater.estimator.estimator import Estimator
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.io.event_file import summary_iterator
from headwater.io.file_io import get_matching_files
from headwater.io.files import is_folder, join_path
from headwater.model.global_step import get_global_step
from headwater.model.variables.initializers import Constant
from headwater.model.variables.variable_scope import AUTO_REUSE, get_variable, variable_scope
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.timers import SecondOrStepTimer

_EVENT_FILES = "events.out.tfevents.*"


@export(
    "estimator.experimental.make_early_stopping_hook", "contrib.estimator.make_early_stopping_hook"
)
def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends training when a function says so.

    Args:
        estimator: the Estimator.
        should_stop_fn: a function without arguments that tells whether training ends.
        run_every_secs: how often it is asked, in seconds.
        run_every_steps: how often it is asked, in steps.

    Returns:
        A SessionRunHook: that of a worker that is not the chief waits for what the chief says.

    Raises:
        TypeError: if the Estimator or the function is none.
        ValueError: if both intervals are given, or none.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(
            "`estimator` must have type `tf.estimator.Estimator`. Got: " + str(type(estimator))
        )
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if estimator.config.is_chief:
        return StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)
    return CheckForStoppingHook()


@export("estimator.experimental.stop_if_higher_hook", "contrib.estimator.stop_if_higher_hook")
def stop_if_higher_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends training when a metric is greater than a value.

    Args:
        estimator: the Estimator.
        metric_name: the name of the metric, "accuracy" for example.
        threshold: the value.
        eval_dir: the folder of the event files; by default that of the Estimator.
        min_steps: the step before which training does not end.
        run_every_secs: how often event files are read, in seconds.
        run_every_steps: how often event files are read, in steps.

    Returns:
        A SessionRunHook.
    """
    return _threshold_hook(
        estimator,
        metric_name,
        threshold,
        True,
        eval_dir,
        min_steps,
        run_every_secs,
        run_every_steps,
    )


@export("estimator.experimental.stop_if_lower_hook", "contrib.estimator.stop_if_lower_hook")
def stop_if_lower_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends training when a metric is less than a value.

    Args:
        estimator: the Estimator.
        metric_name: the name of the metric, "loss" for example.
        threshold: the value.
        eval_dir: the folder of the event files; by default that of the Estimator.
        min_steps: the step before which training does not end.
        run_every_secs: how often event files are read, in seconds.
        run_every_steps: how often event files are read, in steps.

    Returns:
        A SessionRunHook.
    """
    return _threshold_hook(
        estimator,
        metric_name,
        threshold,
        False,
        eval_dir,
        min_steps,
        run_every_secs,
        run_every_steps,
    )


@export(
    "estimator.experimental.stop_if_no_increase_hook", "contrib.estimator.stop_if_no_increase_hook"
)
def stop_if_no_increase_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends training when a metric has not increased for some steps.

    Args:
        estimator: the Estimator.
        metric_name: the name of the metric, "accuracy" for example.
        max_steps_without_increase: the number of steps.
        eval_dir: the folder of the event files; by default that of the Estimator.
        min_steps: the step before which training does not end.
        run_every_secs: how often event files are read, in seconds.
        run_every_steps: how often event files are read, in steps.

    Returns:
        A SessionRunHook.
    """
    return _improvement_hook(
        estimator,
        metric_name,
        max_steps_without_increase,
        True,
        eval_dir,
        min_steps,
        run_every_secs,
        run_every_steps,
    )


@export(
    "estimator.experimental.stop_if_no_decrease_hook", "contrib.estimator.stop_if_no_decrease_hook"
)
def stop_if_no_decrease_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Makes a hook that ends training when a metric has not decreased for some steps.

    Args:
        estimator: the Estimator.
        metric_name: the name of the metric, "loss" for example.
        max_steps_without_decrease: the number of steps.
        eval_dir: the folder of the event files; by default that of the Estimator.
        min_steps: the step before which training does not end.
        run_every_secs: how often event files are read, in seconds.
        run_every_steps: how often event files are read, in steps.

    Returns:
        A SessionRunHook.
    """
    return _improvement_hook(
        estimator,
        metric_name,
        max_steps_without_decrease,
        False,
        eval_dir,
        min_steps,
        run_every_secs,
        run_every_steps,
    )


def read_eval_metrics(eval_dir: str) -> OrderedDict[int, dict[str, float]]:
    """The metrics in the event files of a folder.

    Args:
        eval_dir: the folder.

    Returns:
        Metrics by name, by step in order.
    """
    found: dict[int, dict[str, float]] = {}
    if is_folder(eval_dir):
        for path in get_matching_files(join_path(eval_dir, _EVENT_FILES)):
            for event in summary_iterator(path):
                metrics = {
                    value.tag: value.simple_value
                    for value in event.summary.value
                    if value.HasField("simple_value")
                }
                if metrics:
                    found[event.step] = metrics
    return OrderedDict(sorted(found.items()))


def _threshold_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    higher_is_better: bool,
    eval_dir: str | None,
    min_steps: int,
    run_every_secs: float | None,
    run_every_steps: int | None,
) -> SessionRunHook:
    folder = eval_dir or estimator.eval_dir()
    is_crossed = operator.gt if higher_is_better else operator.lt
    relation = "greater than" if higher_is_better else "less than"

    def stop_if_threshold_crossed() -> bool:
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps or not is_crossed(metrics[metric_name], threshold):
                continue
            logging.info(
                'At step %s, metric "%s" has value %s which is %s the configured threshold (%s) '
                "for early stopping.",
                step,
                metric_name,
                metrics[metric_name],
                relation,
                threshold,
            )
            return True
        return False

    return make_early_stopping_hook(
        estimator, stop_if_threshold_crossed, run_every_secs, run_every_steps
    )


def _improvement_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_improvement: int,
    higher_is_better: bool,
    eval_dir: str | None,
    min_steps: int,
    run_every_secs: float | None,
    run_every_steps: int | None,
) -> SessionRunHook:
    folder = eval_dir or estimator.eval_dir()
    is_better = operator.gt if higher_is_better else operator.lt
    direction = "increase" if higher_is_better else "decrease"

    def stop_if_no_improvement() -> bool:
        best_value: float | None = None
        best_step = 0
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps:
                continue
            value = metrics[metric_name]
            if best_value is None or is_better(value, best_value):
                best_value, best_step = value, step
            elif step - best_step >= max_steps_without_improvement:
                logging.info(
                    'No %s in metric "%s" for %s steps, which is greater than or equal to max '
                    "steps (%s) configured for early stopping.",
                    direction,
                    metric_name,
                    step - best_step,
                    max_steps_without_improvement,
                )
                return True
        return False

    return make_early_stopping_hook(
        estimator, stop_if_no_improvement, run_every_secs, run_every_steps
    )


def _stop_variable() -> Any:
    """The variable by which the chief tells other workers to stop."""
    with variable_scope("signal_early_stopping", reuse=AUTO_REUSE):
        return get_variable(
            "STOP",
            shape=[],
            dtype=dtypes.bool_,
            initializer=Constant(False),
            collections=[GraphKeys.GLOBAL_VARIABLES],
            trainable=False,
        )


class StopOnPredicateHook(SessionRunHook):
    """Requests a stop, here and in other workers, when a function says so.

    Args:
        should_stop_fn: the function.
        run_every_secs: how often it is asked, in seconds; or None.
        run_every_steps: how often it is asked, in steps; or None.

    Raises:
        TypeError: if the function is none.
        ValueError: if no interval is given.
    """

    def __init__(
        self,
        should_stop_fn: Callable[[], bool],
        run_every_secs: float | None = 60,
        run_every_steps: int | None = None,
    ) -> None:
        if not callable(should_stop_fn):
            raise TypeError("`should_stop_fn` must be callable.")
        self._should_stop_fn = should_stop_fn
        self._timer = SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)

    def begin(self) -> None:
        """Makes the variable of the stop."""
        self._global_step_tensor = get_global_step()
        self._stop_var = _stop_variable()
        with get_default_graph().name_scope(None):
            self._stop_op = self._stop_var.assign(True)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the global step."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Asks the function if it is time to."""
        step = run_values.results
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop_fn():
            logging.info("Requesting early stopping at global step %d", step)
            run_context.session.run(self._stop_op)
            run_context.request_stop()


class CheckForStoppingHook(SessionRunHook):
    """Requests a stop when the chief has."""

    def begin(self) -> None:
        """Makes the variable of the stop."""
        self._stop_var = _stop_variable()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the variable."""
        return SessionRunArgs(self._stop_var)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Requests a stop if the chief has."""
        if run_values.results:
            logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()
