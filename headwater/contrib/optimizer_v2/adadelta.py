"""Adadelta with the hooks of optimizer_v2."""

from __future__ import annotations

from typing import ClassVar

from headwater.base.typing import TensorLike
from headwater.contrib.optimizer_v2.one_op import OneOp
from headwater.graph import export


@export("contrib.optimizer_v2.AdadeltaOptimizer")
class AdadeltaOptimizer(OneOp):
    """Adadelta; see `tf.train.AdadeltaOptimizer`.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        rho: the decay of the averages.
        epsilon: a small constant against division by zero.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
    """

    op_name = "Adadelta"
    slot_inputs: ClassVar = {"accum": "accum", "accum_update": "accum_update"}
    number_inputs: ClassVar = {"lr": "learning_rate", "rho": "rho", "epsilon": "epsilon"}

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        rho: TensorLike = 0.95,
        epsilon: TensorLike = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("rho", rho)
        self._set_hyper("epsilon", epsilon)
