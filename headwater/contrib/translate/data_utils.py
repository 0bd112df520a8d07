"""Sentences as numbers of words: vocabularies, and the files of the translation tutorial."""

from __future__ import annotations

import collections
import contextlib
import gzip
import re
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from headwater.base.compat_strings import as_bytes
from headwater.base.export import export, export_value
from headwater.contrib.translate.sample import write_sample
from headwater.io import files
from headwater.io.atomic_file import AtomicFile, write_atomically
from headwater.io.file_object import GFile

_MODULE = "models.rnn.translate.data_utils"

PAD_ID, GO_ID, EOS_ID, UNK_ID = range(4)
_START_VOCABULARY = [b"_PAD", b"_GO", b"_EOS", b"_UNK"]
_MARKS = re.compile(rb"([.,!?\"':;)(])")
_DIGIT = re.compile(rb"\d")
# The names of the corpora without their endings, and the archives that have them.
_TRAIN, _TRAIN_ARCHIVE = "giga-fren.release2", "training-giga-fren.tar"
_DEVELOPMENT, _DEVELOPMENT_ARCHIVE = "newstest2013", "dev-v2.tgz"
_URL = "http://www.statmt.org"

export_value(f"{_MODULE}._PAD", b"_PAD")
export_value(f"{_MODULE}._GO", b"_GO")
export_value(f"{_MODULE}._EOS", b"_EOS")
export_value(f"{_MODULE}._UNK", b"_UNK")
export_value(f"{_MODULE}._START_VOCAB", _START_VOCABULARY)
export_value(f"{_MODULE}.PAD_ID", PAD_ID)
export_value(f"{_MODULE}.GO_ID", GO_ID)
export_value(f"{_MODULE}.EOS_ID", EOS_ID)
export_value(f"{_MODULE}.UNK_ID", UNK_ID)

Tokenizer = Callable[[Any], "list[bytes]"]


@export(f"{_MODULE}.basic_tokenizer")
def basic_tokenizer(sentence: str | bytes) -> list[bytes]:
    """Splits a sentence at spaces and punctuation marks.

    Args:
        sentence: a text.

    Returns:
        Words and marks.
    """
    parts = (part for word in as_bytes(sentence).split() for part in _MARKS.split(word))
    return [part for part in parts if part]


def _tokens(sentence: Any, tokenizer: Tokenizer | None, normalize_digits: bool) -> list[bytes]:
    words = [as_bytes(word) for word in (tokenizer or basic_tokenizer)(sentence)]
    return [_DIGIT.sub(b"0", word) for word in words] if normalize_digits else words


def _lines(path: Any) -> Iterator[bytes]:
    """Yields the lines of a file, which may be larger than the memory."""
    with GFile(path, "rb") as file:
        for line in file:
            yield line.rstrip(b"\n")


@export(f"{_MODULE}.create_vocabulary")
def create_vocabulary(
    vocabulary_path: Any,
    data_path: Any,
    max_vocabulary_size: int,
    tokenizer: Tokenizer | None = None,
    normalize_digits: bool = True,
) -> None:
    """Writes the most frequent words of a file, one a line, unless the vocabulary exists.

    Args:
        vocabulary_path: the file to write; its first lines are _PAD, _GO, _EOS and _UNK.
        data_path: a file with one sentence a line.
        max_vocabulary_size: the most lines to write.
        tokenizer: a function from a sentence to words; `basic_tokenizer` if None.
        normalize_digits: whether all digits become 0.
    """
    if files.file_exists(vocabulary_path):
        return
    sys.stdout.write(f"Creating vocabulary {vocabulary_path} from data {data_path}\n")
    counts: collections.Counter[bytes] = collections.Counter()
    for line in _lines(data_path):
        counts.update(_tokens(line, tokenizer, normalize_digits))
    frequent = sorted(counts, key=lambda word: (-counts[word], word))
    words = [*_START_VOCABULARY, *frequent][:max_vocabulary_size]
    write_atomically(vocabulary_path, b"".join(word + b"\n" for word in words))


@export(f"{_MODULE}.initialize_vocabulary")
def initialize_vocabulary(vocabulary_path: Any) -> tuple[dict[bytes, int], list[bytes]]:
    """Reads a vocabulary.

    Args:
        vocabulary_path: a file that `create_vocabulary` has written.

    Returns:
        The numbers by word, and the words by number.

    Raises:
        ValueError: if there is no such file.
    """
    if not files.file_exists(vocabulary_path):
        raise ValueError(f"Vocabulary file {vocabulary_path} not found.")
    words = [line.strip() for line in _lines(vocabulary_path)]
    return {word: number for number, word in enumerate(words)}, words


@export(f"{_MODULE}.sentence_to_token_ids")
def sentence_to_token_ids(
    sentence: str | bytes,
    vocabulary: Mapping[bytes, int],
    tokenizer: Tokenizer | None = None,
    normalize_digits: bool = True,
) -> list[int]:
    """Returns the numbers of the words of a sentence.

    Args:
        sentence: a text.
        vocabulary: numbers by word.
        tokenizer: a function from a sentence to words; `basic_tokenizer` if None.
        normalize_digits: whether all digits become 0.

    Returns:
        Numbers; that of _UNK for words that are not in the vocabulary.
    """
    words = _tokens(sentence, tokenizer, normalize_digits)
    return [vocabulary.get(word, UNK_ID) for word in words]


@export(f"{_MODULE}.data_to_token_ids")
def data_to_token_ids(
    data_path: Any,
    target_path: Any,
    vocabulary_path: Any,
    tokenizer: Tokenizer | None = None,
    normalize_digits: bool = True,
) -> None:
    """Writes the numbers of the words of a file, one sentence a line, unless the result exists.

    Args:
        data_path: a file with one sentence a line.
        target_path: the file to write.
        vocabulary_path: the file of the vocabulary.
        tokenizer: a function from a sentence to words; `basic_tokenizer` if None.
        normalize_digits: whether all digits become 0.
    """
    if files.file_exists(target_path):
        return
    sys.stdout.write(f"Tokenizing data in {data_path}\n")
    vocabulary, _ = initialize_vocabulary(vocabulary_path)
    with _writing(target_path) as file:
        for line in _lines(data_path):
            numbers = sentence_to_token_ids(line, vocabulary, tokenizer, normalize_digits)
            file.write(" ".join(map(str, numbers)).encode() + b"\n")


@contextlib.contextmanager
def _writing(path: Any) -> Iterator[AtomicFile]:
    """Opens a file that appears when all is written."""
    file = AtomicFile(path)
    try:
        yield file
    except BaseException:
        file.abandon()
        raise
    file.commit()


def _corpus(directory: Any, name: str, archive: str) -> str | None:
    """The path of a corpus without its endings, unpacked if need be; None if it is missing."""
    path: str = files.join_path(directory, name)
    if all(files.is_file(f"{path}.{ending}") for ending in ("en", "fr")):
        return path
    packed = files.join_path(directory, archive)
    if not files.is_file(packed):
        return None
    with files.open_file(packed, "rb") as content, tarfile.open(fileobj=content) as members:
        for member in members:
            file = member.name.rpartition("/")[2].removesuffix(".gz")
            source = members.extractfile(member)
            if source is None or file not in (f"{name}.en", f"{name}.fr"):
                continue
            with _writing(files.join_path(directory, file)) as target:
                zipped = member.name.endswith(".gz")
                shutil.copyfileobj(gzip.GzipFile(fileobj=source) if zipped else source, target)
    return path


@export(f"{_MODULE}.get_wmt_enfr_train_set")
def get_wmt_enfr_train_set(directory: Any) -> str:
    """Returns the path of the WMT'15 training corpus, or of made-up sentences, with a notice.

    Args:
        directory: a folder with the corpus or its archive.

    Returns:
        A path without the endings ".en" and ".fr".
    """
    return _found_or_made_up(directory)[0]


@export(f"{_MODULE}.get_wmt_enfr_dev_set")
def get_wmt_enfr_dev_set(directory: Any) -> str:
    """Returns the path of the news test of 2013, or of made-up sentences, with a notice.

    Args:
        directory: a folder with the corpus or its archive.

    Returns:
        A path without the endings ".en" and ".fr".
    """
    return _found_or_made_up(directory)[1]


def _found_or_made_up(directory: Any) -> tuple[str, str]:
    train = _corpus(directory, _TRAIN, _TRAIN_ARCHIVE)
    development = _corpus(directory, _DEVELOPMENT, _DEVELOPMENT_ARCHIVE)
    if train is not None and development is not None:
        return train, development
    made_up = write_sample(directory)
    sys.stderr.write(
        f"headwater: USING MADE-UP SENTENCES in {files.path_text(directory)!r}. To train on "
        f"WMT'15, put {_TRAIN_ARCHIVE} from {_URL}/wmt10/ (2.3 GB) and {_DEVELOPMENT_ARCHIVE} from "
        f"{_URL}/wmt15/ there.\n"
    )
    return made_up


@export(f"{_MODULE}.prepare_wmt_data")
def prepare_wmt_data(
    data_dir: Any,
    en_vocabulary_size: int,
    fr_vocabulary_size: int,
    tokenizer: Tokenizer | None = None,
) -> tuple[str, str, str, str, str, str]:
    """Makes vocabularies, and files of numbers of words, of an English and French corpus.

    Args:
        data_dir: a folder with the corpora, or else made-up sentences are written there.
        en_vocabulary_size: the most words of the English vocabulary.
        fr_vocabulary_size: the most words of the French vocabulary.
        tokenizer: a function from a sentence to words; `basic_tokenizer` if None.

    Returns:
        The paths of the numbers to train with (English, French), of those to evaluate with
        (English, French), and of the vocabularies (English, French).
    """
    train, development = _found_or_made_up(data_dir)
    english = _prepared(
        data_dir, f"vocab{en_vocabulary_size}.en", en_vocabulary_size, tokenizer,
        {f"{path}.en": f"{path}.ids{en_vocabulary_size}.en" for path in (train, development)},
    )  # fmt: skip
    french = _prepared(
        data_dir, f"vocab{fr_vocabulary_size}.fr", fr_vocabulary_size, tokenizer,
        {f"{path}.fr": f"{path}.ids{fr_vocabulary_size}.fr" for path in (train, development)},
    )  # fmt: skip
    return (english[0], french[0], english[1], french[1], english[2], french[2])


@export(f"{_MODULE}.prepare_data")
def prepare_data(
    data_dir: Any,
    from_train_path: str,
    to_train_path: str,
    from_dev_path: str,
    to_dev_path: str,
    from_vocabulary_size: int,
    to_vocabulary_size: int,
    tokenizer: Tokenizer | None = None,
) -> tuple[str, str, str, str, str, str]:
    """Makes vocabularies, and files of numbers of words, of any corpus.

    Args:
        data_dir: the folder of the vocabularies.
        from_train_path: the sentences to train with, one a line.
        to_train_path: their translations.
        from_dev_path: the sentences to evaluate with.
        to_dev_path: their translations.
        from_vocabulary_size: the most words of the vocabulary of sentences.
        to_vocabulary_size: the most words of the vocabulary of translations.
        tokenizer: a function from a sentence to words; `basic_tokenizer` if None.

    Returns:
        The paths of the numbers to train with (sentences, translations), of those to evaluate with
        (sentences, translations), and of the vocabularies (sentences, translations).
    """
    sources = _prepared(
        data_dir, f"vocab{from_vocabulary_size}.from", from_vocabulary_size, tokenizer,
        {path: f"{path}.ids{from_vocabulary_size}" for path in (from_train_path, from_dev_path)},
    )  # fmt: skip
    targets = _prepared(
        data_dir, f"vocab{to_vocabulary_size}.to", to_vocabulary_size, tokenizer,
        {path: f"{path}.ids{to_vocabulary_size}" for path in (to_train_path, to_dev_path)},
    )  # fmt: skip
    return (sources[0], targets[0], sources[1], targets[1], sources[2], targets[2])


def _prepared(
    data_dir: Any, name: str, size: int, tokenizer: Tokenizer | None, paths: dict[str, str]
) -> list[str]:
    """Makes the vocabulary of the first file, and numbers of all; returns their paths, then its."""
    vocabulary: str = files.join_path(data_dir, name)
    create_vocabulary(vocabulary, next(iter(paths)), size, tokenizer)
    for text, numbers in paths.items():
        data_to_token_ids(text, numbers, vocabulary, tokenizer)
    return [*paths.values(), vocabulary]
