"""Adam: steps scaled by moving averages of the gradient and of its square."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    control_dependencies,
    export,
    get_default_graph,
    group,
)
from headwater.graph.execution_mode import init_scope
from headwater.train.optimizers import native_adam
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates
from headwater.train.optimizers.variable_scatter import scatter_add

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import ResourceVariable
    from headwater.model.variables.variable import Variable


def kernel_adam(
    xp: ArrayModule,
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
    *,
    use_nesterov: bool,
) -> tuple[Any, ...]:
    if xp is not np:
        numbers = (beta1_power, beta2_power, lr, beta1, beta2, epsilon)
        done = native_adam.adam((var, m, v), numbers, grad, use_nesterov)
        if done is not None:
            return done
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    m = m + (grad - m) * (1 - beta1)
    v = v + (grad * grad - v) * (1 - beta2)
    step = m * beta1 + (1 - beta1) * grad if use_nesterov else m
    return var - (step * rate) / (xp.sqrt(v) + epsilon), m, v


def kernel_adam_with_amsgrad(
    xp: ArrayModule,
    var: Array,
    m: Array,
    v: Array,
    vhat: Array,
    beta1_power: Array,
    beta2_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
) -> tuple[Any, Any, Any, Any]:
    rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
    m = m + (grad - m) * (1 - beta1)
    v = v + (grad * grad - v) * (1 - beta2)
    vhat = xp.maximum(vhat, v)
    return var - (m * rate) / (xp.sqrt(vhat) + epsilon), m, v, vhat


register_apply_ops(
    "ResourceApplyAdamWithAmsgrad",
    variables="var m v vhat",
    inputs="beta1_power beta2_power lr beta1 beta2 epsilon grad",
    kernel=kernel_adam_with_amsgrad,
)
register_apply_ops(
    "ApplyAdam",
    "ResourceApplyAdam",
    variables="var m v",
    inputs="beta1_power beta2_power lr beta1 beta2 epsilon grad",
    attrs="use_nesterov: bool = false",
    kernel=kernel_adam,
)


@export("train.AdamOptimizer")
class AdamOptimizer(Optimizer, SlotUpdates):
    """Adam (Kingma and Ba, 2015, section 2, with epsilon outside the bias correction).

    lr_t = learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t);
    m <- beta1 m + (1 - beta1) g; v <- beta2 v + (1 - beta2) g^2;
    var <- var - lr_t m / (sqrt(v) + epsilon).

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        beta1: decay of the average of gradients.
        beta2: decay of the average of squared gradients.
        epsilon: a small constant against division by zero.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
    """

    op_name = "Adam"
    slot_inputs = {"m": "m", "v": "v"}  # noqa: RUF012
    number_inputs = {  # noqa: RUF012
        "beta1_power": "beta1_power",
        "beta2_power": "beta2_power",
        "lr": "learning_rate",
        "beta1": "beta1",
        "beta2": "beta2",
        "epsilon": "epsilon",
    }
    # Nadam overrides it.
    _use_nesterov = False

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        beta1: TensorLike = 0.9,
        beta2: TensorLike = 0.999,
        epsilon: TensorLike = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        SlotUpdates.__init__(self, use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t: TensorLike = None
        self._beta1_t: TensorLike = None
        self._beta2_t: TensorLike = None
        self._epsilon_t: TensorLike = None
        self._op_attrs = {"use_nesterov": self._use_nesterov}

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        with init_scope():  # the variables of a function stand outside of it
            graph = get_default_graph()
        return (
            self._get_non_slot_variable("beta1_power", graph=graph),
            self._get_non_slot_variable("beta2_power", graph=graph),
        )

    def _create_slots(self, var_list: list[Any]) -> None:
        # All towers share the powers: they belong to the variable whose name comes first.
        first = min(var_list, key=lambda x: x.name)
        for name, value in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            self._create_non_slot_variable(
                initial_value=self._call_if_callable(value), name=name, colocate_with=first
            )
        super()._create_slots(var_list)

    def _prepare(self) -> None:
        # Programs change the attributes between calls.
        self._numbers = {
            "learning_rate": self._lr,
            "beta1": self._beta1,
            "beta2": self._beta2,
            "epsilon": self._epsilon,
        }
        super()._prepare()
        self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t = self._number_tensors.values()

    def _number_values(self) -> dict[str, Any]:
        power1, power2 = self._get_beta_accumulators()
        return {"beta1_power": power1, "beta2_power": power2, **self._number_tensors}

    def _apply_sparse_shared(
        self, grad: Tensor, var: TensorLike, indices: TensorLike, scatter_add: Callable[..., Any]
    ) -> Operation:
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._op_numbers(var).values()
        rate = lr * build.Sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = grad * (1 - beta1)
        m_t = m.assign(m * beta1, use_locking=self._use_locking)
        with control_dependencies([m_t]):
            m_t = scatter_add(m, indices, new_m)
        new_v = (grad * grad) * (1 - beta2)
        v_t = v.assign(v * beta2, use_locking=self._use_locking)
        with control_dependencies([v_t]):
            v_t = scatter_add(v, indices, new_v)
        root = build.Sqrt(v_t)
        update = var.assign_sub(rate * m_t / (root + epsilon), use_locking=self._use_locking)
        return group(update, m_t, v_t)

    def _scatter_add(self, var: Variable, indices: TensorLike, rows: TensorLike) -> Tensor:
        return scatter_add(var, indices, rows, self._use_locking)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        return self._apply_sparse_shared(grad.values, var, grad.indices, self._scatter_add)

    def _resource_apply_sparse(
        self, grad: Tensor, var: ResourceVariable, indices: Tensor
    ) -> Operation:
        return self._apply_sparse_shared(grad, var, indices, self._scatter_add)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        with control_dependencies(update_ops):
            power1, power2 = self._get_beta_accumulators()
            with get_default_graph().colocate_with(power1):
                update1 = power1.assign(power1 * self._beta1_t, use_locking=self._use_locking)
                update2 = power2.assign(power2 * self._beta2_t, use_locking=self._use_locking)
        return group(*update_ops, update1, update2, name=name_scope)
