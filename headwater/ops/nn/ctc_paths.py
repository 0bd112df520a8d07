"""Sums over the paths of connectionist temporal classification, in log space.

The formulas are those of Graves et al., "Connectionist Temporal Classification" (2006). Labels with
a blank before, between and after them are the states; row b has ``2 * lengths[b] + 1`` of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.lazy import jnp, lax
from headwater.base.typing import Array, ArrayModule

# Compiled programs contain one loop for each of these label counts below the maximum.
_SIZES = (16, 64, 256, 1024)


def _states(xp: ArrayModule, labels: Array, blank: int) -> Array:
    """The labels of rows (int32, [B, L]) with blanks around each (int32, [B, 2 * L + 1])."""
    rows, count = labels.shape
    blanks = xp.full((rows, count), blank, labels.dtype)
    pairs = xp.reshape(xp.stack([blanks, labels], axis=2), (rows, 2 * count))
    return xp.concatenate([pairs, xp.full((rows, 1), blank, labels.dtype)], axis=1)


def _shifted(xp: ArrayModule, values: Array, by: int) -> Array:
    """Log values of states, shifted by some states; the states shifted in have probability 0."""
    gap = xp.full((values.shape[0], min(abs(by), values.shape[1])), -np.inf, values.dtype)
    if by > 0:
        return xp.concatenate([gap, values[:, :-by]], axis=1)
    return xp.concatenate([values[:, -by:], gap], axis=1)


def _log_sum(xp: ArrayModule, *terms: Any) -> Array:
    """The logarithm of the sum of the exponentials of some arrays."""
    total = terms[0]
    for term in terms[1:]:
        total = xp.logaddexp(total, term)
    return total


def _loop(
    xp: ArrayModule, step: Callable[..., Any], start: Array, inputs: tuple[Any, ...]
) -> Array:
    """The stacked values that a step makes of the one before and of one item of each input."""
    if xp is not np:
        return lax.scan(lambda value, items: (step(value, *items),) * 2, start, inputs)[1]
    value, values = start, []
    for items in zip(*inputs):
        value = step(value, *items)
        values.append(value)
    return np.stack(values)


class _Moves:
    """Which moves between states are allowed: log 1 or log 0 per state."""

    def __init__(
        self, xp: ArrayModule, states: Array, blank: int, merge: bool, dtype: np.dtype
    ) -> None:
        is_blank = states == blank
        closed = xp.asarray(-np.inf, dtype)
        open_ = xp.zeros((), dtype)
        # A label may last several steps only if repeated ones are merged.
        self.stay = xp.where(xp.logical_or(is_blank, merge), open_, closed)
        first = xp.zeros((states.shape[0], min(2, states.shape[1])), bool)
        same = xp.concatenate([first, states[:, 2:] == states[:, :-2]], axis=1)
        barred = xp.logical_or(is_blank, xp.logical_and(same, merge))
        self.skip = xp.where(barred, closed, open_)


def _forward(xp: ArrayModule, found: Array, moves: _Moves) -> Array:
    """Log probabilities of reaching each state at each time, that of the time included."""
    state = xp.arange(found.shape[2])
    nothing = xp.full(found.shape[1:], -np.inf, found.dtype)

    def step(before: Array, now: Array, is_first: Array) -> Array:
        reached = _log_sum(
            xp,
            before + moves.stay,
            _shifted(xp, before, 1),
            _shifted(xp, before, 2) + moves.skip,
        )
        start = xp.where(state < 2, xp.zeros((), found.dtype), nothing)
        return now + xp.where(is_first, start, reached)

    is_first = xp.arange(found.shape[0]) == 0
    return _loop(xp, step, nothing, (found, is_first))


def _backward(xp: ArrayModule, found: Array, moves: _Moves, lengths: Array, times: Array) -> Array:
    """Log probabilities of finishing from each state at each time, that of the time left out."""
    state = xp.arange(found.shape[2])
    nothing = xp.full(found.shape[1:], -np.inf, found.dtype)
    last = 2 * lengths[:, None]
    at_end = xp.logical_and(state >= last - 1, state <= last)
    end = xp.where(at_end, xp.zeros((), found.dtype), nothing)

    def step(after: Array, following: Array, time: Array) -> Array:
        ahead = after + following
        reached = _log_sum(
            xp,
            ahead + moves.stay,
            _shifted(xp, ahead, -1),
            _shifted(xp, ahead + moves.skip, -2),
        )
        final = (time == times - 1)[:, None]
        return xp.where(final, end, xp.where((time < times - 1)[:, None], reached, nothing))

    count = found.shape[0]
    following = xp.concatenate([found[1:], nothing[None]])[::-1]
    return _loop(xp, step, nothing, (following, xp.arange(count)[::-1]))[::-1]


def _add_by_label(xp: ArrayModule, classes: int, labels: Array, shares: Array) -> Array:
    """Adds the shares of labels ([T, B, L]) up by class ([T, B, classes])."""
    shape = (*shares.shape[:2], classes)
    rows = np.arange(shape[1])
    if xp is not np:
        return jnp.zeros(shape, shares.dtype).at[:, rows[:, None], labels].add(shares)
    total = np.zeros(shape, shares.dtype)
    for j in range(labels.shape[1]):
        total[:, rows, labels[:, j]] += shares[:, :, j]
    return total


def _of_labels(
    xp: ArrayModule, probabilities: Array, labels: Array, lengths: Array, times: Array, merge: bool
) -> tuple[Any, Any]:
    """Log probabilities of rows of labels ([B]), and the expected uses of classes ([T, B, C])."""
    classes = probabilities.shape[2]
    blank = classes - 1
    states = _states(xp, labels, blank)
    moves = _Moves(xp, states, blank, merge, probabilities.dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = xp.log(xp.take_along_axis(probabilities, states[None], axis=2))
        both = _forward(xp, found, moves) + _backward(xp, found, moves, lengths, times)
        highest = xp.max(both[0], axis=1)
        impossible = highest == -np.inf
        highest = xp.where(impossible, xp.zeros((), both.dtype), highest)
        total = highest + xp.log(xp.sum(xp.exp(both[0] - highest[:, None]), axis=1))
        shares = xp.exp(both - xp.where(impossible, highest, total)[:, None])
    uses = _add_by_label(xp, classes, labels, shares[:, :, 1::2])
    blanks = xp.sum(shares[:, :, ::2], axis=2, keepdims=True, dtype=both.dtype)
    is_blank = xp.arange(classes) == blank
    return total, uses + xp.where(is_blank, blanks, xp.zeros((), both.dtype))


def label_probabilities(
    xp: ArrayModule, probabilities: Array, labels: Array, lengths: Array, times: Array, merge: bool
) -> tuple[Any, Any]:
    """Probabilities that the paths through some classes mean given labels.

    Args:
        xp: numpy or jax.numpy.
        probabilities: of the classes at each time, [T, B, C]; the last class is the blank.
        labels: int32, [B, L]; what stands after the end of a row is any class.
        lengths: how many labels each row has, [B].
        times: how many steps each row has, [B].
        merge: whether equal labels in a row without a blank between them are one label.

    Returns:
        The log probabilities of the labels, [B], and the expected number of times that each class
        is used at each time, [T, B, C]; zero for impossible labels and after the end of a row.
    """
    most = labels.shape[1]
    sizes = [*(size for size in _SIZES if size < most), most]
    if xp is np:
        sizes = [max(1, int(np.max(lengths)))]

    def of_size(size: int) -> Callable[..., Any]:
        return lambda p, found, counts, ends: _of_labels(
            xp, p, found[:, :size], counts, ends, merge
        )

    operands = (probabilities, labels, lengths, times)
    if len(sizes) == 1:
        return of_size(sizes[0])(*operands)
    smaller = xp.sum(np.array(sizes[:-1]) < xp.max(lengths))
    return lax.switch(smaller, [of_size(size) for size in sizes], *operands)
