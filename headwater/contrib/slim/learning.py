"""Training: one op that does a step, and the loop that runs it under a Supervisor."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.base.typing import FeedDict
from headwater.contrib.slim.training_setup import (
    USE_DEFAULT,
    SyncReplicas,
    TrainingOps,
    check_arguments,
    is_default,
    step_arguments,
)
from headwater.contrib.training import training
from headwater.contrib.training.training import (
    USE_GLOBAL_STEP,
    GradsAndVars,
    clip_gradient_norms,
    gradients_summaries,
    multiply_gradients,
)
from headwater.graph import Graph, Tensor, get_default_graph, name_scope
from headwater.io.files import join_path, open_file
from headwater.model.global_step import get_or_create_global_step
from headwater.model.variables.variable import Variable
from headwater.protos.lazy import config_pb2
from headwater.session.timeline import Timeline
from headwater.train.checkpoints.saver import Saver
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.sessions.supervisor import Supervisor

# How long a worker with a delay waits between two looks at the global step, in seconds.
_DELAY_POLL_SECS = 1.0


@export("contrib.slim.learning.add_gradients_summaries")
def add_gradients_summaries(grads_and_vars: Sequence[tuple[Any, Any]]) -> list[Tensor]:
    """Makes summaries of the distributions and norms of gradients.

    Args:
        grads_and_vars: pairs of gradient and variable; pairs without gradient are skipped.

    Returns:
        The summaries.
    """
    return gradients_summaries(grads_and_vars, "/")


@export("contrib.slim.learning.create_train_op")
def create_train_op(
    total_loss: Tensor,
    optimizer: Optimizer,
    global_step: Any = USE_GLOBAL_STEP,
    update_ops: Sequence[Any] | None = None,
    variables_to_train: Sequence[Variable] | None = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: dict[Any, Any] | None = None,
    check_numerics: bool = True,
) -> Tensor:
    """Makes the tensor that, when it is evaluated, does a training step and returns the loss.

    Args:
        total_loss: the loss, a scalar.
        optimizer: the optimizer.
        global_step: the variable that counts steps; that of the graph by default, and None for
            none.
        update_ops: ops that run before the gradients are computed; the collection UPDATE_OPS by
            default.
        variables_to_train: the variables to train; all trainable ones by default.
        clip_gradient_norm: the largest norm of a gradient; 0 for no limit.
        summarize_gradients: whether summaries of the gradients are made.
        gate_gradients: as in `Optimizer.compute_gradients`, like aggregation_method and
            colocate_gradients_with_ops.
        gradient_multipliers: factors of gradients, by variable or by name of a variable; or None.
        check_numerics: whether a loss that is not finite is an error.

    Returns:
        A scalar.
    """

    def transform(grads: GradsAndVars) -> GradsAndVars:
        if gradient_multipliers:
            with name_scope("multiply_grads"):
                grads = multiply_gradients(grads, gradient_multipliers)
        if clip_gradient_norm > 0:
            with name_scope("clip_grads"):
                grads = clip_gradient_norms(grads, clip_gradient_norm)
        return grads

    return training.create_train_op(
        total_loss,
        optimizer,
        global_step=global_step,
        update_ops=update_ops,
        variables_to_train=variables_to_train,
        transform_grads_fn=transform,
        summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        check_numerics=check_numerics,
    )


@export("contrib.slim.learning.train_step")
def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """Does one step, and logs and traces it if it is time to.

    Args:
        sess: the session.
        train_op: the tensor of the loss that does the step.
        global_step: the variable that counts steps.
        train_step_kwargs: bool tensors "should_stop", "should_log" and "should_trace", the folder
            "logdir" and the FileWriter "summary_writer"; all may be missing.

    Returns:
        The loss, and whether to stop.

    Raises:
        ValueError: if there is "should_trace" but no "logdir".
    """
    start = time.time()
    options = metadata = None
    if "should_trace" in train_step_kwargs:
        if "logdir" not in train_step_kwargs:
            raise ValueError(
                "logdir must be present in train_step_kwargs when should_trace is present"
            )
        if sess.run(train_step_kwargs["should_trace"]):
            options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
            metadata = config_pb2.RunMetadata()
    total_loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    elapsed = time.time() - start
    if metadata is not None:
        _write_trace(metadata, step, train_step_kwargs)
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, total_loss, elapsed)
    if "should_stop" in train_step_kwargs:
        return total_loss, sess.run(train_step_kwargs["should_stop"])
    return total_loss, False


def _write_trace(metadata: Any, step: int, train_step_kwargs: dict[str, Any]) -> None:
    trace = Timeline(metadata.step_stats).generate_chrome_trace_format()
    path = join_path(train_step_kwargs["logdir"], f"tf_trace-{step}.json")
    logging.info("Writing trace to %s", path)
    with open_file(path, "wb") as file:
        file.write(trace.encode())
    writer = train_step_kwargs.get("summary_writer")
    if writer:
        writer.add_run_metadata(metadata, f"run_metadata-{step}")


@export("contrib.slim.learning.train")
def train(
    train_op: Any,
    logdir: str | None,
    train_step_fn: Callable[..., Any] = train_step,
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
    session_wrapper: Callable[[Any], Any] | None = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Trains a model until it has done its steps, and saves it at the end.

    Args:
        train_op: the tensor of the loss that does a step; see `create_train_op`.
        logdir: the folder of checkpoints and summaries, or None.
        train_step_fn: a function of session, train_op, global_step and train_step_kwargs that
            returns the loss and whether to stop.
        train_step_kwargs: its last argument; by default the tensors that `train_step` takes.
        log_every_n_steps: the interval of log lines in steps; 0 for none.
        graph: the graph; the default graph if None.
        master: where the graph runs; "" is this process.
        is_chief: whether this worker initializes and saves the model.
        global_step: the variable that counts steps; that of the graph if None.
        number_of_steps: the global step to stop at; None for no end.
        init_op: as in `tf.train.Supervisor`, like init_feed_dict, local_init_op, init_fn, ready_op,
            summary_op, save_summaries_secs, summary_writer and saver.
        startup_delay_steps: the global step that a worker which is not the chief waits for.
        save_interval_secs: the interval of checkpoints in seconds.
        sync_optimizer: a SyncReplicasOptimizer, a list of them, or None.
        session_config: a ConfigProto or None.
        session_wrapper: a function from the session to the one to use, or None.
        trace_every_n_steps: the interval of traces in steps; None for none.
        ignore_live_threads: whether threads that do not end are not an error.

    Returns:
        The loss of the last step; None if there was none.

    Raises:
        ValueError: if arguments exclude each other or the number of steps is not positive.
    """
    check_arguments(
        train_op,
        logdir,
        number_of_steps,
        summary_op,
        saver,
        trace_every_n_steps,
        sync_optimizer,
        startup_delay_steps,
    )
    graph = graph or get_default_graph()
    replicas = SyncReplicas.of(sync_optimizer)
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        saver = saver or Saver()
        ops = TrainingOps(init_op, ready_op, local_init_op, summary_op)
        ops.complete(replicas.optimizers, is_chief)
        if is_chief:
            replicas.prepare_chief()
        if is_default(train_step_kwargs):
            train_step_kwargs = step_arguments(
                global_step,
                logdir,
                number_of_steps,
                log_every_n_steps,
                trace_every_n_steps if is_chief else None,
            )
    supervisor = Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=ops.init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=ops.local_init_op,
        ready_for_local_init_op=ops.ready_for_local_init_op,
        ready_op=ops.ready_op,
        summary_op=ops.summary_op,
        summary_writer=Supervisor.USE_DEFAULT if is_default(summary_writer) else summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    if train_step_kwargs is not None:
        train_step_kwargs["summary_writer"] = supervisor.summary_writer
    loop = _Loop(supervisor, train_op, global_step, train_step_fn, train_step_kwargs, replicas)
    delay = min(startup_delay_steps, number_of_steps or sys.maxsize)
    while True:
        try:
            return loop.run(
                master, session_config, session_wrapper, delay, logdir, ignore_live_threads
            )
        except errors.AbortedError as error:
            # Another task has gone; the next session restores the last checkpoint.
            logging.info("Retrying training! %s", error)


class _Loop:
    """The steps in the sessions of a Supervisor."""

    def __init__(
        self,
        supervisor: Supervisor,
        train_op: Any,
        global_step: Any,
        step_fn: Callable[..., Any],
        step_kwargs: Any,
        replicas: SyncReplicas,
    ) -> None:
        self._supervisor = supervisor
        self._train_op = train_op
        self._global_step = global_step
        self._step_fn = step_fn
        self._step_kwargs = step_kwargs
        self._replicas = replicas

    def run(
        self,
        master: str,
        config: Any,
        session_wrapper: Callable[[Any], Any] | None,
        delay: int,
        logdir: str | None,
        ignore_live_threads: bool,
    ) -> Any:
        supervisor = self._supervisor
        loss = None
        with supervisor.managed_session(
            master, config=config, start_standard_services=False
        ) as sess:
            logging.info("Starting Session.")
            if session_wrapper is not None:
                logging.info("Wrapping session with wrapper function: %s", session_wrapper)
                sess = session_wrapper(sess)
            if supervisor.is_chief:
                if logdir:
                    supervisor.start_standard_services(sess)
            elif delay > 0:
                _wait_for_step(sess, self._global_step, delay)
            threads = supervisor.start_queue_runners(sess)
            logging.info("Starting Queues.")
            if supervisor.is_chief and self._replicas.optimizers:
                supervisor.start_queue_runners(sess, self._replicas.queue_runners)
                sess.run(self._replicas.init_tokens_ops)
            try:
                loss = self._steps(sess)
            except errors.OutOfRangeError as error:
                logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
            if logdir and supervisor.is_chief:
                logging.info("Finished training! Saving model to disk.")
                supervisor.saver.save(
                    sess, supervisor.save_path, global_step=supervisor.global_step
                )
            # The end of the block closes the writer.
            supervisor.stop(
                threads, close_summary_writer=False, ignore_live_threads=ignore_live_threads
            )
        return loss

    def _steps(self, sess: Any) -> Any:
        loss = None
        while not self._supervisor.should_stop():
            loss, should_stop = self._step_fn(
                sess, self._train_op, self._global_step, self._step_kwargs
            )
            if should_stop:
                logging.info("Stopping Training.")
                self._supervisor.request_stop()
        return loss


def _wait_for_step(sess: Any, global_step: Any, step: int) -> None:
    while np.any(sess.run(global_step) < step):
        logging.info("Waiting for step %d before starting training.", step)
        time.sleep(_DELAY_POLL_SECS)
