"""Prints the names, shapes and values of the tensors in a checkpoint."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from headwater.cli.flag_values import add_truth, truth
from headwater.serving.graph_tools.inspect_checkpoint import print_tensors_in_checkpoint_file

HELP = "print what a checkpoint has"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater inspect-checkpoint`, those of inspect_checkpoint."""
    parser.add_argument("--file_name", required=True, help="the path of the checkpoint")
    parser.add_argument("--tensor_name", default="", help="the tensor to print")
    add_truth(parser, "all_tensors", False, "print all tensors")
    add_truth(parser, "all_tensor_names", False, "print all names")
    parser.add_argument(
        "--count_exclude_pattern", default="", help="a pattern for names that are not counted"
    )
    parser.add_argument(
        "--printoptions",
        nargs="*",
        type=_option,
        default=(),
        help="arguments of numpy.set_printoptions, in the form k=v",
    )


def _option(text: str) -> tuple[str, Any]:
    """The name and the value of an option of NumPy.

    Raises:
        ArgumentTypeError: if it does not have the form k=v, or NumPy has no such option.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not in the form k=v.")
    present: dict[str, Any] = {**np.get_printoptions()}
    if name not in present:
        raise argparse.ArgumentTypeError(f"No value for argument {name}.")
    kind = type(present[name])
    try:
        return name, truth(value) if kind is bool else kind(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def execute(arguments: argparse.Namespace) -> int:
    """Prints it."""
    with np.printoptions(**dict(arguments.printoptions)):
        print_tensors_in_checkpoint_file(
            arguments.file_name,
            arguments.tensor_name,
            arguments.all_tensors,
            arguments.all_tensor_names,
            arguments.count_exclude_pattern,
        )
    return 0
