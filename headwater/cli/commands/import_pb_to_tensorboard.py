"""Writes the graph of a file into an event file, for TensorBoard to show."""

from __future__ import annotations

import argparse

from headwater.serving.graph_tools.graph_events import import_to_tensorboard

HELP = "let TensorBoard show the graph of a file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater import-pb-to-tensorboard`, those of the original."""
    parser.add_argument("--model_dir", required=True, help="the file of a GraphDef, in binary form")
    parser.add_argument("--log_dir", required=True, help="the folder of the event file")


def execute(arguments: argparse.Namespace) -> int:
    """Writes the event file."""
    import_to_tensorboard(arguments.model_dir, arguments.log_dir)
    return 0
