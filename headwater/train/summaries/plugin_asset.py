"""Assets of TensorBoard's plugins: files that are written with the graph."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base import logging
from headwater.base.compat_strings import as_bytes
from headwater.graph import Graph, get_default_graph
from headwater.io.files import join_path, make_folders, open_file

_PLUGIN_ASSET_PREFIX = "__tensorboard_plugin_asset__"
PLUGINS_DIR = "plugins"


class PluginAsset(abc.ABC):
    """Files of a plugin, for a subclass to define.

    Attributes:
        plugin_name: the name of the plugin.
    """

    plugin_name: str | None = None

    @abc.abstractmethod
    def assets(self) -> dict[str, Any]:
        """The contents of the files (text or bytes) by their names."""


def get_plugin_asset(plugin_asset_cls: type[PluginAsset], graph: Graph | None = None) -> Any:
    """The asset of a class in a graph; the first call makes it.

    Args:
        plugin_asset_cls: a subclass of PluginAsset.
        graph: the graph; the default graph if None.

    Returns:
        An instance of the class.

    Raises:
        ValueError: if the class has no `plugin_name`, or another class has the same.
    """
    graph = graph or get_default_graph()
    if not plugin_asset_cls.plugin_name:
        raise ValueError(f"Class {plugin_asset_cls.__name__} has no plugin_name")
    name = _PLUGIN_ASSET_PREFIX + plugin_asset_cls.plugin_name
    found = graph.get_collection(name)
    if not found:
        asset = plugin_asset_cls()
        graph.add_to_collection(name, asset)
        graph.add_to_collection(_PLUGIN_ASSET_PREFIX, plugin_asset_cls.plugin_name)
        return asset
    if isinstance(found[0], plugin_asset_cls):
        return found[0]
    raise ValueError(
        f"Plugin name collision between classes {plugin_asset_cls.__name__} and "
        f"{type(found[0]).__name__}"
    )


def get_all_plugin_assets(graph: Graph | None = None) -> list[Any]:
    """All assets of a graph.

    Args:
        graph: the graph; the default graph if None.

    Returns:
        A list of PluginAssets.
    """
    graph = graph or get_default_graph()
    assets = []
    for plugin_name in graph.get_collection(_PLUGIN_ASSET_PREFIX):
        found = graph.get_collection(_PLUGIN_ASSET_PREFIX + plugin_name)
        if len(found) != 1:
            logging.warning("Found %d assets of the plugin %s", len(found), plugin_name)
        assets.extend(found[:1])
    return assets


def write_plugin_assets(graph: Graph, logdir: str) -> None:
    """Writes the files of all assets of a graph below a folder."""
    for asset in get_all_plugin_assets(graph):
        folder = join_path(join_path(logdir, PLUGINS_DIR), asset.plugin_name)
        make_folders(folder)
        for name, content in asset.assets().items():
            with open_file(join_path(folder, name), "wb") as file:
                file.write(as_bytes(content))
