"""Evaluation: batches of the input update metrics in a session of their own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.typing import FeedDict, NestedTensors
from headwater.graph import control_dependencies, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.state.assign import assign_add
from headwater.train.hooks.feeding import FinalOpsHook
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.hooks.stop_after_evals import (
    MultiStepStopAfterNEvalsHook,
    StopAfterNEvalsHook,
)
from headwater.train.hooks.stop_at_step import get_or_create_steps_per_run_variable
from headwater.train.sessions.monitored_session import MonitoredSession
from headwater.train.sessions.scaffold import Scaffold
from headwater.train.sessions.session_creators import ChiefSessionCreator


def get_or_create_eval_step() -> Any:
    """The variable that counts evaluated batches.

    Returns:
        A local int64 variable; always the same one of a graph.

    Raises:
        ValueError: if there are several.
    """
    found = get_default_graph().get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype=dtypes.int64,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


def _latest_eval_step_value(update_ops: NestedTensors) -> Any:
    """The number of evaluated batches after the updates of this batch."""
    if isinstance(update_ops, dict):
        update_ops = list(update_ops.values())
    if not isinstance(update_ops, (list, tuple)):
        update_ops = [update_ops]
    with control_dependencies(list(update_ops)):
        return identity(get_or_create_eval_step().read_value())


def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: NestedTensors = None,
    feed_dict: FeedDict | None = None,
    final_ops: NestedTensors = None,
    final_ops_feed_dict: FeedDict | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    config: Any = None,
) -> Any:
    """Evaluates the model of a checkpoint.

    Args:
        checkpoint_path: the path of the checkpoint; None for a model as it is initialized.
        master: where the graph runs; "" is this process.
        scaffold: a Scaffold; a new one if None.
        eval_ops: what runs for each batch, until the input or a hook ends the evaluation; None to
            run nothing.
        feed_dict: what each batch feeds; or None.
        final_ops: what is fetched at the end; or None.
        final_ops_feed_dict: what is fed at the end; or None.
        hooks: SessionRunHooks; or None.
        config: a ConfigProto or None.

    Returns:
        The values of `final_ops`.
    """
    eval_step = get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        several = any(isinstance(hook, MultiStepStopAfterNEvalsHook) for hook in hooks)
        steps = cast(get_or_create_steps_per_run_variable(), dtypes.int64) if several else 1
        update_step = assign_add(eval_step, steps, use_locking=True)
        if isinstance(eval_ops, dict):
            eval_ops = {**eval_ops, "update_eval_step": update_step}
        elif isinstance(eval_ops, (list, tuple)):
            eval_ops = [*eval_ops, update_step]
        else:
            eval_ops = [eval_ops, update_step]
        done = _latest_eval_step_value(eval_ops)
        for hook in hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(done)
    logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.localtime()))
    creator = ChiefSessionCreator(
        scaffold=scaffold,
        checkpoint_filename_with_path=checkpoint_path,
        master=master,
        config=config,
    )
    final_hook = FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final_hook)
    with MonitoredSession(session_creator=creator, hooks=hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime()))
    return final_hook.final_ops_values
