"""Reductions of the rows that belong to one segment; what the files of segment ops share."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes, errors, native
from headwater.base.checks import in_range, is_range
from headwater.base.sparse_products import add_products
from headwater.graph import Tensor, build, ones_like, rank_tensor, shape_tensor, zeros_like

# Segments of up to this many rows are combined row by row, all segments at once.
_SHORT = 32
# Sums of these types are products with a sparse matrix.
_SUMMED = frozenset(map(np.dtype, "bBhHiIlLqQfdFD"))


def invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)


def lowest(dtype: np.dtype) -> Any:
    return dtypes.as_dtype(dtype).min


def highest(dtype: np.dtype) -> Any:
    return dtypes.as_dtype(dtype).max


def reduce_rows(
    combine: np.ufunc, rows: np.ndarray, ids: np.ndarray, count: int, empty: Any
) -> np.ndarray:
    """Combines the rows of each segment with NumPy.

    Args:
        combine: np.add, np.multiply, np.maximum or np.minimum.
        rows: array of shape [n, ...].
        ids: the segment of each row; rows of negative segments are left out.
        count: the number of segments.
        empty: the value of a segment without rows.

    Returns:
        Array of shape [count, ...].
    """
    total = native.host().sum(rows, ids, count) if combine is np.add and empty == 0 else None
    if total is not None:
        return total
    if is_range(ids, count):
        # Each segment is a row: the gradient of distinct rows.
        return rows
    if combine is np.add and empty == 0 and rows.dtype in _SUMMED:
        return sum_rows(rows, ids, count)
    if ids.size and np.any(ids[1:] < ids[:-1]):
        order = np.argsort(ids, kind="stable")
        ids, rows = ids[order], rows[order]
    first = int(np.searchsorted(ids, 0))
    if first:
        ids, rows = ids[first:], rows[first:]
    result = np.full((count, *rows.shape[1:]), empty, rows.dtype)
    if ids.size:
        starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
        result[ids[starts]] = _reduce_at(combine, rows, starts)
    return result


def can_sum_rows(dtype: np.dtype) -> bool:
    """Whether `sum_rows` takes rows of a type."""
    return dtype in _SUMMED


def sum_rows(
    rows: np.ndarray, ids: np.ndarray, count: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """The sums of segments as a product with the sparse matrix that has an element for each row.

    Args:
        rows: array of shape [n, ...].
        ids: the segment of each row; rows of negative segments are left out.
        count: the number of segments.
        weights: a factor for each row; None for 1. Then all ids are in range.

    Returns:
        Array of shape [count, ...].
    """
    if not in_range(ids, count):
        inside = ids >= 0
        ids, rows = ids[inside], rows[inside]
        if ids.size and ids.max() >= count:
            raise IndexError(f"there are {count} segments, not {ids.max() + 1}")
    result = np.zeros((count, *rows.shape[1:]), rows.dtype)
    if not rows.size:
        return result
    width = rows.size // len(rows)
    add_products(
        result.reshape(count, width),
        ids,
        np.ones(len(ids), rows.dtype) if weights is None else weights,
        rows.reshape(len(rows), width),
    )
    return result


def _reduce_at(combine: np.ufunc, rows: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """`combine.reduceat`, which is slow where segments are short."""
    lengths = np.diff(starts, append=len(rows))
    longest = int(lengths.max())
    if longest > _SHORT or rows.ndim == 1:
        return combine.reduceat(rows, starts, axis=0, dtype=rows.dtype)
    result = rows[starts]
    for place in range(1, longest):
        longer = np.flatnonzero(lengths > place)
        if len(longer) == len(starts):
            combine(result, rows[starts + place], out=result)
        else:
            result[longer] = combine(result[longer], rows[starts[longer] + place])
    return result


def row_counts(ids: np.ndarray, count: int) -> np.ndarray:
    """How many rows each segment has."""
    return np.bincount(ids[ids >= 0], minlength=count)


def divide_rows(rows: np.ndarray, divisors: np.ndarray) -> np.ndarray:
    """Divides each row by its number; integers are rounded towards zero."""
    column = np.maximum(divisors, 1).reshape(-1, *(1,) * (rows.ndim - 1))
    if rows.dtype.kind in "iu":
        return np.trunc(rows / column).astype(rows.dtype)
    return (rows / column.astype(rows.dtype)).astype(rows.dtype)


def sorted_count(ids: np.ndarray, rows: int | None = None) -> int:
    """The number of segments of increasing ids.

    Args:
        ids: the ids of the segments.
        rows: the number of rows of the result; None for as many as there are segments.

    Raises:
        InvalidArgumentError: if the ids do not increase or are negative.
    """
    if not ids.size:
        return 0
    count = int(ids[-1]) + 1
    if count <= 0 and rows is None:
        raise invalid("segment ids must be >= 0")
    if np.any(ids[1:] < ids[:-1]):
        raise invalid("segment ids are not increasing")
    if ids[0] < 0:
        end = count if rows is None else rows
        raise invalid(
            f"Segment id {int(ids[0])} out of range [0, {end}), possibly because 'segment_ids' "
            "input is not sorted."
        )
    return count


def gather_or_zeros(
    params: Tensor, ids: Tensor, known: Tensor | None = None, inside: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Rows of `params` as nodes, with zeros for negative ids.

    Args:
        params: tensor of shape [n, ...].
        ids: integer tensor.
        known: the ids with 0 for negative ones, if they are there already.
        inside: which elements have ids that are not negative, if it is there already.

    Returns:
        The rows, `known` and `inside`.
    """
    if known is None:
        known = build.Maximum(ids, zeros_like(ids))
    rows = build.GatherV2(params, known, 0)
    if inside is None:
        inside = _with_rank_of(build.GreaterEqual(ids, 0), rows)
        # Select needs a condition of the full shape.
        inside = inside & ones_like(rows, dtype=dtypes.as_dtype("bool"))
    return build.Select(inside, rows, zeros_like(rows)), known, inside


def _with_rank_of(x: Tensor, rows: Tensor) -> Tensor:
    """`x` with axes of length 1 at its end, as many as `rows` has more."""
    rank, wanted = x._rank(), rows._rank()
    if rank is None or wanted is None:
        missing = build.ExpandDims(rank_tensor(rows) - rank_tensor(x), 0)
        return build.Reshape(x, build.ConcatV2([shape_tensor(x), build.Fill(missing, 1)], 0))
    for _ in range(wanted - rank):
        x = build.ExpandDims(x, -1)
    return x
