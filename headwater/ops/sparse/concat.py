"""Sparse tensors joined and split along one dimension: SparseConcat, SparseSplit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.older_calls import inserted
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, AxisLike, NestedTensors, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    ShapeContext,
    SparseTensor,
    build,
    export,
    register_op,
)
from headwater.ops.sparse.index_checks import checked_sparse, listed, row_major


def kernel_sparse_concat(
    xp: ArrayModule,
    indices: list[np.ndarray],
    values: list[np.ndarray],
    shapes: list[np.ndarray],
    *,
    concat_dim: int,
) -> tuple[Array, ...]:
    for i, (rows, elements, shape) in enumerate(zip(indices, values, shapes)):
        if rows.ndim != 2:
            fail(
                f"Input indices should be a matrix but received shape {listed(rows.shape)} at "
                f"position {i}"
            )
        if elements.ndim != 1:
            fail(
                f"Input values should be a vector but received shape {listed(elements.shape)} at "
                f"position {i}"
            )
        if shape.ndim != 1:
            fail(
                f"Input shapes should be a vector but received shape {listed(shape.shape)} at "
                f"position {i}"
            )
    rank = len(shapes[0])
    dim = concat_dim + rank if concat_dim < 0 else concat_dim
    if not 0 <= dim < rank:
        fail(f"Concat dimension must be in range [{-rank}, {rank}), got {concat_dim}")
    for i, shape in enumerate(shapes):
        if len(shape) != rank:
            fail(
                f"Ranks of all input tensors must match: expected {rank} but got {len(shape)} at "
                f"position {i}"
            )
        for axis in range(rank):
            if axis != dim and shape[axis] != shapes[0][axis]:
                fail(
                    f"Input shapes must match: expected {shapes[0][axis]} for dimension {axis} "
                    f"but got {shape[axis]} at position {i}"
                )
    moved, offset = [], 0
    for rows, shape in zip(indices, shapes):
        step = np.zeros(rank, np.int64)
        step[dim] = offset
        moved.append(rows + step)
        offset += int(shape[dim])
    all_rows, all_values = np.concatenate(moved), np.concatenate(values)
    order = row_major(np, all_rows)
    whole = np.array(shapes[0], np.int64)
    whole[dim] = offset
    return all_rows[order], all_values[order], whole


def shape_sparse_concat(c: ShapeContext) -> list[Shape]:
    count = c.attr("N")
    rank: Any = None
    rows: int | None = 0
    for i in range(count):
        own, elements, whole = c.shapes[i], c.shapes[count + i], c.shapes[2 * count + i]
        for shape, wanted in ((own, 2), (elements, 1), (whole, 1)):
            if shape is not None and len(shape) != wanted:
                c.fail(f"Shape must be rank {wanted} but is rank {len(shape)}")
        number = c.merge_dims(own[0] if own else None, elements[0] if elements else None)
        rank = c.merge_dims(rank, own[1] if own else None)
        rank = c.merge_dims(rank, whole[0] if whole else None)
        rows = None if rows is None or number is None else rows + number
    return [(rows, rank), (rows,), (rank,)]


def samples_sparse_concat() -> Iterator[Sample]:
    rows = [np.array([[0, 2], [1, 0]]), np.array([[1, 1], [0, 0]])]
    values = [np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)]
    yield Sample(rows, values, [np.array([2, 3]), np.array([2, 2])], concat_dim=1)
    yield Sample(rows, values, [np.array([2, 3]), np.array([4, 3])], concat_dim=-2)
    words = [np.array([b"a", b"b"], object), np.array([b"c", b"d"], object)]
    yield Sample(rows, words, [np.array([2, 3]), np.array([2, 3])], concat_dim=0)


register_op(
    "SparseConcat",
    inputs="indices: N * int64, values: N * T, shapes: N * int64",
    outputs="output_indices: int64, output_values: T, output_shape: int64",
    attrs="concat_dim: int, N: int >= 2, T: type",
    shape=shape_sparse_concat,
    kernel=kernel_sparse_concat,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_sparse_concat,
    dynamic_shape=True,
)


@export("sparse_concat", "sparse.concat")
@signature(
    "axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, "
    "expand_nonconcat_dims=None"
)
def sparse_concat(
    axis: AxisLike = None,
    sp_inputs: NestedTensors | None = None,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: AxisLike | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Joins sparse tensors along one dimension.

    Args:
        axis: the dimension.
        sp_inputs: a list of SparseTensors.
        name: the name of the node.
        expand_nonconcat_dim: whether the other dimensions may differ and become the largest.
        concat_dim: an older name of `axis`.
        expand_nonconcat_dims: another name of `expand_nonconcat_dim`.

    Returns:
        A SparseTensor with its elements in row-major order.

    Raises:
        TypeError: if `sp_inputs` is not a list of SparseTensors.
    """
    if expand_nonconcat_dims is not None:
        expand_nonconcat_dim = expand_nonconcat_dims
    if axis is None:
        axis = concat_dim
    if not isinstance(sp_inputs, (list, tuple)) or hasattr(sp_inputs, "dense_shape"):
        raise TypeError("Inputs must be a list or tuple.")
    inputs = [checked_sparse(x) for x in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    wholes = [x.dense_shape for x in inputs]
    if expand_nonconcat_dim:
        rows = [build.Reshape(shape, [1, -1]) for shape in wholes]
        largest = build.Max(build.ConcatV2(rows, 0, name="concat"), 0)
        wholes = [
            build.ConcatV2(
                [
                    largest[:axis],
                    shape[-1:] if axis == -1 else shape[axis : axis + 1],
                    np.array([], np.int64) if axis == -1 else largest[axis + 1 :],
                ],
                0,
                name="concat",
            )
            for shape in wholes
        ]
    parts = build.SparseConcat(
        [x.indices for x in inputs], [x.values for x in inputs], wholes, concat_dim=axis, name=name
    )
    return SparseTensor(*parts)


def kernel_sparse_split(
    xp: ArrayModule,
    split_dim: np.ndarray,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    *,
    num_split: int,
) -> list[Array]:
    dim, rank = int(split_dim), len(shape)
    if dim < 0:
        fail(f"num_dim must be in the interval [0, {rank})")
    if dim >= rank:
        fail(f"Input split_dim should be between 0 and rank ({rank}), got {dim}")
    length = int(shape[dim])
    if not 1 <= num_split <= length:
        fail(
            "Input num_split should be between 1 and the splitting dimension size "
            f"({length}), got {num_split}"
        )
    # The first parts get one more if the length is not a multiple.
    size, more = divmod(length, num_split)
    limits = np.cumsum([size + (i < more) for i in range(num_split)])
    part_of = np.searchsorted(limits, indices[:, dim], side="right")
    all_rows, all_values, all_shapes = [], [], []
    for i in range(num_split):
        mine = part_of == i
        start = int(limits[i - 1]) if i else 0
        rows = indices[mine]
        rows[:, dim] -= start
        whole = np.array(shape, np.int64)
        whole[dim] = int(limits[i]) - start
        all_rows.append(rows)
        all_values.append(values[mine])
        all_shapes.append(whole)
    return [*all_rows, *all_values, *all_shapes]


def shape_sparse_split(c: ShapeContext) -> list[Shape]:
    whole, count = c.shape("shape"), c.attr("num_split")
    rank = whole[0] if whole is not None and len(whole) == 1 else None
    return [(None, rank)] * count + [(None,)] * count + [whole] * count


def samples_sparse_split() -> Iterator[Sample]:
    rows = np.array([[0, 1], [1, 3], [1, 6]])
    values = np.array([1.0, 2.0, 3.0], np.float32)
    for dim, count in ((1, 2), (1, 3), (0, 2), (0, 1)):
        yield Sample(np.array(dim), rows, values, np.array([2, 7]), num_split=count)


register_op(
    "SparseSplit",
    inputs="split_dim: int64, indices: int64, values: T, shape: int64",
    outputs="output_indices: num_split * int64, output_values: num_split * T, "
    "output_shape: num_split * int64",
    attrs="num_split: int >= 1, T: type",
    shape=shape_sparse_split,
    kernel=kernel_sparse_split,
    samples=samples_sparse_split,
    dynamic_shape=True,
)


class _KeywordRequired:
    """Stands for an argument that must not be given by position."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


_REQUIRED = _KeywordRequired()


@export("sparse_split", "sparse.split")
@inserted(3, None)
def sparse_split(
    keyword_required: Any = _REQUIRED,
    sp_input: SparseTensor | TensorLike | None = None,
    num_split: SparseTensor | TensorLike | None = None,
    axis: AxisLike | None = None,
    name: str | None = None,
    split_dim: AxisLike | None = None,
) -> list[SparseTensor]:
    """Splits a sparse tensor along one dimension; the first parts are longer if need be.

    Args:
        keyword_required: not to be given; the dimension, number and tensor by position, in this
            order, are the form of early releases.
        sp_input: a SparseTensor.
        num_split: the number of parts.
        axis: the dimension.
        name: the name of the node.
        split_dim: an older name of `axis`.

    Returns:
        A list of SparseTensors.

    Raises:
        ValueError: if the dimension, the number or the tensor are not given.
        TypeError: if `sp_input` is not a SparseTensor.
    """
    if keyword_required is not _REQUIRED and hasattr(num_split, "dense_shape"):
        axis, num_split, sp_input = keyword_required, sp_input, num_split
    elif keyword_required is not _REQUIRED:
        raise ValueError("Keyword arguments are required for this function.")
    if axis is None:
        axis = split_dim
    if sp_input is None:
        raise ValueError("sp_input is required")
    if num_split is None:
        raise ValueError("num_split is required")
    if axis is None:
        raise ValueError("axis is required")
    sparse = checked_sparse(sp_input)
    parts = build.SparseSplit(
        axis, sparse.indices, sparse.values, sparse.dense_shape, num_split=num_split, name=name
    )
    return [SparseTensor(*part) for part in zip(*parts)]
