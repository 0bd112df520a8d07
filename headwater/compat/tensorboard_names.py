"""The first API of `tensorboard.summary`, from before there was a second one."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from headwater.compat.old_names import OldNames, Undo


def _use_first_api(module: ModuleType) -> Undo:
    """Puts the functions of `tensorboard.summary.v1` in place of those for eager writers."""
    first = getattr(module, "v1", None)
    names = [name for name in vars(first) if not name.startswith("_")] if first else []
    before: dict[str, Any] = {name: vars(module)[name] for name in names if hasattr(module, name)}
    for name in names:
        setattr(module, name, getattr(first, name))

    def undo() -> None:
        for name in names:
            delattr(module, name)
        vars(module).update(before)

    return undo


_names = OldNames({}, effects={"tensorboard.summary": _use_first_api})
add = _names.add
remove = _names.remove
