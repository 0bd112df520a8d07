"""Ops on arrays of random forests: ReinterpretStringToFloat, ScatterAddNdim."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.strings.hashes import legacy_hash

# The seed of std::hash in the GNU library, whose hash of strings is the same otherwise.
_SEED = 0xC70F6907


def kernel_reinterpret(xp: ArrayModule, input_data: np.ndarray) -> np.ndarray:
    hashes = [legacy_hash(text, _SEED) for text in input_data.ravel().tolist()]
    return np.array(hashes, np.uint64).astype(np.float32).reshape(input_data.shape)


def kernel_scatter_add(
    xp: ArrayModule, input: np.ndarray, indices: np.ndarray, deltas: np.ndarray
) -> Array:
    if indices.ndim != 2 or len(indices) != len(deltas):
        fail("Number of updates should be same as number of indices.")
    depth = indices.shape[1]
    if depth > input.ndim:
        fail("indices have more columns than input has dimensions.")
    limits = np.array(input.shape[:depth])
    if indices.size and ((indices < 0) | (indices >= limits)).any():
        fail("indices are out of the bounds of input.")
    result = input.copy()
    np.add.at(result, tuple(indices.T), deltas)
    return result


def samples_reinterpret() -> Iterator[Sample]:
    yield Sample(np.array([[b"a", b""], [b"hello", b"longer text"]], object))


register_op(
    "ReinterpretStringToFloat",
    inputs="input_data: string",
    outputs="output_data: float",
    shape=shapes.like_first,
    kernel=kernel_reinterpret,
    samples=samples_reinterpret,
    runs_on=RunsOn.HOST,
)
register_op(
    "ScatterAddNdim",
    inputs="input: Ref(float), indices: int32, deltas: float",
    shape=shapes.none,
    kernel=kernel_scatter_add,
    updates=("input",),
    runs_on=RunsOn.HOST,
)


@export("contrib.tensor_forest.tensor_forest_ops.reinterpret_string_to_float")
def reinterpret_string_to_float(input_data: TensorLike, name: str | None = None) -> Tensor:
    """Makes numbers of strings, equal ones of equal strings.

    Args:
        input_data: a tensor of strings.
        name: the name of the node.

    Returns:
        A float32 tensor of hashes.
    """
    return build.ReinterpretStringToFloat(input_data, name=name)


@export("contrib.tensor_forest.tensor_forest_ops.scatter_add_ndim")
def scatter_add_ndim(
    input: TensorLike, indices: TensorLike, deltas: TensorLike, name: str | None = None
) -> Operation:
    """Adds to elements of a variable.

    Args:
        input: a mutable float32 tensor.
        indices: int32 [n, k]: the places of elements, or of slices if k is less than the rank.
        deltas: float32, what is added.
        name: the name of the node.

    Returns:
        The operation.

    Raises:
        InvalidArgumentError: when it runs, if a place is out of bounds.
    """
    return build.ScatterAddNdim(input, indices, deltas, name=name)
