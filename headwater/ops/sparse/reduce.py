"""Sums, largest elements and softmax of sparse tensors: SparseReduceSum, SparseSoftmax."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.typing import Array, ArrayModule, AxisLike, NestedTensors, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    SparseTensor,
    Tensor,
    build,
    constant_node,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    size_tensor,
)
from headwater.ops.sparse.index_checks import check_parts, checked_sparse, row_major
from headwater.ops.state.scatter_kernels import UPDATES


def _axes(axes: np.ndarray, rank: int) -> list[int]:
    found = []
    for axis in axes.ravel().tolist():
        if not -rank <= axis < rank:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Invalid reduction dimension {axis}, for input with {rank} dimensions.",
            )
        found.append(axis % rank)
    return sorted(set(found))


def _kept(shape: np.ndarray, axes: np.ndarray, keep_dims: bool) -> tuple[list[int], list[int]]:
    """The dimensions that stay, and the shape of the result."""
    rank = len(shape)
    reduced = _axes(axes, rank)
    kept = [i for i in range(rank) if i not in reduced]
    if keep_dims:
        return kept, [1 if i in reduced else int(shape[i]) for i in range(rank)]
    return kept, [int(shape[i]) for i in kept]


def _dense_kernel(update: str) -> Callable[..., Any]:
    def kernel(
        xp: ArrayModule,
        indices: Array,
        values: Array,
        shape: np.ndarray,
        axes: np.ndarray,
        *,
        keep_dims: bool,
    ) -> Array:
        check_parts(indices, values, shape)
        kept, result_shape = _kept(shape, axes, keep_dims)
        lengths = [int(shape[i]) for i in kept]
        size = math.prod(lengths)
        places = xp.zeros(len(indices), np.int64)
        inside = xp.ones(len(indices), bool)
        for axis, length in zip(kept, lengths):
            column = indices[:, axis]
            places = places * length + column
            inside = inside & (column >= 0) & (column < length)
        # Elements out of range go into an extra slot that is cut off.
        places = xp.where(inside, places, size)
        if update == "Add":
            rows = UPDATES["Add"](xp, xp.zeros(size + 1, values.dtype), places, values)
            return rows[:size].reshape(result_shape)
        low = _lowest(values.dtype)
        rows = UPDATES["Max"](xp, xp.full(size + 1, low, values.dtype), places, values)
        given = UPDATES["Update"](xp, xp.zeros(size + 1, bool), places, xp.ones(len(indices), bool))
        rows = xp.where(given, rows, xp.zeros((), values.dtype))
        return rows[:size].reshape(result_shape)

    return kernel


def _lowest(dtype: np.dtype) -> float:
    kind = np.dtype(dtype).kind
    return np.iinfo(dtype).min if kind in "iu" else -np.inf


def _sparse_kernel(reduce: Any) -> Callable[..., Any]:
    def kernel(
        xp: ArrayModule,
        indices: np.ndarray,
        values: np.ndarray,
        shape: np.ndarray,
        axes: np.ndarray,
        *,
        keep_dims: bool,
    ) -> tuple[Array, ...]:
        check_parts(indices, values, shape)
        kept, result_shape = _kept(shape, axes, keep_dims)
        order = row_major(np, indices[:, kept])
        rows = indices[order][:, kept]
        first = np.ones(len(rows), bool)
        first[1:] = np.any(rows[1:] != rows[:-1], axis=1)
        starts = np.flatnonzero(first)
        results = reduce.reduceat(values[order], starts) if len(starts) else values[:0]
        rows = rows[starts]
        if keep_dims:
            whole = np.zeros((len(rows), len(shape)), np.int64)
            whole[:, kept] = rows
            rows = whole
        return rows, results.astype(values.dtype), np.array(result_shape, np.int64)

    return kernel


def _reference(function: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    def reference(
        indices: np.ndarray,
        values: np.ndarray,
        shape: np.ndarray,
        axes: np.ndarray,
        *,
        keep_dims: bool,
    ) -> Array:
        rank = len(shape)
        reduced = {a % rank for a in axes.ravel().tolist()}
        groups: dict[Any, list[Any]] = {}
        for row, value in zip(indices.tolist(), values):
            key = [0 if i in reduced else x for i, x in enumerate(row)]
            groups.setdefault(tuple(key), []).append(value)
        dense = np.zeros([1 if i in reduced else d for i, d in enumerate(shape)], values.dtype)
        for key, members in groups.items():
            dense[key] = function(members)
        return (
            dense
            if keep_dims
            else dense.reshape([d for i, d in enumerate(shape) if i not in reduced])
        )

    return reference


def shape_dense(c: shapes.ShapeContext) -> Shape:
    shape, axes = c.value_as_shape("input_shape"), c.value("reduction_axes")
    if shape is None or axes is None:
        return None
    rank = len(shape)
    # Axes out of range fail only when the op runs.
    reduced = [a % max(rank, 1) for a in axes.ravel().tolist()]
    if c.attr("keep_dims"):
        return tuple(1 if i in reduced else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in reduced)


def gradient_sparse_reduce_sum(op: Operation, grad: TensorLike) -> tuple[Tensor | None, ...]:
    indices, _, shape, axes = op.inputs
    lengths = build.Cast(shape, DstT=dtypes.int32)
    rank = size_tensor(lengths)
    wrapped = build.FloorMod(build.AddV2(axes, rank, name="add"), rank, name="mod")
    count = shape_tensor(wrapped)
    numbers = build.Range(0, rank, 1, name="range")
    reduced = build.DynamicStitch([numbers, wrapped], [lengths, build.Fill(count, 1)])
    whole = build.Reshape(grad, reduced)
    scale = build.FloorDiv(shape, build.Cast(reduced, DstT=dtypes.int64), name="floordiv")
    places = build.FloorDiv(indices, scale, name="floordiv")
    return None, build.GatherNd(whole, places), None, None


def samples_reduce() -> Iterator[Sample]:
    rows = np.array([[0, 1], [1, 1], [1, 3]])
    shape = np.array([3, 4])
    for kind in (np.float32, np.int32):
        values = np.array([1, -2, -4], kind)
        for axes in ([1], [0], [-1, 0], []):
            for keep_dims in (False, True):
                yield Sample(
                    rows, values, shape, np.array(axes, np.int32), keep_dims=keep_dims, gradient=()
                )
        yield Sample(rows, values, shape, np.array(1, np.int32))


_INPUTS = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32"


def _register_sparse_reduction(
    name: str,
    sparse_name: str,
    update: str,
    function: Callable[..., Any],
    of_many: Callable[..., Any],
    types: str,
    gradient: Callable[..., Any] | None,
) -> None:
    register_op(
        name,
        inputs=_INPUTS,
        outputs="output: T",
        attrs=f"keep_dims: bool = false, T: {types}",
        shape=shape_dense,
        kernel=_dense_kernel(update),
        concrete=("input_shape", "reduction_axes"),
        reference=_reference(function),
        samples=samples_reduce,
        gradient=gradient,
    )
    register_op(
        sparse_name,
        inputs=_INPUTS,
        outputs="output_indices: int64, output_values: T, output_shape: int64",
        attrs=f"keep_dims: bool = false, T: {types}",
        shape=lambda c: [None, None, None],
        kernel=_sparse_kernel(of_many),
        samples=samples_reduce,
        dynamic_shape=True,
    )


_register_sparse_reduction(
    "SparseReduceSum",
    "SparseReduceSumSparse",
    gradient=gradient_sparse_reduce_sum,
    update="Add",
    function=sum,
    of_many=np.add,
    types="numbertype",
)
_register_sparse_reduction(
    "SparseReduceMax",
    "SparseReduceMaxSparse",
    gradient=None,
    update="Max",
    function=max,
    of_many=np.maximum,
    types="realnumbertype",
)


def _reduced_axes(sparse: SparseTensor, axis: AxisLike | None) -> NestedTensors:
    if axis is not None:
        return axis
    rank = sparse.dense_shape.shape[0].value if sparse.dense_shape.shape.ndims else None
    if rank is not None:
        return constant_node(np.arange(rank, dtype=np.int32))
    return build.Range(0, build.Size(sparse.dense_shape, name="Rank"), 1, name="range")


def _reduced(
    op_type: str,
    sp_input: SparseTensor,
    axis: AxisLike | None,
    keepdims: bool | None,
    reduction_axes: AxisLike | None = None,
    keep_dims: bool | None = None,
    node_name: str | None = None,
) -> Tensor | SparseTensor:
    sparse = checked_sparse(sp_input)
    axis = reduction_axes if axis is None else axis
    keep = keep_dims if keepdims is None else keepdims
    result = getattr(build, op_type)(
        sparse.indices,
        sparse.values,
        sparse.dense_shape,
        _reduced_axes(sparse, axis),
        keep_dims=bool(keep),
        name=node_name,
    )
    return SparseTensor(*result) if op_type.endswith("Sparse") else result


@export("sparse_reduce_sum", "sparse.reduce_sum")
def sparse_reduce_sum(
    sp_input: SparseTensor,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    reduction_axes: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """Adds the elements of a sparse tensor along dimensions.

    Args:
        sp_input: a SparseTensor.
        axis: the dimension, or a list of them; None means all.
        keepdims: whether the dimensions stay, with length 1.
        reduction_axes: an older name of `axis`.
        keep_dims: an older name of `keepdims`.

    Returns:
        A tensor; it is zero where there are no elements.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    return _reduced("SparseReduceSum", sp_input, axis, keepdims, reduction_axes, keep_dims)


@export("sparse_reduce_sum_sparse", "sparse.reduce_sum_sparse")
def sparse_reduce_sum_sparse(
    sp_input: SparseTensor,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    reduction_axes: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """Adds the elements of a sparse tensor along dimensions.

    Args:
        sp_input: a SparseTensor.
        axis: the dimension, or a list of them; None means all.
        keepdims: whether the dimensions stay, with length 1.
        reduction_axes: an older name of `axis`.
        keep_dims: an older name of `keepdims`.

    Returns:
        A SparseTensor.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    return _reduced("SparseReduceSumSparse", sp_input, axis, keepdims, reduction_axes, keep_dims)


@export("sparse_reduce_max", "sparse.reduce_max")
def sparse_reduce_max(
    sp_input: SparseTensor,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    reduction_axes: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """Finds the largest of the elements that a sparse tensor has along dimensions.

    Args:
        sp_input: a SparseTensor.
        axis: the dimension, or a list of them; None means all.
        keepdims: whether the dimensions stay, with length 1.
        reduction_axes: an older name of `axis`.
        keep_dims: an older name of `keepdims`.

    Returns:
        A tensor; it is zero where there are no elements.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    return _reduced("SparseReduceMax", sp_input, axis, keepdims, reduction_axes, keep_dims)


@export("sparse_reduce_max_sparse", "sparse.reduce_max_sparse")
def sparse_reduce_max_sparse(
    sp_input: SparseTensor,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    reduction_axes: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """Finds the largest of the elements that a sparse tensor has along dimensions.

    Args:
        sp_input: a SparseTensor.
        axis: the dimension, or a list of them; None means all.
        keepdims: whether the dimensions stay, with length 1.
        reduction_axes: an older name of `axis`.
        keep_dims: an older name of `keepdims`.

    Returns:
        A SparseTensor.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    return _reduced("SparseReduceMaxSparse", sp_input, axis, keepdims, reduction_axes, keep_dims)


def kernel_sparse_softmax(xp: ArrayModule, indices: Array, values: Array, shape: Array) -> Array:
    check_parts(indices, values, shape)
    if len(shape) < 2:
        dims = " ".join(str(int(d)) for d in np.asarray(shape))
        raise errors.InvalidArgumentError(
            None, None, f"Input should have rank >= 2, but received shape: {dims}"
        )
    count = len(indices)
    if not count:
        return values
    rows = indices[:, :-1]
    # Neighbours with the same leading indices are one row.
    new = xp.concatenate([xp.zeros(1, bool), xp.any(rows[1:] != rows[:-1], axis=1)])
    row = xp.cumsum(new)
    low = xp.full(count, -np.inf, values.dtype)
    shifted = values - UPDATES["Max"](xp, low, row, values)[row]
    powers = xp.exp(shifted)
    sums = UPDATES["Add"](xp, xp.zeros(count, values.dtype), row, powers)
    return powers / sums[row]


def reference_sparse_softmax(
    indices: np.ndarray, values: np.ndarray, shape: np.ndarray
) -> np.ndarray:
    keys = [tuple(row[:-1]) for row in indices.tolist()]
    powers = np.exp(values.astype(np.float64))
    sums = [sum(p for k, p in zip(keys, powers) if k == key) for key in keys]
    return np.array([p / s for p, s in zip(powers, sums)], values.dtype)


def gradient_sparse_softmax(op: Operation, grad: TensorLike) -> tuple[Tensor | None, ...]:
    indices, shape = op.inputs[0], op.inputs[2]
    results = op.outputs[0]
    products = build.Mul(results, grad, name="mul")
    sums = build.SparseReduceSum(indices, products, shape, [-1], keep_dims=True)
    differences = build.SparseDenseCwiseAdd(indices, grad, shape, build.Neg(sums))
    return None, build.Mul(differences, results, name="mul"), None


def shape_sparse_softmax(c: shapes.ShapeContext) -> Shape:
    c.with_rank("sp_indices", 2)
    values = c.with_rank("sp_values", 1)
    c.with_rank("sp_shape", 1)
    return values


def samples_sparse_softmax() -> Iterator[Sample]:
    rows = np.array([[0, 1], [1, 1], [1, 3]])
    for kind in (np.float32, np.float64):
        yield Sample(rows, np.array([1, -2, -4], kind), np.array([3, 4]))
    cube = np.array([[0, 0, 1], [0, 0, 2], [1, 0, 0]])
    yield Sample(cube, np.array([1.0, -2.0, -4.0]), np.array([3, 4, 5]))
    yield Sample(np.zeros([0, 2], np.int64), np.zeros([0]), np.array([3, 4]))


register_op(
    "SparseSoftmax",
    inputs="sp_indices: int64, sp_values: T, sp_shape: int64",
    outputs="output: T",
    attrs="T: {float, double}",
    shape=shape_sparse_softmax,
    kernel=kernel_sparse_softmax,
    gradient=gradient_sparse_softmax,
    reference=reference_sparse_softmax,
    samples=samples_sparse_softmax,
)


@export("sparse_softmax", "sparse.softmax")
def sparse_softmax(sp_input: TensorLike | SparseTensor, name: str | None = None) -> SparseTensor:
    """Takes the softmax of the elements that each row of a sparse tensor has.

    Args:
        sp_input: a SparseTensor of rank 2 or more with ordered elements; the last dimension is
            that of the rows.
        name: the name scope.

    Returns:
        A SparseTensor of the same shape.
    """
    sparse = checked_sparse(sp_input)
    with name_scope(name, "SparseSoftmax", [sparse.indices, sparse.values]):
        values: Tensor = build.SparseSoftmax(sparse.indices, sparse.values, sparse.dense_shape)
        return SparseTensor(sparse.indices, values, sparse.dense_shape)


def sparse_reduce_sum_v2(
    sp_input: SparseTensor,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Adds the elements of a sparse tensor along dimensions.

    Args:
        sp_input: a SparseTensor.
        axis: the dimension, or a list of them; None means all.
        keepdims: whether the dimensions stay, with length 1.
        output_is_sparse: whether the result is a SparseTensor.
        name: the name of the node.

    Returns:
        A tensor, which is zero where there are no elements, or a SparseTensor.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    op_type = "SparseReduceSumSparse" if output_is_sparse else "SparseReduceSum"
    return _reduced(op_type, sp_input, axis, keepdims, node_name=name)


def sparse_reduce_max_v2(
    sp_input: SparseTensor,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Finds the largest of the elements that a sparse tensor has along dimensions.

    Args:
        sp_input: a SparseTensor.
        axis: the dimension, or a list of them; None means all.
        keepdims: whether the dimensions stay, with length 1.
        output_is_sparse: whether the result is a SparseTensor.
        name: the name of the node.

    Returns:
        A tensor, which is zero where there are no elements, or a SparseTensor.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    op_type = "SparseReduceMaxSparse" if output_is_sparse else "SparseReduceMax"
    return _reduced(op_type, sp_input, axis, keepdims, node_name=name)
