"""Sessions that send watched tensors to a debug server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from headwater.base import errors
from headwater.debug.lib.common import GRPC_URL_PREFIX
from headwater.debug.wrappers import framework


def normalized_url(address: str) -> str:
    """The address of a debug server as a URL."""
    return address if address.startswith(GRPC_URL_PREFIX) else GRPC_URL_PREFIX + address


def normalized_urls(addresses: Any) -> list[str]:
    """The URLs of one debug server or of several."""
    listed = [addresses] if isinstance(addresses, str) else list(addresses)
    return [normalized_url(address) for address in listed]


def refuse(addresses: Any) -> NoReturn:
    """Raises the error of the debugger of TensorBoard 1.x.

    Raises:
        UnimplementedError: always.
    """
    raise errors.UnimplementedError(
        None,
        None,
        "Headwater does not drive the debugger plugin of TensorBoard 1.x "
        f"({', '.join(normalized_urls(addresses))}), which today's TensorBoard does not have.",
        hint="tf_debug.DumpingDebugWrapperSession (or DumpingDebugHook) dumps tensors to a folder, "
        "which `headwater debug FOLDER` shows; LocalCLIDebugWrapperSession shows them at once; "
        "GrpcDebugWrapperSession sends them to a gRPC debug server.",
    )


class GrpcDebugWrapperSession(framework.NonInteractiveDebugWrapperSession):
    """A session that sends watched tensors to debug servers, run by run.

    Args:
        sess: the other session.
        grpc_debug_server_addresses: the address of the server, or a list of addresses.
        watch_fn: a function of the fetches and feeds of a run that returns `WatchOptions`; None to
            watch everything.
        thread_name_filter: matches the names of the threads whose runs are watched; None for all.
        log_usage: has no effect; nothing is reported to anyone.

    Raises:
        TypeError: if `watch_fn` is not a function.
    """

    def __init__(
        self,
        sess: Any,
        grpc_debug_server_addresses: Any,
        watch_fn: Callable[..., Any] | None = None,
        thread_name_filter: str | None = None,
        log_usage: bool = True,
    ) -> None:
        del log_usage
        super().__init__(sess, watch_fn=watch_fn, thread_name_filter=thread_name_filter)
        self._grpc_debug_server_urls = normalized_urls(grpc_debug_server_addresses)

    def prepare_run_debug_urls(self, fetches: Any, feed_dict: Any) -> list[str]:
        """The URLs of the servers, for every run."""
        del fetches, feed_dict
        return self._grpc_debug_server_urls


class TensorBoardDebugWrapperSession(GrpcDebugWrapperSession):
    """A session for the debugger plugin of TensorBoard 1.x; it cannot be made.

    Args:
        sess: the other session.
        grpc_debug_server_addresses: the address of TensorBoard's debugger, or a list of addresses.
        thread_name_filter: matches the names of threads.
        send_traceback_and_source_code: whether source code is sent.
        log_usage: has no effect.

    Raises:
        UnimplementedError: always.
    """

    def __init__(
        self,
        sess: Any,
        grpc_debug_server_addresses: Any,
        thread_name_filter: str | None = None,
        send_traceback_and_source_code: bool = True,
        log_usage: bool = True,
    ) -> None:
        del sess, thread_name_filter, send_traceback_and_source_code, log_usage
        refuse(grpc_debug_server_addresses)
