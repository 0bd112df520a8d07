"""Updates of single rows of an array, the basis of all scatter ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import errors, native
from headwater.base.checks import require
from headwater.base.lazy import lax
from headwater.base.overwriting import changeable, may_overwrite
from headwater.base.typing import Array, ArrayModule
from headwater.graph import shapes

Update = Callable[[Any, Any, Any, Any], Any]


def _divided(a: Array, b: Array) -> Array:
    """Division on the host; integers are cut off towards zero."""
    if a.dtype.kind not in "iu":
        return a / b
    require(np, b != 0, lambda: errors.InvalidArgumentError(None, None, "Integer division by zero"))
    quotient = np.abs(a) // np.abs(b)
    return (quotient * np.sign(a) * np.sign(b)).astype(a.dtype)


def _added(
    rows: np.ndarray, places: np.ndarray, updates: np.ndarray, sign: int, plain: np.ufunc
) -> np.ndarray:
    """Rows with others added to them or subtracted from them, one after the other."""
    added: np.ndarray | None = native.host().add(rows, places, updates, sign, may_overwrite(rows))
    if added is None:
        added = changeable(rows)
        plain.at(added, places, updates)
    return added


def _put(xp: ArrayModule, rows: Array, places: Array, updates: Array) -> Array:
    if xp is not np:
        return xp.asarray(rows).at[places].set(updates)
    rows = changeable(rows)
    # With duplicate indices, NumPy keeps the last value.
    rows[places] = updates
    return rows


def _add(xp: ArrayModule, rows: Array, places: Array, updates: Array) -> Array:
    if xp is not np:
        return xp.asarray(rows).at[places].add(updates)
    return _added(rows, places, updates, 1, np.add)


def _subtract(xp: ArrayModule, rows: Array, places: Array, updates: Array) -> Array:
    if xp is not np:
        return xp.asarray(rows).at[places].add(-updates)
    return _added(rows, places, updates, -1, np.subtract)


def _multiply(xp: ArrayModule, rows: Array, places: Array, updates: Array) -> Array:
    if xp is not np:
        return xp.asarray(rows).at[places].multiply(updates)
    rows = changeable(rows)
    np.multiply.at(rows, places, updates)
    return rows


def _divide(xp: ArrayModule, rows: Array, places: Array, updates: Array) -> Array:
    if xp is not np:
        divisors = xp.ones_like(rows).at[places].multiply(updates)
        if rows.dtype.kind in "iu":
            error = errors.InvalidArgumentError(None, None, "Integer division by zero")
            require(xp, updates != 0, lambda: error)
            return lax.div(rows, xp.where(divisors == 0, xp.ones_like(rows), divisors))
        return rows / divisors
    rows = changeable(rows)
    # One by one: a row may be divided several times.
    for i, place in enumerate(places):
        rows[place] = _divided(rows[place], updates[i])
    return rows


def _minimum(xp: ArrayModule, rows: Array, places: Array, updates: Array) -> Array:
    if xp is not np:
        return xp.asarray(rows).at[places].min(updates)
    rows = changeable(rows)
    np.minimum.at(rows, places, updates)
    return rows


def _maximum(xp: ArrayModule, rows: Array, places: Array, updates: Array) -> Array:
    if xp is not np:
        return xp.asarray(rows).at[places].max(updates)
    rows = changeable(rows)
    np.maximum.at(rows, places, updates)
    return rows


# The last part of the op names -> a function of (xp, rows, places, updates).
UPDATES: dict[str, Update] = {
    "Update": _put,
    "Add": _add,
    "Sub": _subtract,
    "Mul": _multiply,
    "Div": _divide,
    "Min": _minimum,
    "Max": _maximum,
}


def reference_update(kind: str, rows: Array, places: Array, updates: Array) -> np.ndarray:
    """The updates one by one, in Python."""
    rows = np.array(rows)
    functions: dict[str, Any] = {
        "Update": lambda a, b: b,
        "Add": lambda a, b: a + b,
        "Sub": lambda a, b: a - b,
        "Mul": lambda a, b: a * b,
        "Div": _divided,
        "Min": np.minimum,
        "Max": np.maximum,
    }
    for i, place in enumerate(places):
        rows[place] = functions[kind](rows[place], updates[i])
    return rows


def show(shape: Any) -> str:
    """A run-time shape as the messages write it."""
    return shapes.show(tuple(shape))
