"""The values of table handles: the tables themselves, which a session keeps between runs."""

from __future__ import annotations

import math
import threading
import weakref
from itertools import repeat
from typing import Any

import numpy as np

from headwater.base import dtypes, errors, native
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import TensorLike


def invalid(text: str) -> errors.InvalidArgumentError:
    """The error of a bad value."""
    return errors.InvalidArgumentError(None, None, text)


def failed_precondition(text: str) -> errors.FailedPreconditionError:
    """The error of a table in the wrong state."""
    return errors.FailedPreconditionError(None, None, text)


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as errors show it."""
    return "[" + ",".join(map(str, shape)) + "]"


def array_dtype(dtype: DType) -> np.dtype[Any]:
    """The type of arrays of keys or values: objects for strings and variants."""
    return np.dtype(object if dtype.numpy_dtype is None else dtype.numpy_dtype)


class Table:
    """A table of values by key.

    Args:
        key_dtype: the type of the keys.
        value_dtype: the type of the values.
        value_shape: the shape of each value.
    """

    key_shape: tuple[int, ...] = ()

    def __init__(
        self, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...] = ()
    ) -> None:
        self.key_dtype = as_dtype(key_dtype)
        self.value_dtype = as_dtype(value_dtype)
        self.value_shape = value_shape
        self.lock = threading.RLock()
        self._rows: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.key_dtype.name} -> {self.value_dtype.name}: "
            f"{len(self._rows)} entries>"
        )

    @property
    def identity(self) -> int:
        """A number that is the same for tables which find the same values."""
        return id(self)

    def size(self) -> np.ndarray:
        """The number of entries."""
        return np.asarray(len(self._rows), np.int64)

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The values of keys, and the default value where there is none."""
        self._check_keys(keys)
        self._check_default(default)
        shape = keys.shape[: keys.ndim - len(self.key_shape)] + self.value_shape
        missing = default.item() if not self.value_shape else default
        with self.lock:
            numbers = self._found_numbers(keys, missing)
            if numbers is not None:
                return numbers
            found = map(self._rows.get, self._plain(keys), repeat(missing))
            kind = array_dtype(self.value_dtype)
            if not self.value_shape and not kind.hasobject:
                return np.fromiter(found, kind, math.prod(shape)).reshape(shape)
            return self._stacked(list(found), shape)

    def _found_numbers(self, keys: np.ndarray, missing: Any) -> np.ndarray | None:
        """Integers that stand for strings, by the native function; None for other tables."""
        if self.key_dtype is not dtypes.string or not self.value_dtype.is_integer:
            return None
        if self.key_shape or self.value_shape:
            return None
        size = self.value_dtype.size
        found: np.ndarray | None = native.host().find(self._rows, keys, missing, size)
        return found

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Sets the values of keys."""
        self._check_keys(keys)
        self._check_values(keys, values)
        with self.lock:
            self._rows.update(zip(self._plain(keys), self._split(values)))

    def remove(self, keys: np.ndarray) -> None:
        """Removes the entries of keys; missing keys are ignored."""
        self._check_keys(keys)
        with self.lock:
            for key in self._plain(keys):
                self._rows.pop(key, None)

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Replaces all entries with these."""
        self._check_keys(keys)
        self._check_values(keys, values)
        with self.lock:
            self._rows = dict(zip(self._plain(keys), self._split(values)))

    def initialize(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Fills a table that is filled only once."""
        raise invalid("Table of this type cannot be initialized.")

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """All keys and all values."""
        with self.lock:
            keys, values = list(self._rows), list(self._rows.values())
        return (
            self._array(keys, self.key_dtype, (len(keys), *self.key_shape)),
            self._stacked(values, (len(keys), *self.value_shape)),
        )

    # Keys and values as Python objects

    def _plain(self, keys: np.ndarray) -> list[Any]:
        if not self.key_shape:
            return keys.ravel().tolist()
        rows = keys.reshape(-1, int(np.prod(self.key_shape)))
        return [tuple(row) for row in rows.tolist()]

    def _split(self, values: np.ndarray) -> list[Any]:
        if not self.value_shape:
            return values.ravel().tolist()
        return [row.copy() for row in values.reshape(-1, *self.value_shape)]

    def _stacked(self, values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
        if not self.value_shape or not values:
            return self._array(values, self.value_dtype, shape)
        return np.stack(values).reshape(shape)

    @staticmethod
    def _array(items: list[Any], dtype: DType, shape: tuple[int, ...]) -> np.ndarray:
        kind = array_dtype(dtype)
        if kind.hasobject:
            array = np.empty(len(items), kind)
            array[:] = items
            return array.reshape(shape)
        return np.array(items, kind).reshape(shape)

    # Checks

    def _check_keys(self, keys: np.ndarray) -> None:
        self._check_type("Key", keys, self.key_dtype)
        rank = len(self.key_shape)
        if keys.shape[keys.ndim - rank :] != self.key_shape:
            raise invalid(
                f"Input key shape {shape_text(keys.shape)} must end with the table's key shape "
                f"{shape_text(self.key_shape)}"
            )

    def _check_type(self, what: str, array: np.ndarray, wanted: DType) -> None:
        if array.dtype != array_dtype(wanted):
            raise invalid(f"{what} must be type {wanted.name} but got {as_dtype(array.dtype).name}")

    def _check_default(self, default: np.ndarray) -> None:
        self._check_type("Default value", default, self.value_dtype)
        if default.shape != self.value_shape:
            raise invalid(
                f"Expected shape {shape_text(self.value_shape)} for default value, got "
                f"{shape_text(default.shape)}"
            )

    def _check_values(self, keys: np.ndarray, values: np.ndarray) -> None:
        self._check_type("Value", values, self.value_dtype)
        wanted = keys.shape[: keys.ndim - len(self.key_shape)] + self.value_shape
        if values.shape != wanted:
            raise invalid(
                f"Expected shape {shape_text(wanted)} for value, got {shape_text(values.shape)}"
            )


class _Entries(dict[Any, Any]):
    """The entries of a table that no longer changes."""


# By types and hash: the tables of one column for several parts of a model have equal entries.
_known_entries: weakref.WeakValueDictionary[Any, _Entries] = weakref.WeakValueDictionary()


class InitializedTable(Table):
    """A table that is filled once; afterwards it does not change."""

    initialized = False

    @property
    def identity(self) -> int:
        """A number that is the same for tables which find the same values."""
        return id(self._rows)

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The values of keys, and the default value where there is none."""
        if not self.initialized:
            raise errors.FailedPreconditionError(
                None,
                None,
                "Table not initialized.",
                hint="run tf.tables_initializer() first.",
            )
        return super().find(keys, default)

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Refuses to change the table."""
        raise errors.UnimplementedError(
            None, None, "Insert not supported by InitializableLookupTable implementations"
        )

    def remove(self, keys: np.ndarray) -> None:
        """Refuses to change the table."""
        raise errors.UnimplementedError(
            None, None, "Remove not supported by InitializableLookupTable implementations"
        )

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Fills the table."""
        self.initialize(keys, values)

    def initialize(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Fills the table; filling it again with as many entries is a no-op."""
        self._check_keys(keys)
        self._check_values(keys, values)
        rows: dict[Any, Any] = {}
        for key, value in zip(self._plain(keys), self._split(values)):
            if rows.setdefault(key, value) != value:
                raise failed_precondition(
                    f"HashTable has different value for same key. Key {_shown(key)} has "
                    f"{_shown(rows[key])} and trying to add value {_shown(value)}"
                )
        with self.lock:
            if self.initialized and len(rows) != len(self._rows):
                raise failed_precondition("Table was already initialized with different data.")
            if not self.initialized:
                self._rows, self.initialized = self._shared(rows), True

    def _shared(self, rows: dict[Any, Any]) -> dict[Any, Any]:
        """The entries of another table, if those are the same in the same order.

        Lookups in few dictionaries find more of them in the caches of the processor.
        """
        if self.value_dtype.is_floating or self.key_dtype.is_floating:
            # Equal numbers may differ in their sign.
            return rows
        items = tuple(rows.items())
        key = (self.key_dtype.name, self.value_dtype.name, hash(items))
        known = _known_entries.get(key)
        if known is None or tuple(known.items()) != items:
            known = _known_entries[key] = _Entries(rows)
        return known

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """All keys and all values."""
        if not self.initialized:
            raise errors.AbortedError(None, None, "HashTable is not initialized.")
        return super().export()


def _shown(value: TensorLike) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
