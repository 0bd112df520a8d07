"""Hooks that feed runs, and that run ops at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.base.typing import FeedDict, NestedTensors
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)

if TYPE_CHECKING:
    from headwater.session.session import Session


@export("train.FeedFnHook", "estimator.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds each run with what a function returns.

    Args:
        feed_fn: a function without arguments that returns a feed dict.
    """

    def __init__(self, feed_fn: Callable[[], FeedDict]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the feeds."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


@export("train.FinalOpsHook", "estimator.FinalOpsHook")
class FinalOpsHook(SessionRunHook):
    """Computes tensors at the end of a session.

    Args:
        final_ops: what to fetch, in any structure; None for nothing.
        final_ops_feed_dict: what to feed, or None.
    """

    def __init__(
        self, final_ops: NestedTensors, final_ops_feed_dict: FeedDict | None = None
    ) -> None:
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values of `final_ops`; None before the end."""
        return self._final_ops_values

    def end(self, session: Session) -> None:
        """Computes the values.

        Raises:
            OutOfRangeError: if an op reads input that has ended.
        """
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(
                self._final_ops, feed_dict=self._final_ops_feed_dict
            )
        except (errors.OutOfRangeError, StopIteration):
            logging.warning(
                "An OutOfRangeError or StopIteration exception is raised by the code in "
                "FinalOpsHook. This typically means the Ops running by the FinalOpsHook have a "
                "dependency back to some input source, which should not happen. A metric, for "
                "example, has an op that updates it from a batch and an op for its value: the "
                "latter may read variables, but no further batch."
            )
            raise
