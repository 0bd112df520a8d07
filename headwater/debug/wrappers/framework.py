"""Sessions that stand for another one and do something before and after each run."""

from __future__ import annotations

import abc
import re
import threading
from collections.abc import Callable
from typing import Any

from headwater.base import errors, logging
from headwater.debug.lib import debug_utils
from headwater.graph import stacks
from headwater.protos.lazy import config_pb2
from headwater.session.session import BaseSession
from headwater.train.sessions.monitored_session import MonitoredSession

_FULL_TRACE = 3


def _check_type(obj: Any, expected_types: Any) -> None:
    """Raises a TypeError if an object is not of one of some types."""
    if not isinstance(obj, expected_types):
        raise TypeError(f"Expected type {expected_types}; got type {type(obj)}")


class OnSessionInitRequest:
    """What `on_session_init` gets.

    Args:
        sess: the session.
    """

    def __init__(self, sess: Any) -> None:
        _check_type(sess, (BaseSession, MonitoredSession))
        self.session = sess


class OnSessionInitAction:
    """What may follow `on_session_init`."""

    PROCEED = "proceed"
    REMOTE_INSTR_LOOP = "remote_instr_loop"


class OnSessionInitResponse:
    """What `on_session_init` returns.

    Args:
        action: an `OnSessionInitAction`.
    """

    def __init__(self, action: str) -> None:
        _check_type(action, str)
        self.action = action


class OnRunStartRequest:
    """What `on_run_start` gets.

    Args:
        fetches: the fetches of the run.
        feed_dict: its feeds, or None.
        run_options: its RunOptions, or None.
        run_metadata: its RunMetadata, or None.
        run_call_count: the number of the run, from 1.
        is_callable_runner: whether it is one of a function of `make_callable`.
    """

    def __init__(
        self,
        fetches: Any,
        feed_dict: Any,
        run_options: Any,
        run_metadata: Any,
        run_call_count: int,
        is_callable_runner: bool = False,
    ) -> None:
        self.fetches = fetches
        self.feed_dict = feed_dict
        self.run_options = run_options
        self.run_metadata = run_metadata
        self.run_call_count = run_call_count
        self.is_callable_runner = is_callable_runner


class OnRunStartAction:
    """How a run is run."""

    DEBUG_RUN = "debug_run"
    PROFILE_RUN = "profile_run"
    NON_DEBUG_RUN = "non_debug_run"


_ACTIONS = (
    OnRunStartAction.DEBUG_RUN,
    OnRunStartAction.PROFILE_RUN,
    OnRunStartAction.NON_DEBUG_RUN,
)


class OnRunStartResponse:
    """What `on_run_start` returns.

    Args:
        action: an `OnRunStartAction`.
        debug_urls: where dumps go.
        debug_ops: the debug ops of the watches.
        node_name_regex_whitelist: matches the names of watched nodes.
        op_type_regex_whitelist: matches their op types.
        tensor_dtype_regex_whitelist: matches the names of the types of watched tensors.
        tolerate_debug_op_creation_failures: whether a debug op that does not fit is left out.

    Raises:
        TypeError: if an argument has a wrong type.
    """

    def __init__(
        self,
        action: str,
        debug_urls: list[str],
        debug_ops: Any = "DebugIdentity",
        node_name_regex_whitelist: str | None = None,
        op_type_regex_whitelist: str | None = None,
        tensor_dtype_regex_whitelist: str | None = None,
        tolerate_debug_op_creation_failures: bool = False,
    ) -> None:
        _check_type(action, str)
        self.action = action
        _check_type(debug_urls, list)
        self.debug_urls = debug_urls
        self.debug_ops = debug_ops
        self.node_name_regex_whitelist = node_name_regex_whitelist
        self.op_type_regex_whitelist = op_type_regex_whitelist
        self.tensor_dtype_regex_whitelist = tensor_dtype_regex_whitelist
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures


class OnRunEndRequest:
    """What `on_run_end` gets.

    Args:
        performed_action: the `OnRunStartAction` of the run.
        run_metadata: its RunMetadata.
        client_graph_def: the graph.
        tf_error: the OpError with which it has failed, or None.
    """

    def __init__(
        self,
        performed_action: str,
        run_metadata: Any = None,
        client_graph_def: Any = None,
        tf_error: errors.OpError | None = None,
    ) -> None:
        _check_type(performed_action, str)
        self.performed_action = performed_action
        if run_metadata is not None:
            _check_type(run_metadata, config_pb2.RunMetadata)
        self.run_metadata = run_metadata
        self.client_graph_def = client_graph_def
        self.tf_error = tf_error


class OnRunEndResponse:
    """What `on_run_end` returns."""


class WatchOptions:
    """What is watched in a run.

    Args:
        debug_ops: the debug ops; ``["DebugIdentity"]`` if None.
        node_name_regex_whitelist: matches the names of watched nodes.
        op_type_regex_whitelist: matches their op types.
        tensor_dtype_regex_whitelist: matches the names of the types of watched tensors.
        tolerate_debug_op_creation_failures: whether a debug op that does not fit is left out.
    """

    def __init__(
        self,
        debug_ops: Any = None,
        node_name_regex_whitelist: str | None = None,
        op_type_regex_whitelist: str | None = None,
        tensor_dtype_regex_whitelist: str | None = None,
        tolerate_debug_op_creation_failures: bool = False,
    ) -> None:
        self.debug_ops = debug_ops or ["DebugIdentity"]
        self.node_name_regex_whitelist = node_name_regex_whitelist
        self.op_type_regex_whitelist = op_type_regex_whitelist
        self.tensor_dtype_regex_whitelist = tensor_dtype_regex_whitelist
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures

    def __repr__(self) -> str:
        return (
            f"WatchOptions(debug_ops={self.debug_ops!r}, "
            f"node_name_regex_whitelist={self.node_name_regex_whitelist!r}, "
            f"op_type_regex_whitelist={self.op_type_regex_whitelist!r}, "
            f"tensor_dtype_regex_whitelist={self.tensor_dtype_regex_whitelist!r}, "
            "tolerate_debug_op_creation_failures="
            f"{self.tolerate_debug_op_creation_failures!r})"
        )


class BaseDebugWrapperSession(abc.ABC):
    """A session that stands for another one.

    Args:
        sess: the other session.
        thread_name_filter: matches the names of the threads whose runs are debugged; None for all.
        pass_through_operrors: whether the OpError of a debugged run is raised. Otherwise
            `on_run_end` gets it, and the run returns None.

    Raises:
        TypeError: if it is no session.
        ValueError: if `on_session_init` returns an action that does not exist.
    """

    def __init__(
        self,
        sess: Any,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = False,
    ) -> None:
        _check_type(sess, (BaseSession, MonitoredSession))
        self._sess = sess
        self._thread_name_filter_pattern = (
            re.compile(thread_name_filter) if thread_name_filter else None
        )
        self._pass_through_operrors = bool(pass_through_operrors)
        self._run_call_count = 0
        self._default_session_context_manager: Any = None
        response = self.on_session_init(OnSessionInitRequest(sess))
        _check_type(response, OnSessionInitResponse)
        if response.action == OnSessionInitAction.REMOTE_INSTR_LOOP:
            raise NotImplementedError(
                "OnSessionInitAction REMOTE_INSTR_LOOP has not been implemented."
            )
        if response.action != OnSessionInitAction.PROCEED:
            raise ValueError(f"Invalid OnSessionInitAction value: {response.action}")

    # The wrapped session

    @property
    def graph(self) -> Any:
        """The graph of the session."""
        return self._sess.graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef."""
        return self._sess.graph_def

    @property
    def sess_str(self) -> Any:
        """The target that the session is connected to."""
        return self._sess.sess_str

    @property
    def session(self) -> Any:
        """The wrapped session."""
        return self._sess

    @property
    def run_call_count(self) -> int:
        """How many runs there have been."""
        return self._run_call_count

    def increment_run_call_count(self) -> None:
        """Counts one more run."""
        self._run_call_count += 1

    def list_devices(self, *args: Any, **kwargs: Any) -> Any:
        """The devices of the session."""
        return self._sess.list_devices(*args, **kwargs)

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        """Resets the session."""
        return self._sess.reset(*args, **kwargs)

    def as_default(self) -> Any:
        """A with block in which `Tensor.eval` and `Operation.run` use this session."""
        return stacks.sessions.entered(self)

    def __enter__(self) -> BaseDebugWrapperSession:
        if self._default_session_context_manager is None:
            self._default_session_context_manager = self.as_default()
        self._default_session_context_manager.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        manager, self._default_session_context_manager = self._default_session_context_manager, None
        manager.__exit__(*exc)

    def close(self) -> None:
        """Closes the session."""
        self._sess.close()

    def should_stop(self) -> bool:
        """Whether a MonitoredSession should stop.

        Raises:
            ValueError: if the session is another one.
        """
        if hasattr(self._sess, "should_stop"):
            return bool(self._sess.should_stop())
        raise ValueError(
            f"The wrapped session {self._sess!r} does not have a method called 'should_stop'. Do "
            "you intend to wrap a tf.MonitoredSession instead?"
        )

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Runs a function on a MonitoredSession; its runs are not debugged."""
        return self._sess.run_step_fn(step_fn)

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Raises NotImplementedError: partial runs cannot be debugged."""
        del fetches, feeds
        raise NotImplementedError(
            "partial_run_setup is not implemented for debug-wrapper sessions."
        )

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Raises NotImplementedError: partial runs cannot be debugged."""
        del handle, fetches, feed_dict
        raise NotImplementedError("partial_run is not implemented for debug-wrapper sessions.")

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function whose calls are runs that are debugged; see `Session.make_callable`."""
        runner = self._sess.make_callable(fetches, feed_list=feed_list, accept_options=True)

        def call(*values: Any, **options: Any) -> Any:
            return self.run(
                None,
                feed_dict=None,
                options=options.get("options"),
                run_metadata=options.get("run_metadata"),
                callable_runner=runner,
                callable_runner_args=values,
            )

        return call

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., Any]:
        def call(*values: Any, **options: Any) -> Any:
            return self.run(
                None,
                run_metadata=options.get("run_metadata"),
                callable_options=callable_options,
                callable_runner_args=values,
            )

        return call

    # Runs

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
        callable_runner: Any = None,
        callable_runner_args: Any = None,
        callable_options: Any = None,
    ) -> Any:
        """Runs the session as `on_run_start` decides.

        Args:
            fetches: as for `Session.run`.
            feed_dict: as for `Session.run`.
            options: as for `Session.run`.
            run_metadata: as for `Session.run`.
            callable_runner: a function of `make_callable` that is called instead.
            callable_runner_args: its arguments.
            callable_options: a CallableOptions proto that describes the run instead.

        Returns:
            The values of the fetches; None if a debugged run has failed.

        Raises:
            ValueError: if arguments exclude each other.
            OpError: if the run fails and such errors are passed through.
        """
        if fetches is not None and (callable_runner or callable_options):
            raise ValueError(
                "callable_runner and fetches/feed_dict are mutually exclusive, but are used "
                "simultaneously."
            )
        run = _Run(
            self._sess, fetches, feed_dict, callable_runner, callable_runner_args, callable_options
        )
        self.increment_run_call_count()
        if run.is_empty:
            logging.info(
                "Due to empty fetches, tfdbg Session wrapper is letting a Session.run pass "
                "through without any debugging actions."
            )
            return run(options, run_metadata)
        if self._is_disabled_thread():
            return run(options, run_metadata)
        response = self.on_run_start(
            OnRunStartRequest(
                fetches,
                feed_dict,
                options,
                run_metadata,
                self._run_call_count,
                is_callable_runner=bool(callable_runner),
            )
        )
        _check_type(response, OnRunStartResponse)
        if response.action not in _ACTIONS:
            raise ValueError(f"Invalid OnRunStartAction value: {response.action}")
        if response.action == OnRunStartAction.DEBUG_RUN:
            value, request = self._run_with_debugging(run, response, options, run_metadata)
        elif response.action == OnRunStartAction.PROFILE_RUN:
            value, request = self._run_with_profiling(run, options, run_metadata)
        else:
            value = run(options, run_metadata)
            request = OnRunEndRequest(response.action)
        _check_type(self.on_run_end(request), OnRunEndResponse)
        return value

    def _run_with_debugging(
        self, run: _Run, response: OnRunStartResponse, options: Any, run_metadata: Any
    ) -> tuple[Any, OnRunEndRequest]:
        watched = config_pb2.RunOptions()
        if options is not None:
            watched.CopyFrom(options)
        self._decorate_run_options_for_debug(
            watched,
            response.debug_urls,
            debug_ops=response.debug_ops,
            node_name_regex_whitelist=response.node_name_regex_whitelist,
            op_type_regex_whitelist=response.op_type_regex_whitelist,
            tensor_dtype_regex_whitelist=response.tensor_dtype_regex_whitelist,
            tolerate_debug_op_creation_failures=response.tolerate_debug_op_creation_failures,
        )
        metadata = config_pb2.RunMetadata() if run_metadata is None else run_metadata
        value, error = None, None
        try:
            value = run(watched, metadata)
        except errors.OpError as op_error:
            if self._pass_through_operrors:
                raise
            error = op_error
        return value, OnRunEndRequest(
            response.action,
            run_metadata=metadata,
            client_graph_def=self._sess.graph.as_graph_def(),
            tf_error=error,
        )

    def _run_with_profiling(
        self, run: _Run, options: Any, run_metadata: Any
    ) -> tuple[Any, OnRunEndRequest]:
        traced = config_pb2.RunOptions()
        if options is not None:
            traced.CopyFrom(options)
        self._decorate_run_options_for_profile(traced)
        metadata = config_pb2.RunMetadata() if run_metadata is None else run_metadata
        value = run(traced, metadata)
        return value, OnRunEndRequest(
            OnRunStartAction.PROFILE_RUN,
            run_metadata=metadata,
            client_graph_def=self._sess.graph.as_graph_def(),
        )

    def _is_disabled_thread(self) -> bool:
        """Whether runs of the current thread are not debugged."""
        pattern = self._thread_name_filter_pattern
        return pattern is not None and not pattern.match(threading.current_thread().name or "")

    def _is_disk_usage_reset_each_run(self) -> bool:
        return False

    def _decorate_run_options_for_debug(
        self,
        run_options: Any,
        debug_urls: list[str],
        debug_ops: Any = "DebugIdentity",
        node_name_regex_whitelist: str | None = None,
        op_type_regex_whitelist: str | None = None,
        tensor_dtype_regex_whitelist: str | None = None,
        tolerate_debug_op_creation_failures: bool = False,
    ) -> None:
        run_options.output_partition_graphs = True
        debug_utils.watch_graph(
            run_options,
            self._sess.graph,
            debug_urls=debug_urls,
            debug_ops=debug_ops,
            node_name_regex_whitelist=node_name_regex_whitelist,
            op_type_regex_whitelist=op_type_regex_whitelist,
            tensor_dtype_regex_whitelist=tensor_dtype_regex_whitelist,
            tolerate_debug_op_creation_failures=tolerate_debug_op_creation_failures,
            reset_disk_byte_usage=(
                self._run_call_count == 1 or self._is_disk_usage_reset_each_run()
            ),
        )

    def _decorate_run_options_for_profile(self, run_options: Any) -> None:
        run_options.trace_level = _FULL_TRACE

    @abc.abstractmethod
    def on_session_init(self, request: OnSessionInitRequest) -> OnSessionInitResponse:
        """Called when the session is wrapped."""

    @abc.abstractmethod
    def on_run_start(self, request: OnRunStartRequest) -> OnRunStartResponse:
        """Called before each run; says how it is run."""

    @abc.abstractmethod
    def on_run_end(self, request: OnRunEndRequest) -> OnRunEndResponse:
        """Called after each run."""


class _Run:
    """One run of a session, in one of the forms that it can be asked for."""

    def __init__(
        self,
        sess: Any,
        fetches: Any,
        feed_dict: Any,
        callable_runner: Any,
        callable_runner_args: Any,
        callable_options: Any,
    ) -> None:
        self._sess = sess
        self._fetches = fetches
        self._feed_dict = feed_dict
        self._runner = callable_runner
        self._arguments = callable_runner_args or ()
        self._options = callable_options

    @property
    def is_empty(self) -> bool:
        """Whether nothing is fetched."""
        if self._runner or self._options:
            return False
        return isinstance(self._fetches, (list, tuple, dict)) and not _leaves(self._fetches)

    def __call__(self, options: Any, run_metadata: Any) -> Any:
        if self._runner:
            return self._runner(*self._arguments, options=options, run_metadata=run_metadata)
        if self._options is not None:
            described = type(self._options)()
            described.CopyFrom(self._options)
            if options is not None:
                described.run_options.MergeFrom(options)
            runner = self._sess._make_callable_from_options(described)
            return runner(*self._arguments, run_metadata=run_metadata)
        return self._sess.run(
            self._fetches, feed_dict=self._feed_dict, options=options, run_metadata=run_metadata
        )


def _leaves(fetches: Any) -> list[Any]:
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        return [leaf for item in fetches for leaf in _leaves(item)]
    return [fetches]


class NonInteractiveDebugWrapperSession(BaseDebugWrapperSession):
    """A session whose runs are all watched, without a command line.

    Args:
        sess: the other session.
        watch_fn: a function of the fetches and feeds of a run that returns `WatchOptions`, or a
            tuple of its arguments; None to watch everything.
        thread_name_filter: matches the names of the threads whose runs are debugged; None for all.
        pass_through_operrors: whether the OpError of a run is raised.

    Raises:
        TypeError: if `watch_fn` is not a function.
    """

    def __init__(
        self,
        sess: Any,
        watch_fn: Callable[..., Any] | None = None,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = False,
    ) -> None:
        super().__init__(
            sess,
            thread_name_filter=thread_name_filter,
            pass_through_operrors=pass_through_operrors,
        )
        if watch_fn is not None and not callable(watch_fn):
            raise TypeError("watch_fn is not callable")
        self._watch_fn = watch_fn

    def on_session_init(self, request: OnSessionInitRequest) -> OnSessionInitResponse:
        """Goes on."""
        del request
        return OnSessionInitResponse(OnSessionInitAction.PROCEED)

    @abc.abstractmethod
    def prepare_run_debug_urls(self, fetches: Any, feed_dict: Any) -> Any:
        """Returns where the dump of a run goes: a URL or a list of URLs.

        Args:
            fetches: the fetches of the run.
            feed_dict: its feeds, or None.
        """

    def on_run_start(self, request: OnRunStartRequest) -> OnRunStartResponse:
        """Watches what `watch_fn` says."""
        urls, options = self._prepare_run_watch_config(request.fetches, request.feed_dict)
        return OnRunStartResponse(
            OnRunStartAction.DEBUG_RUN,
            urls,
            debug_ops=options.debug_ops,
            node_name_regex_whitelist=options.node_name_regex_whitelist,
            op_type_regex_whitelist=options.op_type_regex_whitelist,
            tensor_dtype_regex_whitelist=options.tensor_dtype_regex_whitelist,
            tolerate_debug_op_creation_failures=options.tolerate_debug_op_creation_failures,
        )

    def _prepare_run_watch_config(
        self, fetches: Any, feed_dict: Any
    ) -> tuple[list[str], WatchOptions]:
        urls = self.prepare_run_debug_urls(fetches, feed_dict)
        options: Any = WatchOptions()
        if self._watch_fn is not None:
            options = self._watch_fn(fetches, feed_dict)
            if isinstance(options, tuple):
                options = WatchOptions(*options)
        return [urls] if isinstance(urls, str) else list(urls), options

    def on_run_end(self, request: OnRunEndRequest) -> OnRunEndResponse:
        """Does nothing."""
        del request
        return OnRunEndResponse()
