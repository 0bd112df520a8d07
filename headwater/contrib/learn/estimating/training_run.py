"""The session of `BaseEstimator.fit`: its hooks, and its loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.estimator.training_run import add_saver
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.train.hooks.checkpoint_saver import CheckpointSaverHook
from headwater.train.hooks.tensor_hooks import LoggingTensorHook, NanTensorHook
from headwater.train.sessions.monitored_training_session import MonitoredTrainingSession
from headwater.train.sessions.scaffold import Scaffold

# The interval of logged losses, in steps.
_LOG_STEPS = 100


def run_training(
    ops: Any,
    config: Any,
    model_dir: str,
    session_config: Any,
    global_step: Any,
    hooks: Sequence[Any],
) -> Any:
    """Trains the model of the default graph.

    Args:
        ops: ModelFnOps.
        config: the RunConfig.
        model_dir: the folder of checkpoints and event files.
        session_config: a ConfigProto.
        global_step: the global step.
        hooks: SessionRunHooks of the caller.

    Returns:
        The last loss; None if there was no step.
    """
    get_default_graph().add_to_collection(GraphKeys.LOSSES, ops.loss)
    shown = {"loss": ops.loss, "step": global_step}
    all_hooks = [
        *hooks,
        NanTensorHook(ops.loss),
        LoggingTensorHook(shown, every_n_iter=_LOG_STEPS),
        *ops.training_hooks,
    ]
    scaffold = ops.scaffold or Scaffold()
    add_saver(scaffold, config)
    chief_hooks = [
        *_checkpoint_hooks(config, model_dir, scaffold, [*all_hooks, *ops.training_chief_hooks]),
        *ops.training_chief_hooks,
    ]
    with MonitoredTrainingSession(
        master=config.master,
        is_chief=config.is_chief,
        checkpoint_dir=model_dir,
        scaffold=scaffold,
        hooks=all_hooks,
        chief_only_hooks=chief_hooks,
        # The hook that saves checkpoints is among those above.
        save_checkpoint_secs=0,
        save_summaries_steps=config.save_summary_steps,
        config=session_config,
        log_step_count_steps=getattr(config, "log_step_count_steps", _LOG_STEPS),
    ) as session:
        loss = None
        while not session.should_stop():
            _, loss = session.run([ops.train_op, ops.loss])
    return loss


def _checkpoint_hooks(
    config: Any, model_dir: str, scaffold: Scaffold, hooks: Sequence[Any]
) -> list[Any]:
    """The hook that saves checkpoints, unless another one does or none are wanted."""
    if not (config.save_checkpoints_secs or config.save_checkpoints_steps):
        return []
    if any(isinstance(hook, CheckpointSaverHook) for hook in hooks):
        return []
    return [
        CheckpointSaverHook(
            model_dir,
            save_secs=config.save_checkpoints_secs,
            save_steps=config.save_checkpoints_steps,
            scaffold=scaffold,
        )
    ]
