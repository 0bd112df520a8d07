"""Starts TensorBoard; all arguments are its own: `headwater tensorboard --logdir DIR`.

Where TensorBoard asks TensorFlow for something, as its projector does for checkpoints, Headwater
answers.
"""

from __future__ import annotations

import argparse

from headwater.compat.install import install

HELP = "show event files in a browser: headwater tensorboard --logdir DIR"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares that the arguments are handed on, `--help` included."""
    parser.prefix_chars = ""  # nothing is an option of this parser
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what TensorBoard gets")


def execute(arguments: argparse.Namespace) -> int:
    """Runs TensorBoard until it is interrupted."""
    install()
    # They take a second to load; other commands do not need them.
    from tensorboard import default, main_lib, program

    main_lib.global_init()
    board = program.TensorBoard(plugins=default.get_plugins())
    board.configure(argv=["tensorboard", *arguments.arguments])
    status: int = board.main()
    return status
