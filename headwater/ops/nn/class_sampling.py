"""Drawing class indices: the distributions behind the candidate samplers.

Every distribution draws from a stream of 32-bit words in the order of TensorFlow's samplers, so
that a seed gives the same classes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np

from headwater.base import cancellation, native
from headwater.ops.random import philox
from headwater.ops.random.words import Words

# A sampler advances its counter by this many blocks of Philox per class that it returns.
_BLOCKS_PER_CLASS = 512
# How many classes are drawn at most for later runs; so few cost hardly more than those of one run.
_MOST_AHEAD = 4096
# The streams for which draws of later runs are kept.
_MOST_STREAMS = 256


def advanced(stream: np.ndarray, num_sampled: int) -> np.ndarray:
    """The state of a sampler after a run that returned `num_sampled` classes."""
    return philox.skip(np, stream, num_sampled * _BLOCKS_PER_CLASS)


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
        # By stream and number of classes in a run, what the run draws first.
        self._ahead: dict[tuple[bytes, int], np.ndarray] = {}
        self._expected_streams: dict[tuple[bytes, int], None] = {}

    def _drawn(self, words: Words, count: int) -> np.ndarray:
        """The next `count` classes."""
        if self._draw_many:
            return self._draw_many(words, count)
        assert self._draw is not None
        drawn = (self._draw(words) for _ in cancellation.checked(range(count)))
        return np.fromiter(drawn, np.int64, count)

    def _first_drawn(self, stream: np.ndarray, count: int, size: int) -> np.ndarray:
        """The first `size` classes of a run that returns `count`; often drawn in an earlier run.

        From the second run of a sampler on, several runs are drawn at once: it is known by how much
        each run advances the stream, and NumPy's calls cost more than their arithmetic.
        """
        key = (stream.tobytes(), count)
        known = self._ahead.pop(key, None)
        if known is not None and len(known) == size:
            return known
        runs = 1
        if key in self._expected_streams:
            runs = max(_MOST_AHEAD // size, 1)
            self._expected_streams.pop(key, None)
        if len(self._ahead) + runs > _MOST_STREAMS:
            self._ahead.clear()
        if len(self._expected_streams) >= _MOST_STREAMS:
            self._expected_streams.clear()
        rows = philox.RowStreams(stream, size // 2, count * _BLOCKS_PER_CLASS)
        words = Words(rows if runs > 1 else stream)
        drawn = self._drawn(words, runs * size).reshape(runs, size)
        for row in drawn[1:]:
            stream = advanced(stream, count)
            self._ahead[stream.tobytes(), count] = row
        self._expected_streams[advanced(stream, count).tobytes(), count] = None
        return drawn[0]

    def _unique(self, stream: np.ndarray, count: int) -> tuple[np.ndarray, int]:
        """The first `count` different classes, and how many it took to draw to find them."""
        words, size = Words(stream), min(2 * count, _MOST_AT_ONCE)
        if self._draw_many:
            first = self._first_drawn(stream, count, size)
            distinct = native.host().unique(first, 4)
            if distinct is not None and count and len(distinct[0]) >= count:
                return distinct[0][:count].copy(), int(np.argmax(distinct[1] == count - 1)) + 1
            drawn = first.tolist()
            words.skip_fractions(size)
        else:
            drawn = self._drawn(words, size).tolist()
        found = dict.fromkeys(drawn)
        while len(found) < count:
            cancellation.check()
            size = min(2 * max(count - len(found), len(drawn)), _MOST_AT_ONCE)
            more = self._drawn(words, size).tolist()
            found.update(dict.fromkeys(more))
            drawn += more
        classes = np.fromiter(islice(found, count), np.int64, count)
        return classes, drawn.index(classes[-1]) + 1 if count else 0

    def sample(
        self, stream: np.ndarray, count: int, unique: bool, true_classes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draws classes.

        Args:
            stream: the state of the sampler.
            count: how many classes.
            unique: whether a class that was drawn already is drawn again.
            true_classes: int64 array of any shape.

        Returns:
            The classes, how often each of `true_classes` and each of the classes is expected.
        """
        if unique:
            classes, tries = self._unique(stream, count)
        else:
            classes, tries = self._drawn(Words(stream), count), count
        both = self._expected(np.concatenate([true_classes.ravel(), classes]), count, tries)
        of_true, of_classes = both[: true_classes.size], both[true_classes.size :]
        return classes, of_true.reshape(true_classes.shape), of_classes

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


@functools.lru_cache(maxsize=16)
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
