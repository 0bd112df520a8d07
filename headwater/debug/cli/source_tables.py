"""Tables of source files, and source files with nodes and tensors."""

from __future__ import annotations

import os
from typing import Any

from headwater.debug.cli import cli_shared
from headwater.debug.cli.rich_text import (
    INIT_SCROLL_POS_KEY,
    MenuItem,
    RichLine,
    RichTextLines,
    rich_text_lines_from_rich_line_list,
)
from headwater.debug.lib.debug_graphs import get_node_name
from headwater.debug.lib.source_utils import annotate_source, load_source

_HEADS = ("Source file path", "#(nodes)", "#(tensors)", "#(tensor dumps)")


def source_table(source_list: list[Any], is_tf_py_library: bool) -> RichTextLines:
    """A table of the source files of the library, or of those outside of it.

    Args:
        source_list: what `list_source_files_against_dump` has returned.
        is_tf_py_library: whether the files of the library are wanted.
    """
    files = [row for row in source_list if row[1] == is_tf_py_library]
    color = cli_shared.COLOR_GRAY if is_tf_py_library else cli_shared.COLOR_WHITE
    title = (
        "TensorFlow Python library file(s):"
        if is_tf_py_library
        else ("File(s) outside TensorFlow Python library:")
    )
    lines: list[Any] = [RichLine(title, color)]
    if not files:
        lines.append(RichLine("[No files.]"))
    else:
        path_width = max(max(len(row[0]) for row in files), len(_HEADS[0])) + 1
        widths = [path_width, *(len(head) + 1 for head in _HEADS[1:-1]), len(_HEADS[-1])]
        head = RichLine()
        for text, width in zip(_HEADS, widths):
            head += RichLine(text.ljust(width), color)
        lines.append(head)
        lines.extend(_row(row, widths, color) for row in files)
    lines.append(RichLine())
    return rich_text_lines_from_rich_line_list(lines)


def _row(row: Any, widths: list[int], color: str) -> RichLine:
    path, _, nodes, tensors, dumps, first_line = row
    attrs: Any = color
    if path.endswith(".py"):
        attrs = [color, MenuItem(None, f"ps {path} -b {first_line}")]  # type: ignore[arg-type]
    line = RichLine(path, attrs) + " " * (widths[0] - len(path))
    for value, width in zip((nodes, tensors), widths[1:]):
        line += RichLine(str(value).ljust(width), color)
    return line + RichLine(str(dumps), color)


def annotated_source(dump: Any, parsed: Any) -> RichTextLines:
    """A source file with the nodes or tensors that its lines made.

    Args:
        dump: a DebugDumpDir with a Python graph.
        parsed: the arguments of ``print_source``.
    """
    made = annotate_source(dump, parsed.source_file_path, do_dumped_tensors=parsed.tensors)
    source_lines, width = load_source(parsed.source_file_path)
    out = RichTextLines([])
    scroll = 0
    for number, text in enumerate(source_lines, 1):
        if number == parsed.line_begin:
            scroll = out.num_lines()
        label = RichLine(f"L{number}", cli_shared.COLOR_YELLOW)
        out.append_rich_line(label + " " * (width - len(str(number))) + "  " + text)
        names = sorted(made.get(number, ()))
        for name in names[: parsed.max_elements_per_line]:
            out.append_rich_line(_element(dump, name))
        omitted = len(names) - parsed.max_elements_per_line
        if omitted > 0:
            kind = "tensor" if parsed.tensors else "op"
            command = _with_more(parsed, number, 5)
            item = MenuItem(None, command)  # type: ignore[arg-type]
            out.append_rich_line(
                RichLine(f"    (... Omitted {omitted} of {len(names)} {kind}(s) ...) ")
                + RichLine("+5", item)
            )
    out.annotations[INIT_SCROLL_POS_KEY] = scroll
    return out


def _element(dump: Any, name: str) -> RichLine:
    attr: Any = cli_shared.COLOR_BLUE
    if dump.debug_watch_keys(get_node_name(name)):
        attr = MenuItem("", f"pt {name}")
    return RichLine("    ") + RichLine(name, attr)


def _with_more(parsed: Any, line: int, more: int) -> str:
    """The command that shows more elements of a line."""
    tensors = "-t" if parsed.tensors else ""
    count = parsed.max_elements_per_line + more
    return f"ps {os.fspath(parsed.source_file_path)} {tensors} -b {line} -m {count}"
