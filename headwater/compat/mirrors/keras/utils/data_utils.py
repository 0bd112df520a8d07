"""tensorflow.python.keras.utils.data_utils: endless sequences, digests of files."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headwater.keras.utils.files import algorithm_of, digest_of
from headwater.keras.utils.sequences import Sequence

__all__ = ["is_generator_or_sequence", "iter_sequence_infinite", "validate_file"]


def is_generator_or_sequence(x: Any) -> bool:
    """Tells whether data is a generator, an iterator of Python or a `Sequence`."""
    return inspect.isgenerator(x) or isinstance(x, (Sequence, Iterator))


def iter_sequence_infinite(seq: Any) -> Iterator[Any]:
    """Yields the items of a sequence again and again."""
    while True:
        yield from seq


def validate_file(
    fpath: str, file_hash: str, algorithm: str = "auto", chunk_size: int = 65535
) -> bool:
    """Tells whether a file has a digest.

    Args:
        fpath: the path.
        file_hash: the digest.
        algorithm: "md5", "sha256" or "auto".
        chunk_size: has no effect.
    """
    found = digest_of(Path(fpath), algorithm_of(algorithm, file_hash))
    return found == str(file_hash)
