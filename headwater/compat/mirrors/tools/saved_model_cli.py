"""tensorflow.python.tools.saved_model_cli."""

from __future__ import annotations

from headwater.serving.saved_model.tag_sets import get_meta_graph_def
from headwater.serving.saved_model_cli.commands import create_parser, main, run, scan, show
from headwater.serving.saved_model_cli.inputs import (
    load_inputs_from_input_arg_string,
    preprocess_input_examples_arg_string,
    preprocess_input_exprs_arg_string,
    preprocess_inputs_arg_string,
)
from headwater.serving.saved_model_cli.run import run_saved_model_with_feed_dict
from headwater.serving.saved_model_cli.scan import BLACKLIST as _OP_BLACKLIST
from headwater.serving.saved_model_cli.scan import scan_meta_graph_def
from headwater.serving.saved_model_cli.show import get_signature_def_map

__all__ = [
    "_OP_BLACKLIST",
    "create_parser",
    "get_meta_graph_def",
    "get_signature_def_map",
    "load_inputs_from_input_arg_string",
    "main",
    "preprocess_input_examples_arg_string",
    "preprocess_input_exprs_arg_string",
    "preprocess_inputs_arg_string",
    "run",
    "run_saved_model_with_feed_dict",
    "scan",
    "scan_meta_graph_def",
    "show",
]
