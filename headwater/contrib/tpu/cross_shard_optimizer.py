"""CrossShardOptimizer: gradients added over the replicas before another optimizer applies them."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import IndexedSlices, Operation, get_default_graph
from headwater.ops.replicas.cross_replica import cross_replica_sum
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer

_REDUCTIONS = ("weighted_sum", "weighted_mean")


@export("tpu.CrossShardOptimizer", "contrib.tpu.CrossShardOptimizer")
class CrossShardOptimizer(Optimizer):
    """Adds gradients over the replicas of a program and applies them by another optimizer.

    Args:
        opt: the other optimizer.
        reduction: `tf.losses.Reduction.MEAN` or `SUM`.
        name: the name of the optimizer.
        group_assignment: the replicas that are added; None for all.

    Raises:
        ValueError: if `reduction` is another one.
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: str = "weighted_mean",
        name: str = "CrossShardOptimizer",
        group_assignment: Any = None,
    ) -> None:
        if reduction not in _REDUCTIONS:
            raise ValueError(f"Unsupported reduction: {reduction}.")
        super().__init__(False, name)
        self._opt = opt
        self._reduction = reduction
        self._group_assignment = group_assignment

    def compute_gradients(  # type: ignore[override]
        self, loss: Any, var_list: Any = None, **kwargs: Any
    ) -> Any:
        """As the other optimizer. The mean over one replica is the loss itself.

        Args:
            loss: the tensor to minimize.
            var_list: the variables; None means all trainable ones.
            **kwargs: arguments of the other optimizer's `compute_gradients`.

        Returns:
            Pairs of gradient and variable.
        """
        logging.warning(
            "CrossShardOptimizer should be used within a tpu_shard_context, but got unset "
            "number_of_shards. Assuming 1."
        )
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Operation:
        """Applies the added gradients.

        Args:
            grads_and_vars: pairs of gradient and variable.
            global_step: the variable that counts steps; or None.
            name: the name of the op.

        Returns:
            The op.
        """
        summed: list[tuple[Any, Any]] = []
        for grad, var in grads_and_vars:
            if grad is None:
                summed.append((grad, var))
                continue
            with get_default_graph().colocate_with(grad):
                summed.append((self._sum(grad), var))
        return self._opt.apply_gradients(summed, global_step, name)

    def _sum(self, grad: Any) -> Any:
        if not isinstance(grad, IndexedSlices):
            return cross_replica_sum(grad, self._group_assignment)
        # Rows that replicas share add up where the gradient is applied.
        values = cross_replica_sum(grad.values, self._group_assignment)
        return IndexedSlices(values, grad.indices, grad.dense_shape)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As the other optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """As the other optimizer."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """As the other optimizer."""
        return self._opt.variables()
