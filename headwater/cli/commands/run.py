"""Runs a TensorFlow 1.x program, unmodified, the way `python PROGRAM` runs it."""

from __future__ import annotations

import argparse
import sys

from headwater.cli import command_line, program
from headwater.compat.install import install
from headwater.profiling.program_profile import DEFAULT_FILE, profile_this_process

HELP = "run a TensorFlow 1.x program"

# The tools of TensorFlow are commands here, most of them under their own names.
_TOOLS = "tensorflow.python.tools"
_OTHER_NAMES = {
    "tensorflow.contrib.learn.python.learn.utils.inspect_checkpoint": "inspect-checkpoint",
    "tensorflow.models.image.mnist.convolutional": "demo",
    "tensorflow.python.debug.cli.offline_analyzer": "debug",
    "tensorflow.python.tools.saved_model_cli": "saved-model",
    "tensorflow.tensorboard": "tensorboard",
    "tensorflow.tensorboard.tensorboard": "tensorboard",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater run`."""
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("-m", dest="kind", action="store_const", const="module", help="run a module")
    kind.add_argument("-c", dest="kind", action="store_const", const="code", help="run Python code")
    parser.add_argument(
        "--profile",
        action="store_true",
        help=f"print where the time went, and write a Chrome trace to {DEFAULT_FILE}",
    )
    parser.add_argument("program", help="a file, a module (after -m) or code (after -c)")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")


def execute(arguments: argparse.Namespace) -> int:
    """Runs the program; an exit status that it asks for by SystemExit is passed on."""
    if arguments.profile:
        profile_this_process()
    install()
    words = arguments.arguments
    try:
        if arguments.kind == "module":
            tool = _tool_of(arguments.program)
            if tool is not None:
                return command_line.main([tool, *words])
            return program.run_module(arguments.program, words)
        if arguments.kind == "code":
            return program.run_code(arguments.program, words)
        return program.run_file(arguments.program, words)
    except program.ProgramError as error:
        sys.stderr.write(f"headwater: {error}\n")
        return 2


def _tool_of(module: str) -> str | None:
    """The command that does what `python -m MODULE` did in TensorFlow, or None."""
    package, _, name = module.rpartition(".")
    command = _OTHER_NAMES.get(module) or name.replace("_", "-")
    is_tool = module in _OTHER_NAMES or package == _TOOLS
    return command if is_tool and command in command_line.command_names() else None
