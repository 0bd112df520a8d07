"""What commands of the debugger have in common: texts, sizes, times, formatted tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from headwater.debug.cli import command_parser, tensor_format
from headwater.debug.cli.rich_text import (
    MAIN_MENU_KEY,
    Menu,
    MenuItem,
    RichLine,
    RichTextLines,
    rich_text_lines_from_rich_line_list,
)
from headwater.debug.lib import common

RL = RichLine

# Arrays with more elements are shown with ellipses.
DEFAULT_NDARRAY_DISPLAY_THRESHOLD = 2000

COLOR_BLACK = "black"
COLOR_BLUE = "blue"
COLOR_CYAN = "cyan"
COLOR_GRAY = "gray"
COLOR_GREEN = "green"
COLOR_MAGENTA = "magenta"
COLOR_RED = "red"
COLOR_WHITE = "white"
COLOR_YELLOW = "yellow"

TIME_UNIT_US = "us"
TIME_UNIT_MS = "ms"
TIME_UNIT_S = "s"
TIME_UNITS = [TIME_UNIT_US, TIME_UNIT_MS, TIME_UNIT_S]

_HORIZONTAL_BAR = "=" * 38
_ERROR_BAR = "-" * 38
_FACTORS = {TIME_UNIT_US: 1, TIME_UNIT_MS: 1e3, TIME_UNIT_S: 1e6}


def bytes_to_readable_str(num_bytes: float | None, include_b: bool = False) -> str:
    """A number of bytes as text: ``4.77M``.

    Args:
        num_bytes: the number, or None.
        include_b: whether a B follows.
    """
    if num_bytes is None:
        return str(num_bytes)
    for factor, unit in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "k")):
        if num_bytes >= factor:
            text = f"{float(num_bytes) / factor:.2f}{unit}"
            break
    else:
        text = str(int(num_bytes))
    return text + "B" if include_b else text


def time_to_readable_str(value_us: float, force_time_unit: str | None = None) -> str:
    """A time as text: ``1.5ms``.

    Args:
        value_us: the time in microseconds.
        force_time_unit: the unit; None for one that fits.

    Raises:
        ValueError: if there is no such unit.
    """
    if not value_us:
        return "0"
    if force_time_unit:
        if force_time_unit not in _FACTORS:
            raise ValueError(f"Invalid time unit: {force_time_unit}")
        return f"{value_us / _FACTORS[force_time_unit]:.10g}{force_time_unit}"
    for unit in (TIME_UNIT_S, TIME_UNIT_MS):
        if value_us > _FACTORS[unit]:
            return f"{value_us / _FACTORS[unit]:.3g}{unit}"
    return f"{value_us:.3g}{TIME_UNIT_US}"


def parse_ranges_highlight(ranges_string: str | None) -> tensor_format.HighlightOptions | None:
    """The highlighting of the elements in ranges; None for no ranges.

    Args:
        ranges_string: the ranges as `command_parser.parse_ranges` reads them.
    """
    if not ranges_string:
        return None
    ranges = command_parser.parse_ranges(ranges_string)

    def is_in_a_range(tensor: np.ndarray) -> Any:
        found = np.zeros(tensor.shape, bool)
        for low, high in ranges:
            found |= (tensor >= low) & (tensor <= high)
        return found

    return tensor_format.HighlightOptions(is_in_a_range, description=ranges_string)


def numpy_printoptions_from_screen_info(screen_info: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options for printing arrays on a screen.

    Args:
        screen_info: the width of the screen under "cols", or None.
    """
    if screen_info and "cols" in screen_info:
        return {"linewidth": screen_info["cols"]}
    return {}


def format_tensor(
    tensor: Any,
    tensor_name: str,
    np_printoptions: dict[str, Any],
    print_all: bool = False,
    tensor_slicing: str | None = None,
    highlight_options: tensor_format.HighlightOptions | None = None,
    include_numeric_summary: bool = False,
    write_path: str | None = None,
) -> RichTextLines:
    """Shows the value of a tensor, or a part of it.

    Args:
        tensor: the value.
        tensor_name: the name of the tensor.
        np_printoptions: options of ``numpy.printoptions``.
        print_all: whether all elements are shown.
        tensor_slicing: which part is shown, such as ``[1, :]``.
        highlight_options: which elements are highlighted.
        include_numeric_summary: whether a summary is shown.
        write_path: a file to which the value is written with ``numpy.save``.
    """
    value, label = tensor, tensor_name
    if tensor_slicing:
        value = command_parser.evaluate_tensor_slice(tensor, tensor_slicing)
        label += tensor_slicing
    message = _saved(value, write_path) if write_path else None
    threshold = DEFAULT_NDARRAY_DISPLAY_THRESHOLD
    if print_all:
        threshold = value.size + 1 if isinstance(value, np.ndarray) else threshold
    return tensor_format.format_tensor(
        value,
        label,
        include_metadata=True,
        auxiliary_message=message,
        include_numeric_summary=include_numeric_summary,
        np_printoptions={**np_printoptions, "threshold": threshold},
        highlight_options=highlight_options,
    )


def _saved(value: Any, path: str) -> RichTextLines:
    with open(path, "wb") as file:
        np.save(file, value, allow_pickle=False)
        size = bytes_to_readable_str(file.tell(), include_b=True)
    line = RichLine("Saved value to: ") + RichLine(path, font_attr="bold") + RichLine(f" ({size})")
    return rich_text_lines_from_rich_line_list([line])


def error(msg: str) -> RichTextLines:
    """An error message.

    Args:
        msg: what is wrong.
    """
    return rich_text_lines_from_rich_line_list([RichLine(f"ERROR: {msg}", COLOR_RED)])


def _recommend_command(
    command: str, description: str, indent: int = 2, create_link: bool = False
) -> RichTextLines:
    """Two lines: a command, and what it does.

    Args:
        command: the command.
        description: what it does.
        indent: how far the command is to the right.
        create_link: whether the command can be chosen.
    """
    attrs: Any = [MenuItem("", command), "bold"] if create_link else "bold"
    first = RichLine(" " * indent) + RichLine(f"{command}:", attrs)
    # The colon is not part of the command.
    first.font_attr_segs = [(indent, indent + len(command), attrs)]
    return rich_text_lines_from_rich_line_list([first, " " * (indent + 2) + description])


def get_tfdbg_logo() -> RichTextLines:
    """What the command line begins with."""
    name = "TFDBG: the debugger of Headwater"
    lines = [
        "",
        "+" + "-" * (len(name) + 2) + "+",
        f"| {name} |",
        "+" + "-" * (len(name) + 2) + "+",
    ]
    return RichTextLines(["", *lines, "", ""][:7])


def get_run_start_intro(
    run_call_count: int,
    fetches: Any,
    feed_dict: Any,
    tensor_filters: Mapping[str, Any],
    is_callable_runner: bool = False,
) -> RichTextLines:
    """What is shown before a run.

    Args:
        run_call_count: the number of the run.
        fetches: its fetches.
        feed_dict: its feeds, or None.
        tensor_filters: the filters by name.
        is_callable_runner: whether the run is one of a function of ``make_callable``.
    """
    names = common.get_flattened_names(fetches)
    out = RichTextLines([_HORIZONTAL_BAR])
    if is_callable_runner:
        out.append("Running a runner returned by Session.make_callable()")
    else:
        out.append(f"Session.run() call #{run_call_count}:")
        out.append("")
        out.append("Fetch(es):")
        out.extend(RichTextLines([f"  {name}" for name in names]))
        out.append("")
        out.append("Feed dict:")
        if not feed_dict:
            out.append("  (Empty)")
        for key in feed_dict or ():
            name = key if isinstance(key, str) else common.get_graph_element_name(key)
            item = MenuItem(None, f"pf '{name}'")  # type: ignore[arg-type]
            out.append_rich_line(RichLine("  ") + RichLine(name, item))
    out.append(_HORIZONTAL_BAR)
    out.append("")
    out.append("Select one of the following commands to proceed ---->")
    out.extend(
        _recommend_command(
            "run", "Execute the run() call with debug tensor-watching", create_link=True
        )
    )
    out.extend(
        _recommend_command(
            "run -n", "Execute the run() call without debug tensor-watching", create_link=True
        )
    )
    out.extend(
        _recommend_command(
            "run -t <T>",
            "Execute run() calls (T - 1) times without debugging, then execute run() once more "
            "with debugging and drop back to the CLI",
        )
    )
    out.extend(
        _recommend_command(
            "run -f <filter_name>",
            "Keep executing run() calls until a dumped tensor passes a given, registered filter "
            "(conditional breakpoint mode)",
        )
    )
    out.append("    Registered filter(s):")
    for name in tensor_filters:
        item = MenuItem("", f"run -f {name}")
        out.append_rich_line(RichLine("        * ") + RichLine(name, item))
    if not tensor_filters:
        out.append("        (None)")
    out.append("")
    out.append_rich_line(
        RichLine("For more details, see ") + RichLine("help.", MenuItem("", "help")) + "."
    )
    out.append("")
    menu = Menu()
    menu.append(MenuItem("run", "run"))
    menu.append(MenuItem("exit", "exit"))
    out.annotations[MAIN_MENU_KEY] = menu
    return out


def get_run_short_description(
    run_call_count: int, fetches: Any, feed_dict: Any, is_callable_runner: bool = False
) -> str:
    """A run in one line: ``run #1: 2 fetches; 1 feed (x:0)``.

    Args:
        run_call_count: the number of the run.
        fetches: its fetches.
        feed_dict: its feeds, or None.
        is_callable_runner: whether the run is one of a function of ``make_callable``.
    """
    if is_callable_runner:
        return "runner from make_callable()"
    names = common.get_flattened_names(fetches)
    text = f"run #{run_call_count}: "
    if len(names) == 1 and not isinstance(fetches, (str, list, tuple, dict)):
        text += f"1 fetch ({common.get_graph_element_name(fetches)}); "
    else:
        text += f"{len(names)} fetch{'es' if len(names) > 1 else ''}; "
    feeds = list(feed_dict or ())
    if len(feeds) == 1:
        key = feeds[0]
        return text + f"1 feed ({key if isinstance(key, str) else key.name})"
    return text + f"{len(feeds)} feeds"


def get_error_intro(tf_error: Any) -> RichTextLines:
    """What is shown after a run that has failed.

    Args:
        tf_error: the OpError.
    """
    op_name = tf_error.op.name if getattr(tf_error, "op", None) is not None else None
    out = RichTextLines([_ERROR_BAR])
    out.append_rich_line(RichLine("!!! An error occurred during the run !!!", "blink"))
    out.append("")
    if op_name:
        out.append("You may use the following commands to debug:")
        for command, description in (
            (f"ni -a -d -t {op_name}", "Inspect information about the failing op."),
            (f"li -r {op_name}", "List inputs to the failing op, recursively."),
            ("lt", "List all tensors dumped during the failing run() call."),
        ):
            out.extend(_recommend_command(command, description, create_link=True))
    else:
        out.append("WARNING: Cannot determine the name of the op that caused the error.")
    for line in (
        "",
        f"Op name:    {op_name}",
        f"Error type: {type(tf_error)}",
        "",
        "Details:",
        str(tf_error),
        "",
        _ERROR_BAR,
        "",
    ):
        out.append(line)
    return out
