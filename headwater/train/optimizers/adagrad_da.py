"""Adagrad with dual averaging, for sparse linear models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import build, export, get_default_graph
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


def kernel_adagrad_da(
    xp: ArrayModule,
    var: Array,
    gradient_accumulator: Array,
    gradient_squared_accumulator: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    global_step: Array,
) -> tuple[Any, Any, Any]:
    total = gradient_accumulator + grad
    squares = gradient_squared_accumulator + grad * grad
    steps = xp.asarray(global_step).astype(var.dtype)
    shrunk = xp.sign(total) * xp.maximum(xp.abs(total) - l1 * steps, 0)
    pull = xp.where(l1 > 0, shrunk, total)
    return -lr * pull / (l2 * steps * lr + xp.sqrt(squares)), total, squares


register_apply_ops(
    "ApplyAdagradDA",
    "ResourceApplyAdagradDA",
    variables="var gradient_accumulator gradient_squared_accumulator",
    inputs="grad lr l1 l2 global_step",
    kernel=kernel_adagrad_da,
)
register_apply_ops(
    "SparseApplyAdagradDA",
    "ResourceSparseApplyAdagradDA",
    variables="var gradient_accumulator gradient_squared_accumulator",
    inputs="grad indices lr l1 l2 global_step",
    kernel=kernel_adagrad_da,
)


@export("train.AdagradDAOptimizer")
class AdagradDAOptimizer(Optimizer, SlotUpdates):
    """Adagrad dual averaging (Duchi et al., 2011, section 1.2).

    Args:
        learning_rate: a number or tensor.
        global_step: the variable that counts the steps.
        initial_gradient_squared_accumulator_value: the start of the sum of squares, above zero.
        l1_regularization_strength: not negative.
        l2_regularization_strength: not negative.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.

    Raises:
        ValueError: if `initial_gradient_squared_accumulator_value` is not positive.
    """

    op_name = "AdagradDA"
    slot_inputs = {  # noqa: RUF012
        "gradient_accumulator": "gradient_accumulator",
        "gradient_squared_accumulator": "gradient_squared_accumulator",
    }
    number_inputs = {"lr": "learning_rate", "l1": "l1", "l2": "l2"}  # noqa: RUF012

    def __init__(
        self,
        learning_rate: TensorLike,
        global_step: TensorLike,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        SlotUpdates.__init__(self, use_locking, name, learning_rate=learning_rate)
        self._penalties = {"l1": l1_regularization_strength, "l2": l2_regularization_strength}
        self._initial_squares = initial_gradient_squared_accumulator_value
        self._global_step = global_step
        self._global_step_on_worker: TensorLike = None

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            values = [self._slot_value(0.0, var), self._slot_value(self._initial_squares, var)]
            for slot, value in zip(self.slot_inputs.values(), values):
                self._get_or_make_slot(var, value, slot, self._name)

    def _prepare(self) -> None:
        super()._prepare()
        with get_default_graph().colocate_with(self._number_tensors["learning_rate"]):
            self._global_step_on_worker = build.Identity(self._global_step) + 1
        # The penalties are converted to tensors once per variable.
        self._number_tensors.update(self._penalties)

    def _op_inputs(self, var: Variable, like: TensorLike, resource: bool) -> dict[str, Any]:
        step = build.Identity(self._global_step_on_worker)
        return {**super()._op_inputs(var, like, resource), "global_step": step}
