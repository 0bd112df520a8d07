"""Slices picked by an index along one dimension: GatherV2 and Gather."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes, errors, native
from headwater.base.checks import fail, in_range, require
from headwater.base.typing import Array, ArrayModule, AxisLike, Shape, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Sample,
    Tensor,
    build,
    colocate_with,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
)

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def shape_gather(c: shapes.ShapeContext) -> Shape:
    params, indices = c.shape("params"), c.shape("indices")
    if params is not None and not params:
        c.fail("Shape must be at least rank 1 but is rank 0")
    return None if params is None or indices is None else (*indices, *params[1:])


def shape_gather_v2(c: shapes.ShapeContext) -> Shape:
    params, indices = c.shape("params"), c.shape("indices")
    c.with_rank("axis", 0)
    batch_dims = c.attr("batch_dims")
    if params is not None and not params:
        c.fail("Shape must be at least rank 1 but is rank 0")
    value = c.value("axis")
    if params is None:
        return None
    if value is None:
        if indices is None:
            return None
        return (None,) * (len(params) + len(indices) - 1)
    axis = int(value)
    needed = axis + 1 if axis >= 0 else -axis
    if len(params) < needed:
        c.fail(f"Shape must be at least rank {needed} but is rank {len(params)}")
    axis %= len(params)
    if indices is None:
        return None
    if batch_dims < 0:
        batch_dims += len(indices)
    return (*params[:axis], *indices[batch_dims:], *params[axis + 1 :])


def kernel_gather_v2(
    xp: ArrayModule, params: Array, indices: Array, axis: np.ndarray, *, batch_dims: int
) -> Array:
    if axis.ndim:
        fail("axis must be scalar")
    rank, dim = len(params.shape), int(axis)
    if not -rank <= dim < rank:
        fail(f"Expected axis in the range [{-rank}, {rank}), but got {dim}")
    dim %= rank
    if xp is np and not dim and not batch_dims:
        rows = native.host().take(params, indices)
        if rows is not None:
            return rows
    if batch_dims < 0:
        batch_dims += len(indices.shape)
    size = params.shape[dim]
    require(xp, in_range(indices, size), lambda: _out_of_range(indices, size))
    if batch_dims:
        return _batched(xp, params, indices, dim, batch_dims)
    if xp is np:
        return params.take(indices, dim)
    # The indices have been checked, so XLA need not clamp them.
    return xp.take(params, indices, dim, mode="clip")


def _batched(xp: ArrayModule, params: Array, indices: Array, axis: int, batch_dims: int) -> Array:
    """Gathers with batch dimensions shared by params and indices."""
    if params.shape[:batch_dims] != indices.shape[:batch_dims]:
        fail(
            f"params.shape[{batch_dims - 1}]: {params.shape[batch_dims - 1]} should be equal to "
            f"indices.shape[{batch_dims - 1}]: {indices.shape[batch_dims - 1]}"
        )
    # With the gathered dimension right after the batch dimensions, one index per dimension
    # suffices.
    moved = xp.moveaxis(params, axis, batch_dims)
    index = [
        xp.arange(size).reshape((1,) * i + (-1,) + (1,) * (len(indices.shape) - i - 1))
        for i, size in enumerate(indices.shape[:batch_dims])
    ]
    found = moved[(*index, indices)]
    # After the batch come the dimensions of the indices, then those before the axis.
    picked = range(batch_dims, len(indices.shape))
    outer = range(picked.stop, picked.stop + axis - batch_dims)
    order = [*range(batch_dims), *outer, *picked, *range(outer.stop, len(found.shape))]
    return xp.transpose(found, order)


def _out_of_range(indices: np.ndarray, size: int) -> Exception:
    indices = np.asarray(indices)
    position = np.argwhere((indices < 0) | (indices >= size))[0]
    where = f"[{','.join(map(str, position))}]" if indices.ndim else ""
    return errors.InvalidArgumentError(
        None, None, f"indices{where} = {indices[tuple(position)]} is not in [0, {size})"
    )


def kernel_gather(xp: ArrayModule, params: Array, indices: Array) -> Array:
    return kernel_gather_v2(xp, params, indices, np.array(0), batch_dims=0)


# Gradients


def _shape_at(params: Tensor) -> Tensor:
    """The shape of the gathered tensor, colocated with it."""
    with colocate_with(params):
        return build.Cast(shape_tensor(params, out_type=dtypes.int64), DstT=dtypes.int32)


def _count(x: Tensor) -> Tensor:
    """The number of elements as a vector of length 1."""
    return build.ExpandDims(_size(x), 0)


def _size(x: Tensor) -> Tensor:
    count = shapes.number_of_elements(x._shape)
    return build.Size(x) if count is None else constant_node(count, dtypes.int32, "Size")


def _concat(parts: list[Any]) -> Tensor:
    return build.ConcatV2(parts, 0, name="concat")


def _sparse(grad: TensorLike, shape: Tensor, count: Tensor, indices: Tensor) -> IndexedSlices:
    values = build.Reshape(grad, _concat([count, shape[1:]]))
    return IndexedSlices(values, build.Reshape(indices, count), shape)


def gradient_gather(op: Operation, grad: TensorLike) -> tuple[IndexedSlices, Any]:
    params, indices = op.inputs
    shape = _shape_at(params)
    return _sparse(grad, shape, _count(indices), indices), None


def gradient_gather_v2(
    op: Operation, grad: TensorLike
) -> tuple[Tensor | IndexedSlices | None, ...]:
    params, indices, axis = op.inputs
    batch_dims = op._attrs["batch_dims"]
    if batch_dims < 0:
        indices_rank = indices._rank()
        if indices_rank is None:
            raise ValueError("batch_dims < 0 is only allowed if the rank of indices is known.")
        batch_dims += indices_rank
    shape = _shape_at(params)
    count = _count(indices)
    value = constant_value(axis)
    if value is not None and value == 0:
        return _sparse(grad, shape, count, indices), None, None
    outer, inner = shape[:axis], shape[axis:][1:]
    sizes = _concat([outer, [-1], inner])
    rank, axis_rank = _size(sizes), _size(outer)
    batch = build.Range(0, batch_dims, 1, name="range")
    between = build.Range(batch_dims, axis_rank, 1, name="range")
    after = build.Range(axis_rank + 1, rank, 1, name="range")
    # The gathered dimension is moved to the front, right after the batch, and back.
    values = build.Reshape(grad, sizes)
    there = _concat([batch, [axis_rank], between, after])
    values = build.Transpose(values, there, name="transpose")
    total = _summed(values, indices, shape, axis, batch_dims)
    back = _concat([batch, between + 1, [batch_dims], after])
    return build.Transpose(total, back, name="transpose"), None, None


def _summed(
    values: Tensor, indices: Tensor, shape: Tensor, axis: Tensor, batch_dims: int
) -> Tensor:
    """Scatter-adds the slices to the positions that they were gathered from."""
    segments = shape[axis]
    count = _count(indices)
    if not batch_dims:
        return build.UnsortedSegmentSum(values, build.Reshape(indices, count), segments)
    value_sizes = shape_tensor(values)
    batch_sizes = value_sizes[:batch_dims]
    rest = value_sizes[batch_dims:][1:]
    batch_count = build.Prod(batch_sizes, [0])
    flat = _concat([[-1], rest])
    segments = segments * batch_count
    if constant_value(axis) != batch_dims:
        # The gathered dimension is right after the batch here. TensorFlow takes the wrong
        # size in this case, and gives a wrong gradient.
        shape = _concat([shape[:batch_dims], [shape[axis]]])
    indices = _batch_indices(shape, indices, batch_dims)
    values = build.Reshape(values, flat)
    total = build.UnsortedSegmentSum(values, build.Reshape(indices, count), segments)
    return build.Reshape(total, _concat([batch_sizes, flat]))


def _batch_indices(shape: Tensor, indices: Tensor, batch_dims: int, raw: bool = False) -> Tensor:
    """Indices into params with the batch dimensions and the gathered one flattened to one."""
    rank = indices._rank()
    if rank is None:
        raise ValueError("The rank of indices must be known.")
    dtype = indices.dtype.base_dtype
    # tf.batch_gather makes some nodes directly that the gradient makes with public functions.
    if not raw and shape.dtype is not dtype:
        shape = build.Cast(shape, DstT=dtype)
    step = _number(1, dtype, "ones")
    if raw:
        shape = build.Cast(shape, DstT=dtype)
    for dim in range(batch_dims, 0, -1):
        size = shape[dim - 1]
        step = step * shape[dim]
        start, one = _number(0, dtype, "zeros"), _number(1, dtype, "ones")
        offsets = build.Range(start, size, one, name="Range" if raw else "range") * step
        ones_before, ones_after = [1] * (dim - 1), [1] * (rank - dim)
        sizes = convert_to_tensor([*ones_before, size, *ones_after], name="stack")
        indices = indices + build.Reshape(offsets, sizes)
    return indices


def _number(value: int, dtype: DType, name: str) -> Tensor:
    return constant_node(value, dtype, name)


# Samples


def samples_gather() -> Iterator[Sample]:
    x = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    yield Sample(x, np.array([3, 0, 0], np.int32))
    yield Sample(x, np.array([[1], [2]], np.int64))
    yield Sample(x, np.int32(2))
    yield Sample(x, np.zeros((0,), np.int32))


def samples_gather_v2() -> Iterator[Sample]:
    for sample in samples_gather():
        yield Sample(*sample.inputs, np.int32(0))
    x = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    yield Sample(x, np.array([2, 0], np.int32), np.int32(1))
    yield Sample(x, np.array([[1, 0], [1, 1]], np.int64), np.int64(-1))
    yield Sample(x, np.array([[1], [0], [2], [2]], np.int32), np.int32(1), batch_dims=1)
    yield Sample(x, np.array([[1, 0]] * 4, np.int32), np.int32(2), batch_dims=1)


def reference_gather_v2(
    params: np.ndarray, indices: np.ndarray, axis: np.ndarray, *, batch_dims: int
) -> np.ndarray:
    if not batch_dims:
        return np.take(params, indices, int(axis))
    inner = int(axis) - (1 if axis > 0 else 0)
    parts = [
        reference_gather_v2(p, i, np.array(inner), batch_dims=batch_dims - 1)
        for p, i in zip(params, indices)
    ]
    return np.stack(parts)


register_op(
    "GatherV2",
    inputs="params: Tparams, indices: Tindices, axis: Taxis",
    outputs="output: Tparams",
    attrs="batch_dims: int = 0, Tparams: type, Tindices: {int32, int64}, Taxis: {int32, int64}",
    shape=shape_gather_v2,
    kernel=kernel_gather_v2,
    gradient=gradient_gather_v2,
    concrete=("axis",),
    reference=reference_gather_v2,
    samples=samples_gather_v2,
)
register_op(
    "Gather",
    inputs="params: Tparams, indices: Tindices",
    outputs="output: Tparams",
    attrs="validate_indices: bool = true, Tparams: type, Tindices: {int32, int64}",
    shape=shape_gather,
    kernel=kernel_gather,
    gradient=gradient_gather,
    reference=lambda params, indices: params[indices],
    samples=samples_gather,
)


@export("gather")
def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: AxisLike | None = None,
    batch_dims: int = 0,
) -> Tensor:
    """Picks slices of a tensor along one dimension.

    Args:
        params: a tensor.
        indices: the positions of the slices, of any shape.
        validate_indices: ignored, indices are always checked.
        name: the name of the node.
        axis: the dimension; `batch_dims` if None.
        batch_dims: how many first dimensions of `params` and `indices` go together.

    Returns:
        A tensor in which the dimensions of `indices` stand for the picked dimension.

    Raises:
        InvalidArgumentError: from `Session.run` if an index is out of range.

    Example:
        >>> print(tf.gather([10, 20, 30], [2, 0]).eval())
        [30 10]
    """
    if axis is None:
        axis = batch_dims
    if constant_value(axis) != 0 if isinstance(axis, Tensor) else axis != 0:
        return build.GatherV2(params, indices, axis, batch_dims=batch_dims, name=name)
    try:
        # Resource variables read single rows.
        return params.sparse_read(indices, name=name)
    except AttributeError:
        return build.GatherV2(params, indices, axis, name=name)


@export("batch_gather")
def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Picks elements along the last dimension of `indices`, batch by batch.

    Args:
        params: a tensor.
        indices: integers of known rank; all but their last dimension are those of `params`.
        name: the name scope.

    Returns:
        A tensor of the shape of `indices` followed by the remaining dimensions of `params`.

    Raises:
        ValueError: if the rank of `indices` is not known.
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        indices_shape, params_shape = shape_tensor(indices), shape_tensor(params)
        rank = indices._rank()
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        flat = _batch_indices(params_shape, indices, rank - 1, raw=True)
        flat = build.Reshape(flat, [-1])
        outer = params_shape[rank:]
        count = build.Prod(params_shape[:rank], [0])
        params = build.Reshape(params, _concat([[count], outer]))
        found = gather(params, flat)
        result = build.Reshape(found, _concat([indices_shape, outer]))
        result.set_shape(indices.get_shape().concatenate(params.get_shape()[1:]))
        return result
