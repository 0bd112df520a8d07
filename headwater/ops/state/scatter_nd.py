"""Changes of slices that index vectors name: ScatterNd, ScatterNdUpdate, TensorScatterAdd, ..."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail, require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    register_op,
    replication,
    shapes,
    zeros_like,
)
from headwater.ops.state.handle import handle_shape
from headwater.ops.state.scatter_kernels import UPDATES, reference_update, show
from headwater.ops.state.scatter_nd_checks import check_in_place, check_new


def _rows(xp: ArrayModule, whole: Array, indices: Array, updates: Array) -> tuple[Any, Any, Any]:
    """The array as rows, the number of the row of each index vector, and the updates as rows."""
    depth = indices.shape[-1]
    outer, inner = whole.shape[:depth], whole.shape[depth:]
    limits = np.array(outer, indices.dtype)
    inside = xp.all((indices >= 0) & (indices < limits), axis=-1)
    require(xp, inside, lambda: _outside(indices, inside, whole.shape))
    strides = np.array([math.prod(outer[i + 1 :]) for i in range(depth)], indices.dtype)
    places = xp.sum(indices * strides, axis=-1, dtype=indices.dtype).reshape(-1)
    return whole.reshape(math.prod(outer), *inner), places, updates.reshape(places.size, *inner)


def _outside(indices: np.ndarray, inside: np.ndarray, shape: tuple[int | None, ...]) -> Exception:
    place = tuple(np.argwhere(~np.asarray(inside))[0])
    where = "[" + ",".join(str(i) for i in place) + "]" if place else ""
    vector = "[" + ", ".join(str(i) for i in indices[place]) + "]"
    return errors.InvalidArgumentError(
        None, None, f"indices{where} = {vector} does not index into shape {show(shape)}"
    )


def _changed(kind: str, xp: ArrayModule, whole: Array, indices: Array, updates: Array) -> Array:
    rows, places, updates = _rows(xp, whole, indices, updates)
    return UPDATES[kind](xp, rows, places, updates).reshape(whole.shape)


def _kernel(kind: str, variable: bool, in_place: bool) -> Callable[..., Any]:
    check = check_in_place if in_place else check_new

    def kernel_scatter_nd(xp: ArrayModule, whole: Array, indices: Array, updates: Array) -> Array:
        check(tuple(whole.shape), tuple(indices.shape), tuple(updates.shape))
        result = _changed(kind, xp, whole, indices, updates)
        return (result,) if variable else result

    return kernel_scatter_nd


def _reference(kind: str, variable: bool) -> Callable[..., Any]:
    def reference_scatter_nd(whole: Array, indices: Array, updates: Array) -> Any:
        rows, places, updates = _rows(np, whole, indices, updates)
        result = reference_update(kind, rows, places, updates).reshape(whole.shape)
        return (result,) if variable else result

    return reference_scatter_nd


def kernel_new(xp: ArrayModule, indices: Array, updates: Array, shape: Array) -> Array:
    if shape.ndim != 1:
        fail("Shape must be a vector")
    dims = tuple(int(d) for d in shape)
    check_new(dims, tuple(indices.shape), tuple(updates.shape), scalars=False)
    if updates.dtype == object:
        return _changed("Add", xp, np.full(dims, b"", object), indices, updates)
    return _changed("Add", xp, xp.zeros(dims, updates.dtype), indices, updates)


def reference_new(indices: Array, updates: Array, shape: Array) -> Array:
    zeros = np.zeros(tuple(shape), updates.dtype)
    rows, places, updates = _rows(np, zeros, indices, updates)
    return reference_update("Add", rows, places, updates).reshape(zeros.shape)


def _merge(c: shapes.ShapeContext, a: Any, b: tuple[int | None, ...], what: str) -> None:
    """Checks that two shapes fit; the message begins with `what`."""
    if len(a) != len(b):
        c.fail(f"{what}: Shapes must be equal rank, but are {len(a)} and {len(b)}")
    for i, (x, y) in enumerate(zip(a, b)):
        if x is not None and y is not None and x != y:
            c.fail(
                f"{what}: Dimension {i} in both shapes must be equal, but are {x} and {y}. Shapes "
                f"are {shapes.show(a)} and {shapes.show(b)}."
            )


def _has_elements(shape: shapes.Shape) -> bool | None:
    """Whether arrays of a shape have elements; None if that is not known."""
    if shape is not None and 0 in shape:
        return False
    return None if shape is None or None in shape else True


def _check(c: shapes.ShapeContext, whole: Shape, which: str) -> Any:
    indices = c.with_rank_at_least("indices", 1)
    updates = c.with_rank_at_least("updates", 1)
    if _has_elements(whole) is False and (_has_elements(indices) or _has_elements(updates)):
        c.fail("Indices and updates specified for empty output shape")
    if whole is None or indices is None or updates is None:
        return whole
    outer = len(indices) - 1
    text = f"updates.shape={shapes.show(updates)}"
    _merge(
        c,
        indices[:outer],
        updates[:outer],
        f"The outer {outer} dimensions of indices.shape={shapes.show(indices)} must match the "
        f"outer {outer} dimensions of {text}",
    )
    depth = indices[-1]
    if depth is not None:
        inner = whole[depth:]
        _merge(
            c,
            inner,
            updates[outer:],
            f"The inner {len(inner)} dimensions of {which}.shape={shapes.show(whole)} must match "
            f"the inner {len(updates) - outer} dimensions of {text}",
        )
    return whole


def shape_new(c: shapes.ShapeContext) -> Shape:
    return _check(c, c.value_as_shape("shape"), "output")


def shape_variable(c: shapes.ShapeContext) -> Shape:
    return _check(c, c.shape("ref"), "input")


def shape_resource(c: shapes.ShapeContext) -> list[Shape]:
    _check(c, handle_shape(c.inputs[0]), "input")
    return []


def shape_tensor(c: shapes.ShapeContext) -> Shape:
    return _check(c, c.inputs[0]._shape, "output")


def samples_new() -> Iterator[Sample]:
    updates = np.array([1, 2, 4], np.float32)
    yield Sample(np.array([[0], [2], [0]], np.int32), updates, np.array([3], np.int32))
    yield Sample(np.array([[1]], np.int64), updates.reshape(1, 3), np.array([2, 3], np.int64))
    yield Sample(np.array([[0, 1], [1, 0], [1, 1]], np.int32), updates, np.array([2, 2], np.int32))
    yield Sample(np.zeros((0, 1), np.int32), updates[:0], np.array([2], np.int32))


def samples_change() -> Iterator[Sample]:
    whole = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    yield Sample(whole, np.array([[2, 1], [0, 0]], np.int32), np.array([3, 4], np.float32))
    yield Sample(whole, np.array([[2], [0]], np.int64), whole[:2])
    yield Sample(whole[0], np.array([[[1], [0]]], np.int32), whole[:1])


def gradient_new(op: Operation, grad: TensorLike) -> tuple[Tensor | None, ...]:
    return None, build.GatherNd(grad, op.inputs[0]), None


def gradient_non_aliasing_add(op: Operation, grad: TensorLike) -> tuple[Tensor, Any, Tensor]:
    return grad, None, build.GatherNd(grad, op.inputs[1])


def gradient_tensor_update(op: Operation, grad: TensorLike) -> tuple[Tensor | None, ...]:
    indices, updates = op.inputs[1], op.inputs[2]
    of_updates = build.GatherNd(grad, indices)
    of_whole = build.Identity(grad)
    zeros = zeros_like(updates)
    return build.TensorScatterUpdate(of_whole, indices, zeros), None, of_updates


def gradient_tensor_add(op: Operation, grad: TensorLike) -> tuple[Tensor | None, ...]:
    of_updates = build.GatherNd(grad, op.inputs[1])
    return build.Identity(grad), None, of_updates


def gradient_tensor_sub(op: Operation, grad: TensorLike) -> tuple[Tensor | None, ...]:
    of_updates = build.GatherNd(grad, op.inputs[1])
    of_whole = build.Identity(grad)
    return of_whole, None, build.Neg(of_updates)


register_op(
    "ScatterNd",
    inputs="indices: Tindices, updates: T, shape: Tindices",
    outputs="output: T",
    attrs="T: type, Tindices: {int32, int64}",
    shape=shape_new,
    kernel=kernel_new,
    reference=reference_new,
    gradient=gradient_new,
    concrete=("shape",),
    samples=samples_new,
)
register_op(
    "ScatterNdNonAliasingAdd",
    inputs="input: T, indices: Tindices, updates: T",
    outputs="output: T",
    attrs=(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, uint16, complex128, half, uint32, uint64, bool}, Tindices: {int32, int64}"
    ),
    shape=shape_tensor,
    kernel=_kernel("Add", variable=False, in_place=True),
    reference=_reference("Add", variable=False),
    gradient=gradient_non_aliasing_add,
    samples=samples_change,
)


def _register_scatter_nd(
    tensor_name: str,
    reference_name: str,
    resource_name: str,
    kind: str,
    gradient: Callable[..., Any],
) -> None:
    locking = "true" if kind == "Update" else "false"
    types = "type" if kind == "Update" else "numbertype"
    register_op(
        tensor_name,
        inputs="tensor: T, indices: Tindices, updates: T",
        outputs="output: T",
        attrs="T: type, Tindices: {int32, int64}",
        shape=shape_tensor,
        kernel=_kernel(kind, variable=False, in_place=False),
        reference=_reference(kind, variable=False),
        gradient=gradient,
        samples=samples_change,
    )
    register_op(
        reference_name,
        inputs="ref: Ref(T), indices: Tindices, updates: T",
        outputs="output_ref: Ref(T)",
        attrs=f"T: {types}, Tindices: {{int32, int64}}, use_locking: bool = {locking}",
        shape=shape_variable,
        kernel=_kernel(kind, variable=True, in_place=True),
        reference=_reference(kind, variable=True),
        updates=("ref",),
        gradient=NOT_DIFFERENTIABLE,
        samples=samples_change,
    )
    register_op(
        resource_name,
        inputs="ref: resource, indices: Tindices, updates: T",
        attrs="T: type, Tindices: {int32, int64}, use_locking: bool = true",
        shape=shape_resource,
        kernel=_kernel(kind, variable=True, in_place=True),
        updates=("ref",),
        stateful=True,
    )


_register_scatter_nd(
    "TensorScatterUpdate",
    "ScatterNdUpdate",
    "ResourceScatterNdUpdate",
    kind="Update",
    gradient=gradient_tensor_update,
)
_register_scatter_nd(
    "TensorScatterAdd",
    "ScatterNdAdd",
    "ResourceScatterNdAdd",
    kind="Add",
    gradient=gradient_tensor_add,
)
_register_scatter_nd(
    "TensorScatterSub",
    "ScatterNdSub",
    "ResourceScatterNdSub",
    kind="Sub",
    gradient=gradient_tensor_sub,
)


@export("scatter_nd", "manip.scatter_nd")
def scatter_nd(
    indices: TensorLike, updates: TensorLike, shape: TensorLike, name: str | None = None
) -> Tensor:
    """Puts values into a new tensor of zeros; values for the same place add up.

    Args:
        indices: integers of shape [..., d]: vectors that name an element or slice of the result.
        updates: the values, of shape ``indices.shape[:-1] + shape[d:]``.
        shape: the shape of the result, an integer vector.
        name: the name of the node.

    Returns:
        A Tensor of the type of `updates`.

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return build.ScatterNd(indices, updates, shape, name=name)


def _scatter_nd(
    kind: str,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None,
    name: str | None,
) -> Tensor:
    if ref.dtype._is_ref_dtype:
        make = getattr(build, f"ScatterNd{kind}")
        return make(ref, indices, updates, use_locking=use_locking, name=name)
    updates = convert_to_tensor(updates, ref.dtype)
    make = getattr(build, f"ResourceScatterNd{kind}")
    if replication.has_copies(ref):
        return ref._scatter_nd(kind, indices, updates, name)
    return ref._lazy_read(make(ref.handle, indices, updates, name=name))


@export("scatter_nd_update")
def scatter_nd_update(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = True,
    name: str | None = None,
) -> Tensor:
    """Puts new values into elements or slices of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers of shape [..., d]: vectors that name an element or slice.
        updates: the values, of shape ``indices.shape[:-1] + ref.shape[d:]``.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter_nd("Update", ref, indices, updates, use_locking, name)


@export("scatter_nd_add")
def scatter_nd_add(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = False,
    name: str | None = None,
) -> Tensor:
    """Adds to elements or slices of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers of shape [..., d]: vectors that name an element or slice.
        updates: the values, of shape ``indices.shape[:-1] + ref.shape[d:]``.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter_nd("Add", ref, indices, updates, use_locking, name)


@export("scatter_nd_sub")
def scatter_nd_sub(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = False,
    name: str | None = None,
) -> Tensor:
    """Subtracts from elements or slices of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers of shape [..., d]: vectors that name an element or slice.
        updates: the values, of shape ``indices.shape[:-1] + ref.shape[d:]``.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter_nd("Sub", ref, indices, updates, use_locking, name)


@export("tensor_scatter_update", "tensor_scatter_nd_update")
def tensor_scatter_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of a tensor with new values in some elements or slices.

    Args:
        tensor: the tensor.
        indices: integers of shape [..., d]: vectors that name an element or slice.
        updates: the values, of shape ``indices.shape[:-1] + tensor.shape[d:]``.
        name: the name of the node.

    Returns:
        A Tensor like `tensor`.

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return build.TensorScatterUpdate(tensor, indices, updates, name=name)


@export("tensor_scatter_add", "tensor_scatter_nd_add")
def tensor_scatter_add(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of a tensor with values added to some slices.

    Args:
        tensor: the tensor.
        indices: integers of shape [..., d]: vectors that name an element or slice.
        updates: the values, of shape ``indices.shape[:-1] + tensor.shape[d:]``.
        name: the name of the node.

    Returns:
        A Tensor like `tensor`.

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return build.TensorScatterAdd(tensor, indices, updates, name=name)


@export("tensor_scatter_sub", "tensor_scatter_nd_sub")
def tensor_scatter_sub(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of a tensor with values subtracted from some slices.

    Args:
        tensor: the tensor.
        indices: integers of shape [..., d]: vectors that name an element or slice.
        updates: the values, of shape ``indices.shape[:-1] + tensor.shape[d:]``.
        name: the name of the node.

    Returns:
        A Tensor like `tensor`.

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return build.TensorScatterSub(tensor, indices, updates, name=name)
