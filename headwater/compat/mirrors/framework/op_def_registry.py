"""tensorflow.python.framework.op_def_registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headwater.graph.graph_def import op_def
from headwater.graph.registry import is_registered, lookup, op_types


class _OpDefs(Mapping[str, Any]):
    """OpDefs by op type; each is made when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if not is_registered(name):
                raise KeyError(name)
            self._made[name] = op_def(lookup(name))
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and is_registered(name)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(op_types()))

    def __len__(self) -> int:
        return len(op_types())


_op_defs = _OpDefs()


def get_registered_ops() -> Mapping[str, Any]:
    """Returns {op type: OpDef} of all op types."""
    return _op_defs


def register_op_list(op_list: Any) -> None:
    """Ignores an OpList: op types are looked up in the registry."""
