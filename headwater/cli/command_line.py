"""Finds the subcommands and hands the command line to one of them."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from headwater.base.version import __version__
from headwater.cli import commands

# Exit status of a command whose output nobody reads: 128 + SIGPIPE, as shells report it.
_BROKEN_PIPE = 141

DESCRIPTION = "Runs TensorFlow 1.x programs on XLA. `headwater PROGRAM` is `headwater run PROGRAM`."


def command_names() -> list[str]:
    """Returns the names of all subcommands, sorted."""
    modules = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))
    return [name.replace("_", "-") for name in modules]


def find_commands(names: Sequence[str] | None = None) -> dict[str, ModuleType]:
    """Imports subcommands.

    Args:
      names: their names; all by default.

    Returns:
      {name: module}.
    """
    return {
        name: importlib.import_module(f"{commands.__name__}.{name.replace('-', '_')}")
        for name in (command_names() if names is None else names)
    }


def make_parser(found: dict[str, ModuleType]) -> argparse.ArgumentParser:
    """Returns the parser of the whole command line, or of a part of its subcommands."""
    parser = argparse.ArgumentParser(prog="headwater", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, module in found.items():
        description = (module.__doc__ or "").strip()
        subparser = subparsers.add_parser(name, help=module.HELP, description=description)
        module.add_arguments(subparser)
        subparser.set_defaults(execute=module.execute)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line.

    Args:
      argv: the words after `headwater`, those of this process by default.

    Returns:
      The exit status.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    found = command_names()
    if words and words[0] not in found and (words[0][:1] != "-" or words[0] in ("-m", "-c")):
        if words[0][:1] != "-" and not Path(words[0]).suffix and not Path(words[0]).exists():
            sys.stderr.write(
                f"headwater: {words[0]!r} is neither a program nor a command. "
                f"Commands: {', '.join(found)}\n"
            )
            return 2
        words.insert(0, "run")
    # The help shows all subcommands; to run one, the others are not imported.
    wanted = words[:1] if words and words[0] in found else None
    arguments = make_parser(find_commands(wanted)).parse_args(words)
    try:
        status: int = arguments.execute(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Python flushes stdout once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    return status
