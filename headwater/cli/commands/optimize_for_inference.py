"""Leaves out of a graph what only training needs, and folds batch normalizations."""

from __future__ import annotations

import argparse

from headwater.base.dtypes import float32
from headwater.cli.flags import add_texts, add_truths
from headwater.serving.graph_tools.graph_files import read_graph_def, write_graph_def
from headwater.serving.graph_tools.optimize_for_inference import optimize_for_inference

HELP = "simplify a frozen graph"

_FLAGS = (
    ("input", "", "the file of a GraphDef"),
    ("output", "", "the file to write"),
    ("input_names", "", "the nodes that become placeholders, separated by commas"),
    ("output_names", "", "the nodes that stay, separated by commas"),
    (
        "placeholder_type_enum",
        str(float32.as_datatype_enum),
        "the number of the type of the placeholders, or one for each, separated by commas",
    ),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater optimize-for-inference`, those of the original."""
    add_texts(parser, _FLAGS)
    add_truths(
        parser,
        (
            ("frozen_graph", True, "whether the files have the binary form"),
            ("toco_compatible", False, "whether no ops are joined to new ones"),
        ),
    )


def execute(arguments: argparse.Namespace) -> int:
    """Writes the graph."""
    types = [int(number) for number in arguments.placeholder_type_enum.split(",")]
    graph_def = optimize_for_inference(
        read_graph_def(arguments.input, binary=arguments.frozen_graph),
        arguments.input_names.split(","),
        arguments.output_names.split(","),
        types if len(types) > 1 else types[0],
        arguments.toco_compatible,
    )
    write_graph_def(graph_def, arguments.output, binary=arguments.frozen_graph)
    return 0
