"""`convert`: a SavedModel whose variables are constants.

TensorFlow's `convert ... tensorrt` freezes the graph and then hands what TensorRT can compute to
it; a TensorFlow without TensorRT leaves it at freezing, and so does Headwater, where XLA compiles
the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from headwater.base import errors, logging
from headwater.graph import Graph
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.graph_util import convert_variables_to_constants, node_name
from headwater.io.files import copy_file, is_folder, join_path, names_in
from headwater.protos.lazy import saved_model_pb2
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.files import (
    get_assets_dir,
    get_or_create_assets_dir,
    get_or_create_variables_dir,
    make_export_folder,
    write_saved_model,
)
from headwater.serving.saved_model.loader import SavedModelLoader
from headwater.session.session import Session

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.meta_graph_pb2 import MetaGraphDef, SignatureDef

PRECISIONS: Final = ("FP32", "FP16", "INT8")
# What a graph without variables still needs; each names nodes or files.
_INITIALIZERS: Final = (
    constants.MAIN_OP_KEY,
    constants.LEGACY_INIT_OP_KEY,
    GraphKeys.TABLE_INITIALIZERS,
)
_KEPT: Final = (*_INITIALIZERS, constants.ASSETS_KEY)


def convert_saved_model(
    saved_model_dir: Any, output_dir: Any, tag_set: str, precision_mode: str = "FP32"
) -> None:
    """Writes a SavedModel with the signature `serving_default` of another one, without variables.

    Args:
        saved_model_dir: the folder of the SavedModel.
        output_dir: the folder of the new one, which must be new or empty.
        tag_set: all tags of the graph, separated by commas.
        precision_mode: FP32, FP16 or INT8, in capitals or not; has no effect.

    Raises:
        ValueError: if there is no such precision.
        OSError: if there is no SavedModel, or it cannot be parsed.
        RuntimeError: if it has no graph with these tags.
        InvalidArgumentError: if it has no such signature.
        AssertionError: if something is in the folder of the new one.
    """
    known = [*PRECISIONS, *map(str.lower, PRECISIONS)]
    if precision_mode not in known:
        raise ValueError(
            f"precision mode '{precision_mode}' is not supported.It should be one of {known}"
        )
    key = constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    with Session(graph=Graph()) as session:
        meta_graph = SavedModelLoader(saved_model_dir).load(session, tag_set.split(","))
        if key not in meta_graph.signature_def:
            raise errors.InvalidArgumentError(
                None,
                None,
                "Failed to import metagraph, check error log for more info.",
                hint=f"The graph has no signature {key}.",
            )
        make_export_folder(output_dir)
        nodes = _needed_nodes(meta_graph, meta_graph.signature_def[key])
        frozen = convert_variables_to_constants(session, meta_graph.graph_def, nodes)
    proto = saved_model_pb2.SavedModel(
        saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION
    )
    proto.meta_graphs.append(_frozen_meta_graph(meta_graph, frozen, key))
    get_or_create_variables_dir(output_dir)
    _copy_assets(saved_model_dir, output_dir)
    path = write_saved_model(proto, output_dir, as_text=False)
    logging.warning(
        "Headwater has no TensorRT: in %s the variables are constants, and XLA compiles the graph.",
        path,
    )


def _needed_nodes(meta_graph: MetaGraphDef, signature: SignatureDef) -> list[str]:
    """The nodes of a signature and the initializers of a graph."""
    infos = (*signature.inputs.values(), *signature.outputs.values())
    names = [name for info in infos for name in (info.name, *_sparse_names(info)) if name]
    for key in _INITIALIZERS:
        if key in meta_graph.collection_def:
            names += meta_graph.collection_def[key].node_list.value
    return list(dict.fromkeys(map(node_name, names)))


def _sparse_names(info: Any) -> tuple[str, ...]:
    sparse = info.coo_sparse
    return (
        sparse.values_tensor_name,
        sparse.indices_tensor_name,
        sparse.dense_shape_tensor_name,
    )


def _frozen_meta_graph(meta_graph: MetaGraphDef, graph_def: GraphDef, key: str) -> MetaGraphDef:
    frozen = type(meta_graph)(meta_info_def=meta_graph.meta_info_def, graph_def=graph_def)
    frozen.signature_def[key].CopyFrom(meta_graph.signature_def[key])
    for name in _KEPT:
        if name in meta_graph.collection_def:
            frozen.collection_def[name].CopyFrom(meta_graph.collection_def[name])
    frozen.asset_file_def.extend(meta_graph.asset_file_def)
    return frozen


def _copy_assets(source: Any, target: Any) -> None:
    folder = get_assets_dir(source)
    if is_folder(folder):
        new_folder = get_or_create_assets_dir(target)
        for name in names_in(folder):
            copy_file(join_path(folder, name), join_path(new_folder, name))
