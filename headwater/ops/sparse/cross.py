"""Crossed features of sparse and dense batches: SparseCross."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.dtypes import DType
from headwater.graph import (
    Sample,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor_or_sparse_tensor,
    export,
    register_op,
)
from headwater.ops.strings.hashes import fingerprint64

_BITS = (1 << 64) - 1
_FACTOR = 0xC6A4A7935BD1E995
_DEFAULT_KEY = 0xDECAFCAFFE


def _mixed(value: int) -> int:
    return value ^ (value >> 47)


def _joined(first: int, second: int) -> int:
    """One fingerprint of two, as FingerprintCat64 of the hash family gives it."""
    result = first ^ _FACTOR
    result ^= (_mixed((second * _FACTOR) & _BITS) * _FACTOR) & _BITS
    result = (result * _FACTOR) & _BITS
    result = (_mixed(result) * _FACTOR) & _BITS
    return _mixed(result)


def _columns(
    indices: list[np.ndarray],
    values: list[np.ndarray],
    sizes: list[np.ndarray],
    dense_inputs: list[np.ndarray],
) -> tuple[list[list[list[Any]]], int]:
    """The features of each column and row, and the number of rows."""
    batch: int | None = None
    for i, size in enumerate([int(s[0]) for s in sizes] + [len(d) for d in dense_inputs]):
        batch = size if batch is None else batch
        if size != batch:
            at = i if i < len(sizes) else i - len(sizes)
            raise errors.InvalidArgumentError(
                None, None, f"Expected batch size {batch} got {size} at position {at}"
            )
    columns: list[list[list[Any]]] = []
    for rows, elements in zip(indices, values):
        column: list[list[Any]] = [[] for _ in range(batch or 0)]
        for row, element in zip(rows[:, 0].tolist(), elements.tolist()):
            column[row].append(element)
        columns.append(column)
    columns.extend(dense.tolist() for dense in dense_inputs)
    return columns, batch or 0


def _number(feature: Any) -> int:
    return fingerprint64(feature) if isinstance(feature, bytes) else feature & _BITS


def _text(feature: Any) -> bytes:
    return feature if isinstance(feature, bytes) else str(feature).encode()


def kernel_sparse_cross(
    xp: Any,
    indices: list[np.ndarray],
    values: list[np.ndarray],
    shapes: list[np.ndarray],
    dense_inputs: list[np.ndarray],
    *,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_type: DType,
) -> Any:
    columns, batch = _columns(indices, values, shapes, dense_inputs)
    buckets = num_buckets if num_buckets > 0 else (1 << 63) - 1
    prepare = _number if hashed_output else _text
    columns = [[[prepare(f) for f in row] for row in column] for column in columns]
    places: list[tuple[int, int]] = []
    crossed: list[Any] = []
    width = 0
    for row in range(batch):
        count = 0
        for features in itertools.product(*(column[row] for column in columns)):
            places.append((row, count))
            count += 1
            if not hashed_output:
                crossed.append(b"_X_".join(features))
                continue
            value = hash_key & _BITS
            for feature in features:
                value = _joined(value, feature)
            crossed.append(value % buckets)
        width = max(width, count)
    result = np.empty(len(crossed), out_type.numpy_dtype)
    result[:] = crossed
    return (
        np.array(places, np.int64).reshape(len(places), 2),
        result,
        np.array([batch, width], np.int64),
    )


def shape_sparse_cross(c: Any) -> Any:
    return [(None, 2), (None,), (2,)]


def samples_sparse_cross() -> Any:
    rows = np.array([[0, 0], [0, 1], [1, 0]])
    words = np.array([b"a", b"b", b"c"], object)
    dense = np.array([[b"x", b"y"], [b"z", b"w"]], object)
    common: Any = {"sparse_types": ["string"], "dense_types": ["string"]}
    yield Sample(
        [rows],
        [words],
        [np.array([2, 2])],
        [dense],
        hashed_output=False,
        num_buckets=0,
        hash_key=_DEFAULT_KEY,
        out_type="string",
        internal_type="string",
        **common,
    )
    yield Sample(
        [rows],
        [np.array([1, 2, 3])],
        [np.array([2, 2])],
        [np.array([[7, -8], [9, 10]])],
        hashed_output=True,
        num_buckets=100,
        hash_key=7,
        out_type="int64",
        internal_type="int64",
        sparse_types=["int64"],
        dense_types=["int64"],
    )


register_op(
    "SparseCross",
    inputs="indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types",
    outputs="output_indices: int64, output_values: out_type, output_shape: int64",
    attrs="N: int >= 0, hashed_output: bool, num_buckets: int >= 0, hash_key: int, "
    "sparse_types: list({int64, string}) >= 0, dense_types: list({int64, string}) >= 0, "
    "out_type: {int64, string}, internal_type: {int64, string}",
    shape=shape_sparse_cross,
    kernel=kernel_sparse_cross,
    samples=samples_sparse_cross,
    host=True,
    dynamic_shape=True,
)


def _crossed(
    inputs: Any, hashed: bool, buckets: int, key: int | None, name: str | None
) -> SparseTensor:
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    known = (SparseTensor, Tensor)
    found = [convert_to_tensor_or_sparse_tensor(x) for x in inputs]
    if not all(isinstance(x, known) for x in found):
        raise TypeError("All inputs must be SparseTensors")
    sparse = [x for x in found if isinstance(x, SparseTensor)]
    dense = [x for x in found if not isinstance(x, SparseTensor)]
    values = [_as_allowed(x.values) for x in sparse]
    dense = [_as_allowed(x) for x in dense]
    numbers = any(x.dtype.base_dtype == dtypes.int64 for x in [*values, *dense])
    parts = build.SparseCross(
        [x.indices for x in sparse],
        values,
        [x.dense_shape for x in sparse],
        dense,
        hashed_output=hashed,
        num_buckets=buckets,
        hash_key=_DEFAULT_KEY if key is None else key,
        out_type=dtypes.int64 if hashed else dtypes.string,
        internal_type=dtypes.int64 if numbers else dtypes.string,
        name=name,
    )
    return SparseTensor(*parts)


def _as_allowed(x: Tensor) -> Tensor:
    kind = x.dtype.base_dtype
    return x if kind in (dtypes.string, dtypes.int64) else build.Cast(x, DstT=dtypes.int64)


@export("sparse.cross")
def sparse_cross(inputs: list[Any], name: str | None = None) -> SparseTensor:
    """Joins one feature of each input with ``_X_``, in all combinations of each row.

    Args:
        inputs: a list of matrices, sparse or dense, of integers or strings.
        name: the name of the node.

    Returns:
        A SparseTensor of strings.

    Raises:
        TypeError: if `inputs` is no list.
    """
    return _crossed(inputs, False, 0, None, name)


@export("sparse.cross_hashed")
def sparse_cross_hashed(
    inputs: list[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Hashes one feature of each input together, in all combinations of each row.

    Args:
        inputs: a list of matrices, sparse or dense, of integers or strings.
        num_buckets: the number of hash values; 0 means all integers that are not negative.
        hash_key: where hashing starts; None means the common one.
        name: the name of the node.

    Returns:
        A SparseTensor of type int64.

    Raises:
        TypeError: if `inputs` is no list.
    """
    return _crossed(inputs, True, num_buckets, hash_key, name)
