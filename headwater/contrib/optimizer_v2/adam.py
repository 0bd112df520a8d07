"""Adam with the hooks of optimizer_v2."""

from __future__ import annotations

from typing import Any, ClassVar

from headwater.base.typing import TensorLike
from headwater.contrib.optimizer_v2.one_op import OneOp
from headwater.contrib.optimizer_v2.optimizer_v2 import OptimizerV2State
from headwater.graph import (
    IndexedSlices,
    Tensor,
    build,
    control_dependencies,
    export,
    get_default_graph,
    group,
)
from headwater.train.optimizers.variable_scatter import scatter_add


@export("contrib.optimizer_v2.AdamOptimizer")
class AdamOptimizer(OneOp):
    """Adam; see `tf.train.AdamOptimizer`.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        beta1: decay of the average of gradients.
        beta2: decay of the average of squared gradients.
        epsilon: a small constant against division by zero.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
    """

    op_name = "Adam"
    slot_inputs: ClassVar = {"m": "m", "v": "v"}
    number_inputs: ClassVar = {
        "lr": "learning_rate",
        "beta1": "beta1",
        "beta2": "beta2",
        "epsilon": "epsilon",
    }

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        beta1: TensorLike = 0.9,
        beta2: TensorLike = 0.999,
        epsilon: TensorLike = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("beta1", beta1)
        self._set_hyper("beta2", beta2)
        self._set_hyper("epsilon", epsilon)

    def _get_beta_accumulators(self, state: OptimizerV2State | None = None) -> tuple[Any, Any]:
        state = self._get_per_graph_state() if state is None else state
        assert state is not None, "No gradients have been applied in this graph."
        return state.get_non_slot("beta1_power"), state.get_non_slot("beta2_power")

    def _create_vars(self, var_list: list[Any], state: OptimizerV2State) -> None:
        # All towers share the powers: they belong to the variable whose name comes first.
        first = min(var_list, key=lambda x: x.name)
        for beta in ("beta1", "beta2"):
            state.create_non_slot(state.get_hyper(beta), f"{beta}_power", colocate_with=first)
        super()._create_vars(var_list, state)

    def _number(self, name: str, like: Any, state: OptimizerV2State) -> Any:
        if name not in ("beta1_power", "beta2_power"):
            return super()._number(name, like, state)
        power = self._get_beta_accumulators(state)[name == "beta2_power"]
        return self._cast(power, like.dtype.base_dtype)

    def _apply_rows(self, grad: Tensor, var: Any, indices: Tensor, state: OptimizerV2State) -> Any:
        power1, power2, lr, beta1, beta2, epsilon = (
            self._number(name, var, state)
            for name in ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon")
        )
        rate = lr * build.Sqrt(1 - power2) / (1 - power1)
        averages = []
        for slot, beta, value in (("m", beta1, grad), ("v", beta2, grad * grad)):
            average = state.get_slot(var, slot)
            decayed = average.assign(average * beta, use_locking=self._use_locking)
            with control_dependencies([decayed]):
                rows = value * (1 - beta)
                averages.append(scatter_add(average, indices, rows, self._use_locking))
        m, v = averages
        step = rate * m / (build.Sqrt(v) + epsilon)
        update = var.assign_sub(step, use_locking=self._use_locking)
        return group(update, m, v)

    def _apply_sparse(self, grad: IndexedSlices, var: Any, state: OptimizerV2State) -> Any:  # type: ignore[override]
        return self._apply_rows(grad.values, var, grad.indices, state)

    def _resource_apply_sparse(  # type: ignore[override]
        self, grad: Tensor, handle: Any, indices: Tensor, state: OptimizerV2State
    ) -> Any:
        return self._apply_rows(grad, handle, indices, state)

    def _finish(self, state: OptimizerV2State) -> Any:  # type: ignore[override]
        powers = self._get_beta_accumulators(state)
        updates = []
        with get_default_graph().colocate_with(powers[0]):
            for power, beta in zip(powers, ("beta1", "beta2")):
                decayed = power * state.get_hyper(beta, power.dtype.base_dtype)
                updates.append(power.assign(decayed, use_locking=self._use_locking))
        return group(*updates)
