"""train: the loop of slim with an update of the masks after each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.base.typing import FeedDict
from headwater.contrib.slim import learning
from headwater.contrib.slim.training_setup import USE_DEFAULT
from headwater.graph import Graph
from headwater.train.checkpoints.saver import Saver


@export("contrib.model_pruning.train")
def train(
    train_op: Any,
    logdir: str | None,
    mask_update_op: Any,
    train_step_fn: Callable[..., Any] = learning.train_step,
    train_step_kwargs: Any = USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: Graph | None = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = USE_DEFAULT,
    init_feed_dict: FeedDict | None = None,
    local_init_op: Any = USE_DEFAULT,
    init_fn: Callable[[Any], None] | None = None,
    ready_op: Any = USE_DEFAULT,
    summary_op: Any = USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Saver | None = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    trace_every_n_steps: int | None = None,
) -> float | None:
    """Trains a model under a Supervisor and updates the masks of its weights after each step.

    Args:
        train_op: the tensor of the loss that does a step.
        logdir: the folder of checkpoints and summaries, or None.
        mask_update_op: what `Pruning.conditional_mask_update_op` returns.
        train_step_fn: a function of session, train_op, global_step and train_step_kwargs that
            returns the loss and whether to stop.
        train_step_kwargs: its last argument.
        log_every_n_steps: the interval of log lines in steps.
        graph: as in `tf.contrib.slim.learning.train`, like all further arguments.

    Returns:
        The loss of the last step; None if there was none.

    Raises:
        ValueError: if arguments exclude each other or the number of steps is not positive.
    """

    def step_and_update(session: Any, op: Any, step: Any, kwargs: Any) -> Any:
        result = train_step_fn(session, op, step, kwargs)
        session.run(mask_update_op)
        return result

    return learning.train(
        train_op,
        logdir,
        train_step_fn=step_and_update,
        train_step_kwargs=train_step_kwargs,
        log_every_n_steps=log_every_n_steps,
        graph=graph,
        master=master,
        is_chief=is_chief,
        global_step=global_step,
        number_of_steps=number_of_steps,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        init_fn=init_fn,
        ready_op=ready_op,
        summary_op=summary_op,
        save_summaries_secs=save_summaries_secs,
        summary_writer=summary_writer,
        startup_delay_steps=startup_delay_steps,
        saver=saver,
        save_interval_secs=save_interval_secs,
        sync_optimizer=sync_optimizer,
        session_config=session_config,
        trace_every_n_steps=trace_every_n_steps,
    )
