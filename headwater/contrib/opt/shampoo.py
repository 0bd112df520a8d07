"""Shampoo: a preconditioner for each dimension of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.opt.matrix_functions import matrix_inverse_pth_root, matrix_square_root
from headwater.graph import IndexedSlices, Tensor, build, convert_to_tensor
from headwater.model.variables.resource_variable import ResourceVariable, is_resource_variable
from headwater.ops.array.fill import zeros
from headwater.ops.array.gather import gather
from headwater.ops.array.transpose import transpose
from headwater.ops.control.cond import cond
from headwater.ops.linalg.decompositions import svd
from headwater.ops.linalg.diagonal import eye
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.train.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


@export("contrib.opt.ShampooOptimizer")
class ShampooOptimizer(Optimizer):
    """Steps along the average gradient, multiplied along each dimension j by H_j.

    H_j = (G_j / d_j + epsilon)^(-alpha / rank), where G_j sums up the products of the gradient
    with itself over all dimensions but j, of length d_j. Long dimensions have a diagonal G_j.
    Source: Gupta, Koren, Singer, "Shampoo: Preconditioned Stochastic Tensor Optimization", 2018.

    Args:
        global_step: the variable that counts the steps.
        max_matrix_size: the greatest length of a dimension whose G_j is a whole matrix.
        gbar_decay: the decay of the average gradient.
        gbar_weight: the weight of a gradient in the average.
        mat_gbar_decay: the decay of G_j.
        mat_gbar_weight: the weight of a gradient in G_j.
        learning_rate: the size of the steps, or a function that returns it.
        svd_interval: the number of steps between two computations of H_j.
        precond_update_interval: the number of steps between two changes of G_j.
        epsilon: what is added to the diagonal.
        alpha: the exponent.
        use_iterative_root: whether powers come from iterations of matrix products; else they come
            from a singular value decomposition.
        use_locking: whether updates hold a lock.
        name: the name scope of its ops.
    """

    def __init__(
        self,
        global_step: TensorLike = 0,
        max_matrix_size: int = 768,
        gbar_decay: TensorLike = 0.0,
        gbar_weight: TensorLike = 1.0,
        mat_gbar_decay: TensorLike = 1.0,
        mat_gbar_weight: float = 1.0,
        learning_rate: TensorLike = 1.0,
        svd_interval: int = 1,
        precond_update_interval: int = 1,
        epsilon: float = 1e-4,
        alpha: float = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "Shampoo",
    ) -> None:
        super().__init__(use_locking, name)
        self._global_step = build.Cast(convert_to_tensor(global_step), DstT=dtypes.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar_decay = gbar_decay
        self._gbar_weight = gbar_weight
        self._mat_gbar_decay = mat_gbar_decay
        self._mat_gbar_weight = mat_gbar_weight
        self._learning_rate = learning_rate
        self._svd_interval = svd_interval
        self._precond_update_interval = precond_update_interval
        self._epsilon = epsilon
        self._alpha = alpha
        self._use_iterative_root = use_iterative_root

    def _value(self, number: Any, step: Tensor) -> Tensor | float:
        return number(step) if callable(number) else number

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            self._zeros_slot(var, "gbar", self._name)
            for i, size in enumerate(var.get_shape().as_list()):
                if size <= self._max_matrix_size:
                    if self._svd_interval > 1:
                        self._get_or_make_slot(var, eye(size, dtype=dtype), f"H_{i}", self._name)
                    initial = zeros([size, size], dtype)
                else:
                    initial = zeros([size], dtype)
                self._get_or_make_slot(var, initial, f"Gbar_{i}", self._name)

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        return self._step(grad, var)

    def _resource_apply_dense(self, grad: Tensor, handle: ResourceVariable) -> Any:
        return self._step(grad, handle)

    def _apply_sparse(self, grad: TensorLike, var: TensorLike) -> Any:
        if var.get_shape().as_list()[0] <= self._max_matrix_size or self._gbar_decay:
            return self._step(convert_to_tensor(grad), var)
        return self._step(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Tensor, handle: TensorLike, indices: Tensor) -> Any:
        shape = convert_to_tensor(handle.get_shape().as_list(), dtype=indices.dtype)
        return self._apply_sparse(IndexedSlices(grad, indices, shape), handle)

    def _step(
        self, grad: Tensor, var: TensorLike, indices: Tensor | None = None
    ) -> Tensor | Variable:
        """The step of one variable, or of the rows of it that `indices` names."""
        step = self._global_step + 1.0
        shape = var.get_shape().as_list()
        average: Tensor = self._value(self._gbar_weight, step) * grad
        if callable(self._gbar_decay) or self._gbar_decay:
            gbar = self.get_slot(var, "gbar")
            decay = self._value(self._gbar_decay, step)
            average = convert_to_tensor(gbar.assign_add((decay - 1.0) * gbar + average))
        direction = average
        # Each product moves the first dimension to the end; the last one restores the order.
        for i, size in enumerate(shape):
            rest = [k for k in range(len(shape)) if k != i]
            power = -self._alpha / len(shape)
            if size > self._max_matrix_size:
                rows = indices if i == 0 else None
                weights = self._diagonal(step, grad, var, i, rest, rows) + self._epsilon
                scale = build.Reshape(weights**power, [-1] + [1] * len(rest))
                direction = direction * scale
                direction = transpose(direction, [*range(1, len(shape)), 0])
                continue
            factor = self._matrix_power(step, grad, var, i, size, power)
            flat = build.Reshape(transpose(direction, [*range(1, len(shape)), 0]), [-1, size])
            sizes = [*(direction.get_shape().as_list()[1:]), size]
            dims = [-1 if n is None else n for n in sizes]
            direction = build.Reshape(matmul(flat, factor), dims)
        change = self._value(self._learning_rate, step) * direction
        if indices is None:
            return var.assign_sub(change)
        if is_resource_variable(var):
            return build.ResourceScatterSub(var.handle, indices, change)
        return build.ScatterSub(var, indices, change, use_locking=self._use_locking)

    def _sometimes(
        self, step: Tensor, interval: int, change: Callable[..., Any], keep: Callable[..., Any]
    ) -> Tensor:
        """The result of `change` in every step whose number is a multiple of `interval`."""
        if interval <= 1:
            return change()
        return cond(build.FloorMod(step, float(interval)) < 1.0, change, keep)

    def _accumulated(self, step: Tensor, slot: Variable, product: Tensor, weight: float) -> Tensor:
        decay = self._value(self._mat_gbar_decay, step)
        new = self._value(self._mat_gbar_weight, step) * weight * product
        if not callable(self._mat_gbar_decay) and decay == 1.0:
            return convert_to_tensor(slot.assign_add(new))
        return convert_to_tensor(slot.assign(decay * slot + new))

    def _diagonal(
        self,
        step: Tensor,
        grad: Tensor,
        var: TensorLike,
        axis: int,
        rest: list[int],
        rows: Tensor | None,
    ) -> Tensor:
        slot = self.get_slot(var, f"Gbar_{axis}")
        product = reduce_sum(grad * grad, axis=rest) if rest else grad * grad
        if rows is not None:
            weighted = self._value(self._mat_gbar_weight, step) * product
            size = slot.get_shape().as_list()[0]
            total = slot.assign_add(build.UnsortedSegmentSum(weighted, rows, size))
            return gather(convert_to_tensor(total), rows)
        total = self._accumulated(step, slot, product, 1.0)
        return total / float(var.get_shape().as_list()[axis]) if rest else total

    def _matrix_power(
        self, step: Tensor, grad: Tensor, var: TensorLike, axis: int, size: int, power: float
    ) -> Tensor:
        rank = len(var.get_shape().as_list())
        order = [axis, *[k for k in range(rank) if k != axis]]

        slot = self.get_slot(var, f"Gbar_{axis}")
        interval = self._precond_update_interval

        def changed() -> Tensor:
            flat = build.Reshape(transpose(grad, order), [size, -1])
            product = matmul(flat, flat, transpose_b=True)
            return self._accumulated(step, slot, product, float(max(interval, 1)))

        total = self._sometimes(step, interval, changed, lambda: convert_to_tensor(slot))
        mean = total / float(size)

        def powered() -> Tensor:
            if self._use_iterative_root:
                root = matrix_square_root(mean, size, ridge_epsilon=self._epsilon)
                return matrix_inverse_pth_root(
                    root, size, 2 * power, epsilon=self._epsilon, ridge_epsilon=0.0
                )
            damped = mean + self._epsilon * eye(size, dtype=mean.dtype)
            sigma, u, v = svd(damped)
            scaled = v * build.Maximum(sigma, self._epsilon) ** power
            return matmul(scaled, u, transpose_b=True)

        if self._svd_interval <= 1:
            return powered()
        known = self.get_slot(var, f"H_{axis}")
        return self._sometimes(
            step,
            self._svd_interval,
            lambda: convert_to_tensor(known.assign(powered())),
            lambda: convert_to_tensor(known),
        )
