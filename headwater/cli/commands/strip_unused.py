"""Leaves out of a graph what its outputs do not need, and makes placeholders of its inputs."""

from __future__ import annotations

import argparse

from headwater.base.dtypes import float32
from headwater.cli.flags import add_texts, add_truths
from headwater.serving.graph_tools.strip_unused import strip_unused_from_files

HELP = "cut a graph down to what its outputs need"

_FLAGS = (
    ("input_graph", "", "the file of a GraphDef"),
    ("output_graph", "", "the file to write"),
    ("input_node_names", "", "the nodes that become placeholders, separated by commas"),
    ("output_node_names", "", "the nodes that stay, separated by commas"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater strip-unused`, those of the original."""
    add_texts(parser, _FLAGS)
    add_truths(
        parser,
        (
            ("input_binary", False, "whether the input has the binary form"),
            ("output_binary", True, "whether the output gets it"),
        ),
    )
    parser.add_argument(
        "--placeholder_type_enum",
        type=int,
        default=float32.as_datatype_enum,
        help="the number of the type of the placeholders",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Writes the graph."""
    failed = strip_unused_from_files(
        arguments.input_graph,
        arguments.input_binary,
        arguments.output_graph,
        arguments.output_binary,
        arguments.input_node_names,
        arguments.output_node_names,
        arguments.placeholder_type_enum,
    )
    return 1 if failed else 0
