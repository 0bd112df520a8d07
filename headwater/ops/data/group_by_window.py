"""GroupByWindowDataset: elements of one key, taken together in windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.function_runtime import CapturedFunction, FunctionRuntime
from headwater.base.typing import Array, ArrayModule
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
    restore_elements,
    save_elements,
    variant_of,
)
from headwater.ops.data.rows import ElementsDataset


class GroupByWindowDataset(Dataset):
    """The elements of the datasets that a function makes of windows of elements of one key.

    Args:
        source: the input.
        key_func: makes the key of an element.
        reduce_func: makes a dataset of a key and the dataset of a window.
        window_size_func: makes the size of the windows of a key.
    """

    def __init__(
        self,
        source: Dataset,
        key_func: CapturedFunction,
        reduce_func: CapturedFunction,
        window_size_func: CapturedFunction,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.key_func = key_func
        self.reduce_func = reduce_func
        self.window_size_func = window_size_func

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _GroupByWindowIterator(self, context)


class _GroupByWindowIterator(InputIterator):
    def __init__(self, dataset: GroupByWindowDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._source = dataset.inputs[0]
        self._context = context.repeated()
        self._key_of = dataset.key_func.instantiate_remembering(context.kept)
        self._reduce = dataset.reduce_func.instantiate(context.kept)
        self._size_of = dataset.window_size_func.instantiate_remembering(context.kept)
        self._ended = False
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        # The window whose dataset is being read, with its key, and that dataset's iterator.
        self._window: tuple[int, list[Element]] | None = None
        self._current: ElementIterator | None = None

    def next(self) -> Element | None:
        while self._current is not None or self._gather():
            assert self._current is not None
            element = self._current.next()
            if element is not None:
                return element
            self._end_window()
        return None

    def next_rows(self, count: int) -> Rows | None:
        while self._current is not None or self._gather():
            assert self._current is not None
            rows = self._current.next_rows(count)
            if rows is not None:
                return rows
            self._end_window()
        return None

    def _gather(self) -> bool:
        """Takes elements until a window is complete; returns whether there is one."""
        groups, sizes = self._groups, self._sizes
        while not self._ended:
            element = self._input.next()
            if element is None:
                self._ended = True
                break
            key = int(self._key_of(element)[0])
            size = sizes.get(key)
            if size is None:
                size = sizes[key] = self._window_size(key)
            group = groups.get(key)
            if group is None:
                group = groups[key] = []
            group.append(element)
            if len(group) >= size:
                del groups[key], sizes[key]
                self._begin_window(key, group)
                return True
        if not groups:
            return False
        key = min(groups)
        self._begin_window(key, groups.pop(key))
        return True

    def _window_size(self, key: int) -> int:
        size = int(self._size_of([np.asarray(key, np.int64)])[0])
        if size <= 0:
            fail(f"Window size must be greater than zero, but got {size}.")
        return size

    def _begin_window(self, key: int, group: list[Element]) -> None:
        window = variant_of(ElementsDataset(group, self._source.types, self._source.shapes))
        dataset = dataset_of(self._reduce([np.asarray(key, np.int64), window])[0])
        self._current = input_iterator(dataset, self._context)
        self._window = key, group

    def _end_window(self) -> None:
        if self._current is not None:
            self._current.close()
        self._current = self._window = None

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/ended"] = self._ended
        state[f"{prefix}/keys"] = np.array(list(self._groups), np.int64)
        for key, group in self._groups.items():
            save_elements(state, f"{prefix}/group/{key}", group)
        if self._window is not None and self._current is not None:
            key, group = self._window
            state[f"{prefix}/key"] = key
            save_elements(state, f"{prefix}/window", group)
            self._current.save(state, f"{prefix}/current")

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._ended = bool(state[f"{prefix}/ended"])
        for key in np.asarray(state[f"{prefix}/keys"]).tolist():
            self._groups[key] = restore_elements(state, f"{prefix}/group/{key}")
            self._sizes[key] = self._window_size(key)
        if f"{prefix}/key" in state:
            group = restore_elements(state, f"{prefix}/window")
            self._begin_window(int(state[f"{prefix}/key"]), group)
            assert self._current is not None
            self._current.restore(state, f"{prefix}/current")

    def close(self) -> None:
        self._end_window()
        super().close()


def kernel_group_by_window_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    key_func_other_arguments: Sequence[Array],
    reduce_func_other_arguments: Sequence[Array],
    window_size_func_other_arguments: Sequence[Array],
    *,
    key_func: Any,
    reduce_func: Any,
    window_size_func: Any,
    output_types: Any,
    output_shapes: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    found = [
        functions.captured(op._graph, attr, values)
        for attr, values in (
            (key_func, key_func_other_arguments),
            (reduce_func, reduce_func_other_arguments),
            (window_size_func, window_size_func_other_arguments),
        )
    ]
    source = dataset_of(input_dataset)
    return variant_of(
        GroupByWindowDataset(source, found[0], found[1], found[2], output_types, output_shapes)
    )


def _register_group_by_window(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
        "reduce_func_other_arguments: Treduce_func_other_arguments, "
        "window_size_func_other_arguments: Twindow_size_func_other_arguments",
        outputs="handle: variant",
        attrs="key_func: func, reduce_func: func, window_size_func: func, "
        "Tkey_func_other_arguments: list(type) >= 0, "
        "Treduce_func_other_arguments: list(type) >= 0, "
        "Twindow_size_func_other_arguments: list(type) >= 0, "
        "output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_group_by_window_dataset,
        runs_on=RunsOn.HOST,
        takes_handles=True,
    )


_register_group_by_window("GroupByWindowDataset")
_register_group_by_window("ExperimentalGroupByWindowDataset")
