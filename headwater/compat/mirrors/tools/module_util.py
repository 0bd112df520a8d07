"""tensorflow.python.tools.module_util."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

__all__ = ["get_parent_dir"]


def get_parent_dir(module: ModuleType) -> str:
    """Returns the folder above that of a module's file."""
    assert module.__file__ is not None
    return str(Path(module.__file__).absolute().parent.parent)
