"""Records of many files, in an order that changes from epoch to epoch."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.io.matching import matching_names
from headwater.io.record import tf_record_iterator


class _Records:
    """The records of an endless number of epochs, and how far they have been read."""

    def __init__(self, attrs: dict[str, Any]) -> None:
        self.lock = threading.Lock()
        self._pattern: str = attrs["file_pattern"]
        self._seed: int = attrs["file_random_seed"]
        self._shift: float = attrs["file_shuffle_shift_ratio"]
        self._size: int = attrs["file_buffer_size"]
        self._compression: str = attrs["compression_type"]
        self._iterator: Iterator[bytes] | None = None

    def next(self) -> bytes:
        """The next record."""
        if self._iterator is None:
            self._iterator = self._endless()
        try:
            return next(self._iterator)
        except errors.OpError:
            self._iterator = None
            raise

    def _endless(self) -> Iterator[bytes]:
        epoch = 0
        while True:
            epoch += 1
            count = 0
            for record in self._shuffled(random.Random(f"{self._seed} {epoch}")):
                count += 1
                yield record
            if not count:
                raise errors.NotFoundError(None, None, f"Found no records in {self._pattern}")

    def _shuffled(self, chance: random.Random) -> Iterator[bytes]:
        """Each record of an epoch once: a random one of those that are in the buffer."""
        buffer: list[bytes] = []
        for record in self._in_order(chance):
            place = chance.randrange(len(buffer) + 1)
            buffer.append(record)
            buffer[place], buffer[-1] = buffer[-1], buffer[place]
            if len(buffer) > self._size // 2:
                yield buffer.pop()
        while buffer:
            yield buffer.pop()

    def _in_order(self, chance: random.Random) -> Iterator[bytes]:
        """The records of the files, which are shuffled and rotated."""
        names = sorted(matching_names(self._pattern))
        if not names:
            raise errors.NotFoundError(None, None, f"Found no files at {self._pattern}")
        chance.shuffle(names)
        first = int(len(names) * self._shift) % len(names)
        for name in names[first:] + names[:first]:
            yield from tf_record_iterator(name, self._compression)


def kernel_record_input(xp: ArrayModule, *, batch_size: int, state: _Records) -> tuple[Array, Any]:
    if batch_size < 0:
        fail(f"batch_size must not be negative, got {batch_size}")
    result = np.empty(batch_size, object)
    with state.lock:
        result[:] = [state.next() for _ in cancellation.checked(range(batch_size))]
    return result, state


register_op(
    "RecordInput",
    outputs="records: string",
    attrs="file_pattern: string, file_random_seed: int = 301, file_shuffle_shift_ratio: float = 0, "
    "file_buffer_size: int = 10000, file_parallelism: int = 16, batch_size: int = 32, "
    "compression_type: string = ''",
    shape=shapes.unknown,
    kernel=kernel_record_input,
    state=_Records,
    stateful=True,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
