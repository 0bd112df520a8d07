"""FlatMapDataset: the elements of the datasets that a function makes of each element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import cancellation
from headwater.base.function_runtime import CapturedFunction, FunctionRuntime
from headwater.base.typing import Array, ArrayModule, DTypeLike, ShapeLike
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    Rows,
    SavedState,
    dataset_of,
    input_iterator,
    variant_of,
)

# Datasets of files, whose elements may be made before they are asked for.
FILE_DATASETS = frozenset(
    {
        "TFRecordDataset",
        "TextLineDataset",
        "FixedLengthRecordDataset",
        "FixedLengthRecordDatasetV2",
    }
)


class FlatMapDataset(Dataset):
    """The elements of the datasets that a function makes, one dataset after the other."""

    def __init__(
        self, source: Dataset, function: CapturedFunction, types: Any, component_shapes: ShapeLike
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.function = function
        self.makes_early = function.is_pure and function.active_types <= FILE_DATASETS

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _FlatMapIterator(self, context)


class _FlatMapIterator(InputIterator):
    def __init__(self, dataset: FlatMapDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._function = dataset.function.instantiate(context.kept)
        self._context = context
        self._number = 0  # of the next dataset
        # The element whose dataset is being read, and that dataset's iterator.
        self._element: Element | None = None
        self._current: ElementIterator | None = None

    def next(self) -> Element | None:
        while self._current is not None or self._begin(self._input.next()):
            assert self._current is not None
            found = self._current.next()
            if found is not None:
                return found
            self._end()
        return None

    def next_rows(self, count: int) -> Rows | None:
        while self._current is not None or self._begin(self._input.next()):
            assert self._current is not None
            rows = self._current.next_rows(count)
            if rows is not None:
                return rows
            self._end()
        return None

    def _begin(self, element: Element | None) -> bool:
        self._element = element
        if element is None:
            return False
        # There may be no end of empty datasets.
        cancellation.check()
        dataset = dataset_of(self._function(element)[0])
        self._current = input_iterator(dataset, self._context, self._number)
        self._number += 1
        return True

    def _end(self) -> None:
        if self._current is not None:
            self._current.close()
            self._context.forget(self._number - 1)
        self._current = None

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/number"] = self._number
        if self._current is not None and self._element is not None:
            state[f"{prefix}/size"] = len(self._element)
            for i, value in enumerate(self._element):
                state[f"{prefix}/element/{i}"] = value
            self._current.save(state, f"{prefix}/current")

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._number = int(state[f"{prefix}/number"])
        if f"{prefix}/size" in state:
            size = int(state[f"{prefix}/size"])
            self._number -= 1
            self._begin([state[f"{prefix}/element/{i}"] for i in range(size)])
            assert self._current is not None
            self._current.restore(state, f"{prefix}/current")

    def close(self) -> None:
        self._end()
        super().close()


def kernel_flat_map_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    *,
    f: Any,
    output_types: DTypeLike | Sequence[DTypeLike],
    output_shapes: Sequence[ShapeLike],
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    function = functions.captured(op._graph, f, other_arguments)
    return variant_of(
        FlatMapDataset(dataset_of(input_dataset), function, output_types, output_shapes)
    )


register_op(
    "FlatMapDataset",
    inputs="input_dataset: variant, other_arguments: Targuments",
    outputs="handle: variant",
    attrs="f: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_flat_map_dataset,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)
