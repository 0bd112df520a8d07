"""The command line of SavedModels: its options, and what they do."""

from __future__ import annotations

import argparse
from typing import Any

from headwater.serving.saved_model_cli.convert import convert_saved_model
from headwater.serving.saved_model_cli.inputs import load_inputs_from_input_arg_string
from headwater.serving.saved_model_cli.run import run_saved_model_with_feed_dict
from headwater.serving.saved_model_cli.scan import scan_saved_model
from headwater.serving.saved_model_cli.show import (
    show_all,
    show_signature,
    show_signature_keys,
    show_tag_sets,
)

VERSION = "0.1.0"

_SHOW_EXAMPLES = """\
Examples:
  the tags of the graphs:         %(prog)s --dir DIR
  the signatures of a graph:      %(prog)s --dir DIR --tag_set serve
  inputs and outputs of one:      %(prog)s --dir DIR --tag_set serve --signature_def serving_default
  everything:                     %(prog)s --dir DIR --all
"""
_RUN_EXAMPLES = """\
Example:
  %(prog)s --dir DIR --tag_set serve --signature_def serving_default \\
      --inputs 'a=a.npz[x];b=b.npy' --input_exprs 'c=np.ones(2)' \\
      --input_examples 'd=[{"id": [26], "weights": [0.5, 0.5]}]' --outdir OUT
"""
_CONVERT_EXAMPLES = """\
Example:
  %(prog)s --dir DIR --tag_set serve --output_dir OUT tensorrt
"""


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Adds the commands to a parser; each sets `func`, which takes the arguments."""
    parser.add_argument("-v", "--version", action="version", version=VERSION)
    subparsers = parser.add_subparsers(
        title="commands", metavar="{show,run,scan,convert}", dest="command", required=True
    )
    _add_show(_subparser(subparsers, "show", "print what a SavedModel has", _SHOW_EXAMPLES))
    _add_run(_subparser(subparsers, "run", "compute the outputs of a signature", _RUN_EXAMPLES))
    _add_scan(_subparser(subparsers, "scan", "look for ops that read or write files", ""))
    _add_convert(
        _subparser(subparsers, "convert", "write a SavedModel without variables", _CONVERT_EXAMPLES)
    )


def create_parser() -> argparse.ArgumentParser:
    """Returns the parser of `saved_model_cli`."""
    parser = argparse.ArgumentParser(prog="saved_model_cli", description="Tool of SavedModels.")
    add_commands(parser)
    return parser


def _subparser(subparsers: Any, name: str, text: str, examples: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=text,
        description=text,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--dir", required=True, help="the folder of the SavedModel")
    return parser


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="print everything")
    parser.add_argument("--tag_set", help="the tags of a graph, separated by commas")
    parser.add_argument("--signature_def", metavar="SIGNATURE_DEF_KEY", help="key of a signature")
    parser.set_defaults(func=show)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tag_set", required=True, help="the tags of a graph, with commas between")
    parser.add_argument(
        "--signature_def", metavar="SIGNATURE_DEF_KEY", required=True, help="key of a signature"
    )
    parser.add_argument(
        "--inputs",
        default="",
        help="KEY=FILE or KEY=FILE[NAME], with semicolons between; "
        "the files are .npy, .npz or pickled",
    )
    parser.add_argument(
        "--input_exprs",
        default="",
        help="KEY=EXPRESSION, with semicolons between; Python, where np is NumPy",
    )
    parser.add_argument(
        "--input_examples",
        default="",
        help="KEY=[{FEATURE: [VALUE, ...], ...}, ...], with semicolons between, for tf.Examples",
    )
    parser.add_argument("--outdir", help="a folder for the outputs, as KEY.npy")
    parser.add_argument("--overwrite", action="store_true", help="replace files in it")
    parser.add_argument("--tf_debug", action="store_true", help="debug the run")
    parser.add_argument("--worker", help="the target of the session")
    parser.add_argument("--init_tpu", action="store_true", help="initialize TPUs")
    parser.set_defaults(func=run)


def _add_scan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tag_set", help="the tags of a graph, with commas between")
    parser.set_defaults(func=scan)


def _add_convert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output_dir", required=True, help="the folder of the new SavedModel")
    parser.add_argument("--tag_set", required=True, help="the tags of a graph, with commas between")
    methods = parser.add_subparsers(
        title="methods", metavar="{tensorrt}", dest="method", required=True
    )
    method = methods.add_parser(
        "tensorrt", help="make the variables constants; there is no TensorRT in Headwater"
    )
    method.add_argument(
        "--precision_mode", default="FP32", help="FP32, FP16 or INT8; has no effect"
    )
    for name, default in (
        ("max_batch_size", 1),
        ("max_workspace_size_bytes", 2 << 20),
        ("minimum_segment_size", 3),
    ):
        method.add_argument(f"--{name}", type=int, default=default, help="has no effect")
    method.add_argument("--is_dynamic_op", type=bool, default=False, help="has no effect")
    method.set_defaults(func=convert_with_tensorrt)


def show(args: argparse.Namespace) -> None:
    """Prints the tags of the graphs, the keys of signatures, one signature, or everything."""
    if args.all:
        show_all(args.dir)
    elif args.tag_set is None:
        show_tag_sets(args.dir)
    elif args.signature_def is None:
        show_signature_keys(args.dir, args.tag_set)
    else:
        show_signature(args.dir, args.tag_set, args.signature_def)


def run(args: argparse.Namespace) -> None:
    """Computes the outputs of a signature.

    Raises:
        AttributeError: if no inputs are given.
    """
    if not args.inputs and not args.input_exprs and not args.input_examples:
        raise AttributeError(
            "At least one of --inputs, --input_exprs or --input_examples must be required"
        )
    feeds = load_inputs_from_input_arg_string(args.inputs, args.input_exprs, args.input_examples)
    run_saved_model_with_feed_dict(
        args.dir,
        args.tag_set,
        args.signature_def,
        feeds,
        args.outdir,
        args.overwrite,
        worker=args.worker,
        init_tpu=args.init_tpu,
        tf_debug=args.tf_debug,
    )


def scan(args: argparse.Namespace) -> None:
    """Looks for ops of the blacklist."""
    scan_saved_model(args.dir, args.tag_set)


def convert_with_tensorrt(args: argparse.Namespace) -> None:
    """Writes a SavedModel whose variables are constants."""
    convert_saved_model(args.dir, args.output_dir, args.tag_set, args.precision_mode)


def main() -> int:
    """Runs the words after the program's name as a command."""
    args = create_parser().parse_args()
    args.func(args)
    return 0
