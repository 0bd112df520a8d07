"""Changes of rows of a variable: ScatterUpdate, ScatterAdd, ... and their resource forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    IndexedSlices,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    register_op,
    replication,
    shapes,
)
from headwater.ops.state.handle import check_dtype, handle_shape
from headwater.ops.state.scatter_kernels import UPDATES, Update, reference_update, show


def _flat(xp: ArrayModule, ref: Array, indices: Array, updates: Array) -> tuple[Any, Any]:
    """Checked indices as a vector, and one update per index."""
    if updates.ndim and updates.shape != indices.shape + ref.shape[1:]:
        raise errors.InvalidArgumentError(
            None,
            None,
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
            f"updates.shape {show(updates.shape)}, indices.shape {show(indices.shape)}, "
            f"params.shape {show(ref.shape)}",
        )
    limit = ref.shape[0]
    inside = (indices >= 0) & (indices < limit)
    require(xp, inside, lambda: _outside(indices, inside, limit))
    rows = (indices.size, *ref.shape[1:])
    updates = xp.broadcast_to(updates, rows) if not updates.ndim else updates.reshape(rows)
    return indices.reshape(-1), updates


def _outside(indices: np.ndarray, inside: np.ndarray, limit: int) -> Exception:
    place = tuple(np.argwhere(~np.asarray(inside))[0])
    where = "[" + ",".join(str(i) for i in place) + "]" if place else ""
    return errors.InvalidArgumentError(
        None, None, f"indices{where} = {indices[place]} is not in [0, {limit})"
    )


def _kernel(update: Update) -> Callable[..., Any]:
    def kernel_scatter(xp: ArrayModule, ref: Array, indices: Array, updates: Array) -> tuple[Any]:
        places, rows = _flat(xp, ref, indices, updates)
        return (update(xp, ref, places, rows),)

    return kernel_scatter


def _reference(kind: str) -> Callable[..., Any]:
    def reference_scatter(ref: Array, indices: Array, updates: Array) -> tuple[Any]:
        places, rows = _flat(np, ref, indices, updates)
        return (reference_update(kind, ref, places, rows),)

    return reference_scatter


def _check(c: shapes.ShapeContext, rows: Any) -> Shape:
    indices, updates = c.shape("indices"), c.shape("updates")
    if updates == () or rows is None or indices is None:
        return rows
    c.merge(updates, indices + rows[1:])
    return rows


def shape_scatter(c: shapes.ShapeContext) -> Shape:
    return _check(c, c.shape("ref"))


def shape_resource_scatter(c: shapes.ShapeContext) -> list[Shape]:
    check_dtype(c)
    _check(c, handle_shape(c.inputs[0]))
    return []


def samples_scatter() -> Iterator[Sample]:
    rows = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    yield Sample(rows, np.array([2, 0], np.int32), rows[:2])
    yield Sample(rows, np.array([[0], [2]], np.int64), rows[1:].reshape(2, 1, 2))
    yield Sample(rows, np.int32(1), np.array([3, 4], np.float32))
    yield Sample(np.arange(1, 5, dtype=np.int32), np.array([1, 1], np.int32), np.int32(2))


_ORDERED = "{half, bfloat16, float, double, int32, int64}"


def _register_scatter(name: str, resource_name: str, kind: str) -> None:
    types = {"Update": "type", "Min": _ORDERED, "Max": _ORDERED}.get(kind, "numbertype")
    locking = "true" if kind == "Update" else "false"
    register_op(
        name,
        inputs="ref: Ref(T), indices: Tindices, updates: T",
        outputs="output_ref: Ref(T)",
        attrs=f"T: {types}, Tindices: {{int32, int64}}, use_locking: bool = {locking}",
        shape=shape_scatter,
        kernel=_kernel(UPDATES[kind]),
        reference=_reference(kind),
        updates=("ref",),
        samples=samples_scatter,
        gradient=NOT_DIFFERENTIABLE if kind in ("Add", "Sub", "Mul", "Div") else None,
    )
    register_op(
        resource_name,
        inputs="resource: resource, indices: Tindices, updates: dtype",
        attrs=f"dtype: {'type' if kind == 'Update' else 'numbertype'}, Tindices: {{int32, int64}}",
        shape=shape_resource_scatter,
        kernel=_kernel(UPDATES[kind]),
        updates=("resource",),
        stateful=True,
    )


_register_scatter("ScatterUpdate", "ResourceScatterUpdate", kind="Update")
_register_scatter("ScatterAdd", "ResourceScatterAdd", kind="Add")
_register_scatter("ScatterSub", "ResourceScatterSub", kind="Sub")
_register_scatter("ScatterMul", "ResourceScatterMul", kind="Mul")
_register_scatter("ScatterDiv", "ResourceScatterDiv", kind="Div")
_register_scatter("ScatterMin", "ResourceScatterMin", kind="Min")
_register_scatter("ScatterMax", "ResourceScatterMax", kind="Max")


def _scatter(
    kind: str,
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None,
    name: str | None,
) -> Tensor:
    if ref.dtype._is_ref_dtype:
        make = getattr(build, f"Scatter{kind}")
        return make(ref, indices, updates, use_locking=use_locking, name=name)
    updates = convert_to_tensor(updates, ref.dtype)
    if replication.has_copies(ref):
        slices = IndexedSlices(updates, convert_to_tensor(indices))
        return ref._scatter(kind, slices, bool(use_locking), name)
    make = getattr(build, f"ResourceScatter{kind}")
    return ref._lazy_read(make(ref.handle, indices, updates, name=name))


@export("scatter_update")
def scatter_update(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = True,
    name: str | None = None,
) -> Tensor:
    """Puts new values into rows of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers: the rows, of any shape. The last value counts for a row that occurs
            several times.
        updates: the new rows, of shape ``indices.shape + ref.shape[1:]``, or a scalar.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter("Update", ref, indices, updates, use_locking, name)


@export("scatter_add")
def scatter_add(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = False,
    name: str | None = None,
) -> Tensor:
    """Adds to rows of a variable. Rows that occur several times add up.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers: the rows, of any shape; they count as often as they occur.
        updates: one row per index, of shape ``indices.shape + ref.shape[1:]``, or a scalar.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter("Add", ref, indices, updates, use_locking, name)


@export("scatter_sub")
def scatter_sub(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = False,
    name: str | None = None,
) -> Tensor:
    """Subtracts from rows of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers: the rows, of any shape; they count as often as they occur.
        updates: one row per index, of shape ``indices.shape + ref.shape[1:]``, or a scalar.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter("Sub", ref, indices, updates, use_locking, name)


@export("scatter_mul")
def scatter_mul(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies rows of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers: the rows, of any shape; they count as often as they occur.
        updates: one row per index, of shape ``indices.shape + ref.shape[1:]``, or a scalar.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter("Mul", ref, indices, updates, use_locking, name)


@export("scatter_div")
def scatter_div(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = False,
    name: str | None = None,
) -> Tensor:
    """Divides rows of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers: the rows, of any shape; they count as often as they occur.
        updates: one row per index, of shape ``indices.shape + ref.shape[1:]``, or a scalar.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter("Div", ref, indices, updates, use_locking, name)


@export("scatter_min")
def scatter_min(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = False,
    name: str | None = None,
) -> Tensor:
    """Puts the smaller of old and new values into rows of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers: the rows, of any shape; they count as often as they occur.
        updates: one row per index, of shape ``indices.shape + ref.shape[1:]``, or a scalar.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter("Min", ref, indices, updates, use_locking, name)


@export("scatter_max")
def scatter_max(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool | None = False,
    name: str | None = None,
) -> Tensor:
    """Puts the larger of old and new values into rows of a variable.

    Args:
        ref: a Variable or a mutable tensor.
        indices: integers: the rows, of any shape; they count as often as they occur.
        updates: one row per index, of shape ``indices.shape + ref.shape[1:]``, or a scalar.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the change (a resource variable is read again).

    Raises:
        InvalidArgumentError: when it runs, if an index is out of range.
    """
    return _scatter("Max", ref, indices, updates, use_locking, name)
