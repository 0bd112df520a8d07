"""Prints the names, shapes and values of the tensors in a checkpoint."""

from __future__ import annotations

import argparse
import ast
from typing import Any

import numpy as np

from headwater.cli.flags import add_texts, add_truths
from headwater.serving.graph_tools.inspect_checkpoint import print_tensors_in_checkpoint_file

HELP = "print what a checkpoint has"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater inspect-checkpoint`, those of inspect_checkpoint."""
    parser.add_argument("--file_name", required=True, help="the path of the checkpoint")
    add_texts(
        parser,
        (
            ("tensor_name", "", "the tensor to print"),
            ("count_exclude_pattern", "", "a pattern for names that are not counted"),
        ),
    )
    add_truths(
        parser,
        (
            ("all_tensors", False, "print all tensors"),
            ("all_tensor_names", False, "print all names"),
        ),
    )
    parser.add_argument(
        "--printoptions", nargs="*", default=[], help="options of numpy.set_printoptions: k=v"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Prints it."""
    options = (option.partition("=") for option in arguments.printoptions)
    with np.printoptions(**{name: _value(text) for name, _, text in options}):
        print_tensors_in_checkpoint_file(
            arguments.file_name,
            arguments.tensor_name,
            arguments.all_tensors,
            arguments.all_tensor_names,
            arguments.count_exclude_pattern,
        )
    return 0


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
