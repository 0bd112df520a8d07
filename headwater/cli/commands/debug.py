"""Shows the dump of a watched run (tfdbg), one of Headwater or of TensorFlow 1.x.

The folder is that of one run: ``run_...`` below the session_root of DumpingDebugWrapperSession or
DumpingDebugHook. Commands are read from stdin; ``help`` lists them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from headwater.cli.flag_values import add_truth

HELP = "show the dump of a watched run (tfdbg)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater debug`."""
    parser.add_argument("folder", nargs="?", default="", help="the folder of the dump")
    parser.add_argument("--dump_dir", default="", help="the same, as offline_analyzer takes it")
    parser.add_argument(
        "--ui-type",
        "--ui_type",
        choices=("curses", "readline"),
        default="curses",
        help="with colors and pages (curses, the default), or with plain lines (readline)",
    )
    add_truth(
        parser, "validate_graph", True, "check the values against the graphs of the dump (default)"
    )
    parser.add_argument(
        "--no-validate", dest="validate_graph", action="store_false", help="do not check them"
    )
    add_truth(parser, "log_usage", True, "has no effect")


def execute(arguments: argparse.Namespace) -> int:
    """Runs the command line; what is wrong with the folder goes to stderr."""
    # The debugger is loaded when it is asked for.
    from headwater.debug.cli import offline_analyzer

    folder = arguments.folder or arguments.dump_dir
    try:
        if not offline_analyzer.debug_data.DebugDumpDir(folder, validate=False).devices():
            runs = [path.name for path in Path(folder).glob("run_*")]
            hint = f" Its runs are: {', '.join(sorted(runs))}" if runs else ""
            raise ValueError(f"{folder} is not the dump of a run.{hint}")
        offline_analyzer.analyze(folder, arguments.ui_type, validate_graph=arguments.validate_graph)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
    return 0
