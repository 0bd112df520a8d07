"""Weight decay that does not go through the gradient: AdamW, MomentumW, any optimizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.typing import TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
)
from headwater.ops.array.gather import gather
from headwater.train.optimizers.adam import AdamOptimizer
from headwater.train.optimizers.momentum import MomentumOptimizer
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer
from headwater.train.optimizers.variable_scatter import scatter_add

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import ResourceVariable, UnreadVariable
    from headwater.model.variables.variable import Variable


@export("contrib.opt.DecoupledWeightDecayExtension")
class DecoupledWeightDecayExtension:
    """Decays variables before each step (Loshchilov and Hutter, 2019).

    A class that derives from this one and from an optimizer, in this order, is that optimizer with
    var <- var - weight_decay * var before each update.

    Args:
        weight_decay: a number or tensor.
        **kwargs: the arguments of the optimizer.
    """

    def __init__(self, weight_decay: TensorLike, **kwargs: Any) -> None:
        self._decay_var_list: set[Variable] | None = None
        self._weight_decay = weight_decay
        self._weight_decay_tensor: TensorLike = None
        super().__init__(**kwargs)

    def minimize(
        self,
        loss: TensorLike,
        global_step: TensorLike | None = None,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
        decay_var_list: Sequence[Variable] | None = None,
    ) -> Operation:
        """As in Optimizer; all variables decay, `decay_var_list` is ignored.

        TensorFlow 1.15 forgets the list before it applies the gradients; `apply_gradients` does
        not.
        """
        return super().minimize(  # type: ignore[misc]
            loss,
            global_step=global_step,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            name=name,
            grad_loss=grad_loss,
        )

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
        decay_var_list: Sequence[Variable] | None = None,
    ) -> Operation:
        """As in Optimizer; `decay_var_list` has the variables that decay, None means all."""
        self._decay_var_list = set(decay_var_list) if decay_var_list else None
        return super().apply_gradients(  # type: ignore[misc]
            grads_and_vars, global_step=global_step, name=name
        )

    def _prepare(self) -> None:
        self._weight_decay_tensor = convert_to_tensor(self._weight_decay, name="weight_decay")
        super()._prepare()  # type: ignore[misc]

    def _decays(self, var: Variable) -> bool:
        return not self._decay_var_list or var in self._decay_var_list

    def _decayed(self, var: Variable) -> Operation | Tensor | UnreadVariable:
        if not self._decays(var):
            return build.NoOp()
        return var.assign_sub(self._weight_decay * var, self._use_locking)  # type: ignore[attr-defined]

    def _decayed_rows(self, var: TensorLike, indices: TensorLike) -> Tensor:
        if not self._decays(var):
            return build.NoOp()
        change = -self._weight_decay * gather(var, indices)
        return scatter_add(var, indices, change, self._use_locking)  # type: ignore[attr-defined]

    def _apply_dense(self, grad: Tensor, var: Variable) -> Operation:
        with control_dependencies([self._decayed(var)]):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Tensor, var: TensorLike) -> Operation:
        with control_dependencies([self._decayed(var)]):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        with control_dependencies([self._decayed_rows(var, grad.indices)]):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(
        self, grad: Tensor, var: ResourceVariable, indices: Tensor
    ) -> Operation:
        with control_dependencies([self._decayed_rows(var, indices)]):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


@export("contrib.opt.extend_with_decoupled_weight_decay")
def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> type[Optimizer]:
    """A class of optimizers with weight decay.

    Args:
        base_optimizer: a class of optimizers.

    Returns:
        A class whose first argument is `weight_decay`; the others are those of the base.
    """

    class OptimizerWithDecoupledWeightDecay(
        DecoupledWeightDecayExtension,
        base_optimizer,  # type: ignore[valid-type, misc]
    ):
        """The base optimizer with decoupled weight decay."""

        def __init__(self, weight_decay: TensorLike, *args: Any, **kwargs: Any) -> None:
            super().__init__(weight_decay, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


@export("contrib.opt.MomentumWOptimizer")
class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """MomentumOptimizer with decoupled weight decay (Loshchilov and Hutter, 2019).

    Args:
        weight_decay: a number or tensor.
        learning_rate: as in MomentumOptimizer, like all others.
    """

    def __init__(
        self,
        weight_decay: TensorLike,
        learning_rate: TensorLike,
        momentum: TensorLike,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


@export("contrib.opt.AdamWOptimizer")
class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """AdamOptimizer with decoupled weight decay (Loshchilov and Hutter, 2019).

    Args:
        weight_decay: a number or tensor.
        learning_rate: as in AdamOptimizer, like all others.
    """

    def __init__(
        self,
        weight_decay: TensorLike,
        learning_rate: TensorLike = 0.001,
        beta1: TensorLike = 0.9,
        beta2: TensorLike = 0.999,
        epsilon: TensorLike = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )
