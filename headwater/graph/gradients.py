"""Reverse-mode differentiation by building gradient nodes (`tf.gradients`)."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph.basic_nodes import shape_tensor, tuple_, zeros_like
from headwater.graph.builders import build
from headwater.graph.control_flow.control_flow_state import (
    control_flow_state,
    zeros_outside_loops,
)
from headwater.graph.control_flow.util import is_loop_exit, is_loop_switch, is_switch
from headwater.graph.convert import constant_node, to_tensor
from headwater.graph.default_graph import get_default_graph, name_scope
from headwater.graph.indexed_slices import IndexedSlices, concatenated
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import NOT_DIFFERENTIABLE, VJP, gradient_of, register_gradient
from headwater.graph.vjp import build_vjp

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


@export("UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """What stands for the gradient of a tensor that has no influence: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


@export("RegisterGradient")
class RegisterGradient:
    """Decorator that registers a gradient function under an op type or a free name.

    Args:
        op_type: the name.

    Raises:
        TypeError: if `op_type` is not a string.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        register_gradient(self._op_type, f)
        return f


@export("NotDifferentiable", "NoGradient", "no_gradient")
def not_differentiable(op_type: str) -> None:
    """Declares that gradients stop at ops of this type.

    Args:
        op_type: the op type.

    Raises:
        TypeError: if `op_type` is not a string.
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
    unconnected_gradients: Any = UnconnectedGradients.NONE,
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
        unconnected_gradients: a member of UnconnectedGradients, or its value: what stands for
            an `x` without influence.

    Returns:
        A list as long as `xs` of tensors, IndexedSlices, or None where `ys` does not depend on x.

    Raises:
        LookupError: if an op between them has no gradient registered.
        ValueError: if the arguments do not fit.
        TypeError: if `grad_ys` has a wrong type.

    Example:
        >>> x = tf.constant(3.0)
        >>> (slope,) = tf.gradients(x * x, [x])
        >>> print(session.run(slope))
        6.0
    """
    ys, xs = _as_list(ys), _as_list(xs)
    stops = _as_list(stop_gradients) if stop_gradients is not None else []
    try:
        unconnected = UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {unconnected_gradients!r}"
        ) from None
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    with name_scope(name, "gradients", [*ys, *xs, *stops, *(g for g in grad_ys if g is not None)]):
        ys = [to_tensor(y, name="y") for y in ys]
        xs = [_handle(x) for x in xs]
        graph = get_default_graph()
        if graph._building_function:
            # Other tensors stand for those of the graph around the function.
            ys, xs = list(graph._brought(ys, "")), list(graph._brought(xs, ""))
        stops = [to_tensor(s, name="stop") for s in stops]
        if len(grad_ys) != len(ys):
            raise ValueError(f"Passed {len(grad_ys)} grad_ys for {len(ys)} ys")
        grads = _initial_gradients(ys, grad_ys, colocate_gradients_with_ops)
        walk = _BackwardWalk(
            ys, xs, stops, colocate_gradients_with_ops, gate_gradients, aggregation_method
        )
        for y, grad in zip(ys, grads):
            walk.add(y, grad)
        walk.run()
    if walk.loops is not None:
        walk.loops.PostProcessing()
    found = [walk.total(x) for x in xs]
    if unconnected is UnconnectedGradients.ZERO:
        found = [_zeros_for(x) if g is None else g for x, g in zip(xs, found)]
    return found


def _zeros_for(x: Tensor) -> Tensor:
    """Zeros of the shape of a tensor, or of the variable that a handle stands for."""
    if x.dtype is not dtypes.resource:
        return zeros_like(x)
    attrs = x.op._attrs
    shape = (
        build.VariableShape(x)
        if attrs["shape"] is None
        else constant_node(attrs["shape"], dtypes.int32)
    )
    tensor: Tensor = build.Fill(
        shape, constant_node(0, attrs["dtype"], "zeros/Const"), name="zeros"
    )
    return tensor


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _handle(x: TensorLike) -> Tensor:
    """The tensor through which gradients reach x: a variable's handle, or the tensor itself."""
    handle = getattr(x, "_gradient_handle", None)
    return handle() if handle is not None else to_tensor(x, name="x", as_ref=True)


def _initial_gradients(ys: list[Tensor], grad_ys: list[Any], colocate: bool) -> list[Any]:
    """The gradients with respect to the ys: the given ones, or ones."""
    given = [
        grad
        if grad is None or isinstance(grad, IndexedSlices)
        else to_tensor(grad, name=f"grad_y_{i}")
        for i, grad in enumerate(grad_ys)
    ]
    graph = get_default_graph()
    result = []
    for i, (y, grad) in enumerate(zip(ys, given)):
        with graph.colocate_with(y._op, ignore_existing=True) if colocate else nullcontext():
            result.append(_initial_gradient(y, grad, f"grad_ys_{i}"))
    return result


def _initial_gradient(y: Tensor, grad: TensorLike, name: str) -> Any:
    if grad is None:
        if y.dtype.is_complex:
            raise TypeError(
                f"Gradients of complex tensors must set grad_ys (y.dtype = {y.dtype!r})"
            )
        return build.Fill(shape_tensor(y), constant_node(1, y.dtype.base_dtype, name))
    if y.dtype.is_floating or y.dtype.is_integer:
        if not grad.dtype.is_floating and not grad.dtype.is_integer:
            raise TypeError(
                f"Gradient type {grad.dtype.name} generated for real or integer-valued tensor {y} "
                f"with type {y.dtype.name} must be real or integer"
            )
    elif y.dtype.is_complex and not grad.dtype.is_complex:
        raise TypeError(
            f"Gradient type {grad.dtype.name} generated for complex-valued tensor {y} with type "
            f"{y.dtype.name} must be real"
        )
    if isinstance(grad, IndexedSlices):
        indices = build.Identity(grad.indices, name=f"{name}_indices")
        values = build.Identity(grad.values, name=f"{name}_values")
        shape = grad.dense_shape
        if shape is not None:
            shape = build.Identity(shape, name=f"{name}_shape")
        return IndexedSlices(values, indices, shape)
    return build.Identity(grad, name=name)


class _BackwardWalk:
    """Visits the ops between `xs` and `ys` in reverse order and collects gradients per tensor."""

    def __init__(
        self,
        ys: list[Tensor],
        xs: list[Tensor],
        stops: list[Tensor],
        colocate: bool,
        gate: bool,
        aggregation: int | None,
    ) -> None:
        self.xs = xs
        self.colocate = colocate
        self.gate = gate
        self.aggregation = aggregation
        self.collected: dict[Tensor, list[Any]] = {}
        self.totals: dict[Tensor, Any] = {}
        self.graph = get_default_graph()
        reached = _reachable_from(xs)
        self.y_ops = [op for op in dict.fromkeys(y._op for y in ys) if op in reached]
        between = _between(self.y_ops, reached)
        self.loops = control_flow_state(between, colocate)
        # How many consumers of an op's outputs still have to deliver gradients.
        self.pending: dict[Operation, int] = {}
        for op in between:
            for tensor in op._inputs:
                if tensor._op in between:
                    self.pending[tensor._op] = self.pending.get(tensor._op, 0) + 1
        self.stop_ops = {s._op for s in stops}

    def add(self, tensor: Tensor, grad: Any) -> None:
        """Adds the gradient from one consumer to the gradient of a tensor."""
        if self.totals.get(tensor) is not None:
            # The Switch of a loop variable is visited twice.
            self.totals[tensor] = grad
        else:
            self.collected.setdefault(tensor, []).append(grad)

    def total(self, tensor: Tensor) -> Any:
        """The sum of all gradients that reached a tensor."""
        if self.totals.get(tensor) is None:
            self.totals[tensor] = _sum(self.collected.get(tensor, []), self.aggregation, tensor._op)
        return self.totals[tensor]

    def run(self) -> None:
        self.ready = deque(op for op in self.y_ops if not self.pending.get(op))
        if self.loops is not None:
            for tensor in self.loops.ProcessUnusedLoopExits(self.pending, set(self.ready)):
                if is_trainable(tensor._dtype):
                    self.add(tensor, self.loops.ZerosLikeForExit(tensor))
                    self.ready.append(tensor._op)
        # Ops of xs that do not depend on other xs need no gradient function.
        for op in {x._op for x in self.xs}:
            if not any(self.pending.get(t._op) for t in op._inputs):
                self.stop_ops.add(op)
        while self.ready:
            op = self.ready.popleft()
            self._visit(op)
            self._count_down(op)

    def _visit(self, op: Operation) -> None:
        with self._placed(op):
            with self._gradient_loop(op, before=True):
                grads = [self.total(t) for t in op._outputs]
            function = None
            if op not in self.stop_ops and any(g is not None for g in grads):
                function = _gradient_function(op)
            with self._gradient_loop(op, before=False):
                self._check_not_initial_value(op)
                if function is not None:
                    self._apply(op, function, grads)

    def _gradient_loop(self, op: Operation, before: bool) -> AbstractContextManager[None]:
        return nullcontext() if self.loops is None else self.loops.gradient_loop(op, before)

    def _apply(self, op: Operation, function: Callable[..., Any], grads: list[Any]) -> None:
        """Calls the gradient function of an op and collects its results."""
        for i, tensor in enumerate(op._outputs):
            if grads[i] is None and (is_trainable(tensor._dtype) or _called(op) is not None):
                grads[i] = self._zeros(op, i)
        with self.graph.name_scope(op._name + "_grad"), self.graph._original_op(op):
            results = _as_list(function(op, *grads))
            _verify(op, results)
            if self.gate and sum(g is not None for g in results) > 1:
                with (
                    self.graph.device(None),
                    self.graph.colocate_with(None, ignore_existing=True),
                ):
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

    def _zeros(self, op: Operation, index: int) -> Tensor | None:
        if self.loops is not None:
            return self.loops.ZerosLike(op, index)
        return zeros_outside_loops(op, index)

    def _count_down(self, op: Operation) -> None:
        """Tells the ops behind `op` that it has delivered its gradients."""
        for tensor in op._inputs:
            source = tensor._op
            if source not in self.pending:
                continue
            self.pending[source] -= 1
            count = self.pending[source]
            # The Switch of a loop variable has gradients when the Exit has some.
            if count == 0 or (count > 0 and self.loops is not None and is_loop_switch(source)):
                if self.loops is not None and is_loop_exit(source):
                    self._defer_exit(tensor)
                else:
                    self.ready.append(source)

    def _defer_exit(self, tensor: Tensor) -> None:
        """All exits of a loop are visited at once, when the gradients of all are known."""
        assert self.loops is not None
        state = self.loops.GetGradState(tensor._op, before=False)
        assert state is not None
        state.deferred_exits.append(tensor)
        state.pending_exits_count -= 1
        if state.pending_exits_count:
            return
        used = []
        for exit_tensor in state.deferred_exits:
            if any(self.collected.get(t) for t in exit_tensor._op._outputs):
                used.append(exit_tensor)
                self.ready.append(exit_tensor._op)
            else:
                state.unused_exits.append(exit_tensor)
        for exit_tensor in state.unused_exits:
            if used and is_trainable(exit_tensor._dtype):
                self.add(exit_tensor, self.loops.ZerosLikeForExit(exit_tensor))
            self.ready.append(exit_tensor._op)

    def _check_not_initial_value(self, op: Operation) -> None:
        """Gradients inside of a loop do not go to values from before the iteration."""
        context = op._control_flow_context
        if context is None or not is_switch(op) or not context.IsWhileContext():
            return
        if context is not self.graph._get_control_flow_context():
            return
        target = _op_behind(op, {x._op for x in self.xs})
        raise ValueError(
            f"Cannot compute gradient inside while loop with respect to op '{target.name}'. We do "
            "not support taking the gradient wrt or through the initial value of a loop variable. "
            "Gradients can be computed through loop invariants or wrt the input parameters to the "
            "loop body."
        )

    def _placed(self, op: Operation) -> AbstractContextManager[Any]:
        if self.colocate:
            return self.graph.colocate_with(op, ignore_existing=True)
        return nullcontext()


def _op_behind(op: Operation, wanted: set[Operation]) -> Operation:
    """The first of the wanted ops that an op depends on."""
    queue = deque([op])
    seen: set[Operation] = set()
    while queue:
        current = queue.popleft()
        if current in seen:
            continue
        seen.add(current)
        if current in wanted:
            return current
        queue.extend(t._op for t in current._inputs)
    return op


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


def _between(y_ops: list[Operation], reached: set[Operation]) -> dict[Operation, None]:
    """The reached ops that influence ys, in reverse order."""
    result: dict[Operation, None] = {}
    queue = deque(y_ops)
    while queue:
        op = queue.popleft()
        if op not in result:
            result[op] = None
            queue.extend(t._op for t in op._inputs if t._op in reached)
    return result


def _called(op: Operation) -> Any:
    """The function that an op calls, or None."""
    functions = op._graph._functions
    if not functions:
        return None
    if op.type in ("PartitionedCall", "StatefulPartitionedCall", "RemoteCall"):
        return functions.get(op._attrs["f"].name)
    return getattr(op, "_called_function", None) or functions.get(op.type)


def _gradient_of_call(op: Operation, *grads: Any) -> Any:
    """One node that computes the gradient of a function."""
    if op.type in ("PartitionedCall", "StatefulPartitionedCall"):
        function = op._attrs["f"]
    else:
        function = op._graph._proto_maker("name_attr_list")(op.type, op._attrs)
    types = [dtypes.float32 if t._dtype is dtypes.resource else t._dtype for t in op._inputs]
    return build.SymbolicGradient([*op._inputs, *grads], Tout=types, f=function)


def _gradient_function(op: Operation) -> Callable[..., Any] | None:
    function = _called(op)
    if function is not None and op.type != "RemoteCall":
        return function.python_grad_func or _gradient_of_call
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


def _sum(grads: list[Any], aggregation: int | None, op: Operation) -> Any:
    """The sum of the gradients that reached an output of an op; None if there are none."""
    if aggregation not in (None, 0, 1, 2):
        raise ValueError(f"Invalid aggregation_method specified {aggregation}.")
    grads = [g for g in grads if g is not None]
    if len(grads) <= 1:
        return grads[0] if grads else None
    if any(isinstance(g, IndexedSlices) for g in grads):
        if all(isinstance(g, IndexedSlices) for g in grads):
            return concatenated(grads)
        return build.AddN(grads)
    if aggregation == AggregationMethod.EXPERIMENTAL_ACCUMULATE_N and len(grads) > 2:
        shape = _common_shape(grads)
        if shape is not None:
            return build.AccumulateNV2(grads, shape=shape)
    if aggregation in (
        AggregationMethod.EXPERIMENTAL_TREE,
        AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
    ):
        return _sum_one_by_one(grads, op)
    return _sum_by_device(grads)


def _sum_one_by_one(grads: list[Any], op: Operation) -> Any:
    """The sum of gradients, each added as soon as it is available."""
    with op.graph.name_scope(op.name + "_gradient_sum"):
        total = grads[0]
        for grad in grads[1:]:
            total = build.AddN([total, grad])
    return total


def _common_shape(grads: list[Tensor]) -> tuple[int, ...] | None:
    """The shape of all gradients, if it is known from what is known of each."""
    shape = TensorShape(None)
    for grad in grads:
        shape = shape.merge_with(grad.shape)
    return shape.to_tuple() if shape.is_fully_defined() else None  # type: ignore[return-value]


def _sum_by_device(grads: list[Tensor]) -> Tensor:
    """The sum of gradients; those of one device are added there first."""
    by_device: dict[str, list[Tensor]] = {}
    for grad in grads:
        by_device.setdefault(grad.device, []).append(grad)
    sums = []
    for device in sorted(by_device):
        first = by_device[device][0].op
        with first.graph.colocate_with(first, ignore_existing=True):
            sums.append(_add(by_device[device]))
    return _add(sums)


def _add(tensors: list[Tensor]) -> Tensor:
    return tensors[0] if len(tensors) == 1 else build.AddN(tensors)
