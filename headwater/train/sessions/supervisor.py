"""Supervisor: the training service of older programs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import FeedDict, TensorLike
from headwater.graph import Graph, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.graph_util import write_graph
from headwater.io.files import join_path
from headwater.model.global_step import global_step as value_of_step
from headwater.protos.lazy import event_pb2
from headwater.session.session import Session
from headwater.train.checkpoints.meta_graph import make_meta_graph
from headwater.train.coordinator import Coordinator, LooperThread
from headwater.train.queue_runner import QueueRunner
from headwater.train.sessions.session_manager import SessionManager
from headwater.train.sessions.supervised_model import USE_DEFAULT, SupervisedModel
from headwater.train.sessions.supervisor_threads import (
    SVStepCounterThread,
    SVSummaryThread,
    SVTimerCheckpointThread,
)
from headwater.train.summaries.file_writer import FileWriter


@export("train.Supervisor")
class Supervisor(SupervisedModel):
    """Restores and initializes a model, and saves checkpoints and summaries while it trains.

    A chief initializes or restores the model and runs the services, which are threads; another
    worker waits for the chief. `Supervisor.USE_DEFAULT` stands for the default of an argument, and
    None for nothing.

    Args:
        graph: the graph; the default graph if None. It is finalized.
        ready_op: a string vector that is empty when the model is ready; by default the names of
            the variables without a value.
        ready_for_local_init_op: a string vector that is empty when `local_init_op` can run; None
            by default.
        is_chief: whether this is the chief.
        init_op: initializes the model; by default all global variables.
        init_feed_dict: what is fed to `init_op`.
        local_init_op: initializes what each worker has of its own; by default local variables and
            tables.
        logdir: the folder of checkpoints and summaries; None for neither.
        summary_op: a string tensor of summaries for the summary thread; by default all of the
            graph.
        saver: the Saver; by default one of all variables.
        global_step: an integer tensor that counts steps; by default ``"global_step:0"``.
        save_summaries_secs: the interval of summaries in seconds; 0 for none.
        save_model_secs: the interval of checkpoints in seconds; 0 for none.
        recovery_wait_secs: how many seconds a worker waits between two checks of the model.
        stop_grace_secs: how many seconds threads have to end.
        checkpoint_basename: the beginning of the names of checkpoints.
        session_manager: the SessionManager; a new one if None.
        summary_writer: the FileWriter; by default one for `logdir`.
        init_fn: a function of the session that is called after `init_op`; or None.
        local_init_run_options: RunOptions for `local_init_op`, or None.

    Raises:
        ValueError: if a worker that is not the chief has a variable without a device.

    Example:
        >>> step = tf.train.get_or_create_global_step()
        >>> train = step.assign_add(1)
        >>> supervisor = tf.train.Supervisor()
        >>> with supervisor.managed_session() as sess:
        ...     while not supervisor.should_stop():
        ...         if sess.run(train) == 3:
        ...             supervisor.request_stop()
        ...     print(sess.run(step))
        3
    """

    USE_DEFAULT = USE_DEFAULT

    def __init__(
        self,
        graph: Graph | None = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: FeedDict | None = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[Session], None] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        super().__init__(
            get_default_graph() if graph is None else graph,
            ready_op,
            ready_for_local_init_op,
            init_op,
            init_feed_dict,
            local_init_op,
            summary_op,
            saver,
            global_step,
        )
        self._init_fn = init_fn
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._logdir: str | None = None
        self._save_summaries_secs: float | None = None
        self._save_model_secs: float | None = None
        self._save_path: str | None = None
        self._summary_writer: Any = None
        if is_chief:
            self._logdir = logdir
            self._save_summaries_secs = save_summaries_secs
            self._save_model_secs = save_model_secs
            if logdir:
                self._save_path = join_path(logdir, checkpoint_basename)
            if summary_writer is not USE_DEFAULT:
                self._summary_writer = summary_writer
            elif logdir:
                self._summary_writer = FileWriter(logdir)
            self._graph_added_to_summary = False
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._verify_setup()
        # The services save and write the graph as it is now.
        self._graph.finalize()

    def _verify_setup(self) -> None:
        if self._is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in ("Variable", "VariableV2") and not op.device:
                raise ValueError(
                    f"When using replicas, all Variables must have their device set: {op}"
                )

    @property
    def is_chief(self) -> bool:
        """Whether this is the chief."""
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        """The SessionManager."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """The Coordinator of the services and queue runners."""
        return self._coord

    @property
    def summary_writer(self) -> Any:
        """The FileWriter of a chief, or None."""
        return self._summary_writer

    @property
    def save_summaries_secs(self) -> float | None:
        """The interval of summaries in seconds; None if this is not the chief."""
        return self._save_summaries_secs

    @property
    def save_model_secs(self) -> float | None:
        """The interval of checkpoints in seconds; None if this is not the chief."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """The beginning of the paths of checkpoints, or None."""
        return self._save_path

    def _write_graph(self) -> None:
        graph_def = self._graph.as_graph_def(add_shapes=True)
        if self._logdir:
            write_graph(graph_def, self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added_to_summary:
            saver_def = self._saver.saver_def if self._saver else None
            self._summary_writer.add_graph(self._graph)
            # The collections are those of the default graph, as in TensorFlow.
            meta_graph = make_meta_graph(graph_def, get_default_graph(), saver_def)
            self._summary_writer.add_meta_graph(meta_graph)
            self._graph_added_to_summary = True

    def start_standard_services(self, sess: Session) -> list[threading.Thread] | None:
        """Starts the threads that save summaries, rates and checkpoints.

        Args:
            sess: the session.

        Returns:
            The threads; None without a folder.

        Raises:
            RuntimeError: if this is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors "
                "can write events."
            )
        if not self._logdir:
            logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            # TensorBoard drops the events after this step, which an earlier run may have left.
            self._log_status(event_pb2.SessionLog.START, value_of_step(sess, self._global_step))
        threads: list[threading.Thread] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self.saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def _log_status(self, status: int, step: int | None = None) -> None:
        self._summary_writer.add_session_log(event_pb2.SessionLog(status=status), step)

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """Opens a session whose model is ready: a chief prepares it, others wait.

        Args:
            master: where the graph runs; "" is this process.
            config: a ConfigProto or None.
            wait_for_checkpoint: whether a chief waits until there is a checkpoint.
            max_wait_secs: how many seconds to wait at most.
            start_standard_services: whether the services and the queue runners are started.

        Returns:
            A Session.
        """
        # The coordinator and the writer may have been stopped with an earlier session.
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master,
                init_op=self.init_op,
                saver=self.saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                logging.info("Starting standard services.")
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(
                master, config=config, max_wait_secs=max_wait_secs
            )
        if start_standard_services:
            logging.info("Starting queue runners.")
            self.start_queue_runners(sess)
        return sess

    def start_queue_runners(
        self, sess: Session, queue_runners: Sequence[QueueRunner] | None = None
    ) -> list[threading.Thread]:
        """Starts the threads of queue runners.

        Args:
            sess: the session.
            queue_runners: QueueRunners; those of the graph if None.

        Returns:
            The threads.
        """
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)
        ]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> LooperThread:
        """Starts a thread that calls a function repeatedly until the Supervisor stops.

        Args:
            timer_interval_secs: how many seconds from one call to the next; None for no pause.
            target: the function.
            args: its arguments.
            kwargs: its keyword arguments.

        Returns:
            The thread.
        """
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(
        self,
        threads: Iterable[threading.Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ends the services, queue runners and loops. The session stays open.

        Args:
            threads: threads to wait for besides these.
            close_summary_writer: whether the event file is closed.
            ignore_live_threads: whether threads that are still running are not an error.

        Raises:
            Exception: the one that a thread has reported, unless it is an OutOfRangeError.
            RuntimeError: if a thread is still running.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads,
                stop_grace_period_secs=self._stop_grace_secs,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            # The threads have used the writer until now.
            if close_summary_writer and self._summary_writer:
                # Without a step: the session that has it may be gone.
                self._log_status(event_pb2.SessionLog.STOP)
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop.

        Args:
            ex: an exception, or a tuple as `sys.exc_info()` returns it, that `stop` raises.
        """
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> AbstractContextManager[None]:
        """A with block whose exceptions request a stop instead of being raised."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until a stop is requested."""
        self._coord.wait_for_stop()

    def summary_computed(
        self, sess: Session, summary: Any, global_step: TensorLike | None = None
    ) -> None:
        """Writes a summary.

        Args:
            sess: the session.
            summary: a Summary proto, or one in serialized form as a session returns it.
            global_step: its step; None for the value of the global step.

        Raises:
            RuntimeError: if there is no writer: without a folder, or if this is not the chief.
            TypeError: if `summary` is of another type.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if not isinstance(summary, (bytes, np.ndarray)) and not hasattr(
            summary, "SerializeToString"
        ):
            raise TypeError(f"summary must be a Summary proto or a string, not {type(summary)}")
        if global_step is None and self.global_step is not None:
            global_step = value_of_step(sess, self.global_step)
        self._summary_writer.add_summary(summary, global_step)

    @contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """A with block with a session, which ends the threads and closes the session.

        An exception of the block or of a thread is raised at the end of the block; an
        OutOfRangeError just ends it.

        Args:
            master: where the graph runs; "" is this process.
            config: a ConfigProto or None.
            start_standard_services: whether the services and the queue runners are started.
            close_summary_writer: whether the event file is closed.

        Yields:
            A Session.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(
                master, config=config, start_standard_services=start_standard_services
            )
            yield sess
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                # This also ends what is still blocked.
                if sess is not None:
                    _close_quietly(sess)

    # Names of older releases.
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _close_quietly(sess: Session) -> None:
    try:
        sess.close()
    except Exception as error:
        logging.debug("Ignored exception: %s", error)
