"""GradientDescent with the hooks of optimizer_v2."""

from __future__ import annotations

from typing import Any, ClassVar

from headwater.base.typing import TensorLike
from headwater.contrib.optimizer_v2.one_op import OneOp
from headwater.contrib.optimizer_v2.optimizer_v2 import OptimizerV2State
from headwater.graph import IndexedSlices, Tensor, build, export
from headwater.ops.state.scatter import scatter_sub


@export("contrib.optimizer_v2.GradientDescentOptimizer")
class GradientDescentOptimizer(OneOp):
    """Gradient descent; see `tf.train.GradientDescentOptimizer`.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        use_locking: whether updates exclude each other.
        name: the name of the ops.
    """

    op_name = "GradientDescent"
    number_inputs: ClassVar = {"alpha": "learning_rate"}

    def __init__(
        self,
        learning_rate: TensorLike,
        use_locking: bool = False,
        name: str = "GradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)

    def _apply_sparse_duplicate_indices(  # type: ignore[override]
        self, grad: IndexedSlices, var: Any, state: OptimizerV2State
    ) -> Any:
        step = grad.values * self._number("alpha", var, state)
        return scatter_sub(var, grad.indices, step, use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(  # type: ignore[override]
        self, grad: Tensor, handle: Any, indices: Tensor, state: OptimizerV2State
    ) -> Any:
        step = -grad * self._number("alpha", handle, state)
        return build.ResourceScatterAdd(handle.handle, indices, step)
