"""The generated modules, loaded at first use: `from headwater.protos.lazy import graph_pb2`.

Importing the protobuf runtime takes longer than the rest of the package, and a program that never
writes a graph or a summary does not need it.
"""

from __future__ import annotations

from typing import Any

from headwater.base.lazy import LazyModule


def __getattr__(name: str) -> Any:
    if not name.endswith("_pb2"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = LazyModule(f"headwater.protos.{name}")
    globals()[name] = module
    return module
