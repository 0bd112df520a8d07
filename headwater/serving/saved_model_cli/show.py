"""`show`: what a SavedModel has, as text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from headwater.protos.lazy import types_pb2
from headwater.serving.saved_model.tag_sets import (
    get_meta_graph_def,
    get_saved_model_tag_sets,
    read_saved_model,
)
from headwater.serving.saved_model_cli.defined_functions import defined_functions

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef, SignatureDef, TensorInfo
    from headwater.protos.tensor_shape_pb2 import TensorShapeProto


def write(text: str) -> None:
    """Writes a line to what is stdout now."""
    sys.stdout.write(f"{text}\n")


def get_signature_def_map(saved_model_dir: Any, tag_set: str) -> Any:
    """Returns the signatures of a graph by their keys.

    Args:
        saved_model_dir: the folder of the SavedModel.
        tag_set: all tags of the graph, separated by commas.

    Returns:
        SignatureDefs by their keys.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
        RuntimeError: if it has no graph with these tags.
    """
    return get_meta_graph_def(saved_model_dir, tag_set).signature_def


def show_tag_sets(saved_model_dir: Any) -> None:
    """Prints the tags of all graphs."""
    tag_sets = get_saved_model_tag_sets(saved_model_dir)
    write("The given SavedModel contains the following tag-sets:")
    for tags in sorted(tag_sets):
        write(", ".join(sorted(tags)))


def show_signature_keys(saved_model_dir: Any, tag_set: str) -> None:
    """Prints the keys of the signatures of a graph."""
    keys = sorted(get_signature_def_map(saved_model_dir, tag_set))
    write("The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:")
    for key in keys:
        write(f'SignatureDef key: "{key}"')


def show_signature(saved_model_dir: Any, tag_set: str, key: str) -> None:
    """Prints the inputs and outputs of a signature; of an empty one if there is none."""
    _write_signature(signature_of(get_meta_graph_def(saved_model_dir, tag_set), key), "")


def signature_of(meta_graph: MetaGraphDef, key: str) -> SignatureDef:
    """Returns a signature of a graph; an empty one if there is none."""
    return meta_graph.signature_def[key]


def show_all(saved_model_dir: Any) -> None:
    """Prints all signatures of all graphs, and the functions of a model with objects."""
    for tags in sorted(get_saved_model_tag_sets(saved_model_dir)):
        write(
            f"\nMetaGraphDef with tag-set: '{', '.join(tags)}' contains the following "
            "SignatureDefs:"
        )
        signatures = get_signature_def_map(saved_model_dir, ",".join(tags))
        for key in sorted(signatures):
            write(f"\nsignature_def['{key}']:")
            _write_signature(signatures[key], "  ")
    for line in defined_functions(read_saved_model(saved_model_dir).meta_graphs[0]):
        write(line)


def _write_signature(signature: SignatureDef, indent: str) -> None:
    for kind, infos in (("input", signature.inputs), ("output", signature.outputs)):
        write(f"{indent}The given SavedModel SignatureDef contains the following {kind}(s):")
        for key in sorted(infos):
            write(f"{indent}  {kind}s['{key}'] tensor_info:")
            _write_tensor_info(infos[key], f"{indent}      ")
    write(f"{indent}Method name is: {signature.method_name}")


def _write_tensor_info(info: TensorInfo, indent: str) -> None:
    write(f"{indent}dtype: {types_pb2.DataType.Name(info.dtype)}")
    write(f"{indent}shape: {_shape_text(info.tensor_shape)}")
    write(f"{indent}name: {info.name}")


def _shape_text(shape: TensorShapeProto) -> str:
    if shape.unknown_rank:
        return "unknown_rank"
    return f"({', '.join(str(dim.size) for dim in shape.dim)})"
