"""FTRL-proximal: follow the regularized leader."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import export
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates


def kernel_ftrl(
    xp: ArrayModule,
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    lr_power: Array,
    l2_shrinkage: Array | None = None,
) -> tuple[Any, Any, Any]:
    new_accum = accum + grad * grad
    step = grad if l2_shrinkage is None else grad + 2 * l2_shrinkage * var
    raised, raised_before = _raised(xp, new_accum, lr_power), _raised(xp, accum, lr_power)
    linear = linear + step - (raised - raised_before) / lr * var
    quadratic = raised / lr + 2 * l2
    pulled = (xp.sign(linear) * l1 - linear) / quadratic
    return xp.where(xp.abs(linear) > l1, pulled, xp.zeros_like(var)), new_accum, linear


def _raised(xp: ArrayModule, accum: Array, lr_power: Array) -> Any:
    """An accumulator to the power of `-lr_power`, mostly its root."""
    if isinstance(lr_power, np.ndarray) and lr_power == -0.5:
        return xp.sqrt(accum)
    return accum**-lr_power


def kernel_ftrl_v2(
    xp: ArrayModule,
    var: Array,
    accum: Array,
    linear: Array,
    grad: Array,
    lr: Array,
    l1: Array,
    l2: Array,
    l2_shrinkage: Array,
    lr_power: Array,
) -> tuple[Any, Any, Any]:
    return kernel_ftrl(xp, var, accum, linear, grad, lr, l1, l2, lr_power, l2_shrinkage)


register_apply_ops(
    "ApplyFtrl",
    "ResourceApplyFtrl",
    variables="var accum linear",
    inputs="grad lr l1 l2 lr_power",
    kernel=kernel_ftrl,
)
register_apply_ops(
    "SparseApplyFtrl",
    "ResourceSparseApplyFtrl",
    variables="var accum linear",
    inputs="grad indices lr l1 l2 lr_power",
    kernel=kernel_ftrl,
    native_rows="ftrl",
)
register_apply_ops(
    "ApplyFtrlV2",
    "ResourceApplyFtrlV2",
    variables="var accum linear",
    inputs="grad lr l1 l2 l2_shrinkage lr_power",
    kernel=kernel_ftrl_v2,
)
register_apply_ops(
    "SparseApplyFtrlV2",
    "ResourceSparseApplyFtrlV2",
    variables="var accum linear",
    inputs="grad indices lr l1 l2 l2_shrinkage lr_power",
    kernel=kernel_ftrl_v2,
)


@export("train.FtrlOptimizer")
class FtrlOptimizer(Optimizer, SlotUpdates):
    """FTRL-proximal (McMahan et al., 2013, algorithm 1), with an optional shrinkage term.

    Args:
        learning_rate: a number or tensor.
        learning_rate_power: at most zero; how the rate falls, zero for a fixed one.
        initial_accumulator_value: the start of the sum of squares, not negative.
        l1_regularization_strength: not negative.
        l2_regularization_strength: not negative.
        use_locking: whether updates exclude each other.
        name: the name of the ops.
        accum_name: the name of the slot of squares; `name` if None.
        linear_name: the name of the linear slot; `name` with ``_1`` if None.
        l2_shrinkage_regularization_strength: not negative; a penalty on the size of weights that
            acts on the gradient.

    Raises:
        ValueError: if a number is out of its range.
    """

    slot_inputs = {"accum": "accum", "linear": "linear"}  # noqa: RUF012

    def __init__(
        self,
        learning_rate: TensorLike,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
    ) -> None:
        _check("initial_accumulator_value", initial_accumulator_value)
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        _check("l1_regularization_strength", l1_regularization_strength)
        _check("l2_regularization_strength", l2_regularization_strength)
        _check("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)
        shrinks = l2_shrinkage_regularization_strength > 0
        shrinkage = {"l2_shrinkage": "l2_shrinkage_regularization_strength"} if shrinks else {}
        SlotUpdates.__init__(
            self,
            use_locking,
            name,
            learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
            learning_rate_power=learning_rate_power,
        )
        self.op_name = "FtrlV2" if shrinks else "Ftrl"  # type: ignore[misc]
        self.number_inputs = {  # type: ignore[misc]
            "lr": "learning_rate",
            "l1": "l1_regularization_strength",
            "l2": "l2_regularization_strength",
            **shrinkage,
            "lr_power": "learning_rate_power",
        }
        self._initial_accumulator_value = initial_accumulator_value
        self._accum_name = accum_name or name
        self._linear_name = linear_name or name

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            value = self._slot_value(self._initial_accumulator_value, var)
            self._get_or_make_slot(var, value, "accum", self._accum_name)
            self._zeros_slot(var, "linear", self._linear_name)


def _check(name: str, value: float) -> None:
    if value < 0.0:
        raise ValueError(f"{name} {value:f} needs to be positive or zero")
