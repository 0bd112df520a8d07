"""tensorflow.python.keras.backend: names that are not public."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.keras.backend import convolutions, functions, graph_state, local_convolutions, values

for _name in (
    "get_graph",
    "observe_object_name",
    "symbolic_learning_phase",
    "track_tf_optimizer",
    "track_variable",
    "unique_object_name",
):
    internal(f"keras.backend.{_name}")(getattr(graph_state, _name))
for _name in ("conv3d_transpose", "depthwise_conv2d", "separable_conv1d"):
    internal(f"keras.backend.{_name}")(getattr(convolutions, _name))
internal("keras.backend.GraphExecutionFunction")(functions.GraphExecutionFunction)
internal("keras.backend.identity")(values.identity_)
internal("keras.backend.is_placeholder")(values.is_placeholder)
internal("keras.backend.local_conv")(local_convolutions.local_conv)
