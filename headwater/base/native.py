"""The optional native kernels: whether they are there, and how to call them.

They are built at installation (`setup.py`, `headwater/native/`). `HEADWATER_NATIVE=0` turns them
off.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.lazy import jax

CONVOLUTION, ADAM = "headwater_convolution", "headwater_adam"
_FOLDER = Path(__file__).parents[1] / "native"


def kernels_file() -> Path:
    """Where the library is if it was built."""
    return _FOLDER / ("kernels" + (sysconfig.get_config_var("EXT_SUFFIX") or ".so"))


@functools.lru_cache(maxsize=1)
def library() -> ctypes.CDLL | None:
    """The loaded library, or None if it was not built, cannot be loaded or is turned off."""
    path = kernels_file()
    if os.environ.get("HEADWATER_NATIVE") == "0" or not path.exists():
        return None
    array, number, flag = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    try:
        loaded = ctypes.CDLL(str(path))
        loaded.headwater_convolution_is_fast.argtypes = [array]
        loaded.headwater_convolution.argtypes = [*[array] * 5, number]
        loaded.headwater_matmul.argtypes = [*[array] * 4, flag, flag, number]
        scan, read = loaded.headwater_scan_examples, loaded.headwater_read_lists
        scan.argtypes = [array, array, number, *[array] * 3, number, *[array] * 3]
        read.argtypes = [array, ctypes.c_uint8, array, array, number, array, array]
    except (OSError, AttributeError) as error:
        # AttributeError: they were built from older sources.
        logging.debug("The native kernels cannot be used: %s", error)
        return None
    return loaded


class _NoFunctions:
    """Stands for the functions of arrays where they were not built: each returns None."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *arguments: None


@functools.lru_cache(maxsize=1)
def host() -> Any:
    """The functions of arrays on the host, with the signatures of `headwater/native/host.pyi`."""
    if os.environ.get("HEADWATER_NATIVE") == "0":
        return _NoFunctions()
    try:
        # They may not have been built, or for a newer NumPy.
        from headwater.native import host as functions
    except ImportError as error:
        logging.debug("The native functions of arrays cannot be used: %s", error)
        return _NoFunctions()
    return functions


@functools.lru_cache(maxsize=1)
def _registered() -> frozenset[str]:
    """The kernels that compiled programs can call; XLA is told of them the first time."""
    found: set[str] = set()
    kernels = library()
    for name in (CONVOLUTION, ADAM) if kernels is not None else ():
        try:
            handler = jax.ffi.pycapsule(getattr(kernels, f"{name}_handler"))
            jax.ffi.register_ffi_target(name, handler, platform="cpu")
        except Exception as error:
            # XLA refuses handlers of versions that it does not know, and older sources have fewer.
            logging.debug("XLA does not take the native kernel %s: %s", name, error)
        else:
            found.add(name)
    return frozenset(found)


def is_registered(name: str = CONVOLUTION) -> bool:
    """Whether compiled programs can call a kernel."""
    return name in _registered()


@functools.lru_cache(maxsize=1024)
def has_fast_convolution(problem: tuple[int, ...]) -> bool:
    """Whether the kernels have generated code for a convolution.

    Args:
        problem: its numbers; see `headwater/native/convolution.h`.

    Returns:
        False as well if there are no kernels.
    """
    kernels = library()
    if kernels is None:
        return False
    return bool(kernels.headwater_convolution_is_fast(_numbers(problem).ctypes.data))


def convolution(
    problem: Sequence[int], first: np.ndarray, second: np.ndarray, result: np.ndarray
) -> bool:
    """Computes a convolution of float32 arrays on the host.

    Args:
        problem: the numbers of the problem; see `headwater/native/convolution.h`.
        first: the first operand, contiguous.
        second: the second operand, contiguous.
        result: where the result is written, contiguous.

    Returns:
        Whether it was computed.
    """
    kernels = library()
    if kernels is None:
        return False
    numbers, sizes = _numbers(problem), _numbers([a.size for a in (first, second, result)])
    arrays = [a.ctypes.data for a in (numbers, first, second, result, sizes)]
    return not kernels.headwater_convolution(*arrays, _threads())


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """The product of two float32 matrices on the host.

    Args:
        a: the left one, dense, by rows or by columns.
        b: the right one, dense, by rows or by columns.

    Returns:
        The product; None if it was not computed.
    """
    kernels = library()
    if kernels is None:
        return None
    result = np.empty((a.shape[0], b.shape[1]), np.float32)
    sizes = _numbers((*a.shape, b.shape[1]))
    arrays = [array.ctypes.data for array in (sizes, a, b, result)]
    by_columns = [not matrix.flags.c_contiguous for matrix in (a, b)]
    return None if kernels.headwater_matmul(*arrays, *by_columns, _threads()) else result


@functools.lru_cache(maxsize=1)
def _threads() -> int:
    return len(os.sched_getaffinity(0))


def _numbers(problem: Sequence[int]) -> np.ndarray:
    return np.asarray(problem, np.int64)
