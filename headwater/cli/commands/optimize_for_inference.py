"""Makes a graph for inference simpler: no training nodes, folded batch normalizations."""

from __future__ import annotations

import argparse
import sys

from headwater.base.dtypes import float32
from headwater.cli.flag_values import add_truth
from headwater.graph.graph_util import write_graph
from headwater.io.atomic_file import write_atomically
from headwater.io.files import file_exists, folder_of
from headwater.serving.graph_tools.graph_files import read_graph_def
from headwater.serving.graph_tools.optimize_for_inference import optimize_for_inference

HELP = "simplify a graph for inference"

# The exit status of a tool whose main function returns -1.
_REFUSED = 255


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater optimize-for-inference`."""
    parser.add_argument("--input", default="", help="the file of a GraphDef")
    parser.add_argument("--output", default="", help="the file to write")
    parser.add_argument("--input_names", default="", help="names separated by commas")
    parser.add_argument("--output_names", default="", help="names separated by commas")
    add_truth(parser, "frozen_graph", True, "whether the files have the binary form")
    parser.add_argument(
        "--placeholder_type_enum",
        type=_types,
        default=float32.as_datatype_enum,
        help="the DataType of the placeholders, or one for each, separated by commas",
    )
    add_truth(parser, "toco_compatible", False, "whether nothing is fused")


def _types(text: str) -> int | list[int]:
    types = [int(part) for part in text.split(",")]
    return types if len(types) > 1 else types[0]


def execute(arguments: argparse.Namespace) -> int:
    """Writes the graph."""
    if not file_exists(arguments.input):
        sys.stdout.write(f"Input graph file '{arguments.input}' does not exist!\n")
        return _REFUSED
    result = optimize_for_inference(
        read_graph_def(arguments.input, arguments.frozen_graph),
        arguments.input_names.split(","),
        arguments.output_names.split(","),
        arguments.placeholder_type_enum,
        arguments.toco_compatible,
    )
    if arguments.frozen_graph:
        write_atomically(arguments.output, result.SerializeToString())
    else:
        folder = folder_of(arguments.output)
        write_graph(result, folder, arguments.output[len(folder) :].lstrip("/"))
    return 0
