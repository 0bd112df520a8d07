"""Axes that count from the end of a shape."""

from __future__ import annotations


def counted_from_start(axis: int, rank: int) -> int:
    """An axis of a shape, counted from its first one.

    Args:
        axis: the axis; negative ones count from the end.
        rank: the number of axes.

    Raises:
        IndexError: if there is no such axis.
    """
    if not -rank <= axis < rank:
        raise IndexError(
            f"list index out of range\nHint: a tensor of rank {rank} has no axis {axis}"
        )
    return axis % rank
