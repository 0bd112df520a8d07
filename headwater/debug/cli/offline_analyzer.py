"""Looks at a dump on disk."""

from __future__ import annotations

import sys
from typing import Any

from headwater.base import flags
from headwater.debug.cli import analyzer_cli
from headwater.debug.lib import debug_data


def analyze(dump_dir: str, ui_type: str = "readline", validate_graph: bool = True) -> Any:
    """Shows a command line for a dump.

    Args:
        dump_dir: the folder of the dump of one run.
        ui_type: "curses" for colors and pages, "readline" for plain lines.
        validate_graph: whether the values are checked against the graphs.

    Returns:
        The token with which the command line has ended.

    Raises:
        IOError: if there is no such folder.
        ValueError: if the values do not fit the graphs.
    """
    dump = debug_data.DebugDumpDir(dump_dir, validate=validate_graph)
    ui = analyzer_cli.create_analyzer_ui(
        dump, {"has_inf_or_nan": debug_data.has_inf_or_nan}, ui_type=ui_type
    )
    title = f"tfdbg offline analyzer @ {dump_dir}"
    return ui.run_ui(title=title, title_color="black", init_command="lt")


def main(_: Any) -> None:
    """The program: its flags are --dump_dir, --ui_type, --log_usage and --validate_graph."""
    values = flags.FLAGS
    if not values.dump_dir:
        print("ERROR: dump_dir flag is empty.", file=sys.stderr)
        sys.exit(1)
    print(f"tfdbg offline: FLAGS.dump_dir = {values.dump_dir}")
    analyze(values.dump_dir, values.ui_type, values.validate_graph)
