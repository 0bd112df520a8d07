"""FilterDataset: the elements for which a predicate is true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation
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
    dataset_of,
    variant_of,
)
from headwater.ops.data.row_calls import CallingIterator
from headwater.ops.data.statistics import NodeStatistics, node_statistics


class FilterDataset(Dataset):
    """The elements for which a predicate is true."""

    def __init__(
        self, source: Dataset, predicate: CapturedFunction, types: Any, component_shapes: Any
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.predicate = predicate

    def iterate(self, context: IteratorContext) -> ElementIterator:
        statistics = node_statistics(self, context)
        if statistics is not None:
            return _CountingFilterIterator(self, context, statistics)
        return _FilterIterator(self, context)


class _FilterIterator(CallingIterator):
    def __init__(self, dataset: FilterDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], dataset.predicate, context)

    def next(self) -> Element | None:
        while (element := self._take()) is not None:
            cancellation.check()
            if is_true(self._call(element), "predicate"):
                return element
        return None

    def next_rows(self, count: int) -> Rows | None:
        while self._takes_rows:
            cancellation.check()
            found = self._called_rows(count)
            if found is None:
                return None
            rows, results = found
            if results:
                mask = results[0]
                if mask.all():
                    return rows
                if mask.any():
                    return [array[mask] for array in rows]
        return super().next_rows(count)


class _CountingFilterIterator(_FilterIterator):
    """Counts the elements that are handed on and those that are not."""

    def __init__(
        self, dataset: FilterDataset, context: IteratorContext, statistics: NodeStatistics
    ) -> None:
        super().__init__(dataset, context)
        self._statistics = statistics
        self._dropped = 0

    def next(self) -> Element | None:
        while (element := self._take()) is not None:
            cancellation.check()
            if is_true(self._call(element), "predicate"):
                self._statistics.elements += 1
                self._statistics.set("filtered_elements", self._statistics.elements)
                return element
            self._dropped += 1
            self._statistics.set("dropped_elements", self._dropped)
        return None

    def next_rows(self, count: int) -> Rows | None:
        return ElementIterator.next_rows(self, count)


def is_true(results: Sequence[Array], name: str) -> bool:
    """The value of a predicate.

    Raises:
        InvalidArgumentError: if it is not one bool.
    """
    if len(results) != 1 or results[0].dtype != np.bool_ or results[0].size != 1:
        fail(f"`{name}` must returns a scalar bool tensor.")
    return bool(results[0].item())


class FilterByLastComponentDataset(Dataset):
    """The elements whose last component is true, without that component."""

    def __init__(self, source: Dataset, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes, [source])

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _FilterByLastComponentIterator(self.inputs[0], context)


class _FilterByLastComponentIterator(InputIterator):
    def next(self) -> Element | None:
        while (element := self._input.next()) is not None:
            if is_true(element[-1:], "predicate"):
                return element[:-1]
        return None

    def next_rows(self, count: int) -> Rows | None:
        while (rows := self._input.next_rows(count)) is not None:
            mask = rows[-1].reshape(-1)
            if mask.any():
                return [array[mask] for array in rows[:-1]]
        return None


def kernel_filter_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    other_arguments: Sequence[Array],
    *,
    predicate: Any,
    output_types: Any,
    output_shapes: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    function = functions.captured(op._graph, predicate, other_arguments)
    return variant_of(
        FilterDataset(dataset_of(input_dataset), function, output_types, output_shapes)
    )


def kernel_filter_by_last_component_dataset(
    xp: ArrayModule, input_dataset: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    return variant_of(
        FilterByLastComponentDataset(dataset_of(input_dataset), output_types, output_shapes)
    )


register_op(
    "FilterDataset",
    inputs="input_dataset: variant, other_arguments: Targuments",
    outputs="handle: variant",
    attrs="predicate: func, Targuments: list(type) >= 0, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_filter_dataset,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)

register_op(
    "FilterByLastComponentDataset",
    inputs="input_dataset: variant",
    outputs="output: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_filter_by_last_component_dataset,
    runs_on=RunsOn.HOST,
)
