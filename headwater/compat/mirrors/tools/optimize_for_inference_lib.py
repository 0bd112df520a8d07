"""tensorflow.python.tools.optimize_for_inference_lib."""

from __future__ import annotations

from headwater.serving.graph_tools.optimize_for_inference import (
    ensure_graph_is_valid,
    fold_batch_norms,
    fuse_resize_and_conv,
    node_from_map,
    node_name_from_input,
    optimize_for_inference,
    scale_after_normalization,
    values_from_const,
)

__all__ = [
    "ensure_graph_is_valid",
    "fold_batch_norms",
    "fuse_resize_and_conv",
    "node_from_map",
    "node_name_from_input",
    "optimize_for_inference",
    "scale_after_normalization",
    "values_from_const",
]
