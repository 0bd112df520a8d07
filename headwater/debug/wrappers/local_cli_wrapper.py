"""LocalCLIDebugWrapperSession: a command line before and after runs."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from headwater.debug.cli import (
    analyzer_cli,
    cli_config,
    cli_shared,
    command_parser,
    debugger_cli_common,
    profile_analyzer_cli,
    ui_factory,
)
from headwater.debug.lib import common, debug_data
from headwater.debug.wrappers import framework, run_command

_DUMP_ROOT_PREFIX = "tfdbg_"
_NO_STEPPER = (
    "Headwater has no stepper. `run --node_name_filter REGEX` watches some nodes of a run, and "
    "li -r NODE with pt TENSOR shows how a value came about."
)


class LocalCLIDebugWrapperSession(framework.BaseDebugWrapperSession):
    """A session with a command line before and after its runs.

    Commands are read from stdin, so a script can be piped in.

    Args:
        sess: the other session.
        dump_root: the folder of dumps, which does not exist or is empty; a temporary one if None.
        log_usage: has no effect; nothing is reported to anyone.
        ui_type: "curses" for colors and pages, "readline" for plain lines.
        thread_name_filter: matches the names of the threads whose runs are debugged; None for all.
        config_file_path: the file of the settings; one in the home folder if it is not given.

    Raises:
        ValueError: if `dump_root` is a file or not empty.
    """

    def __init__(
        self,
        sess: Any,
        dump_root: str | None = None,
        log_usage: bool = True,
        ui_type: str = "curses",
        thread_name_filter: str | None = None,
        config_file_path: str | bool | None = False,
    ) -> None:
        del log_usage
        super().__init__(sess, thread_name_filter=thread_name_filter)
        if not dump_root:
            self._dump_root = tempfile.mkdtemp(prefix=_DUMP_ROOT_PREFIX)
        else:
            dump_root = os.path.expanduser(dump_root)
            if os.path.isfile(dump_root):
                raise ValueError(f"dump_root path points to a file: {dump_root}")
            if os.path.isdir(dump_root) and os.listdir(dump_root):
                raise ValueError(f"dump_root path points to a non-empty directory: {dump_root}")
            self._dump_root = dump_root
        self._ui_type = ui_type
        self._config = cli_config.CLIConfig(config_file_path or None)  # type: ignore[arg-type]
        self._initialize_argparsers()
        self._tensor_filters: dict[str, Callable[..., bool]] = {}
        self.add_tensor_filter("has_inf_or_nan", debug_data.has_inf_or_nan)
        # The filter of `run -f`, the nodes that it leaves out, and how the runs are watched.
        self._active_tensor_filter: str | None = None
        self._active_exclude_node_names: str | None = None
        self._active_options: dict[str, Any] = {}
        # How many runs of `run -t` are left, the watched one included.
        self._runs_left = 0
        # What the command line after a run has said of the next one.
        self._run_start_response: Any = None
        self._run_call_numbers_shown = 0
        self._is_run_start = True
        self._run_description = ""
        self._run_info: Any = None
        self._title: str | None = None
        self._title_color: str | None = None
        self._init_command: str | None = None
        self._run_cli: Any = None
        self._feed_dict: Any = None
        self._fetches: Any = None
        self._is_callable_runner = False
        self._tf_error: Any = None

    def _is_disk_usage_reset_each_run(self) -> bool:
        # Dumps are removed after each run.
        return True

    def _initialize_argparsers(self) -> None:
        self._argparsers = {
            "run": run_command.run_parser(),
            "print_feed": run_command.feed_parser(),
            "run_info": run_command.simple_parser("Show what the run fetches and feeds."),
            "invoke_stepper": run_command.simple_parser("Not available."),
        }

    def add_tensor_filter(self, filter_name: str, tensor_filter: Callable[..., bool]) -> None:
        """Adds a filter for ``run -f`` and ``lt -f``.

        Args:
            filter_name: its name.
            tensor_filter: a function of a DebugTensorDatum and its value; for example
                ``tf_debug.has_inf_or_nan``.
        """
        self._tensor_filters[filter_name] = tensor_filter

    # Before a run

    def on_session_init(
        self, request: framework.OnSessionInitRequest
    ) -> framework.OnSessionInitResponse:
        """Goes on."""
        del request
        return framework.OnSessionInitResponse(framework.OnSessionInitAction.PROCEED)

    def on_run_start(self, request: framework.OnRunStartRequest) -> framework.OnRunStartResponse:
        """Shows the command line, unless an earlier command says how this run is run."""
        self._is_run_start = True
        self._update_run_calls_state(
            request.run_call_count,
            request.fetches,
            request.feed_dict,
            is_callable_runner=request.is_callable_runner,
        )
        if self._active_tensor_filter:
            return self._debug_response(self._active_options)
        if not self._runs_left and self._run_start_response is None:
            self._prep_cli_for_run_start()
            self._run_start_response = self._launch_cli()
        self._exit_if_requested_by_user()
        response, self._run_start_response = self._run_start_response, None
        if self._runs_left:
            self._runs_left -= 1
            if self._runs_left:
                return framework.OnRunStartResponse(framework.OnRunStartAction.NON_DEBUG_RUN, [])
            return self._debug_response(self._active_options)
        result: framework.OnRunStartResponse = response
        return result

    def _debug_response(self, options: dict[str, Any]) -> framework.OnRunStartResponse:
        return framework.OnRunStartResponse(
            framework.OnRunStartAction.DEBUG_RUN, self._get_run_debug_urls(), **options
        )

    def _update_run_calls_state(
        self,
        run_call_count: int,
        fetches: Any,
        feed_dict: Any,
        is_callable_runner: bool = False,
    ) -> None:
        self._run_call_count = run_call_count
        self._feed_dict = feed_dict
        self._fetches = fetches
        self._is_callable_runner = is_callable_runner
        self._run_description = cli_shared.get_run_short_description(
            run_call_count, fetches, feed_dict, is_callable_runner=is_callable_runner
        )
        self._run_info = cli_shared.get_run_start_intro(
            run_call_count,
            fetches,
            feed_dict,
            self._tensor_filters,
            is_callable_runner=is_callable_runner,
        )

    def _prep_cli_for_run_start(self) -> None:
        self._run_cli = ui_factory.get_ui(self._ui_type, config=self._config)
        help_intro = debugger_cli_common.RichTextLines([])
        if self._run_call_count == 1:
            help_intro.extend(cli_shared.get_tfdbg_logo())
        help_intro.extend(self._run_info)
        self._run_cli.set_help_intro(help_intro)
        self._init_command = "run_info"
        self._title = "run-start: " + self._run_description
        self._title_color = "blue"

    def _exit_if_requested_by_user(self) -> None:
        if self._run_start_response == debugger_cli_common.EXPLICIT_USER_EXIT:
            print("Note: user exited from debugger CLI: Calling sys.exit(1).", file=sys.stderr)
            sys.exit(1)

    def _launch_cli(self) -> Any:
        """Runs the command line; returns what its last command says of the run."""
        self._register_this_run_info(self._run_cli)
        return self._run_cli.run_ui(
            init_command=self._init_command, title=self._title, title_color=self._title_color
        )

    def _register_this_run_info(self, curses_cli: Any) -> None:
        for name, aliases, handler in (
            ("run", ["r"], self._run_handler),
            ("invoke_stepper", ["s"], self._stepper_handler),
            ("run_info", ["ri"], self._run_info_handler),
            ("print_feed", ["pf"], self._print_feed_handler),
        ):
            curses_cli.register_command_handler(
                name, handler, self._argparsers[name].format_help(), prefix_aliases=aliases
            )
        if self._tensor_filters:
            filters = list(self._tensor_filters)
            options = ["-f", "-t", "-n", "-p"]
            curses_cli.register_tab_comp_context(["run", "r"], [*filters, *options])
        if self._feed_dict:
            names = [common.get_graph_element_name(key) for key in self._feed_dict]
            curses_cli.register_tab_comp_context(["print_feed", "pf"], names)

    # After a run

    def on_run_end(self, request: framework.OnRunEndRequest) -> framework.OnRunEndResponse:
        """Shows the command line with the dump or the times of the run.

        The run has its results: the program ends at its next run if the user leaves here.
        """
        self._is_run_start = False
        if request.performed_action == framework.OnRunStartAction.DEBUG_RUN:
            self._end_debug_run(request)
        elif request.performed_action == framework.OnRunStartAction.PROFILE_RUN:
            self._prep_profile_cli_for_run_end(self._sess.graph, request.run_metadata)
            self._run_start_response = self._launch_cli()
        return framework.OnRunEndResponse()

    def _end_debug_run(self, request: framework.OnRunEndRequest) -> None:
        graphs = request.run_metadata.partition_graphs if request.run_metadata else None
        if not os.path.isdir(self._dump_root):
            os.makedirs(self._dump_root)
        dump = debug_data.DebugDumpDir(self._dump_root, partition_graphs=graphs or None)
        dump.set_python_graph(self._sess.graph)
        passed, excluded = None, None
        if self._active_tensor_filter:
            found = dump.find(
                self._tensor_filters[self._active_tensor_filter],
                first_n=1,
                exclude_node_names=self._active_exclude_node_names,
            )
            if found:
                passed, excluded = self._active_tensor_filter, self._active_exclude_node_names
                self._active_tensor_filter = None
                self._active_exclude_node_names = None
        if not self._active_tensor_filter or request.tf_error is not None:
            self._active_tensor_filter = None
            self._prep_debug_cli_for_run_end(dump, request.tf_error, passed, excluded)
            self._run_start_response = self._launch_cli()
        self._remove_dump_root()

    def _remove_dump_root(self) -> None:
        shutil.rmtree(self._dump_root, ignore_errors=True)

    def _prep_debug_cli_for_run_end(
        self,
        debug_dump: Any,
        tf_error: Any,
        passed_filter: str | None,
        passed_filter_exclude_node_names: str | None,
    ) -> None:
        self._tf_error = tf_error
        if tf_error is not None:
            help_intro = cli_shared.get_error_intro(tf_error)
            self._init_command = "help"
            self._title_color = "red"
        else:
            help_intro = None
            self._init_command = "lt"
            self._title_color = "white"
            if passed_filter is not None:
                self._init_command = f"lt -f {passed_filter}"
                if passed_filter_exclude_node_names:
                    self._init_command += f" -fenn {passed_filter_exclude_node_names}"
                self._title_color = "red"
        self._run_cli = analyzer_cli.create_analyzer_ui(
            debug_dump,
            self._tensor_filters,
            ui_type=self._ui_type,
            on_ui_exit=self._remove_dump_root,
            config=self._config,
        )
        self._title = "run-end: " + self._run_description
        if help_intro is not None:
            self._run_cli.set_help_intro(help_intro)

    def _prep_profile_cli_for_run_end(self, py_graph: Any, run_metadata: Any) -> None:
        self._init_command = "lp"
        self._run_cli = profile_analyzer_cli.create_profiler_ui(
            py_graph, run_metadata, ui_type=self._ui_type, config=self._config
        )
        self._title = "run-end (profiler mode): " + self._run_description
        self._title_color = "white"

    # Commands

    def _run_handler(self, args: list[str], screen_info: Any = None) -> Any:
        """Ends the command line; its token says how the next run is run."""
        del screen_info
        parsed = self._argparsers["run"].parse_args(args)
        if parsed.filter_exclude_node_names and not parsed.till_filter_pass:
            raise ValueError(
                "The --filter_exclude_node_names (or -feon) flag is valid only if the "
                "--till_filter_pass (or -f) flag is used."
            )
        if parsed.profile:
            raise debugger_cli_common.CommandLineExit(
                exit_token=framework.OnRunStartResponse(framework.OnRunStartAction.PROFILE_RUN, [])
            )
        options = {
            "node_name_regex_whitelist": parsed.node_name_filter or None,
            "op_type_regex_whitelist": parsed.op_type_filter or None,
            "tensor_dtype_regex_whitelist": parsed.tensor_dtype_filter or None,
        }
        if parsed.till_filter_pass:
            if parsed.till_filter_pass not in self._tensor_filters:
                return debugger_cli_common.RichTextLines(
                    [f'ERROR: tensor filter "{parsed.till_filter_pass}" does not exist.']
                )
            self._active_tensor_filter = parsed.till_filter_pass
            self._active_exclude_node_names = parsed.filter_exclude_node_names or None
        self._active_options = options
        if parsed.no_debug:
            response = framework.OnRunStartResponse(framework.OnRunStartAction.NON_DEBUG_RUN, [])
        else:
            if parsed.times > 1:
                self._runs_left = parsed.times
            response = self._debug_response(options)
        raise debugger_cli_common.CommandLineExit(exit_token=response)

    def _stepper_handler(self, args: list[str], screen_info: Any = None) -> Any:
        del args, screen_info
        return cli_shared.error(_NO_STEPPER)

    def _get_run_debug_urls(self) -> list[str]:
        return ["file://" + self._dump_root]

    def _run_info_handler(self, args: list[str], screen_info: Any = None) -> Any:
        del args, screen_info
        output = debugger_cli_common.RichTextLines([])
        if self._run_call_count == 1:
            output.extend(cli_shared.get_tfdbg_logo())
        output.extend(self._run_info)
        if not self._is_run_start:
            menu = output.annotations[debugger_cli_common.MAIN_MENU_KEY]
            if "list_tensors" not in menu.captions():
                item = debugger_cli_common.MenuItem("list_tensors", "list_tensors")
                menu.insert(0, item)
        return output

    def _print_feed_handler(self, args: list[str], screen_info: Any = None) -> Any:
        options = cli_shared.numpy_printoptions_from_screen_info(screen_info)
        if not self._feed_dict:
            return cli_shared.error("The feed_dict of the current run is None or empty.")
        parsed = self._argparsers["print_feed"].parse_args(args)
        name, slices = command_parser.parse_tensor_name_with_slicing(parsed.tensor_name)
        for key, value in self._feed_dict.items():
            if common.get_graph_element_name(key) == name:
                return cli_shared.format_tensor(
                    value,
                    f"{name} (feed)",
                    options,
                    print_all=parsed.print_all,
                    tensor_slicing=slices,
                    highlight_options=cli_shared.parse_ranges_highlight(parsed.ranges),
                    include_numeric_summary=parsed.numeric_summary,
                )
        return cli_shared.error(f"The feed_dict of the current run does not contain the key {name}")
