"""Sums over the paths of connectionist temporal classification, in log space.

The formulas are those of Graves et al., "Connectionist Temporal Classification" (2006). Labels with
a blank before, between and after them are the states; row b has ``2 * lengths[b] + 1`` of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import native


def _states(labels: np.ndarray, blank: int) -> np.ndarray:
    """The labels of rows (int32, [B, L]) with blanks around each (int32, [B, 2 * L + 1])."""
    rows, count = labels.shape
    blanks = np.full((rows, count), blank, labels.dtype)
    pairs = np.reshape(np.stack([blanks, labels], axis=2), (rows, 2 * count))
    return np.concatenate([pairs, np.full((rows, 1), blank, labels.dtype)], axis=1)


def _shifted(values: np.ndarray, by: int) -> np.ndarray:
    """Log values of states, shifted by some states; the states shifted in have probability 0."""
    gap = np.full((values.shape[0], min(abs(by), values.shape[1])), -np.inf, values.dtype)
    if by > 0:
        return np.concatenate([gap, values[:, :-by]], axis=1)
    return np.concatenate([values[:, -by:], gap], axis=1)


def _log_sum(*terms: Any) -> Any:
    """The logarithm of the sum of the exponentials of some arrays."""
    total = terms[0]
    for term in terms[1:]:
        total = np.logaddexp(total, term)
    return total


class _Moves:
    """Which moves between states are allowed: log 1 or log 0 per state."""

    def __init__(self, states: np.ndarray, blank: int, merge: bool, dtype: np.dtype) -> None:
        is_blank = states == blank
        closed = np.asarray(-np.inf, dtype)
        open_ = np.zeros((), dtype)
        # A label may last several steps only if repeated ones are merged.
        self.stay = np.where(np.logical_or(is_blank, merge), open_, closed)
        first = np.zeros((states.shape[0], min(2, states.shape[1])), bool)
        same = np.concatenate([first, states[:, 2:] == states[:, :-2]], axis=1)
        barred = np.logical_or(is_blank, np.logical_and(same, merge))
        self.skip = np.where(barred, closed, open_)


def _forward(found: np.ndarray, moves: _Moves) -> np.ndarray:
    """Log probabilities of reaching each state at each time, that of the time included."""
    before = np.where(np.arange(found.shape[2]) < 2, found[0], found.dtype.type(-np.inf))
    reached = [before]
    for now in found[1:]:
        moved = _shifted(before, 1), _shifted(before, 2) + moves.skip
        before = now + _log_sum(before + moves.stay, *moved)
        reached.append(before)
    return np.stack(reached)


def _backward(
    found: np.ndarray, moves: _Moves, lengths: np.ndarray, times: np.ndarray
) -> np.ndarray:
    """Log probabilities of finishing from each state at each time, that of the time left out."""
    state = np.arange(found.shape[2])
    nothing = np.full(found.shape[1:], -np.inf, found.dtype)
    last = 2 * lengths[:, None]
    at_end = np.logical_and(state >= last - 1, state <= last)
    end = np.where(at_end, np.zeros((), found.dtype), nothing)

    after = nothing
    finished = []
    for time in range(len(found) - 1, -1, -1):
        ahead = after + (found[time + 1] if time + 1 < len(found) else nothing)
        moved = _shifted(ahead, -1), _shifted(ahead + moves.skip, -2)
        reached = _log_sum(ahead + moves.stay, *moved)
        left = (times - 1 - time)[:, None]
        after = np.where(left == 0, end, np.where(left > 0, reached, nothing))
        finished.append(after)
    return np.stack(finished[::-1])


def _add_by_label(classes: int, labels: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Adds the shares of labels ([T, B, L]) up by class ([T, B, classes])."""
    shape = (*shares.shape[:2], classes)
    rows = np.arange(shape[1])
    total = np.zeros(shape, shares.dtype)
    for j in range(labels.shape[1]):
        total[:, rows, labels[:, j]] += shares[:, :, j]
    return total


def _of_labels(
    probabilities: np.ndarray,
    labels: np.ndarray,
    lengths: np.ndarray,
    times: np.ndarray,
    merge: bool,
) -> tuple[Any, Any]:
    """Log probabilities of rows of labels ([B]), and the expected uses of classes ([T, B, C])."""
    classes = probabilities.shape[2]
    blank = classes - 1
    states = _states(labels, blank)
    moves = _Moves(states, blank, merge, probabilities.dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(np.take_along_axis(probabilities, states[None], axis=2))
        both = _forward(found, moves) + _backward(found, moves, lengths, times)
        highest = np.max(both[0], axis=1)
        impossible = highest == -np.inf
        highest = np.where(impossible, np.zeros((), both.dtype), highest)
        total = highest + np.log(np.sum(np.exp(both[0] - highest[:, None]), axis=1))
        shares = np.exp(both - np.where(impossible, highest, total)[:, None])
    uses = _add_by_label(classes, labels, shares[:, :, 1::2])
    blanks = np.sum(shares[:, :, ::2], axis=2, keepdims=True, dtype=both.dtype)
    is_blank = np.arange(classes) == blank
    return total, uses + np.where(is_blank, blanks, np.zeros((), both.dtype))


def label_probabilities(
    probabilities: np.ndarray,
    labels: np.ndarray,
    lengths: np.ndarray,
    times: np.ndarray,
    merge: bool,
) -> tuple[Any, Any]:
    """Probabilities that the paths through some classes mean given labels.

    Args:
        probabilities: of the classes at each time, [T, B, C]; the last class is the blank.
        labels: int32, [B, L]; what stands after the end of a row is any class.
        lengths: how many labels each row has, [B].
        times: how many steps each row has, [B].
        merge: whether equal labels in a row without a blank between them are one label.

    Returns:
        The log probabilities of the labels, [B], and the expected number of times that each class
        is used at each time, [T, B, C]; zero for impossible labels and after the end of a row.
    """
    counts = [np.asarray(numbers, np.int32) for numbers in (labels, lengths, times)]
    found: tuple[np.ndarray, np.ndarray] | None = native.host().label_paths(
        probabilities, *counts, merge
    )
    if found is not None:
        return found
    size = max(1, int(np.max(lengths)))
    return _of_labels(probabilities, labels[:, :size], lengths, times, merge)
