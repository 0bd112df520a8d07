"""tensorflow.python.tools.saved_model_utils."""

from __future__ import annotations

from headwater.serving.saved_model.tag_sets import (
    get_meta_graph_def,
    get_saved_model_tag_sets,
    read_saved_model,
)

__all__ = ["get_meta_graph_def", "get_saved_model_tag_sets", "read_saved_model"]
