"""`tf.raw_ops`: one function per op type, with keyword arguments only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from headwater.base.export import export_module
from headwater.graph.builders import Builder
from headwater.graph.registry import lookup, records


def __getattr__(op_type: str) -> Callable[..., Any]:
    """The function that makes nodes of an op type."""
    try:
        builder = Builder(lookup(op_type))
    except ValueError:
        raise AttributeError(f"module 'raw_ops' has no attribute {op_type!r}") from None

    def function(**arguments: Any) -> Any:
        return builder(**arguments)

    function.__name__ = function.__qualname__ = op_type
    globals()[op_type] = function
    return function


def __dir__() -> list[str]:
    return [record.name for record in records()]


export_module("raw_ops", sys.modules[__name__])
