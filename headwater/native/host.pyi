"""Functions of arrays on the host, in boxes.cc, optimizers.cc, paths.cc, random.cc, rows.cc and
words.cc.

They take dense arrays of the types that are common. For others, and for wrong values, they return
None: the callers have another form of each, whose results are equal, and which raises the errors.
"""

from typing import Any

import numpy as np

def take(array: np.ndarray, indices: np.ndarray) -> np.ndarray | None:
    """The rows of an array with these numbers."""

def put(
    array: np.ndarray, indices: np.ndarray, rows: np.ndarray, overwrites: bool
) -> np.ndarray | None:
    """An array, or a copy of it, in which rows are replaced; of repeated ones the last wins."""

def add(
    array: np.ndarray, indices: np.ndarray, rows: np.ndarray, sign: int, overwrites: bool
) -> np.ndarray | None:
    """An array, or a copy of it, to whose rows others are added, or subtracted if sign is -1."""

def in_range(indices: np.ndarray, count: int) -> bool | None:
    """Whether indices are in [0, count)."""

def are_distinct(indices: np.ndarray, count: int) -> bool | None:
    """Whether indices are in [0, count) and none is repeated."""

def has_all_rows(indices: np.ndarray, count: int) -> bool | None:
    """Whether the first column of a matrix increases from 0 to count - 1, leaving none out."""

def positions(mask: np.ndarray) -> np.ndarray | None:
    """The positions of the true elements, as rows of a matrix."""

def unique(values: np.ndarray, bytes: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The different integers of a vector, and for each element the number of its value."""

def sum(rows: np.ndarray, ids: np.ndarray, count: int) -> np.ndarray | None:
    """The sums of the rows of each segment; rows of negative segments are left out."""

def sum_picked(
    data: np.ndarray, indices: np.ndarray, ids: np.ndarray, count: int, divisor: int
) -> np.ndarray | None:
    """Rows of data by their numbers, added up by sorted segments.

    Args:
        data: numbers of shape [n, ...].
        indices: which rows are added.
        ids: the segment of each of them.
        count: the number of segments; one more than the last if negative.
        divisor: by what the sums are divided: 0 for 1, 1 for the rows of the segment, 2 for the
            root of their number.
    """

def spread(
    grad: np.ndarray, indices: np.ndarray, ids: np.ndarray, rows: int, divisor: int
) -> np.ndarray | None:
    """The gradient of `sum_picked` for its data of so many rows."""

def accidental_hits(
    classes: np.ndarray, sampled: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The rows whose classes were sampled, and where; the last place of classes sampled twice."""

def to_dense(
    indices: np.ndarray,
    shape: np.ndarray,
    values: np.ndarray,
    default: np.ndarray,
    are_ordered: bool,
) -> np.ndarray | None:
    """An array with values at index vectors, which may have to be in order."""

def encode(texts: np.ndarray) -> np.ndarray | None:
    """Texts as UTF-8."""

def differs(words: np.ndarray, word: bytes) -> np.ndarray | None:
    """For each byte string whether it is not this one."""

def find(table: dict[Any, Any], words: np.ndarray, missing: int, bytes: int) -> np.ndarray | None:
    """The integers that a dictionary has for byte strings."""

def buckets(words: np.ndarray, count: int) -> np.ndarray | None:
    """The remainders of the fingerprints of byte strings."""

def split(
    words: np.ndarray, marks: bytes, skips_empty: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The parts of words between bytes that are marks, as the components of a sparse tensor."""

def philox(stream: np.ndarray, offsets: np.ndarray) -> np.ndarray | None:
    """The words of the blocks so far from the position of a stream."""

def permutation(words: np.ndarray) -> np.ndarray | None:
    """The numbers up to the number of words, shuffled by them."""

def suppressed(
    boxes: np.ndarray, scores: np.ndarray, count: int, threshold: float, least: float
) -> np.ndarray | None:
    """The numbers of boxes by falling score, without those that overlap one before.

    Args:
        boxes: two opposite corners of each, [n, 4].
        scores: the score of each.
        count: how many there are at most.
        threshold: the largest overlap, intersection over union.
        least: scores are greater than this.
    """

def label_paths(
    probabilities: np.ndarray,
    labels: np.ndarray,
    lengths: np.ndarray,
    times: np.ndarray,
    merges: bool,
) -> tuple[np.ndarray, np.ndarray] | None:
    """As `label_probabilities` in `headwater/ops/nn/ctc_paths.py`."""

def adagrad(
    var: np.ndarray,
    accum: np.ndarray,
    lr: np.ndarray,
    grad: np.ndarray,
    indices: np.ndarray,
    update_slots: bool,
    overwrites: bool,
) -> tuple[np.ndarray, np.ndarray] | None:
    """The variables, or copies, in which these rows, none of them repeated, are updated."""

def ftrl(
    var: np.ndarray,
    accum: np.ndarray,
    linear: np.ndarray,
    grad: np.ndarray,
    indices: np.ndarray,
    lr: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    lr_power: np.ndarray,
    overwrites: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """As `adagrad`; only for a power of -0.5."""
