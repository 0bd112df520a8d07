"""Steps that are skipped if the variables have changed too often since the loss was computed."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    control_dependencies,
    get_default_graph,
)
from headwater.model.global_step import get_or_create_global_step
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.control.cond import cond
from headwater.ops.summary.scalar import scalar
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer


@export("contrib.opt.DropStaleGradientOptimizer")
class DropStaleGradientOptimizer(Optimizer):
    """An optimizer that drops gradients that are older than a number of steps.

    Args:
        opt: the optimizer that makes the steps.
        staleness: by how much the global step may have grown.
        use_locking: whether updates hold a lock.
        name: the name scope of its ops.
    """

    def __init__(
        self,
        opt: Optimizer,
        staleness: int,
        use_locking: bool = False,
        name: str = "DropStaleGradient",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._staleness = staleness
        self._local_step: TensorLike = None

    def compute_gradients(self, loss: TensorLike, *args: Any, **kwargs: Any) -> NestedTensors:
        """As the inner optimizer, with the global step noted before."""
        self._local_step = get_or_create_global_step() + 0
        with control_dependencies([self._local_step]):
            return self._opt.compute_gradients(build.Identity(loss), *args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As the inner optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """As the inner optimizer."""
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Operation:
        """Applies gradients if they are new enough.

        Args:
            grads_and_vars: pairs (gradient or None, variable).
            global_step: the variable that counts the steps.
            name: the name of the op.

        Returns:
            The number of steps that were left out, as a reference.

        Raises:
            ValueError: if no variable has a gradient, or there is no global step.
        """
        if global_step is None:
            raise ValueError(
                "Trying to reset colocation (op is None) but ignore_existing is not True: "
                "DropStaleGradientOptimizer needs a global step."
            )
        pairs = list(grads_and_vars)
        gradients: list[Tensor] = []
        for gradient, _ in pairs:
            if isinstance(gradient, IndexedSlices):
                gradients.append(gradient.values)
            elif gradient is not None:
                gradients.append(gradient)
        stale_counter = get_variable("stale_counter", [], initializer=Zeros(), trainable=False)

        def accepted() -> Tensor:
            step = self._opt.apply_gradients(pairs, global_step=global_step, name=name)
            with control_dependencies([step]):
                return build.Identity(0.0)

        with (
            control_dependencies(gradients),
            get_default_graph().colocate_with(global_step),
        ):
            staleness = build.Reshape(global_step - self._local_step, [])
        dropped = cond(staleness <= self._staleness, accepted, lambda: build.Identity(1.0))
        update = stale_counter.assign_add(dropped)
        count = build.Cast(global_step + 1, DstT=dtypes.float32)
        scalar("Gradient staleness percentage", stale_counter / count)
        return update
