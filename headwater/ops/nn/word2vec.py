"""The ops of word2vec: Skipgram reads pairs of words from a text, NegTrain learns from them.

Source: Mikolov, Sutskever, Chen, Corrado, Dean, "Distributed representations of words and phrases
and their compositionality", NIPS 2013; the threshold of frequent words is its equation 5.
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.io.files import read_bytes

# Words are subsampled and windowed in chunks of this length.
_SENTENCE = 1000
# Negative examples are drawn in proportion to a word's frequency to this power.
_POWER = 0.75


class _Corpus:
    """A text as word ids, and the read position."""

    def __init__(self, attrs: dict[str, Any]) -> None:
        self.lock = threading.Lock()
        self._filename: str = attrs["filename"]
        self._window: int = attrs["window_size"]
        self._min_count: int = attrs["min_count"]
        self._subsample: float = attrs["subsample"]
        self._random = np.random.default_rng()
        self._place = 0
        self.epoch = 0
        self.processed = 0
        self._pairs = np.zeros((2, 0), np.int32)
        self.vocabulary: np.ndarray | None = None

    def load(self) -> None:
        """Reads the text, once."""
        if self.vocabulary is not None:
            return
        words = read_bytes(self._filename).split()
        if len(words) < self._window * 10:
            fail(f"The text file {self._filename} contains too little data: {len(words)} words")
        counts = collections.Counter(words)
        frequent = [(w, n) for w, n in counts.most_common() if n >= self._min_count]
        number = {word: i for i, (word, _) in enumerate(frequent, 1)}
        rest = len(words) - sum(n for _, n in frequent)
        self.frequencies = np.array([rest, *(n for _, n in frequent)], np.int32)
        self.text = np.array([number.get(word, 0) for word in words], np.int32)
        self._kept = np.ones(len(self.frequencies))
        if self._subsample > 0:
            threshold = self._subsample * len(words)
            shares = np.maximum(self.frequencies, 1) / threshold
            self._kept = (np.sqrt(shares) + 1) / shares
        self.vocabulary = np.empty(len(number) + 1, object)
        self.vocabulary[:] = [b"UNK", *number]

    def _sentence(self) -> np.ndarray:
        """The next words of the text, frequent ones subsampled."""
        parts: list[np.ndarray] = []
        missing = _SENTENCE
        while missing:
            cancellation.check()
            if self._place >= len(self.text):
                self.epoch += 1
                self._place = 0
            words = self.text[self._place : self._place + missing]
            self._place += len(words)
            parts.append(words[self._random.random(len(words)) <= self._kept[words]])
            missing -= len(parts[-1])
        return np.concatenate(parts)

    def _more_pairs(self) -> None:
        """Pairs of each word of a sentence with those in a window of random size around it."""
        sentence = self._sentence()
        places = np.arange(_SENTENCE)
        reach = self._random.integers(1, self._window + 1, _SENTENCE)
        offsets = np.concatenate([np.arange(-self._window, 0), np.arange(1, self._window + 1)])
        others = places[:, None] + offsets
        inside = (np.abs(offsets) <= reach[:, None]) & (others >= 0) & (others < _SENTENCE)
        rows, columns = np.nonzero(inside)
        pairs = np.stack([sentence[rows], sentence[others[rows, columns]]])
        self._pairs = np.concatenate([self._pairs, pairs], 1)
        self.processed += _SENTENCE

    def batch(self, size: int) -> np.ndarray:
        """The next pairs, as two rows."""
        while self._pairs.shape[1] < size:
            cancellation.check()
            self._more_pairs()
        found, self._pairs = self._pairs[:, :size], self._pairs[:, size:]
        return found


def kernel_skipgram(
    xp: ArrayModule, *, batch_size: int, state: _Corpus
) -> tuple[tuple[Array, Array, Array, Array, Array, Array, Array], Any]:
    with state.lock:
        state.load()
        examples, labels = state.batch(batch_size)
        outputs = (
            state.vocabulary,
            state.frequencies,
            np.int64(len(state.text)),
            np.int32(state.epoch),
            np.int64(state.processed),
            examples,
            labels,
        )
    return outputs, state


def kernel_neg_train(
    xp: ArrayModule,
    w_in: np.ndarray,
    w_out: np.ndarray,
    examples: np.ndarray,
    labels: np.ndarray,
    lr: Array,
    *,
    vocab_count: list[int],
    num_negative_samples: int,
) -> tuple[Array, Array]:
    """One step of gradient descent per pair, with random words as negative examples."""
    if w_in.ndim != 2:
        fail("Must be a matrix")
    if w_in.shape != w_out.shape:
        fail("w_in.shape == w_out.shape")
    if examples.ndim != 1:
        fail("Must be a vector")
    if examples.shape != labels.shape:
        fail("examples.shape == labels.shape")
    if np.ndim(lr):
        fail("Must be a scalar")
    if len(vocab_count) != len(w_in):
        fail(f"vocab_count mismatch: {len(vocab_count)} vs. {len(w_in)}")
    weights = np.power(np.array(vocab_count, np.float64), _POWER)
    limits = np.cumsum(weights / weights.sum())
    draws = np.random.default_rng().random((len(examples), num_negative_samples))
    negatives = np.minimum(np.searchsorted(limits, draws, "right"), len(limits) - 1)
    inner, outer = np.array(w_in), np.array(w_out)
    rate = np.float32(lr)
    with np.errstate(over="ignore"):
        for example, label, drawn in zip(examples.tolist(), labels.tolist(), negatives):
            rows = np.concatenate([[label], drawn[drawn != label]])
            vector, found = inner[example].copy(), outer[rows]
            # The label should be predicted, the others not.
            slope = -rate / (1 + np.exp(-(found @ vector)))
            slope[0] += rate
            inner[example] = vector + slope @ found
            np.add.at(outer, rows, slope[:, None] * vector)
    return inner, outer


def shape_skipgram(c: shapes.ShapeContext) -> list[Shape]:
    batch = c.attr("batch_size")
    return [(None,), (None,), (), (), (), (batch,), (batch,)]


def samples_neg_train() -> Iterator[Sample]:
    weights = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    words = np.array([0, 3, 1], np.int32)
    yield Sample(
        weights,
        weights[::-1].copy(),
        words,
        words[::-1].copy(),
        np.float32(0.1),
        vocab_count=[5, 4, 3, 2],
        num_negative_samples=0,
    )


register_op(
    "Skipgram",
    outputs="vocab_word: string, vocab_freq: int32, words_per_epoch: int64, current_epoch: int32, "
    "total_words_processed: int64, examples: int32, labels: int32",
    attrs="filename: string, batch_size: int, window_size: int = 5, min_count: int = 5, "
    "subsample: float = 0.00100000005",
    shape=shape_skipgram,
    kernel=kernel_skipgram,
    state=_Corpus,
    stateful=True,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "NegTrain",
    inputs="w_in: Ref(float), w_out: Ref(float), examples: int32, labels: int32, lr: float",
    attrs="vocab_count: list(int), num_negative_samples: int",
    shape=shapes.none,
    kernel=kernel_neg_train,
    updates=("w_in", "w_out"),
    samples=samples_neg_train,
    stateful=True,
    runs_on=RunsOn.HOST,
)
