"""tensorflow.contrib.factorization.python.ops.gen_factorization_ops: functions of single ops."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import build

__all__ = ["masked_matmul", "wals_compute_partial_lhs_and_rhs"]


def masked_matmul(
    a: TensorLike,
    b: TensorLike,
    mask_indices: TensorLike,
    transpose_a: TensorLike,
    transpose_b: TensorLike,
    name: str | None = None,
) -> Any:
    """The elements of a product of matrices at the places `mask_indices`."""
    return build.MaskedMatmul(a, b, mask_indices, transpose_a, transpose_b, name=name)


def wals_compute_partial_lhs_and_rhs(
    factors: TensorLike,
    factor_weights: TensorLike,
    unobserved_weights: TensorLike,
    input_weights: TensorLike,
    input_indices: TensorLike,
    input_values: TensorLike,
    entry_weights: Any = None,
    input_block_size: Any = None,
    input_is_transpose: Any = None,
    name: str | None = None,
) -> Any:
    """The partial sides of the equations of weighted alternating least squares.

    Releases before 1.13 have no `entry_weights`.
    """
    if input_is_transpose is None:
        entry_weights, input_block_size, input_is_transpose = None, entry_weights, input_block_size
    return build.WALSComputePartialLhsAndRhs(
        factors,
        factor_weights,
        unobserved_weights,
        input_weights,
        input_indices,
        input_values,
        [] if entry_weights is None else entry_weights,
        input_block_size,
        input_is_transpose,
        name=name,
    )
