"""Memory of large values on their way, used again when nobody has the value any more.

Systems zero new memory page by page, which takes longer than it takes to copy a value there.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

# Smaller arrays come from the allocator, which has used memory for them.
_LEAST_BYTES = 1 << 18
# How much unused memory is kept.
_MOST_UNUSED_BYTES = 1 << 29
# XLA takes arrays that are aligned so without a copy.
_ALIGNMENT = 64

# Unused memory, the oldest first. Only single operations of deques and dicts are made: a lease may
# end anywhere, as the garbage collector likes it.
_unused: deque[np.ndarray] = deque()


def new_bytes(size: int) -> np.ndarray:
    """An array of bytes with any values.

    Args:
        size: how many.
    """
    if size < _LEAST_BYTES:
        return np.empty(size, np.uint8)
    for _ in range(len(_unused)):
        try:
            memory = _unused.popleft()
        except IndexError:
            break
        if len(memory) == size:
            return np.asarray(_Lease(memory))
        _unused.append(memory)
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return np.asarray(_Lease(memory[start : start + size]))


def copy_of(value: Any) -> np.ndarray:
    """A copy of an array or a scalar."""
    array = np.asarray(value)
    if array.nbytes < _LEAST_BYTES or array.dtype.hasobject:
        return np.array(array)
    result: np.ndarray = new_bytes(array.nbytes).view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


class _Lease:
    """What arrays have as their base: when the last one has gone, the memory is unused."""

    def __init__(self, memory: np.ndarray) -> None:
        self._memory = memory
        self.__array_interface__ = memory.__array_interface__

    def __del__(self) -> None:
        _unused.append(self._memory)
        while sum(map(len, tuple(_unused))) > _MOST_UNUSED_BYTES:
            try:
                _unused.popleft()
            except IndexError:
                return
