"""What datasets of several epochs share."""

from __future__ import annotations

from headwater.ops.data.dataset import INFINITE, UNKNOWN


def repeated_cardinality(cardinality: int, count: int) -> int:
    """The number of elements of `count` epochs; of epochs without an end if it is negative."""
    if count == 0 or cardinality == 0:
        return 0
    if count < 0 or cardinality == INFINITE:
        return INFINITE
    return UNKNOWN if cardinality == UNKNOWN else cardinality * count
