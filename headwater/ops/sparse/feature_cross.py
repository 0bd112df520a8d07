"""Crossed features with the hashes of the first releases: SparseFeatureCross."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, Sample, ShapeContext, register_op
from headwater.ops.sparse.crossing import DEFAULT_KEY, crossed

_OFFSET = np.uint64(0x9E3779B97F4A7800)


def _combined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The hashes of two hashes of the first releases, which shift a signed number."""
    signed = (first.view(np.int64) >> 4).view(np.uint64)
    return first ^ (second + _OFFSET + (first << np.uint64(10)) + signed)


def kernel_feature_cross(
    xp: ArrayModule,
    indices: list[np.ndarray],
    values: list[np.ndarray],
    shapes: list[np.ndarray],
    dense: list[np.ndarray],
    *,
    hashed_output: bool,
    num_buckets: int,
    out_type: DType,
) -> tuple[Array, ...]:
    return crossed(
        indices,
        values,
        shapes,
        dense,
        hashed_output,
        num_buckets,
        DEFAULT_KEY,
        out_type,
        _combined,
    )


def kernel_feature_cross_v2(
    xp: ArrayModule,
    indices: list[np.ndarray],
    values: list[np.ndarray],
    shapes: list[np.ndarray],
    dense: list[np.ndarray],
    *,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_type: DType,
) -> tuple[Array, ...]:
    return crossed(indices, values, shapes, dense, hashed_output, num_buckets, hash_key, out_type)


def shape_feature_cross(c: ShapeContext) -> list[Shape]:
    return [(None, 2), (None,), (2,)]


def _sample(**attrs: Any) -> Sample:
    return Sample(
        [np.array([[0, 0], [0, 1], [1, 0]])],
        [np.array([b"a", b"b", b"c"], object)],
        [np.array([2, 2])],
        [np.array([[7, -8], [9, 10]])],
        sparse_types=["string"],
        dense_types=["int64"],
        hashed_output=True,
        num_buckets=100,
        out_type="int64",
        internal_type="int64",
        **attrs,
    )


def _register_feature_cross(
    name: str, key: str, kernel: Callable[..., Any], attrs: dict[str, int]
) -> None:
    register_op(
        name,
        inputs="indices: N * int64, values: sparse_types, shapes: N * int64, dense: dense_types",
        outputs="output_indices: int64, output_values: out_type, output_shape: int64",
        attrs=f"N: int >= 0, hashed_output: bool, num_buckets: int >= 0, {key}"
        "sparse_types: list({int64, string}) >= 0, dense_types: list({int64, string}) >= 0, "
        "out_type: {int64, string}, internal_type: {int64, string}",
        shape=shape_feature_cross,
        kernel=kernel,
        gradient=NOT_DIFFERENTIABLE,
        samples=lambda: [_sample(**attrs)],
        runs_on=RunsOn.HOST,
        dynamic_shape=True,
    )


_register_feature_cross("SparseFeatureCross", "", kernel_feature_cross, {})
_register_feature_cross(
    "SparseFeatureCrossV2", "hash_key: int, ", kernel_feature_cross_v2, {"hash_key": 7}
)
