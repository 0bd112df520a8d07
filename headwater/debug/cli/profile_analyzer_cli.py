"""The commands that look at the times of a run: list_profile and print_source."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from headwater.debug.cli import cli_config, cli_shared, command_parser, ui_factory
from headwater.debug.cli.rich_text import (
    INIT_SCROLL_POS_KEY,
    MenuItem,
    RichLine,
    RichTextLines,
    rich_text_lines_from_rich_line_list,
)
from headwater.debug.lib import profiling, source_utils

SORT_OPS_BY_OP_NAME = "node"
SORT_OPS_BY_OP_TYPE = "op_type"
SORT_OPS_BY_OP_TIME = "op_time"
SORT_OPS_BY_EXEC_TIME = "exec_time"
SORT_OPS_BY_START_TIME = "start_time"
SORT_OPS_BY_LINE = "line"

_DEVICE_NAME_FILTER_FLAG = "device_name_filter"
_NODE_NAME_FILTER_FLAG = "node_name_filter"
_OP_TYPE_FILTER_FLAG = "op_type_filter"

_TOTAL = "Device Total"


class ProfileDataTableView:
    """Times as the cells of a table.

    Args:
        profile_datum_list: the times.
        time_unit: the unit in which they are shown.
    """

    _SORT_IDS = (
        SORT_OPS_BY_OP_NAME,
        SORT_OPS_BY_OP_TYPE,
        SORT_OPS_BY_START_TIME,
        SORT_OPS_BY_OP_TIME,
        SORT_OPS_BY_EXEC_TIME,
        SORT_OPS_BY_LINE,
    )

    def __init__(
        self,
        profile_datum_list: list[profiling.ProfileDatum],
        time_unit: str = cli_shared.TIME_UNIT_US,
    ) -> None:
        self._data = profile_datum_list
        self.formatted_start_time = [datum.start_time for datum in profile_datum_list]
        self.formatted_op_time = [_time(datum.op_time, time_unit) for datum in profile_datum_list]
        self.formatted_exec_time = [
            _time(datum.node_exec_stats.all_end_rel_micros, time_unit)
            for datum in profile_datum_list
        ]
        self._names = [
            "Node",
            "Op Type",
            "Start Time (us)",
            f"Op Time ({time_unit})",
            f"Exec Time ({time_unit})",
            "Filename:Lineno(function)",
        ]

    def value(
        self,
        row: int,
        col: int,
        device_name_filter: str | None = None,
        node_name_filter: str | None = None,
        op_type_filter: str | None = None,
    ) -> RichLine:
        """A cell.

        Args:
            row: its row.
            col: its column.
            device_name_filter: the filter of the list, for the command of the cell.
            node_name_filter: the filter of the list, for the command of the cell.
            op_type_filter: the filter of the list, for the command of the cell.
        """
        datum = self._data[row]
        if col < 5:
            texts = (
                datum.node_exec_stats.node_name,
                datum.op_type,
                str(self.formatted_start_time[row]),
                self.formatted_op_time[row],
                self.formatted_exec_time[row],
            )
            return RichLine(str(texts[col]))
        command = "ps"
        for flag, text in (
            (_DEVICE_NAME_FILTER_FLAG, device_name_filter),
            (_NODE_NAME_FILTER_FLAG, node_name_filter),
            (_OP_TYPE_FILTER_FLAG, op_type_filter),
        ):
            if text:
                command += f" --{flag} {text}"
        command += f" {datum.file_path} --init_line {datum.line_number}"
        item = MenuItem(None, command)  # type: ignore[arg-type]
        if not datum.file_line_func:
            return RichLine("")
        name = os.path.basename(datum.file_path)
        return RichLine(f"{name}:{datum.line_number}({datum.func_name})", item)

    def row_count(self) -> int:
        """The number of rows."""
        return len(self._data)

    def column_count(self) -> int:
        """The number of columns."""
        return len(self._names)

    def column_names(self) -> list[str]:
        """The heads of the columns."""
        return self._names

    def column_sort_id(self, col: int) -> str:
        """The key that sorts the rows by a column."""
        return self._SORT_IDS[col]


def _time(microseconds: float, unit: str) -> str:
    return cli_shared.time_to_readable_str(microseconds, force_time_unit=unit)


def _list_profile_filter(
    profile_datum: profiling.ProfileDatum,
    node_name_regex: Any,
    file_path_regex: Any,
    op_type_regex: Any,
    op_time_interval: Any,
    exec_time_interval: Any,
    min_lineno: int = -1,
    max_lineno: int = -1,
) -> bool:
    """Whether the time of a node is listed.

    Args:
        profile_datum: the time.
        node_name_regex: a compiled regular expression, or None.
        file_path_regex: a compiled regular expression, or None.
        op_type_regex: a compiled regular expression, or None.
        op_time_interval: an `Interval`, or None.
        exec_time_interval: an `Interval`, or None.
        min_lineno: the first line; none if it is not positive.
        max_lineno: the line after the last one; none if it is not positive.
    """
    for pattern, text in (
        (node_name_regex, profile_datum.node_exec_stats.node_name),
        (file_path_regex, profile_datum.file_path),
        (op_type_regex, profile_datum.op_type),
    ):
        if pattern and (not text or not pattern.match(text)):
            return False
    if min_lineno > 0 and profile_datum.line_number and profile_datum.line_number < min_lineno:
        return False
    if max_lineno > 0 and profile_datum.line_number and profile_datum.line_number >= max_lineno:
        return False
    if op_time_interval is not None and not op_time_interval.contains(profile_datum.op_time):
        return False
    return exec_time_interval is None or bool(
        exec_time_interval.contains(profile_datum.node_exec_stats.all_end_rel_micros)
    )


def _list_profile_sort_key(profile_datum: profiling.ProfileDatum, sort_by: str) -> Any:
    """The key by which a list of times is sorted; the start for an unknown one."""
    keys: dict[str, Callable[[], Any]] = {
        SORT_OPS_BY_OP_NAME: lambda: profile_datum.node_exec_stats.node_name,
        SORT_OPS_BY_OP_TYPE: lambda: profile_datum.op_type,
        SORT_OPS_BY_LINE: lambda: profile_datum.file_line_func,
        SORT_OPS_BY_OP_TIME: lambda: profile_datum.op_time,
        SORT_OPS_BY_EXEC_TIME: lambda: profile_datum.node_exec_stats.all_end_rel_micros,
    }
    return keys.get(sort_by, lambda: profile_datum.node_exec_stats.all_start_micros)()


class ProfileAnalyzer:
    """The commands that look at the times of a run.

    Args:
        graph: the graph.
        run_metadata: the RunMetadata of the run, with step statistics.
    """

    _SOURCE_HEAD = "source"
    _LINENO_HEAD = "lineno"
    _NUM_NODES_HEAD = "#nodes"
    _NUM_EXECS_SUB_HEAD = "(#execs)"
    _LINE_NUM_ATTR = "yellow"
    _LINE_COST_ATTR = "cyan"

    def __init__(self, graph: Any, run_metadata: Any) -> None:
        self._graph = graph
        self._run_metadata = run_metadata
        self._arg_parsers = {"list_profile": _list_parser(), "print_source": _source_parser()}

    def get_help(self, handler_name: str) -> str:
        """What ``help`` shows of a command."""
        return self._arg_parsers[handler_name].format_help()

    # list_profile

    def list_profile(self, args: list[str], screen_info: Any = None) -> RichTextLines:
        """Lists nodes with their times, by device."""
        columns = screen_info["cols"] if screen_info and "cols" in screen_info else 80
        parsed = self._arg_parsers["list_profile"].parse_args(args)
        intervals: list[Any] = [
            command_parser.parse_time_interval(text) if text else None
            for text in (parsed.op_time, parsed.execution_time)
        ]
        patterns: list[Any] = [
            re.compile(text) if text else None
            for text in (parsed.node_name_filter, parsed.file_path_filter, parsed.op_type_filter)
        ]
        devices = re.compile(parsed.device_name_filter) if parsed.device_name_filter else None
        output = RichTextLines([""])
        stats = self._run_metadata.step_stats.dev_stats
        for index, device in enumerate(stats):
            if devices and not devices.match(device.device):
                continue
            data = [
                datum
                for datum in self._of_device(device)
                if _list_profile_filter(
                    datum,
                    patterns[0],
                    patterns[1],
                    patterns[2],
                    intervals[0],
                    intervals[1],
                    parsed.min_lineno,
                    parsed.max_lineno,
                )
            ]
            if data:
                data.sort(
                    key=lambda datum: _list_profile_sort_key(datum, parsed.sort_by),
                    reverse=parsed.reverse,
                )
                output.extend(
                    self._get_list_profile_lines(
                        device.device,
                        index,
                        len(stats),
                        data,
                        parsed.sort_by,
                        parsed.reverse,
                        parsed.time_unit,
                        device_name_filter=parsed.device_name_filter,
                        node_name_filter=parsed.node_name_filter,
                        op_type_filter=parsed.op_type_filter,
                        screen_cols=columns,
                    )
                )
        return output

    def _of_device(self, device: Any) -> Iterator[profiling.ProfileDatum]:
        for stats in device.node_stats:
            if stats.node_name in ("_SOURCE", "_SINK"):
                continue
            path, line, function, op_type = self._made_at(stats.node_name)
            yield profiling.ProfileDatum(device.device, stats, path, line, function, op_type)

    def _made_at(self, node_name: str) -> tuple[str, int, str, str]:
        """Where the user's program made a node, and its op type."""
        try:
            op = self._graph.get_operation_by_name(node_name)
        except (KeyError, ValueError):
            return "", 0, "", ""
        for path, line, function, *_ in reversed(op.traceback):
            if not source_utils.guess_is_tensorflow_py_library(path):
                return path, line, function, op.type
        return "", 0, "", op.type

    def _get_list_profile_lines(
        self,
        device_name: str,
        device_index: int,
        device_count: int,
        profile_datum_list: list[profiling.ProfileDatum],
        sort_by: str,
        sort_reverse: bool,
        time_unit: str,
        device_name_filter: str | None = None,
        node_name_filter: str | None = None,
        op_type_filter: str | None = None,
        screen_cols: int = 80,
    ) -> RichTextLines:
        """The table of a device."""
        view = ProfileDataTableView(profile_datum_list, time_unit=time_unit)
        widths = self._measure_list_profile_column_widths(view)
        lines: list[Any] = [
            "-" * screen_cols,
            f"Device {device_index + 1} of {device_count}: {device_name}",
            "",
        ]
        head = RichLine()
        for col, name in enumerate(view.column_names()):
            sort_id = view.column_sort_id(col)
            again = sort_by == sort_id and not sort_reverse
            command = f"list_profile -s {sort_id}{' -r' if again else ''}"
            item = MenuItem(None, command)  # type: ignore[arg-type]
            head += RichLine(name, [item, "bold"]) + " " * (widths[col] - len(name))
        lines.append(head)
        for row in range(view.row_count()):
            line = RichLine()
            for col, width in enumerate(widths):
                cell = view.value(
                    row,
                    col,
                    device_name_filter=device_name_filter,
                    node_name_filter=node_name_filter,
                    op_type_filter=op_type_filter,
                )
                line += cell + " " * (width - len(cell))
            lines.append(line)
        totals = [_TOTAL, "", ""]
        totals.append(_time(sum(datum.op_time for datum in profile_datum_list), time_unit))
        totals.append(_time(sum(datum.exec_time for datum in profile_datum_list), time_unit))
        lines.append("")
        lines.append("".join(text.ljust(width) for text, width in zip(totals, widths)))
        return rich_text_lines_from_rich_line_list(lines)

    def _measure_list_profile_column_widths(self, view: ProfileDataTableView) -> list[int]:
        names = view.column_names()
        widths = [len(name) for name in names]
        widths[0] = max(widths[0], len(_TOTAL))
        for row in range(view.row_count()):
            for col in range(view.column_count()):
                widths[col] = max(widths[col], len(view.value(row, col)))
        return [width + 2 for width in widths]

    # print_source

    def print_source(self, args: list[str], screen_info: Any = None) -> RichTextLines:
        """Prints a source file with the times of the nodes that its lines made."""
        del screen_info
        parsed = self._arg_parsers["print_source"].parse_args(args)
        devices = re.compile(parsed.device_name_filter) if parsed.device_name_filter else None
        data = [
            datum
            for device in self._run_metadata.step_stats.dev_stats
            if not devices or devices.match(device.device)
            for datum in self._of_device(device)
        ]
        made = source_utils.annotate_source_against_profile(
            data,
            os.path.expanduser(parsed.source_file_path),
            node_name_filter=parsed.node_name_filter,
            op_type_filter=parsed.op_type_filter,
        )
        if not made:
            return RichTextLines(
                [
                    f"The source file {parsed.source_file_path} does not contain any profile "
                    "information for the previous Session run under the following filters:",
                    f"  --{_DEVICE_NAME_FILTER_FLAG}: {parsed.device_name_filter}",
                    f"  --{_NODE_NAME_FILTER_FLAG}: {parsed.node_name_filter}",
                    f"  --{_OP_TYPE_FILTER_FLAG}: {parsed.op_type_filter}",
                ]
            )
        return self._source_lines(parsed, made)

    def _source_lines(
        self, parsed: Any, made: dict[int, profiling.AggregateProfile]
    ) -> RichTextLines:
        source, width = source_utils.load_source(parsed.source_file_path)
        most = max(self._get_total_cost(sums, parsed.cost_type) for sums in made.values())
        bar_length = 10
        number_width = max(len(str(len(source))) + 2, width + 2)
        times = len(parsed.cost_type) + 3
        nodes = max(
            len(self._NUM_EXECS_SUB_HEAD) + 1,
            *(len(_counts(sums)) + 1 for sums in made.values()),
        )
        first = " " * (bar_length + 3) + parsed.cost_type.ljust(times)
        first += self._NUM_NODES_HEAD.ljust(nodes)
        second = " " * (bar_length + 3 + times) + self._NUM_EXECS_SUB_HEAD.ljust(nodes)
        second += " " * (number_width + 1)
        lines: list[RichLine] = [
            RichLine(first, self._LINE_COST_ATTR)
            + RichLine(self._LINENO_HEAD, self._LINE_NUM_ATTR),
            RichLine(second, self._LINE_COST_ATTR) + RichLine(self._SOURCE_HEAD, "bold"),
        ]
        scroll = 0
        for number, text in enumerate(source, 1):
            if number == parsed.init_line:
                scroll = len(lines)
            line = self._costs(parsed, number, made.get(number), most, bar_length, times, nodes)
            label = RichLine(f"L{number}".rjust(number_width), self._LINE_NUM_ATTR)
            lines.append(line + label + " " + text)
        output = rich_text_lines_from_rich_line_list(lines)
        output.annotations[INIT_SCROLL_POS_KEY] = scroll
        return output

    def _costs(
        self,
        parsed: Any,
        number: int,
        sums: profiling.AggregateProfile | None,
        most: float,
        bar_length: int,
        times: int,
        nodes: int,
    ) -> RichLine:
        """What stands before a line."""
        if sums is None:
            return RichLine(" " * (bar_length + 3 + times + nodes))
        cost = self._get_total_cost(sums, parsed.cost_type)
        shown = _time(cost, parsed.time_unit)
        counts = _counts(sums)
        command = (
            f"lp --file_path_filter {re.escape(parsed.source_file_path)}$ "
            f"--min_lineno {number} --max_lineno {number + 1}"
        )
        for flag in (_DEVICE_NAME_FILTER_FLAG, _NODE_NAME_FILTER_FLAG, _OP_TYPE_FILTER_FLAG):
            text = getattr(parsed, flag)
            if text:
                command += f" --{flag} {text}"
        item = MenuItem(None, command)  # type: ignore[arg-type]
        return (
            self._render_normalized_cost_bar(cost, most, bar_length)
            + " "
            + RichLine(shown, self._LINE_COST_ATTR)
            + " " * (times - len(shown))
            + RichLine(counts, [self._LINE_COST_ATTR, item])
            + " " * (nodes - len(counts))
        )

    def _get_total_cost(self, aggregated_profile: Any, cost_type: str) -> float:
        """The time of a line.

        Raises:
            ValueError: if there is no such kind of time.
        """
        if cost_type == SORT_OPS_BY_EXEC_TIME:
            return float(aggregated_profile.total_exec_time)
        if cost_type == SORT_OPS_BY_OP_TIME:
            return float(aggregated_profile.total_op_time)
        raise ValueError(f"Unsupported cost type: {cost_type}")

    def _render_normalized_cost_bar(self, cost: float, max_cost: float, length: int) -> RichLine:
        """A bar whose length says how large a cost is."""
        count = math.ceil(cost / max_cost * length) if max_cost else 0
        color = self._LINE_COST_ATTR
        bar = "|" * count + " " * (length - count)
        return RichLine("[", color) + RichLine(bar, ["bold", color]) + RichLine("]", color)


def _counts(sums: profiling.AggregateProfile) -> str:
    return f"{sums.node_count}({sums.node_exec_count})"


def _list_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="List nodes with their times.", usage=argparse.SUPPRESS
    )
    add = parser.add_argument
    add("-d", f"--{_DEVICE_NAME_FILTER_FLAG}", default="", help="A regular expression of devices.")
    add("-n", f"--{_NODE_NAME_FILTER_FLAG}", default="", help="A regular expression of node names.")
    add("-t", f"--{_OP_TYPE_FILTER_FLAG}", default="", help="A regular expression of op types.")
    add(
        "-f",
        "--file_path_filter",
        default="",
        help="A regular expression of the paths of files that made nodes.",
    )
    add("--min_lineno", type=int, default=-1, help="The first line of source.")
    add("--max_lineno", type=int, default=-1, help="The line of source after the last one.")
    add(
        "-e",
        "--execution_time",
        default="",
        help="An interval of the whole time of a node, in us if without a unit: -e >100ms, -e "
        "[100us,1000ms]",
    )
    add("-o", "--op_time", default="", help="An interval of the time of computing; as -e.")
    add(
        "-s",
        "--sort_by",
        default=SORT_OPS_BY_START_TIME,
        help="Sort by this column: node, op_type, start_time, op_time, exec_time or line.",
    )
    add("-r", "--reverse", action="store_true", help="Sort in descending order.")
    add("--time_unit", default=cli_shared.TIME_UNIT_US, help="The unit of times: us, ms or s.")
    return parser


def _source_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Print a source file with the times of the nodes that its lines made.",
        usage=argparse.SUPPRESS,
    )
    add = parser.add_argument
    add("source_file_path", help="The file.")
    add(
        "--cost_type",
        choices=[SORT_OPS_BY_EXEC_TIME, SORT_OPS_BY_OP_TIME],
        default=SORT_OPS_BY_EXEC_TIME,
        help="Which time is shown.",
    )
    add("--time_unit", default=cli_shared.TIME_UNIT_US, help="The unit of times: us, ms or s.")
    add("-d", f"--{_DEVICE_NAME_FILTER_FLAG}", default="", help="A regular expression of devices.")
    add("-n", f"--{_NODE_NAME_FILTER_FLAG}", default="", help="A regular expression of node names.")
    add("-t", f"--{_OP_TYPE_FILTER_FLAG}", default="", help="A regular expression of op types.")
    add("--init_line", type=int, default=0, help="The line to begin at, from 1.")
    return parser


def create_profiler_ui(
    graph: Any,
    run_metadata: Any,
    ui_type: str = "curses",
    on_ui_exit: Callable[[], Any] | None = None,
    config: cli_config.CLIConfig | None = None,
) -> Any:
    """A command line that looks at the times of a run.

    Args:
        graph: the graph.
        run_metadata: the RunMetadata of the run.
        ui_type: "curses" or "readline".
        on_ui_exit: called when the command line ends.
        config: the settings; those of the user if None.

    Returns:
        A `base_ui.BaseUI`.
    """
    config = config or cli_config.CLIConfig()
    analyzer = ProfileAnalyzer(graph, run_metadata)
    ui = ui_factory.get_ui(ui_type, on_ui_exit=on_ui_exit, config=config)
    for name, alias, handler in (
        ("list_profile", "lp", analyzer.list_profile),
        ("print_source", "ps", analyzer.print_source),
    ):
        ui.register_command_handler(name, handler, analyzer.get_help(name), prefix_aliases=[alias])
    return ui
