"""Updates of single rows of variables of either kind, for optimizers."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import build, control_dependencies


def scatter_add(var: Any, indices: TensorLike, rows: TensorLike, use_locking: bool) -> Any:
    """Adds to rows; returns the variable afterwards."""
    if not hasattr(var, "handle"):
        return build.ScatterAdd(var._ref(), indices, rows, use_locking=use_locking)
    with control_dependencies([build.ResourceScatterAdd(var.handle, indices, rows)]):
        return var.value()


def scatter_update(var: Any, indices: TensorLike, rows: TensorLike, use_locking: bool) -> Any:
    """Replaces rows; returns the variable afterwards."""
    if not hasattr(var, "handle"):
        return build.ScatterUpdate(var._ref(), indices, rows, use_locking=use_locking)
    with control_dependencies([build.ResourceScatterUpdate(var.handle, indices, rows)]):
        return var.value()
