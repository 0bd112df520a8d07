"""What several runs at a time take: records, whole files, or elements of another queue.

A source is looked at first. Nothing has changed then, and whoever else asks it for one gets the
first of them, until as many are taken as there are results for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from headwater.base import dtypes, errors
from headwater.engine.state import Slot

# The largest number of bytes of what runs take together: of arrays, which are copied, and of
# records and files, which are not.
_MOST_ARRAY_BYTES = 1 << 18
_MOST_STRING_BYTES = 1 << 20
# So many records or files are taken together whatever their size.
_FEWEST = 2


class Source(Protocol):
    """What runs take."""

    def look_ahead(self, room: Callable[[], int]) -> list[np.ndarray]:
        """The next ones, stacked; empty if the next one needs a run alone.

        Args:
            room: says in the turn of this thread for how many there is room.
        """

    def take(self, count: int) -> int:
        """Takes so many of them; returns how many it could."""

    def leave(self) -> None:
        """Ends the look ahead."""


class Records:
    """The records that a reader gives next.

    Args:
        slot: the slot of the reader.
    """

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._turn: Any = None

    def look_ahead(self, room: Callable[[], int]) -> list[np.ndarray]:
        """Keys and values of records; empty if the next one needs a run alone.

        Args:
            room: says in the turn of this thread for how many there is room.
        """
        reader = self._slot.value
        if reader is None:
            return []
        try:
            self._turn = reader._take_turn()
        except errors.OpError:
            # A run alone raises it.
            return []
        if self._turn is None:
            return []
        self._reader = reader
        most = room()
        if most < 2:
            return []
        keys, values = reader._look_ahead(most)
        count = max(_within_bytes(map(len, values), _MOST_STRING_BYTES), _FEWEST)
        return [_strings(keys[:count]), _strings(values[:count])]

    def take(self, count: int) -> int:
        """Takes so many of them; returns how many it could."""
        self._reader._produce(count)
        return count

    def leave(self) -> None:
        """Ends the look ahead."""
        turn, self._turn = self._turn, None
        if turn is not None:
            self._reader._leave(turn)


class Elements:
    """The elements that a queue gives next.

    Args:
        slot: the slot of the queue.
        types: the types of their components.
    """

    def __init__(self, slot: Slot, types: Any) -> None:
        self._slot = slot
        self._types = types
        self._queue: Any = None
        self._elements: list[Any] = []

    def look_ahead(self, room: Callable[[], int]) -> list[np.ndarray]:
        """The components of elements; empty if the next one needs a run alone.

        Args:
            room: says in the turn of this thread for how many there is room.
        """
        queue = self._slot.value
        if queue is None or queue.types != self._types:
            return []
        # Two threads that see the same elements would both compute, for one of them to take them.
        # No thread waits for other runs in its turn.
        queue.turn.acquire()
        self._queue = queue
        most = room()
        elements = queue.look_ahead(most) if most > 1 else []
        sizes = (sum(array.nbytes for array in element) for element in elements)
        count = _within_bytes(sizes, _MOST_ARRAY_BYTES)
        self._elements = elements[:count]
        return list(queue.batch(self._elements)) if count else []

    def take(self, count: int) -> int:
        """Takes so many of them; returns how many it could."""
        return int(self._queue.dequeue_seen(self._elements[:count]))

    def leave(self) -> None:
        """Ends the look ahead."""
        self._elements = []
        queue, self._queue = self._queue, None
        if queue is not None:
            queue.turn.release()


class Files:
    """The files that a reader of whole files reads next.

    Args:
        slot: the slot of the reader.
        names: the slot of the queue of their names.
    """

    def __init__(self, slot: Slot, names: Slot) -> None:
        self._slot = slot
        self._names = Elements(names, [dtypes.string])
        self._turn: Any = None
        self._reader: Any = None
        self._read: list[bytes] = []

    def look_ahead(self, room: Callable[[], int]) -> list[np.ndarray]:
        """Names and contents of files; empty if the next one needs a run alone.

        Args:
            room: says in the turn of this thread for how many there is room.
        """
        self._reader = self._slot.value
        if self._reader is None:
            return []
        try:
            self._turn = self._reader._take_turn_between_units()
        except errors.OpError:
            # A run alone raises it.
            return []
        names = self._names.look_ahead(room) if self._turn is not None else []
        if not names or names[0].ndim != 1 or len(names[0]) < _FEWEST:
            return []
        found = list(names[0])
        contents = list(self._contents(found))
        self._read = found[: len(contents)]
        return [_strings(self._read), _strings(contents)]

    def _contents(self, names: Sequence[bytes]) -> Iterator[bytes]:
        """The contents of files, up to one that needs a run alone, or is too much."""
        total = 0
        for number, name in enumerate(names):
            try:
                data = self._reader._contents_ahead(name)
            except (errors.OpError, OSError):
                return
            total += 0 if data is None else len(data)
            if data is None or (total > _MOST_STRING_BYTES and number >= _FEWEST):
                return
            yield data

    def take(self, count: int) -> int:
        """Takes so many of them; returns how many it could."""
        taken = self._names.take(count)
        self._reader._produce_units(self._read[:taken])
        return taken

    def leave(self) -> None:
        """Ends the look ahead."""
        self._names.leave()
        turn, self._turn = self._turn, None
        if turn is not None:
            self._reader._leave(turn)


def _within_bytes(sizes: Iterable[int], most: int) -> int:
    """How many of some sizes are not more than so many bytes together."""
    total = count = 0
    for size in sizes:
        total += size
        if total > most:
            break
        count += 1
    return count


def _strings(texts: Sequence[bytes]) -> np.ndarray:
    array = np.empty(len(texts), object)
    array[:] = texts
    return array
