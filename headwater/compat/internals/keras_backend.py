"""tensorflow.python.keras.backend: names that are not public."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.keras.backend import (
    convolutions,
    functions,
    graph_state,
    local_convolutions,
    tensors,
)
from headwater.model.layers import names

for _name in (
    "get_graph",
    "symbolic_learning_phase",
    "track_tf_optimizer",
    "track_variable",
):
    internal(f"keras.backend.{_name}")(getattr(graph_state, _name))
for _name in ("conv3d_transpose", "depthwise_conv2d", "separable_conv1d"):
    internal(f"keras.backend.{_name}")(getattr(convolutions, _name))
internal("keras.backend.get_default_graph_uid_map")(names.graph_counts)
internal("keras.backend.unique_object_name")(names.unique_object_name)
internal("keras.backend.GraphExecutionFunction")(functions.GraphExecutionFunction)
internal("keras.backend.identity")(tensors.identity_)
internal("keras.backend.is_placeholder")(tensors.is_placeholder)
internal("keras.backend.local_conv")(local_convolutions.local_conv)
