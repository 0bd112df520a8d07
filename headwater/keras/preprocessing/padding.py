"""Sequences of numbers: padding, skip-grams, windows of time series."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence as Items
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.keras.utils.sequences import Sequence


@export("keras.preprocessing.sequence.pad_sequences")
def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> Array:
    """Makes one array of sequences of different lengths.

    Args:
        sequences: a list of sequences.
        maxlen: the length of all rows; that of the longest sequence if None.
        dtype: the type of the array.
        padding: "pre" or "post": where short sequences are filled.
        truncating: "pre" or "post": where long sequences are cut.
        value: what is filled in.

    Returns:
        An array of shape (sequences, maxlen, ...).

    Raises:
        ValueError: if an item is no sequence, shapes differ or an argument is unknown.
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for sequence in sequences:
        if not hasattr(sequence, "__len__"):
            raise ValueError(
                f"`sequences` must be a list of iterables. Found non-iterable: {sequence}"
            )
    if maxlen is None:
        maxlen = int(max((len(sequence) for sequence in sequences), default=0))
    inner = next((np.asarray(each).shape[1:] for each in sequences if len(each)), ())
    is_text = np.issubdtype(dtype, np.str_)
    if isinstance(value, str) and dtype is not object and not is_text:
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\nYou should set "
            "`dtype=object` for variable length strings."
        )
    padded = np.full((len(sequences), maxlen, *inner), value, dtype=dtype)
    for i, sequence in enumerate(sequences):
        if not len(sequence):
            continue
        row = np.asarray(_truncated(sequence, maxlen, truncating), dtype=dtype)
        if row.shape[1:] != inner:
            raise ValueError(
                f"Shape of sample {row.shape[1:]} of sequence at position {i} is different from "
                f"expected shape {inner}"
            )
        if padding == "post":
            padded[i, : len(row)] = row
        elif padding == "pre":
            padded[i, maxlen - len(row) :] = row
        else:
            raise ValueError(f'Padding type "{padding}" not understood')
    return padded


def _truncated(sequence: Any, maxlen: int, truncating: str) -> Any:
    if truncating == "pre":
        return sequence[-maxlen:]
    if truncating == "post":
        return sequence[:maxlen]
    raise ValueError(f'Truncating type "{truncating}" not understood')


@export("keras.preprocessing.sequence.make_sampling_table")
def make_sampling_table(size: int, sampling_factor: float = 1e-05) -> Array:
    """Computes with what probability a word is kept, by its rank, if frequencies follow Zipf's law.

    The frequency of rank r is taken as 1 / (r (log r + gamma) + 1/2 - 1/(12 r)); a word is kept
    with probability min(1, sqrt(s f) / f), where f is its inverse frequency scaled by s.

    Args:
        size: the number of words.
        sampling_factor: the factor s of word2vec.

    Returns:
        An array of shape (size,).
    """
    gamma = 0.577
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + gamma) + 0.5 - 1.0 / (12.0 * rank)
    scaled = sampling_factor * inverse
    return np.minimum(1.0, scaled / np.sqrt(scaled))


@export("keras.preprocessing.sequence.skipgrams")
def skipgrams(
    sequence: Items[int],
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Array | None = None,
    seed: int | None = None,
) -> tuple[list[list[int]], list[Any]]:
    """Makes pairs of words: neighbours, and words with random others.

    Args:
        sequence: the ranks of words; 0 stands for no word.
        vocabulary_size: the number of words and one more.
        window_size: how far neighbours are apart at most.
        negative_samples: how many random pairs there are for each true one.
        shuffle: whether the pairs are shuffled.
        categorical: whether labels are [0, 1] and [1, 0] instead of 1 and 0.
        sampling_table: the probability of keeping each word.
        seed: the seed of the order; random if None.

    Returns:
        The pairs, and 1 for each true pair and 0 for each random one.
    """
    couples: list[list[int]] = []
    labels: list[Any] = []
    for i, word in enumerate(sequence):
        if not word:
            continue
        if sampling_table is not None and sampling_table[word] < random.random():
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
                labels.append([0, 1] if categorical else 1)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [couple[0] for couple in couples]
        random.shuffle(words)
        couples += [
            [words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in range(count)
        ]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        if seed is None:
            seed = random.randint(0, int(10e6))
        for items in (couples, labels):
            random.seed(seed)
            random.shuffle(items)
    return couples, labels


@export("keras.preprocessing.sequence.TimeseriesGenerator")
class TimeseriesGenerator(Sequence):
    """Batches of windows of a time series, and what follows each window.

    Args:
        data: the series, steps first.
        targets: what belongs to each step.
        length: the number of steps of a window.
        sampling_rate: every how many steps a window takes one.
        stride: the distance between windows.
        start_index: the first step that is used.
        end_index: the last step that is used; the last one if None.
        shuffle: whether the windows are drawn at random.
        reverse: whether windows run backwards.
        batch_size: the number of windows in a batch.

    Raises:
        ValueError: if data and targets have different lengths, or no window fits.
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise ValueError(
                "Data and targets have to be of same length. Data length is "
                f"{len(data)} while target length is {len(targets)}"
            )
        self.data, self.targets = data, targets
        self.length, self.sampling_rate, self.stride = length, sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is "
                "disallowed, as no part of the sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        per_batch = self.batch_size * self.stride
        return (self.end_index - self.start_index + per_batch) // per_batch

    def __getitem__(self, index: int) -> tuple[Array, Array]:
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            end = min(first + self.batch_size * self.stride, self.end_index + 1)
            rows = np.arange(first, end, self.stride)
        samples = np.array(
            [self.data[row - self.length : row : self.sampling_rate] for row in rows]
        )
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1, ...] if self.reverse else samples), targets

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor, with data and targets as JSON.

        Raises:
            TypeError: if data or targets cannot be written as JSON.
        """
        written = {}
        for name, value in (("data", self.data), ("targets", self.targets)):
            plain = value.tolist() if type(value).__module__ == np.__name__ else value
            try:
                written[name] = json.dumps(plain)
            except TypeError:
                what = "Data" if name == "data" else "Targets"
                raise TypeError(f"{what} not JSON Serializable: {value}") from None
        return {
            **written,
            "length": self.length,
            "sampling_rate": self.sampling_rate,
            "stride": self.stride,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "shuffle": self.shuffle,
            "reverse": self.reverse,
            "batch_size": self.batch_size,
        }

    def to_json(self, **kwargs: Any) -> str:
        """The configuration as JSON.

        Args:
            **kwargs: arguments of json.dumps.
        """
        config = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(config, **kwargs)
