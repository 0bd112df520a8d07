"""The session of `Estimator.train`: its hooks, and its loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import errors, logging
from headwater.base.typing import TensorLike
from headwater.estimator.model_fn import EstimatorSpec
from headwater.estimator.run_config import RunConfig
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.summary.scalar import scalar
from headwater.train.checkpoints.checkpoint_reader import load_checkpoint
from headwater.train.checkpoints.saver import Saver
from headwater.train.hooks.checkpoint_saver import CheckpointSaverHook, CheckpointSaverListener
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.hooks.tensor_hooks import LoggingTensorHook, NanTensorHook
from headwater.train.sessions.monitored_training_session import MonitoredTrainingSession
from headwater.train.sessions.scaffold import Scaffold


def trained_steps(model_dir: str) -> int:
    """The global step of the latest checkpoint; 0 if there is none."""
    try:
        reader = load_checkpoint(model_dir)
        return int(reader.get_tensor(GraphKeys.GLOBAL_STEP))
    except (errors.OpError, ValueError):
        return 0


def run_training(
    spec: EstimatorSpec,
    config: RunConfig,
    model_dir: str,
    session_config: Any,
    global_step: Any,
    hooks: Sequence[SessionRunHook],
    saving_listeners: Sequence[CheckpointSaverListener],
) -> Any:
    """Trains the model of the default graph.

    Args:
        spec: what the model function has returned.
        config: the RunConfig.
        model_dir: the folder of checkpoints and event files.
        session_config: a ConfigProto.
        global_step: the global step.
        hooks: SessionRunHooks of the input and of the caller.
        saving_listeners: CheckpointSaverListeners.

    Returns:
        The last loss; None if there was no step.

    Raises:
        ValueError: if there are listeners, but no checkpoints are saved.
    """
    _add_loss_to_graph(spec.loss)
    worker_hooks = [*hooks, NanTensorHook(spec.loss)]
    if config.log_step_count_steps is not None:
        shown = {"loss": spec.loss, "step": global_step}
        worker_hooks.append(LoggingTensorHook(shown, every_n_iter=config.log_step_count_steps))
    worker_hooks.extend(spec.training_hooks)
    add_saver(spec.scaffold, config)
    chief_hooks = _checkpoint_hooks(spec, config, model_dir, worker_hooks, saving_listeners)
    session = MonitoredTrainingSession(
        master=config.master,
        is_chief=config.is_chief,
        checkpoint_dir=model_dir,
        scaffold=spec.scaffold,
        hooks=worker_hooks,
        chief_only_hooks=[*chief_hooks, *spec.training_chief_hooks],
        # The hook that saves checkpoints is among those above.
        save_checkpoint_secs=0,
        save_summaries_steps=config.save_summary_steps,
        config=session_config,
        max_wait_secs=config.session_creation_timeout_secs,
        log_step_count_steps=config.log_step_count_steps,
    )
    loss = None
    any_step_done = False
    with session:
        while not session.should_stop():
            _, loss = session.run([spec.train_op, spec.loss])
            any_step_done = True
    if not any_step_done:
        logging.warning(
            "Training with estimator made no steps. Perhaps input is empty or misspecified."
        )
    return loss


def _add_loss_to_graph(loss: TensorLike) -> None:
    """Records the loss, and writes a summary of it unless the model function does."""
    graph = get_default_graph()
    if not any(x.op.name == "loss" for x in graph.get_collection(GraphKeys.SUMMARIES)):
        scalar("loss", loss)
    graph.add_to_collection(GraphKeys.LOSSES, loss)


def add_saver(scaffold: Scaffold, config: Any) -> None:
    """Adds the Saver of checkpoints to its collection, unless the graph or the scaffold has one.

    Args:
        scaffold: the scaffold of the session.
        config: a RunConfig, also of `tf.contrib.learn`, that says how many checkpoints are kept.
    """
    graph = get_default_graph()
    if scaffold.saver or graph.get_collection(GraphKeys.SAVERS):
        return
    saver = Saver(
        sharded=True,
        max_to_keep=config.keep_checkpoint_max,
        keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
        defer_build=True,
        save_relative_paths=True,
    )
    graph.add_to_collection(GraphKeys.SAVERS, saver)


def _checkpoint_hooks(
    spec: EstimatorSpec,
    config: RunConfig,
    model_dir: str,
    worker_hooks: Sequence[SessionRunHook],
    saving_listeners: Sequence[CheckpointSaverListener],
) -> list[SessionRunHook]:
    """The hook that saves checkpoints, if no other one does; it gets the listeners."""
    savers: list[Any] = [
        hook
        for hook in [*worker_hooks, *spec.training_chief_hooks]
        if isinstance(hook, CheckpointSaverHook)
    ]
    made: list[SessionRunHook] = []
    if (config.save_checkpoints_secs or config.save_checkpoints_steps) and not savers:
        savers = [
            CheckpointSaverHook(
                model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                scaffold=spec.scaffold,
            )
        ]
        made = list(savers)
    if saving_listeners:
        if not savers:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one "
                "of the RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        savers[0]._listeners = [*savers[0]._listeners, *saving_listeners]
    return made
