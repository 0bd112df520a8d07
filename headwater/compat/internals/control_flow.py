"""Choices by a predicate, under the paths of layers."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.model.smart_cond import known_value, smart_cond

for _module in ("layers.utils", "keras.utils.tf_utils"):
    internal(f"{_module}.smart_cond")(smart_cond)
    internal(f"{_module}.constant_value")(known_value)
