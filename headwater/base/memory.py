"""Memory of the process."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any


def return_free_memory() -> None:
    """Gives memory that is free, but kept for later small objects, back to the operating system.

    Nothing happens where the C library cannot do that.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Callable[[int], Any] | None:
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):
        # Windows has no such library.
        return None
