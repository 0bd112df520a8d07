"""What the user interfaces of the command line have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

from headwater.debug.cli import cli_config, command_parser, debugger_cli_common
from headwater.debug.cli.rich_text import RichTextLines


class BaseUI:
    """Reads commands, runs their handlers, and shows what they return.

    Args:
        on_ui_exit: called when the command line ends.
        config: the settings; those of the user if None.
    """

    CLI_PROMPT = "tfdbg> "
    CLI_EXIT_COMMANDS = ("exit", "quit")
    ERROR_MESSAGE_PREFIX = "ERROR: "
    INFO_MESSAGE_PREFIX = "INFO: "

    def __init__(
        self,
        on_ui_exit: Callable[[], Any] | None = None,
        config: cli_config.CLIConfig | None = None,
    ) -> None:
        self._on_ui_exit = on_ui_exit
        self._command_handler_registry = debugger_cli_common.CommandHandlerRegistry()
        self._tab_completion_registry = debugger_cli_common.TabCompletionRegistry()
        self._tab_completion_registry.register_tab_comp_context(
            [""],
            [
                *self.CLI_EXIT_COMMANDS,
                debugger_cli_common.CommandHandlerRegistry.HELP_COMMAND,
                *debugger_cli_common.CommandHandlerRegistry.HELP_COMMAND_ALIASES,
            ],
        )
        self._config = config or cli_config.CLIConfig()
        self._config_parser = _config_parser()
        self.register_command_handler(
            "config",
            self._config_command_handler,
            self._config_parser.format_help(),
            prefix_aliases=["cfg"],
        )

    @property
    def config(self) -> cli_config.CLIConfig:
        """The settings."""
        return self._config

    def set_help_intro(self, help_intro: RichTextLines) -> None:
        """Sets what ``help`` shows before the commands."""
        self._command_handler_registry.set_help_intro(help_intro=help_intro)

    def register_command_handler(
        self,
        prefix: str,
        handler: Callable[..., Any],
        help_info: str,
        prefix_aliases: Iterable[str] | None = None,
    ) -> None:
        """Adds a command; see `CommandHandlerRegistry.register_command_handler`."""
        aliases = list(prefix_aliases or ())
        self._command_handler_registry.register_command_handler(
            prefix, handler, help_info, prefix_aliases=aliases
        )
        self._tab_completion_registry.extend_comp_items("", [prefix, *aliases])

    def register_tab_comp_context(self, *args: Any, **kwargs: Any) -> None:
        """Adds completions; see `TabCompletionRegistry.register_tab_comp_context`."""
        self._tab_completion_registry.register_tab_comp_context(*args, **kwargs)

    def run_ui(
        self,
        init_command: str | None = None,
        title: str | None = None,
        title_color: str | None = None,
        enable_mouse_on_start: bool = True,
    ) -> Any:
        """Reads commands until one ends the command line.

        Args:
            init_command: the first command.
            title: what is shown above.
            title_color: its color.
            enable_mouse_on_start: has no effect; there is no mouse.

        Returns:
            The token of the command that has ended it.
        """
        raise NotImplementedError("run_ui() is not implemented in BaseUI")

    def _parse_command(self, command: str) -> tuple[str, list[str], str | None]:
        """The prefix, the arguments and the output file of a command.

        Raises:
            SyntaxError: if a redirection has no file.
        """
        command = command.strip()
        if not command:
            return "", [], None
        words, output_path = command_parser.extract_output_file_path(
            command_parser.parse_command(command)
        )
        return words[0], words[1:], output_path

    def _execute(self, command: str, screen_info: dict[str, Any]) -> RichTextLines:
        """What a command shows; an error message if there is no such command."""
        try:
            prefix, arguments, output_path = self._parse_command(command)
        except SyntaxError as error:
            return RichTextLines([self.ERROR_MESSAGE_PREFIX + str(error)])
        if not prefix:
            return RichTextLines([""])
        if not self._command_handler_registry.is_registered(prefix):
            return RichTextLines([f'{self.ERROR_MESSAGE_PREFIX}Invalid command prefix "{prefix}"'])
        output = self._command_handler_registry.dispatch_command(
            prefix, arguments, screen_info=screen_info
        )
        output = output if output is not None else RichTextLines([])
        if output_path:
            try:
                output.write_to_file(output_path)
                output.append(f"Wrote output to {output_path}")
            except Exception as error:  # whatever the file system says
                text = f"Failed to write output to {output_path}: {error}"
                output.prepend(self.ERROR_MESSAGE_PREFIX + text)
        return output

    def _analyze_tab_complete_input(self, text: str) -> tuple[str | None, str | None, str | None]:
        """What stands before the word to complete.

        Args:
            text: the input.

        Returns:
            The command, the beginning of the word, and the words before; None if nothing is to be
            completed.
        """
        text = text.lstrip()
        if not text:
            return "", "", ""
        words = text.split(" ")
        if len(words) == 1:
            return "", words[0], ""
        if not self._command_handler_registry.is_registered(words[0]):
            return None, None, None
        return words[0], words[-1], " ".join(words[:-1]) + " "

    def _config_command_handler(self, args: list[str], screen_info: Any = None) -> RichTextLines:
        """Shows or changes settings."""
        del screen_info
        parsed = self._config_parser.parse_args(args)
        if parsed.command == "set":
            self._config.set(parsed.property_name, parsed.property_value)
            return self._config.summarize(highlight=parsed.property_name)
        return self._config.summarize()


def _config_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Show or set the settings of the command line.", usage=argparse.SUPPRESS
    )
    commands = parser.add_subparsers(dest="command")
    setting = commands.add_parser("set")
    setting.add_argument("property_name", type=str)
    setting.add_argument("property_value", type=str)
    commands.add_parser("show")
    return parser
