"""Commands and their handlers, tab completion, and what they show."""

from __future__ import annotations

import importlib.metadata
import os
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from headwater.base.version import API_LEVEL
from headwater.debug.cli.command_history import CommandHistory
from headwater.debug.cli.rich_text import (
    INIT_SCROLL_POS_KEY,
    MAIN_MENU_KEY,
    REGEX_MATCH_LINES_KEY,
    Menu,
    MenuItem,
    RichLine,
    RichTextLines,
    regex_find,
    rich_text_lines_from_rich_line_list,
    wrap_rich_text_lines,
)

__all__ = [
    "EXPLICIT_USER_EXIT",
    "HELP_INDENT",
    "INIT_SCROLL_POS_KEY",
    "MAIN_MENU_KEY",
    "REGEX_MATCH_LINES_KEY",
    "CommandHandlerRegistry",
    "CommandHistory",
    "CommandLineExit",
    "Menu",
    "MenuItem",
    "RichLine",
    "RichTextLines",
    "TabCompletionRegistry",
    "get_tensorflow_version_lines",
    "regex_find",
    "rich_text_lines_from_rich_line_list",
    "wrap_rich_text_lines",
]

HELP_INDENT = "  "
EXPLICIT_USER_EXIT = "explicit_user_exit"

Handler = Callable[..., "RichTextLines | None"]


class CommandLineExit(Exception):
    """A command ends the command line.

    Args:
        exit_token: what the command line returns.
    """

    def __init__(self, exit_token: Any = None) -> None:
        Exception.__init__(self)
        self._exit_token = exit_token

    @property
    def exit_token(self) -> Any:
        """What the command line returns."""
        return self._exit_token


def get_tensorflow_version_lines(include_dependency_versions: bool = False) -> RichTextLines:
    """The version of TensorFlow that is offered, and those of packages it is built on.

    Args:
        include_dependency_versions: whether the versions of packages are wanted.
    """
    lines = [f"TensorFlow version: {API_LEVEL}", ""]
    if include_dependency_versions:
        lines.append("Dependency version(s):")
        lines.append(f"  numpy: {np.__version__}")
        lines.append(f"  jax: {importlib.metadata.version('jax')}")
        lines.append("")
    return RichTextLines(lines)


class CommandHandlerRegistry:
    """Commands by their names and aliases. ``help`` and ``version`` are there from the start."""

    HELP_COMMAND = "help"
    HELP_COMMAND_ALIASES: tuple[str, ...] | list[str] = ["h"]  # noqa: RUF012
    VERSION_COMMAND = "version"
    VERSION_COMMAND_ALIASES: tuple[str, ...] | list[str] = ["ver"]  # noqa: RUF012

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}
        self._alias_to_prefix: dict[str, str] = {}
        self._prefix_to_aliases: dict[str, list[str]] = {}
        self._prefix_to_help: dict[str, str] = {}
        self._help_intro: RichTextLines | None = None
        self.register_command_handler(
            self.HELP_COMMAND,
            self._help_handler,
            "Print this help message.",
            prefix_aliases=self.HELP_COMMAND_ALIASES,
        )
        self.register_command_handler(
            self.VERSION_COMMAND,
            self._version_handler,
            "Print the versions of TensorFlow and its key dependencies.",
            prefix_aliases=self.VERSION_COMMAND_ALIASES,
        )

    def register_command_handler(
        self,
        prefix: str,
        handler: Handler,
        help_info: str,
        prefix_aliases: Iterable[str] | None = None,
    ) -> None:
        """Adds a command.

        Args:
            prefix: its name.
            handler: a function of the words that follow and of ``screen_info``, a dict with the
                width of the screen under "cols". It returns RichTextLines or None.
            help_info: what ``help`` shows.
            prefix_aliases: other names.

        Raises:
            ValueError: if a name is taken, or an argument is of a wrong kind.
        """
        aliases = list(prefix_aliases or ())
        if not prefix:
            raise ValueError("Empty command prefix")
        if prefix in self._handlers:
            raise ValueError(f'A handler is already registered for command prefix "{prefix}"')
        if not callable(handler):
            raise ValueError("handler is not callable")
        if not isinstance(help_info, str):
            raise ValueError("help_info is not a str")
        for alias in aliases:
            if self._resolve_prefix(alias):
                raise ValueError(
                    f'The prefix alias "{alias}" clashes with existing prefixes or aliases.'
                )
        self._handlers[prefix] = handler
        self._alias_to_prefix.update(dict.fromkeys(aliases, prefix))
        self._prefix_to_aliases[prefix] = aliases
        self._prefix_to_help[prefix] = help_info

    def dispatch_command(
        self, prefix: str, argv: list[str], screen_info: dict[str, Any] | None = None
    ) -> RichTextLines | None:
        """Runs a command.

        Args:
            prefix: its name or alias.
            argv: the words that follow.
            screen_info: the width of the screen under "cols".

        Returns:
            What it shows; the traceback if it has failed.

        Raises:
            ValueError: if there is no such command, or it returns something else.
            CommandLineExit: if it ends the command line.
        """
        if not prefix:
            raise ValueError("Prefix is empty")
        resolved = self._resolve_prefix(prefix)
        if not resolved:
            raise ValueError(f'No handler is registered for command prefix "{prefix}"')
        try:
            output = self._handlers[resolved](argv, screen_info=screen_info)
        except CommandLineExit:
            raise
        except SystemExit:
            # The parser of its arguments gives up so.
            lines = [f"Syntax error for command: {prefix}", f'For help, do "help {prefix}"']
            output = RichTextLines(lines)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            lines = [
                f"Error occurred during handling of command: {resolved} {' '.join(argv)}:",
                f"{type(error)}: {error}",
                "",
                *traceback.format_exc().split("\n"),
            ]
            output = RichTextLines(lines)
        if not isinstance(output, RichTextLines) and output is not None:
            raise ValueError(
                f"Return value from command handler {self._handlers[resolved]} is not None or a "
                "RichTextLines instance"
            )
        return output

    def is_registered(self, prefix: str) -> bool:
        """Whether there is a command of this name or alias."""
        return self._resolve_prefix(prefix) is not None

    def get_help(self, cmd_prefix: str | None = None) -> RichTextLines:
        """What ``help`` shows.

        Args:
            cmd_prefix: the name or alias of a command; None for all.
        """
        if cmd_prefix is not None:
            return RichTextLines(self._get_help_for_command_prefix(cmd_prefix))
        output = RichTextLines([])
        if self._help_intro is not None:
            output.extend(self._help_intro)
        for prefix in sorted(self._handlers):
            lines = self._get_help_for_command_prefix(prefix)
            output.extend(RichTextLines([*lines, "", ""]))
        return output

    def set_help_intro(self, help_intro: RichTextLines) -> None:
        """Sets what ``help`` shows before the commands."""
        self._help_intro = help_intro

    def _help_handler(self, args: list[str], screen_info: Any = None) -> RichTextLines:
        del screen_info
        if not args:
            return self.get_help()
        if len(args) == 1:
            return self.get_help(args[0])
        return RichTextLines(["ERROR: help takes only 0 or 1 input argument."])

    def _version_handler(self, args: list[str], screen_info: Any = None) -> RichTextLines:
        del args, screen_info
        return get_tensorflow_version_lines(include_dependency_versions=True)

    def _resolve_prefix(self, token: str) -> str | None:
        if token in self._handlers:
            return token
        return self._alias_to_prefix.get(token)

    def _get_help_for_command_prefix(self, cmd_prefix: str) -> list[str]:
        resolved = self._resolve_prefix(cmd_prefix)
        if not resolved:
            return [f'Invalid command prefix: "{cmd_prefix}"']
        lines = [resolved]
        if self._prefix_to_aliases[resolved]:
            lines.append(f"{HELP_INDENT}Aliases: {', '.join(self._prefix_to_aliases[resolved])}")
        lines.append("")
        lines.extend(HELP_INDENT + line for line in self._prefix_to_help[resolved].split("\n"))
        return lines


class TabCompletionRegistry:
    """What completes the words that follow commands.

    A context is a set of commands (context words) with the same completions; the empty word is the
    context of the commands themselves.
    """

    def __init__(self) -> None:
        self._items: dict[str, list[str]] = {}

    def register_tab_comp_context(
        self, context_words: Iterable[str], comp_items: list[str]
    ) -> None:
        """Adds a context.

        Args:
            context_words: its commands.
            comp_items: the completions.

        Raises:
            TypeError: if an argument is not a list.
            ValueError: if a command has a context.
        """
        if not isinstance(context_words, list):
            raise TypeError(
                "Incorrect type in context_list: Expected list, got " + str(type(context_words))
            )
        if not isinstance(comp_items, list):
            raise TypeError(
                "Incorrect type in comp_items: Expected list, got " + str(type(comp_items))
            )
        items = sorted(comp_items)
        for word in context_words:
            if word in self._items:
                raise ValueError(f'Duplicate context word: "{word}"')
        for word in context_words:
            self._items[word] = items

    def deregister_context(self, context_words: Iterable[str]) -> None:
        """Removes commands from their contexts.

        Raises:
            KeyError: if one has none.
        """
        for word in context_words:
            if word not in self._items:
                raise KeyError(f'Cannot deregister unregistered context word "{word}"')
        for word in context_words:
            del self._items[word]

    def extend_comp_items(self, context_word: str, new_comp_items: list[str]) -> None:
        """Adds completions to the context of a command.

        Raises:
            KeyError: if it has none.
        """
        items = self._found(context_word)
        items[:] = sorted([*items, *new_comp_items])

    def remove_comp_items(self, context_word: str, comp_items: list[str]) -> None:
        """Removes completions from the context of a command.

        Raises:
            KeyError: if it has none.
        """
        items = self._found(context_word)
        items[:] = [item for item in items if item not in comp_items]

    def _found(self, context_word: str) -> list[str]:
        if context_word not in self._items:
            raise KeyError(f'Context word "{context_word}" has not been registered')
        return self._items[context_word]

    def get_completions(
        self, context_word: str, prefix: str
    ) -> tuple[list[str], str] | tuple[None, None]:
        """The completions of the beginning of a word.

        Args:
            context_word: the command.
            prefix: the beginning.

        Returns:
            The completions in order, and their longest common beginning; (None, None) if the
            command has no context.
        """
        if context_word not in self._items:
            return None, None
        items = sorted(item for item in self._items[context_word] if item.startswith(prefix))
        return items, os.path.commonprefix(items)  # noqa: RUF071 - of text, not of paths
