"""The settings of the command line, kept in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from headwater.debug.cli.rich_text import (
    RichLine,
    RichTextLines,
    rich_text_lines_from_rich_line_list,
)


class CLIConfig:
    """The settings by name.

    Args:
        config_file_path: the file in which they are kept; one in the home folder if None.
    """

    _CONFIG_FILE_NAME = ".tfdbg_config"
    _DEFAULT_CONFIG = (("graph_recursion_depth", 20), ("mouse_mode", True))

    def __init__(self, config_file_path: str | None = None) -> None:
        self._config_file_path = config_file_path or self._default_config_file_path()
        self._config: dict[str, Any] = dict(self._DEFAULT_CONFIG)
        self._callbacks: dict[str, Callable[[dict[str, Any]], Any]] = {}
        self._load_from_file()
        self._save_to_file()

    def get(self, property_name: str) -> Any:
        """The value of a setting.

        Raises:
            KeyError: if there is no such setting.
        """
        self._check(property_name)
        return self._config[property_name]

    def set(self, property_name: str, property_val: Any) -> None:
        """Changes a setting.

        Args:
            property_name: its name.
            property_val: the value, or its text.

        Raises:
            KeyError: if there is no such setting.
            ValueError: if the text is no such value.
        """
        self._check(property_name)
        kind = type(self._config[property_name])
        if kind is bool:
            self._config[property_name] = _boolean(str(property_val))
        else:
            self._config[property_name] = kind(property_val)
        self._save_to_file()
        if property_name in self._callbacks:
            self._callbacks[property_name](self._config)

    def set_callback(self, property_name: str, callback: Callable[[dict[str, Any]], Any]) -> None:
        """Sets a function of all settings that is called when one changes.

        Raises:
            KeyError: if there is no such setting.
            TypeError: if it is not a function.
        """
        self._check(property_name)
        if not callable(callback):
            raise TypeError("The callback object provided is not callable.")
        self._callbacks[property_name] = callback

    def _check(self, property_name: str) -> None:
        if property_name not in self._config:
            raise KeyError(f"{property_name} is not a valid property name.")

    def _default_config_file_path(self) -> str:
        return os.path.join(os.path.expanduser("~"), self._CONFIG_FILE_NAME)

    def _save_to_file(self) -> None:
        # Settings that cannot be kept hold for this process.
        with suppress(OSError), open(self._config_file_path, "w", encoding="utf-8") as file:
            json.dump(self._config, file)

    def _load_from_file(self) -> None:
        try:
            with open(self._config_file_path, encoding="utf-8") as file:
                saved = json.load(file)
        except (OSError, ValueError):
            return
        if isinstance(saved, dict):
            self._config.update(saved)

    def summarize(self, highlight: str | None = None) -> RichTextLines:
        """Shows all settings.

        Args:
            highlight: the name of one that is highlighted.
        """
        lines: list[Any] = [RichLine("Command-line configuration:", "bold"), RichLine("")]
        for name, value in self._config.items():
            attr = "bold" if name == highlight else None
            first = RichLine("  ") + RichLine(name, ["underline", attr])
            lines.append(first + ": " + RichLine(str(value), attr))
        return rich_text_lines_from_rich_line_list(lines)


def _boolean(text: str) -> bool:
    if text.lower() in ("true", "1"):
        return True
    if text.lower() in ("false", "0"):
        return False
    raise ValueError(f"Invalid string value for bool type: {text}")
