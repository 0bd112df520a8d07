"""Arrays of one element as Python numbers, which NumPy 2.4 has given up.

Programs say `float(session.run(loss))`, `"%.3f" % w` and `table[i] = session.run(q)` with arrays of
shape [1] or [1, 1].
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

_NUMBERS: Final = {"__complex__": complex, "__float__": float, "__int__": int}
# Where a type of CPython has its flags, and the flag of those whose methods cannot be replaced.
_FLAGS: Final = 21 * ctypes.sizeof(ctypes.c_void_p)
_IMMUTABLE: Final = 1 << 8

_replaced: dict[str, Any] = {}


def _converted(method: Callable[[Any], Any], number: type) -> Callable[[Any], Any]:
    def convert(self: Any) -> Any:
        return number(self.item()) if self.ndim and self.size == 1 else method(self)

    return convert


def _set_method(name: str, method: Callable[[Any], Any]) -> None:
    """Replaces a special method of arrays; `setattr` updates the slots of the type as well."""
    flags = ctypes.c_ulong.from_address(id(np.ndarray) + _FLAGS)
    flags.value &= ~_IMMUTABLE
    try:
        # It clears another flag, which says that cached methods are valid.
        setattr(np.ndarray, name, method)
    finally:
        flags.value |= _IMMUTABLE


def _are_refused() -> bool:
    with warnings.catch_warnings():
        # Releases before 2.4 warn.
        warnings.simplefilter("ignore")
        try:
            float(np.zeros(1))
        except TypeError:
            return True
    return False


def add() -> None:
    """Has arrays of one element converted, if they are not."""
    if sys.implementation.name != "cpython" or _replaced or not _are_refused():
        return
    if ctypes.c_ulong.from_address(id(np.ndarray) + _FLAGS).value != np.ndarray.__flags__:
        return  # a release of Python with other types
    for name, number in _NUMBERS.items():
        _replaced[name] = vars(np.ndarray)[name]
        _set_method(name, _converted(_replaced[name], number))


def remove() -> None:
    """Undoes `add`."""
    for name, method in _replaced.items():
        _set_method(name, method)
    _replaced.clear()
