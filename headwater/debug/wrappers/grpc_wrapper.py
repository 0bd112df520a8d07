"""Sessions that send watched tensors to a debug server."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from headwater.debug.lib import common, source_remote
from headwater.debug.lib.common import GRPC_URL_PREFIX
from headwater.debug.wrappers import framework


def normalized_url(address: str) -> str:
    """The address of a debug server as a URL."""
    return address if address.startswith(GRPC_URL_PREFIX) else GRPC_URL_PREFIX + address


def normalized_urls(addresses: Any) -> list[str]:
    """The URLs of one debug server or of several.

    Raises:
        TypeError: if it is neither a string nor a list of strings.
    """
    if isinstance(addresses, str):
        return [normalized_url(addresses)]
    if not isinstance(addresses, (list, tuple)):
        raise TypeError(
            "Expected type str or list in grpc_debug_server_addresses, received type "
            f"{type(addresses)}"
        )
    for address in addresses:
        if not isinstance(address, str):
            raise TypeError(
                "Expected type str in list grpc_debug_server_addresses, received type "
                f"{type(address)}"
            )
    return [normalized_url(address) for address in addresses]


def gated_watches(fetches: Any, feeds: Any) -> framework.WatchOptions:
    """Watches everything that a server enables."""
    del fetches, feeds
    return framework.WatchOptions(debug_ops=["DebugIdentity(gated_grpc=true)"])


def publish_traceback(
    debug_server_urls: list[str], graph: Any, feed_dict: Any, fetches: Any, old_graph_version: int
) -> int:
    """Sends the lines that made a graph to debug servers, if there are new nodes.

    Args:
        debug_server_urls: the URLs of the servers.
        graph: the graph.
        feed_dict: the feeds of the run, or None.
        fetches: its fetches.
        old_graph_version: the version of the graph that was sent before.

    Returns:
        The version of the graph.

    Raises:
        UnavailableError: if a server does not take them.
    """
    if graph.version > old_graph_version:
        run_key = common.get_run_key(feed_dict, fetches)
        stack = traceback.extract_stack()
        source_remote.send_graph_tracebacks(debug_server_urls, run_key, stack, graph)
    return int(graph.version)


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
    """A session that sends what a debug server asks for: TensorBoard 1.x, or one of its kind.

    Args:
        sess: the other session.
        grpc_debug_server_addresses: the address of the server, or a list of addresses.
        thread_name_filter: matches the names of the threads whose runs are watched; None for all.
        send_traceback_and_source_code: whether the lines that made the nodes and their files are
            sent.
        log_usage: has no effect; nothing is reported to anyone.
    """

    def __init__(
        self,
        sess: Any,
        grpc_debug_server_addresses: Any,
        thread_name_filter: str | None = None,
        send_traceback_and_source_code: bool = True,
        log_usage: bool = True,
    ) -> None:
        super().__init__(
            sess,
            grpc_debug_server_addresses,
            watch_fn=gated_watches,
            thread_name_filter=thread_name_filter,
            log_usage=log_usage,
        )
        self._send_traceback_and_source_code = send_traceback_and_source_code
        self._sent_graph_version = -1

    def on_run_start(self, request: framework.OnRunStartRequest) -> framework.OnRunStartResponse:
        """Sends the lines of new nodes, and watches what the servers enable."""
        if self._send_traceback_and_source_code:
            self._sent_graph_version = publish_traceback(
                self._grpc_debug_server_urls,
                self.graph,
                request.feed_dict,
                request.fetches,
                self._sent_graph_version,
            )
        return super().on_run_start(request)
