"""Finds the user interface of the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from headwater.debug.cli import cli_config, curses_ui, readline_ui

SUPPORTED_UI_TYPES = ["curses", "readline"]


def get_ui(
    ui_type: str,
    on_ui_exit: Callable[[], Any] | None = None,
    available_ui_types: Sequence[str] | None = None,
    config: cli_config.CLIConfig | None = None,
) -> Any:
    """A user interface.

    Args:
        ui_type: "curses" for the full screen, "readline" for plain lines.
        on_ui_exit: called when it ends.
        available_ui_types: the types that may be used.
        config: the settings; those of the user if None.

    Returns:
        A `base_ui.BaseUI`: of plain lines if stdin or stdout is not a terminal, or if there is no
        curses, as on Windows.

    Raises:
        ValueError: if there is no such type.
    """
    available = available_ui_types or SUPPORTED_UI_TYPES
    if ui_type and ui_type not in available:
        raise ValueError(f"Invalid ui_type: '{ui_type}'")
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if ui_type == "readline" or not is_terminal or find_spec("_curses") is None:
        return readline_ui.ReadlineUI(on_ui_exit=on_ui_exit, config=config)
    return curses_ui.CursesUI(on_ui_exit=on_ui_exit, config=config)
