"""Where the rows of a ragged tensor begin and end."""

from __future__ import annotations

import numpy as np

from headwater.base.checks import fail


def check_splits(splits: np.ndarray) -> None:
    """Fails unless the splits begin with 0 and are non-decreasing."""
    if splits.ndim != 1 or not len(splits):
        fail("row_splits must be a vector that is not empty")
    if splits[0] != 0:
        fail("First value of ragged splits must be 0.")
    if np.any(np.diff(splits) < 0):
        fail("Ragged splits must be sorted in ascending order.")


def row_of_each(splits: np.ndarray) -> np.ndarray:
    """The row of each value."""
    return np.repeat(np.arange(len(splits) - 1), np.diff(splits))


def gathered_rows(splits: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The splits of some rows, and the places of their values."""
    lengths = np.diff(splits)[rows]
    made = np.concatenate([[0], np.cumsum(lengths)]).astype(splits.dtype)
    shift = np.repeat(splits[:-1][rows] - made[:-1], lengths)
    return made, np.arange(made[-1]) + shift
