"""Plain gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import IndexedSlices, Operation, Tensor, build, convert_to_tensor, export
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import ResourceVariable


def kernel_gradient_descent(xp: ArrayModule, var: Array, alpha: Array, delta: Array) -> tuple[Any]:
    return (var - alpha * delta,)


register_apply_ops(
    "ApplyGradientDescent",
    "ResourceApplyGradientDescent",
    variables="var",
    inputs="alpha delta",
    kernel=kernel_gradient_descent,
)


@export("train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    """Gradient descent: var <- var - learning_rate * gradient.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        use_locking: whether updates exclude each other.
        name: the name of the ops.
    """

    def __init__(
        self, learning_rate: TensorLike, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor: TensorLike = None

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")

    def _rate(self, like: TensorLike) -> Tensor:
        return self._cast(self._learning_rate_tensor, like.dtype.base_dtype)

    def _apply_dense(self, grad: TensorLike, var: TensorLike) -> Operation:
        return build.ApplyGradientDescent(
            var, self._rate(var), grad, use_locking=self._use_locking
        ).op

    def _resource_apply_dense(self, grad: TensorLike, handle: ResourceVariable) -> Operation:
        return build.ResourceApplyGradientDescent(
            handle.handle, self._rate(grad), grad, use_locking=self._use_locking
        )

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: TensorLike) -> Operation:
        delta = build.Mul(grad.values, self._rate(var), name="mul")
        return var.scatter_sub(
            type(grad)(delta, grad.indices, grad.dense_shape), use_locking=self._use_locking
        )

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: ResourceVariable, indices: TensorLike
    ) -> Operation:
        # TensorFlow takes the rate as it was given here, not the tensor made of it.
        step = -grad * self._call_if_callable(self._learning_rate)
        return build.ResourceScatterAdd(handle.handle, indices, step)
