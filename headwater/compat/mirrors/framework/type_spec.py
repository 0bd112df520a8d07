"""tensorflow.python.framework.type_spec."""

from __future__ import annotations

from headwater.graph.type_spec import (
    BatchableTypeSpec,
    TypeSpec,
    register_type_spec_from_value_converter,
    type_spec_from_value,
)

__all__ = [
    "BatchableTypeSpec",
    "TypeSpec",
    "register_type_spec_from_value_converter",
    "type_spec_from_value",
]
