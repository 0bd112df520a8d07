"""SlidingWindowDataset: batches of elements that overlap."""

from __future__ import annotations

from typing import Any

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.ops.data.dataset import (
    INFINITE,
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    restore_elements,
    save_elements,
    scalar_inputs,
    scalar_of,
    skip_some,
    stacked_rows,
    variant_of,
)


class SlidingWindowDataset(Dataset):
    """Batches of `size` elements `stride` apart, each `shift` elements after the one before."""

    def __init__(
        self,
        source: Dataset,
        size: int,
        shift: int,
        stride: int,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.size = size
        self.shift = shift
        self.stride = stride

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _SlidingWindowIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count in (INFINITE, UNKNOWN):
            return count
        reach = (self.size - 1) * self.stride + 1
        return 0 if count < reach else (count - reach) // self.shift + 1


class _SlidingWindowIterator(InputIterator):
    def __init__(self, dataset: SlidingWindowDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._dataset = dataset
        self._reach = (dataset.size - 1) * dataset.stride + 1
        # The elements from the beginning of the next window on, as far as they have been taken.
        self._buffer: list[Element] = []
        # How many elements lie between the buffer and the next window.
        self._gap = 0

    def next(self) -> Element | None:
        while self._gap:
            skipped = skip_some(self._input, self._gap)
            if not skipped:
                return None
            self._gap -= skipped
        while len(self._buffer) < self._reach:
            element = self._input.next()
            if element is None:
                return None
            self._buffer.append(element)
        window = self._buffer[:: self._dataset.stride]
        self._gap = max(self._dataset.shift - self._reach, 0)
        self._buffer = self._buffer[self._dataset.shift :]
        return stacked_rows(window)

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/gap"] = self._gap
        save_elements(state, f"{prefix}/buffer", self._buffer)

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._gap = int(state[f"{prefix}/gap"])
        self._buffer = restore_elements(state, f"{prefix}/buffer")


def kernel_sliding_window_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    window_size: Array,
    window_shift: Array,
    window_stride: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    size = int(scalar_of(window_size, "window_size"))
    shift = int(scalar_of(window_shift, "window_shift"))
    stride = int(scalar_of(window_stride, "window_stride"))
    if size <= 0:
        fail("Window size must be greater than zero.")
    if shift <= 0:
        fail("Window shift must be greater than zero.")
    if stride <= 0:
        fail("window_stride must be greater than zero.")
    source = dataset_of(input_dataset)
    return variant_of(
        SlidingWindowDataset(source, size, shift, stride, output_types, output_shapes)
    )


def _register_sliding_window(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, window_size: int64, window_shift: int64, "
        "window_stride: int64",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=scalar_inputs("window_size", "window_shift", "window_stride"),
        kernel=kernel_sliding_window_dataset,
        runs_on=RunsOn.HOST,
    )


_register_sliding_window("SlidingWindowDataset")
_register_sliding_window("ExperimentalSlidingWindowDataset")
