"""Combinations of the features of several columns, joined as texts or hashed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.ops.strings.hashes import fingerprint64

_BITS = (1 << 64) - 1
_FACTOR = 0xC6A4A7935BD1E995
DEFAULT_KEY = 0xDECAFCAFFE


def _mixed(value: int) -> int:
    return value ^ (value >> 47)


def fingerprint_of_two(first: int, second: int) -> int:
    """One fingerprint of two, as FingerprintCat64 of the hash family gives it."""
    result = first ^ _FACTOR
    result ^= (_mixed((second * _FACTOR) & _BITS) * _FACTOR) & _BITS
    result = (result * _FACTOR) & _BITS
    result = (_mixed(result) * _FACTOR) & _BITS
    return _mixed(result)


def _columns(
    indices: list[np.ndarray],
    values: list[np.ndarray],
    sizes: list[np.ndarray],
    dense_inputs: list[np.ndarray],
) -> tuple[list[dict[int, list[Any]]], int]:
    """The features of each column by row, and the number of rows."""
    batch: int | None = None
    for i, size in enumerate([int(s[0]) for s in sizes] + [len(d) for d in dense_inputs]):
        batch = size if batch is None else batch
        if size != batch:
            at = f"position {i}" if i < len(sizes) else f"dense tensor {i - len(sizes)}"
            fail(f"Expected batch size {batch} got {size} at {at}")
    columns: list[dict[int, list[Any]]] = []
    for rows, elements in zip(indices, values):
        for row in rows[(rows[:, 0] < 0) | (rows[:, 0] >= (batch or 0)), 0][:1]:
            fail(f"Row {row} of column {len(columns)} is out of range [0, {batch}).")
        column: dict[int, list[Any]] = {}
        for row, element in zip(rows[:, 0].tolist(), elements.tolist()):
            column.setdefault(row, []).append(element)
        columns.append(column)
    columns.extend(dict(enumerate(dense.tolist())) for dense in dense_inputs)
    return columns, batch or 0


def _number(feature: Any) -> int:
    return fingerprint64(feature) if isinstance(feature, bytes) else feature & _BITS


def _text(feature: Any) -> bytes:
    return feature if isinstance(feature, bytes) else str(feature).encode()


def crossed(
    indices: list[np.ndarray],
    values: list[np.ndarray],
    shapes: list[np.ndarray],
    dense_inputs: list[np.ndarray],
    hashed: bool,
    buckets: int,
    start: int,
    out_type: DType,
    combine: Callable[[int, int], int] = fingerprint_of_two,
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
        combine: the hash of a hash and one more feature.

    Returns:
        Indices, values and shape of the sparse result.
    """
    columns, batch = _columns(indices, values, shapes, dense_inputs)
    buckets = buckets if buckets > 0 else (1 << 63) - 1
    prepare = _number if hashed else _text
    columns = [
        {row: [prepare(f) for f in features] for row, features in column.items()}
        for column in columns
    ]
    places: list[tuple[int, int]] = []
    found: list[Any] = []
    width = 0
    # There may be far more rows than features.
    rows = set.intersection(*map(set, columns)) if columns else ()
    for row in sorted(rows):
        count = 0
        combinations = itertools.product(*(column[row] for column in columns))
        for features in cancellation.checked(combinations):
            places.append((row, count))
            count += 1
            if not hashed:
                found.append(b"_X_".join(features))
                continue
            value = start & _BITS
            for feature in features:
                value = combine(value, feature)
            found.append(value % buckets)
        width = max(width, count)
    result = np.empty(len(found), out_type.numpy_dtype)
    result[:] = found
    return (
        np.array(places, np.int64).reshape(len(places), 2),
        result,
        np.array([batch, width], np.int64),
    )
