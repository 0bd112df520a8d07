"""Sessions that add one behavior to another session: stopping, hooks, recovery."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import errors, logging
from headwater.base.typing import FeedDict, NestedTensors
from headwater.graph import Graph
from headwater.protos.lazy import config_pb2
from headwater.session.session import BaseSession
from headwater.train.coordinator import Coordinator
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

# A worker or parameter server has gone: the step can be run again in a new session.
PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)

_ADVICE = (
    "This may be due to a preemption in a connected worker or parameter server. The current "
    "session will be closed and a new session will be created. This error may also occur due to a "
    "gRPC failure caused by high memory or network bandwidth usage in the parameter servers. If "
    "this error occurs repeatedly, try increasing the number of parameter servers assigned to the "
    "job. Error: %s"
)


class StepContext:
    """What a step function gets of its monitored session.

    Args:
        session: the session without hooks.
        run_with_hooks_fn: runs with the hooks.
    """

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session without hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Runs as `MonitoredSession.run`, with the hooks.

        Args:
            *args: as for `tf.Session.run`.
            **kwargs: as for `tf.Session.run`.

        Returns:
            The values of the fetches.
        """
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the with block of the monitored session.

        Raises:
            StopIteration: always.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class WrappedSession:
    """Passes everything on to another session.

    Args:
        sess: a session, which may be wrapped itself.
    """

    def __init__(self, sess: Any) -> None:
        self._sess = sess
        self._wrapped_is_stoppable = isinstance(sess, WrappedSession)

    @property
    def graph(self) -> Graph:
        """The graph of the session."""
        return self._sess.graph

    @property
    def sess_str(self) -> bytes:
        """The target that the session is connected to."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether the session is closed, or something has requested a stop."""
        if self._check_stop():
            return True
        if self._sess:
            return self._wrapped_is_stoppable and self._sess.should_stop()
        return True

    def _check_stop(self) -> bool:
        """Whether this session itself has a reason to stop; for subclasses to override."""
        return False

    def close(self) -> None:
        """Closes the session. An error of a session whose worker has gone is ignored."""
        if self._sess:
            try:
                self._sess.close()
            except PREEMPTION_ERRORS as error:
                logging.warning(
                    "An error occurred when attempting to close the session. This may be due to a "
                    "preemption in a connected worker or parameter server. Error: %s",
                    error,
                )
            finally:
                self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs as `tf.Session.run`."""
        return self._sess.run(*args, **kwargs)

    def run_step_fn(
        self,
        step_fn: Callable[[StepContext], Any],
        raw_session: BaseSession | None,
        run_with_hooks: Callable[..., Any] | None,
    ) -> Any:
        """Calls a step function.

        Args:
            step_fn: a function of a StepContext.
            raw_session: the session without hooks.
            run_with_hooks: runs with the hooks; None for `run`.

        Returns:
            What the function returns.
        """
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))


class RecoverableSession(WrappedSession):
    """A session that is created again when a worker or parameter server has gone.

    Args:
        sess_creator: has `create_session`, which restores the last checkpoint.
    """

    def __init__(self, sess_creator: Any) -> None:
        self._sess_creator = sess_creator
        super().__init__(self._create_session())

    def _create_session(self) -> Any:
        while True:
            try:
                return self._sess_creator.create_session()
            except PREEMPTION_ERRORS as error:
                logging.info(
                    f"An error was raised while a session was being created. {_ADVICE}", error
                )

    def _check_stop(self) -> bool:
        try:
            return not self._sess or self._sess._check_stop()
        except PREEMPTION_ERRORS as error:
            logging.info(
                f"An error was raised while considering whether the session is complete. {_ADVICE}",
                error,
            )
            self.close()
            self._sess = self._create_session()
            return False
        except Exception:
            return True

    def run(
        self,
        fetches: NestedTensors,
        feed_dict: FeedDict | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Runs as `tf.Session.run`; again in a new session if a worker has gone."""
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                return self._sess.run(
                    fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata
                )
            except PREEMPTION_ERRORS as error:
                self._note_loss(error)

    def run_step_fn(
        self,
        step_fn: Callable[[StepContext], Any],
        raw_session: BaseSession | None,
        run_with_hooks: Callable[..., Any] | None,
    ) -> Any:
        """Calls a step function; again with a new session if a worker has gone."""
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                    raw_session = getattr(self._sess_creator, "tf_sess", raw_session)
                return self._sess.run_step_fn(step_fn, raw_session, self._sess.run)
            except PREEMPTION_ERRORS as error:
                self._note_loss(error)

    def _note_loss(self, error: errors.OpError) -> None:
        logging.info(f"An error was raised. {_ADVICE}", error)
        self.close()
        self._sess = None


class CoordinatedSession(WrappedSession):
    """A session that stops with the threads of a coordinator, and ends them when it is closed.

    Args:
        sess: a session.
        coord: the Coordinator.
        stop_grace_period_secs: how many seconds the threads have to end.
    """

    def __init__(self, sess: Any, coord: Coordinator, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self) -> bool:
        # A thread that has lost its worker asks for a new session by its exception.
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        """Ends the threads and closes the session.

        Raises:
            Exception: the one that a thread has reported to the coordinator.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True
            )
        finally:
            try:
                super().close()
            except Exception as error:
                # What made the session fail has been raised by `join`.
                logging.debug("Ignored exception: %s", error)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs as `tf.Session.run`; a preemption error of a thread replaces any other error."""
        try:
            return self._sess.run(*args, **kwargs)
        except PREEMPTION_ERRORS:
            raise
        except Exception as original:
            try:
                self._coord.raise_requested_exception()
            except PREEMPTION_ERRORS:
                raise
            except Exception:
                raise original from None
            raise


class HookedSession(WrappedSession):
    """A session whose runs call hooks.

    Args:
        sess: a session.
        hooks: SessionRunHooks.
    """

    def __init__(self, sess: Any, hooks: Sequence[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooks = hooks
        self._should_stop = False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(
        self,
        fetches: NestedTensors,
        feed_dict: FeedDict | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Runs as `tf.Session.run`, with the fetches and feeds of the hooks added.

        Raises:
            RuntimeError: if the session should have stopped, or a tensor is fed twice.
        """
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        if not self._hooks:
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        wanted = [fetches]
        requests = []
        plain = True
        for hook in self._hooks:
            request = hook.before_run(context)
            requests.append(request)
            if request is not None:
                if request.fetches is not None:
                    wanted.append(request.fetches)
                if request.feed_dict or request.options:
                    plain = False
        if not plain:
            feed_dict = _merged_feeds(requests, feed_dict)
            options = _merged_options(requests, options)
        if options is None and run_metadata is None:
            # A run without options is faster, and leaves no metadata.
            outputs = self._sess.run(wanted, feed_dict)
            options, run_metadata = config_pb2.RunOptions(), config_pb2.RunMetadata()
        else:
            options = config_pb2.RunOptions() if options is None else options
            run_metadata = config_pb2.RunMetadata() if run_metadata is None else run_metadata
            outputs = self._sess.run(wanted, feed_dict, options, run_metadata)
        results = iter(outputs)
        own = next(results)
        for hook, request in zip(self._hooks, requests):
            asked = request is not None and request.fetches is not None
            values = next(results) if asked else None
            hook.after_run(context, SessionRunValues(values, options, run_metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return own


def _merged_feeds(
    requests: Sequence[SessionRunArgs | None], feed_dict: FeedDict | None
) -> FeedDict | None:
    """The feeds of the caller and of all hooks.

    Raises:
        RuntimeError: if a tensor is fed twice.
    """
    hook_feeds: dict[Any, Any] = {}
    for request in requests:
        if request is not None and request.feed_dict:
            _check_disjoint(hook_feeds, request.feed_dict, "Same tensor is fed by two hooks.")
            hook_feeds.update(request.feed_dict)
    if not hook_feeds:
        return feed_dict
    if not feed_dict:
        return hook_feeds
    _check_disjoint(feed_dict, hook_feeds, "Same tensor is fed by a SessionRunHook and user.")
    hook_feeds.update(feed_dict)
    return hook_feeds


def _check_disjoint(feeds: Any, others: Any, message: str) -> None:
    both = set(feeds) & set(others)
    if both:
        raise RuntimeError(f"{message} Conflict(s): {list(both)}")


def _merged_options(requests: Sequence[SessionRunArgs | None], options: Any) -> Any:
    """The RunOptions of the caller with those of the hooks added; None if there are none."""
    for request in requests:
        if request is None or not request.options:
            continue
        if options is None:
            options = config_pb2.RunOptions()
        added = request.options
        for field in (
            "trace_level",
            "timeout_in_ms",
            "inter_op_thread_pool",
            "output_partition_graphs",
            "report_tensor_allocations_upon_oom",
        ):
            setattr(options, field, max(getattr(options, field), getattr(added, field)))
        debug = options.debug_options
        debug.debug_tensor_watch_opts.extend(added.debug_options.debug_tensor_watch_opts)
        debug.reset_disk_byte_usage |= added.debug_options.reset_disk_byte_usage
    return options
