"""Shows, runs, scans and converts SavedModels: the options and output of saved_model_cli."""

from __future__ import annotations

import argparse
import sys

from headwater.base.errors import OpError
from headwater.serving.saved_model_cli.commands import add_commands
from headwater.serving.saved_model_cli.run import register_debugger

HELP = "show, run, scan or convert a SavedModel"

# What wrong input ends in; AssertionError for a folder that is not empty.
_ERRORS = (
    *(OpError, OSError, RuntimeError, ValueError, TypeError, NameError, AttributeError),
    AssertionError,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater saved-model`."""
    add_commands(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Runs one of its commands; what is wrong with its input goes to stderr."""
    if getattr(arguments, "tf_debug", False):
        # The debugger is loaded when it is asked for.
        from headwater.debug import LocalCLIDebugWrapperSession

        register_debugger(LocalCLIDebugWrapperSession)
    try:
        arguments.func(arguments)
    except BrokenPipeError:
        raise
    except _ERRORS as e:
        sys.stderr.write(f"{type(e).__name__}: {e}\n")
        return 1
    return 0
