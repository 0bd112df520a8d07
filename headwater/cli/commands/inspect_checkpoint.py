"""Prints the names, shapes and values of the tensors in a checkpoint."""

from __future__ import annotations

import argparse

from headwater.serving.graph_tools.inspect_checkpoint import print_tensors_in_checkpoint_file

HELP = "print what a checkpoint has"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater inspect-checkpoint`, those of inspect_checkpoint."""
    parser.add_argument("--file_name", required=True, help="the path of the checkpoint")
    parser.add_argument("--tensor_name", default="", help="the tensor to print")
    parser.add_argument("--all_tensors", action="store_true", help="print all tensors")
    parser.add_argument("--all_tensor_names", action="store_true", help="print all names")
    parser.add_argument(
        "--count_exclude_pattern", default="", help="a pattern for names that are not counted"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Prints it."""
    print_tensors_in_checkpoint_file(
        arguments.file_name,
        arguments.tensor_name,
        arguments.all_tensors,
        arguments.all_tensor_names,
        arguments.count_exclude_pattern,
    )
    return 0
