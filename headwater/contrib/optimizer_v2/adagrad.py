"""Adagrad with the hooks of optimizer_v2."""

from __future__ import annotations

from typing import Any, ClassVar

from headwater.base.typing import TensorLike
from headwater.contrib.optimizer_v2.one_op import OneOp
from headwater.contrib.optimizer_v2.optimizer_v2 import OptimizerV2State
from headwater.graph import export
from headwater.model.variables.initializers import Constant


@export("contrib.optimizer_v2.AdagradOptimizer")
class AdagradOptimizer(OneOp):
    """Adagrad; see `tf.train.AdagradOptimizer`.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        initial_accumulator_value: the first value of the sums of squares, positive.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.

    Raises:
        ValueError: if the first value is not positive.
    """

    op_name = "Adagrad"
    slot_inputs: ClassVar = {"accum": "accumulator"}
    number_inputs: ClassVar = {"lr": "learning_rate"}

    def __init__(
        self,
        learning_rate: TensorLike,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_vars(self, var_list: list[Any], state: OptimizerV2State) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            initializer = Constant(self._initial_accumulator_value, dtype=dtype)
            state.create_slot_with_initializer(
                var, initializer, var.get_shape(), dtype, "accumulator"
            )
