"""`tf.contrib.learn.graph_actions`: training, evaluation and inference of a given graph."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import errors, logging
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.monitoring.logged import get_default_monitors
from headwater.graph import Graph, Tensor, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.io.files import join_path
from headwater.model.global_step import get_global_step
from headwater.model.global_step import global_step as value_of_step
from headwater.model.lookup.interface import tables_initializer
from headwater.model.resources import initialize_resources, local_resources, shared_resources
from headwater.model.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
)
from headwater.ops.summary.merge import merge_all
from headwater.protos.lazy import summary_pb2
from headwater.session.session import Session
from headwater.train.checkpoints.saver import Saver
from headwater.train.coordinator import Coordinator
from headwater.train.hooks.tensor_hooks import NanLossDuringTrainingError
from headwater.train.queue_runner import start_queue_runners
from headwater.train.sessions.supervisor import Supervisor
from headwater.train.summaries.file_writer import FileWriterCache

_MODULE = "contrib.learn.graph_actions"
_DATE = "2017-02-15"
_NOTICE = (
    "graph_actions.py will be deleted. Use tf.train.* utilities instead. You can use "
    "learn/estimators/estimator.py as an example."
)
_DIVERGED = "Model diverged with loss = NaN."


@export(f"{_MODULE}.clear_summary_writers")
@deprecated(_DATE, _NOTICE)
def clear_summary_writers() -> None:
    """Closes and forgets all writers of event files."""
    FileWriterCache.clear()


@export(f"{_MODULE}.get_summary_writer")
@deprecated(None, "Use `SummaryWriterCache.get` directly.")
def get_summary_writer(logdir: str) -> Any:
    """The writer of a folder.

    Args:
        logdir: the folder.

    Returns:
        A FileWriter, always the same for equal paths.
    """
    return FileWriterCache.get(logdir)


def _saver_of(graph: Graph, keep_checkpoint_max: int = 5) -> Saver | None:
    """The saver of a graph; a new one if there is none, None without variables."""
    savers = graph.get_collection(GraphKeys.SAVERS)
    if savers:
        saver: Saver = savers[0]
        return saver
    with graph.as_default():
        if not global_variables():
            return None
        saver = Saver(keep_checkpoint_every_n_hours=1, max_to_keep=keep_checkpoint_max)
    graph.add_to_collection(GraphKeys.SAVERS, saver)
    return saver


def _restore(session: Session, graph: Graph, checkpoint_path: str) -> None:
    logging.info("Loading model from checkpoint: %s.", checkpoint_path)
    saver = _saver_of(graph)
    if saver is None:
        logging.info("No variables found in graph, not creating Saver() object.")
    else:
        saver.restore(session, checkpoint_path)


def _run_with_monitors(
    session: Session,
    step: int,
    tensors: Sequence[Any],
    feed_dict: Any,
    monitors: Sequence[Any],
) -> tuple[dict[Any, Any], bool]:
    """Runs a step with monitors; returns (values by name, whether a monitor stops training).

    As in TensorFlow, `post_step` of monitors is not called.
    """
    wanted = list(tensors)
    for monitor in monitors:
        wanted.extend(monitor.step_begin(step))
    wanted = list(dict.fromkeys(wanted))
    values = session.run(wanted, feed_dict=feed_dict)
    names = [tensor.name if isinstance(tensor, Tensor) else tensor for tensor in wanted]
    outputs = dict(zip(names, values, strict=True))
    stops = [monitor.step_end(step, outputs) for monitor in monitors]
    return outputs, any(stops)


@export(f"{_MODULE}.train", "contrib.learn.train")
@deprecated(_DATE, _NOTICE)
def train(
    graph: Graph,
    output_dir: str,
    train_op: Any,
    loss_op: Any,
    global_step_tensor: Any = None,
    init_op: Any = None,
    init_feed_dict: Any = None,
    init_fn: Any = None,
    log_every_steps: int = 10,
    supervisor_is_chief: bool = True,
    supervisor_master: str = "",
    supervisor_save_model_secs: float = 600,
    keep_checkpoint_max: int = 5,
    supervisor_save_summaries_steps: int = 100,
    feed_fn: Callable[[], Any] | None = None,
    steps: int | None = None,
    fail_on_nan_loss: bool = True,
    monitors: Any = None,
    max_steps: int | None = None,
) -> Any:
    """Trains a graph from the latest checkpoint on.

    Args:
        graph: the graph.
        output_dir: the folder of checkpoints and event files.
        train_op: the op that trains and increments the global step.
        loss_op: the loss.
        global_step_tensor: the global step; that of the graph by default.
        init_op: the op that initializes the variables; that of all by default.
        init_feed_dict: feeds of that op; or None.
        init_fn: a function of the session that is called after it; or None.
        log_every_steps: the interval of logged losses.
        supervisor_is_chief: whether this process initializes and saves the model.
        supervisor_master: where the graph runs; "" is this process.
        supervisor_save_model_secs: the interval of checkpoints in seconds.
        keep_checkpoint_max: how many checkpoints are kept.
        supervisor_save_summaries_steps: the interval of summaries in steps.
        feed_fn: a function that returns the feeds of a step; or None.
        steps: how many steps to train; or None.
        fail_on_nan_loss: whether training fails when the loss is NaN.
        monitors: monitors; by default the loss is logged and summaries are written.
        max_steps: the global step to stop at; or None.

    Returns:
        The last loss.

    Raises:
        ValueError: if an argument is missing, both limits are given, or there is no global step.
        NanLossDuringTrainingError: if the loss is NaN.
    """
    while True:
        try:
            if steps is not None and max_steps is not None:
                raise ValueError("Can not provide both steps and max_steps.")
            if not output_dir:
                raise ValueError(f"Output directory should be non-empty {output_dir}.")
            if train_op is None:
                raise ValueError("Missing train_op.")
            if loss_op is None:
                raise ValueError("Missing loss_op.")
            with graph.as_default():
                step = get_global_step(graph) if global_step_tensor is None else global_step_tensor
                if step is None:
                    raise ValueError('No "global_step" was provided or found in the graph.')
                if monitors is None:
                    monitors = get_default_monitors(
                        loss_op=loss_op,
                        summary_op=merge_all(),
                        save_summary_steps=supervisor_save_summaries_steps,
                        summary_writer=FileWriterCache.get(output_dir),
                    )
                saver = _saver_of(graph, keep_checkpoint_max)
                default = Supervisor.USE_DEFAULT
                supervisor = Supervisor(
                    graph,
                    init_op=default if init_op is None else init_op,
                    init_feed_dict=init_feed_dict,
                    init_fn=init_fn,
                    is_chief=supervisor_is_chief,
                    logdir=output_dir,
                    saver=saver,
                    global_step=step,
                    summary_op=None,
                    summary_writer=FileWriterCache.get(output_dir),
                    save_model_secs=supervisor_save_model_secs,
                )
                session = supervisor.prepare_or_wait_for_session(supervisor_master)
                supervisor.start_queue_runners(session)
            run = _TrainingRun(graph, session, supervisor, step, monitors, feed_fn)
            with graph.as_default():
                return run.train(
                    train_op,
                    loss_op,
                    steps,
                    max_steps,
                    log_every_steps,
                    fail_on_nan_loss,
                    saver if supervisor_is_chief else None,
                    join_path(output_dir, "model.ckpt"),
                )
        except errors.AbortedError:
            # A parameter server was restarted.
            logging.warning("Training got Aborted error. Keep training.")


class _TrainingRun:
    """The loop of `train`."""

    def __init__(
        self,
        graph: Graph,
        session: Session,
        supervisor: Supervisor,
        step: Any,
        monitors: Sequence[Any],
        feed_fn: Callable[[], Any] | None,
    ) -> None:
        self._graph = graph
        self._session = session
        self._supervisor = supervisor
        self._step = step
        self._monitors = monitors
        self._feed_fn = feed_fn
        self._last_step = 0
        self._loss: Any = None

    def train(
        self,
        train_op: Any,
        loss_op: Any,
        steps: int | None,
        max_steps: int | None,
        log_every_steps: int,
        fail_on_nan_loss: bool,
        saver: Saver | None,
        checkpoint_path: str,
    ) -> Any:
        self._last_step = value_of_step(self._session, self._step)
        if steps is not None:
            max_steps = self._last_step + steps
        limit = "inf" if max_steps is None else str(max_steps)
        logging.info("Training steps [%d,%s)", self._last_step, limit)
        for monitor in self._monitors:
            monitor.begin(max_steps=max_steps)
        try:
            self._loop(train_op, loss_op, max_steps, log_every_steps, fail_on_nan_loss)
        except errors.OutOfRangeError as error:
            logging.warning(
                "Got exception during tf.learn training loop possibly due to exhausted input "
                "queue %s.",
                error,
            )
        except StopIteration:
            logging.info("Exhausted input iterarator.")
        finally:
            self._end(saver, checkpoint_path)
        return self._loss

    def _loop(
        self,
        train_op: Any,
        loss_op: Any,
        max_steps: int | None,
        log_every_steps: int,
        fail_on_nan_loss: bool,
    ) -> None:
        last_logged = self._last_step
        while not self._supervisor.should_stop():
            if max_steps is not None and self._last_step >= max_steps:
                return
            start = time.time()
            feeds = self._feed_fn() if self._feed_fn is not None else None
            outputs, stops = _run_with_monitors(
                self._session, self._last_step + 1, [train_op, loss_op], feeds, self._monitors
            )
            self._loss = outputs[loss_op.name]
            if np.isnan(self._loss):
                if fail_on_nan_loss:
                    logging.error(_DIVERGED)
                    raise NanLossDuringTrainingError
                logging.warning(_DIVERGED)
            if stops:
                return
            step = value_of_step(self._session, self._step)
            if step <= self._last_step:
                logging.error(
                    "Global step was not incremented by train op at step %s: new step %d",
                    self._last_step,
                    step,
                )
            self._last_step = step
            is_last = max_steps is not None and step >= max_steps
            if is_last or step - last_logged >= log_every_steps:
                logging.info(
                    "training step %d, loss = %.5f (%.3f sec/batch).",
                    step,
                    self._loss,
                    time.time() - start,
                )
                last_logged = step

    def _end(self, saver: Saver | None, checkpoint_path: str) -> None:
        """Saves the last checkpoint, and stops everything."""
        try:
            # The thread that saves checkpoints must not be behind the last one.
            self._supervisor.stop(close_summary_writer=False)
            if saver is not None:
                self._last_step = value_of_step(self._session, self._step)
                logging.info(
                    "Saving checkpoint for step %d to checkpoint: %s.",
                    self._last_step,
                    checkpoint_path,
                )
                saver.save(self._session, checkpoint_path, global_step=self._last_step)
            for monitor in self._monitors:
                monitor.end()
        finally:
            self._session.close()


def _shown(results: Mapping[str, Any]) -> str:
    return ", ".join("%s = %s" % (name, results[name]) for name in sorted(results))  # noqa: UP031


def _write_results(output_dir: str, results: Mapping[str, Any], step: int) -> None:
    logging.info("Saving evaluation summary for step %d: %s", step, _shown(results))
    summary = summary_pb2.Summary()
    for name, value in results.items():
        if isinstance(value, (float, np.float32)):
            summary.value.add(tag=name, simple_value=float(value))
        elif value is not None:
            logging.warning("Skipping summary for %s, must be a float or np.float32.", name)
    writer = FileWriterCache.get(output_dir)
    writer.add_summary(summary, step)
    writer.flush()


def _initialize_local(session: Session) -> None:
    """Initializes what checkpoints do not have."""
    session.run(initialize_resources(shared_resources() + local_resources()))
    session.run(local_variables_initializer())
    session.run(tables_initializer())


@export(f"{_MODULE}.evaluate", "contrib.learn.evaluate")
@deprecated(_DATE, _NOTICE)
def evaluate(
    graph: Graph,
    output_dir: str,
    checkpoint_path: str | None,
    eval_dict: Mapping[str, Any],
    update_op: Any = None,
    global_step_tensor: Any = None,
    supervisor_master: str = "",
    log_every_steps: int = 10,
    feed_fn: Callable[[], Any] | None = None,
    max_steps: int | None = None,
) -> tuple[dict[str, Any], int]:
    """Evaluates a graph, until its input ends or for a number of steps.

    Args:
        graph: the graph.
        output_dir: the folder of the event file.
        checkpoint_path: the path of the checkpoint; None to initialize the variables.
        eval_dict: tensors by name.
        update_op: the op that updates them from a batch; None to compute them from the last batch.
        global_step_tensor: the global step; that of the graph by default.
        supervisor_master: where the graph runs; "" is this process.
        log_every_steps: the interval of logged values.
        feed_fn: a function that returns the feeds of a step; or None.
        max_steps: how many steps; None until the input ends.

    Returns:
        (values by name, the global step).

    Raises:
        ValueError: if there is no folder, or no global step.
    """
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    with graph.as_default():
        step_tensor = get_global_step(graph) if global_step_tensor is None else global_step_tensor
        with Session(supervisor_master) as session:
            if checkpoint_path:
                _restore(session, graph, checkpoint_path)
            else:
                logging.warning("Failed to initialize from %s.", checkpoint_path)
                session.run(global_variables_initializer())
            _initialize_local(session)
            current = value_of_step(session, step_tensor)
            results = _evaluated(
                session, dict(eval_dict), update_op, log_every_steps, feed_fn, max_steps, current
            )
        _write_results(output_dir, results, current)
        return results, current


def _evaluated(
    session: Session,
    eval_dict: dict[str, Any],
    update_op: Any,
    log_every_steps: int,
    feed_fn: Callable[[], Any] | None,
    max_steps: int | None,
    global_step: int,
) -> dict[str, Any]:
    """The values after all steps."""
    coord = Coordinator()
    threads: list[Any] = []
    if get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
        threads = start_queue_runners(session, coord)
    results: dict[str, Any] | None = None
    feeds = None
    step = 0
    limit = "inf" if max_steps is None else str(max_steps)
    logging.info("Eval steps [%d,%s) for training step %d.", step, limit, global_step)
    try:
        while max_steps is None or step < max_steps:
            step += 1
            start = time.time()
            feeds = feed_fn() if feed_fn is not None else None
            if update_op is not None:
                session.run(update_op, feeds)
                results = None
            else:
                results = session.run(eval_dict, feeds)
            if step % log_every_steps == 0:
                if results is None:
                    results = session.run(eval_dict, feeds)
                logging.info(
                    "Results after %d steps (%.3f sec/batch): %s.",
                    step,
                    time.time() - start,
                    _shown(results),
                )
    except errors.OutOfRangeError as error:
        _log_end("queue", max_steps, error)
    except StopIteration as error:
        _log_end("iterator", max_steps, error)
    finally:
        if results is None:
            results = session.run(eval_dict, feeds)
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=120)
    return results


def _log_end(what: str, max_steps: int | None, error: Exception) -> None:
    if max_steps is None:
        logging.info(f"Input {what} is exhausted.")
    else:
        logging.warning(f"Input {what} is exhausted: %s.", error)


@export(f"{_MODULE}.run_n", "contrib.learn.run_n")
@deprecated(_DATE, _NOTICE)
def run_n(
    output_dict: Mapping[str, Any],
    feed_dict: Any = None,
    restore_checkpoint_path: str | None = None,
    n: int = 1,
) -> list[dict[str, Any]]:
    """Computes tensors a number of times.

    Args:
        output_dict: tensors by name.
        feed_dict: feeds; or None.
        restore_checkpoint_path: the path of the checkpoint; None to initialize the variables.
        n: how many times.

    Returns:
        A list of values by name.

    Raises:
        ValueError: if there are no tensors.
    """
    return list(_feed_runs(output_dict, itertools.repeat(feed_dict, n), restore_checkpoint_path))


@export(f"{_MODULE}.run_feeds_iter")
@deprecated(_DATE, _NOTICE)
def run_feeds_iter(
    output_dict: Mapping[str, Any],
    feed_dicts: Iterable[Any],
    restore_checkpoint_path: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Computes tensors for each of several feeds.

    Args:
        output_dict: tensors by name.
        feed_dicts: feeds.
        restore_checkpoint_path: the path of the checkpoint; None to initialize the variables.

    Yields:
        Values by name.

    Raises:
        ValueError: if there are no tensors or feeds.
    """
    return _feed_runs(output_dict, feed_dicts, restore_checkpoint_path)


@export(f"{_MODULE}.run_feeds", "contrib.learn.run_feeds")
@deprecated(_DATE, _NOTICE)
def run_feeds(*args: Any, **kwargs: Any) -> list[dict[str, Any]]:
    """Computes tensors for each of several feeds.

    Args:
        *args: the arguments of `run_feeds_iter`.
        **kwargs: the arguments of `run_feeds_iter`.

    Returns:
        A list of values by name.

    Raises:
        ValueError: if there are no tensors or feeds.
    """
    return list(_feed_runs(*args, **kwargs))


@export(f"{_MODULE}.infer", "contrib.learn.infer")
@deprecated(_DATE, _NOTICE)
def infer(
    restore_checkpoint_path: str | None, output_dict: Mapping[str, Any], feed_dict: Any = None
) -> dict[str, Any]:
    """Computes tensors from the variables of a checkpoint.

    Args:
        restore_checkpoint_path: the path of the checkpoint; None to initialize the variables.
        output_dict: tensors by name.
        feed_dict: feeds; or None.

    Returns:
        Values by name.

    Raises:
        ValueError: if there are no tensors.
    """
    return next(iter(list(_feed_runs(output_dict, [feed_dict], restore_checkpoint_path))))


def _feed_runs(
    output_dict: Mapping[str, Any],
    feed_dicts: Iterable[Any],
    restore_checkpoint_path: str | None = None,
) -> Iterator[dict[str, Any]]:
    if not output_dict:
        raise ValueError(f"output_dict is invalid: {output_dict}.")
    if not feed_dicts:
        raise ValueError(f"feed_dicts is invalid: {feed_dicts}.")
    graph = next(iter(output_dict.values())).graph
    with graph.as_default(), Session("") as session:
        if restore_checkpoint_path:
            _restore(session, graph, restore_checkpoint_path)
        else:
            session.run(global_variables_initializer())
        _initialize_local(session)
        coord = Coordinator()
        threads: list[Any] = []
        if graph.get_collection(GraphKeys.QUEUE_RUNNERS):
            threads = start_queue_runners(session, coord)
        try:
            for feeds in feed_dicts:
                yield session.run(dict(output_dict), feeds)
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=120)
