"""Queue runners: threads that fill queues."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import errors, logging
from headwater.base.compat_strings import as_str_any
from headwater.base.export import export
from headwater.graph import Operation, Tensor, get_default_graph
from headwater.graph.collection_protos import register_proto_function
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.scope_names import prepend_name_scope, strip_name_scope
from headwater.model.queues.queue_base import QueueBase
from headwater.protos.lazy import LazyMessage, queue_runner_pb2
from headwater.session.repeated_run import RepeatedRun
from headwater.session.session import BaseSession, Session, get_default_session
from headwater.train.coordinator import Coordinator

if TYPE_CHECKING:
    from headwater.base.errors import OpError
    from headwater.protos.queue_runner_pb2 import QueueRunnerDef

# Sessions of these classes start the queue runners themselves.
_MONITORED = ("MonitoredSession", "SingularMonitoredSession")


@export("train.QueueRunner", "train.queue_runner.QueueRunner")
class QueueRunner:
    """Fills a queue in threads, one per enqueue op, and closes it when there is nothing more.

    Args:
        queue: the queue.
        enqueue_ops: the ops that fill it; an op that is there twice runs in two threads.
        close_op: the op that closes the queue when all are done; None for `queue.close`.
        cancel_op: the op that closes it when a coordinator stops; None for `queue.close` with
            pending enqueues cancelled.
        queue_closed_exception_types: the errors that mean that there is nothing more to come; a
            tuple with OutOfRangeError if None.
        queue_runner_def: a QueueRunnerDef proto that says all this.
        import_scope: the name scope that the graph of the proto was imported into.

    Raises:
        ValueError: if there is too little or too much.
        TypeError: if the types of errors are not a tuple of exception types.
    """

    def __init__(
        self,
        queue: QueueBase | None = None,
        enqueue_ops: Sequence[Tensor | Operation] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Sequence[type[OpError]] | None = None,
        queue_runner_def: QueueRunnerDef | None = None,
        import_scope: str | None = None,
    ) -> None:
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._init_from_proto(queue_runner_def, import_scope)
        else:
            self._init_from_args(
                queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types
            )
        self._lock = threading.Lock()
        # The number of running threads of each session.
        self._runs_per_session: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[Exception] = []

    def _init_from_args(
        self,
        queue: Any,
        enqueue_ops: Any,
        close_op: Any,
        cancel_op: Any,
        closed_types: Sequence[type[OpError]] | None,
    ) -> None:
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue = queue
        self._enqueue_ops = enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )
        if closed_types is None:
            closed_types = (errors.OutOfRangeError,)
        elif not (
            isinstance(closed_types, tuple)
            and closed_types
            and all(isinstance(t, type) and issubclass(t, errors.OpError) for t in closed_types)
        ):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of tf.error types, "
                f"but saw: {closed_types}"
            )
        self._queue_closed_exception_types = closed_types

    def _init_from_proto(self, proto: QueueRunnerDef, import_scope: str | None) -> None:
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._queue = element(proto.queue_name)
        self._enqueue_ops = [element(name) for name in proto.enqueue_op_name]
        self._close_op = element(proto.close_op_name)
        self._cancel_op = element(proto.cancel_op_name)
        codes = proto.queue_closed_exception_types
        self._queue_closed_exception_types = tuple(
            errors.exception_type_from_error_code(code) for code in codes
        ) or (errors.OutOfRangeError,)

    @property
    def queue(self) -> QueueBase | Operation:
        """The queue, or its op if this was made from a proto."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Operation]:
        """The ops that fill the queue."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Operation:
        """The op that closes the queue at the end of the input."""
        return self._close_op

    @property
    def cancel_op(self) -> Operation:
        """The op that closes the queue when a coordinator stops."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type, ...]:
        """The errors that signal the end of the input."""
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self) -> list[Exception]:
        """The errors of threads without a coordinator to report them to."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    def _enqueue_callable(
        self, sess: Session, enqueue_op: Tensor | Operation
    ) -> Callable[[Callable[[], bool]], Any]:
        """A function that enqueues, once or repeatedly; it is told whether to stop."""
        return RepeatedRun(sess, enqueue_op)

    def _run(
        self, sess: Session, enqueue_op: Tensor | Operation, coord: Coordinator | None = None
    ) -> None:
        """The main loop of a thread: runs an op repeatedly."""
        counted = True
        try:
            run = self._enqueue_callable(sess, enqueue_op)

            def is_stopped() -> bool:
                return coord is not None and coord.should_stop()

            while not is_stopped():
                try:
                    run(is_stopped)
                except self._queue_closed_exception_types:
                    with self._lock:
                        counted = False
                        self._runs_per_session[sess] -= 1
                        last = not self._runs_per_session[sess]
                        if last:
                            try:
                                sess.run(self._close_op)
                            except Exception as error:
                                # The queue may be closed already, and the session too.
                                logging.debug("Ignored exception: %s", as_str_any(str(error)))
                        return
        except Exception as error:
            if coord:
                coord.request_stop(error)
            else:
                logging.error("Exception in QueueRunner: %s", as_str_any(str(error)))
                with self._lock:
                    self._exceptions_raised.append(error)
                raise
        finally:
            if counted:
                with self._lock:
                    self._runs_per_session[sess] -= 1

    def _close_on_stop(self, sess: Session, cancel_op: Operation, coord: Coordinator) -> None:
        """Waits until the coordinator stops, then closes the queue."""
        coord.wait_for_stop()
        try:
            sess.run(cancel_op)
        except Exception as error:
            # The session may be closed already.
            logging.debug("Ignored exception: %s", as_str_any(str(error)))

    def create_threads(
        self,
        sess: Session,
        coord: Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[threading.Thread]:
        """Makes the threads that fill the queue, if a session has none of them yet.

        Args:
            sess: the session.
            coord: a Coordinator that gets their errors and stops them.
            daemon: whether the program may end before they do.
            start: whether they are started.

        Returns:
            The threads.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []

        def thread(target: Callable[..., None], args: tuple[Any, ...], what: str) -> Any:
            return threading.Thread(
                target=target, args=args, name=f"QueueRunnerThread-{self.name}-{what}"
            )

        threads = [
            thread(self._run, (sess, op, coord), getattr(op, "name", op))
            for op in self._enqueue_ops
        ]
        if coord:
            threads.append(
                thread(self._close_on_stop, (sess, self._cancel_op, coord), "close_on_stop")
            )
        for t in threads:
            if coord:
                coord.register_thread(t)
            t.daemon = daemon
            if start:
                t.start()
        return threads

    def to_proto(self, export_scope: str | None = None) -> QueueRunnerDef | None:
        """The queue runner as a QueueRunnerDef proto.

        Args:
            export_scope: the name scope that is cut off.

        Returns:
            The proto; None if the queue is not in that scope.
        """
        if export_scope is not None and not self.queue.name.startswith(export_scope):
            return None

        def name(item: Any) -> str:
            return strip_name_scope(item.name, export_scope)

        return queue_runner_pb2.QueueRunnerDef(
            queue_name=name(self.queue),
            enqueue_op_name=[name(op) for op in self.enqueue_ops],
            close_op_name=name(self.close_op),
            cancel_op_name=name(self.cancel_op),
            queue_closed_exception_types=[
                errors.error_code_from_exception_type(t) for t in self._queue_closed_exception_types
            ],
        )

    @staticmethod
    def from_proto(
        queue_runner_def: QueueRunnerDef, import_scope: str | None = None
    ) -> QueueRunner:
        """The queue runner that a proto describes.

        Args:
            queue_runner_def: a QueueRunnerDef proto.
            import_scope: the name scope that its graph was imported into.

        Returns:
            A QueueRunner.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


register_proto_function(
    GraphKeys.QUEUE_RUNNERS,
    proto_type=LazyMessage(queue_runner_pb2, "QueueRunnerDef"),
    to_proto=QueueRunner.to_proto,
    from_proto=QueueRunner.from_proto,
)


@export("train.add_queue_runner", "train.queue_runner.add_queue_runner")
def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a queue runner to a collection of the default graph, for `start_queue_runners`.

    Args:
        qr: the queue runner.
        collection: the key of the collection.
    """
    get_default_graph().add_to_collection(collection, qr)


@export("train.start_queue_runners", "train.queue_runner.start_queue_runners")
def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all queue runners of a graph.

    Args:
        sess: the session; the default session if None.
        coord: a Coordinator that gets their errors and stops them.
        daemon: whether the program may end before they do.
        start: whether they are started.
        collection: the key of the collection of queue runners.

    Returns:
        The threads.

    Raises:
        ValueError: if there is no session.
        TypeError: if `sess` is not a session.
    """
    if sess is None:
        sess = get_default_session()
        if not sess:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with "
                "sess.as_default()` or pass an explicit session to "
                "tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, BaseSession):
        if any(c.__name__ in _MONITORED for c in type(sess).__mro__):
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {sess.__class__}")
    queue_runners = sess.graph.get_collection(collection)
    if not queue_runners:
        logging.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were defined. You "
            "can safely remove the call to this deprecated function."
        )
    with sess.graph.as_default():
        return [
            thread
            for qr in queue_runners
            for thread in qr.create_threads(sess, coord=coord, daemon=daemon, start=start)
        ]
