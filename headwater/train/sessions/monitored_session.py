"""Monitored sessions: they initialize and restore the model, call hooks and end their threads."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.base.typing import FeedDict, NestedTensors
from headwater.graph import Graph, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.session.session import Session
from headwater.train.coordinator import Coordinator
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.queue_runner import start_queue_runners
from headwater.train.sessions.scaffold import Scaffold
from headwater.train.sessions.session_creators import ChiefSessionCreator, SessionCreator
from headwater.train.sessions.wrapped_sessions import (
    CoordinatedSession,
    HookedSession,
    RecoverableSession,
    StepContext,
)


class CoordinatedSessionCreator(SessionCreator):
    """Creates sessions with hooks, and starts the queue runners.

    Args:
        session_creator: creates the sessions themselves.
        hooks: SessionRunHooks.
        stop_grace_period_secs: how many seconds threads have to end.
    """

    def __init__(
        self,
        session_creator: SessionCreator,
        hooks: Sequence[SessionRunHook],
        stop_grace_period_secs: float,
    ) -> None:
        self._session_creator = session_creator
        self._hooks = hooks
        self.coord: Coordinator | None = None
        self.tf_sess: Any = None
        self._stop_grace_period_secs = stop_grace_period_secs

    def create_session(self) -> Any:
        """Creates a session and tells the hooks.

        Returns:
            A CoordinatedSession of a HookedSession.
        """
        self.tf_sess = self._session_creator.create_session()
        # An exception in a thread is never a reason to stop silently.
        self.coord = Coordinator(clean_stop_exception_types=())
        session = CoordinatedSession(
            HookedSession(self.tf_sess, self._hooks), self.coord, self._stop_grace_period_secs
        )
        try:
            if get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
                start_queue_runners(sess=self.tf_sess, coord=self.coord)
            for hook in self._hooks:
                hook.after_create_session(self.tf_sess, self.coord)
        except BaseException:
            # The caller gets no session that it could close.
            self._discard(session)
            raise
        return session

    def _discard(self, session: CoordinatedSession) -> None:
        try:
            session.close()
        except Exception as error:
            logging.debug("Ignored exception: %s", error)


class _MonitoredSession:
    """What MonitoredSession and SingularMonitoredSession have in common.

    Args:
        session_creator: a SessionCreator.
        hooks: SessionRunHooks, or None.
        should_recover: whether a new session is created after an AbortedError or UnavailableError.
        stop_grace_period_secs: how many seconds threads have to end.
    """

    StepContext = StepContext
    _CoordinatedSessionCreator = CoordinatedSessionCreator

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Sequence[SessionRunHook] | None,
        should_recover: bool,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks = hooks or []
        for hook in self._hooks:
            hook.begin()
        self._coordinated_creator = CoordinatedSessionCreator(
            session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs
        )
        self._sess: Any = None
        try:
            if should_recover:
                self._sess = RecoverableSession(self._coordinated_creator)
            else:
                self._sess = self._coordinated_creator.create_session()
        except BaseException:
            self._forget()
            raise

    @property
    def graph(self) -> Graph | None:
        """The graph of the session; None if it is closed."""
        return None if self._is_closed() else self._tf_sess().graph

    def run(
        self,
        fetches: NestedTensors,
        feed_dict: FeedDict | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Runs as `tf.Session.run`, with the hooks.

        Args:
            fetches: a tensor, op, or a nested structure of them.
            feed_dict: values by tensor, or None.
            options: RunOptions, or None.
            run_metadata: a RunMetadata to fill in, or None.

        Returns:
            The values in the structure of `fetches`.

        Raises:
            RuntimeError: if the session should have stopped.
        """
        return self._sess.run(
            fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata
        )

    def run_step_fn(self, step_fn: Callable[[Any], Any]) -> Any:
        """Calls a function that can run parts of the graph with and without hooks.

        Args:
            step_fn: a function with the only argument `step_context`, a StepContext: it has
                `session`, `run_with_hooks` and `request_stop`.

        Returns:
            What the function returns.

        Raises:
            ValueError: if the function has other arguments.
            StopIteration: if it requests a stop.
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                "`step_context` arguments if it's an instance method. Got "
                f"{names} instead."
            )
        return self._sess.run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

    def should_stop(self) -> bool:
        """Whether the session is closed, or a hook or thread has requested a stop."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Calls `end` of the hooks, ends the threads and closes the session.

        Raises:
            RuntimeError: if it is closed already.
        """
        self._close_internal()

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        # The end of the input, and a step function that requests a stop, are clean ends.
        if exception_type in (errors.OutOfRangeError, StopIteration):
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None

    def _close_internal(self, exception_type: type[BaseException] | None = None) -> None:
        """Closes the session; hooks are told only if nothing has failed."""
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._coordinated_creator.tf_sess)
        finally:
            try:
                if self._sess is None:
                    raise RuntimeError("Session is already closed.")
                self._sess.close()
            finally:
                self._forget()

    def _forget(self) -> None:
        self._sess = None
        self._coordinated_creator.tf_sess = None
        self._coordinated_creator.coord = None
        if not self._graph_was_finalized:
            get_default_graph()._unsafe_unfinalize()

    def _is_closed(self) -> bool:
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self) -> Any:
        """The session without hooks; None if it is closed."""
        return self._coordinated_creator.tf_sess


@export("train.MonitoredSession")
class MonitoredSession(_MonitoredSession):
    """A session with hooks that recovers when a worker or parameter server has gone.

    It initializes or restores the model and starts the queue runners. An AbortedError or
    UnavailableError in a run makes it create a new session and run again. At the end of a with
    block, also after an exception, it ends the threads and closes the session.

    Args:
        session_creator: a SessionCreator; a ChiefSessionCreator if None.
        hooks: SessionRunHooks, or None.
        stop_grace_period_secs: how many seconds threads have to end.

    Example:
        >>> step = tf.train.get_or_create_global_step()
        >>> train = step.assign_add(1)
        >>> with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(3)]) as monitored:
        ...     while not monitored.should_stop():
        ...         print(monitored.run(train))
        1
        2
        3
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(
            session_creator,
            hooks,
            should_recover=True,
            stop_grace_period_secs=stop_grace_period_secs,
        )


@export("train.SingularMonitoredSession")
class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks that does not recover: every error is raised.

    Args:
        hooks: SessionRunHooks, or None.
        scaffold: a Scaffold; a new one if None.
        master: where the graph runs; "" is this process.
        config: a ConfigProto or None.
        checkpoint_dir: the folder of the checkpoints to restore from; or None.
        stop_grace_period_secs: how many seconds threads have to end.
        checkpoint_filename_with_path: the path of a checkpoint; or None.
    """

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold=scaffold,
            master=master,
            config=config,
            checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )
        super().__init__(
            creator,
            hooks,
            should_recover=False,
            stop_grace_period_secs=stop_grace_period_secs,
        )

    def raw_session(self) -> Session:
        """The session without hooks, for a Saver for example; None if it is closed."""
        return self._tf_sess()
