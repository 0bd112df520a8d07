"""Flags as the tools of TensorFlow have them."""

from __future__ import annotations

import argparse


def add_texts(parser: argparse.ArgumentParser, flags: tuple[tuple[str, str, str], ...]) -> None:
    """Declares flags with text values: (name, default, help)."""
    for name, default, text in flags:
        parser.add_argument(f"--{name}", default=default, help=text)


def add_truths(parser: argparse.ArgumentParser, flags: tuple[tuple[str, bool, str], ...]) -> None:
    """Declares flags that may be given alone, or as "true" or "false": (name, default, help)."""
    for name, default, text in flags:
        parser.add_argument(
            f"--{name}", nargs="?", const=True, type=_truth, default=default, help=text
        )


def _truth(text: str) -> bool:
    return text.lower() in ("true", "t", "1", "yes")
