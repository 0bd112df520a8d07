"""An optimizer that scales the loss, and the switch that programs use for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import IndexedSlices, Tensor, build, group
from headwater.model.smart_cond import smart_cond
from headwater.model.variables.variable import Variable
from headwater.ops.math.cast import cast
from headwater.train.mixed_precision.loss_scale import LossScale, loss_scale_of
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer


@export("train.experimental.MixedPrecisionLossScaleOptimizer")
class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Scales the loss for another optimizer, and skips steps whose gradients are not finite.

    Args:
        opt: the other optimizer.
        loss_scale: a number, "dynamic" or a LossScale.

    Raises:
        ValueError: if `opt` is no optimizer, or `loss_scale` is something else.
    """

    def __init__(self, opt: Optimizer, loss_scale: LossScale | float | str) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt._name)
        self._optimizer = opt
        scale = loss_scale_of(loss_scale)
        if scale is None:
            raise ValueError("loss_scale cannot be None")
        self._loss_scale = scale
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(scale, "loss_scale")

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
            A list of (gradient or None, variable).
        """
        pairs = self._optimizer.compute_gradients(
            self._scaled(loss),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        reciprocal = 1 / self._loss_scale()
        return [(scaled_gradient(grad, reciprocal), variable) for grad, variable in pairs]

    def _scaled(self, loss: Any) -> Any:
        scale = self._loss_scale()
        if callable(loss):

            def scaled_loss() -> Tensor:
                value = loss()
                return value * cast(scale, value.dtype)

            return scaled_loss
        return loss * cast(scale, loss.dtype)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Builds an op that applies gradients if they are finite, and adapts the scale.

        Args:
            grads_and_vars: pairs (gradient or None, variable).
            global_step: a variable that is incremented after the updates.
            name: the name of the op.

        Returns:
            The op.
        """
        pairs = list(grads_and_vars)
        update, finite = self._loss_scale.update([grad for grad, _ in pairs])

        def applied() -> Any:
            return self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)

        return group(smart_cond(finite, applied, build.NoOp), update)

    def _never(self, *args: Any) -> NoReturn:
        raise RuntimeError("This function should never be called")

    _apply_sparse = _apply_dense = _resource_apply_sparse = _resource_apply_dense = _never  # type: ignore[assignment]


def scaled_gradient(grad: Any, factor: Tensor) -> Any:
    """A gradient, dense, sparse or None, times a scalar."""
    if grad is None:
        return None
    if isinstance(grad, IndexedSlices):
        values = grad.values * cast(factor, grad.dtype)
        return IndexedSlices(values, grad.indices, grad.dense_shape)
    return grad * cast(factor, grad.dtype)


@export("train.experimental.enable_mixed_precision_graph_rewrite")
def enable_mixed_precision_graph_rewrite(
    opt: Optimizer, loss_scale: LossScale | float | str = "dynamic"
) -> MixedPrecisionLossScaleOptimizer:
    """Scales the loss of an optimizer, as TensorFlow does for mixed precision.

    The ops of the graph keep their types: nothing is computed in float16 that the program has not
    made so, as in TensorFlow on devices other than recent GPUs.

    Args:
        opt: the optimizer.
        loss_scale: a number, "dynamic" or a LossScale.

    Returns:
        An optimizer that scales the loss.

    Raises:
        ValueError: if `opt` is no optimizer, or scales the loss already.
    """
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError(
            '"opt" must not already be an instance of a MixedPrecisionLossScaleOptimizer. '
            "`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer with a "
            "MixedPrecisionLossScaleOptimizer."
        )
    if not isinstance(opt, Optimizer):
        raise ValueError(
            '"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, '
            f"but got: {opt}"
        )
    logging.log_first_n(
        logging.WARN,
        "enable_mixed_precision_graph_rewrite() scales the loss; the ops of the graph keep their "
        "types.",
        1,
    )
    return MixedPrecisionLossScaleOptimizer(opt, loss_scale)


@export("train.experimental.disable_mixed_precision_graph_rewrite")
def disable_mixed_precision_graph_rewrite() -> None:
    """Does nothing: ops keep their types anyway. Optimizers that scale the loss keep doing so."""
