"""Sparse tensors kept in the session under handles: AddSparseToTensorsMap and its relatives."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array, ArrayModule, Shape, ShapeLike, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    ShapeContext,
    SparseTensor,
    Tensor,
    build,
    colocate_with,
    register_op,
)
from headwater.ops.sparse.index_checks import check_parts, checked_sparse, listed


class SparseTensorsMap:
    """Sparse tensors by number; each is taken out once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._next = 0
        self._entries: dict[int, tuple[Any, Any, Any, DType]] = {}

    def add(self, indices: Array, values: Array, shape: ShapeLike, dtype: DType) -> int:
        """Keeps a sparse tensor; returns its handle."""
        with self._lock:
            handle, self._next = self._next, self._next + 1
            # Copies, because later ops may reuse the memory.
            self._entries[handle] = (indices.copy(), values.copy(), shape.copy(), dtype)
        return handle

    def reserve(self, count: int) -> range:
        """The handles that the next `add` calls would give, for `add_reserved`."""
        with self._lock:
            first, self._next = self._next, self._next + count
        return range(first, self._next)

    def release(self, handles: range) -> None:
        """Gives back handles of `reserve` that are not used, if no later ones have been given."""
        with self._lock:
            if handles.stop == self._next:
                self._next = handles.start

    def add_reserved(
        self, handle: int, indices: Array, values: Array, shape: Array, dtype: DType
    ) -> None:
        """Keeps a sparse tensor, whose arrays must not change, under a handle of `reserve`."""
        with self._lock:
            self._entries[handle] = indices, values, shape, dtype

    def take(self, handles: list[int]) -> list[tuple[Any, Any, Any, DType]]:
        """Takes sparse tensors out."""
        with self._lock:
            for handle in handles:
                if handle not in self._entries:
                    fail(
                        "Unable to find SparseTensor: "
                        f"{handle} in map: {self.name or 'SparseTensorsMap'}"
                    )
            return [self._entries.pop(handle) for handle in handles]


def state_of(attrs: dict[str, Any]) -> SparseTensorsMap:
    return SparseTensorsMap(attrs.get("shared_name") or "")


def kernel_add(
    xp: ArrayModule,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    *,
    T: DType,
    state: SparseTensorsMap,
) -> tuple[Any, ...]:
    check_parts(indices, values, shape)
    return np.int64(state.add(indices, values, shape, T)), state


def kernel_add_many(
    xp: ArrayModule,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    *,
    T: DType,
    state: SparseTensorsMap,
) -> tuple[SparseTensorsMap | np.ndarray, ...]:
    check_parts(indices, values, shape)
    if len(shape) <= 1:
        fail(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    count = int(shape[0])
    rows = indices[:, 0]
    outside = (rows < 0) | (rows >= count)
    if outside.any():
        fail(
            f"Received unexpected column 0 value in input SparseTensor: {rows[outside][0]} < 0 "
            f"(or >= N (= {count}))"
        )
    order = np.argsort(rows, kind="stable")
    limits = np.searchsorted(rows[order], np.arange(count + 1))
    rows_of = [order[start:end] for start, end in itertools.pairwise(limits)]
    handles = np.empty(count, np.int64)
    # As in TensorFlow, rows without elements get the last handles.
    for i in sorted(range(count), key=lambda i: not rows_of[i].size):
        mine = rows_of[i]
        handles[i] = state.add(indices[mine][:, 1:], values[mine], shape[1:], T)
    return handles, state


def kernel_take_many(
    xp: ArrayModule, handles: np.ndarray, *, dtype: DType, state: SparseTensorsMap
) -> tuple[Any, ...]:
    if handles.ndim != 1:
        fail(f"sparse_handles should be a vector but received shape {listed(handles.shape)}")
    found = state.take(handles.tolist())
    if not found:
        fail("Must have at least 1 sparse handle.")
    rank = len(found[0][2])
    for i, (_, _, shape, kind) in enumerate(found):
        if kind is not dtype:
            fail(
                f"Requested SparseTensor of type {proto_name(dtype)} but SparseTensor[{i}].values."
                f"dtype() == {proto_name(kind)}"
            )
        if len(shape) != rank:
            fail(
                "Inconsistent rank across SparseTensors: rank prior to SparseTensor"
                f"[{i}] was: {rank + 1} but rank of SparseTensor[{i}] is: {len(shape) + 1}"
            )
    inner = np.max([shape for _, _, shape, _ in found], axis=0) if rank else np.zeros(0, np.int64)
    indices = [
        np.concatenate([np.full((len(own), 1), i, np.int64), own], 1)
        for i, (own, _, _, _) in enumerate(found)
    ]
    whole = np.concatenate([[len(found)], inner]).astype(np.int64)
    return (np.concatenate(indices), np.concatenate([p[1] for p in found]), whole), state


def _shape_of_parts(c: ShapeContext) -> None:
    c.with_rank("sparse_indices", 2)
    c.with_rank("sparse_values", 1)
    c.with_rank("sparse_shape", 1)


def shape_add(c: ShapeContext) -> Shape:
    _shape_of_parts(c)
    return ()


def shape_add_many(c: ShapeContext) -> Shape:
    _shape_of_parts(c)
    return (None,)


def shape_take_many(c: ShapeContext) -> list[Shape]:
    c.with_rank("sparse_handles", 1)
    return [(None, None), (None,), (None,)]


def samples_add() -> Iterator[Sample]:
    indices = np.array([[0, 1], [2, 0], [2, 3]])
    yield Sample(indices, np.array([1, 2, 3]), np.array([4, 7]))


_NAMES = "container: string = '', shared_name: string = ''"


def _register_tensors_map(
    name: str, output: str, shape: Callable[..., Any], kernel: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="sparse_indices: int64, sparse_values: T, sparse_shape: int64",
        outputs=f"{output}: int64",
        attrs=f"T: type, {_NAMES}",
        shape=shape,
        kernel=kernel,
        state=state_of,
        resource="sparse_tensors_map",
        samples=samples_add,
        stateful=True,
        runs_on=RunsOn.HOST,
        dynamic_shape=True,
    )


_register_tensors_map("AddSparseToTensorsMap", "sparse_handle", shape_add, kernel_add)
_register_tensors_map(
    "AddManySparseToTensorsMap", "sparse_handles", shape_add_many, kernel_add_many
)
register_op(
    "TakeManySparseFromTensorsMap",
    inputs="sparse_handles: int64",
    outputs="sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    attrs=f"dtype: type, {_NAMES}",
    shape=shape_take_many,
    kernel=kernel_take_many,
    state=state_of,
    resource="sparse_tensors_map",
    stateful=True,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)


def add_sparse_to_tensors_map(
    sp_input: SparseTensor | TensorLike,
    container: str | None = None,
    shared_name: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Keeps a sparse tensor in the session.

    Args:
        sp_input: a SparseTensor.
        container: the container of the map.
        shared_name: the name of the map; that of the node if it is None.
        name: the name of the node.

    Returns:
        The handle, an int64 scalar.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    return build.AddSparseToTensorsMap(
        sparse.indices,
        sparse.values,
        sparse.dense_shape,
        container=container or "",
        shared_name=shared_name or "",
        name=name,
    )


def add_many_sparse_to_tensors_map(
    sp_input: SparseTensor | TensorLike,
    container: str | None = None,
    shared_name: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Keeps each row of a sparse tensor in the session.

    Args:
        sp_input: a SparseTensor of rank 2 or more; the first dimension is that of the rows.
        container: the container of the map.
        shared_name: the name of the map; that of the node if it is None.
        name: the name of the node.

    Returns:
        The handles, an int64 vector.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    return build.AddManySparseToTensorsMap(
        sparse.indices,
        sparse.values,
        sparse.dense_shape,
        container=container or "",
        shared_name=shared_name or "",
        name=name,
    )


def take_many_sparse_from_tensors_map(
    sparse_map_op: Operation,
    sparse_handles: TensorLike,
    rank: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Takes sparse tensors out of the map of another op and stacks them.

    Args:
        sparse_map_op: the op that has added sparse tensors.
        sparse_handles: their handles, an int64 vector.
        rank: the rank of each of them, if it is known.
        name: the name of the node.

    Returns:
        A SparseTensor whose first dimension counts the handles.

    Raises:
        TypeError: if `sparse_map_op` is not such an op.
    """
    if not isinstance(sparse_map_op, Operation):
        raise TypeError("sparse_map_op be an Operation")
    if sparse_map_op.type not in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
        raise TypeError(
            "sparse_map_op must be one of AddSparseToTensorsMap or AddSparseToTensorsMap. "
            f"Instead, found `{sparse_map_op.type}`."
        )
    with colocate_with(sparse_map_op):
        attrs = sparse_map_op._attrs
        indices, values, shape = build.TakeManySparseFromTensorsMap(
            sparse_handles,
            dtype=attrs["T"],
            container=attrs["container"],
            shared_name=attrs["shared_name"] or sparse_map_op.name,
            name=name,
        )
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
