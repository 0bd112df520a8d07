"""RMSProp with the hooks of optimizer_v2."""

from __future__ import annotations

from typing import Any, ClassVar

from headwater.base.typing import TensorLike
from headwater.contrib.optimizer_v2.one_op import OneOp
from headwater.contrib.optimizer_v2.optimizer_v2 import OptimizerV2State
from headwater.graph import export
from headwater.ops.array.fill import ones_like


@export("contrib.optimizer_v2.RMSPropOptimizer")
class RMSPropOptimizer(OneOp):
    """RMSProp; the average of squares begins with epsilon, which is not added later.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        decay: the decay of the average of squares.
        momentum: how much of the last step is kept.
        epsilon: the first value of the average of squares.
        use_locking: whether updates exclude each other.
        centered: whether the square of the average of gradients is subtracted.
        name: the name of the ops and slots.
    """

    number_inputs: ClassVar = {"lr": "learning_rate", "rho": "decay", "momentum": "momentum"}

    def __init__(
        self,
        learning_rate: TensorLike,
        decay: TensorLike = 0.9,
        momentum: TensorLike = 0.0,
        epsilon: TensorLike = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("decay", decay)
        self._set_hyper("momentum", momentum)
        self._set_hyper("epsilon", epsilon)
        middle = {"mg": "mg"} if centered else {}
        self.op_name = "CenteredRMSProp" if centered else "RMSProp"  # type: ignore[misc]
        self.slot_inputs = {"ms": "rms", **middle, "mom": "momentum"}  # type: ignore[misc]

    def _create_vars(self, var_list: list[Any], state: OptimizerV2State) -> None:
        for var in var_list:
            first = state.get_hyper("epsilon", var.dtype.base_dtype) * ones_like(var)
            state.create_slot(var, first, "rms")
            for slot in list(self.slot_inputs.values())[1:]:
                state.zeros_slot(var, slot)

    def _number(self, name: str, like: Any, state: OptimizerV2State) -> Any:
        return 0.0 if name == "epsilon" else super()._number(name, like, state)
