"""Applies transforms, such as `fold_constants(ignore_errors=true)`, to the graph in a file."""

from __future__ import annotations

import argparse

from headwater.serving.graph_tools.transforms.transform_graph import transform_graph_file

HELP = "rewrite a graph in a file by named transforms"

_FLAGS = (
    ("in_graph", "the file of a GraphDef; text if its name ends in txt"),
    ("out_graph", "the file to write"),
    ("inputs", "the nodes that will be fed, separated by commas"),
    ("outputs", "the nodes that will be fetched, separated by commas"),
    ("transforms", "names of transforms with parameters, separated by spaces"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater transform-graph`, those of transform_graph."""
    for name, text in _FLAGS:
        parser.add_argument(f"--{name}", required=name.endswith("_graph"), default="", help=text)


def execute(arguments: argparse.Namespace) -> int:
    """Writes the graph, and prints how many nodes it has."""
    values = vars(arguments)
    graph_def = transform_graph_file(**{name: values[name] for name, _ in _FLAGS})
    print(f"{len(graph_def.node)} ops in the final graph.")
    return 0
