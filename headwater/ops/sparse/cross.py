"""Crossed features of sparse and dense batches: SparseCross."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import (
    RunsOn,
    Sample,
    ShapeContext,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor_or_sparse_tensor,
    export,
    register_op,
)
from headwater.ops.sparse.crossing import DEFAULT_KEY, crossed


def kernel_sparse_cross(
    xp: ArrayModule,
    indices: list[np.ndarray],
    values: list[np.ndarray],
    shapes: list[np.ndarray],
    dense_inputs: list[np.ndarray],
    *,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_type: DType,
) -> tuple[Array, ...]:
    return crossed(
        indices, values, shapes, dense_inputs, hashed_output, num_buckets, hash_key, out_type
    )


def shape_sparse_cross(c: ShapeContext) -> list[Shape]:
    return [(None, 2), (None,), (2,)]


def samples_sparse_cross() -> Iterator[Sample]:
    rows = np.array([[0, 0], [0, 1], [1, 0]])
    words = np.array([b"a", b"b", b"c"], object)
    dense = np.array([[b"x", b"y"], [b"z", b"w"]], object)
    common: dict[str, Any] = {"sparse_types": ["string"], "dense_types": ["string"]}
    yield Sample(
        [rows],
        [words],
        [np.array([2, 2])],
        [dense],
        hashed_output=False,
        num_buckets=0,
        hash_key=DEFAULT_KEY,
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
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)


def _crossed(
    inputs: Sequence[Tensor | SparseTensor],
    hashed: bool,
    buckets: int,
    key: int | None,
    name: str | None,
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
        hash_key=DEFAULT_KEY if key is None else key,
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
        TypeError: if `inputs` is not a list.
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
        TypeError: if `inputs` is not a list.
    """
    return _crossed(inputs, True, num_buckets, hash_key, name)
