"""Replaces the variables of a graph by constants with the values of a checkpoint."""

from __future__ import annotations

import argparse

from headwater.cli.flag_values import add_truth
from headwater.serving.graph_tools.freeze_graph import freeze_graph

HELP = "make a graph for inference of a graph and a checkpoint, or of a SavedModel"

_FLAGS = (
    ("input_graph", "", "the file of a GraphDef"),
    ("input_saver", "", "the file of a SaverDef"),
    ("input_checkpoint", "", "the path of a checkpoint"),
    ("output_graph", "", "the file to write"),
    ("output_node_names", "", "nodes that stay, separated by commas"),
    ("restore_op_name", "save/restore_all", "has no effect"),
    ("filename_tensor_name", "save/Const:0", "has no effect"),
    ("initializer_nodes", "", "nodes to run after restoring, separated by commas"),
    ("variable_names_whitelist", "", "the only variables that are replaced"),
    ("variable_names_blacklist", "", "variables that stay"),
    ("input_meta_graph", "", "the file of a MetaGraphDef"),
    ("input_saved_model_dir", "", "the folder of a SavedModel"),
    ("saved_model_tags", "serve", "the tags of its graph, separated by commas"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `headwater freeze-graph`, those of freeze_graph."""
    for name, default, text in _FLAGS:
        parser.add_argument(f"--{name}", default=default, help=text)
    parser.add_argument("--checkpoint_version", type=int, default=2, help="1 or 2")
    add_truth(parser, "input_binary", False, "whether the input files have the binary form")
    add_truth(parser, "clear_devices", True, "whether devices are left out")


def execute(arguments: argparse.Namespace) -> int:
    """Writes the graph, and prints how many nodes it has."""
    values = vars(arguments)
    names = ["input_binary", "clear_devices", "checkpoint_version", *(flag[0] for flag in _FLAGS)]
    graph_def = freeze_graph(**{name: values[name] for name in names})
    print(f"{len(graph_def.node)} ops in the final graph.")
    return 0
