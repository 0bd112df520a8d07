"""ZipDataset: elements that have the components of several datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    ENDED,
    INFINITE,
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    dataset_of,
    input_iterator,
    restore_elements,
    rows_to_element,
    save_elements,
    variant_of,
)


class ZipDataset(Dataset):
    """The elements of the inputs side by side, up to the end of the shortest one."""

    makes_early = True

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _ZipIterator(self, context)

    def cardinality(self) -> int:
        counts = [source.cardinality() for source in self.inputs]
        finite = [count for count in counts if count != INFINITE]
        if not finite:
            return INFINITE
        return UNKNOWN if UNKNOWN in finite else min(finite)


class _ZipIterator(ElementIterator):
    def __init__(self, dataset: ZipDataset, context: IteratorContext) -> None:
        self._inputs: list[ElementIterator] = [
            input_iterator(source, context, i) for i, source in enumerate(dataset.inputs)
        ]
        # Rows of inputs that have given more than the others.
        self._rest: list[Rows | None] = [None] * len(self._inputs)
        self._ended = False

    def next(self) -> Element | None:
        rows = self.next_rows(1)
        return None if rows is None else rows_to_element(rows, 0)

    def next_rows(self, count: int) -> Rows | None:
        for i, source in enumerate(self._inputs):
            if self._rest[i] is not None or self._ended:
                continue
            try:
                self._rest[i] = source.next_rows(count)
            except Exception:
                # The elements of the inputs before are lost with this one.
                self._take(i, 1)
                raise
            self._ended = self._rest[i] is None
        if self._ended:
            self._end_inputs()
            return None
        available = min(len(rows[0]) for rows in self._rest if rows is not None)
        return self._take(len(self._inputs), min(count, available))

    def _take(self, inputs: int, count: int) -> list[Array]:
        """Removes and returns the next rows of the first `inputs` inputs."""
        taken: list[Array] = []
        for i in range(inputs):
            rows = self._rest[i]
            assert rows is not None
            taken += [array[:count] for array in rows]
            self._rest[i] = [a[count:] for a in rows] if count < len(rows[0]) else None
        return taken

    def _end_inputs(self) -> None:
        """Closes the inputs, of which one has ended."""
        self.close()
        self._inputs = [ENDED] * len(self._inputs)
        self._rest = [None] * len(self._inputs)

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/ended"] = self._ended
        for i, source in enumerate(self._inputs):
            source.save(state, f"{prefix}/input/{i}")
            rest = self._rest[i]
            save_elements(state, f"{prefix}/rest/{i}", [] if rest is None else [rest])

    def restore(self, state: SavedState, prefix: str) -> None:
        self._ended = bool(state[f"{prefix}/ended"])
        if self._ended:
            self._end_inputs()
            return
        for i, source in enumerate(self._inputs):
            source.restore(state, f"{prefix}/input/{i}")
            rest = restore_elements(state, f"{prefix}/rest/{i}")
            self._rest[i] = rest[0] if rest else None

    def close(self) -> None:
        for source in self._inputs:
            source.close()


def kernel_zip_dataset(
    xp: ArrayModule, input_datasets: Sequence[Array], *, output_types: Any, output_shapes: Any
) -> Array:
    sources = [dataset_of(handle) for handle in input_datasets]
    return variant_of(ZipDataset(output_types, output_shapes, sources))


register_op(
    "ZipDataset",
    inputs="input_datasets: N * variant",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1, N: int >= 1",
    shape=shapes.scalar,
    kernel=kernel_zip_dataset,
    runs_on=RunsOn.HOST,
)
