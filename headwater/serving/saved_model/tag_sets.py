"""Graphs of SavedModels found by tags in one string, as tools take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.io.files import path_text
from headwater.serving.saved_model.files import (
    maybe_saved_model_directory,
    meta_graph_with_tags,
    parse_saved_model,
)

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saved_model_pb2 import SavedModel


def read_saved_model(saved_model_dir: Any) -> SavedModel:
    """Reads the proto of a SavedModel.

    Args:
        saved_model_dir: the folder.

    Returns:
        A SavedModel.

    Raises:
        OSError: if there is none, or it cannot be parsed.
    """
    if not maybe_saved_model_directory(saved_model_dir):
        raise OSError(f"SavedModel file does not exist at: {path_text(saved_model_dir)}")
    return parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir: Any) -> list[list[str]]:
    """Returns the tags of each graph of a SavedModel.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
    """
    proto = read_saved_model(saved_model_dir)
    return [list(meta_graph.meta_info_def.tags) for meta_graph in proto.meta_graphs]


def get_meta_graph_def(saved_model_dir: Any, tag_set: str) -> MetaGraphDef:
    """Finds a graph of a SavedModel.

    Args:
        saved_model_dir: the folder.
        tag_set: all of its tags, separated by commas.

    Returns:
        A MetaGraphDef.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
        RuntimeError: if it has no graph with these tags.
    """
    found = meta_graph_with_tags(read_saved_model(saved_model_dir), tag_set.split(","))
    if found is None:
        raise RuntimeError(
            f"MetaGraphDef associated with tag-set {tag_set} could not be found in SavedModel"
        )
    return found
