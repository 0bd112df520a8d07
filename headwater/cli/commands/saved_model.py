"""Shows, runs and scans SavedModels, with the options and the output of saved_model_cli."""

from __future__ import annotations

import argparse
import sys

from headwater.base.errors import OpError
from headwater.serving.saved_model_cli.commands import add_commands

HELP = "show, run or scan a SavedModel"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater saved-model`."""
    add_commands(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Runs one of its commands; what is wrong with its input goes to stderr."""
    try:
        arguments.func(arguments)
    except (OpError, OSError, RuntimeError, ValueError, TypeError, NameError, AttributeError) as e:
        sys.stderr.write(f"{type(e).__name__}: {e}\n")
        return 1
    return 0
