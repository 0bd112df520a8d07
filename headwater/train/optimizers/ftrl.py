"""FTRL-proximal: follow the regularized leader."""

from __future__ import annotations

from typing import Any

from headwater.graph import export
from headwater.model.initializers import Constant, Initializer, Zeros
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.slot_optimizer import SlotOptimizer


def kernel_ftrl(
    xp: Any,
    var: Any,
    accum: Any,
    linear: Any,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    lr_power: Any,
    l2_shrinkage: Any = None,
) -> tuple[Any, Any, Any]:
    new_accum = accum + grad * grad
    step = grad if l2_shrinkage is None else grad + 2 * l2_shrinkage * var
    linear = linear + step - (new_accum**-lr_power - accum**-lr_power) / lr * var
    quadratic = new_accum**-lr_power / lr + 2 * l2
    pulled = (xp.sign(linear) * l1 - linear) / quadratic
    return xp.where(xp.abs(linear) > l1, pulled, xp.zeros_like(var)), new_accum, linear


def kernel_ftrl_v2(
    xp: Any,
    var: Any,
    accum: Any,
    linear: Any,
    grad: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    l2_shrinkage: Any,
    lr_power: Any,
) -> tuple[Any, Any, Any]:
    return kernel_ftrl(xp, var, accum, linear, grad, lr, l1, l2, lr_power, l2_shrinkage)


register_apply_ops(
    "Ftrl",
    variables="var accum linear",
    inputs="grad lr l1 l2 lr_power",
    sparse_inputs="grad indices lr l1 l2 lr_power",
    kernel=kernel_ftrl,
)
register_apply_ops(
    "FtrlV2",
    variables="var accum linear",
    inputs="grad lr l1 l2 l2_shrinkage lr_power",
    sparse_inputs="grad indices lr l1 l2 l2_shrinkage lr_power",
    kernel=kernel_ftrl_v2,
)


@export("train.FtrlOptimizer")
class FtrlOptimizer(SlotOptimizer):
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
        learning_rate: Any,
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
        numbers = {
            "learning_rate": learning_rate,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
        }
        inputs = dict(zip(("lr", "l1", "l2"), numbers))
        if shrinks:
            numbers["l2_shrinkage_regularization_strength"] = l2_shrinkage_regularization_strength
            inputs["l2_shrinkage"] = "l2_shrinkage_regularization_strength"
        numbers["learning_rate_power"] = learning_rate_power
        inputs["lr_power"] = "learning_rate_power"
        super().__init__(use_locking, name, **numbers)
        self.op_name = "FtrlV2" if shrinks else "Ftrl"  # type: ignore[misc]
        self.number_inputs = inputs  # type: ignore[misc]
        self._initial_accumulator_value = initial_accumulator_value
        self._slot_names = {"accum": accum_name or name, "linear": linear_name or name}

    def _slot_initializer(self, slot: str, var: Any) -> Initializer:
        if slot == "linear":
            return Zeros()
        return Constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype)

    def _slot_name(self, slot: str) -> str:
        return self._slot_names[slot]


def _check(name: str, value: float) -> None:
    if value < 0.0:
        raise ValueError(f"{name} {value:f} needs to be positive or zero")
