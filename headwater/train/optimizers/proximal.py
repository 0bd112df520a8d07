"""Proximal gradient descent and Adagrad: a step, then the shrinkage of l1 and l2 penalties."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import export
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates


def _shrunk(xp: ArrayModule, var: Array, rate: Array, l1: Array, l2: Array) -> Array:
    """The proximal operator of the penalties, for a step of this rate."""
    kept = xp.maximum(xp.abs(var) - rate * xp.maximum(l1, 0), 0)
    return xp.sign(var) * kept / (1 + rate * l2)


def kernel_proximal_gradient_descent(
    xp: ArrayModule,
    var: Array,
    alpha: Array,
    l1: Array,
    l2: Array,
    delta: Array | None = None,
    grad: Array | None = None,
) -> tuple[Any]:
    # The form for rows calls its gradient `grad`.
    step = delta if grad is None else grad
    return (_shrunk(xp, var - step * alpha, alpha, l1, l2),)


def kernel_proximal_adagrad(
    xp: ArrayModule, var: Array, accum: Array, lr: Array, l1: Array, l2: Array, grad: Array
) -> tuple[Any, Any]:
    accum = accum + grad * grad
    rate = lr / xp.sqrt(accum)
    return _shrunk(xp, var - grad * rate, rate, l1, l2), accum


register_apply_ops(
    "ApplyProximalGradientDescent",
    "ResourceApplyProximalGradientDescent",
    variables="var",
    inputs="alpha l1 l2 delta",
    kernel=kernel_proximal_gradient_descent,
)
register_apply_ops(
    "SparseApplyProximalGradientDescent",
    "ResourceSparseApplyProximalGradientDescent",
    variables="var",
    inputs="alpha l1 l2 grad indices",
    kernel=kernel_proximal_gradient_descent,
)
register_apply_ops(
    "ApplyProximalAdagrad",
    "ResourceApplyProximalAdagrad",
    variables="var accum",
    inputs="lr l1 l2 grad",
    kernel=kernel_proximal_adagrad,
)
register_apply_ops(
    "SparseApplyProximalAdagrad",
    "ResourceSparseApplyProximalAdagrad",
    variables="var accum",
    inputs="lr l1 l2 grad indices",
    kernel=kernel_proximal_adagrad,
)


@export("train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(Optimizer, SlotUpdates):
    """Gradient descent with a proximal step for l1 and l2 (Duchi and Singer, 2009).

    Args:
        learning_rate: a number or tensor.
        l1_regularization_strength: not negative.
        l2_regularization_strength: not negative.
        use_locking: whether updates exclude each other.
        name: the name of the ops.
    """

    op_name = "ProximalGradientDescent"
    number_inputs = {  # noqa: RUF012
        "alpha": "learning_rate",
        "l1": "l1_regularization_strength",
        "l2": "l2_regularization_strength",
    }

    def __init__(
        self,
        learning_rate: TensorLike,
        l1_regularization_strength: TensorLike = 0.0,
        l2_regularization_strength: TensorLike = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        SlotUpdates.__init__(
            self,
            use_locking,
            name,
            learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )


@export("train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(Optimizer, SlotUpdates):
    """Adagrad with a proximal step for l1 and l2 (Duchi and Singer, 2009).

    Args:
        learning_rate: a number or tensor.
        initial_accumulator_value: the start of the sum of squares, above zero.
        l1_regularization_strength: not negative.
        l2_regularization_strength: not negative.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.

    Raises:
        ValueError: if `initial_accumulator_value` is not positive.
    """

    op_name = "ProximalAdagrad"
    slot_inputs = {"accum": "accumulator"}  # noqa: RUF012
    number_inputs = {  # noqa: RUF012
        "lr": "learning_rate",
        "l1": "l1_regularization_strength",
        "l2": "l2_regularization_strength",
    }

    def __init__(
        self,
        learning_rate: TensorLike,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: TensorLike = 0.0,
        l2_regularization_strength: TensorLike = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        SlotUpdates.__init__(
            self,
            use_locking,
            name,
            learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            value = self._slot_value(self._initial_accumulator_value, var)
            self._get_or_make_slot(var, value, "accumulator", self._name)
