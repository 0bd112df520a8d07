"""Updates of single rows of variables of either kind, for optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, control_dependencies

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


def scatter_add(var: Variable, indices: TensorLike, rows: TensorLike, use_locking: bool) -> Tensor:
    """Adds to rows; returns the variable afterwards."""
    if not hasattr(var, "handle"):
        return build.ScatterAdd(var._ref(), indices, rows, use_locking=use_locking)
    with control_dependencies([build.ResourceScatterAdd(var.handle, indices, rows)]):
        return var.value()


def scatter_update(
    var: Variable, indices: TensorLike, rows: TensorLike, use_locking: bool
) -> Tensor:
    """Replaces rows; returns the variable afterwards."""
    if not hasattr(var, "handle"):
        return build.ScatterUpdate(var._ref(), indices, rows, use_locking=use_locking)
    with control_dependencies([build.ResourceScatterUpdate(var.handle, indices, rows)]):
        return var.value()
