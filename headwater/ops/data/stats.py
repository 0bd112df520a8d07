"""StatsAggregatorHandle, SetStatsAggregatorDataset and the datasets that are measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.checks import fail
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    scalar_inputs,
    scalar_of,
    variant_of,
)
from headwater.ops.data.statistics import (
    Statistics,
    StatsAggregator,
    WritingStatsAggregator,
    bytes_of,
    statistics_of,
    with_statistics,
)
from headwater.ops.summary.writer_resource import writer_of


class StatsAggregatorDataset(Dataset):
    """A dataset whose iterators, and those of its inputs, have their statistics collected."""

    def __init__(
        self,
        source: Dataset,
        aggregator: StatsAggregator,
        prefix: str,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self._aggregator = aggregator
        self._prefix = prefix

    def iterate(self, context: IteratorContext) -> ElementIterator:
        source = self.inputs[0]
        statistics = Statistics(self._aggregator, self._prefix, source)
        return source.iterate(with_statistics(context, statistics))

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class MeasuredDataset(Dataset):
    """A dataset whose elements are measured."""

    def __init__(self, source: Dataset, tag: str, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes, [source])
        self.tag = tag

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class LatencyStatsDataset(MeasuredDataset):
    """Notes how many microseconds each element takes."""

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _LatencyIterator(self, context)


class BytesProducedStatsDataset(MeasuredDataset):
    """Notes how many bytes each element has."""

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _BytesIterator(self, context)


class _MeasuredIterator(InputIterator):
    def __init__(self, dataset: MeasuredDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._statistics = statistics_of(context)
        self._tag = dataset.tag
        self._count = 0

    def _note(self, value: int) -> None:
        """Adds what was measured of an element."""
        if self._statistics is not None:
            self._statistics.add_to_histogram(self._tag, [value], self._count)
        self._count += 1

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/count"] = self._count

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._count = int(state[f"{prefix}/count"])


class _LatencyIterator(_MeasuredIterator):
    def next(self) -> Element | None:
        start = time.perf_counter_ns()
        element = self._input.next()
        if element is not None:
            self._note((time.perf_counter_ns() - start) // 1000)
        return element


class _BytesIterator(_MeasuredIterator):
    def next(self) -> Element | None:
        element = self._input.next()
        if element is not None:
            self._note(bytes_of(element))
        return element


# Ops


def make_stats_aggregator(attrs: dict[str, Any]) -> StatsAggregator:
    return StatsAggregator()


def make_writing_stats_aggregator(attrs: dict[str, Any]) -> StatsAggregator:
    return WritingStatsAggregator()


def kernel_stats_aggregator_handle(xp: ArrayModule, *, state: StatsAggregator) -> Any:
    return handle_of(state), state


def _aggregator_of(handle: Array) -> StatsAggregator:
    found = resource_of(handle)
    if not isinstance(found, StatsAggregator):
        fail(f"Trying to access a StatsAggregator through a handle of {type(found).__name__}.")
    return found


def kernel_stats_aggregator_summary(xp: ArrayModule, iterator: Array) -> Array:
    return _aggregator_of(iterator).summary()


def kernel_stats_aggregator_set_summary_writer(
    xp: ArrayModule, stats_aggregator: Array, summary: Array
) -> tuple[()]:
    _aggregator_of(stats_aggregator).set_writer(writer_of(summary))
    return ()


def kernel_set_stats_aggregator(
    xp: ArrayModule,
    input_dataset: Array,
    stats_aggregator: Array,
    tag: Array,
    counter_prefix: Array,
    *,
    output_types: Any,
    output_shapes: Sequence[Any],
) -> Array:
    prefix = scalar_of(tag, "tag").decode()
    scalar_of(counter_prefix, "counter_prefix")
    source, aggregator = dataset_of(input_dataset), _aggregator_of(stats_aggregator)
    return variant_of(
        StatsAggregatorDataset(source, aggregator, prefix, output_types, output_shapes)
    )


def kernel_latency_stats(
    xp: ArrayModule, input_dataset: Array, tag: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    name = scalar_of(tag, "tag").decode()
    return variant_of(
        LatencyStatsDataset(dataset_of(input_dataset), name, output_types, output_shapes)
    )


def kernel_bytes_produced_stats(
    xp: ArrayModule, input_dataset: Array, tag: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    name = scalar_of(tag, "tag").decode()
    return variant_of(
        BytesProducedStatsDataset(dataset_of(input_dataset), name, output_types, output_shapes)
    )


def _register_handle(name: str, make: Callable[[dict[str, Any]], StatsAggregator]) -> None:
    register_op(
        name,
        outputs="handle: resource",
        attrs="container: string = '', shared_name: string = ''",
        shape=shapes.scalar,
        kernel=kernel_stats_aggregator_handle,
        state=make,
        resource="stats_aggregator",
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_handle("StatsAggregatorHandle", make_stats_aggregator)
_register_handle("ExperimentalStatsAggregatorHandle", make_stats_aggregator)
_register_handle("StatsAggregatorHandleV2", make_writing_stats_aggregator)

register_op(
    "StatsAggregatorSetSummaryWriter",
    inputs="stats_aggregator: resource, summary: resource",
    shape=shapes.none,
    kernel=kernel_stats_aggregator_set_summary_writer,
    runs_on=RunsOn.HOST,
    stateful=True,
)


def _register_summary(name: str) -> None:
    register_op(
        name,
        inputs="iterator: resource",
        outputs="summary: string",
        shape=shapes.scalar,
        kernel=kernel_stats_aggregator_summary,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_summary("StatsAggregatorSummary")
_register_summary("ExperimentalStatsAggregatorSummary")


def _register_set(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, stats_aggregator: resource, tag: string, "
        "counter_prefix: string",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=scalar_inputs("tag", "counter_prefix"),
        kernel=kernel_set_stats_aggregator,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_set("SetStatsAggregatorDataset")
_register_set("ExperimentalSetStatsAggregatorDataset")


def _register_measured(name: str, kernel: Any) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, tag: string",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=scalar_inputs("tag"),
        kernel=kernel,
        runs_on=RunsOn.HOST,
    )


_register_measured("LatencyStatsDataset", kernel_latency_stats)
_register_measured("ExperimentalLatencyStatsDataset", kernel_latency_stats)
_register_measured("BytesProducedStatsDataset", kernel_bytes_produced_stats)
_register_measured("ExperimentalBytesProducedStatsDataset", kernel_bytes_produced_stats)
