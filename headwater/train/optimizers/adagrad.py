"""Adagrad: steps scaled by the root of the sum of all squared gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import export
from headwater.model.variables.initializers import Constant, Initializer
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


def kernel_adagrad(
    xp: ArrayModule, var: Array, accum: Array, lr: Array, grad: Array, *, update_slots: bool
) -> tuple[Any, Any]:
    if update_slots:
        accum = accum + grad * grad
    return var - lr * grad / xp.sqrt(accum), accum


def kernel_adagrad_v2(
    xp: ArrayModule,
    var: Array,
    accum: Array,
    lr: Array,
    epsilon: Array,
    grad: Array,
    *,
    update_slots: bool,
) -> tuple[Any, Any]:
    if update_slots:
        accum = accum + grad * grad
    return var - lr * grad / (xp.sqrt(accum) + epsilon), accum


register_apply_ops(
    "ApplyAdagrad",
    "ResourceApplyAdagrad",
    variables="var accum",
    inputs="lr grad",
    attrs="update_slots: bool = true",
    kernel=kernel_adagrad,
)
register_apply_ops(
    "SparseApplyAdagrad",
    "ResourceSparseApplyAdagrad",
    variables="var accum",
    inputs="lr grad indices",
    attrs="update_slots: bool = true",
    kernel=kernel_adagrad,
    native_rows="adagrad",
)
register_apply_ops(
    "ApplyAdagradV2",
    "ResourceApplyAdagradV2",
    variables="var accum",
    inputs="lr epsilon grad",
    attrs="update_slots: bool = true",
    kernel=kernel_adagrad_v2,
)
register_apply_ops(
    "SparseApplyAdagradV2",
    "ResourceSparseApplyAdagradV2",
    variables="var accum",
    inputs="lr epsilon grad indices",
    attrs="update_slots: bool = true",
    kernel=kernel_adagrad_v2,
)


@export("train.AdagradOptimizer")
class AdagradOptimizer(Optimizer, SlotUpdates):
    """Adagrad (Duchi et al., 2011): accum += g^2; var -= learning_rate * g / sqrt(accum).

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        initial_accumulator_value: the start of the sum, above zero.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.

    Raises:
        ValueError: if `initial_accumulator_value` is not positive.
    """

    op_name = "Adagrad"
    slot_inputs = {"accum": "accumulator"}  # noqa: RUF012
    number_inputs = {"lr": "learning_rate"}  # noqa: RUF012

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
        SlotUpdates.__init__(self, use_locking, name, learning_rate=learning_rate)
        self._initial_accumulator_value = initial_accumulator_value

    def _slot_initializer(self, slot: str, var: Variable) -> Initializer:
        return Constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype)


@export("contrib.opt.RegAdagradOptimizer")
class RegAdagradOptimizer(AdagradOptimizer):
    """AdagradOptimizer that can make steps without updating the sums.

    Inside ``with optimizer.avoid_updating_slots():`` updates are built that leave them alone, for
    gradients of regularizers for example. The arguments are those of AdagradOptimizer.
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)

    @contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """A with block whose updates leave the sums of squares alone."""
        old = self._op_attrs
        self._op_attrs = {"update_slots": False}
        try:
            yield
        finally:
            self._op_attrs = old
