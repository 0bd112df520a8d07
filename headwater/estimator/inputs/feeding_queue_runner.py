"""A queue runner that feeds its enqueue ops from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import FeedDict
from headwater.graph import Operation
from headwater.model.queues.queue_base import QueueBase
from headwater.session.session import Session
from headwater.train.queue_runner import QueueRunner


@export("contrib.training.FeedingQueueRunner")
class FeedingQueueRunner(QueueRunner):
    """Fills a queue with what Python functions return.

    Args:
        queue: the queue.
        enqueue_ops: the ops that fill it.
        feed_fns: for each op a function that returns a feed dict, and raises OutOfRangeError when
            there is nothing more to come.
        queue_closed_exception_types: the errors that mean that there is nothing more to come; a
            tuple with OutOfRangeError if None.

    Raises:
        ValueError: if there is not one function for each op.
    """

    def __init__(
        self,
        queue: QueueBase,
        enqueue_ops: Sequence[Operation],
        feed_fns: Sequence[Callable[[], FeedDict]],
        queue_closed_exception_types: Any = None,
    ) -> None:
        super().__init__(
            queue, enqueue_ops, queue_closed_exception_types=queue_closed_exception_types
        )
        if len(enqueue_ops) != len(feed_fns):
            raise ValueError(
                "If feed_fns is not None, it must have the same length as enqueue_ops."
            )
        self._feed_fns = dict(zip(enqueue_ops, feed_fns))

    def _enqueue_callable(
        self, sess: Session, enqueue_op: Any
    ) -> Callable[[Callable[[], bool]], Any]:
        feed_fn = self._feed_fns[enqueue_op]
        return lambda is_stopped: sess.run(enqueue_op, feed_dict=feed_fn())

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Not possible: a proto cannot have Python functions.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"{type(self).__name__} does not support serialization to proto.")
