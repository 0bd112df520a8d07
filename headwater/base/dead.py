"""The value that stands where no value is: on the branch that a Switch has not taken."""

from __future__ import annotations


class _Dead:
    """Takes the place of an array; everything computed from it is dead too."""

    shape = "dead"
    size = 0

    def tobytes(self) -> bytes:
        """What stands for it in the key of a program."""
        return b"dead"

    def __repr__(self) -> str:
        return "DEAD"


DEAD = _Dead()
