"""Reverse-mode differentiation by building gradient nodes (`tf.gradients`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.graph.basic_nodes import shape_tensor, tuple_, zeros_like
from headwater.graph.builders import build
from headwater.graph.convert import constant_node, to_tensor
from headwater.graph.default_graph import get_default_graph, name_scope
from headwater.graph.indexed_slices import IndexedSlices, concatenated
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import NOT_DIFFERENTIABLE, gradient_of, register_gradient
from headwater.graph.vjp import VJP, build_vjp

_TRAINABLE = {
    dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.complex64,
    dtypes.complex128, dtypes.resource, dtypes.variant,
}  # fmt: skip


def is_trainable(dtype: DType) -> bool:
    """Whether gradients flow through tensors of this type."""
    return dtype.base_dtype in _TRAINABLE


@export("AggregationMethod")
class AggregationMethod:
    """How gradients from several paths are added: one AddN, a tree, or accumulation."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@export("RegisterGradient")
class RegisterGradient:
    """Decorator that registers a gradient function under an op type or a free name.

    Args:
        op_type: the name.

    Raises:
        TypeError: if `op_type` is no string.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        register_gradient(self._op_type, f)
        return f


@export("NotDifferentiable", "NoGradient")
def not_differentiable(op_type: str) -> None:
    """Declares that gradients stop at ops of this type.

    Args:
        op_type: the op type.

    Raises:
        TypeError: if `op_type` is no string.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    register_gradient(op_type, NOT_DIFFERENTIABLE)


@export("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    """Builds the derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
        ys: a tensor or list of tensors.
        xs: a tensor (or variable) or list.
        grad_ys: gradients with respect to `ys`; None means ones.
        name: the name scope of the new nodes.
        colocate_gradients_with_ops: places each gradient with its op.
        gate_gradients: makes the gradients of one op wait for each other.
        aggregation_method: a member of AggregationMethod.
        stop_gradients: tensors that count as constants.
        unconnected_gradients: ``"none"`` or ``"zero"``: what stands for an `x` without influence.

    Returns:
        A list as long as `xs` of tensors, IndexedSlices, or None where `ys` does not depend on x.

    Raises:
        LookupError: if an op on the way has no gradient registered.
        ValueError: if the arguments do not fit.
        TypeError: if `grad_ys` has a wrong type.
    """
    ys, xs = _as_list(ys), _as_list(xs)
    stops = _as_list(stop_gradients) if stop_gradients is not None else []
    if unconnected_gradients not in ("none", "zero"):
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}")
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    with name_scope(name, "gradients", [*ys, *xs, *stops, *(g for g in grad_ys if g is not None)]):
        ys = [to_tensor(y, name="y") for y in ys]
        xs = [_handle(x) for x in xs]
        stops = [to_tensor(s, name="stop") for s in stops]
        if len(grad_ys) != len(ys):
            raise ValueError(f"Passed {len(grad_ys)} grad_ys for {len(ys)} ys")
        walk = _BackwardWalk(
            ys, xs, stops, colocate_gradients_with_ops, gate_gradients, aggregation_method
        )
        for y, grad in zip(ys, _initial_gradients(ys, grad_ys)):
            walk.add(y, grad)
        walk.run()
        found = [walk.total(x) for x in xs]
    if unconnected_gradients == "zero":
        found = [zeros_like(x) if g is None else g for x, g in zip(xs, found)]
    return found


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _handle(x: Any) -> Tensor:
    """The tensor through which gradients reach x: a variable's handle, or the tensor itself."""
    handle = getattr(x, "_gradient_handle", None)
    return handle() if handle is not None else to_tensor(x, name="x", as_ref=True)


def _initial_gradients(ys: list[Tensor], grad_ys: list[Any]) -> list[Any]:
    result = []
    for i, (y, grad) in enumerate(zip(ys, grad_ys)):
        if grad is None:
            if y.dtype.is_complex:
                raise TypeError(
                    f"Gradients of complex tensors must set grad_ys (y.dtype = {y.dtype!r})"
                )
            shape = shape_tensor(y)
            one = constant_node(1, y.dtype.base_dtype, f"grad_ys_{i}")
            result.append(build.Fill(shape, one))
            continue
        if y.dtype.is_floating or y.dtype.is_integer:
            if not grad.dtype.is_floating and not grad.dtype.is_integer:
                raise TypeError(
                    f"Gradient type {dtypes.as_dtype(grad.dtype).name} generated for real or "
                    f"integer-valued tensor {y} with type {dtypes.as_dtype(y.dtype).name} must be "
                    "real or integer"
                )
        elif y.dtype.is_complex and not grad.dtype.is_complex:
            raise TypeError(
                f"Gradient type {dtypes.as_dtype(grad.dtype).name} generated for complex-valued "
                f"tensor {y} with type {dtypes.as_dtype(y.dtype).name} must be real"
            )
        if isinstance(grad, IndexedSlices):
            result.append(grad)
            continue
        with name_scope(None, f"grad_ys_{i}") if not isinstance(grad, Tensor) else nullcontext():
            result.append(build.Identity(to_tensor(grad, name=f"grad_ys_{i}"), name=f"grad_ys_{i}"))
    return result


class _BackwardWalk:
    """Visits the ops between `xs` and `ys` from the back and collects gradients per tensor."""

    def __init__(
        self,
        ys: list[Tensor],
        xs: list[Tensor],
        stops: list[Tensor],
        colocate: bool,
        gate: bool,
        aggregation: int | None,
    ) -> None:
        self.colocate = colocate
        self.gate = gate
        self.aggregation = aggregation
        self.collected: dict[Tensor, list[Any]] = {}
        self.totals: dict[Tensor, Any] = {}
        self.graph = get_default_graph()
        self.y_ops = [y._op for y in ys]
        reached = _reachable_from(xs)
        stop_ops = {s._op for s in stops}
        # How many consumers of an op's outputs still have to deliver gradients.
        self.pending: dict[Operation, int] = {}
        between = _between(self.y_ops, reached)
        for op in between:
            for tensor in op._inputs:
                if tensor._op in between:
                    self.pending[tensor._op] = self.pending.get(tensor._op, 0) + 1
        self.between = between
        self.stop_ops = stop_ops
        # Ops of xs with nothing further back need no gradient function.
        for op in {x._op for x in xs}:
            if op in between and not any(t._op in between for t in op._inputs):
                self.stop_ops.add(op)

    def add(self, tensor: Tensor, grad: Any) -> None:
        self.collected.setdefault(tensor, []).append(grad)

    def total(self, tensor: Tensor) -> Any:
        """The sum of all gradients that reached a tensor."""
        if tensor not in self.totals:
            self.totals[tensor] = _sum(self.collected.get(tensor, []), self.aggregation)
        return self.totals[tensor]

    def run(self) -> None:
        ready = deque(
            op
            for op in dict.fromkeys(self.y_ops)
            if op in self.between and not self.pending.get(op)
        )
        while ready:
            op = ready.popleft()
            self._visit(op)
            for tensor in op._inputs:
                source = tensor._op
                if source in self.pending:
                    self.pending[source] -= 1
                    if self.pending[source] == 0:
                        ready.append(source)

    def _visit(self, op: Operation) -> None:
        with self._placed(op):
            grads = [self.total(t) for t in op._outputs]
            if op in self.stop_ops or all(g is None for g in grads):
                return
            function = _gradient_function(op)
            if function is None:
                return
            for i, tensor in enumerate(op._outputs):
                if grads[i] is None and is_trainable(tensor.dtype):
                    grads[i] = zeros_like(tensor, optimize=False)
            with self.graph.name_scope(op._name + "_grad"), self.graph._original_op(op):
                results = _as_list(function(op, *grads))
                _verify(op, results)
                if self.gate and sum(g is not None for g in results) > 1:
                    with self.graph.colocate_with(None, ignore_existing=True):
                        results = tuple_(results)
        for i, (tensor, grad) in enumerate(zip(op._inputs, results)):
            if grad is None:
                continue
            if isinstance(grad, Tensor) and tensor._dtype is not dtypes.resource:
                try:
                    grad.set_shape(tensor._shape)
                except ValueError:
                    raise ValueError(
                        "Incompatible shapes between op input and calculated input gradient.  "
                        f"Forward operation: {op.name}.  Input index: {i}. Original input shape: "
                        f"{tensor.shape}.  Calculated input gradient shape: {grad.shape}"
                    ) from None
            self.add(tensor, grad)

    def _placed(self, op: Operation) -> AbstractContextManager[Any]:
        if self.colocate:
            return self.graph.colocate_with(op, ignore_existing=True)
        return nullcontext()


def _reachable_from(xs: list[Tensor]) -> set[Operation]:
    """All ops that the xs influence, with the ops of the xs themselves."""
    reached = {x._op for x in xs}
    stack = list(reached)
    while stack:
        op = stack.pop()
        for tensor in op._outputs:
            if not is_trainable(tensor._dtype):
                continue
            for consumer in tensor._consumers:
                if consumer not in reached:
                    reached.add(consumer)
                    stack.append(consumer)
    return reached


def _between(y_ops: list[Operation], reached: set[Operation]) -> set[Operation]:
    """The reached ops that influence ys."""
    result: set[Operation] = set()
    stack = [op for op in y_ops if op in reached]
    while stack:
        op = stack.pop()
        if op in result:
            continue
        result.add(op)
        stack.extend(t._op for t in op._inputs if t._op in reached)
    return result


def _gradient_function(op: Operation) -> Callable[..., Any] | None:
    name = op._attrs.get("_gradient_op_type") or op.type
    function = gradient_of(name)
    if function is None:
        raise LookupError(
            f"No gradient defined for operation '{op.name}' (op type: {op.type})"
            "\nHint: register one with tf.RegisterGradient, or use tf.stop_gradient before this op."
        )
    if function is NOT_DIFFERENTIABLE:
        return None
    return build_vjp if function is VJP else function


def _verify(op: Operation, grads: list[Any]) -> None:
    if len(grads) != len(op._inputs):
        raise ValueError(
            f"Num gradients {len(grads)} generated for op {op.node_def} do not match num inputs "
            f"{len(op._inputs)}"
        )


def _sum(grads: list[Any], aggregation: int | None) -> Any:
    """The sum of the gradients that reached one tensor; None if there are none."""
    grads = [g for g in grads if g is not None]
    if len(grads) <= 1:
        return grads[0] if grads else None
    if all(isinstance(g, IndexedSlices) for g in grads):
        return concatenated(grads)
    if aggregation not in (None, 0, 1, 2):
        raise ValueError(f"Invalid aggregation_method specified {aggregation}.")
    first = grads[0].op
    with first.graph.colocate_with(first, ignore_existing=True):
        return build.AddN(grads)
