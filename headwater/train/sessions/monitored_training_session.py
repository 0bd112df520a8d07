"""MonitoredTrainingSession: a monitored session that saves checkpoints and summaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.older_calls import inserted
from headwater.graph import replication
from headwater.train.hooks.checkpoint_saver import CheckpointSaverHook
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.hooks.step_counter import StepCounterHook
from headwater.train.hooks.summary_saver import SummarySaverHook
from headwater.train.sessions.monitored_session import MonitoredSession
from headwater.train.sessions.scaffold import Scaffold
from headwater.train.sessions.session_creators import ChiefSessionCreator, WorkerSessionCreator

# Stands for an interval that follows from other arguments.
USE_DEFAULT: Any = object()

_DEFAULT_SAVE_CHECKPOINT_SECS = 600
_DEFAULT_SAVE_SUMMARIES_STEPS = 100


def _is_configuration(value: Any) -> bool:
    return hasattr(value, "graph_options")


@export("train.MonitoredTrainingSession")
@inserted(8, USE_DEFAULT, older=_is_configuration)  # the configuration was the ninth argument
def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: float | None = USE_DEFAULT,
    save_summaries_steps: int | None = USE_DEFAULT,
    save_summaries_secs: float | None = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: int | None = USE_DEFAULT,
    summary_dir: str | None = None,
) -> MonitoredSession:
    """Makes a MonitoredSession for training, which saves checkpoints and summaries.

    Args:
        master: where the graph runs; "" is this process.
        is_chief: whether this is the chief, which initializes, saves and writes summaries; another
            worker waits for it.
        checkpoint_dir: the folder to restore from and to save checkpoints in; or None.
        scaffold: a Scaffold; a new one if None.
        hooks: SessionRunHooks, or None.
        chief_only_hooks: SessionRunHooks of a chief, or None.
        save_checkpoint_secs: the interval of checkpoints in seconds, 600 by default; None or 0
            for none.
        save_summaries_steps: the interval of summaries in steps, 100 by default; None or 0 for
            none.
        save_summaries_secs: the interval of summaries in seconds.
        config: a ConfigProto or None.
        stop_grace_period_secs: how many seconds threads have to end.
        log_step_count_steps: how often the number of steps per second is logged and written, in
            steps; None or 0 for never.
        max_wait_secs: how many seconds a worker waits for the chief at most.
        save_checkpoint_steps: the interval of checkpoints in steps.
        summary_dir: the folder of the event file; `checkpoint_dir` if None.

    Returns:
        A MonitoredSession.
    """
    save_summaries_steps, save_summaries_secs = _intervals(
        save_summaries_steps, save_summaries_secs, _DEFAULT_SAVE_SUMMARIES_STEPS, None
    )
    save_checkpoint_steps, save_checkpoint_secs = _intervals(
        save_checkpoint_steps, save_checkpoint_secs, None, _DEFAULT_SAVE_CHECKPOINT_SECS
    )
    scaffold = scaffold or Scaffold()
    all_hooks = list(hooks or [])
    if not is_chief and replication.has_own_variables():
        # Each worker has variables of its own, and initializes or restores them.
        return MonitoredSession(
            ChiefSessionCreator(scaffold, master, config, checkpoint_dir),
            all_hooks,
            stop_grace_period_secs,
        )
    if not is_chief:
        return MonitoredSession(
            WorkerSessionCreator(scaffold, master, config, max_wait_secs),
            all_hooks,
            stop_grace_period_secs,
        )
    services = list(chief_only_hooks or [])
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            services.append(
                StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps)
            )
        if _is_positive(save_summaries_steps) or _is_positive(save_summaries_secs):
            services.append(
                SummarySaverHook(
                    scaffold=scaffold,
                    save_steps=save_summaries_steps,
                    save_secs=save_summaries_secs,
                    output_dir=summary_dir,
                )
            )
    if checkpoint_dir and (
        _is_positive(save_checkpoint_secs) or _is_positive(save_checkpoint_steps)
    ):
        services.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_steps=save_checkpoint_steps,
                save_secs=save_checkpoint_secs,
                scaffold=scaffold,
            )
        )
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, services + all_hooks, stop_grace_period_secs)


def _intervals(
    steps: Any, secs: Any, default_steps: int | None, default_secs: float | None
) -> tuple[int | None, float | None]:
    """The intervals in steps and in seconds: the defaults if neither is given."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default_steps, default_secs
    return None if steps is USE_DEFAULT else steps, None if secs is USE_DEFAULT else secs


def _is_positive(interval: float | None) -> bool:
    return interval is not None and interval > 0
