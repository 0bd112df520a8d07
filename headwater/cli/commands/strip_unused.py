"""Leaves out what a graph has beside the way from given inputs to given outputs."""

from __future__ import annotations

import argparse

from headwater.base.dtypes import float32
from headwater.cli.flag_values import add_truth
from headwater.serving.graph_tools.strip_unused import strip_unused_from_files

HELP = "make a graph of what lies between given nodes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater strip-unused`, those of strip_unused."""
    parser.add_argument("--input_graph", default="", help="the file of a GraphDef")
    add_truth(parser, "input_binary", False, "whether it has the binary form")
    parser.add_argument("--output_graph", default="", help="the file to write")
    add_truth(parser, "output_binary", True, "whether it gets the binary form")
    parser.add_argument("--input_node_names", default="", help="names separated by commas")
    parser.add_argument("--output_node_names", default="", help="names separated by commas")
    parser.add_argument(
        "--placeholder_type_enum",
        type=int,
        default=float32.as_datatype_enum,
        help="the DataType of the placeholders",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Writes the graph, and prints how many nodes it has, or what is wrong."""
    strip_unused_from_files(
        arguments.input_graph,
        arguments.input_binary,
        arguments.output_graph,
        arguments.output_binary,
        arguments.input_node_names,
        arguments.output_node_names,
        arguments.placeholder_type_enum,
    )
    return 0
