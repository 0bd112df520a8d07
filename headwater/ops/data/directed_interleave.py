"""DirectedInterleaveDataset: elements of several datasets, chosen by a dataset of indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    input_iterator,
    variant_of,
)

# The numbers that are taken from the selector at a time.
_AHEAD = 256


class DirectedInterleaveDataset(Dataset):
    """The elements of the inputs after the first, which says from which one the next comes."""

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _DirectedInterleaveIterator(self, context)


class _DirectedInterleaveIterator(ElementIterator):
    def __init__(self, dataset: DirectedInterleaveDataset, context: IteratorContext) -> None:
        selector, *sources = dataset.inputs
        self._selector = input_iterator(selector, context)
        self._sources: list[ElementIterator | None] = [
            input_iterator(source, context, i) for i, source in enumerate(sources)
        ]
        self._chosen: list[int] = []  # the numbers that were taken ahead, the next one last

    def next(self) -> Element | None:
        checks = 0
        while any(source is not None for source in self._sources):
            checks += 1
            if checks % _AHEAD == 0:
                # A selector without an end may never choose the sources that are left.
                cancellation.check()
            if not self._chosen:
                rows = self._selector.next_rows(_AHEAD)
                if rows is None:
                    break
                self._chosen = rows[0].tolist()[::-1]
            number = self._chosen.pop()
            if not 0 <= number < len(self._sources):
                fail(f"Selector index out of range: {number} >= {len(self._sources)}")
            source = self._sources[number]
            if source is None:
                continue
            element = source.next()
            if element is not None:
                return element
            source.close()
            self._sources[number] = None
        return None

    def save(self, state: SavedState, prefix: str) -> None:
        self._selector.save(state, f"{prefix}/selector")
        state[f"{prefix}/chosen"] = self._chosen
        for i, source in enumerate(self._sources):
            state[f"{prefix}/ended/{i}"] = source is None
            if source is not None:
                source.save(state, f"{prefix}/source/{i}")

    def restore(self, state: SavedState, prefix: str) -> None:
        self._selector.restore(state, f"{prefix}/selector")
        self._chosen = [int(number) for number in state[f"{prefix}/chosen"]]
        for i, source in enumerate(self._sources):
            if bool(state[f"{prefix}/ended/{i}"]):
                self._sources[i] = None
            elif source is not None:
                source.restore(state, f"{prefix}/source/{i}")

    def close(self) -> None:
        self._selector.close()
        for source in self._sources:
            if source is not None:
                source.close()


def kernel_directed_interleave_dataset(
    xp: ArrayModule,
    selector_input_dataset: Array,
    data_input_datasets: Sequence[Array],
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    selector = dataset_of(selector_input_dataset)
    if [t.name for t in selector.types] != ["int64"] or selector.shapes[0] not in (None, ()):
        fail("The selector input must be a dataset of scalar int64 elements.")
    sources = [dataset_of(handle) for handle in data_input_datasets]
    return variant_of(DirectedInterleaveDataset(output_types, output_shapes, [selector, *sources]))


def _register_directed_interleave(name: str) -> None:
    register_op(
        name,
        inputs="selector_input_dataset: variant, data_input_datasets: N * variant",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1, N: int >= 1",
        shape=shapes.scalar,
        kernel=kernel_directed_interleave_dataset,
        runs_on=RunsOn.HOST,
    )


_register_directed_interleave("DirectedInterleaveDataset")
_register_directed_interleave("ExperimentalDirectedInterleaveDataset")
