"""`TransformGraph`: applies transforms, which a text names, to a GraphDef."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from headwater.base import logging
from headwater.base.errors import InternalError, OpError
from headwater.io.atomic_file import write_atomically
from headwater.protos.lazy import graph_pb2
from headwater.serving.graph_tools.graph_files import read_graph_def
from headwater.serving.graph_tools.transforms.backports import (
    backport_concatv2,
    backport_tensor_array_v3,
)
from headwater.serving.graph_tools.transforms.batch_norms import (
    fold_batch_norms,
    fold_old_batch_norms,
)
from headwater.serving.graph_tools.transforms.constant_folding import fold_constants
from headwater.serving.graph_tools.transforms.context import Context, refuse
from headwater.serving.graph_tools.transforms.convolutions import (
    flatten_atrous_conv,
    fuse_pad_and_conv,
    fuse_resize_and_conv,
    fuse_resize_pad_and_conv,
)
from headwater.serving.graph_tools.transforms.frozen_ranges import freeze_requantization_ranges
from headwater.serving.graph_tools.transforms.gathers import sparsify_gather
from headwater.serving.graph_tools.transforms.logging_nodes import insert_logging
from headwater.serving.graph_tools.transforms.names import (
    add_default_attributes,
    obfuscate_names,
    remove_attribute,
    remove_device,
    rename_attribute,
    rename_op,
    set_device,
)
from headwater.serving.graph_tools.transforms.node_names import node_of
from headwater.serving.graph_tools.transforms.ordering import sort_by_execution_order
from headwater.serving.graph_tools.transforms.parsing import TransformCall, parse_transforms
from headwater.serving.graph_tools.transforms.quantized_nodes import quantize_nodes
from headwater.serving.graph_tools.transforms.structure import (
    merge_duplicate_nodes,
    remove_control_dependencies,
    remove_nodes,
    strip_unused_nodes,
)
from headwater.serving.graph_tools.transforms.weights import quantize_weights, round_weights

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef

TRANSFORMS: dict[str, Callable[[GraphDef, Context], GraphDef]] = {
    "add_default_attributes": add_default_attributes,
    "backport_concatv2": backport_concatv2,
    "backport_tensor_array_v3": backport_tensor_array_v3,
    "flatten_atrous_conv": flatten_atrous_conv,
    "fold_batch_norms": fold_batch_norms,
    "fold_constants": fold_constants,
    "fold_old_batch_norms": fold_old_batch_norms,
    "freeze_requantization_ranges": freeze_requantization_ranges,
    "fuse_pad_and_conv": fuse_pad_and_conv,
    "fuse_resize_and_conv": fuse_resize_and_conv,
    "fuse_resize_pad_and_conv": fuse_resize_pad_and_conv,
    "insert_logging": insert_logging,
    "merge_duplicate_nodes": merge_duplicate_nodes,
    "obfuscate_names": obfuscate_names,
    "quantize_nodes": quantize_nodes,
    "quantize_weights": quantize_weights,
    "remove_attribute": remove_attribute,
    "remove_control_dependencies": remove_control_dependencies,
    "remove_device": remove_device,
    "remove_nodes": remove_nodes,
    "rename_attribute": rename_attribute,
    "rename_op": rename_op,
    "round_weights": round_weights,
    "set_device": set_device,
    "sort_by_execution_order": sort_by_execution_order,
    "sparsify_gather": sparsify_gather,
    "strip_unused_nodes": strip_unused_nodes,
}


def TransformGraph(
    input_graph_def: GraphDef,
    inputs: Sequence[str],
    outputs: Sequence[str],
    transforms: Sequence[str],
) -> GraphDef:
    """Applies transforms to a graph.

    Args:
        input_graph_def: a GraphDef, which is not changed.
        inputs: names of the nodes that will be fed.
        outputs: names of the nodes that will be fetched.
        transforms: names of transforms with their parameters, such as
            `"strip_unused_nodes(type=float, shape=\"1,299,299,3\")"`. Each has the parameter
            `ignore_errors`, with which a transform that fails has no effect.

    Returns:
        A GraphDef.

    Raises:
        InvalidArgumentError: if a transform is unknown or its parameters are wrong.
        InternalError: if a node has an input that does not exist.
    """
    result: GraphDef = graph_pb2.GraphDef()
    result.ParseFromString(input_graph_def.SerializeToString())
    names = [[name for name in ",".join(part).split(",") if name] for part in (inputs, outputs)]
    calls = parse_transforms(" ".join(transforms))
    for call in calls:
        result = _applied(result, call, *names)
    return result


def _applied(
    graph_def: GraphDef, call: TransformCall, inputs: list[str], outputs: list[str]
) -> GraphDef:
    if call.name not in TRANSFORMS:
        raise refuse(f"Transform '{call.name}' not recognized.")
    ignore_errors = (call.parameters.get("ignore_errors") or ["false"])[0].lower()
    if ignore_errors not in ("true", "false"):
        raise refuse(f"ignore_errors should be true or false, found {ignore_errors}")
    try:
        result = TRANSFORMS[call.name](graph_def, Context(inputs, outputs, call.parameters))
    except OpError as error:
        if ignore_errors == "false":
            raise
        logging.error("%s: Ignoring error %s", call.name, error.message)
        result = graph_def
    _check_inputs(result)
    return result


def _check_inputs(graph_def: GraphDef) -> None:
    names = {node.name for node in graph_def.node}
    for node in graph_def.node:
        if any(node_of(text) not in names for text in node.input):
            raise InternalError(
                None, None, "Invalid graph with inputs referring to nonexistent nodes"
            )


def transform_graph_file(
    in_graph: str, out_graph: str, inputs: str, outputs: str, transforms: str
) -> GraphDef:
    """`TransformGraph` on files.

    Args:
        in_graph: the file of a GraphDef, in binary or text form.
        out_graph: the file to write.
        inputs: names separated by commas.
        outputs: names separated by commas.
        transforms: transforms separated by spaces.

    Returns:
        The GraphDef that was written, in the binary form.

    Raises:
        OSError: if the file does not exist.
    """
    graph_def = read_graph_def(in_graph, binary=not in_graph.endswith(("txt", "text")))
    result = TransformGraph(graph_def, inputs.split(","), outputs.split(","), [transforms])
    write_atomically(out_graph, result.SerializeToString())
    return result
