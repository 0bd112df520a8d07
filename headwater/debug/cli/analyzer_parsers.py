"""The arguments of the commands that look at a dump."""

from __future__ import annotations

import argparse

from headwater.debug.cli import command_parser
from headwater.debug.cli.cli_config import CLIConfig

NODE = "The node, or an output of it: hidden1/MatMul, hidden1/MatMul:0"


def make_parsers(config: CLIConfig) -> dict[str, argparse.ArgumentParser]:
    """The parsers by the name of the command.

    Args:
        config: the settings, which have the depth of the trees of nodes.
    """
    return {
        "list_tensors": _list_tensors(),
        "node_info": _node_info(),
        "list_inputs": _neighbors("the nodes whose outputs a node takes", "Inputs", config),
        "list_outputs": _neighbors("the nodes that take the outputs of a node", "Outputs", config),
        "list_source": _list_source(),
        "print_source": _print_source(),
        "print_tensor": command_parser.get_print_tensor_argparser(
            "Print the value of a dumped tensor."
        ),
        "eval": _evaluate(),
    }


def _parser(description: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(description=description, usage=argparse.SUPPRESS)


def _list_tensors() -> argparse.ArgumentParser:
    parser = _parser("List the dumped tensors.")
    add = parser.add_argument
    add(
        "-f",
        "--tensor_filter",
        default="",
        help="List only tensors for which the filter of this name is true.",
    )
    add(
        "-fenn",
        "--filter_exclude_node_names",
        default="",
        help="With -f: leave out nodes whose names match this regular expression.",
    )
    add("-n", "--node_name_filter", default="", help="A regular expression of node names.")
    add("-t", "--op_type_filter", default="", help="A regular expression of op types.")
    add(
        "-s",
        "--sort_by",
        default="timestamp",
        help="Sort by this column: timestamp, dump_size, op_type or tensor_name.",
    )
    add("-r", "--reverse", action="store_true", help="Sort in descending order.")
    return parser


def _node_info() -> argparse.ArgumentParser:
    parser = _parser("Show what a node is and what it is connected with.")
    add = parser.add_argument
    add("node_name", help=NODE)
    add("-a", "--attributes", action="store_true", help="Show its attributes.")
    add("-d", "--dumps", action="store_true", help="Show its dumps.")
    add("-t", "--traceback", action="store_true", help="Show the lines of Python that made it.")
    return parser


def _neighbors(description: str, what: str, config: CLIConfig) -> argparse.ArgumentParser:
    parser = _parser(f"List {description}.")
    add = parser.add_argument
    add("node_name", help=NODE)
    add("-c", "--control", action="store_true", help="Include control edges.")
    add(
        "-d",
        "--depth",
        type=int,
        default=config.get("graph_recursion_depth"),
        help="With -r: how deep the tree is.",
    )
    add("-r", "--recursive", action="store_true", help=f"{what} of these nodes too, as a tree.")
    add("-t", "--op_type", action="store_true", help="Show op types.")
    return parser


def _list_source() -> argparse.ArgumentParser:
    parser = _parser("List the source files that made the nodes of the run.")
    add = parser.add_argument
    add("-p", "--path_filter", default="", help="A regular expression of paths.")
    add("-n", "--node_name_filter", default="", help="A regular expression of node names.")
    return parser


def _print_source() -> argparse.ArgumentParser:
    parser = _parser("Print a source file with the nodes or tensors that its lines made.")
    add = parser.add_argument
    add("source_file_path", help="The file.")
    add("-t", "--tensors", action="store_true", help="Show dumped tensors instead of nodes.")
    add(
        "-m",
        "--max_elements_per_line",
        type=int,
        default=10,
        help="How many nodes or tensors are shown for a line.",
    )
    add("-b", "--line_begin", type=int, default=1, help="The line to begin at, from 1.")
    return parser


def _evaluate() -> argparse.ArgumentParser:
    parser = _parser(
        "Evaluate an expression of Python with NumPy as np. Dumped tensors stand in backticks; an "
        'expression with spaces stands in quotes: eval "np.argmax(`Softmax:0`, axis=1)"'
    )
    add = parser.add_argument
    add(
        "expression",
        help="The expression. A tensor is [DEVICE:]NODE:OUTPUT[:DEBUG_OP][[NUMBER]]; the debug op "
        "is DebugIdentity by default, and NUMBER says which of several dumps: a/Tanh:0[1]",
    )
    add("-a", "--all", dest="print_all", action="store_true", help="Print all elements.")
    add(
        "-w",
        "--write_path",
        default="",
        help="Write the value to this file with numpy.save().",
    )
    return parser
