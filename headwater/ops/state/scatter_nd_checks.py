"""Checks the shapes of index vectors and updates against the updated tensor."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.checks import fail
from headwater.ops.state.scatter_kernels import show


def check_in_place(
    whole: tuple[int, ...], indices: tuple[int, ...], updates: Sequence[int]
) -> None:
    """Checks shapes as the ops do that change a variable.

    Raises:
        InvalidArgumentError: if they do not fit.
    """
    if not whole:
        fail(f"Output must be at least 1-D, got shape: {show(whole)}")
    if 0 in whole and (0 not in indices or 0 not in updates):
        fail(f"Indices and updates specified for empty output.  indices shape: {show(indices)}")
    if tuple(updates[:1]) != tuple(indices[:1]) and (updates or not indices):
        fail(
            "The outermost dimension of updates and indices must match. Got indices.shape "
            f"{show(indices)}, updates.shape {show(updates)}"
        )
    depth = indices[-1] if len(indices) > 1 else 1
    outer = max(len(indices) - 1, 1)
    fits = len(updates) >= outer and depth <= len(whole)
    if not fits or updates != indices[:-1] + whole[indices[-1] :]:
        fail(
            "Must have updates.shape = indices.shape[:batch_dim] + params_shape[slice_dim:], got "
            f"updates.shape: {show(updates)}, indices.shape: {show(indices)}, params_shape: "
            f"{show(whole)}, slice_dim: {depth}, and batch_dim: {outer}"
        )


def check_new(
    whole: tuple[int, ...], indices: tuple[int, ...], updates: Sequence[int], scalars: bool = True
) -> None:
    """Checks shapes as the ops do that make a new tensor.

    Args:
        whole: the shape of the result.
        indices: the shape of the indices.
        updates: the shape of the updates.
        scalars: whether the result may be a scalar.

    Raises:
        InvalidArgumentError: if they do not fit.
    """
    if not indices:
        fail(f"Indices shape must have rank at least one. Found:{show(indices)}")
    if not updates:
        fail(f"Updates shape must have rank at least one. Found:{show(updates)}")
    empty = 0 in whole or not (whole or scalars)
    if empty and (0 not in indices or 0 not in updates):
        fail("Indices and updates specified for empty output shape")
    outer, depth = len(indices) - 1, indices[-1]
    if updates[:outer] != indices[:outer]:
        fail(
            f"Outer dimensions of indices and update must match. Indices shape: {show(indices)}, "
            f"updates shape:{show(updates)}"
        )
    inner = len(whole) - depth
    if len(updates) - outer != inner:
        fail(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {show(whole)} updates: {show(updates)}"
        )
    if updates[outer:] != whole[depth:]:
        fail(
            f"The inner {inner} dimensions of output.shape={show(whole)} must match the inner "
            f"{inner} dimensions of updates.shape={show(updates)}"
        )
