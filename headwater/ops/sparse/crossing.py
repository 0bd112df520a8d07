"""Combinations of the features of several columns, joined as texts or hashed."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.ops.strings.hashes import fingerprint64

_FACTOR = np.uint64(0xC6A4A7935BD1E995)
_SHIFT = np.uint64(47)
DEFAULT_KEY = 0xDECAFCAFFE
# So many combinations are made at a time.
_CHUNK = 1 << 18


def _mixed(value: np.ndarray) -> np.ndarray:
    return value ^ (value >> _SHIFT)


def fingerprints_of_two(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One fingerprint of two, as FingerprintCat64 of the hash family gives it."""
    result = first ^ _FACTOR
    result = (result ^ (_mixed(second * _FACTOR) * _FACTOR)) * _FACTOR
    return _mixed(_mixed(result) * _FACTOR)


class _Column:
    """The features of one column, sorted by row.

    Args:
        rows: the row of each feature.
        features: the features.

    Attributes:
        features: the features in the order of their rows.
        rows: the rows that have features.
    """

    def __init__(self, rows: np.ndarray, features: np.ndarray) -> None:
        if (rows[1:] < rows[:-1]).any():
            order = np.argsort(rows, kind="stable")
            rows, features = rows[order], features[order]
        self.features = features
        self.rows, self._starts, self._counts = np.unique(
            rows, return_index=True, return_counts=True
        )

    def ranges(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the features of some rows begin, and how many there are."""
        places = np.searchsorted(self.rows, rows)
        return self._starts[places], self._counts[places]


def _columns(
    indices: list[np.ndarray],
    values: list[np.ndarray],
    sizes: list[np.ndarray],
    dense_inputs: list[np.ndarray],
) -> tuple[list[_Column], int]:
    """The columns, and the number of rows."""
    batch: int | None = None
    for i, size in enumerate([int(s[0]) for s in sizes] + [len(d) for d in dense_inputs]):
        batch = size if batch is None else batch
        if size != batch:
            at = f"position {i}" if i < len(sizes) else f"dense tensor {i - len(sizes)}"
            fail(f"Expected batch size {batch} got {size} at {at}")
    columns: list[_Column] = []
    for places, features in zip(indices, values):
        rows = places[:, 0]
        for row in rows[(rows < 0) | (rows >= (batch or 0))][:1]:
            fail(f"Row {row} of column {len(columns)} is out of range [0, {batch}).")
        columns.append(_Column(rows, features))
    for dense in dense_inputs:
        rows = np.repeat(np.arange(len(dense)), dense.shape[1])
        columns.append(_Column(rows, dense.ravel()))
    return columns, batch or 0


def _numbers(features: np.ndarray) -> np.ndarray:
    if features.dtype == object:
        return np.fromiter(map(fingerprint64, features.tolist()), np.uint64, features.size)
    return features.astype(np.int64, copy=False).view(np.uint64)


def _texts(features: np.ndarray) -> np.ndarray:
    if features.dtype == object:
        return features
    result = np.empty(features.shape, object)
    result[:] = [str(feature).encode() for feature in features.tolist()]
    return result


def crossed(
    indices: list[np.ndarray],
    values: list[np.ndarray],
    shapes: list[np.ndarray],
    dense_inputs: list[np.ndarray],
    hashed: bool,
    buckets: int,
    start: int,
    out_type: DType,
    combine: Callable[[np.ndarray, np.ndarray], np.ndarray] = fingerprints_of_two,
) -> tuple[np.ndarray, ...]:
    """All combinations of one feature of each column, row by row.

    Args:
        indices: the indices of the sparse columns.
        values: their features, integers or strings.
        shapes: their shapes.
        dense_inputs: the dense columns.
        hashed: whether combinations are hashed rather than joined as texts.
        buckets: the number of hash values; 0 for all integers that are not negative.
        start: the hash of no feature.
        out_type: the type of the combinations.
        combine: the hashes of hashes and one more feature each, as uint64.

    Returns:
        Indices, values and shape of the sparse result.
    """
    columns, batch = _columns(indices, values, shapes, dense_inputs)
    # There may be far more rows than features.
    rows = reduce(np.intersect1d, [c.rows for c in columns]) if columns else np.zeros(0, np.int64)
    ranges = [column.ranges(rows) for column in columns]
    totals = _number_of_combinations([counts for _, counts in ranges], len(rows))
    ends = np.cumsum(totals)
    prepared = [(_numbers if hashed else _texts)(column.features) for column in columns]
    divisor = np.uint64(buckets if buckets > 0 else (1 << 63) - 1)
    places: list[np.ndarray] = [np.zeros((0, 2), np.int64)]
    found: list[np.ndarray] = [np.zeros(0, out_type.numpy_dtype)]
    for first in cancellation.checked(range(0, int(totals.sum()), _CHUNK), every=1):
        number = np.arange(first, min(first + _CHUNK, int(totals.sum())))
        of_row = np.searchsorted(ends, number, side="right")
        number -= (ends - totals)[of_row]
        places.append(np.stack([rows[of_row], number], 1))
        chosen: list[np.ndarray] = []
        # The features of the last column change fastest.
        for (starts, counts), features in zip(reversed(ranges), reversed(prepared)):
            number, place = np.divmod(number, counts[of_row])
            chosen.append(features[starts[of_row] + place])
        chosen.reverse()
        part = np.empty(len(of_row), out_type.numpy_dtype)
        if hashed:
            hashes = np.full(len(of_row), start % (1 << 64), np.uint64)
            part[:] = reduce(combine, chosen, hashes) % divisor
        else:
            part[:] = [b"_X_".join(texts) for texts in zip(*chosen)]
        found.append(part)
    return (
        np.concatenate(places),
        np.concatenate(found),
        np.array([batch, totals.max(initial=0)], np.int64),
    )


def _number_of_combinations(counts: list[np.ndarray], rows: int) -> np.ndarray:
    """The products of the counts, row by row; those that no memory holds are not exact."""
    most = (1 << 62) // max(1, rows)
    result = np.ones(rows, np.int64)
    for count in counts:
        result = np.where(result > most // count, most, result * count)
    return result
