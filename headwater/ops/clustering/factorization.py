"""Sums of weighted alternating least squares: WALSComputePartialLhsAndRhs; MaskedMatmul."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, Sample, register_op, shapes

_F = np.float32


def kernel_partial_sums(
    xp: ArrayModule,
    factors: np.ndarray,
    factor_weights: np.ndarray,
    unobserved_weights: Array,
    input_weights: np.ndarray,
    input_indices: np.ndarray,
    input_values: np.ndarray,
    entry_weights: np.ndarray,
    input_block_size: Array,
    input_is_transpose: Array,
) -> tuple[Array, ...]:
    """The sides of the equations of each row, as far as its entries make them up."""
    if factors.ndim != 2:
        fail("Input factors should be a matrix.")
    if input_indices.ndim != 2:
        fail("Input input_indices should be a matrix.")
    if input_indices.shape[0] != input_values.shape[0]:
        fail("Input input_values should have as many elements as input_indices has rows.")
    rows, columns = input_indices.T[::-1] if input_is_transpose else input_indices.T
    block = int(input_block_size)
    if entry_weights.size:
        weights = entry_weights
    else:
        weights = input_weights[rows] * factor_weights[columns]
    found = factors[columns]
    left = np.zeros((block, factors.shape[1], factors.shape[1]), _F)
    np.add.at(left, rows, weights[:, None, None] * found[:, :, None] * found[:, None, :])
    right = np.zeros((block, factors.shape[1]), _F)
    np.add.at(right, rows, ((unobserved_weights + weights) * input_values)[:, None] * found)
    return left, right


def kernel_masked_matmul(
    xp: ArrayModule,
    a: np.ndarray,
    b: np.ndarray,
    mask_indices: np.ndarray,
    transpose_a: Array,
    transpose_b: Array,
) -> np.ndarray:
    """The elements of a product of matrices at some places."""
    for name, x in (("a", a), ("b", b), ("mask_indices", mask_indices)):
        if x.ndim != 2:
            fail(f"Input {name} should be a matrix.")
    left = a.T if transpose_a else a
    right = b if transpose_b else b.T
    if left.shape[1] != right.shape[1]:
        fail(
            "Inner dimension of a and b must match: "
            f"{shapes.show(a.shape)} and {shapes.show(b.shape)}"
        )
    for axis, side in enumerate((left, right)):
        places = mask_indices[:, axis]
        outside = (places < 0) | (places >= len(side))
        if outside.any():
            fail(f"mask_indices {places[outside][0]} is out of range [0, {len(side)})")
    return np.einsum("ij,ij->i", left[mask_indices[:, 0]], right[mask_indices[:, 1]])


def samples_partial_sums() -> Iterator[Sample]:
    factors = np.arange(9, dtype=_F).reshape(3, 3) / 10
    places = np.array([[0, 0], [0, 2], [1, 1], [3, 2]])
    values = np.array([0.1, 0.2, 1.1, 2.0], _F)
    none = np.zeros(0, _F)
    ends = np.int64(4), np.bool_(False)
    weights = np.array([0.1, 0.2, 0.3], _F)
    yield Sample(factors, weights, _F(0.1), np.array([1, 2, 3, 4], _F), places, values, none, *ends)
    yield Sample(factors, none, _F(0.1), none, places, values, values * _F(2), *ends)


def samples_masked_matmul() -> Iterator[Sample]:
    a = np.arange(6, dtype=_F).reshape(2, 3)
    places = np.array([[0, 1], [1, 0], [1, 3]])
    yield Sample(a, np.ones((3, 4), _F), places, np.bool_(False), np.bool_(False))


register_op(
    "WALSComputePartialLhsAndRhs",
    inputs="factors: float, factor_weights: float, unobserved_weights: float, "
    "input_weights: float, input_indices: int64, input_values: float, entry_weights: float, "
    "input_block_size: int64, input_is_transpose: bool",
    outputs="partial_lhs: float, partial_rhs: float",
    shape=shapes.unknown,
    kernel=kernel_partial_sums,
    samples=samples_partial_sums,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "MaskedMatmul",
    inputs="a: float, b: float, mask_indices: int64, transpose_a: bool, transpose_b: bool",
    outputs="prod_values: float",
    shape=shapes.unknown,
    kernel=kernel_masked_matmul,
    samples=samples_masked_matmul,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
