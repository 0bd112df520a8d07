"""Assets: files that a graph reads, copied into the SavedModel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, logging
from headwater.graph import Tensor
from headwater.graph.constant_value import constant_value
from headwater.graph.scope_names import prepend_name_scope
from headwater.io.files import copy_file, file_exists, join_path, name_of
from headwater.protos.any_values import unpacked
from headwater.protos.lazy import meta_graph_pb2
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.files import get_assets_dir, get_or_create_assets_dir

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import AssetFileDef, MetaGraphDef


class AssetFiles:
    """The files of the assets of a graph, and their names in the SavedModel."""

    def __init__(self) -> None:
        # The name in the folder of assets -> the path of the original.
        self.paths: dict[str, str] = {}
        # For each tensor, in its order, the name of its file.
        self.tensors: list[tuple[str, Tensor]] = []

    def add(self, tensors: Iterable[Tensor] | None) -> None:
        """Takes the files that constants name.

        Args:
            tensors: string constants with one path each; None for no assets at all.

        Raises:
            TypeError: if something is not a string constant, or has more than one string.
            ValueError: if a path is empty.
        """
        if tensors is None:
            logging.info("No assets to save.")
            return
        for tensor in tensors:
            path = asset_path_of(tensor)
            if not path:
                raise ValueError(f"Invalid asset filepath tensor {tensor}")
            name = self._name_for(path)
            self.paths[name] = path
            self.tensors.append((name, tensor))
        logging.info("Assets added to graph.")

    def _name_for(self, path: str) -> str:
        """A name that no other file has: with a number if another file has the same name."""
        name = candidate = name_of(path)
        count = 0
        while self.paths.get(candidate, path) != path:
            count += 1
            candidate = f"{name}_{count}"
        return candidate

    def copy_to(self, export_dir: str) -> None:
        """Copies the files into a SavedModel; those that are there are not replaced.

        Raises:
            OpError: of the class that fits, if a file cannot be read or written.
        """
        if not self.paths:
            logging.info("No assets to write.")
            return
        folder = get_or_create_assets_dir(export_dir)
        for name, path in self.paths.items():
            target = join_path(folder, name)
            if not file_exists(target):
                copy_file(path, target)
        logging.info("Assets written to: %s", folder)

    def protos(self) -> list[AssetFileDef]:
        """Returns an AssetFileDef for each tensor."""
        found = []
        for name, tensor in self.tensors:
            asset = meta_graph_pb2.AssetFileDef(filename=name)
            asset.tensor_info.name = tensor.name
            found.append(asset)
        return found


def asset_path_of(tensor: Any) -> str:
    """Returns the path in a constant.

    Raises:
        TypeError: if it is not a string constant, or has more than one string.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError("Asset path tensor must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError("Asset path tensor must be of type constant.")
    if tensor.dtype != dtypes.string:
        raise TypeError("Asset path tensor must be of dtype string.")
    value = constant_value(tensor)
    if value is None or value.size != 1:
        raise TypeError("Asset path tensor must be a scalar.")
    path = value.item()
    return path.decode() if isinstance(path, bytes) else str(path)


def get_asset_tensors(
    export_dir: Any, meta_graph_def_to_load: MetaGraphDef, import_scope: str | None = None
) -> dict[str, str]:
    """Finds where the assets of a graph are in a SavedModel.

    Args:
        export_dir: the folder of the SavedModel.
        meta_graph_def_to_load: the MetaGraphDef.
        import_scope: the name scope into which the graph is imported.

    Returns:
        The paths of the files by the names of the tensors that they are fed to.
    """
    folder = get_assets_dir(export_dir)
    return {
        prepend_name_scope(asset.tensor_info.name, import_scope): join_path(folder, asset.filename)
        for asset in _asset_protos(meta_graph_def_to_load)
    }


def _asset_protos(meta_graph: MetaGraphDef) -> list[Any]:
    if meta_graph.asset_file_def:
        return list(meta_graph.asset_file_def)
    collections: Mapping[str, Any] = meta_graph.collection_def
    if constants.ASSETS_KEY not in collections:
        return []
    values = collections[constants.ASSETS_KEY].any_list.value
    assets = [unpacked(value, meta_graph_pb2.AssetFileDef) for value in values]
    return [asset for asset in assets if asset is not None]
