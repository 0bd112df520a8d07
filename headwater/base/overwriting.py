"""Arrays that kernels on the host may overwrite, so that changing a few rows copies no table."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np


class _Given(threading.local):
    arrays: Sequence[np.ndarray] = ()


_given = _Given()


@contextmanager
def overwriting(arrays: Sequence[np.ndarray]) -> Iterator[None]:
    """A with block in which kernels may overwrite some arrays that nothing else reads.

    Args:
        arrays: writable arrays. Whether a kernel has overwritten one is seen by what it returns.
    """
    before, _given.arrays = _given.arrays, arrays
    try:
        yield
    finally:
        _given.arrays = before


def may_overwrite(array: np.ndarray) -> bool:
    """Whether a kernel may change an array that it has been given."""
    return any(array is given for given in _given.arrays)


def changeable(array: np.ndarray) -> np.ndarray:
    """The array itself if a kernel may overwrite it; else a copy, in the order of C."""
    return array if may_overwrite(array) else array.copy(order="C")
