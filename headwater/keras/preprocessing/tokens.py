"""Texts as sequences of words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import md5
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


@export("keras.preprocessing.text.text_to_word_sequence")
def text_to_word_sequence(
    text: str, filters: str = _FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """Splits a text into words.

    Args:
        text: the text.
        filters: characters that are taken as `split`.
        lower: whether the text is converted to lower case.
        split: what separates words.

    Returns:
        A list of words.
    """
    if lower:
        text = text.lower()
    text = text.translate({ord(character): split for character in filters})
    return [word for word in text.split(split) if word]


@export("keras.preprocessing.text.one_hot")
def one_hot(
    text: str, n: int, filters: str = _FILTERS, lower: bool = True, split: str = " "
) -> list[int]:
    """Numbers the words of a text by Python's hash function.

    Args:
        text: the text.
        n: numbers are from 1 to n - 1.
        filters: see `text_to_word_sequence`.
        lower: see `text_to_word_sequence`.
        split: see `text_to_word_sequence`.

    Returns:
        A list of numbers; words may share one.
    """
    return hashing_trick(text, n, hash, filters, lower, split)


@export("keras.preprocessing.text.hashing_trick")
def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = _FILTERS,
    lower: bool = True,
    split: str = " ",
) -> list[int]:
    """Numbers the words of a text by a hash function.

    Args:
        text: the text.
        n: numbers are from 1 to n - 1.
        hash_function: a function from words to integers, or "md5"; Python's own if None.
        filters: see `text_to_word_sequence`.
        lower: see `text_to_word_sequence`.
        split: see `text_to_word_sequence`.

    Returns:
        A list of numbers; words may share one.
    """
    if hash_function is None:
        hash_function = hash
    elif hash_function == "md5":
        hash_function = _md5
    words = text_to_word_sequence(text, filters, lower, split)
    return [int(hash_function(word) % (n - 1) + 1) for word in words]


def _md5(word: str) -> int:
    return int(md5(word.encode()).hexdigest(), 16)


@export("keras.preprocessing.text.Tokenizer")
class Tokenizer:
    """Numbers words by their frequency, from 1 for the most frequent one.

    Args:
        num_words: only the num_words - 1 most frequent words are used; all if None.
        filters: characters that are dropped from texts.
        lower: whether texts are converted to lower case.
        split: what separates words.
        char_level: whether characters are the words.
        oov_token: what stands for unknown words; they are left out if None.
        document_count: how many texts have been seen before.
        **kwargs: `nb_words`: the older name of `num_words`.

    Attributes:
        word_counts: how often each word was seen, in order of first sight.
        word_docs: in how many texts each word was seen.
        word_index: the number of each word.
        index_word: the word of each number.
        index_docs: in how many texts the word of each number was seen.
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        document_count: int = 0,
        **kwargs: Any,
    ) -> None:
        num_words = kwargs.pop("nb_words", num_words)
        document_count = kwargs.pop("document_count", document_count)
        if kwargs:
            raise TypeError("Unrecognized keyword arguments: " + str(kwargs))
        self.word_counts: Counter[str] = Counter()
        self.word_docs: Counter[str] = Counter()
        self.filters, self.split, self.lower = filters, split, lower
        self.num_words, self.document_count = num_words, document_count
        self.char_level, self.oov_token = char_level, oov_token
        self.index_docs: Counter[int] = Counter()
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def _words(self, text: Any) -> list[str]:
        if self.char_level or isinstance(text, list):
            if self.lower:
                text = [word.lower() for word in text] if isinstance(text, list) else text.lower()
            return list(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Numbers the words of texts.

        Args:
            texts: strings, or lists of words.
        """
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            self.word_counts.update(words)
            self.word_docs.update(list(dict.fromkeys(words)))
        counts = sorted(self.word_counts.items(), key=lambda item: item[1], reverse=True)
        first = [] if self.oov_token is None else [self.oov_token]
        words = first + [word for word, _ in counts]
        self.word_index = dict(zip(words, range(1, len(words) + 1)))
        self.index_word = {number: word for word, number in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Iterable[Iterable[int]]) -> None:
        """Counts texts that are lists of numbers, for the mode "tfidf" of matrices.

        Args:
            sequences: lists of the numbers of words.
        """
        sequences = list(sequences)
        self.document_count += len(sequences)
        for sequence in sequences:
            self.index_docs.update(set(sequence))

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """The numbers of the words of texts.

        Args:
            texts: strings, or lists of words.

        Returns:
            A list of numbers for each text.
        """
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """Yields the numbers of the words of each text; see `texts_to_sequences`."""
        unknown = self.word_index.get(self.oov_token) if self.oov_token is not None else None
        limit = self.num_words
        for text in texts:
            found = []
            for word in self._words(text):
                number = self.word_index.get(word)
                if number is None or (limit and number >= limit):
                    number = unknown
                if number is not None:
                    found.append(number)
            yield found

    def sequences_to_texts(self, sequences: Iterable[Iterable[int]]) -> list[str]:
        """The texts of lists of numbers.

        Args:
            sequences: lists of the numbers of words.

        Returns:
            A string for each list.
        """
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Iterable[int]]) -> Iterator[str]:
        """Yields the text of each list of numbers; see `sequences_to_texts`."""
        unknown = self.word_index.get(self.oov_token) if self.oov_token is not None else None
        limit = self.num_words
        for sequence in sequences:
            words = []
            for number in sequence:
                word = self.index_word.get(number)
                if word is None or (limit and number >= limit):
                    word = None if unknown is None else self.index_word[unknown]
                if word is not None:
                    words.append(word)
            yield " ".join(words)

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> Array:
        """One row of word weights for each text; see `sequences_to_matrix`.

        Args:
            texts: strings, or lists of words.
            mode: see `sequences_to_matrix`.
        """
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: list[list[int]], mode: str = "binary") -> Array:
        """One row of word weights for each list of numbers.

        Args:
            sequences: lists of the numbers of words.
            mode: "binary", "count", "freq" or "tfidf".

        Returns:
            An array of shape (lists, number of words).

        Raises:
            ValueError: if the mode is unknown, or no texts were counted that it needs.
        """
        if not self.num_words and not self.word_index:
            raise ValueError(
                "Specify a dimension (`num_words` argument), or fit on some text data first."
            )
        columns = self.num_words or len(self.word_index) + 1
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        weigh = self._weighting(mode)
        matrix = np.zeros((len(sequences), columns))
        for i, sequence in enumerate(sequences):
            counts = Counter(number for number in sequence if number < columns)
            for number, count in counts.items():
                matrix[i, number] = weigh(number, count, len(sequence))
        return matrix

    def _weighting(self, mode: str) -> Callable[[int, int, int], float]:
        def tfidf(number: int, count: int, length: int) -> float:
            frequency = 1 + np.log(count)
            rarity = np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
            return float(frequency * rarity)

        modes: dict[str, Callable[[int, int, int], float]] = {
            "count": lambda number, count, length: count,
            "freq": lambda number, count, length: count / length,
            "binary": lambda number, count, length: 1,
            "tfidf": tfidf,
        }
        if mode not in modes:
            raise ValueError("Unknown vectorization mode:", mode)
        return modes[mode]

    def get_config(self) -> dict[str, Any]:
        """The settings and the counts, the latter as JSON."""
        return {
            "num_words": self.num_words,
            "filters": self.filters,
            "lower": self.lower,
            "split": self.split,
            "char_level": self.char_level,
            "oov_token": self.oov_token,
            "document_count": self.document_count,
            "word_counts": json.dumps(self.word_counts),
            "word_docs": json.dumps(self.word_docs),
            "index_docs": json.dumps(self.index_docs),
            "index_word": json.dumps(self.index_word),
            "word_index": json.dumps(self.word_index),
        }

    def to_json(self, **kwargs: Any) -> str:
        """The configuration as JSON.

        Args:
            **kwargs: arguments of json.dumps.
        """
        config = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(config, **kwargs)
