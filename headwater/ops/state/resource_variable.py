"""Resource variables: handles, and the ops that read and assign the variables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes, errors, native
from headwater.base.checks import require
from headwater.base.dtypes import DType
from headwater.base.handles import resource_of
from headwater.base.typing import Array, ArrayModule, NestedTensors, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    IndexedSlices,
    Operation,
    RunsOn,
    Tensor,
    build,
    constant_node,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.state.handle import check_dtype, handle_shape, shape_update


def shape_read(c: shapes.ShapeContext) -> Shape:
    check_dtype(c)
    return handle_shape(c.inputs[0])


def kernel_read(xp: ArrayModule, resource: Array) -> Array:
    return resource


def kernel_assign(xp: ArrayModule, resource: Array | None, value: Array) -> tuple[Any]:
    return (value,)


def kernel_assign_add(xp: ArrayModule, resource: Array, value: Array) -> tuple[Any]:
    _same_shape("add", resource, value)
    return (xp.add(resource, value),)


def kernel_assign_sub(xp: ArrayModule, resource: Array, value: Array) -> tuple[Any]:
    _same_shape("subtract", resource, value)
    return (xp.subtract(resource, value),)


def _same_shape(what: str, resource: Array, value: Array) -> None:
    if np.shape(resource) != np.shape(value):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Cannot update variable with shape {shapes.show(np.shape(resource))} using a Tensor "
            f"with shape {shapes.show(np.shape(value))}, shapes must be equal.",
        )


def kernel_is_initialized(xp: ArrayModule, resource: Array | None) -> Array:
    return np.array(resource is not None)


def kernel_variable_shape(xp: ArrayModule, resource: Array, *, out_type: DType) -> Array:
    return np.array(resource.shape, out_type.numpy_dtype)


def shape_variable_shape(c: shapes.ShapeContext) -> Shape:
    shape = handle_shape(c.inputs[0])
    return (None if shape is None else len(shape),)


def kernel_destroy(
    xp: ArrayModule, resource: Array, *, ignore_lookup_error: bool, op: Operation | None
) -> tuple[Any]:
    found = resource_of(resource)
    if hasattr(found, "destroy_resource"):
        found.destroy_resource()
        return (resource,)
    if resource is None and not ignore_lookup_error:
        attrs = {} if op is None else op.inputs[0].op._attrs
        container = attrs.get("container") or "localhost"
        raise errors.NotFoundError(
            None,
            None,
            f"Resource {container}/{attrs.get('shared_name', '')}/<unknown> does not exist.",
        )
    return (None,)


# Rows and elements


def shape_gather(c: shapes.ShapeContext) -> Shape:
    check_dtype(c)
    params, indices = handle_shape(c.inputs[0]), c.shape("indices")
    if params is None or indices is None:
        return None
    if not params:
        c.fail("Shape must be at least rank 1 but is rank 0")
    return indices + params[1:]


def kernel_gather(xp: ArrayModule, resource: Array, indices: Array) -> Array:
    limit = resource.shape[0]
    if xp is np:
        rows = native.host().take(resource, indices)
        if rows is not None:
            return rows
    inside = (indices >= 0) & (indices < limit)

    def outside() -> Exception:
        place = tuple(np.argwhere(~np.asarray(inside))[0])
        where = "[" + ",".join(str(i) for i in place) + "]" if place else ""
        return errors.InvalidArgumentError(
            None, None, f"indices{where} = {indices[place]} is not in [0, {limit})"
        )

    require(xp, inside, outside)
    return xp.take(resource, xp.where(inside, indices, 0) if xp is not np else indices, axis=0)


def gradient_gather(op: Operation, grad: TensorLike) -> tuple[IndexedSlices | None, ...]:
    handle, indices = op.inputs
    shape = _variable_shape(handle)
    size = _size(indices)
    with name_scope("ExpandDims") as scope:
        size = build.ExpandDims(size, 0, name=scope)
    rows = build.Reshape(grad, build.ConcatV2([size, shape[1:]], 0, name="concat"))
    return IndexedSlices(rows, build.Reshape(indices, size), shape), None


def _variable_shape(handle: TensorLike) -> Tensor:
    """The shape of a variable as a tensor: a constant if it is known from the handle itself.

    TensorFlow does not infer it where the handle enters a branch or a loop.
    """
    shape = handle_shape(handle)
    if handle.op.type in ("Enter", "Switch") or shape is None or None in shape:
        return build.VariableShape(handle)
    return constant_node(list(shape), dtypes.int32)


def _size(indices: TensorLike) -> Tensor:
    if indices._shape is None or None in indices._shape:
        return build.Size(indices)
    return constant_node(math.prod(indices._shape), dtypes.int32, "Size")


def shape_gather_nd(c: shapes.ShapeContext) -> Shape:
    params, indices = handle_shape(c.inputs[0]), c.with_rank_at_least("indices", 1)
    if params is None or indices is None or indices[-1] is None:
        return None
    if indices[-1] > len(params):
        c.fail("indices.shape[-1] must be <= params.rank")
    return indices[:-1] + params[indices[-1] :]


def kernel_gather_nd(xp: ArrayModule, resource: Array, indices: Array) -> Array:
    depth = indices.shape[-1]
    limits = np.array(resource.shape[:depth], indices.dtype)
    inside = xp.all((indices >= 0) & (indices < limits), axis=-1)

    def outside() -> Exception:
        place = tuple(np.argwhere(~np.asarray(inside))[0])
        where = "[" + ",".join(str(i) for i in place) + "]" if place else ""
        vector = "[" + ", ".join(str(i) for i in indices[place]) + "]"
        shape = shapes.show(resource.shape)
        return errors.InvalidArgumentError(
            None, None, f"indices{where} = {vector} does not index into param shape {shape}"
        )

    require(xp, inside, outside)
    return resource[tuple(indices[..., i] for i in range(depth))]


def gradient_gather_nd(op: Operation, grad: TensorLike) -> NestedTensors:
    handle, indices = op.inputs
    shape = build.VariableShape(handle, out_type=indices.dtype)
    if indices._shape is not None and len(indices._shape) == 2 and indices._shape[-1] == 1:
        return IndexedSlices(grad, build.Squeeze(indices, squeeze_dims=[-1]), shape), None
    return build.ScatterNd(indices, grad, shape), None


register_op(
    "VarHandleOp",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = '', dtype: type, shape: shape",
    shape=shapes.scalar,
    variable=True,
    stateful=True,
)
register_op(
    "ReadVariableOp",
    inputs="resource: resource",
    outputs="value: dtype",
    attrs="dtype: type",
    shape=shape_read,
    kernel=kernel_read,
    gradient=lambda op, grad: grad,
    stateful=True,
)
register_op(
    "AssignVariableOp",
    inputs="resource: resource, value: dtype",
    attrs="dtype: type",
    shape=shape_update,
    kernel=kernel_assign,
    updates=("resource",),
    allows_uninitialized=True,
    stateful=True,
)


def _register_assign(name: str, kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="resource: resource, value: dtype",
        attrs="dtype: type",
        shape=shape_update,
        kernel=kernel,
        updates=("resource",),
        stateful=True,
    )


_register_assign("AssignAddVariableOp", kernel_assign_add)
_register_assign("AssignSubVariableOp", kernel_assign_sub)
register_op(
    "VarIsInitializedOp",
    inputs="resource: resource",
    outputs="is_initialized: bool",
    shape=shapes.scalar,
    kernel=kernel_is_initialized,
    runs_on=RunsOn.HOST,
    allows_uninitialized=True,
    existence_only=True,
    gradient=NOT_DIFFERENTIABLE,
    stateful=True,
)
register_op(
    "VariableShape",
    inputs="input: resource",
    outputs="output: out_type",
    attrs="out_type: {int32, int64} = int32",
    shape=shape_variable_shape,
    kernel=kernel_variable_shape,
    gradient=NOT_DIFFERENTIABLE,
    stateful=True,
)
register_op(
    "DestroyResourceOp",
    inputs="resource: resource",
    attrs="ignore_lookup_error: bool = true",
    shape=shapes.none,
    kernel=kernel_destroy,
    updates=("resource",),
    runs_on=RunsOn.HOST,
    allows_uninitialized=True,
    stateful=True,
)
register_op(
    "ResourceGather",
    inputs="resource: resource, indices: Tindices",
    outputs="output: dtype",
    attrs=(
        "batch_dims: int = 0, validate_indices: bool = true, dtype: type, Tindices: {int32, int64}"
    ),
    shape=shape_gather,
    kernel=kernel_gather,
    gradient=gradient_gather,
    stateful=True,
)
register_op(
    "ResourceGatherNd",
    inputs="resource: resource, indices: Tindices",
    outputs="output: dtype",
    attrs="dtype: type, Tindices: {int32, int64}",
    shape=shape_gather_nd,
    kernel=kernel_gather_nd,
    gradient=gradient_gather_nd,
    stateful=True,
)
