"""The arguments of the commands ``run``, ``print_feed``, ``run_info`` and ``invoke_stepper``."""

from __future__ import annotations

import argparse

from headwater.debug.cli import command_parser


def run_parser() -> argparse.ArgumentParser:
    """The parser of ``run``."""
    parser = argparse.ArgumentParser(
        description="Run this session.run(), watched unless an option says otherwise.",
        usage=argparse.SUPPRESS,
    )
    add = parser.add_argument
    add("-t", "--times", type=int, default=1, help="Watch only the last of so many runs.")
    add("-n", "--no_debug", action="store_true", help="Run without watches.")
    add(
        "-f",
        "--till_filter_pass",
        default="",
        help="Go on with runs until a dumped tensor passes the filter of this name.",
    )
    add(
        "-fenn",
        "--filter_exclude_node_names",
        default="",
        help="With -f: leave out nodes whose names match this regular expression.",
    )
    add(
        "--node_name_filter",
        default="",
        help="Watch only nodes whose names match this regular expression.",
    )
    add("--op_type_filter", default="", help="Watch only nodes of op types that match this.")
    add(
        "--tensor_dtype_filter",
        default="",
        help="Watch only tensors of types that match this: float32, int.*",
    )
    add("-p", "--profile", action="store_true", help="Measure the times of nodes instead.")
    return parser


def feed_parser() -> argparse.ArgumentParser:
    """The parser of ``print_feed``."""
    return command_parser.get_print_tensor_argparser("Print the value of a feed.")


def simple_parser(description: str) -> argparse.ArgumentParser:
    """The parser of a command without arguments.

    Args:
        description: what it does.
    """
    return argparse.ArgumentParser(description=description, usage=argparse.SUPPRESS)
