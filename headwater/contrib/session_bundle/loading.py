"""`tf.contrib.session_bundle.session_bundle`: reads exports of the Exporter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.contrib.session_bundle.names import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    INIT_OP_KEY,
    META_GRAPH_DEF_FILENAME,
    VARIABLES_FILENAME,
    VARIABLES_FILENAME_PATTERN,
    VARIABLES_INDEX_FILENAME_V2,
)
from headwater.graph import get_default_graph
from headwater.io.files import file_exists, is_file, join_path
from headwater.io.matching import matching_names
from headwater.protos.any_values import unpacked
from headwater.protos.lazy import manifest_pb2
from headwater.session.session import Session
from headwater.train.checkpoints.meta_graph import read_meta_graph
from headwater.train.checkpoints.saver import import_meta_graph

if TYPE_CHECKING:
    from headwater.protos.config_pb2 import ConfigProto
    from headwater.protos.meta_graph_pb2 import MetaGraphDef

_MODULE = "contrib.session_bundle.session_bundle"


@export(f"{_MODULE}.maybe_session_bundle_dir")
def maybe_session_bundle_dir(export_dir: Any) -> bool:
    """Whether a folder has an export of the Exporter.

    Args:
        export_dir: the folder.

    Returns:
        A bool.
    """
    return is_file(join_path(export_dir, META_GRAPH_DEF_FILENAME))


@export(f"{_MODULE}.load_session_bundle_from_path")
def load_session_bundle_from_path(
    export_dir: Any,
    target: str = "",
    config: ConfigProto | None = None,
    meta_graph_def: MetaGraphDef | None = None,
) -> tuple[Session, MetaGraphDef]:
    """Adds an export to the default graph, restores its variables and runs its init operation.

    Args:
        export_dir: the folder of the export.
        target: the target of the session.
        config: a ConfigProto.
        meta_graph_def: the MetaGraphDef, if it is not that of the export.

    Returns:
        A Session, and the MetaGraphDef.

    Raises:
        RuntimeError: if there is no export, or it has several init operations.
    """
    if not meta_graph_def:
        path = join_path(export_dir, META_GRAPH_DEF_FILENAME)
        if not file_exists(path):
            raise RuntimeError(f"Expected meta graph file missing {path}")
        meta_graph_def = read_meta_graph(path)
    session = Session(target, graph=None, config=config)
    saver = import_meta_graph(meta_graph_def)
    variables = _variables_in(export_dir)
    if saver is not None and variables is not None:
        saver.restore(session, variables)
    init_op = _init_op_of(meta_graph_def)
    if init_op is not None:
        session.run([init_op], _asset_feeds(export_dir, meta_graph_def))
    return session, meta_graph_def


def _variables_in(export_dir: Any) -> str | None:
    """The path of the checkpoint in an export of either format, or None."""
    if file_exists(join_path(export_dir, VARIABLES_INDEX_FILENAME_V2)):
        return join_path(export_dir, VARIABLES_FILENAME)
    whole = join_path(export_dir, VARIABLES_FILENAME)
    pattern = join_path(export_dir, VARIABLES_FILENAME_PATTERN)
    if matching_names(pattern):
        return pattern
    return whole if file_exists(whole) else None


def _init_op_of(meta_graph: MetaGraphDef) -> Any:
    if INIT_OP_KEY not in meta_graph.collection_def:
        return None
    ops = meta_graph.collection_def[INIT_OP_KEY].node_list.value
    if len(ops) != 1:
        raise RuntimeError(f"Expected exactly one serving init op in : {meta_graph}")
    return get_default_graph().as_graph_element(ops[0])


def _asset_feeds(export_dir: Any, meta_graph: MetaGraphDef) -> dict[str, str]:
    if ASSETS_KEY not in meta_graph.collection_def:
        return {}
    values = meta_graph.collection_def[ASSETS_KEY].any_list.value
    folder = join_path(export_dir, ASSETS_DIRECTORY)
    assets = [unpacked(value, manifest_pb2.AssetFile) for value in values]
    return {
        asset.tensor_binding.tensor_name: join_path(folder, asset.filename)
        for asset in assets
        if asset is not None
    }
