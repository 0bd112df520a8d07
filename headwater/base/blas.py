"""Matrix products on the host: by the native kernels, or with NumPy.

OpenBLAS splits every product of more than 2**18 multiplications between its threads, which
busy-wait for each other. On a loaded machine each such product then takes as long as the scheduler
needs to run all of them.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np

from headwater.base import native

# This many multiplications take about one time slice of the scheduler.
_WORTH_THREADS = 1 << 26
# Products of fewer multiplications cost less than calling a native kernel.
_WORTH_NATIVE = 1 << 21
# Making the native kernel ready costs as much time as about so many multiplications.
_WORTH_PREPARING = 1 << 32
_FOLDERS = ("../numpy.libs", ".dylibs")


# NumPy's own annotation gives Any.
_product: Callable[[np.ndarray, np.ndarray], np.ndarray] = np.matmul


class _Work:
    """How much this process has multiplied."""

    _multiplications = 0

    def suffices(self, more: int) -> bool:
        """Counts a product; tells whether preparing the native kernel pays."""
        self._multiplications += more
        return self._multiplications > _WORTH_PREPARING


_work = _Work()


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`np.matmul`, with small products in the calling thread only."""
    multiplications = a.size * b.shape[-1] if b.ndim else 0
    if multiplications > _WORTH_NATIVE and _is_dense_matrix(a) and _is_dense_matrix(b):
        result = native.matmul(a, b) if _work.suffices(multiplications) else None
        if result is not None:
            return result
    controls = _openblas()
    if controls is None or multiplications > _WORTH_THREADS:
        return _product(a, b)
    threads, set_threads = controls
    count = threads()
    if count == 1:
        return _product(a, b)
    set_threads(1)
    try:
        return _product(a, b)
    finally:
        set_threads(count)


def _is_dense_matrix(array: np.ndarray) -> bool:
    return array.ndim == 2 and array.dtype == np.float32 and array.flags.forc


@functools.lru_cache(maxsize=1)
def _openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """How to read and set the number of threads of the OpenBLAS in NumPy's wheels, if it is one."""
    home = Path(np.__file__).parent
    for folder in _FOLDERS:
        for path in (home / folder).glob("*openblas*"):
            for pattern in ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_"):
                try:
                    library = ctypes.CDLL(str(path))
                    read = getattr(library, pattern.format("get_num_threads"))
                    write = getattr(library, pattern.format("set_num_threads"))
                except (OSError, AttributeError):
                    continue
                read.argtypes, read.restype = [], ctypes.c_int
                write.argtypes, write.restype = [ctypes.c_int], None
                return read, write
    return None
