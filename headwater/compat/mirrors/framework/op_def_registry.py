"""tensorflow.python.framework.op_def_registry."""

from __future__ import annotations

from typing import Any

from headwater.graph import records
from headwater.graph.graph_def import op_def


def get_registered_ops() -> dict[str, Any]:
    """Returns {op type: OpDef} of all op types."""
    return {record.name: op_def(record) for record in records()}


def register_op_list(op_list: Any) -> None:
    """Ignores an OpList: op types are looked up in the registry."""
