"""tensorflow.python.framework.meta_graph."""

from __future__ import annotations

from headwater.graph.used_ops import ops_used_by_graph_def, stripped_op_list_for_graph
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
