"""The command line with plain lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from headwater.debug.cli import cli_config, debugger_cli_common
from headwater.debug.cli.base_ui import BaseUI
from headwater.debug.cli.rich_text import RichTextLines

readline: ModuleType | None
try:
    import readline
except ImportError:  # Windows has none: no completion there
    readline = None


class ReadlineUI(BaseUI):
    """Reads lines from stdin, with completion on a terminal, and prints to stdout.

    Args:
        on_ui_exit: called when the command line ends.
        config: the settings; those of the user if None.
    """

    def __init__(
        self,
        on_ui_exit: Callable[[], Any] | None = None,
        config: cli_config.CLIConfig | None = None,
    ) -> None:
        super().__init__(on_ui_exit=on_ui_exit, config=config)
        self._history = debugger_cli_common.CommandHistory()
        self._init_input()

    def _init_input(self) -> None:
        if readline is None or not sys.stdin.isatty():
            return
        readline.set_completer_delims("\n")
        readline.set_completer(self._readline_complete)
        readline.parse_and_bind("tab: complete")
        readline.clear_history()
        for command in self._history.most_recent_n(100):
            readline.add_history(command)

    def _readline_complete(self, text: str, state: int) -> str | None:
        context, prefix, before = self._analyze_tab_complete_input(text)
        if context is None or prefix is None:
            return None
        found, _ = self._tab_completion_registry.get_completions(context, prefix)
        candidates = [(before or "") + item for item in found or ()]
        return candidates[state] if state < len(candidates) else None

    def run_ui(
        self,
        init_command: str | None = None,
        title: str | None = None,
        title_color: str | None = None,
        enable_mouse_on_start: bool = True,
    ) -> Any:
        """Reads commands until one ends the command line; see `BaseUI.run_ui`."""
        del enable_mouse_on_start
        if title:
            self._display_title(title, title_color)
        try:
            token = self._dispatch_command(init_command) if init_command is not None else None
            if token is None:
                token = self._ui_loop()
        finally:
            if self._on_ui_exit:
                self._on_ui_exit()
        return token

    def _display_title(self, title: str, color: str | None) -> None:
        del color
        print(title)

    def _ui_loop(self) -> Any:
        while True:
            command = self._get_user_command()
            token = self._dispatch_command(command)
            if token is not None:
                return token

    def _get_user_command(self) -> str:
        try:
            return input(self.CLI_PROMPT).strip()
        except EOFError:
            # The end of a script, or Ctrl-D.
            print()
            return self.CLI_EXIT_COMMANDS[0]
        except KeyboardInterrupt:
            print()
            return ""

    def _dispatch_command(self, command: str) -> Any:
        """Runs a command; returns the token if it ends the command line."""
        if command in self.CLI_EXIT_COMMANDS:
            return debugger_cli_common.EXPLICIT_USER_EXIT
        if command:
            self._history.add_command(command)
        try:
            output = self._execute(command, {})
        except debugger_cli_common.CommandLineExit as end:
            token = end.exit_token
            return token if token is not None else debugger_cli_common.EXPLICIT_USER_EXIT
        self._display_output(output)
        return None

    def _display_output(self, screen_output: RichTextLines) -> None:
        for line in screen_output.lines:
            print(line)
