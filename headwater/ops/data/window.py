"""WindowDataset: datasets of consecutive elements."""

from __future__ import annotations

from typing import Any

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.ops.data.background import Failure, Item, element_of, restored_items, save_items
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
    scalar_inputs,
    scalar_of,
    skip_some,
    variant_of,
)
from headwater.ops.data.rows import ElementsDataset


class WindowDataset(Dataset):
    """Windows of `size` elements `stride` apart, each `shift` elements after the one before."""

    def __init__(
        self,
        source: Dataset,
        size: int,
        shift: int,
        stride: int,
        drop_remainder: bool,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.size = size
        self.shift = shift
        self.stride = stride
        self.drop_remainder = drop_remainder

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _WindowIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count in (INFINITE, UNKNOWN):
            return count
        if self.drop_remainder:
            reach = (self.size - 1) * self.stride + 1
            return 0 if count < reach else (count - reach) // self.shift + 1
        return -(-count // self.shift)


class _WindowIterator(InputIterator):
    def __init__(self, dataset: WindowDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._dataset = dataset
        self._reach = (dataset.size - 1) * dataset.stride + 1
        # The elements from the beginning of the next window on, as far as they have been taken. An
        # error has the place of its element: each window with that place fails.
        self._buffer: list[Item] = []
        # How many elements lie between the buffer and the next window.
        self._gap = 0
        self._ended = False

    def next(self) -> Element | None:
        dataset = self._dataset
        while self._gap and not self._ended:
            skipped = skip_some(self._input, self._gap)
            self._ended = not skipped
            self._gap -= skipped
        while len(self._buffer) < self._reach and not self._ended:
            try:
                element = self._input.next()
            except (errors.CancelledError, errors.DeadlineExceededError):
                raise
            except errors.OpError as error:
                self._buffer.append(Failure(error))
                continue
            self._ended = element is None
            if element is not None:
                self._buffer.append(element)
        if not self._buffer or (len(self._buffer) < self._reach and dataset.drop_remainder):
            self._buffer = []
            return None
        window = self._buffer[: self._reach : dataset.stride]
        self._gap = max(dataset.shift - len(self._buffer), 0)
        self._buffer = self._buffer[dataset.shift :]
        return self._components([element_of(item) for item in window])

    def _components(self, window: list[Element]) -> Element:
        source = self._dataset.inputs[0]
        result = []
        for i in range(len(window[0])):
            parts = [[element[i]] for element in window]
            result.append(
                variant_of(
                    ElementsDataset(parts, source.types[i : i + 1], source.shapes[i : i + 1])
                )
            )
        return result

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/gap"] = self._gap
        state[f"{prefix}/ended"] = self._ended
        save_items(state, f"{prefix}/buffer", self._buffer)

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._gap = int(state[f"{prefix}/gap"])
        self._ended = bool(state[f"{prefix}/ended"])
        self._buffer = restored_items(state, f"{prefix}/buffer")


def kernel_window_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    size: Array,
    shift: Array,
    stride: Array,
    drop_remainder: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    numbers = [
        int(scalar_of(value, name))
        for value, name in ((size, "size"), (shift, "shift"), (stride, "stride"))
    ]
    for number, name in zip(numbers, ("size", "shift", "stride")):
        if number <= 0:
            fail(f"Window {name} must be greater than zero.")
    length, shift_by, step = numbers
    drop = bool(scalar_of(drop_remainder, "drop_remainder"))
    source = dataset_of(input_dataset)
    window = WindowDataset(source, length, shift_by, step, drop, output_types, output_shapes)
    return variant_of(window)


register_op(
    "WindowDataset",
    inputs="input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("size", "shift", "stride", "drop_remainder"),
    kernel=kernel_window_dataset,
    runs_on=RunsOn.HOST,
)
