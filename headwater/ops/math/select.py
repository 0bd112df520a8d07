"""Selection between two tensors and the positions of true elements: Select, Where, `tf.where`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors, native
from headwater.base.checks import fail
from headwater.base.deprecation import renamed_argument
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, NestedTensors, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
)


def kernel_select(xp: ArrayModule, condition: Array, t: Array, e: Array, *, op_name: str) -> Array:
    problem = _select_problem(condition.shape, t.shape, e.shape, op_name)
    if problem:
        raise errors.InvalidArgumentError(
            None, None, problem, hint="a condition that is a vector chooses whole rows."
        )
    if condition.shape != t.shape and condition.ndim:
        condition = condition.reshape(condition.shape + (1,) * (t.ndim - 1))
    return xp.where(condition, t, e)


def _select_problem(
    c: tuple[int, ...], t: tuple[int, ...], e: tuple[int, ...], op_name: str
) -> str | None:
    """What is wrong with the shapes of condition, then and else; None if nothing is."""
    show = shapes.show
    if len(c) == 1 and len(t) != 1:
        if not t:
            return f"'then' must be at least a vector, but saw shape: {show(t)}"
        if c[0] != t[0]:
            return (
                f"Number of batches of 'then' must match size of 'cond', but saw: {t[0]} vs. {c[0]}"
            )
    elif c:
        for position, shape in ((1, t), (2, e)):
            if shape != c:
                return (
                    f"Inputs to operation {op_name} of type Select must have the same size and "
                    f"shape.  Input 0: {show(c)} != input {position}: {show(shape)}"
                )
    if t != e:
        return f"'then' and 'else' must have the same size.  but received: {show(t)} vs. {show(e)}"
    return None


def kernel_select_v2(xp: ArrayModule, condition: Array, t: Array, e: Array) -> Array:
    return xp.where(condition, t, e)


def reference_select(condition: Array, t: Array, e: Array) -> Array:
    chosen = np.broadcast_to(condition.T, t.T.shape).T
    result = e.copy()
    result[chosen] = t[chosen]
    return result


def shape_select(c: shapes.ShapeContext) -> Shape:
    branch = c.merge(c.shape("t"), c.shape("e"))
    condition = c.shape("condition")
    if branch is None or condition is None or len(condition) == 0:
        return branch
    if len(condition) == 1 and len(branch) > 1:
        # A vector chooses whole rows.
        c.merge((condition[0],), (branch[0],)) if branch[0] is not None else None
        return branch
    return c.merge(condition, branch)


def shape_select_v2(c: shapes.ShapeContext) -> Shape:
    result: Any = ()
    for shape in reversed(c.shapes):
        try:
            result = shapes.broadcast_shapes(shape, result)
        except ValueError as error:
            c.fail(f"Dimensions must be equal, but are {error}")
    return result


def gradient_select(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    condition, x, _ = op.inputs
    zeros = zeros_like(x)
    return None, build.Select(condition, grad, zeros), build.Select(condition, zeros, grad)


def gradient_select_v2(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    condition, x, y = op.inputs
    kind = grad.dtype.base_dtype
    zero = constant_node(np.zeros((), kind.as_numpy_dtype), kind, "zeros")
    part_x = build.SelectV2(condition, grad, zero)
    shape_x, shape = shape_tensor(x), shape_tensor(op.outputs[0])
    axes_x, _ = build.BroadcastGradientArgs(shape_x, shape)
    grad_x = build.Reshape(build.Sum(part_x, axes_x, keep_dims=True), shape_x)
    part_y = build.SelectV2(condition, zero, grad)
    shape_y = shape_tensor(y)
    axes_y, _ = build.BroadcastGradientArgs(shape_y, shape)
    grad_y = build.Reshape(build.Sum(part_y, axes_y, keep_dims=True), shape_y)
    return None, grad_x, grad_y


def kernel_where(xp: ArrayModule, x: Array) -> Array:
    if not x.ndim:
        fail("WhereOp : Unhandled input dimensions: 0")
    found = native.host().positions(x)
    if found is not None:
        return found
    if x.ndim == 1:
        return x.nonzero()[0].reshape(-1, 1).astype(np.int64, copy=False)
    if x.size and x.size == max(x.shape):
        # A column: NumPy finds the elements of a vector much faster.
        found = x.ravel().nonzero()[0]
        result = np.zeros((len(found), x.ndim), np.int64)
        result[:, x.shape.index(x.size)] = found
        return result
    return np.argwhere(x).astype(np.int64, copy=False)


def reference_where(x: Array) -> Array:
    return np.stack(np.nonzero(x), axis=-1)


def shape_where(c: shapes.ShapeContext) -> Shape:
    shape = c.inputs[0]._shape
    return (None, None if shape is None else len(shape))


def samples_where() -> Iterator[Sample]:
    yield Sample(np.array([[True, False], [True, True]]))
    yield Sample(np.array([0.0, 2.0, np.nan, -1.0], np.float32), gradient=())
    yield Sample(np.array([0, 0], np.int64))


def samples_select() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(x > 1, x, -x)
    yield Sample(np.array([True, False]), x, -x)
    yield Sample(np.array(True), x.astype(np.float64), -x.astype(np.float64))
    yield Sample(np.array([False, True]), np.array([1, 2], np.int32), np.array([3, 4], np.int32))


def samples_select_v2() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(x > 1, x, -x)
    yield Sample(np.array([True, False, True]), x, np.float32(0))
    yield Sample(x > 1, np.float64(2), np.array([[3.0], [4.0]]))


register_op(
    "Select",
    inputs="condition: bool, t: T, e: T",
    outputs="output: T",
    attrs="T: type",
    shape=shape_select,
    kernel=kernel_select,
    gradient=gradient_select,
    reference=reference_select,
    samples=samples_select,
)
register_op(
    "SelectV2",
    inputs="condition: bool, t: T, e: T",
    outputs="output: T",
    attrs="T: type",
    shape=shape_select_v2,
    kernel=kernel_select_v2,
    gradient=gradient_select_v2,
    reference=lambda condition, t, e: np.where(condition, t, e),
    samples=samples_select_v2,
)


register_op(
    "Where",
    inputs="input: T",
    outputs="index: int64",
    attrs="T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, uint16, complex128, half, uint32, uint64, bool} = bool",
    shape=shape_where,
    kernel=kernel_where,
    reference=reference_where,
    samples=samples_where,
    dynamic_shape=True,
)


@export("where")
@signature("condition, x=None, y=None, name=None")
def where(
    condition: NestedTensors = None,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Chooses elements of `x` where the condition is true and of `y` elsewhere.

    Args:
        condition: a tensor of booleans, or a vector that chooses whole rows; without `x` and `y`
            a tensor whose elements that are true (or not 0) are looked for.
        x: a tensor.
        y: a tensor of the same type and shape.
        name: the name of the node.
        input: the older name of `condition`.

    Returns:
        A tensor like `x`; without `x` and `y` the positions of the true elements, one per row.

    Raises:
        ValueError: if only one of `x` and `y` is given.

    Example:
        >>> print(tf.where([True, False, True]).eval())
        [[0]
         [2]]
        >>> print(tf.where([True, False], [1, 2], [10, 20]).eval())
        [ 1 20]
    """
    condition = renamed_argument("condition", condition, "input", input)
    if x is None and y is None:
        with name_scope(name, "Where", [condition]) as scope:
            condition = convert_to_tensor(condition, preferred_dtype="bool", name="condition")
            return build.Where(condition, name=scope)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return build.Select(condition, x, y, name=name)


@export("where_v2")
def where_v2(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Chooses as `tf.where` does, with broadcasting of all three arguments.

    Args:
        condition: a tensor of booleans.
        x: a tensor.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape; without `x` and `y` the positions of the true elements.

    Raises:
        ValueError: if only one of `x` and `y` is given.
    """
    if x is None or y is None:
        return where(condition, x, y, name)
    return build.SelectV2(condition, x, y, name=name)


@export("select")
def select(condition: TensorLike, t: TensorLike, e: TensorLike, name: str | None = None) -> Tensor:
    """Chooses elements; the older name of `tf.where` with three arguments.

    Args:
        condition: a tensor of booleans, or a vector that chooses whole rows.
        t: a tensor.
        e: a tensor of the same type and shape.
        name: the name of the node.

    Returns:
        A tensor like `t`.
    """
    return build.Select(condition, t, e, name=name)
