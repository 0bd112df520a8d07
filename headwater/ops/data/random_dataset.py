"""RandomDataset: uniformly distributed numbers of 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    INFINITE,
    MOST_ROWS,
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    component_at,
    scalar_of,
    variant_of,
)
from headwater.ops.random import philox

# Single numbers are taken from so many that were drawn at once.
_AHEAD = 256
# A block of the generator has so many numbers.
_BLOCK = 4


class RandomDataset(Dataset):
    """The words of a stream of random bits, as int64."""

    def __init__(self, stream: Array, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes)
        self.stream = stream

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _RandomIterator(self.stream)

    def cardinality(self) -> int:
        return INFINITE


class _RandomIterator(ElementIterator):
    def __init__(self, stream: Array) -> None:
        self._stream = stream
        self._position = 0
        self._ahead = np.zeros(0, np.int64)
        self._ahead_at = 0

    def next(self) -> Element | None:
        place = self._position - self._ahead_at
        if place >= len(self._ahead):
            self._ahead, self._ahead_at, place = self._draw(_AHEAD), self._position, 0
        self._position += 1
        return [component_at(self._ahead, place)]

    def next_rows(self, count: int) -> Rows | None:
        cancellation.check()
        numbers = self._draw(min(count, MOST_ROWS))
        self._position += len(numbers)
        return [numbers]

    def skip(self, count: int) -> int:
        self._position += count
        return count

    def _draw(self, count: int) -> Array:
        first = self._position // _BLOCK
        last = -(-(self._position + count) // _BLOCK)
        drawn = philox.blocks(np, self._stream, last - first, first)
        words = philox.interleave(np, drawn, np.uint32)
        offset = self._position - first * _BLOCK
        return words[offset : offset + count].astype(np.int64)

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/stream"] = self._stream.astype(np.int64)
        state[f"{prefix}/position"] = self._position

    def restore(self, state: SavedState, prefix: str) -> None:
        self._stream = np.asarray(state[f"{prefix}/stream"], np.uint32)
        self._position = int(state[f"{prefix}/position"])
        self._ahead = self._ahead[:0]


def kernel_random_dataset(
    xp: ArrayModule, seed: Array, seed2: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    stream = philox.initial_stream(int(scalar_of(seed, "seed")), int(scalar_of(seed2, "seed2")))
    return variant_of(RandomDataset(stream, output_types, output_shapes))


def shape_random_dataset(c: shapes.ShapeContext) -> Any:
    c.with_rank("seed", 0)
    c.with_rank("seed2", 0)
    return ()


def _register_random_dataset(name: str) -> None:
    register_op(
        name,
        inputs="seed: int64, seed2: int64",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shape_random_dataset,
        kernel=kernel_random_dataset,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_random_dataset("RandomDataset")
_register_random_dataset("ExperimentalRandomDataset")
