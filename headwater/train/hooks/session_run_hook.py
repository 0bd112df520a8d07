"""Hooks: callbacks before and after each run of a monitored session."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.base.typing import FeedDict

if TYPE_CHECKING:
    from headwater.session.session import Session
    from headwater.train.coordinator import Coordinator


@export("train.SessionRunHook", "estimator.SessionRunHook")
class SessionRunHook:
    """Callbacks around the runs of a monitored session, for subclasses to override."""

    def begin(self) -> None:
        """Called once before the session is made; may still change the graph."""

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Called when a session has been made, also after a failure.

        Args:
            session: the session.
            coord: the Coordinator of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run.

        Args:
            run_context: a SessionRunContext.

        Returns:
            SessionRunArgs with what is to be fetched besides; or None.
        """
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run that has not failed.

        Args:
            run_context: a SessionRunContext.
            run_values: SessionRunValues with what `before_run` asked for.
        """

    def end(self, session: Session) -> None:
        """Called once at the end, if nothing has failed.

        Args:
            session: the session, which is still open.
        """


@export("train.SessionRunArgs", "estimator.SessionRunArgs")
class SessionRunArgs(namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])):
    """What a hook adds to a run.

    Args:
        fetches: tensors and ops, in any structure.
        feed_dict: values for tensors, or None.
        options: RunOptions, or None.
    """

    __slots__ = ()

    def __new__(
        cls, fetches: Any, feed_dict: FeedDict | None = None, options: Any = None
    ) -> SessionRunArgs:
        return super().__new__(cls, fetches, feed_dict, options)


@export("train.SessionRunContext", "estimator.SessionRunContext")
class SessionRunContext:
    """The context of a run, for a hook.

    Args:
        original_args: the SessionRunArgs of the caller.
        session: the session.
    """

    def __init__(self, original_args: Any, session: Session) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """The arguments of the original call of `run`."""
        return self._original_args

    @property
    def session(self) -> Session:
        """The session of the run."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook has requested a stop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Asks the monitored session to stop after this run."""
        self._stop_requested = True


@export("train.SessionRunValues", "estimator.SessionRunValues")
class SessionRunValues(namedtuple("SessionRunValues", ["results", "options", "run_metadata"])):
    """The results of a run for a hook.

    Args:
        results: the values of the fetches of the hook.
        options: the RunOptions of the run.
        run_metadata: its RunMetadata.
    """

    __slots__ = ()
