"""Adds watches to RunOptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any


def add_debug_tensor_watch(
    run_options: Any,
    node_name: str,
    output_slot: int = 0,
    debug_ops: str | list[str] = "DebugIdentity",
    debug_urls: str | list[str] | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
) -> None:
    """Adds the watch of one tensor.

    Args:
        run_options: the RunOptions proto that it is added to.
        node_name: the name of the node; "*" with the output -1 for all nodes.
        output_slot: which output of the node.
        debug_ops: the debug ops; attrs in brackets: ``DebugNumericSummary(lower_bound=-9)``.
        debug_urls: where their outputs go: ``file:///folder``.
        tolerate_debug_op_creation_failures: whether a debug op that does not fit is left out.
        global_step: the global step that the dump says.
    """
    options = run_options.debug_options
    options.global_step = global_step
    watch = options.debug_tensor_watch_opts.add()
    watch.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures
    watch.node_name = node_name
    watch.output_slot = output_slot
    watch.debug_ops.extend([debug_ops] if isinstance(debug_ops, str) else debug_ops)
    if debug_urls:
        watch.debug_urls.extend([debug_urls] if isinstance(debug_urls, str) else debug_urls)


def watch_graph(
    run_options: Any,
    graph: Any,
    debug_ops: str | list[str] = "DebugIdentity",
    debug_urls: str | list[str] | None = None,
    node_name_regex_whitelist: str | None = None,
    op_type_regex_whitelist: str | None = None,
    tensor_dtype_regex_whitelist: str | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
    reset_disk_byte_usage: bool = False,
) -> None:
    """Adds watches of all tensors of a graph, or of those that regular expressions match.

    Args:
        run_options: the RunOptions proto that they are added to.
        graph: the graph.
        debug_ops: the debug ops, or a function of (node name, output) that gives them.
        debug_urls: where their outputs go.
        node_name_regex_whitelist: matches the names of watched nodes.
        op_type_regex_whitelist: matches their op types.
        tensor_dtype_regex_whitelist: matches the names of the types of watched tensors.
        tolerate_debug_op_creation_failures: whether a debug op that does not fit is left out.
        global_step: the global step that the dump says.
        reset_disk_byte_usage: whether the count of written bytes begins anew.
    """
    filters = [node_name_regex_whitelist, op_type_regex_whitelist, tensor_dtype_regex_whitelist]

    def is_watched(*values: str) -> bool:
        return all(not f or re.compile(f).match(v) for f, v in zip(filters, values))

    is_everything = not any(filters)
    found = _watch(
        run_options,
        graph,
        is_watched,
        debug_ops,
        debug_urls,
        tolerate_debug_op_creation_failures,
        global_step,
    )
    if is_everything and found and not callable(debug_ops):
        # Nodes that the runtime adds.
        add_debug_tensor_watch(
            run_options,
            "*",
            output_slot=-1,
            debug_ops=debug_ops,
            debug_urls=debug_urls,
            tolerate_debug_op_creation_failures=tolerate_debug_op_creation_failures,
            global_step=global_step,
        )
    run_options.debug_options.reset_disk_byte_usage = reset_disk_byte_usage


def watch_graph_with_blacklists(
    run_options: Any,
    graph: Any,
    debug_ops: str | list[str] = "DebugIdentity",
    debug_urls: str | list[str] | None = None,
    node_name_regex_blacklist: str | None = None,
    op_type_regex_blacklist: str | None = None,
    tensor_dtype_regex_blacklist: str | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
    reset_disk_byte_usage: bool = False,
) -> None:
    """Adds watches of all tensors of a graph but those that regular expressions match.

    Args:
        run_options: the RunOptions proto that they are added to.
        graph: the graph.
        debug_ops: the debug ops, or a function of (node name, output) that gives them.
        debug_urls: where their outputs go.
        node_name_regex_blacklist: matches the names of nodes that are not watched.
        op_type_regex_blacklist: matches their op types.
        tensor_dtype_regex_blacklist: matches the names of the types of tensors not watched.
        tolerate_debug_op_creation_failures: whether a debug op that does not fit is left out.
        global_step: the global step that the dump says.
        reset_disk_byte_usage: whether the count of written bytes begins anew.
    """
    filters = [node_name_regex_blacklist, op_type_regex_blacklist, tensor_dtype_regex_blacklist]

    def is_watched(*values: str) -> bool:
        return not any(f and re.compile(f).match(v) for f, v in zip(filters, values))

    _watch(
        run_options,
        graph,
        is_watched,
        debug_ops,
        debug_urls,
        tolerate_debug_op_creation_failures,
        global_step,
    )
    run_options.debug_options.reset_disk_byte_usage = reset_disk_byte_usage


def _watch(
    run_options: Any,
    graph: Any,
    is_watched: Callable[..., bool],
    debug_ops: Any,
    debug_urls: Any,
    tolerate: bool,
    global_step: int,
) -> bool:
    """Adds the watches of the outputs for which `is_watched` is true; whether there are any."""
    found = False
    for op in graph.get_operations():
        for slot, dtype in _outputs(op):
            if not is_watched(op.name, op.type, dtype):
                continue
            found = True
            add_debug_tensor_watch(
                run_options,
                op.name,
                output_slot=slot,
                debug_ops=debug_ops(op.name, slot) if callable(debug_ops) else debug_ops,
                debug_urls=debug_urls,
                tolerate_debug_op_creation_failures=tolerate,
                global_step=global_step,
            )
    return found


def _outputs(op: Any) -> Iterable[tuple[int, str]]:
    return ((slot, tensor.dtype.name) for slot, tensor in enumerate(op.outputs))
