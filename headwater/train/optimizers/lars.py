"""LARS: a learning rate for each variable, from the norms of weights and gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.typing import TensorLike
from headwater.graph import IndexedSlices, Operation, Tensor, build, convert_to_tensor, export
from headwater.ops.linalg.norm import norm
from headwater.train.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import ResourceVariable
    from headwater.model.variables.variable import Variable


@export("contrib.opt.LARSOptimizer")
class LARSOptimizer(Optimizer):
    """Layer-wise adaptive rate scaling with momentum (You et al., 2017).

    rate = learning_rate eeta |w| / (|g| + weight_decay |w| + epsilon); the momentum takes
    rate (g + weight_decay w). Variables on the skip list have the plain learning rate, no decay.

    Args:
        learning_rate: a number or tensor.
        momentum: how much of the accumulated steps is kept, not negative.
        weight_decay: not negative.
        eeta: the trust coefficient.
        epsilon: a small constant against division by zero.
        name: the name of the ops and slots.
        skip_list: parts of names of variables that are not scaled.
        use_nesterov: whether the gradient is that of a look ahead.

    Raises:
        ValueError: if a number is negative.
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(use_locking=False, name=name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov
        self._learning_rate_tensor: TensorLike = None
        self._momentum_tensor: TensorLike = None

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def compute_lr(self, grad: TensorLike, var: TensorLike) -> tuple[Any, Any]:
        """The learning rate of a variable and its gradient with weight decay."""
        if self._skip_list is not None and any(part in var.name for part in self._skip_list):
            return self._learning_rate, grad
        weights, slope = norm(var, ord=2), norm(grad, ord=2)
        some_weights, some_slope = build.Greater(weights, 0), build.Greater(slope, 0)
        top = self._eeta * weights
        bottom = slope + self._weight_decay * weights + self._epsilon
        trust = build.Select(some_weights, build.Select(some_slope, top / bottom, 1.0), 1.0)
        return self._learning_rate * trust, grad + self._weight_decay * var

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")
        momentum = self._call_if_callable(self._momentum)
        self._momentum_tensor = convert_to_tensor(momentum, name="momentum")

    def _step(self, grad: Tensor, var: Variable) -> tuple[Tensor, Tensor, Any]:
        """The inputs of the momentum op after the variables."""
        rate, grad = self.compute_lr(grad, var)
        return self._cast(1.0, var.dtype.base_dtype), grad * rate, self._momentum

    def _apply_dense(self, grad: Tensor, var: TensorLike) -> Operation:
        m = self.get_slot(var, "momentum")
        return build.ApplyMomentum(
            var, m, *self._step(grad, var), use_locking=False, use_nesterov=self._use_nesterov
        ).op

    def _resource_apply_dense(self, grad: Tensor, var: ResourceVariable) -> Operation:
        m = self.get_slot(var, "momentum")
        return build.ResourceApplyMomentum(
            var.handle,
            m.handle,
            *self._step(grad, var),
            use_locking=False,
            use_nesterov=self._use_nesterov,
        )

    def _row_inputs(self, like: TensorLike, rows: Tensor, indices: Tensor) -> list[Any]:
        dtype = like.dtype.base_dtype
        rate = self._cast(self._learning_rate_tensor, dtype)
        return [rate, rows, indices, self._cast(self._momentum_tensor, dtype)]

    def _apply_sparse(self, grad: IndexedSlices, var: TensorLike) -> Operation:
        m = self.get_slot(var, "momentum")
        return build.SparseApplyMomentum(
            var,
            m,
            *self._row_inputs(var, grad.values, grad.indices),
            use_locking=False,
            use_nesterov=self._use_nesterov,
        ).op

    def _resource_apply_sparse(
        self, grad: TensorLike, var: ResourceVariable, indices: TensorLike
    ) -> Operation:
        m = self.get_slot(var, "momentum")
        return build.ResourceSparseApplyMomentum(
            var.handle,
            m.handle,
            *self._row_inputs(grad, grad, indices),
            use_locking=False,
            use_nesterov=self._use_nesterov,
        )
