"""Sparse tensors as serialized protos: SerializeSparse, DeserializeManySparse."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType, as_dtype, proto_name
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    RunsOn,
    Sample,
    ShapeContext,
    SparseTensor,
    Tensor,
    build,
    export,
    register_op,
)
from headwater.ops.sparse.index_checks import check_parts, checked_sparse, listed
from headwater.ops.sparse.serialized import read, serialized_parts


def _objects(items: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    result = np.empty(len(items), object)
    for i, item in enumerate(items):
        # Arrays, too, are elements.
        result[i] = item
    return result.reshape(shape)


def kernel_serialize_sparse(
    xp: ArrayModule,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    *,
    T: DType,
    out_type: DType,
) -> np.ndarray:
    check_parts(indices, values, shape)
    return _objects(_parts(indices, values, shape, T, out_type), (3,))


def _parts(
    indices: np.ndarray, values: np.ndarray, shape: np.ndarray, dtype: DType, out_type: DType
) -> list[Any]:
    """The parts of a sparse tensor: protos, or the arrays themselves as variants."""
    if out_type is dtypes.variant:
        return [indices, values, shape]
    return serialized_parts(indices, values, shape, dtype)


def kernel_serialize_many_sparse(
    xp: ArrayModule,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    *,
    T: DType,
    out_type: DType,
) -> np.ndarray:
    check_parts(indices, values, shape)
    if len(shape) <= 1:
        fail(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    count = int(shape[0])
    rows = indices[:, 0]
    if ((rows < 0) | (rows >= count)).any():
        wrong = int(rows[(rows < 0) | (rows >= count)][0])
        fail(f"Received unexpected column 0 value in input SparseTensor: {wrong} < 0 (or >= N)")
    order = np.argsort(rows, kind="stable")
    limits = np.searchsorted(rows[order], np.arange(count + 1))
    items: list[Any] = []
    for start, end in itertools.pairwise(limits):
        mine = order[start:end]
        items += _parts(indices[mine][:, 1:], values[mine], shape[1:], T, out_type)
    return _objects(items, (count, 3))


def kernel_serialize_sparse_rows(
    xp: ArrayModule,
    indices: np.ndarray,
    values: np.ndarray,
    sparse_shape: np.ndarray,
    leading: np.ndarray,
) -> np.ndarray:
    """Takes rows of a sparse matrix apart into tensors that are as wide as their own rows need."""
    count, *height = leading.tolist()
    limits = np.arange(count + 1) * (height[0] if height else 1)
    limits = indices[:, 0].searchsorted(limits)
    if height:
        within = indices.copy()
        within[:, 0] %= max(height[0], 1)
    else:
        within = indices[:, 1:]
    result = np.empty((count, 3), object)
    for i, (start, end) in enumerate(itertools.pairwise(limits.tolist())):
        # The last index of a row is one less than its width.
        part = within[start:end]
        width = int(part[:, -1].max(initial=-1)) + 1 if height else end - start
        result[i, 0], result[i, 1] = part, values[start:end]
        result[i, 2] = np.array([*height, width], np.int64)
    return result


def kernel_deserialize_sparse(
    xp: ArrayModule, serialized: np.ndarray, *, dtype: DType
) -> tuple[Array, ...]:
    """Puts sparse tensors together, with the leading dimensions of their protos in front."""
    if not serialized.ndim or serialized.shape[-1] != 3:
        fail("Serialized sparse should have 3 as the last dimension " + listed(serialized.shape))
    outer = serialized.shape[:-1]
    rows = serialized.reshape(-1, 3).tolist()
    if not rows:
        fail(
            "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension "
            f"{listed(serialized.shape)}"
        )
    found = [_checked_parts(row, i, dtype) for i, row in enumerate(rows)]
    if not outer:
        return found[0]
    rank = len(found[0][2])
    for i, (_, _, shape) in enumerate(found):
        if len(shape) != rank:
            fail(
                f"Inconsistent shape across SparseTensors: rank prior to SparseTensor[{i}] was: "
                f"{rank} but rank of SparseTensor[{i}] is: {len(shape)}"
            )
    inner = np.max([shape for _, _, shape in found], axis=0) if rank else np.zeros(0, np.int64)
    counts = [len(values) for _, values, _ in found]
    places = np.indices(outer).reshape(len(outer), len(rows)).repeat(counts, 1).T
    indices = np.concatenate([places, np.concatenate([own for own, _, _ in found])], 1)
    values = np.concatenate([part[1] for part in found])
    whole = np.concatenate([np.array(outer, np.int64), inner]).astype(np.int64)
    return indices, values, whole


def _part(item: Any) -> tuple[np.ndarray, DType]:
    """A part of a sparse tensor and its type: of a proto, or of the array in a variant."""
    if isinstance(item, np.ndarray):
        return item, dtypes.string if item.dtype == object else as_dtype(item.dtype)
    return read(item)


def _checked_parts(row: list[Any], i: int, dtype: DType) -> tuple[Any, Any, Any]:
    (indices, kind), (values, found), (shape, _) = map(_part, row)
    if kind is not dtypes.int64 or indices.ndim != 2:
        fail(
            f"Expected serialized_sparse[{i}, 0] to represent an index matrix but received shape "
            f"{listed(indices.shape)}"
        )
    if values.ndim != 1:
        fail(
            f"Expected serialized_sparse[{i}, 1] to represent a values vector but received shape "
            f"{listed(values.shape)}"
        )
    if shape.ndim != 1:
        fail(
            f"Expected serialized_sparse[{i}, 2] to represent a shape vector but its shape is "
            f"{listed(shape.shape)}"
        )
    if found is not dtype:
        fail(
            f"Requested SparseTensor of type {proto_name(dtype)} but SparseTensor[{i}].values."
            f"dtype() == {proto_name(found)}"
        )
    if len(indices) != len(values) or indices.shape[1] != len(shape):
        fail(f"Indices, values and shape of SparseTensor[{i}] do not fit together")
    return indices, values, shape


def kernel_deserialize_many_sparse(
    xp: ArrayModule, serialized: np.ndarray, *, dtype: DType
) -> tuple[Array, ...]:
    if serialized.ndim != 2:
        fail(f"Serialized sparse should be a matrix but received shape {listed(serialized.shape)}")
    return kernel_deserialize_sparse(xp, serialized, dtype=dtype)


def _shape_of_parts(c: ShapeContext) -> None:
    c.with_rank("sparse_indices", 2)
    c.with_rank("sparse_values", 1)
    c.with_rank("sparse_shape", 1)


def shape_serialize_sparse(c: ShapeContext) -> Shape:
    _shape_of_parts(c)
    return (3,)


def shape_serialize_many_sparse(c: ShapeContext) -> Shape:
    _shape_of_parts(c)
    return (None, 3)


def shape_serialize_sparse_rows(c: ShapeContext) -> Shape:
    _shape_of_parts(c)
    return (None, 3)


def shape_deserialize_sparse(c: ShapeContext) -> list[Shape]:
    width = (c.with_rank_at_least("serialized_sparse", 1) or (None,))[-1]
    if width not in (None, 3):
        c.fail(f"Dimension must be 3 but is {width}")
    return [(None, None), (None,), (None,)]


def shape_deserialize_many_sparse(c: ShapeContext) -> list[Shape]:
    width = c.with_rank("serialized_sparse", 2)[1]
    if width not in (None, 3):
        c.fail(f"Dimension must be 3 but is {width}")
    return [(None, None), (None,), (None,)]


_ROWS = np.array([[0, 1], [2, 0], [2, 3]])
_SHAPE = np.array([4, 7])


def samples_serialize() -> Iterator[Sample]:
    yield Sample(_ROWS, np.array([1, 2, 3]), _SHAPE)
    yield Sample(_ROWS, np.array([b"a", b"", b"c"], object), _SHAPE)


def samples_deserialize() -> Iterator[Sample]:
    values = np.array([1.0, 2.0, 3.0], np.float32)
    types = {"T": dtypes.float32, "out_type": dtypes.string}
    many = kernel_serialize_many_sparse(np, _ROWS, values, _SHAPE, **types)
    yield Sample(many, dtype="float32")


def _register_serialization(
    name: str, kernel: Callable[..., Any], shape: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="sparse_indices: int64, sparse_values: T, sparse_shape: int64",
        outputs="serialized_sparse: out_type",
        attrs="T: type, out_type: {string, variant} = string",
        shape=shape,
        kernel=kernel,
        samples=samples_serialize,
        runs_on=RunsOn.HOST,
        dynamic_shape=True,
    )


_register_serialization("SerializeSparse", kernel_serialize_sparse, shape_serialize_sparse)
_register_serialization(
    "SerializeManySparse", kernel_serialize_many_sparse, shape_serialize_many_sparse
)
# Not an op of TensorFlow: it stands in the bodies of functions of rows, which no GraphDef has.
register_op(
    "_SerializeSparseRows",
    inputs="sparse_indices: int64, sparse_values: T, sparse_shape: int64, leading: int32",
    outputs="serialized_sparse: variant",
    attrs="T: type",
    shape=shape_serialize_sparse_rows,
    kernel=kernel_serialize_sparse_rows,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
_OUTPUTS = "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64"
register_op(
    "DeserializeSparse",
    inputs="serialized_sparse: Tserialized",
    outputs=_OUTPUTS,
    attrs="dtype: type, Tserialized: {string, variant} = string",
    shape=shape_deserialize_sparse,
    kernel=kernel_deserialize_sparse,
    samples=samples_deserialize,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "DeserializeManySparse",
    inputs="serialized_sparse: string",
    outputs=_OUTPUTS,
    attrs="dtype: type",
    shape=shape_deserialize_many_sparse,
    kernel=kernel_deserialize_many_sparse,
    samples=samples_deserialize,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)


@export("serialize_sparse", "io.serialize_sparse")
def serialize_sparse(
    sp_input: SparseTensor, name: str | None = None, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """Writes a sparse tensor as three serialized TensorProtos.

    Args:
        sp_input: a SparseTensor.
        name: the name of the node.
        out_type: the type of the result; string or variant.

    Returns:
        A vector of three strings: indices, values and shape.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    return build.SerializeSparse(
        sparse.indices, sparse.values, sparse.dense_shape, out_type=out_type, name=name
    )


@export("serialize_many_sparse", "io.serialize_many_sparse")
def serialize_many_sparse(
    sp_input: SparseTensor, name: str | None = None, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """Writes each row of a sparse tensor as three serialized TensorProtos.

    Args:
        sp_input: a SparseTensor of rank 2 or more; the first dimension is that of the rows.
        name: the name of the node.
        out_type: the type of the result; string or variant.

    Returns:
        A matrix of strings with three columns: indices, values and shape.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    return build.SerializeManySparse(
        sparse.indices, sparse.values, sparse.dense_shape, out_type=out_type, name=name
    )


def _with_rank(parts: tuple[Tensor, ...], rank: int | None) -> SparseTensor:
    indices, values, shape = parts
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def deserialize_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Reads what `serialize_sparse` has written; several are joined along new dimensions.

    Args:
        serialized_sparse: strings; the last dimension has three.
        dtype: the type of the values.
        rank: the rank of one of them, if it is known.
        name: the name of the node.

    Returns:
        A SparseTensor.
    """
    return _with_rank(build.DeserializeSparse(serialized_sparse, dtype=dtype, name=name), rank)


@export("deserialize_many_sparse", "io.deserialize_many_sparse")
def deserialize_many_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Reads rows that `serialize_sparse` or `serialize_many_sparse` have written.

    Args:
        serialized_sparse: a matrix of strings with three columns.
        dtype: the type of the values.
        rank: the rank of the result, if it is known.
        name: the name of the node.

    Returns:
        A SparseTensor whose first dimension is that of the rows.
    """
    return _with_rank(build.DeserializeManySparse(serialized_sparse, dtype=dtype, name=name), rank)
