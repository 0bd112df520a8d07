"""AdaMax: Adam with the largest past gradient instead of the mean square."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from headwater.ops.array.gather import gather
from headwater.train.optimizers.adam import AdamOptimizer
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.slot_updates import SlotUpdates
from headwater.train.optimizers.variable_scatter import scatter_add, scatter_update

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import ResourceVariable
    from headwater.model.variables.variable import Variable


def kernel_ada_max(
    xp: ArrayModule,
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Array,
    lr: Array,
    beta1: Array,
    beta2: Array,
    epsilon: Array,
    grad: Array,
) -> tuple[Any, Any, Any]:
    m = m + (grad - m) * (1 - beta1)
    v = xp.maximum(beta2 * v, xp.abs(grad))
    return var - lr / (1 - beta1_power) * (m / (v + epsilon)), m, v


register_apply_ops(
    "ApplyAdaMax",
    "ResourceApplyAdaMax",
    variables="var m v",
    inputs="beta1_power lr beta1 beta2 epsilon grad",
    kernel=kernel_ada_max,
)


@export("contrib.opt.AdaMaxOptimizer")
class AdaMaxOptimizer(AdamOptimizer):
    """AdaMax (Kingma and Ba, 2015, section 7.1).

    m <- beta1 m + (1 - beta1) g; v <- max(beta2 v, |g|);
    var <- var - learning_rate / (1 - beta1^t) m / (v + epsilon).

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        beta1: decay of the average of gradients.
        beta2: decay of the largest gradient.
        epsilon: a small constant against division by zero.
        use_locking: whether updates exclude each other.
        name: the name of the ops and slots.
    """

    op_name = "AdaMax"
    number_inputs = {  # noqa: RUF012
        "beta1_power": "beta1_power",
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
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._op_attrs = {}

    def _get_beta_accumulators(self) -> Any:
        return self._get_non_slot_variable("beta1_power", graph=get_default_graph())

    def _create_slots(self, var_list: list[Any]) -> None:
        self._create_non_slot_variable(
            initial_value=self._call_if_callable(self._beta1),
            name="beta1_power",
            colocate_with=min(var_list, key=lambda x: x.name),
        )
        SlotUpdates._create_slots(self, var_list)

    def _number_values(self) -> dict[str, Any]:
        return {"beta1_power": self._get_beta_accumulators(), **self._number_tensors}

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        return self._apply_to_rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(
        self, grad: Tensor, var: ResourceVariable, indices: Tensor
    ) -> Operation:
        return self._apply_to_rows(grad, var, indices)

    def _apply_to_rows(self, grad: TensorLike, var: Variable, indices: TensorLike) -> Operation:
        beta1_power, lr, beta1, beta2, epsilon = self._op_numbers(grad).values()
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = gather(m, indices) * beta1 + grad * (1 - beta1)
        with control_dependencies([m_rows]):
            m_update = scatter_update(m, indices, m_rows, self._use_locking)
        v_rows = build.Maximum(gather(v, indices) * beta2, build.Abs(grad))
        with control_dependencies([v_rows]):
            v_update = scatter_update(v, indices, v_rows, self._use_locking)
        step = -lr / (1 - beta1_power) * (m_rows / (v_rows + epsilon))
        with control_dependencies([step]):
            update = scatter_add(var, indices, step, self._use_locking)
        return group(update, m_update, v_update)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        with control_dependencies(update_ops):
            power = self._get_beta_accumulators()
            with get_default_graph().colocate_with(power):
                update = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return group(*update_ops, update, name=name_scope)
