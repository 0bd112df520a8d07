"""Matrix products on the host, by the native kernels or with NumPy, and the threads of OpenBLAS.

OpenBLAS splits every product of more than 2**18 multiplications between its threads, which
busy-wait for each other. On a loaded machine each such product then takes as long as the scheduler
needs to run all of them, and a decomposition consists of many.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import native

# This many multiplications take about one time slice of the scheduler.
_WORTH_THREADS = 1 << 26
# Products of fewer multiplications cost less than calling a native kernel.
_WORTH_NATIVE = 1 << 21
# Making the native kernel ready costs as much time as about so many multiplications.
_WORTH_PREPARING = 1 << 32
# Decompositions of matrices with so many elements times columns are left to several threads.
_WORTH_DECOMPOSING = 1 << 30
_FOLDERS = ("../{}.libs", ".dylibs")
_PATTERNS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")
# Whoever sets one of these has decided.
_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GOTO_NUM_THREADS")
_Controls = tuple[Callable[[], int], Callable[[int], None]]


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
    if multiplications > _WORTH_THREADS:
        return _product(a, b)
    product: np.ndarray = _in_one_thread(_product, a, b)
    return product


def decomposition(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a kernel that calls LAPACK, which then uses the calling thread only.

    On the host that holds for matrices that are not large; XLA's calls come from its own threads,
    so what holds for them holds for the process.
    """

    @functools.wraps(kernel)
    def limited(xp: Any, *arrays: Any, **wanted: Any) -> Any:
        if xp is not np:
            limit_lapack()
        elif arrays[0].ndim and arrays[0].size * arrays[0].shape[-1] <= _WORTH_DECOMPOSING:
            return _in_one_thread(kernel, xp, *arrays, **wanted)
        return kernel(xp, *arrays, **wanted)

    return limited


@functools.cache
def limit_lapack() -> None:
    """Lets the LAPACK of compiled programs, which is that of SciPy, use one thread."""
    controls = _openblas("scipy")
    if controls is not None and not any(name in os.environ for name in _VARIABLES):
        controls[1](1)


def _in_one_thread(compute: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """The result of a function, while which NumPy's OpenBLAS uses the calling thread only."""
    controls = _openblas("numpy")
    count = 1 if controls is None else controls[0]()
    if controls is None or count == 1:
        return compute(*arguments, **named)
    controls[1](1)
    try:
        return compute(*arguments, **named)
    finally:
        controls[1](count)


def _is_dense_matrix(array: np.ndarray) -> bool:
    return array.ndim == 2 and array.dtype == np.float32 and array.flags.forc


@functools.cache
def _openblas(package: str) -> _Controls | None:
    """How to read and set the number of threads of the OpenBLAS in the wheels of a package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    for folder in _FOLDERS:
        for path in (Path(spec.origin).parent / folder.format(package)).glob("*openblas*"):
            for pattern in _PATTERNS:
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
