"""Evaluation: one checkpoint, or all that a training program writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import logging
from headwater.base.export import export, export_value
from headwater.base.typing import FeedDict, NestedTensors
from headwater.contrib.slim.training_setup import USE_DEFAULT, is_default
from headwater.model.global_step import get_or_create_global_step
from headwater.model.global_step import global_step as value_of_step
from headwater.ops.summary.merge import merge_all
from headwater.train.checkpoints.checkpoint_watch import (
    checkpoints_iterator,
    wait_for_new_checkpoint,
)
from headwater.train.checkpoints.saver import Saver
from headwater.train.hooks.evaluation import StopAfterNEvalsHook, SummaryAtEndHook
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.sessions import evaluation as checkpoint_evaluation
from headwater.train.sessions.scaffold import Scaffold

# Release 0.12 had these here.
export_value("contrib.slim.evaluation.checkpoints_iterator", checkpoints_iterator)
export_value("contrib.slim.evaluation.wait_for_new_checkpoint", wait_for_new_checkpoint)


def _hooks(
    logdir: str | None,
    num_evals: int,
    summary_op: Any,
    summary_op_feed_dict: FeedDict | None,
    hooks: Sequence[SessionRunHook] | None,
) -> list[SessionRunHook]:
    """The hooks that count the runs and write the summaries, and those that were given."""
    all_hooks: list[SessionRunHook] = [StopAfterNEvalsHook(num_evals)]
    if is_default(summary_op):
        summary_op = merge_all()
    if summary_op is not None:
        all_hooks.append(
            SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=summary_op_feed_dict)
        )
    return all_hooks + list(hooks or [])


def _saver(variables_to_restore: Any) -> Saver | None:
    return None if variables_to_restore is None else Saver(variables_to_restore)


@export("contrib.slim.evaluation.evaluate_once")
def evaluate_once(
    master: str,
    checkpoint_path: str,
    logdir: str | None,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: FeedDict | None = None,
    eval_op: NestedTensors | None = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: NestedTensors | None = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: Any = USE_DEFAULT,
    summary_op_feed_dict: FeedDict | None = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Sequence[SessionRunHook] | None = None,
) -> Any:
    """Evaluates one checkpoint.

    Args:
        master: where the graph runs; "" is this process.
        checkpoint_path: the path of the checkpoint.
        logdir: the folder of the summaries.
        num_evals: how often `eval_op` runs.
        initial_op: the op that initializes what is not restored; or None for the default.
        initial_op_feed_dict: what is fed to it.
        eval_op: the tensors and ops of each run, such as the updates of metrics.
        eval_op_feed_dict: what is fed to them.
        final_op: the tensors and ops of the last run, such as the values of metrics.
        final_op_feed_dict: what is fed to them.
        summary_op: a string tensor of summaries; all of the graph by default, and None for none.
        summary_op_feed_dict: what is fed to it.
        variables_to_restore: the variables to restore; all if None.
        session_config: a ConfigProto or None.
        hooks: further SessionRunHooks.

    Returns:
        The value of `final_op`.
    """
    all_hooks = _hooks(logdir, num_evals, summary_op, summary_op_feed_dict, hooks)
    scaffold = Scaffold(
        init_op=initial_op,
        init_feed_dict=initial_op_feed_dict,
        saver=_saver(variables_to_restore),
    )
    return checkpoint_evaluation.evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=scaffold,
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=all_hooks,
        config=session_config,
    )


@export("contrib.slim.evaluation.evaluation_loop")
def evaluation_loop(
    master: str,
    checkpoint_dir: str,
    logdir: str | None,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: FeedDict | None = None,
    init_fn: Callable[[Any, Any], None] | None = None,
    eval_op: NestedTensors | None = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: NestedTensors | None = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: Any = USE_DEFAULT,
    summary_op_feed_dict: FeedDict | None = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
) -> Any:
    """Evaluates the checkpoints of a folder as they appear.

    Args:
        master: as in `evaluate_once`, like all arguments that are not listed here.
        checkpoint_dir: the folder of the checkpoints.
        init_fn: a function of a Scaffold and a session that is called after `initial_op`; or None.
        eval_interval_secs: the least number of seconds between two evaluations.
        max_number_of_evaluations: how many checkpoints to evaluate; None for no limit.
        timeout: how many seconds to wait for a checkpoint; None for no limit.
        timeout_fn: called when the time is over; the loop ends if it returns a true value.

    Returns:
        The value of `final_op` of the last evaluation.
    """
    all_hooks = _hooks(logdir, num_evals, summary_op, summary_op_feed_dict, hooks)
    scaffold = Scaffold(
        init_op=initial_op,
        init_feed_dict=initial_op_feed_dict,
        init_fn=init_fn,
        saver=_saver(variables_to_restore),
    )
    return checkpoint_evaluation.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=scaffold,
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=all_hooks,
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )


@export("contrib.slim.evaluation.evaluation")
def evaluation(
    sess: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: FeedDict | None = None,
    eval_op: NestedTensors | None = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: NestedTensors | None = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: Any = None,
    summary_op_feed_dict: FeedDict | None = None,
    summary_writer: Any = None,
    global_step: Any = None,
) -> Any:
    """Evaluates a model in a session, as release 0.12 did.

    Args:
        sess: the session.
        num_evals: how often `eval_op` runs.
        initial_op: what runs first, or None; the other ops are as in `evaluate_once`.
        summary_writer: the FileWriter that gets the summaries; needed with `summary_op`.
        global_step: the variable of the step of the summaries; that of the graph if None.

    Returns:
        The value of `final_op`.

    Raises:
        ValueError: if there is a `summary_op` without a `summary_writer`.
    """
    if summary_op is not None and summary_writer is None:
        raise ValueError("summary_op was given but summary_writer was None.")
    if initial_op is not None:
        logging.info("Executing initial eval op")
        sess.run(initial_op, initial_op_feed_dict)
    if eval_op is not None:
        logging.info("Executing eval ops")
        for count in range(num_evals):
            logging.info("Executing eval_op %d/%d", count + 1, num_evals)
            sess.run(eval_op, eval_op_feed_dict)
    value = None
    if final_op is not None:
        logging.info("Executing final op")
        value = sess.run(final_op, final_op_feed_dict)
    if summary_op is not None:
        logging.info("Executing summary op")
        step = _step_of(sess, global_step)
        summary_writer.add_summary(sess.run(summary_op, summary_op_feed_dict), step)
        summary_writer.flush()
    return value


def _step_of(sess: Any, global_step: Any) -> int:
    if global_step is None:
        global_step = get_or_create_global_step()
    return value_of_step(sess, global_step)
