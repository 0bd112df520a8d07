"""The commands that look at a dump: list_tensors, node_info, print_tensor and others."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from headwater.debug.cli import (
    cli_config,
    cli_shared,
    command_parser,
    evaluator,
    source_tables,
    ui_factory,
)
from headwater.debug.cli.analyzer_parsers import make_parsers
from headwater.debug.cli.node_tree import (
    CTRL_LABEL,
    DEPTH_TEMPLATE,
    ELLIPSIS,
    HANG_FINISHED,
    HANG_SUFFIX,
    HANG_UNFINISHED,
    OP_TYPE_TEMPLATE,
    NodeTree,
)
from headwater.debug.cli.rich_text import (
    MAIN_MENU_KEY,
    Menu,
    MenuItem,
    RichLine,
    RichTextLines,
    rich_text_lines_from_rich_line_list,
)
from headwater.debug.lib import debug_graphs, source_utils

__all__ = [
    "CTRL_LABEL",
    "DEPTH_TEMPLATE",
    "ELLIPSIS",
    "HANG_FINISHED",
    "HANG_SUFFIX",
    "HANG_UNFINISHED",
    "OP_TYPE_TEMPLATE",
    "SORT_TENSORS_BY_DUMP_SIZE",
    "SORT_TENSORS_BY_OP_TYPE",
    "SORT_TENSORS_BY_TENSOR_NAME",
    "SORT_TENSORS_BY_TIMESTAMP",
    "DebugAnalyzer",
    "create_analyzer_ui",
]

SORT_TENSORS_BY_TIMESTAMP = "timestamp"
SORT_TENSORS_BY_DUMP_SIZE = "dump_size"
SORT_TENSORS_BY_OP_TYPE = "op_type"
SORT_TENSORS_BY_TENSOR_NAME = "tensor_name"

Arguments = list[str]


def _add_main_menu(
    output: RichTextLines,
    node_name: str | None = None,
    enable_list_tensors: bool = True,
    enable_node_info: bool = True,
    enable_print_tensor: bool = True,
    enable_list_inputs: bool = True,
    enable_list_outputs: bool = True,
) -> None:
    """Adds the menu of commands to what a command shows.

    Args:
        output: what it shows.
        node_name: the node that it is about; without one its commands cannot be chosen.
        enable_list_tensors: whether list_tensors can be chosen.
        enable_node_info: whether node_info can be chosen.
        enable_print_tensor: whether print_tensor can be chosen.
        enable_list_inputs: whether list_inputs can be chosen.
        enable_list_outputs: whether list_outputs can be chosen.
    """
    menu = Menu()
    menu.append(MenuItem("list_tensors", "list_tensors", enabled=enable_list_tensors))
    for caption, options, enabled in (
        ("node_info", "-a -d -t ", enable_node_info),
        ("print_tensor", "", enable_print_tensor),
        ("list_inputs", "-c -r ", enable_list_inputs),
        ("list_outputs", "-c -r ", enable_list_outputs),
    ):
        content: Any = f"{caption} {options}{node_name}" if node_name else None
        menu.append(MenuItem(caption, content, enabled=bool(node_name) and enabled))
    menu.append(MenuItem("run_info", "run_info"))
    menu.append(MenuItem("help", "help"))
    output.annotations[MAIN_MENU_KEY] = menu


class DebugAnalyzer:
    """The commands that look at a dump.

    Each takes the words that follow it and ``screen_info``, and returns RichTextLines.

    Args:
        debug_dump: a DebugDumpDir.
        config: the settings.
    """

    _TIMESTAMP_COLUMN_HEAD = "t (ms)"
    _DUMP_SIZE_COLUMN_HEAD = "Size (B)"
    _OP_TYPE_COLUMN_HEAD = "Op type"
    _TENSOR_NAME_COLUMN_HEAD = "Tensor name"
    # Nodes of the runtime that are left out of lists of neighbors.
    _GRAPH_STRUCT_OP_TYPE_BLACKLIST = ("_Send", "_Recv", "_HostSend", "_HostRecv", "_Retval")

    def __init__(self, debug_dump: Any, config: cli_config.CLIConfig) -> None:
        self._debug_dump = debug_dump
        self._evaluator = evaluator.ExpressionEvaluator(debug_dump)
        self._tensor_filters: dict[str, Callable[..., bool]] = {}
        self._arg_parsers = make_parsers(config)
        config.set_callback("graph_recursion_depth", self._set_depth)

    def _set_depth(self, config: dict[str, Any]) -> None:
        for name in ("list_inputs", "list_outputs"):
            self._arg_parsers[name].set_defaults(depth=config["graph_recursion_depth"])

    def add_tensor_filter(self, filter_name: str, filter_callable: Callable[..., bool]) -> None:
        """Adds a filter for list_tensors.

        Args:
            filter_name: its name.
            filter_callable: a function of a DebugTensorDatum and its value.

        Raises:
            TypeError: if an argument has a wrong type.
            ValueError: if the name is empty.
        """
        if not isinstance(filter_name, str):
            raise TypeError("Input argument filter_name is expected to be str, but is not.")
        if not filter_name:
            raise ValueError("Input argument filter_name cannot be empty.")
        if not callable(filter_callable):
            raise TypeError(
                "Input argument filter_callable is expected to be callable, but is not."
            )
        self._tensor_filters[filter_name] = filter_callable

    def get_tensor_filter(self, filter_name: str) -> Callable[..., bool]:
        """The filter of a name.

        Raises:
            ValueError: if there is none.
        """
        if filter_name not in self._tensor_filters:
            raise ValueError(f'There is no tensor filter named "{filter_name}"')
        return self._tensor_filters[filter_name]

    def get_help(self, handler_name: str) -> str:
        """What ``help`` shows of a command."""
        return self._arg_parsers[handler_name].format_help()

    # list_tensors

    def list_tensors(self, args: Arguments, screen_info: Any = None) -> RichTextLines:
        """Lists dumped tensors.

        Raises:
            ValueError: if arguments do not fit together.
        """
        del screen_info
        parsed = self._arg_parsers["list_tensors"].parse_args(args)
        if parsed.filter_exclude_node_names and not parsed.tensor_filter:
            raise ValueError(
                "The flag --filter_exclude_node_names is valid only when the flag -f or "
                "--tensor_filter is used."
            )
        if parsed.tensor_filter:
            try:
                predicate = self.get_tensor_filter(parsed.tensor_filter)
            except ValueError:
                text = f'There is no tensor filter named "{parsed.tensor_filter}".'
                output = cli_shared.error(text)
                _add_main_menu(output, enable_list_tensors=False)
                return output
            data = self._debug_dump.find(
                predicate, exclude_node_names=parsed.filter_exclude_node_names or None
            )
        else:
            data = self._debug_dump.dumped_tensor_data
        data = self._sort_dump_data_by(data, parsed.sort_by, parsed.reverse)
        widths = self._measure_tensor_list_column_widths(data)
        shown = list(filter(self._chosen(parsed), data))
        output = RichTextLines([self._title(parsed, len(shown))])
        if parsed.op_type_filter:
            output.append(f'Op type regex filter: "{parsed.op_type_filter}"')
        if parsed.node_name_filter:
            output.append(f'Node name regex filter: "{parsed.node_name_filter}"')
        output.append("")
        output.extend(self._tensor_list_column_heads(parsed, *widths))
        for datum in shown:
            output.append_rich_line(self._tensor_row(datum, widths))
        _add_main_menu(output, enable_list_tensors=False)
        return output

    def _title(self, parsed: Any, count: int) -> str:
        if parsed.tensor_filter:
            return f'{count} dumped tensor(s) passing filter "{parsed.tensor_filter}":'
        return f"{count} dumped tensor(s):"

    def _chosen(self, parsed: Any) -> Callable[[Any], bool]:
        names = re.compile(parsed.node_name_filter) if parsed.node_name_filter else None
        types = re.compile(parsed.op_type_filter) if parsed.op_type_filter else None

        def is_chosen(datum: Any) -> bool:
            if names and not names.match(datum.node_name):
                return False
            return not types or bool(types.match(self._op_type(datum)))

        return is_chosen

    def _op_type(self, datum: Any) -> str:
        return str(self._debug_dump.node_op_type(datum.node_name, device_name=datum.device_name))

    def _milliseconds(self, datum: Any) -> float:
        return float(datum.timestamp - self._debug_dump.t0) / 1000

    def _tensor_row(self, datum: Any, widths: tuple[int, int, int]) -> RichLine:
        time = f"[{self._milliseconds(datum):.3f}]".ljust(widths[0])
        size = cli_shared.bytes_to_readable_str(datum.dump_size_bytes).ljust(widths[1])
        op_type = self._op_type(datum).ljust(widths[2])
        item = MenuItem("", f"pt {datum.tensor_name}")
        return RichLine(time + size + op_type) + RichLine(datum.tensor_name, item)

    def _measure_tensor_list_column_widths(self, data: list[Any]) -> tuple[int, int, int]:
        times = [len(f"[{self._milliseconds(d):.3f}] ") for d in data]
        sizes = [len(cli_shared.bytes_to_readable_str(d.dump_size_bytes)) for d in data]
        types = [len(self._op_type(d)) for d in data]
        return (
            max(len(self._TIMESTAMP_COLUMN_HEAD), *times, 0) + 1,
            max(len(self._DUMP_SIZE_COLUMN_HEAD), *sizes, 0) + 1,
            max(len(self._OP_TYPE_COLUMN_HEAD), *types, 0) + 1,
        )

    def _sort_dump_data_by(self, data: list[Any], sort_by: str, reverse: bool) -> list[Any]:
        keys: dict[str, Callable[[Any], Any]] = {
            SORT_TENSORS_BY_TIMESTAMP: lambda datum: datum.timestamp,
            SORT_TENSORS_BY_DUMP_SIZE: lambda datum: datum.dump_size_bytes,
            SORT_TENSORS_BY_OP_TYPE: self._op_type,
            SORT_TENSORS_BY_TENSOR_NAME: lambda datum: f"{datum.node_name}:{datum.output_slot}",
        }
        if sort_by not in keys:
            raise ValueError(f"Unsupported key to sort tensors by: {sort_by}")
        return sorted(data, reverse=reverse, key=keys[sort_by])

    def _tensor_list_column_heads(
        self,
        parsed: Any,
        max_timestamp_width: int,
        max_dump_size_width: int,
        max_op_type_width: int,
    ) -> RichTextLines:
        """The heads of the columns; each sorts the list by its column."""
        command = "list_tensors"
        if parsed.tensor_filter:
            command += f" -f {parsed.tensor_filter}"
        if parsed.op_type_filter:
            command += f" -t {parsed.op_type_filter}"
        if parsed.node_name_filter:
            command += f" -n {parsed.node_name_filter}"
        line = RichLine()
        for head, key, width in (
            (self._TIMESTAMP_COLUMN_HEAD, SORT_TENSORS_BY_TIMESTAMP, max_timestamp_width),
            (self._DUMP_SIZE_COLUMN_HEAD, SORT_TENSORS_BY_DUMP_SIZE, max_dump_size_width),
            (self._OP_TYPE_COLUMN_HEAD, SORT_TENSORS_BY_OP_TYPE, max_op_type_width),
            (self._TENSOR_NAME_COLUMN_HEAD, SORT_TENSORS_BY_TENSOR_NAME, 0),
        ):
            again = parsed.sort_by == key and not parsed.reverse
            item = MenuItem("", f"{command} -s {key}{' -r' if again else ''}")
            line += RichLine(head, [item, "bold"]) + " " * max(width - len(head), 0)
        return rich_text_lines_from_rich_line_list([line])

    # node_info

    def node_info(self, args: Arguments, screen_info: Any = None) -> RichTextLines:
        """Shows what a node is, what it takes and who takes its outputs."""
        del screen_info
        parsed = self._arg_parsers["node_info"].parse_args(args)
        name = debug_graphs.get_node_name(parsed.node_name)
        dump = self._debug_dump
        if not dump.node_exists(name):
            output = _no_node(name)
            _add_main_menu(output, enable_node_info=False)
            return output
        output = rich_text_lines_from_rich_line_list([RichLine("Node ") + RichLine(name, "bold")])
        for line in ("", f"  Op: {dump.node_op_type(name)}", f"  Device: {dump.node_device(name)}"):
            output.append(line)
        for kind, neighbors in (("input", dump.node_inputs), ("recipient", dump.node_recipients)):
            plain = self._exclude_blacklisted_ops(neighbors(name))
            controls = self._exclude_blacklisted_ops(neighbors(name, is_control=True))
            output.append("")
            output.extend(self._format_neighbors(kind, plain, controls))
        if parsed.attributes:
            output.append("")
            output.extend(self._list_node_attributes(name))
        if parsed.dumps:
            output.extend(self._list_node_dumps(name))
        if parsed.traceback:
            output.extend(self._render_node_traceback(name))
        _add_main_menu(output, node_name=name, enable_node_info=False)
        return output

    def _exclude_blacklisted_ops(self, node_names: list[str]) -> list[str]:
        return [
            name
            for name in node_names
            if self._debug_dump.node_op_type(debug_graphs.get_node_name(name))
            not in self._GRAPH_STRUCT_OP_TYPE_BLACKLIST
        ]

    def _format_neighbors(
        self, neighbor_type: str, non_ctrls: list[str], ctrls: list[str]
    ) -> RichTextLines:
        lines: list[Any] = [
            f"  {len(non_ctrls)} {neighbor_type}(s) + {len(ctrls)} control {neighbor_type}(s):",
            f"    {len(non_ctrls)} {neighbor_type}(s):",
        ]
        lines.extend(map(self._neighbor, non_ctrls))
        if ctrls:
            lines.append("")
            lines.append(f"    {len(ctrls)} control {neighbor_type}(s):")
            lines.extend(map(self._neighbor, ctrls))
        return rich_text_lines_from_rich_line_list(lines)

    def _neighbor(self, name: str) -> RichLine:
        node = debug_graphs.get_node_name(name)
        line = RichLine(f"      [{self._debug_dump.node_op_type(node)}] ")
        return line + RichLine(name, MenuItem("", f"ni -a -d -t {node}"))

    def _list_node_attributes(self, node_name: str) -> RichTextLines:
        output = RichTextLines(["Node attributes:"])
        attributes = self._debug_dump.node_attributes(node_name)
        for key in attributes:
            value = str(attributes[key]).strip().replace("\n", " ")
            for line in (f"  {key}:", f"    {value}", ""):
                output.append(line)
        return output

    def _list_node_dumps(self, node_name: str) -> RichTextLines:
        keys = self._debug_dump.debug_watch_keys(node_name)
        lines: list[Any] = []
        for key in keys:
            for number, datum in enumerate(self._debug_dump.watch_key_to_data(key)):
                text = (
                    f"Slot {datum.output_slot} @ {datum.debug_op} @ "
                    f"{self._milliseconds(datum):.3f} ms"
                )
                item = MenuItem("", f"pt {datum.tensor_name} -n {number}")
                lines.append(RichLine("  ") + RichLine(text, item))
        return rich_text_lines_from_rich_line_list([f"{len(lines)} dumped tensor(s):", "", *lines])

    def _render_node_traceback(self, node_name: str) -> RichTextLines:
        lines: list[Any] = ["", "", RichLine("Traceback of node construction:", "bold")]
        try:
            frames = self._debug_dump.node_traceback(node_name)
        except LookupError as error:
            if isinstance(error, KeyError):
                lines.append("(Unavailable because the node does not exist in the Python graph)")
            else:
                lines.append("(Unavailable because no Python graph has been loaded)")
            return rich_text_lines_from_rich_line_list(lines)
        for depth, (path, line, function, text) in enumerate(frames):
            lines.append(f"{depth}: {path}")
            item: Any = None
            if path.endswith(".py"):
                item = MenuItem("", f"ps {path} -b {line}")
            lines.append(RichLine("  ") + RichLine(f"Line:     {line}", item))
            lines.append(f"  Function: {function}")
            lines.append("  Text:     " + (f'"{text}"' if text else "None"))
            lines.append("")
        return rich_text_lines_from_rich_line_list(lines)

    # list_inputs, list_outputs

    def list_inputs(self, args: Arguments, screen_info: Any = None) -> RichTextLines:
        """Lists what a node takes, as a tree if that is asked for."""
        del screen_info
        parsed = self._arg_parsers["list_inputs"].parse_args(args)
        output = self._neighbor_tree(parsed, outputs=False)
        name = debug_graphs.get_node_name(parsed.node_name)
        _add_main_menu(output, node_name=name, enable_list_inputs=False)
        return output

    def list_outputs(self, args: Arguments, screen_info: Any = None) -> RichTextLines:
        """Lists who takes the outputs of a node, as a tree if that is asked for."""
        del screen_info
        parsed = self._arg_parsers["list_outputs"].parse_args(args)
        output = self._neighbor_tree(parsed, outputs=True)
        name = debug_graphs.get_node_name(parsed.node_name)
        _add_main_menu(output, node_name=name, enable_list_outputs=False)
        return output

    def _neighbor_tree(self, parsed: Any, outputs: bool) -> RichTextLines:
        name = debug_graphs.get_node_name(parsed.node_name)
        dump = self._debug_dump
        if not dump.node_exists(name):
            return _no_node(name)
        find = dump.node_recipients if outputs else dump.node_inputs

        def neighbors(node: str, is_control: bool) -> list[str]:
            return self._exclude_blacklisted_ops(find(node, is_control=is_control))

        depth = parsed.depth if parsed.recursive else 1
        control = ""
        if parsed.control:
            control = f", control {'recipients' if outputs else 'inputs'} included"
        begin = "Recipients of node" if outputs else "Inputs to node"
        output = rich_text_lines_from_rich_line_list(
            [
                RichLine(f'{begin} "')
                + RichLine(name, "bold")
                + f'" (Depth limit = {depth}{control}):'
            ]
        )
        tree = NodeTree(
            neighbors,
            parsed.control,
            dump.node_op_type if parsed.op_type else None,
            depth,
            "lo -c -r %s" if outputs else "li -c -r %s",
        )
        output.extend(tree.draw(name))
        for line in ("", "Legend:", "  (d): recursion depth = d."):
            output.append(line)
        if parsed.control:
            output.append("  (Ctrl): Control input.")
        if parsed.op_type:
            output.append("  [Op]: Input node has op type Op.")
        return output

    # print_tensor, eval

    def print_tensor(self, args: Arguments, screen_info: Any = None) -> RichTextLines:
        """Prints a dumped value, or a part of it."""
        parsed = self._arg_parsers["print_tensor"].parse_args(args)
        tensor_name, slices = command_parser.parse_tensor_name_with_slicing(parsed.tensor_name)
        node, slot = debug_graphs.parse_node_or_tensor_name(tensor_name)
        if self._debug_dump.loaded_partition_graphs() and not self._debug_dump.node_exists(node):
            output = cli_shared.error(f'Node "{node}" does not exist in partition graphs')
            _add_main_menu(output, enable_print_tensor=False)
            return output
        keys = self._debug_dump.debug_watch_keys(node)
        if slot is None:
            slots = list(dict.fromkeys(int(key.split(":")[1]) for key in keys))
            if len(slots) > 1:
                lines = [f'Node "{node}" generated debug dumps from {len(slots)} output slots:', ""]
                lines.extend(f"  {node}:{each}" for each in slots)
                return RichTextLines(lines)
            slot = slots[0] if slots else 0
            tensor_name = f"{node}:{slot}"
        data = [
            datum
            for key in keys
            for datum in self._debug_dump.watch_key_to_data(key)
            if datum.output_slot == slot
        ]
        if not data:
            return cli_shared.error(f'Tensor "{tensor_name}" did not generate any dumps.')
        output = self._printed(parsed, tensor_name, slices, data, screen_info)
        _add_main_menu(output, node_name=node, enable_print_tensor=False)
        return output

    def _printed(
        self, parsed: Any, tensor_name: str, slices: str, data: list[Any], screen_info: Any
    ) -> RichTextLines:
        number = parsed.number
        if len(data) == 1:
            if number > 0:
                return cli_shared.error(
                    f"Invalid number ({number}) for tensor {tensor_name}, which generated one dump."
                )
            datum, label = data[0], data[0].watch_key
        elif number < 0:
            return self._choices(tensor_name, data)
        elif number >= len(data):
            return cli_shared.error(
                f"Specified number ({number}) exceeds the number of available dumps ({len(data)}) "
                f"for tensor {tensor_name}"
            )
        else:
            datum = data[number]
            label = f"{datum.watch_key} (dump #{number})"
        return cli_shared.format_tensor(
            datum.get_tensor(),
            label,
            cli_shared.numpy_printoptions_from_screen_info(screen_info),
            print_all=parsed.print_all,
            tensor_slicing=slices,
            highlight_options=cli_shared.parse_ranges_highlight(parsed.ranges),
            include_numeric_summary=parsed.numeric_summary,
            write_path=parsed.write_path or None,
        )

    def _choices(self, tensor_name: str, data: list[Any]) -> RichTextLines:
        lines: list[Any] = [f'Tensor "{tensor_name}" generated {len(data)} dumps:']
        for number, datum in enumerate(data):
            item = MenuItem("", f"print_tensor {tensor_name} -n {number}")
            line = RichLine(f"#{number} [{self._milliseconds(datum):.3f} ms] ")
            lines.append(line + RichLine(datum.watch_key, item))
        lines.append("")
        lines.append("You can use the -n (--number) flag to specify which dump to print.")
        lines.append("For example:")
        lines.append(f"  print_tensor {tensor_name} -n 0")
        return rich_text_lines_from_rich_line_list(lines)

    def evaluate_expression(self, args: Arguments, screen_info: Any = None) -> RichTextLines:
        """Evaluates an expression with dumped values."""
        parsed = self._arg_parsers["eval"].parse_args(args)
        value = self._evaluator.evaluate(parsed.expression)
        return cli_shared.format_tensor(
            value,
            f"from eval of expression '{parsed.expression}'",
            cli_shared.numpy_printoptions_from_screen_info(screen_info),
            print_all=parsed.print_all,
            include_numeric_summary=True,
            write_path=parsed.write_path or None,
        )

    # list_source, print_source

    def list_source(self, args: Arguments, screen_info: Any = None) -> RichTextLines:
        """Lists the source files that made the nodes of the run."""
        del screen_info
        parsed = self._arg_parsers["list_source"].parse_args(args)
        files = source_utils.list_source_files_against_dump(
            self._debug_dump,
            path_regex_whitelist=parsed.path_filter,
            node_name_regex_whitelist=parsed.node_name_filter,
        )
        title = "List of source files that created nodes in this run"
        lines: list[Any] = [RichLine(title, "bold")]
        if parsed.path_filter:
            lines.append(f'File path regex filter: "{parsed.path_filter}"')
        if parsed.node_name_filter:
            lines.append(f'Node name regex filter: "{parsed.node_name_filter}"')
        lines.append("")
        output = rich_text_lines_from_rich_line_list(lines)
        if not files:
            output.append("[No source file information.]")
            return output
        output.extend(source_tables.source_table(files, is_tf_py_library=False))
        output.extend(source_tables.source_table(files, is_tf_py_library=True))
        _add_main_menu(output)
        return output

    def print_source(self, args: Arguments, screen_info: Any = None) -> RichTextLines:
        """Prints a source file with the nodes or tensors that its lines made."""
        del screen_info
        parsed = self._arg_parsers["print_source"].parse_args(args)
        output = source_tables.annotated_source(self._debug_dump, parsed)
        _add_main_menu(output)
        return output


def _no_node(name: str) -> RichTextLines:
    return cli_shared.error(f'There is no node named "{name}" in the partition graphs')


# The commands with their aliases, and what completes their arguments.
_COMMANDS = (
    ("list_tensors", ("lt",), ()),
    ("node_info", ("ni",), "nodes"),
    ("list_inputs", ("li",), "nodes"),
    ("list_outputs", ("lo",), "nodes"),
    ("print_tensor", ("pt",), "tensors"),
    ("list_source", ("ls",), ()),
    ("print_source", ("ps",), ()),
    ("eval", ("ev",), ()),
)


def create_analyzer_ui(
    debug_dump: Any,
    tensor_filters: dict[str, Callable[..., bool]] | None = None,
    ui_type: str = "curses",
    on_ui_exit: Callable[[], Any] | None = None,
    config: cli_config.CLIConfig | None = None,
) -> Any:
    """A command line that looks at a dump.

    Args:
        debug_dump: a DebugDumpDir.
        tensor_filters: filters for list_tensors by name.
        ui_type: "curses" or "readline".
        on_ui_exit: called when the command line ends.
        config: the settings; those of the user if None.

    Returns:
        A `base_ui.BaseUI`.
    """
    config = config or cli_config.CLIConfig()
    analyzer = DebugAnalyzer(debug_dump, config=config)
    for name, predicate in (tensor_filters or {}).items():
        analyzer.add_tensor_filter(name, predicate)
    ui = ui_factory.get_ui(ui_type, on_ui_exit=on_ui_exit, config=config)
    handlers = {
        "list_tensors": analyzer.list_tensors,
        "node_info": analyzer.node_info,
        "list_inputs": analyzer.list_inputs,
        "list_outputs": analyzer.list_outputs,
        "print_tensor": analyzer.print_tensor,
        "list_source": analyzer.list_source,
        "print_source": analyzer.print_source,
        "eval": analyzer.evaluate_expression,
    }
    dumped = [datum.node_name for datum in debug_dump.dumped_tensor_data]
    items = {
        "nodes": list(dict.fromkeys(dumped)),
        "tensors": list(
            dict.fromkeys(datum.tensor_name for datum in debug_dump.dumped_tensor_data)
        ),
    }
    for name, aliases, completed in _COMMANDS:
        ui.register_command_handler(
            name, handlers[name], analyzer.get_help(name), prefix_aliases=list(aliases)
        )
        if isinstance(completed, str):
            ui.register_tab_comp_context([name, *aliases], items[completed])
    return ui
