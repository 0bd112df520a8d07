"""The dead value: the output of a Switch on the branch not taken."""

from __future__ import annotations


class _Dead:
    """Replaces an array; everything computed from it is dead too."""

    shape = "dead"
    size = 0

    def tobytes(self) -> bytes:
        """Its part of a program's cache key."""
        return b"dead"

    def __repr__(self) -> str:
        return "DEAD"


DEAD = _Dead()
