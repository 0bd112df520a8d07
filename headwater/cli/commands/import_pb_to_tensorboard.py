"""Writes the graph of a file into an event file, which TensorBoard shows."""

from __future__ import annotations

import argparse

from headwater.serving.graph_tools.graph_events import import_to_tensorboard

HELP = "write the graph of a file for TensorBoard"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater import-pb-to-tensorboard`."""
    parser.add_argument("--model_dir", required=True, help="the file of a GraphDef, binary")
    parser.add_argument("--log_dir", required=True, help="the folder of the event file")


def execute(arguments: argparse.Namespace) -> int:
    """Writes the event file."""
    import_to_tensorboard(arguments.model_dir, arguments.log_dir)
    return 0
