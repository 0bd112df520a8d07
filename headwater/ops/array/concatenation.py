"""Concatenating and stacking many arrays without an op of thousands of operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.lazy import jax
from headwater.base.typing import Array, ArrayModule

# The time to compile a program grows with the square of the operands of one op: 9 s for 3,000.
_MOST_OPERANDS = 128


def concatenated(xp: ArrayModule, values: list[Any], dim: int) -> Array:
    """The arrays joined along an existing dimension; traced, as a tree of concatenations."""
    if xp is np:
        return np.concatenate(values, dim)
    axis = dim % np.ndim(values[0])
    while len(values) > _MOST_OPERANDS:
        values = [_joined(xp, group, axis) for group in _groups(values)]
    return _joined(xp, values, axis)


def stacked(xp: ArrayModule, values: list[Any], axis: int) -> Array:
    """The arrays joined along a new dimension."""
    if xp is np:
        first = values[0]
        if first.shape == () and first.dtype.kind in "biufc" and axis in (0, -1):
            # The sizes of a shape: `np.stack` takes ten times as long.
            return np.array(values, first.dtype)
        return np.stack(values, axis)
    dim = axis % (np.ndim(values[0]) + 1)
    return concatenated(xp, [xp.expand_dims(value, dim) for value in values], dim)


def _joined(xp: ArrayModule, values: list[Any], axis: int) -> Array:
    # `jnp.concatenate` joins 16 arrays at a time in older versions of JAX.
    return jax.lax.concatenate([xp.asarray(value) for value in values], axis)


def _groups(values: list[Any]) -> list[list[Any]]:
    return [values[i : i + _MOST_OPERANDS] for i in range(0, len(values), _MOST_OPERANDS)]
