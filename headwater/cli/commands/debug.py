"""Shows the dump of a watched run (tfdbg), one of Headwater or of TensorFlow 1.x.

The folder is that of one run: ``run_...`` below the session_root of DumpingDebugWrapperSession or
DumpingDebugHook. Commands are read from stdin; ``help`` lists them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "show the dump of a watched run (tfdbg)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater debug`."""
    parser.add_argument("dump_dir", help="the folder of the dump")
    parser.add_argument(
        "--ui-type",
        choices=("curses", "readline"),
        default="curses",
        help="with colors and pages (curses, the default), or with plain lines (readline)",
    )
    parser.add_argument(
        "--no-validate",
        action="store_true",
        help="do not check the values against the graphs of the dump",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Runs the command line; what is wrong with the folder goes to stderr."""
    # The debugger is loaded when it is asked for.
    from headwater.debug.cli import offline_analyzer

    try:
        if not offline_analyzer.debug_data.DebugDumpDir(
            arguments.dump_dir, validate=False
        ).devices():
            runs = [path.name for path in Path(arguments.dump_dir).glob("run_*")]
            hint = f" Its runs are: {', '.join(sorted(runs))}" if runs else ""
            raise ValueError(f"{arguments.dump_dir} is not the dump of a run.{hint}")
        offline_analyzer.analyze(
            arguments.dump_dir, arguments.ui_type, validate_graph=not arguments.no_validate
        )
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
    return 0
