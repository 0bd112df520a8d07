"""Conditionals, under the paths of layers; protos of collections."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.graph.collection_protos import register_proto_function
from headwater.model.smart_cond import known_value, smart_cond

for _module in ("layers.utils", "keras.utils.tf_utils"):
    internal(f"{_module}.smart_cond")(smart_cond)
    internal(f"{_module}.constant_value")(known_value)
internal("framework.ops.register_proto_function")(register_proto_function)
