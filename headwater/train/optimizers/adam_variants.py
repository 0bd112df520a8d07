"""Variants of Adam that change its steps: Nadam, LazyAdam, AdamGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, control_dependencies, export, group
from headwater.ops.array.gather import gather
from headwater.ops.math.cast import cast
from headwater.train.optimizers.adam import AdamOptimizer
from headwater.train.optimizers.slot_updates import SlotUpdates

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import ResourceVariable


@export("contrib.opt.NadamOptimizer")
class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum (Dozat, 2015); the arguments are those of AdamOptimizer."""

    _use_nesterov = True

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
            ahead = new_m + beta1 * gather(m_t, indices)
        new_v = (grad * grad) * (1 - beta2)
        v_t = v.assign(v * beta2, use_locking=self._use_locking)
        with control_dependencies([v_t]):
            v_t = scatter_add(v, indices, new_v)
        root = build.Sqrt(gather(v_t, indices))
        update = scatter_add(var, indices, -rate * ahead / (root + epsilon))
        return group(update, ahead, v_t)


@export("contrib.opt.LazyAdamOptimizer")
class LazyAdamOptimizer(AdamOptimizer):
    """Adam that leaves rows without a gradient, and their averages, unchanged.

    The arguments are those of AdamOptimizer.
    """

    def _apply_sparse(self, grad: Any, var: TensorLike) -> Operation:
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._op_numbers(var).values()
        rows, indices, locking = grad.values, grad.indices, self._use_locking
        rate = lr * build.Sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = beta1 * gather(m, indices) + (1 - beta1) * rows
        m_t = build.ScatterUpdate(m._ref(), indices, m_rows, use_locking=locking)
        v_rows = beta2 * gather(v, indices) + (1 - beta2) * build.Square(rows)
        v_t = build.ScatterUpdate(v._ref(), indices, v_rows, use_locking=locking)
        m_now, v_now = gather(m_t, indices), gather(v_t, indices)
        bottom = build.Sqrt(v_now) + epsilon
        step = rate * m_now / bottom
        update = build.ScatterSub(var._ref(), indices, step, use_locking=locking)
        return group(update, m_t, v_t)

    def _resource_apply_sparse(
        self, grad: TensorLike, var: ResourceVariable, indices: TensorLike
    ) -> Operation:
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._op_numbers(var).values()
        rate = lr * build.Sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = beta1 * gather(m, indices) + (1 - beta1) * grad
        m_update = build.ResourceScatterUpdate(m.handle, indices, m_rows)
        v_rows = beta2 * gather(v, indices) + (1 - beta2) * build.Square(grad)
        v_update = build.ResourceScatterUpdate(v.handle, indices, v_rows)
        step = rate * m_rows / (build.Sqrt(v_rows) + epsilon)
        return group(build.ResourceScatterSub(var.handle, indices, step), m_update, v_update)


@export("contrib.opt.AdamGSOptimizer")
class AdamGSOptimizer(AdamOptimizer):
    """Adam that takes the number of steps from a given variable instead of power accumulators.

    Args:
        global_step: the variable that counts the steps.
        learning_rate: a number, a tensor, or a function without arguments.
        beta1: decay of the average of gradients.
        beta2: decay of the average of squared gradients.
        epsilon: a small constant against division by zero.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
    """

    def __init__(
        self,
        global_step: TensorLike = 0,
        learning_rate: TensorLike = 0.001,
        beta1: TensorLike = 0.9,
        beta2: TensorLike = 0.999,
        epsilon: TensorLike = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._global_step = global_step
        self._step: TensorLike = None

    def _create_slots(self, var_list: list[Any]) -> None:
        SlotUpdates._create_slots(self, var_list)

    def _prepare(self) -> None:
        super()._prepare()
        self._step = cast(build.Identity(self._global_step) + 1, dtypes.float32)

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        return build.Pow(self._beta1_t, self._step), build.Pow(self._beta2_t, self._step)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        return group(*update_ops, name=name_scope)


@export("contrib.opt.LazyAdamGSOptimizer")
class LazyAdamGSOptimizer(LazyAdamOptimizer, AdamGSOptimizer):
    """LazyAdamOptimizer with the number of steps of AdamGSOptimizer."""
