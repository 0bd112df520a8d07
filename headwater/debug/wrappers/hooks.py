"""Hooks that debug the runs of monitored sessions and Estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.debug.lib import debug_utils
from headwater.debug.wrappers import (
    dumping_wrapper,
    framework,
    grpc_wrapper,
    local_cli_wrapper,
)
from headwater.protos.lazy import config_pb2
from headwater.train.hooks.session_run_hook import SessionRunArgs, SessionRunHook


class LocalCLIDebugHook(SessionRunHook):
    """Shows a command line before and after runs; see `LocalCLIDebugWrapperSession`.

    Args:
        ui_type: "curses" or "readline".
        dump_root: the folder of dumps; a temporary one if None.
        thread_name_filter: matches the names of the threads whose runs are debugged; None for all.
        config_file_path: the file of the settings; one in the home folder if None.
    """

    def __init__(
        self,
        ui_type: str = "curses",
        dump_root: str | None = None,
        thread_name_filter: str | None = None,
        config_file_path: str | None = None,
    ) -> None:
        self._ui_type = ui_type
        self._dump_root = dump_root
        self._thread_name_filter = thread_name_filter
        self._config_file_path = config_file_path
        self._session_wrapper: Any = None
        self._pending_tensor_filters: dict[str, Callable[..., bool]] = {}
        self._performed_action: str | None = None

    def add_tensor_filter(self, filter_name: str, tensor_filter: Callable[..., bool]) -> None:
        """Adds a filter for ``run -f`` and ``lt -f``.

        Args:
            filter_name: its name.
            tensor_filter: a function of a DebugTensorDatum and its value.
        """
        if self._session_wrapper is not None:
            self._session_wrapper.add_tensor_filter(filter_name, tensor_filter)
        else:
            self._pending_tensor_filters[filter_name] = tensor_filter

    def begin(self) -> None:
        """Does nothing."""

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Shows the command line, and watches the run if it says so."""
        if self._session_wrapper is None:
            self._session_wrapper = local_cli_wrapper.LocalCLIDebugWrapperSession(
                run_context.session,
                ui_type=self._ui_type,
                dump_root=self._dump_root,
                thread_name_filter=self._thread_name_filter,
                config_file_path=self._config_file_path,
            )
            for name, tensor_filter in self._pending_tensor_filters.items():
                self._session_wrapper.add_tensor_filter(name, tensor_filter)
        wrapper = self._session_wrapper
        wrapper.increment_run_call_count()
        args = run_context.original_args
        response = wrapper.on_run_start(
            framework.OnRunStartRequest(
                args.fetches, args.feed_dict, None, None, wrapper.run_call_count
            )
        )
        self._performed_action = response.action
        run_args = SessionRunArgs(None, feed_dict=None, options=config_pb2.RunOptions())
        if response.action == framework.OnRunStartAction.DEBUG_RUN:
            wrapper._decorate_run_options_for_debug(
                run_args.options,
                response.debug_urls,
                debug_ops=response.debug_ops,
                node_name_regex_whitelist=response.node_name_regex_whitelist,
                op_type_regex_whitelist=response.op_type_regex_whitelist,
                tensor_dtype_regex_whitelist=response.tensor_dtype_regex_whitelist,
                tolerate_debug_op_creation_failures=response.tolerate_debug_op_creation_failures,
            )
        elif response.action == framework.OnRunStartAction.PROFILE_RUN:
            wrapper._decorate_run_options_for_profile(run_args.options)
        return run_args

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Shows the command line with the dump of the run."""
        request = framework.OnRunEndRequest(
            self._performed_action or framework.OnRunStartAction.NON_DEBUG_RUN,
            run_values.run_metadata,
            client_graph_def=run_context.session.graph.as_graph_def(),
        )
        self._session_wrapper.on_run_end(request)


class _WatchingHook(SessionRunHook):
    """A hook that watches every run, as a wrapper session does.

    Args:
        watch_fn: a function of the fetches and feeds of a run that returns `WatchOptions`.
        thread_name_filter: matches the names of the threads whose runs are watched.
        log_usage: handed on to the wrapper session.
    """

    def __init__(
        self, watch_fn: Callable[..., Any] | None, thread_name_filter: str | None, log_usage: bool
    ) -> None:
        self._watch_fn = watch_fn
        self._thread_name_filter = thread_name_filter
        self._log_usage = log_usage
        self._session_wrapper: Any = None

    def _wrapped(self, session: Any, **options: Any) -> Any:
        """The wrapper session around a session."""
        raise NotImplementedError

    def begin(self) -> None:
        """Does nothing."""

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Watches the run."""
        reset = False
        if self._session_wrapper is None:
            self._session_wrapper = self._wrapped(
                run_context.session,
                watch_fn=self._watch_fn,
                thread_name_filter=self._thread_name_filter,
                log_usage=self._log_usage,
            )
            reset = True
        self._session_wrapper.increment_run_call_count()
        run_options = config_pb2.RunOptions()
        args = run_context.original_args
        urls, options = self._session_wrapper._prepare_run_watch_config(
            args.fetches, args.feed_dict
        )
        debug_utils.watch_graph(
            run_options,
            run_context.session.graph,
            debug_urls=urls,
            debug_ops=options.debug_ops,
            node_name_regex_whitelist=options.node_name_regex_whitelist,
            op_type_regex_whitelist=options.op_type_regex_whitelist,
            tensor_dtype_regex_whitelist=options.tensor_dtype_regex_whitelist,
            tolerate_debug_op_creation_failures=options.tolerate_debug_op_creation_failures,
            reset_disk_byte_usage=reset,
        )
        return SessionRunArgs(None, feed_dict=None, options=run_options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Does nothing."""


class DumpingDebugHook(_WatchingHook):
    """Dumps every run; see `DumpingDebugWrapperSession`.

    Args:
        session_root: the folder above those of the runs.
        watch_fn: a function of the fetches and feeds of a run that returns `WatchOptions`; None to
            watch everything.
        thread_name_filter: matches the names of the threads whose runs are dumped; None for all.
        log_usage: has no effect; nothing is reported to anyone.
    """

    def __init__(
        self,
        session_root: str,
        watch_fn: Callable[..., Any] | None = None,
        thread_name_filter: str | None = None,
        log_usage: bool = True,
    ) -> None:
        super().__init__(watch_fn, thread_name_filter, log_usage)
        self._session_root = session_root

    def _wrapped(self, session: Any, **options: Any) -> Any:
        return dumping_wrapper.DumpingDebugWrapperSession(session, self._session_root, **options)


class GrpcDebugHook(_WatchingHook):
    """Sends watched tensors to debug servers; see `GrpcDebugWrapperSession`.

    Args:
        grpc_debug_server_addresses: the address of the server, or a list of addresses.
        watch_fn: a function of the fetches and feeds of a run that returns `WatchOptions`; None to
            watch everything.
        thread_name_filter: matches the names of the threads whose runs are watched; None for all.
        log_usage: has no effect; nothing is reported to anyone.
    """

    def __init__(
        self,
        grpc_debug_server_addresses: Any,
        watch_fn: Callable[..., Any] | None = None,
        thread_name_filter: str | None = None,
        log_usage: bool = True,
    ) -> None:
        super().__init__(watch_fn, thread_name_filter, log_usage)
        self._addresses = grpc_wrapper.normalized_urls(grpc_debug_server_addresses)

    def _wrapped(self, session: Any, **options: Any) -> Any:
        return grpc_wrapper.GrpcDebugWrapperSession(session, self._addresses, **options)


class TensorBoardDebugHook(GrpcDebugHook):
    """Sends what a debug server asks for; see `TensorBoardDebugWrapperSession`.

    Args:
        grpc_debug_server_addresses: the address of the server, or a list of addresses.
        thread_name_filter: matches the names of the threads whose runs are watched; None for all.
        send_traceback_and_source_code: whether the lines that made the nodes and their files are
            sent.
        log_usage: has no effect; nothing is reported to anyone.
    """

    def __init__(
        self,
        grpc_debug_server_addresses: Any,
        thread_name_filter: str | None = None,
        send_traceback_and_source_code: bool = True,
        log_usage: bool = True,
    ) -> None:
        super().__init__(
            grpc_debug_server_addresses, grpc_wrapper.gated_watches, thread_name_filter, log_usage
        )
        self._send_traceback_and_source_code = send_traceback_and_source_code
        self._sent_graph_version = -1

    def before_run(self, run_context: Any) -> Any:
        """Sends the lines of new nodes, and watches what the servers enable."""
        if self._send_traceback_and_source_code:
            arguments = run_context.original_args
            self._sent_graph_version = grpc_wrapper.publish_traceback(
                self._addresses,
                run_context.session.graph,
                arguments.feed_dict,
                arguments.fetches,
                self._sent_graph_version,
            )
        return super().before_run(run_context)
