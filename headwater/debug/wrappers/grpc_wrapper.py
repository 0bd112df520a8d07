"""Sessions that would send watched tensors to a debug server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from headwater.base import errors
from headwater.debug.lib.common import GRPC_URL_PREFIX
from headwater.debug.wrappers import framework


def normalized_url(address: str) -> str:
    """The address of a debug server as a URL."""
    return address if address.startswith(GRPC_URL_PREFIX) else GRPC_URL_PREFIX + address


def refuse(addresses: Any) -> NoReturn:
    """Raises the error of everything that needs a debug server.

    Raises:
        UnimplementedError: always.
    """
    listed = [addresses] if isinstance(addresses, str) else list(addresses)
    raise errors.UnimplementedError(
        None,
        None,
        "Headwater cannot send watched tensors to a gRPC debug server "
        f"({', '.join(map(normalized_url, listed))}), such as the debugger plugin of TensorBoard "
        "1.x is one.",
        hint="tf_debug.DumpingDebugWrapperSession (or DumpingDebugHook) dumps them to a folder, "
        "which `headwater debug FOLDER` shows; LocalCLIDebugWrapperSession shows them at once.",
    )


class GrpcDebugWrapperSession(framework.NonInteractiveDebugWrapperSession):
    """A session that would send watched tensors to a debug server; it cannot be made.

    Args:
        sess: the other session.
        grpc_debug_server_addresses: the address of the server, or a list of addresses.
        watch_fn: what is watched.
        thread_name_filter: matches the names of threads.
        log_usage: has no effect.

    Raises:
        UnimplementedError: always.
    """

    def __init__(
        self,
        sess: Any,
        grpc_debug_server_addresses: Any,
        watch_fn: Callable[..., Any] | None = None,
        thread_name_filter: str | None = None,
        log_usage: bool = True,
    ) -> None:
        del sess, watch_fn, thread_name_filter, log_usage
        refuse(grpc_debug_server_addresses)

    def prepare_run_debug_urls(self, fetches: Any, feed_dict: Any) -> Any:
        """Raises UnimplementedError."""
        del fetches, feed_dict
        refuse("")


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
        del send_traceback_and_source_code
        super().__init__(
            sess,
            grpc_debug_server_addresses,
            thread_name_filter=thread_name_filter,
            log_usage=log_usage,
        )
