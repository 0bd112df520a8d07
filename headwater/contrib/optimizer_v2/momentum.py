"""Momentum with the hooks of optimizer_v2."""

from __future__ import annotations

from typing import ClassVar

from headwater.base.typing import TensorLike
from headwater.contrib.optimizer_v2.one_op import OneOp
from headwater.graph import export


@export("contrib.optimizer_v2.MomentumOptimizer")
class MomentumOptimizer(OneOp):
    """Momentum; see `tf.train.MomentumOptimizer`.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        momentum: how much of the accumulated gradients is kept.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
        use_nesterov: whether the gradient is that of a look ahead.
    """

    op_name = "Momentum"
    slot_inputs: ClassVar = {"accum": "momentum"}
    number_inputs: ClassVar = {"lr": "learning_rate", "momentum": "momentum"}

    def __init__(
        self,
        learning_rate: TensorLike,
        momentum: TensorLike,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("momentum", momentum)
        self._op_attrs = {"use_nesterov": use_nesterov}  # type: ignore[misc]
