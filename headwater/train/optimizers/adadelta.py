"""Adadelta: steps scaled by the size of past steps."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import export
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates


def kernel_adadelta(
    xp: ArrayModule,
    var: Array,
    accum: Array,
    accum_update: Array,
    lr: Array,
    rho: Array,
    epsilon: Array,
    grad: Array,
) -> tuple[Any, Any, Any]:
    accum = accum * rho + grad * grad * (1 - rho)
    update = xp.sqrt(accum_update + epsilon) / xp.sqrt(accum + epsilon) * grad
    return var - update * lr, accum, accum_update * rho + update * update * (1 - rho)


register_apply_ops(
    "ApplyAdadelta",
    "ResourceApplyAdadelta",
    variables="var accum accum_update",
    inputs="lr rho epsilon grad",
    kernel=kernel_adadelta,
)
register_apply_ops(
    "SparseApplyAdadelta",
    "ResourceSparseApplyAdadelta",
    variables="var accum accum_update",
    inputs="lr rho epsilon grad indices",
    kernel=kernel_adadelta,
)


@export("train.AdadeltaOptimizer")
class AdadeltaOptimizer(Optimizer, SlotUpdates):
    """Adadelta (Zeiler, 2012).

    accum <- rho accum + (1 - rho) g^2; step = sqrt(accum_update + eps) / sqrt(accum + eps) g;
    accum_update <- rho accum_update + (1 - rho) step^2; var <- var - learning_rate * step.

    Args:
        learning_rate: a number, a tensor, or a function without arguments; 1 is the paper's form.
        rho: the decay of both averages.
        epsilon: a small constant that starts the steps.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
    """

    op_name = "Adadelta"
    slot_inputs = {"accum": "accum", "accum_update": "accum_update"}  # noqa: RUF012
    number_inputs = {"lr": "lr", "rho": "rho", "epsilon": "epsilon"}  # noqa: RUF012

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        rho: TensorLike = 0.95,
        epsilon: TensorLike = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        SlotUpdates.__init__(self, use_locking, name, lr=learning_rate, rho=rho, epsilon=epsilon)
