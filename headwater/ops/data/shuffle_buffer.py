"""The buffer of a shuffled dataset: which of the elements in it comes next."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from headwater.base.typing import Array
from headwater.ops.data.dataset import (
    Element,
    IteratorContext,
    Rows,
    SavedState,
    restore_elements,
    rows_to_element,
    save_elements,
    scalar_of,
    stacked_rows,
)
from headwater.ops.random.philox import blocks, initial_stream, interleave

# The 32-bit words of a Philox block, and how many blocks are drawn at a time.
_WORDS = 4
_DRAWN = 256


def seeds_of(seed: Array, seed2: Array) -> tuple[int, int]:
    """The two seeds that inputs of an op give; random ones if both are 0."""
    seeds = int(scalar_of(seed, "seed")), int(scalar_of(seed2, "seed2"))
    return (secrets.randbits(63), secrets.randbits(63)) if seeds == (0, 0) else seeds


class Words:
    """The 32-bit random numbers of two seeds, one after the other.

    Args:
        seed: the key.
        seed2: the high half of the counter.
        position: how many numbers have been taken before.
        ahead: how many blocks are drawn at a time.
    """

    def __init__(self, seed: int, seed2: int, position: int = 0, ahead: int = _DRAWN) -> None:
        self.seeds = seed, seed2
        self.position = position
        self._ahead = ahead
        self._stream = initial_stream(seed, seed2)
        self._drawn = np.zeros(0, np.int64)
        self._start = 0

    def take(self, count: int) -> np.ndarray:
        """The next numbers, as int64."""
        first = self.position - self._start
        if first < 0 or first + count > len(self._drawn):
            self._draw(count)
            first = self.position - self._start
        self.position += count
        return self._drawn[first : first + count]

    def _draw(self, count: int) -> None:
        block = self.position // _WORDS
        number = max(self._ahead, count // _WORDS + 2)
        words = interleave(np, blocks(np, self._stream, number, block), np.uint32)
        self._drawn = words.astype(np.int64)
        self._start = block * _WORDS


class SeedGenerator:
    """Makes the seeds of one iterator after the other.

    Args:
        seed: the first half of the seed.
        seed2: the second half.
        position: how many numbers have been taken before.
    """

    def __init__(self, seed: int, seed2: int, position: int = 0) -> None:
        self.seeds = seed, seed2
        self.position = position

    def next(self) -> tuple[int, int]:
        """Two seeds."""
        first, second = Words(*self.seeds, self.position, ahead=1).take(2).tolist()
        self.position += 2
        return first, second


def save_generators(context: IteratorContext, state: SavedState, prefix: str) -> None:
    """Writes where the generators of iterators below one are, for the epochs that follow."""
    below = f"{context.prefix}::"
    for name, found in context.shared.items():
        if isinstance(found, SeedGenerator) and name.startswith(below):
            value = np.array([*found.seeds, found.position], np.int64)
            state[f"{prefix}/generators/{name[len(below) :]}"] = value


def restore_generators(context: IteratorContext, state: SavedState, prefix: str) -> None:
    """Reads what `save_generators` has written."""
    start = f"{prefix}/generators/"
    for key, value in state.items():
        if key.startswith(start):
            seed, seed2, position = np.asarray(value).tolist()
            place = f"{context.prefix}::{key[len(start) :]}"
            generator = context.shared.setdefault(place, SeedGenerator(seed, seed2))
            generator.position = position


class ShuffleBuffer:
    """A ring of elements, from which random ones are taken.

    The elements of the ring are in slices, one per epoch of the input: those of an epoch are taken
    before those of the next one. Places are counted from the beginning; the ring has the place
    modulo its capacity.

    Args:
        capacity: how many elements fit in.
        words: the random numbers.
    """

    def __init__(self, capacity: int, words: Words) -> None:
        self.capacity = capacity
        self.size = 0
        self._words = words
        self._slices: list[list[int]] = [[0, 0]]
        # The index in the store of the element at each place of the ring.
        self._ring: list[int] = []
        self._store = _Store()

    @property
    def missing(self) -> int:
        """How many elements are missing until the buffer is full."""
        return self.capacity - self.size

    @property
    def oldest(self) -> int:
        """How many elements there are of the epoch from which elements are taken."""
        start, end = self._slices[0]
        return end - start

    @property
    def has_one_slice(self) -> bool:
        """Whether all elements are of the epoch to which elements are added."""
        return len(self._slices) == 1

    @property
    def holds_rows(self) -> bool:
        """Whether several elements can be taken at once."""
        return self._store.holds_rows

    def begin_slice(self) -> None:
        """Elements that are added from now on belong to the next epoch."""
        end = self._slices[-1][1]
        self._slices.append([end, end])
        self._drop_empty_slices()

    def add(self, element: Element) -> None:
        """Adds an element; there is room for it."""
        self._append(self._store.put_element(element))

    def add_rows(self, rows: Rows) -> None:
        """Adds rows; there is room for them."""
        for index in self._store.put_rows(rows):
            self._append(index)

    def _append(self, index: int) -> None:
        last = self._slices[-1]
        place = last[1] % self.capacity
        if place == len(self._ring):
            self._ring.append(index)
        else:
            self._ring[place] = index
        last[1] += 1
        self.size += 1

    def take(self) -> Element:
        """Takes one element; the buffer is not empty."""
        return self._store.take_element(self._taken(1, [])[0])

    def take_rows(self, count: int) -> Rows:
        """Takes `count` elements, `oldest` at most."""
        return self._store.take_rows(self._taken(count, []))

    def exchange_rows(self, rows: Rows) -> Rows:
        """For each row, adds it and takes an element.

        The buffer lacks one element; if it has several slices, `oldest` is at least the number of
        rows.
        """
        indices = self._store.put_rows(rows)
        return self._store.take_rows(self._taken(len(indices), indices))

    def _taken(self, count: int, coming: list[int]) -> list[int]:
        """The indices of the elements that are taken next; adds one of `coming` before each."""
        capacity, ring = self.capacity, self._ring
        first, last = self._slices[0], self._slices[-1]
        steps = np.arange(count)
        sizes: Any = first[1] - first[0] - steps
        if coming and first is last:
            sizes = np.full(count, first[1] - first[0] + 1)
        places = first[0] + steps + self._words.take(count) % sizes
        fronts = ((first[0] + steps) % capacity).tolist()
        if coming and last[1] % capacity == len(ring):
            ring.append(coming[0])
        taken = []
        if coming:
            ends = ((last[1] + steps) % capacity).tolist()
            for place, front, end, index in zip((places % capacity).tolist(), fronts, ends, coming):
                ring[end] = index
                taken.append(ring[place])
                ring[place] = ring[front]
        else:
            for place, front in zip((places % capacity).tolist(), fronts):
                taken.append(ring[place])
                ring[place] = ring[front]
        last[1] += len(coming)
        first[0] += count
        self.size += len(coming) - count
        self._drop_empty_slices()
        return taken

    def _drop_empty_slices(self) -> None:
        while len(self._slices) > 1 and self._slices[0][0] == self._slices[0][1]:
            self._slices.pop(0)

    def save(self, state: SavedState, prefix: str) -> None:
        """Writes the elements, their order and the random numbers to a state."""
        start = self._slices[0][0]
        state[f"{prefix}/slices"] = np.array(self._slices) - start
        state[f"{prefix}/words"] = self._words.position
        state[f"{prefix}/seeds"] = np.array(self._words.seeds, np.int64)
        places = range(start, self._slices[-1][1])
        indices = [self._ring[place % self.capacity] for place in places]
        self._store.save(state, prefix, indices)

    def restore(self, state: SavedState, prefix: str) -> None:
        """Reads what `save` has written."""
        seed, seed2 = state[f"{prefix}/seeds"].tolist()
        self._words = Words(seed, seed2, int(state[f"{prefix}/words"]))
        self._ring = self._store.restore(state, prefix)
        self._slices = np.asarray(state[f"{prefix}/slices"]).tolist()
        self.size = len(self._ring)


class _Store:
    """Elements by index: as rows of arrays while all that comes are rows of equal shapes."""

    def __init__(self) -> None:
        self._arrays: list[Any] | None = None
        self._elements: list[Element | None] = []
        self._free: list[int] = []
        self._used = 0

    @property
    def holds_rows(self) -> bool:
        return self._arrays is not None

    def _indices(self, count: int) -> list[int]:
        reused = self._free[len(self._free) - count :] if count < len(self._free) else self._free
        self._free = self._free[: len(self._free) - len(reused)]
        fresh = range(self._used, self._used + count - len(reused))
        self._used = fresh.stop
        return [*reused, *fresh]

    def put_element(self, element: Element) -> int:
        self._give_up_rows()
        (index,) = self._indices(1)
        if index == len(self._elements):
            self._elements.append(element)
        else:
            self._elements[index] = element
        return index

    def put_rows(self, rows: Rows) -> list[int]:
        count = len(rows[0])
        if self._arrays is None and self._used == 0:
            self._arrays = [np.empty((0, *a.shape[1:]), a.dtype) for a in rows]
        if self._arrays is None or any(
            a.shape[1:] != kept.shape[1:] for a, kept in zip(rows, self._arrays)
        ):
            return [self.put_element(rows_to_element(rows, i)) for i in range(count)]
        indices = self._indices(count)
        if self._used > len(self._arrays[0]):
            self._grow(max(self._used, 2 * len(self._arrays[0])))
        for array, kept in zip(rows, self._arrays):
            kept[indices] = array
        return indices

    def _grow(self, size: int) -> None:
        assert self._arrays is not None
        for i, kept in enumerate(self._arrays):
            larger = np.empty((size, *kept.shape[1:]), kept.dtype)
            larger[: len(kept)] = kept
            self._arrays[i] = larger

    def _give_up_rows(self) -> None:
        if self._arrays is None:
            return
        rows = [kept[: self._used].copy() for kept in self._arrays]
        self._elements = [rows_to_element(rows, i) for i in range(self._used)]
        self._arrays = None

    def take_element(self, index: int) -> Element:
        self._free.append(index)
        if self._arrays is not None:
            return [row.copy() for row in rows_to_element(self._arrays, index)]
        element = self._elements[index]
        assert element is not None
        self._elements[index] = None
        return element

    def take_rows(self, indices: list[int]) -> Rows:
        if self._arrays is None:
            return stacked_rows([self.take_element(index) for index in indices])
        self._free += indices
        return [kept[indices] for kept in self._arrays]

    def save(self, state: SavedState, prefix: str, indices: list[int]) -> None:
        if self._arrays is not None:
            save_elements(state, f"{prefix}/rows", [[kept[indices] for kept in self._arrays]])
        else:
            found = [self._elements[index] for index in indices]
            save_elements(state, f"{prefix}/elements", [e for e in found if e is not None])

    def restore(self, state: SavedState, prefix: str) -> list[int]:
        if f"{prefix}/rows/count" in state:
            (rows,) = restore_elements(state, f"{prefix}/rows")
            return self.put_rows(rows)
        return [self.put_element(e) for e in restore_elements(state, f"{prefix}/elements")]
