"""tensorflow.python.framework.meta_graph."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from headwater.base import logging
from headwater.base.compat_strings import as_str
from headwater.graph import Graph, get_default_graph
from headwater.graph.used_ops import ops_used_by_graph_def, stripped_op_list_for_graph
from headwater.train.checkpoints.meta_graph import (
    add_collection,
)
from headwater.train.checkpoints.meta_graph import read_meta_graph as read_meta_graph_file
from headwater.train.checkpoints.meta_graph import (
    strip_defaults as strip_graph_default_valued_attrs,
)
from headwater.train.checkpoints.scoped_meta_graph import (
    copy_scoped_meta_graph,
    create_meta_graph_def,
    export_scoped_meta_graph,
    import_scoped_meta_graph,
    import_scoped_meta_graph_with_return_elements,
)

__all__ = [
    "add_collection_def",
    "copy_scoped_meta_graph",
    "create_meta_graph_def",
    "export_scoped_meta_graph",
    "import_scoped_meta_graph",
    "import_scoped_meta_graph_with_return_elements",
    "ops_used_by_graph_def",
    "read_meta_graph_file",
    "strip_graph_default_valued_attrs",
    "stripped_op_list_for_graph",
]


def add_collection_def(
    meta_graph_def: Any,
    key: Any,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Collection[str] | None = None,
    override_contents: list[Any] | None = None,
) -> None:
    """Adds a collection of a graph to a MetaGraphDef.

    Args:
      meta_graph_def: the MetaGraphDef.
      key: the key of the collection.
      graph: the graph; the default graph if None.
      export_scope: only what is in this scope is added, without its name.
      exclude_nodes: names of nodes that are left out.
      override_contents: what the collection has, instead of that in the graph.
    """
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"graph must be of type Graph. Received type: {type(graph)}")
    if not isinstance(key, (str, bytes)):
        logging.warning(
            "Only collections with string type keys will be serialized. This key has %s", type(key)
        )
        return
    items = override_contents or (graph or get_default_graph()).get_collection(key)
    left = [x for x in items if not exclude_nodes or getattr(x, "name", None) not in exclude_nodes]
    if left:
        add_collection(meta_graph_def, as_str(key), left, export_scope)
