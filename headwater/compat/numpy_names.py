"""Names of NumPy 1 that old programs use and that NumPy 2 has removed.

The import hook adds them to the module `numpy` of this process, and methods to the types of arrays
and of their elements, where they are missing. Elements print as with NumPy 1.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import inspect
import math
import pickle
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy import exceptions

from headwater.compat import numpy_conversions, numpy_modules

_added: set[str] = set()
_replaced: dict[str, Callable[..., Any]] = {}
_added_methods: set[tuple[type, str]] = set()


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
    "issubsctype": lambda arg1, arg2: issubclass(np.dtype(arg1).type, np.dtype(arg2).type),
    "longcomplex": np.clongdouble,
    "loads": pickle.loads,
    "math": math,
    "nbytes": {kind: np.dtype(kind).itemsize for kind in set(np.sctypeDict.values())},
    "rank": np.ndim,
    "typeDict": np.sctypeDict,
    **{name: getattr(exceptions, name) for name in exceptions.__all__},
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


def _itemset(array: np.ndarray, *args: Any) -> None:
    *index, value = args
    place = index[0] if len(index) == 1 else tuple(index)
    if isinstance(place, tuple):
        array[place] = value
    else:
        array.flat[place] = value


_METHODS: dict[str, Callable[..., Any]] = {
    "tostring": lambda self, order="C": self.tobytes(order),
    "ptp": lambda self, axis=None, out=None, keepdims=False: np.ptp(
        self, axis=axis, out=out, keepdims=keepdims
    ),
    "newbyteorder": lambda self, new_order="S": self.view(self.dtype.newbyteorder(new_order)),
    "itemset": _itemset,
}


def _attributes(kind: type) -> dict[str, Any]:
    """Returns the dictionary behind the read-only view that a type of an extension shows."""
    (found,) = (d for d in gc.get_referents(kind.__dict__) if isinstance(d, dict))
    return found


def _set_method(kind: type, name: str, method: Callable[..., Any] | None) -> None:
    """Adds a method to a type of an extension, or removes it."""
    if method is None:
        _attributes(kind).pop(name, None)
    else:
        _attributes(kind)[name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _trapezoid() -> Callable[..., Any]:
    return getattr(np, "trapezoid", None) or np.trapz  # type: ignore[attr-defined]


def _with_list(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> list[Any]:
        return list(function(*args, **kwargs))

    return call


# What returned lists, which `np.block` and callers that append to them need, and returns tuples.
_LISTS = ("broadcast_arrays", "meshgrid")


def _return_lists() -> None:
    if isinstance(np.meshgrid(0), tuple):
        for name in _LISTS:
            _replaced[name] = getattr(np, name)
            setattr(np, name, _with_list(_replaced[name]))


# What types of Python stood for as the second argument of `issubdtype`.
_CATEGORIES = {float: np.floating, int: np.signedinteger, complex: np.complexfloating}


def _with_categories(function: Callable[..., bool]) -> Callable[..., bool]:
    @functools.wraps(function)
    def issubdtype(arg1: Any, arg2: Any) -> bool:
        if isinstance(arg2, type):
            arg2 = _CATEGORIES.get(arg2, arg2)
        return function(arg1, arg2)

    return issubdtype


def _compare_with_categories() -> None:
    if not np.issubdtype(np.float32, float):
        _replaced["issubdtype"] = np.issubdtype
        np.issubdtype = _with_categories(np.issubdtype)


def _with_newshape(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def reshape(a: Any, *args: Any, **kwargs: Any) -> Any:
        if "newshape" in kwargs:
            kwargs["shape"] = kwargs.pop("newshape")
        return function(a, *args, **kwargs)

    return reshape


def _accept_newshape() -> None:
    if "newshape" not in inspect.signature(np.reshape).parameters:
        _replaced["reshape"] = np.reshape
        np.reshape = _with_newshape(np.reshape)


# Their own code knows what they call.
_NEW_PACKAGES = frozenset({"headwater", "jax", "jaxlib", "numpy", "scipy"})


def _with_lists_of_lengths(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes arrays of objects of lists with different lengths, and copies only if needed."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("copy") is False and function.__name__ == "array":
            kwargs["copy"] = _COPY_IF_NEEDED
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            if "inhomogeneous shape" not in str(error) or len(args) > 1 or kwargs.get("dtype"):
                raise
            caller = sys._getframe(1).f_globals.get("__name__") or ""
            if caller.partition(".")[0] in _NEW_PACKAGES:
                raise
        return function(*args, **{**kwargs, "dtype": object})

    return call


def _with_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Writes lists with different lengths as arrays of objects."""

    @functools.wraps(function)
    def write(file: Any, *args: Any, **kwargs: Any) -> None:
        named = {name: _as_array(value) for name, value in kwargs.items()}
        function(file, *map(_as_array, args), **named)

    return write


def _as_array(value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        return value
    try:
        return np.asanyarray(value)
    except ValueError as error:
        if "inhomogeneous shape" not in str(error):
            raise
    return np.asanyarray(value, dtype=object)


_ARRAYS = ("array", "asarray", "asanyarray")
_WRITERS = ("save", "savez", "savez_compressed")
_COPY_IF_NEEDED = None if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else False


def _accept_lists_of_lengths() -> None:
    for name in _ARRAYS:
        _replaced[name] = getattr(np, name)
        setattr(np, name, _with_lists_of_lengths(_replaced[name]))
    for name in _WRITERS:
        _replaced[name] = getattr(np, name)
        setattr(np, name, _with_arrays(_replaced[name]))


# NumPy 2 prints the type with an element: np.float32(0.5) where NumPy 1 prints 0.5.
_PRINTING: Final = "1.25"


def _print_elements_alone() -> None:
    if repr(np.float64(0.5)) != "0.5":
        np.set_printoptions(legacy=_PRINTING)


def _print_as_before() -> None:
    if np.get_printoptions()["legacy"] == _PRINTING:
        np.set_printoptions(legacy=False)


def add() -> None:
    """Adds the names that are missing."""
    _print_elements_alone()
    _accept_lists_of_lengths()
    _return_lists()
    _compare_with_categories()
    _accept_newshape()
    for name, value in {**_VALUES, "trapz": _trapezoid()}.items():
        if name not in vars(np):
            setattr(np, name, value)
            _added.add(name)
    numpy_modules.add()
    numpy_conversions.add()
    if sys.implementation.name != "cpython":
        return
    for kind in (np.ndarray, np.generic):
        for name, method in _METHODS.items():
            if not hasattr(kind, name) and (kind, name) != (np.generic, "itemset"):
                _set_method(kind, name, method)
                _added_methods.add((kind, name))


def remove() -> None:
    """Undoes `add`."""
    _print_as_before()
    vars(np).update(_replaced)
    _replaced.clear()
    for name in _added:
        delattr(np, name)
    _added.clear()
    numpy_modules.remove()
    numpy_conversions.remove()
    for kind, name in _added_methods:
        _set_method(kind, name, None)
    _added_methods.clear()
