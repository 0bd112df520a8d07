"""Texts of arrays in rows with the middle left out, as `tf.strings.format` writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.summarize import element_text


def summarize_rows(array: np.ndarray, limit: int) -> str:
    """The first and last elements along each axis: ``[0 1 2 ... 7 8 9]``.

    Args:
        array: any array.
        limit: how many elements are shown at each end; negative for all.

    Returns:
        The text; strings stand in quotes, rows in lines of their own.
    """
    array = np.asarray(array)
    if array.ndim == 0:
        return _quoted(array[()])
    return _rows(array, max(array.shape) if limit < 0 else limit, 0)


def _quoted(value: Any) -> str:
    return f'"{element_text(value)}"' if isinstance(value, bytes) else element_text(value)


def _rows(array: np.ndarray, limit: int, depth: int) -> str:
    count = len(array)
    whole = count <= 2 * limit
    places = range(count) if whole else [*range(limit), *range(count - limit, count)]
    if array.ndim == 1:
        parts = [_quoted(array[i]) for i in places]
        between = " "
    else:
        parts = [_rows(array[i], limit, depth + 1) for i in places]
        between = "\n" * (array.ndim - 1) + " " * (depth + 1)
    if not whole:
        parts.insert(limit, "...")
    return f"[{between.join(parts)}]"
