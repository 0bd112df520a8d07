"""Lines of source files with the nodes and values that they made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.debug.lib.library_paths import (
    COMPILED_SOURCE_SUFFIXES,
    UNCOMPILED_SOURCE_SUFFIXES,
    guess_is_tensorflow_py_library,
    is_extension_compiled_python_source,
    is_extension_uncompiled_python_source,
    norm_abs_path,
)
from headwater.debug.lib.profiling import AggregateProfile, ProfileDatum

__all__ = [
    "COMPILED_SOURCE_SUFFIXES",
    "UNCOMPILED_SOURCE_SUFFIXES",
    "annotate_source",
    "annotate_source_against_profile",
    "guess_is_tensorflow_py_library",
    "is_extension_compiled_python_source",
    "is_extension_uncompiled_python_source",
    "list_source_files_against_dump",
    "load_source",
]


def load_source(source_file_path: str) -> tuple[list[str], int]:
    """The lines of a source file, and the width of the number of the last one.

    Args:
        source_file_path: the file.
    """
    with open(source_file_path, "rb") as file:
        lines = file.read().decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return lines, len(str(len(lines)))


def _frames(dump: Any, node: str) -> list[tuple[str, int, str, str]]:
    """Where a node was made; nothing for nodes that the runtime has added."""
    try:
        return list(dump.node_traceback(node))
    except KeyError:
        return []


def annotate_source(
    dump: Any,
    source_file_path: str,
    do_dumped_tensors: bool = False,
    file_stack_top: bool = False,
    min_line: int | None = None,
    max_line: int | None = None,
) -> dict[int, list[str]]:
    """The nodes or the dumped tensors that the lines of a file made.

    Args:
        dump: a DebugDumpDir with a Python graph.
        source_file_path: the file.
        do_dumped_tensors: whether tensors are wanted, and not nodes.
        file_stack_top: whether only the last line in the file counts, of those that led to a node.
        min_line: the first line.
        max_line: the line after the last one.

    Returns:
        Names by the number of the line.

    Raises:
        ValueError: if the dump has no Python graph.
    """
    graph = dump.python_graph
    if graph is None:
        raise ValueError(
            "Cannot perform source annotation due to a lack of set Python graph in the dump object"
        )
    wanted = norm_abs_path(source_file_path)
    found: dict[int, list[str]] = {}
    for op in graph.get_operations():
        names = _dumped_tensors(dump, op.name) if do_dumped_tensors else [op.name]
        if not names:
            continue
        for path, line, *_ in reversed(_frames(dump, op.name)):
            if min_line is not None and line < min_line:
                continue
            if max_line is not None and line >= max_line:
                continue
            if norm_abs_path(path) == wanted:
                listed = found.setdefault(line, [])
                listed.extend(name for name in names if name not in listed)
                if file_stack_top:
                    break
    return found


def _dumped_tensors(dump: Any, node: str) -> list[str]:
    return list(map(_convert_watch_key_to_tensor_name, dump.debug_watch_keys(node)))


def _convert_watch_key_to_tensor_name(watch_key: str) -> str:
    return watch_key[: watch_key.rfind(":")]


def list_source_files_against_dump(
    dump: Any,
    path_regex_whitelist: str | None = None,
    node_name_regex_whitelist: str | None = None,
) -> list[tuple[str, bool, int, int, int, int]]:
    """The source files that made the nodes of a dump.

    Args:
        dump: a DebugDumpDir with a Python graph.
        path_regex_whitelist: matches the paths of files.
        node_name_regex_whitelist: matches the names of nodes.

    Returns:
        For each file in order: its path, whether it is of the library, how many nodes, tensors and
        dumps of tensors it made, and the first line that made one.

    Raises:
        ValueError: if the dump has no Python graph.
    """
    graph = dump.python_graph
    if graph is None:
        raise ValueError(
            "Cannot generate source list due to a lack of set Python graph in the dump object"
        )
    paths = re.compile(path_regex_whitelist) if path_regex_whitelist else None
    names = re.compile(node_name_regex_whitelist) if node_name_regex_whitelist else None
    nodes: dict[str, set[str]] = {}
    tensors: dict[str, int] = {}
    dumps: dict[str, int] = {}
    first: dict[str, int] = {}
    for op in graph.get_operations():
        if names and not names.match(op.name):
            continue
        lines: dict[str, int] = {}
        for path, line, *_ in _frames(dump, op.name):
            path = norm_abs_path(path)
            lines[path] = min(line, lines.get(path, line))
        keys = dump.debug_watch_keys(op.name)
        count = sum(len(dump.watch_key_to_data(key)) for key in keys)
        for path, line in lines.items():
            if paths and not paths.match(path):
                continue
            nodes.setdefault(path, set()).add(op.name)
            tensors[path] = tensors.get(path, 0) + len(op.outputs)
            dumps[path] = dumps.get(path, 0) + count
            first[path] = min(line, first.get(path, line))
    return [
        (
            path,
            guess_is_tensorflow_py_library(path),
            len(nodes[path]),
            tensors[path],
            dumps[path],
            first[path],
        )
        for path in sorted(nodes)
    ]


def annotate_source_against_profile(
    profile_data: Iterable[ProfileDatum],
    source_file_path: str,
    node_name_filter: str | None = None,
    op_type_filter: str | None = None,
    min_line: int | None = None,
    max_line: int | None = None,
) -> dict[int, AggregateProfile]:
    """The times of the nodes that the lines of a file made.

    Args:
        profile_data: the times.
        source_file_path: the file.
        node_name_filter: matches the names of nodes.
        op_type_filter: matches their op types.
        min_line: the first line.
        max_line: the line after the last one.

    Returns:
        Sums by the number of the line.
    """
    wanted = norm_abs_path(source_file_path)
    nodes = re.compile(node_name_filter) if node_name_filter else None
    types = re.compile(op_type_filter) if op_type_filter else None

    def chosen() -> Iterator[ProfileDatum]:
        for datum in profile_data:
            if not datum.file_path or norm_abs_path(datum.file_path) != wanted:
                continue
            if min_line is not None and datum.line_number < min_line:
                continue
            if max_line is not None and datum.line_number >= max_line:
                continue
            if nodes and not nodes.match(datum.node_exec_stats.node_name):
                continue
            if types and not types.match(datum.op_type):
                continue
            yield datum

    found: dict[int, AggregateProfile] = {}
    for datum in chosen():
        if datum.line_number in found:
            found[datum.line_number].add(datum)
        else:
            found[datum.line_number] = AggregateProfile(datum)
    return found
