"""`tf.compat.v1`: the whole namespace under its name in TensorFlow 2."""

from __future__ import annotations

from typing import Any

from headwater.base import namespace
from headwater.base.version import API_LEVEL

__version__ = API_LEVEL


def __getattr__(name: str) -> Any:
    if name == "__all__":  # a star import
        return [name for name in __dir__() if not name.startswith("_")]
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(namespace.root(), name)


def __dir__() -> list[str]:
    return dir(namespace.root())
