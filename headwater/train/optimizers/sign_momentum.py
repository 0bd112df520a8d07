"""PowerSign and AddSign: steps that grow where gradient and momentum have the same sign."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    convert_to_tensor,
    export,
    group,
)
from headwater.ops.array.gather import gather
from headwater.ops.state.assign import assign
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import ResourceVariable
    from headwater.model.variables.variable import Variable
    from headwater.train.optimizers.optimizer import GradsAndVars


def kernel_power_sign(
    xp: ArrayModule,
    var: Array,
    m: Array,
    lr: Array,
    logbase: Array,
    sign_decay: Array,
    beta: Array,
    grad: Array,
) -> tuple[Any, Any]:
    m = m * beta + grad * (1 - beta)
    return var - lr * xp.exp(logbase * sign_decay * xp.sign(grad) * xp.sign(m)) * grad, m


def kernel_add_sign(
    xp: ArrayModule,
    var: Array,
    m: Array,
    lr: Array,
    alpha: Array,
    sign_decay: Array,
    beta: Array,
    grad: Array,
) -> tuple[Any, Any]:
    m = m * beta + grad * (1 - beta)
    return var - lr * (alpha + sign_decay * xp.sign(grad) * xp.sign(m)) * grad, m


register_apply_ops(
    "ApplyPowerSign",
    "ResourceApplyPowerSign",
    variables="var m",
    inputs="lr logbase sign_decay beta grad",
    kernel=kernel_power_sign,
)
register_apply_ops(
    "ApplyAddSign",
    "ResourceApplyAddSign",
    variables="var m",
    inputs="lr alpha sign_decay beta grad",
    kernel=kernel_add_sign,
)


class _SignOptimizer(Optimizer, SlotUpdates):
    """The base of both: the momentum, and the decay of the sign term."""

    slot_inputs = {"m": "m"}  # noqa: RUF012

    def __init__(
        self,
        sign_decay_fn: Callable[..., Any] | None,
        use_locking: bool,
        name: str,
        **numbers: Any,
    ) -> None:
        if sign_decay_fn is None:
            numbers["sign_decay"] = 1.0
        SlotUpdates.__init__(self, use_locking, name, **numbers)
        self._sign_decay_fn = sign_decay_fn
        self._decay_of_signs: TensorLike = None

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Operation:
        """As in Optimizer; the decay of the sign term is computed from the global step."""
        if self._sign_decay_fn is not None:
            decay = self._sign_decay_fn(global_step)
            self._decay_of_signs = convert_to_tensor(decay, name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _prepare(self) -> None:
        super()._prepare()
        if self._sign_decay_fn is not None:
            self._number_tensors["sign_decay"] = self._decay_of_signs

    def _number(self, name: str, like: Variable) -> Tensor:
        return self._cast(self._number_tensors[name], like.dtype.base_dtype)

    def _momentum_update(self, grad: IndexedSlices, var: Variable) -> Tensor:
        m, beta = self.get_slot(var, "m"), self._number("beta", var)
        return assign(m, m * beta + grad * (1 - beta), use_locking=self._use_locking)

    def _signs(self, grad: IndexedSlices, m: TensorLike) -> Tensor:
        signs = build.Sign(grad.values)
        return gather(build.Sign(m), grad.indices) * signs

    def _stepped(
        self, grad: IndexedSlices, var: Variable, factors: Tensor, m: Tensor, rate: Tensor
    ) -> Operation:
        step = rate * factors * grad.values
        update = build.ScatterSub(var._ref(), grad.indices, step, use_locking=self._use_locking)
        return group(update, m)

    def _resource_apply_sparse(
        self, grad: Tensor, var: ResourceVariable, indices: Tensor
    ) -> Operation:
        raise NotImplementedError


@export("contrib.opt.PowerSignOptimizer")
class PowerSignOptimizer(_SignOptimizer):
    """PowerSign (Bello et al., 2017).

    m <- beta m + (1 - beta) g; var <- var - learning_rate base^(decay sign(g) sign(m)) g.

    Args:
        learning_rate: a number or tensor.
        base: the base of the power, positive.
        beta: the decay of the average of gradients.
        sign_decay_fn: a function from the global step to the decay; None means 1.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
    """

    op_name = "PowerSign"
    number_inputs = {  # noqa: RUF012
        "lr": "learning_rate",
        "logbase": "logbase",
        "sign_decay": "sign_decay",
        "beta": "beta",
    }

    def __init__(
        self,
        learning_rate: TensorLike = 0.1,
        base: float = math.e,
        beta: TensorLike = 0.9,
        sign_decay_fn: Callable[..., Any] | None = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        super().__init__(
            sign_decay_fn,
            use_locking,
            name,
            learning_rate=learning_rate,
            beta=beta,
            logbase=math.log(base),
        )

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        rate, logbase = self._number("learning_rate", var), self._number("logbase", var)
        e = self._cast(math.e, var.dtype.base_dtype)
        m = self._momentum_update(grad, var)
        signs = self._signs(grad, m)
        decay = self._number("sign_decay", var)
        return self._stepped(grad, var, build.Pow(e, logbase * decay * signs), m, rate)


@export("contrib.opt.AddSignOptimizer")
class AddSignOptimizer(_SignOptimizer):
    """AddSign (Bello et al., 2017).

    m <- beta m + (1 - beta) g; var <- var - learning_rate (alpha + decay sign(g) sign(m)) g.

    Args:
        learning_rate: a number or tensor.
        alpha: what is added to the product of the signs.
        beta: the decay of the average of gradients.
        sign_decay_fn: a function from the global step to the decay; None means 1.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
    """

    op_name = "AddSign"
    number_inputs = {  # noqa: RUF012
        "lr": "learning_rate",
        "alpha": "alpha",
        "sign_decay": "sign_decay",
        "beta": "beta",
    }

    def __init__(
        self,
        learning_rate: TensorLike = 0.1,
        alpha: TensorLike = 1.0,
        beta: TensorLike = 0.9,
        sign_decay_fn: Callable[..., Any] | None = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        super().__init__(
            sign_decay_fn,
            use_locking,
            name,
            learning_rate=learning_rate,
            beta=beta,
            alpha=alpha,
        )

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        rate, alpha = self._number("learning_rate", var), self._number("alpha", var)
        m = self._momentum_update(grad, var)
        signs = self._signs(grad, m)
        decay = self._number("sign_decay", var)
        return self._stepped(grad, var, alpha + decay * signs, m, rate)
