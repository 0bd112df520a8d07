"""Values of flags as the tools of the time took them."""

from __future__ import annotations

import argparse


def add_truth(parser: argparse.ArgumentParser, name: str, default: bool, text: str) -> None:
    """Declares a flag that stands alone, for true, or before "true" or "false".

    Args:
        parser: the parser of a command.
        name: the name of the flag, without dashes.
        default: the value without the flag.
        text: the help.
    """
    parser.add_argument(f"--{name}", nargs="?", const=True, type=truth, default=default, help=text)


def truth(text: str) -> bool:
    """Whether the value of a flag stands for true."""
    return text.lower() in ("true", "t", "1", "y", "yes")
