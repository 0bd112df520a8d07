"""The Penn Treebank as numbers of words, and batches of it."""

from __future__ import annotations

import collections
import io
import tarfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import int32
from headwater.base.export import export
from headwater.data.input_queues.producers import range_input_producer
from headwater.data.known_files import KnownFile, find_or_download
from headwater.graph import Tensor, build, control_dependencies, convert_to_tensor, name_scope
from headwater.io import files
from headwater.ops.control.value_checks import assert_positive

ARCHIVE = KnownFile(
    "simple-examples.tgz",
    (
        "http://www.fit.vutbr.cz/~imikolov/rnnlm/simple-examples.tgz",
        "https://www.fit.vut.cz/person/imikolov/public/rnnlm/simple-examples.tgz",
    ),
    "md5:30177ea32e27c525793142b6bf2c8e2d",
)
_PARTS = ("ptb.train.txt", "ptb.valid.txt", "ptb.test.txt")
_END_OF_SENTENCE = "<eos>"


def _contents(folder: Any) -> list[bytes]:
    """The three files: in the folder, in the archive unpacked there, or in the archive."""
    for place in ("", "data", "simple-examples/data"):
        paths = [files.join_path(folder, f"{place}/{part}".lstrip("/")) for part in _PARTS]
        if all(files.is_file(path) for path in paths):
            return [files.read_bytes(path) for path in paths]
    archive = find_or_download(folder, ARCHIVE, " and ".join(_PARTS))
    try:
        with tarfile.open(fileobj=io.BytesIO(files.read_bytes(archive))) as members:
            # Some archives have names that begin with "./".
            found = {name.removeprefix("./"): name for name in members.getnames()}
            names = [found[f"simple-examples/data/{part}"] for part in _PARTS]
            return [members.extractfile(name).read() for name in names]  # type: ignore[union-attr]
    except (tarfile.TarError, OSError, EOFError, KeyError) as error:
        raise errors.DataLossError(
            None,
            None,
            f"{archive} is damaged: {error}",
            hint="Delete it, so that it is fetched again.",
        ) from error


def _words(content: bytes) -> list[str]:
    """The words of a file; each line ends with a word of its own."""
    return content.decode("utf-8").replace("\n", f" {_END_OF_SENTENCE} ").split()


def _numbers_of(words: list[str]) -> dict[str, int]:
    """Numbers for words: the most frequent first, equally frequent ones by the alphabet."""
    counts = collections.Counter(words)
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: number for number, word in enumerate(ordered)}


@export("models.rnn.ptb.reader.ptb_raw_data")
def ptb_raw_data(data_path: Any = None) -> tuple[list[int], list[int], list[int], int]:
    """Returns the Penn Treebank as numbers of words.

    Args:
        data_path: a folder, a path or a URL, with `ptb.train.txt`, `ptb.valid.txt` and
            `ptb.test.txt` or with `simple-examples.tgz`, which is downloaded otherwise; None for
            the current folder.

    Returns:
        The words of the three parts, and how many different words the first has. Words that it
        does not have are left out of the two others.

    Raises:
        DownloadError: if the files cannot be obtained; says what to put where.
    """
    parts = [_words(content) for content in _contents(data_path or "")]
    numbers = _numbers_of(parts[0])
    train, valid, test = ([numbers[w] for w in words if w in numbers] for words in parts)
    return train, valid, test, len(numbers)


@export("models.rnn.ptb.reader.ptb_iterator")
def ptb_iterator(
    raw_data: Any, batch_size: int, num_steps: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches of consecutive words and of the words that follow each of them.

    Args:
        raw_data: numbers of words.
        batch_size: into how many rows the words are cut.
        num_steps: how many words of each row are in a batch.

    Yields:
        Two int32 arrays ``[batch_size, num_steps]``.

    Raises:
        ValueError: if there are too few words.
    """
    rows, count = _rows(np.asarray(raw_data, np.int32), batch_size, num_steps)
    if count == 0:
        raise ValueError("epoch_size == 0, decrease batch_size or num_steps")
    for start in range(0, count * num_steps, num_steps):
        yield rows[:, start : start + num_steps], rows[:, start + 1 : start + num_steps + 1]


def _rows(words: np.ndarray, batch_size: int, num_steps: int) -> tuple[np.ndarray, int]:
    """The words in rows, and the number of batches."""
    length = len(words) // batch_size
    rows = words[: batch_size * length].reshape(batch_size, length)
    return rows, max(0, (length - 1) // num_steps)


@export("models.rnn.ptb.reader.ptb_producer")
def ptb_producer(
    raw_data: Any, batch_size: int, num_steps: int, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Batches as `ptb_iterator` has them, from a queue, epoch after epoch.

    Args:
        raw_data: numbers of words.
        batch_size: into how many rows the words are cut.
        num_steps: how many words of each row are in a batch.
        name: the scope of the nodes.

    Returns:
        Two int32 tensors ``[batch_size, num_steps]``. Running them fails if there are too few
        words.
    """
    with name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
        words = convert_to_tensor(raw_data, name="raw_data", dtype=int32)
        length = build.FloorDiv(build.Size(words), batch_size)
        used = build.Slice(words, [0], build.Pack([length * batch_size], axis=0))
        rows = build.Reshape(used, build.Pack([batch_size, length], axis=0))
        count = build.FloorDiv(length - 1, num_steps)
        message = "epoch_size == 0, decrease batch_size or num_steps"
        with control_dependencies([assert_positive(count, message=message)]):
            count = build.Identity(count, name="epoch_size")
        start = range_input_producer(count, shuffle=False).dequeue() * num_steps
        batches = []
        for offset in (0, 1):
            begin = build.Pack([0, start + offset], axis=0)
            batch = build.Slice(rows, begin, [batch_size, num_steps])
            batch.set_shape([batch_size, num_steps])
            batches.append(batch)
        return batches[0], batches[1]
