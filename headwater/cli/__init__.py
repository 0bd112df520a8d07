"""The command `headwater`."""

from headwater.cli.command_line import main

__all__ = ["main"]
