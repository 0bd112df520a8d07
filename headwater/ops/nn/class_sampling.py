"""Drawing class indices: the distributions behind the candidate samplers.

Every distribution draws from a stream of 32-bit words in the order of TensorFlow's samplers, so
that a seed gives the same classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from headwater.base import cancellation
from headwater.ops.random import philox
from headwater.ops.random.words import Words

# A sampler advances its counter by this many 32-bit words per class that it returns.
_WORDS_PER_CLASS = 2048


def advanced(stream: np.ndarray, num_sampled: int) -> np.ndarray:
    """The state of a sampler after a run that returned `num_sampled` classes."""
    return philox.skip(np, stream, num_sampled * _WORDS_PER_CLASS // 4)


# The most classes drawn at a time, before duplicates are removed.
_MOST_AT_ONCE = 1 << 20


class Distribution:
    """A distribution over classes.

    Attributes:
        probability: function of an int64 array of classes; returns float32.
        draw: function of Words; returns a class.
        draw_many: function of Words and a number; returns an int64 array of that many classes,
            where that is cheaper.
    """

    def __init__(
        self,
        probability: Callable[[np.ndarray], np.ndarray],
        draw: Callable[[Words], int] | None = None,
        draw_many: Callable[[Words, int], np.ndarray] | None = None,
    ) -> None:
        self.probability = probability
        self._draw = draw
        self._draw_many = draw_many

    def _drawn(self, words: Words, count: int) -> np.ndarray:
        """The next `count` classes."""
        if self._draw_many:
            return self._draw_many(words, count)
        assert self._draw is not None
        drawn = (self._draw(words) for _ in cancellation.checked(range(count)))
        return np.fromiter(drawn, np.int64, count)

    def _unique(self, words: Words, count: int) -> tuple[np.ndarray, int]:
        """The next `count` different classes, and how many it took to draw to find them."""
        found = tries = np.empty(0, np.int64)
        total = 0
        while len(found) < count:
            cancellation.check()
            size = min(2 * max(count - len(found), total), _MOST_AT_ONCE)
            found = np.concatenate([found, self._drawn(words, size)])
            tries = np.concatenate([tries, np.arange(total + 1, total + size + 1)])
            total += size
            first = np.sort(np.unique(found, return_index=True)[1])
            found, tries = found[first], tries[first]
        return found[:count], int(tries[count - 1]) if count else 0

    def sample(
        self, words: Words, count: int, unique: bool, true_classes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draws classes.

        Args:
            words: the random bits.
            count: how many classes.
            unique: whether a class that was drawn already is drawn again.
            true_classes: int64 array of any shape.

        Returns:
            The classes, how often each of `true_classes` and each of the classes is expected.
        """
        classes, tries = (
            self._unique(words, count) if unique else (self._drawn(words, count), count)
        )
        expected = [self._expected(c, count, tries) for c in (true_classes, classes)]
        return classes, expected[0], expected[1]

    def _expected(self, classes: np.ndarray, count: int, tries: int) -> np.ndarray:
        probability = self.probability(classes)
        if tries == count:
            return probability * np.float32(count)
        return -np.expm1(np.float32(tries) * np.log1p(-probability))


def uniform(limit: int) -> Distribution:
    """Every class below `limit` is equally likely."""
    each = np.float32(1.0 / limit)
    return Distribution(
        lambda classes: np.full(classes.shape, each, np.float32),
        lambda words: words.below(limit, bits=64),
    )


def log_uniform(limit: int) -> Distribution:
    """P(class) = log((class + 2) / (class + 1)) / log(limit + 1), which is near Zipf's law."""
    log_range = math.log1p(limit)

    def probability(classes: np.ndarray) -> np.ndarray:
        return (np.log((classes + 2.0) / (classes + 1.0)) / log_range).astype(np.float32)

    def draw_many(words: Words, count: int) -> np.ndarray:
        classes = np.exp(words.fractions(count) * log_range).astype(np.int64) - 1
        return classes % limit

    return Distribution(probability, draw_many=draw_many)


def counted(weights: np.ndarray) -> Distribution:
    """P(class) is proportional to an integer weight."""
    ends = np.cumsum(weights)
    total = int(ends[-1])

    def probability(classes: np.ndarray) -> np.ndarray:
        return np.take(weights, classes, mode="clip").astype(np.float32) / np.float32(total)

    def draw(words: Words) -> int:
        return int(np.searchsorted(ends, words.below(total), side="right"))

    return Distribution(probability, draw)


def weighted(weights: np.ndarray) -> Distribution:
    """P(class) is proportional to a float32 weight.

    Source: A. Walker, "An Efficient Method for Generating Discrete Random Variables With General
    Distributions", ACM TOMS 1977.
    """
    size = len(weights)
    total = np.float32(0)
    for weight in weights:
        total = np.float32(total + weight)
    keep, alias = _alias_table(weights.tolist())

    def probability(classes: np.ndarray) -> np.ndarray:
        inside = (classes >= 0) & (classes < size)
        chosen = np.take(weights, np.where(inside, classes, 0))
        return np.where(inside, chosen / total, np.float32(0))

    def draw(words: Words) -> int:
        fraction = words.single_fraction()
        index = words.below(size)
        return index if fraction < keep[index] else alias[index]

    return Distribution(probability, draw)


def _alias_table(weights: Sequence[float]) -> tuple[list[float], list[int]]:
    """The alias table: for each class the chance to keep it, and its alias otherwise."""
    size = len(weights)
    total = 0.0
    for weight in weights:
        total += weight
    shares = [weight * size / total for weight in weights]
    alias = [-1] * size
    below = [i for i in range(size) if shares[i] < 1.0]
    above = [i for i in range(size) if shares[i] >= 1.0]
    while below and above:
        low, high = below.pop(), above.pop()
        alias[low] = high
        shares[high] -= 1.0 - shares[low]
        (below if shares[high] < 1.0 else above).append(high)
    keep: list[float] = np.array(shares, np.float32).tolist()
    # The remaining classes have a share of 1, up to rounding.
    for i in (*above, *below):
        keep[i], alias[i] = 1.0, i
    return keep, alias
