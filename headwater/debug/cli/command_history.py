"""The commands that have been given, in memory and in a file."""

from __future__ import annotations

import os
from contextlib import suppress


class CommandHistory:
    """The last commands.

    Args:
        limit: how many are kept.
        history_file_path: the file in which they are kept; one in the home folder if None.
    """

    _HISTORY_FILE_NAME = ".tfdbg_history"

    def __init__(self, limit: int = 100, history_file_path: str | None = None) -> None:
        self._commands: list[str] = []
        self._limit = limit
        self._path = history_file_path or self._get_default_history_file_path()
        # A history that cannot be read or written is one of this process only.
        with suppress(OSError):
            self._load()

    @classmethod
    def _get_default_history_file_path(cls) -> str:
        return os.path.join(os.path.expanduser("~"), cls._HISTORY_FILE_NAME)

    def _load(self) -> None:
        if not os.path.isfile(self._path):
            return
        with open(self._path, encoding="utf-8") as file:
            commands = [line.rstrip("\n") for line in file if line.strip()]
        self._commands = commands[-self._limit :]
        if len(commands) > self._limit:
            with open(self._path, "w", encoding="utf-8") as file:
                file.writelines(f"{command}\n" for command in self._commands)

    def add_command(self, command: str) -> None:
        """Adds a command, unless it is the last one again.

        Raises:
            TypeError: if it is not a string.
        """
        if not isinstance(command, str):
            raise TypeError("Attempt to enter non-str entry to command history")
        if self._commands and command == self._commands[-1]:
            return
        self._commands = [*self._commands, command][-self._limit :]
        with suppress(OSError), open(self._path, "a", encoding="utf-8") as file:
            file.write(f"{command}\n")

    def most_recent_n(self, n: int) -> list[str]:
        """The last commands, the latest at the end."""
        return self._commands[-n:]

    def lookup_prefix(self, prefix: str, n: int) -> list[str]:
        """The last commands that begin with a prefix."""
        return [command for command in self._commands if command.startswith(prefix)][-n:]
