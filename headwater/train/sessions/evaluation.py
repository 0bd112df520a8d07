"""Evaluating the checkpoints that a training program writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.export import export
from headwater.base.typing import FeedDict, NestedTensors, TensorLike
from headwater.graph import Tensor, control_dependencies
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.state.assign import assign_add
from headwater.train.checkpoints.checkpoint_watch import checkpoints_iterator
from headwater.train.hooks.evaluation import (
    MultiStepStopAfterNEvalsHook,
    StopAfterNEvalsHook,
    get_or_create_eval_step,
)
from headwater.train.hooks.feeding import FinalOpsHook
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.hooks.stop_at_step import get_or_create_steps_per_run_variable
from headwater.train.sessions.monitored_session import MonitoredSession
from headwater.train.sessions.scaffold import Scaffold
from headwater.train.sessions.session_creators import ChiefSessionCreator


def _counted(eval_ops: NestedTensors, batches: TensorLike) -> tuple[Any, Tensor]:
    """The ops of a run together with the update of the counter, and the counter after both."""
    step = get_or_create_eval_step()
    update = assign_add(step, batches, use_locking=True)
    if isinstance(eval_ops, dict):
        fetches: Any = {**eval_ops, "update_eval_step": update}
        together = list(fetches.values())
    else:
        given = list(eval_ops) if isinstance(eval_ops, (list, tuple)) else [eval_ops]
        fetches = together = [*given, update]
    with control_dependencies(together):
        return fetches, identity(step.read_value())


def _prepared(
    eval_ops: NestedTensors | None, hooks: Sequence[SessionRunHook]
) -> NestedTensors | None:
    """What each run fetches; gives the counting hooks their counter."""
    if eval_ops is None:
        return None
    several = any(isinstance(hook, MultiStepStopAfterNEvalsHook) for hook in hooks)
    batches = cast(get_or_create_steps_per_run_variable(), dtypes.int64) if several else 1
    fetches, completed = _counted(eval_ops, batches)
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(completed)
    return fetches


def _run_until_stopped(
    creator: ChiefSessionCreator,
    fetches: NestedTensors | None,
    feed_dict: FeedDict | None,
    hooks: Sequence[SessionRunHook],
    log_start: bool,
) -> None:
    with MonitoredSession(session_creator=creator, hooks=hooks) as session:
        if log_start:
            logging.info("Starting evaluation at %s", _now(True, "-"))
        while fetches is not None and not session.should_stop():
            session.run(fetches, feed_dict)
        if log_start:
            logging.info("Finished evaluation at %s", _now(True, "-"))
    if not log_start:
        # TensorFlow writes local times here, and UTC above.
        logging.info("Finished evaluation at %s", _now(False, "-"))


def _now(is_utc: bool, separator: str, suffix: str = "") -> str:
    now = time.gmtime() if is_utc else time.localtime()
    return time.strftime(f"%Y-%m-%d{separator}%H:%M:%S{suffix}", now)


@export("contrib.training.evaluate_once")
def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: NestedTensors | None = None,
    feed_dict: FeedDict | None = None,
    final_ops: NestedTensors | None = None,
    final_ops_feed_dict: FeedDict | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    config: Any = None,
) -> Any:
    """Evaluates one checkpoint: runs `eval_ops` until a hook requests a stop, then `final_ops`.

    Args:
        checkpoint_path: the path of the checkpoint; None to initialize the variables instead.
        master: where the graph runs; "" is this process.
        scaffold: a Scaffold, or None for the defaults.
        eval_ops: the tensors and ops of each run; None for no runs.
        feed_dict: what is fed to `eval_ops`.
        final_ops: the tensors and ops of the last run, or None.
        final_ops_feed_dict: what is fed to `final_ops`.
        hooks: SessionRunHooks, of which one requests the stop.
        config: a ConfigProto or None.

    Returns:
        The values of `final_ops`.
    """
    all_hooks = list(hooks or [])
    fetches = _prepared(eval_ops, all_hooks)
    logging.info("Starting evaluation at %s", _now(False, "T", "Z"))
    creator = ChiefSessionCreator(
        scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config
    )
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    all_hooks.append(final)
    _run_until_stopped(creator, fetches, feed_dict, all_hooks, log_start=False)
    return final.final_ops_values


@export("contrib.training.evaluate_repeatedly")
def evaluate_repeatedly(
    checkpoint_dir: str,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: NestedTensors | None = None,
    feed_dict: FeedDict | None = None,
    final_ops: NestedTensors | None = None,
    final_ops_feed_dict: FeedDict | None = None,
    eval_interval_secs: float = 60,
    hooks: Sequence[SessionRunHook] | None = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """Evaluates the checkpoints of a folder as they appear.

    Args:
        checkpoint_dir: the folder.
        master: as in `evaluate_once`, like scaffold, eval_ops, feed_dict, final_ops,
            final_ops_feed_dict, hooks and config.
        eval_interval_secs: the least number of seconds between two evaluations.
        max_number_of_evaluations: how many checkpoints to evaluate; None for no limit.
        timeout: how many seconds to wait for a checkpoint; None for no limit.
        timeout_fn: called when the time is over; the evaluation ends if it returns a true value.

    Returns:
        The values of `final_ops` of the last evaluation.
    """
    all_hooks = list(hooks or [])
    fetches = _prepared(eval_ops, all_hooks)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    all_hooks.append(final)
    paths = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for count, path in enumerate(paths, start=1):
        creator = ChiefSessionCreator(
            scaffold, checkpoint_filename_with_path=path, master=master, config=config
        )
        _run_until_stopped(creator, fetches, feed_dict, all_hooks, log_start=True)
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return final.final_ops_values
