"""The generated modules, loaded at first use: `from headwater.protos.lazy import graph_pb2`.

Importing the protobuf runtime takes longer than the rest of the package, and a program that never
writes a graph or a summary does not need it.
"""

from __future__ import annotations

from typing import Any

from headwater.base.lazy import LazyModule


class LazyMessage:
    """The class of a message, loaded when it is used.

    Args:
        module: one of the lazy modules.
        name: the name of the class in it.
    """

    def __init__(self, module: Any, name: str) -> None:
        self._module = module
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._module, self._name)(*args, **kwargs)

    def __getattr__(self, attribute: str) -> Any:
        return getattr(getattr(self._module, self._name), attribute)


def __getattr__(name: str) -> Any:
    if not name.endswith("_pb2"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = LazyModule(f"headwater.protos.{name}")
    globals()[name] = module
    return module
