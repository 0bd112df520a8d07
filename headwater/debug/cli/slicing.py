"""Slices of arrays as text: ``[1, :, 2:5]``."""

from __future__ import annotations


def parse(text: str) -> tuple[int | slice, ...]:
    """The slices in brackets, as an index for NumPy.

    Raises:
        ValueError: if a part is not an integer or a slice.
    """
    parts = text.strip().removeprefix("[").removesuffix("]").split(",")
    return tuple(_part(part.strip()) for part in parts)


def _part(text: str) -> int | slice:
    if ":" not in text:
        return int(text)
    bounds = [int(bound) if bound.strip() else None for bound in text.split(":")]
    return slice(*bounds)
