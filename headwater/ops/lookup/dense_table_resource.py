"""A table in an array of buckets; two reserved keys mark empty and deleted buckets."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array
from headwater.ops.lookup.table_resource import Table, array_dtype, invalid, shape_text
from headwater.ops.strings.hashes import fingerprint64

_DELETED = object()


class DenseTable(Table):
    """A table with open addressing: probes bucket i, then those at offsets 1, 3, 6, ...

    Args:
        key_dtype: the type of the keys.
        value_dtype: the type of the values.
        value_shape: the shape of each value.
        buckets: the number of buckets at the beginning.
        max_load_factor: which part of the buckets may be full.
    """

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...],
        buckets: int,
        max_load_factor: float,
    ) -> None:
        super().__init__(key_dtype, value_dtype, value_shape)
        if buckets < 4 or buckets & (buckets - 1):
            raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {buckets}")
        self._count = buckets
        self._load = max_load_factor
        self._empty: Array = None
        self._deleted: Array = None
        self._prepared = False
        # The key in each bucket that is or was in use, and the bucket of each key.
        self._buckets: dict[int, Any] = {}
        self._places: dict[Any, int] = {}
        # What deleted buckets still hold.
        self._left: dict[int, Any] = {}

    def prepare(self, empty: np.ndarray, deleted: np.ndarray | None) -> None:
        """Takes the keys that mark empty and deleted buckets."""
        with self.lock:
            if self._prepared:
                return
            if deleted is not None and deleted.shape != empty.shape:
                raise invalid(
                    "Empty and deleted keys must have same shape, got shapes: "
                    f"{shape_text(empty.shape)} and {shape_text(deleted.shape)}"
                )
            if empty.ndim > 1:
                raise invalid(
                    f"Empty key must be a scalar or a vector, got {shape_text(empty.shape)}"
                )
            self.key_shape = empty.shape
            (self._empty,) = self._plain(empty)
            if deleted is not None:
                (self._deleted,) = self._plain(deleted)
                if self._deleted == self._empty:
                    raise invalid("Empty and deleted keys cannot be equal")
            self._prepared = True

    def _check_keys(self, keys: np.ndarray) -> None:
        super()._check_keys(keys)
        for key in self._plain(keys):
            if key == self._empty:
                raise invalid("Using the empty_key as a table key is not allowed")
            if self._deleted is not None and key == self._deleted:
                raise invalid("Using the deleted_key as a table key is not allowed")

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Sets the values of keys; grows the table if too few buckets are free."""
        self._check_keys(keys)
        self._check_values(keys, values)
        with self.lock:
            plain = self._plain(keys)
            pending = len(self._rows) + len(plain)
            if pending > self._count * self._load:
                while pending > self._count * self._load:
                    self._count *= 2
                self._rebuild()
            for key, value in zip(plain, self._split(values)):
                self._put(key, value)

    def _rebuild(self) -> None:
        in_order = [self._buckets[i] for i in sorted(self._buckets)]
        rows = self._rows
        self._rows, self._buckets, self._places, self._left = {}, {}, {}, {}
        for key in in_order:
            if key is not _DELETED:
                self._put(key, rows[key])

    def _put(self, key: int, value: int) -> None:
        if key not in self._places:
            place, probes = self._first_place(key), 0
            while self._buckets.get(place, _DELETED) is not _DELETED:
                probes += 1
                place = (place + probes) & (self._count - 1)
            self._buckets[place] = key
            self._places[key] = place
            self._left.pop(place, None)
        self._rows[key] = value

    def _first_place(self, key: int) -> int:
        if isinstance(key, int):
            return key & (self._count - 1)
        text = key if isinstance(key, bytes) else repr(key).encode()
        return fingerprint64(text) & (self._count - 1)

    def remove(self, keys: np.ndarray) -> None:
        """Removes the entries of keys; missing keys are ignored."""
        self._check_keys(keys)
        if self._deleted is None:
            raise invalid("The table has no deleted_key, so nothing can be removed")
        with self.lock:
            for key in self._plain(keys):
                if key in self._places:
                    place = self._places.pop(key)
                    self._buckets[place] = _DELETED
                    self._left[place] = self._rows.pop(key)

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Takes over buckets as `export` gives them."""
        rows = self._plain(keys)
        values = values.reshape(len(rows), *self.value_shape)
        with self.lock:
            self._count = max(4, 1 << max(len(rows) - 1, 0).bit_length())
            self._rows, self._buckets, self._places, self._left = {}, {}, {}, {}
            for key, value in zip(rows, self._split(values)):
                if key != self._empty and (self._deleted is None or key != self._deleted):
                    self._put(key, value)

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """The keys and values of all buckets, also of those that are empty or deleted."""
        with self.lock:
            keys = [self._empty] * self._count
            kind = array_dtype(self.value_dtype)
            blank: Any = b"" if self.value_dtype is dtypes.string else np.zeros((), kind).item()
            if self.value_shape:
                blank = np.full(self.value_shape, blank, kind)
            values = [blank] * self._count
            for place, key in self._buckets.items():
                gone = key is _DELETED
                keys[place] = self._deleted if gone else key
                values[place] = self._left[place] if gone else self._rows[key]
        return (
            self._array(keys, self.key_dtype, (len(keys), *(self.key_shape or (1,)))),
            self._stacked(values, (len(keys), *(self.value_shape or (1,)))),
        )
