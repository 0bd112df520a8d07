"""Names of NumPy 1 that programs of its time use and NumPy 2 has no more.

The import hook adds them to the module `numpy` of this process, where they are missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

_added: set[str] = set()


class _Casts:
    """`np.cast[dtype]` is the function that makes arrays of a type."""

    def __getitem__(self, dtype: Any) -> Callable[[Any], np.ndarray]:
        return lambda x: np.asarray(x).astype(dtype)


_VALUES: dict[str, Any] = {
    "int": int,
    "float": float,
    "complex": complex,
    "object": object,
    "str": str,
    "unicode": str,
    "bool8": np.bool_,
    "int0": np.intp,
    "uint0": np.uintp,
    "float_": np.float64,
    "longfloat": np.longdouble,
    "singlecomplex": np.complex64,
    "complex_": np.complex128,
    "cfloat": np.complex128,
    "clongfloat": np.clongdouble,
    "object0": np.object_,
    "str0": np.str_,
    "bytes0": np.bytes_,
    "string_": np.bytes_,
    "unicode_": np.str_,
    "Inf": np.inf,
    "Infinity": np.inf,
    "infty": np.inf,
    "PINF": np.inf,
    "NINF": -np.inf,
    "NaN": np.nan,
    "NAN": np.nan,
    "PZERO": 0.0,
    "NZERO": -0.0,
    "alltrue": np.all,
    "sometrue": np.any,
    "product": np.prod,
    "cumproduct": np.cumprod,
    "round_": np.round,
    "row_stack": np.vstack,
    "in1d": lambda ar1, ar2, assume_unique=False, invert=False: np.isin(
        np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert
    ),
    "asscalar": lambda a: np.asarray(a).item(),
    "asfarray": lambda a, dtype=np.float64: np.asarray(
        a, dtype if np.issubdtype(dtype, np.inexact) else np.float64
    ),
    "msort": lambda a: np.sort(a, axis=0),
    "mat": lambda data, dtype=None: np.asmatrix(data, dtype=dtype),
    "find_common_type": lambda array_types, scalar_types: np.result_type(
        *array_types, *(np.zeros((), kind)[()] for kind in scalar_types)
    ),
    "issubclass_": lambda arg1, arg2: isinstance(arg1, type) and issubclass(arg1, arg2),
    "obj2sctype": lambda rep, default=None: np.dtype(rep).type,
    "math": math,
    "cast": _Casts(),
    "sctype2char": lambda sctype: np.dtype(sctype).char,
    "sctypes": {
        "int": [np.int8, np.int16, np.int32, np.int64],
        "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
        "float": [np.float16, np.float32, np.float64, np.longdouble],
        "complex": [np.complex64, np.complex128, np.clongdouble],
        "others": [bool, object, bytes, str, np.void],
    },
}


def _trapezoid() -> Callable[..., Any]:
    return getattr(np, "trapezoid", None) or np.trapz  # type: ignore[attr-defined]


def add() -> None:
    """Adds the names that are missing."""
    for name, value in {**_VALUES, "trapz": _trapezoid()}.items():
        if name not in vars(np):
            setattr(np, name, value)
            _added.add(name)


def remove() -> None:
    """Takes back what `add` has added."""
    for name in _added:
        delattr(np, name)
    _added.clear()
