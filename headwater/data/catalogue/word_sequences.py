"""tf.keras.datasets.imdb and reuters: texts as sequences of the ranks of words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.data.catalogue.keras_datasets import KERAS_SITE, keras_file
from headwater.data.known_files import KnownFile
from headwater.io import files

_IMDB = KnownFile(
    "imdb.npz",
    (KERAS_SITE + "imdb.npz",),
    "sha256:69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
)
_IMDB_WORDS = KnownFile(
    "imdb_word_index.json",
    (KERAS_SITE + "imdb_word_index.json",),
    "md5:bfafd718b763782e994055a2d397834f",
)
_REUTERS = KnownFile(
    "reuters.npz",
    (KERAS_SITE + "reuters.npz",),
    "sha256:d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916",
)
_REUTERS_WORDS = KnownFile(
    "reuters_word_index.json",
    (KERAS_SITE + "reuters_word_index.json",),
    "md5:4d44cc38712099c9e383dc6e5f11a921",
)
_Pair = tuple[np.ndarray, np.ndarray]


def _words(path: Any, file: KnownFile) -> dict[str, int]:
    found: dict[str, int] = json.loads(files.read_bytes(keras_file(path, file)))
    return found


def _arrays(path: Any, file: KnownFile) -> dict[str, np.ndarray]:
    # The sequences are lists, which NumPy keeps as pickled objects.
    with np.load(keras_file(path, file), allow_pickle=True) as arrays:
        return dict(arrays)


def _shuffled(x: np.ndarray, y: np.ndarray, random: np.random.RandomState) -> _Pair:
    order = np.arange(len(x))
    random.shuffle(order)
    return x[order], y[order]


def _prepared(
    x: Any,
    labels: Any,
    num_words: int | None,
    skip_top: int,
    maxlen: int | None,
    start_char: int | None,
    oov_char: int | None,
    index_from: int,
) -> tuple[list[list[int]], np.ndarray]:
    """Sequences of numbers from `index_from` on, without rare and too frequent words.

    Raises:
        ValueError: if no sequence is short enough.
    """
    shift = index_from if start_char is not None or index_from else 0
    first = [] if start_char is None else [start_char]
    found = [first + [word + shift for word in sequence] for sequence in x]
    if maxlen:
        kept = [i for i, sequence in enumerate(found) if len(sequence) < maxlen]
        found, labels = [found[i] for i in kept], np.asarray(labels)[kept]
        if not found:
            raise ValueError(
                f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was "
                "kept. Increase maxlen."
            )
    limit = num_words or max(max(sequence) for sequence in found)
    if oov_char is not None:
        found = [
            [word if skip_top <= word < limit else oov_char for word in sequence]
            for sequence in found
        ]
    else:
        found = [[word for word in sequence if skip_top <= word < limit] for sequence in found]
    return found, np.asarray(labels)


def _objects(sequences: list[list[int]]) -> np.ndarray:
    array = np.empty(len(sequences), dtype=object)
    array[:] = sequences
    return array


def _older_arguments(num_words: int | None, kwargs: dict[str, Any]) -> int | None:
    if "nb_words" in kwargs:
        logging.warning("The `nb_words` argument in `load_data` has been renamed `num_words`.")
        num_words = kwargs.pop("nb_words")
    if kwargs:
        raise TypeError("Unrecognized keyword arguments: " + str(kwargs))
    return num_words


@export("keras.datasets.imdb.load_data")
def load_imdb(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> tuple[_Pair, _Pair]:
    """Reviews of films, and whether they are favourable.

    Args:
        path: a file in ~/.keras/datasets, or an absolute path or URL of a file.
        num_words: words are kept whose numbers are below; all if None.
        skip_top: words are kept whose numbers are not below.
        maxlen: longer reviews are left out.
        seed: for the order.
        start_char: the number that begins each review.
        oov_char: the number for words that are not kept; they are left out if None.
        index_from: is added to the ranks of words.
        **kwargs: `nb_words`: the older name of `num_words`.

    Returns:
        ((reviews, labels), (reviews, labels)) of training and test: lists of numbers; 0 or 1.

    Raises:
        DownloadError: if the file cannot be obtained; says what to put where.
        ValueError: if no review is short enough.
    """
    num_words = _older_arguments(num_words, kwargs)
    arrays = _arrays(path, _IMDB)
    random = np.random.RandomState(seed)
    train = _shuffled(arrays["x_train"], arrays["y_train"], random)
    test = _shuffled(arrays["x_test"], arrays["y_test"], random)
    found, labels = _prepared(
        [*train[0], *test[0]],
        np.concatenate([train[1], test[1]]),
        num_words,
        skip_top,
        maxlen,
        start_char,
        oov_char,
        index_from,
    )
    cut = len(train[0])
    x = _objects(found)
    return (x[:cut], labels[:cut]), (x[cut:], labels[cut:])


@export("keras.datasets.imdb.get_word_index")
def imdb_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """The ranks of the words of the film reviews.

    Args:
        path: a file in ~/.keras/datasets, or an absolute path or URL of a file.

    Returns:
        {word: rank}.

    Raises:
        DownloadError: if the file cannot be obtained; says what to put where.
    """
    return _words(path, _IMDB_WORDS)


@export("keras.datasets.reuters.load_data")
def load_reuters(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> tuple[_Pair, _Pair]:
    """Newswires and their topics.

    Args:
        path: a file in ~/.keras/datasets, or an absolute path or URL of a file.
        num_words: words are kept whose numbers are below; all if None.
        skip_top: words are kept whose numbers are not below.
        maxlen: longer newswires are left out.
        test_split: the part that is for testing.
        seed: for the order.
        start_char: the number that begins each newswire.
        oov_char: the number for words that are not kept; they are left out if None.
        index_from: is added to the ranks of words.
        **kwargs: `nb_words`: the older name of `num_words`.

    Returns:
        ((newswires, topics), (newswires, topics)) of training and test.

    Raises:
        DownloadError: if the file cannot be obtained; says what to put where.
        ValueError: if no newswire is short enough.
    """
    num_words = _older_arguments(num_words, kwargs)
    arrays = _arrays(path, _REUTERS)
    x, y = _shuffled(arrays["x"], arrays["y"], np.random.RandomState(seed))
    found, labels = _prepared(x, y, num_words, skip_top, maxlen, start_char, oov_char, index_from)
    cut = int(len(found) * (1 - test_split))
    made = _objects(found)
    return (made[:cut], labels[:cut]), (made[cut:], labels[cut:])


@export("keras.datasets.reuters.get_word_index")
def reuters_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """The ranks of the words of the newswires.

    Args:
        path: a file in ~/.keras/datasets, or an absolute path or URL of a file.

    Returns:
        {word: rank}.

    Raises:
        DownloadError: if the file cannot be obtained; says what to put where.
    """
    return _words(path, _REUTERS_WORDS)
