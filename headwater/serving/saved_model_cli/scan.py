"""`scan`: the ops of a SavedModel that reach outside of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from headwater.graph.used_ops import ops_used_by_graph_def
from headwater.serving.saved_model.tag_sets import get_meta_graph_def, read_saved_model
from headwater.serving.saved_model_cli.show import write

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef

BLACKLIST: Final = frozenset({"PrintV2", "ReadFile", "WriteFile"})


def scan_saved_model(saved_model_dir: Any, tag_set: str | None) -> None:
    """Prints which ops of the blacklist are used in one graph, or in all of them.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
        RuntimeError: if it has no graph with these tags.
    """
    if tag_set:
        scan_meta_graph_def(get_meta_graph_def(saved_model_dir, tag_set))
        return
    for meta_graph in read_saved_model(saved_model_dir).meta_graphs:
        scan_meta_graph_def(meta_graph)


def scan_meta_graph_def(meta_graph_def: MetaGraphDef) -> None:
    """Prints which ops of the blacklist are used in a graph."""
    found = BLACKLIST & set(ops_used_by_graph_def(meta_graph_def.graph_def))
    tags = list(meta_graph_def.meta_info_def.tags)
    if found:
        names = ", ".join(map(repr, sorted(found)))
        write(f"MetaGraph with tag set {tags} contains the following blacklisted ops: {{{names}}}")
    else:
        write(f"MetaGraph with tag set {tags} does not contain blacklisted ops.")
