"""Concatenating and stacking many arrays without an op of thousands of operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule

# The time to compile a program grows with the square of the operands of one op: 9 s for 3,000.
_MOST_OPERANDS = 128


def concatenated(xp: ArrayModule, values: list[Any], dim: int) -> Array:
    """The arrays joined along an existing dimension; traced, as a tree of concatenations."""
    while xp is not np and len(values) > _MOST_OPERANDS:
        values = [xp.concatenate(group, dim) for group in _groups(values)]
    return xp.concatenate(values, dim)


def stacked(xp: ArrayModule, values: list[Any], axis: int) -> Array:
    """The arrays joined along a new dimension."""
    if xp is np or len(values) <= _MOST_OPERANDS:
        return xp.stack(values, axis)
    dim = axis % (len(values[0].shape) + 1)
    return concatenated(xp, [xp.stack(group, dim) for group in _groups(values)], dim)


def _groups(values: list[Any]) -> list[list[Any]]:
    return [values[i : i + _MOST_OPERANDS] for i in range(0, len(values), _MOST_OPERANDS)]
