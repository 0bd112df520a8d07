"""An optimizer that scales the loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.mixed_precision.loss_scale_manager import LossScaleManager
from headwater.graph import Tensor, build, convert_to_tensor, group
from headwater.model.variables.variable import Variable
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_all
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer


@export("contrib.mixed_precision.LossScaleOptimizer")
class LossScaleOptimizer(Optimizer):
    """Scales the loss for another optimizer, and skips steps whose gradients are not finite.

    Args:
        opt: the other optimizer.
        loss_scale_manager: the scale, a LossScaleManager.
    """

    def __init__(self, opt: Optimizer, loss_scale_manager: LossScaleManager) -> None:
        super().__init__(opt._use_locking, opt._name)
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(
        self,
        loss: Any,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """Builds the gradients of the scaled loss, divided by the scale.

        Args:
            loss: the tensor to minimize, or a function without arguments that returns it.
            var_list: the variables; None means all trainable ones.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
            aggregation_method: how gradients are added.
            colocate_gradients_with_ops: places each gradient with its op.
            grad_loss: the gradient of the loss; None means ones.

        Returns:
            A list of (dense gradient or None, variable).
        """
        scale = self._loss_scale_manager.get_loss_scale()

        def scaled() -> Tensor:
            value = loss() if callable(loss) else loss
            return value * cast(scale, value.dtype.base_dtype)

        pairs = self._opt.compute_gradients(
            scaled if callable(loss) else scaled(),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        inverse = build.Reciprocal(scale)
        return [
            (None if grad is None else convert_to_tensor(grad) * cast(inverse, grad.dtype), v)
            for grad, v in pairs
        ]

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Builds an op that applies gradients if they are finite, and adapts the scale.

        Args:
            grads_and_vars: pairs (gradient, variable).
            global_step: a variable that is incremented after the updates.
            name: the name of the op of the other optimizer.

        Returns:
            The op.

        Raises:
            ValueError: if a gradient is None, or there are no variables.
        """
        pairs = list(grads_and_vars)
        finite = reduce_all([reduce_all(build.IsFinite(grad)) for grad, _ in pairs])

        def applied() -> Any:
            return self._opt.apply_gradients(pairs, global_step=global_step, name=name)

        update = cond(finite, applied, build.NoOp)
        return group(update, self._loss_scale_manager.update_loss_scale(finite))

    def _never(self, *args: Any) -> NoReturn:
        raise RuntimeError("This function should never be called")

    _apply_sparse = _apply_dense = _resource_apply_sparse = _resource_apply_dense = _never  # type: ignore[assignment]
