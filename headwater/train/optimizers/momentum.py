"""Gradient descent with momentum."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import export
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates


def kernel_momentum(
    xp: ArrayModule,
    var: Array,
    accum: Array,
    lr: Array,
    grad: Array,
    momentum: Array,
    *,
    use_nesterov: bool,
) -> tuple[Any, Any]:
    accum = accum * momentum + grad
    if use_nesterov:
        return var - (grad * lr + accum * momentum * lr), accum
    return var - accum * lr, accum


def kernel_keras_momentum(
    xp: ArrayModule,
    var: Array,
    accum: Array,
    lr: Array,
    grad: Array,
    momentum: Array,
    *,
    use_nesterov: bool,
) -> tuple[Any, Any]:
    accum = accum * momentum - grad * lr
    return var + (accum * momentum - grad * lr if use_nesterov else accum), accum


register_apply_ops(
    "ResourceApplyKerasMomentum",
    variables="var accum",
    inputs="lr grad momentum",
    attrs="use_nesterov: bool = false",
    kernel=kernel_keras_momentum,
)
register_apply_ops(
    "ResourceSparseApplyKerasMomentum",
    variables="var accum",
    inputs="lr grad indices momentum",
    attrs="use_nesterov: bool = false",
    kernel=kernel_keras_momentum,
)
register_apply_ops(
    "ApplyMomentum",
    "ResourceApplyMomentum",
    variables="var accum",
    inputs="lr grad momentum",
    attrs="use_nesterov: bool = false",
    kernel=kernel_momentum,
)
register_apply_ops(
    "SparseApplyMomentum",
    "ResourceSparseApplyMomentum",
    variables="var accum",
    inputs="lr grad indices momentum",
    attrs="use_nesterov: bool = false",
    kernel=kernel_momentum,
)


@export("train.MomentumOptimizer")
class MomentumOptimizer(Optimizer, SlotUpdates):
    """Momentum: accum <- momentum * accum + gradient; var <- var - learning_rate * accum.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        momentum: how much of the accumulated gradients is kept.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
        use_nesterov: whether the gradient is that of a look ahead (Sutskever et al., 2013).
    """

    op_name = "Momentum"
    slot_inputs = {"accum": "momentum"}  # noqa: RUF012
    number_inputs = {"lr": "learning_rate", "momentum": "momentum"}  # noqa: RUF012

    def __init__(
        self,
        learning_rate: TensorLike,
        momentum: TensorLike,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        SlotUpdates.__init__(
            self, use_locking, name, learning_rate=learning_rate, momentum=momentum
        )
        self._op_attrs = {"use_nesterov": use_nesterov}
