"""GGT: full-matrix preconditioning with the last gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    group,
)
from headwater.model.variables.resource_variable import (
    ResourceVariable,
    UnreadVariable,
    is_resource_variable,
)
from headwater.ops.array.fill import zeros
from headwater.ops.control.cond import cond
from headwater.ops.linalg.decompositions import svd
from headwater.ops.linalg.diagonal import eye
from headwater.ops.math.matmul import matmul
from headwater.train.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


@export("contrib.opt.GGTOptimizer")
class GGTOptimizer(Optimizer):
    """Steps along M U (S^(1/2) + sigma_eps)^-3 U^T M^T m, with M M^T of the last averages m.

    The rows of M^T are the last `window` moving averages of the gradient, divided by the square
    root of their number, and U S U^T is the decomposition of M^T M + svd_eps. If the smallest
    value of S^(1/2) is above `eps`, the part of m outside the span of M is added, divided by it.
    Source: Agarwal et al., "The Case for Full-Matrix Adaptive Regularization", 2018.

    Args:
        learning_rate: the size of the steps.
        beta1: the decay of the moving average of gradients.
        use_locking: whether updates hold a lock.
        name: the name scope of its ops.
        window: how many averages are kept.
        eps: below this the part outside the span is left out.
        svd_eps: what is added to the diagonal before the decomposition.
        sigma_eps: what is added to the square roots.
    """

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        beta1: TensorLike = 0.9,
        use_locking: bool = False,
        name: str = "GGT",
        window: int = 10,
        eps: float = 1e-4,
        svd_eps: float = 1e-6,
        sigma_eps: float = 1e-2,
    ) -> None:
        super().__init__(use_locking, name)
        self._numbers = {
            "beta1": beta1,
            "eps": eps,
            "lr": learning_rate,
            "sigma_eps": sigma_eps,
            "svd_eps": svd_eps,
        }
        self._window = window
        self._tensors: dict[str, Tensor] = {}
        # (variable, its first place in the flat vector, the place after it)
        self._places: list[tuple[Any, int, int]] = []

    def _create_slots(self, var_list: list[Any]) -> None:
        self._places = []
        end = 0
        for var in var_list:
            start, end = end, end + int(var.get_shape().num_elements())
            self._places.append((var, start, end))
        first = min(var_list, key=lambda v: v.name)
        dtype = first.dtype.base_dtype
        for name, value in (
            ("global_step", convert_to_tensor(0.0, dtype)),
            ("grad_buffer", zeros([self._window, end], dtype)),
            ("moment1", zeros([end], dtype)),
            ("flat_grad", zeros([end], dtype)),
        ):
            self._create_non_slot_variable(value, name, first)

    def _state(self, name: str) -> Any:
        return self._get_non_slot_variable(name, self._places[0][0].graph)

    def _get_global_step(self) -> Any:
        return self._found("global_step")

    def _get_moment1(self) -> Any:
        return self._found("moment1")

    def _get_grad_buffer(self) -> Any:
        return self._found("grad_buffer")

    def _get_flat_grad(self) -> Any:
        return self._found("flat_grad")

    def _found(self, name: str) -> Any:
        """The variable of this name in the graph of the trained variables."""
        return self._state(name) if self._places else None

    def _prepare(self) -> None:
        self._tensors = {
            name: convert_to_tensor(self._call_if_callable(value), name=name)
            for name, value in self._numbers.items()
        }

    def _apply_dense(self, grad: TensorLike, var: Variable) -> Tensor | Operation:
        start, end = next((s, e) for v, s, e in self._places if v is var)
        flat, rows = build.Reshape(grad, [-1]), build.Range(start, end, 1)
        target = self._state("flat_grad")
        if is_resource_variable(target):
            return build.ResourceScatterUpdate(target.handle, rows, flat)
        return build.ScatterUpdate(target, rows, flat)

    def _resource_apply_dense(self, grad: Tensor, handle: ResourceVariable) -> Any:
        return self._apply_dense(grad, handle)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Tensor | Operation:
        raise NotImplementedError("GGT does not support sparse gradients.")

    def _apply_sparse_duplicate_indices(
        self, grad: IndexedSlices, var: Variable
    ) -> Tensor | Operation:
        raise NotImplementedError("GGT does not support sparse gradients.")

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: TensorLike, indices: Tensor
    ) -> Operation | UnreadVariable:
        raise NotImplementedError("GGT does not support sparse gradients.")

    def _number(self, name: str, dtype: DTypeLike) -> Tensor:
        return self._cast(self._tensors[name], dtype)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        with control_dependencies([group(*update_ops)]):
            step = convert_to_tensor(self._state("global_step").assign_add(1.0))
            dtype = step.dtype.base_dtype
            beta1 = self._number("beta1", dtype)
            moment, flat = self._state("moment1"), self._state("flat_grad")
            m = convert_to_tensor(moment.assign(beta1 * moment + (1.0 - beta1) * flat.read_value()))
        buffer = self._state("grad_buffer")
        row = build.FloorMod(build.Cast(step - 1.0, DstT=dtypes.int64), self._window)
        if is_resource_variable(buffer):
            written = build.ResourceScatterUpdate(buffer.handle, row, m)
            with control_dependencies([written]):
                rows = buffer.read_value()
        else:
            rows = build.ScatterUpdate(buffer, row, m)
        count = build.Minimum(step, convert_to_tensor(float(self._window), dtype))
        matrix_t = rows / build.Sqrt(count)
        column = build.ExpandDims(m, -1)
        damping = eye(self._window, dtype=dtype) * self._number("svd_eps", dtype)
        sigma, u, _ = svd(matmul(matrix_t, matrix_t, transpose_b=True) + damping)
        roots = build.Sqrt(sigma)
        smallest = build.Min(roots, [0])
        inner = matmul(u, matmul(matrix_t, column), transpose_a=True)

        def along(weights: Tensor) -> Tensor:
            scaled = build.ExpandDims(weights, -1) * inner
            return matmul(matrix_t, matmul(u, scaled), transpose_a=True)

        main = along((roots + self._number("sigma_eps", dtype)) ** -3.0)
        outside = (column - along(1.0 / sigma)) / smallest
        direction = cond(
            smallest > self._number("eps", dtype), lambda: main + outside, lambda: main + 0.0
        )
        rate = self._number("lr", dtype)
        steps = []
        for var, start, end in self._places:
            part = build.Reshape(direction[start:end], var.get_shape().as_list())
            steps.append(var.assign_sub(rate * part))
        return group(*steps, name=name_scope)
