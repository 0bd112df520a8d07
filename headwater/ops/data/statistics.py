"""Statistics that datasets collect: the values of the handles of StatsAggregators."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from headwater.base.function_runtime import CapturedFunction
from headwater.base.handles import resource_of
from headwater.base.typing import Array
from headwater.ops.data.dataset import (
    EDGES,
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    SavedState,
)
from headwater.ops.data.optimizations import OptimizedDataset, PassThroughDataset
from headwater.ops.summary.buckets import Histogram
from headwater.ops.summary.serialized import new_summary, serialized
from headwater.ops.summary.writer_resource import SummaryWriter, new_event

# The key of the Statistics among the options of a context.
STATISTICS = "statistics"
# What TensorFlow counts for a string, beside its bytes.
_STRING_BYTES = 8


class StatsAggregator:
    """Histograms and numbers by name, which iterators in any thread change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._histograms: dict[str, Histogram] = {}
        self._scalars: dict[str, float] = {}

    def add_to_histogram(self, name: str, values: Sequence[float], step: int) -> None:
        """Adds values to a histogram; `step` is the number of elements before this one."""
        with self._lock:
            histogram = self._histograms.setdefault(name, Histogram())
            histogram.add(np.asarray(values, np.float64))

    def set_scalar(self, name: str, value: float, step: int) -> None:
        """Sets a number; `step` is the number of elements before this one."""
        with self._lock:
            self._scalars[name] = value

    def set_writer(self, writer: SummaryWriter) -> None:
        """Sets where summaries are written as they change; has no effect on most aggregators."""

    def summary(self) -> np.ndarray:
        """Everything collected so far, as a serialized Summary."""
        summary = new_summary()
        with self._lock:
            for name, histogram in self._histograms.items():
                histogram.fill(summary.value.add(tag=name).histo)
            for name, scalar in self._scalars.items():
                summary.value.add(tag=name, simple_value=scalar)
        return serialized(summary)


class WritingStatsAggregator(StatsAggregator):
    """Writes each histogram and number to a summary writer whenever it changes."""

    def __init__(self) -> None:
        super().__init__()
        self._writer: SummaryWriter | None = None

    def add_to_histogram(self, name: str, values: Sequence[float], step: int) -> None:
        super().add_to_histogram(name, values, step)
        writer = self._writer
        if writer is not None:
            event = new_event(step=step)
            with self._lock:
                self._histograms[name].fill(event.summary.value.add(tag=name).histo)
            writer.write(event)

    def set_scalar(self, name: str, value: float, step: int) -> None:
        writer = self._writer
        if writer is not None:
            event = new_event(step=step)
            event.summary.value.add(tag=name, simple_value=value)
            writer.write(event)

    def set_writer(self, writer: SummaryWriter) -> None:
        self._writer = writer

    def summary(self) -> np.ndarray:
        """An empty Summary: everything is in the writer's file."""
        return serialized(new_summary())


class Statistics:
    """A StatsAggregator as the iterators of a dataset see it.

    Args:
        aggregator: collects the statistics.
        prefix: stands before their names.
        dataset: the dataset of the iterators.
    """

    def __init__(self, aggregator: StatsAggregator, prefix: str, dataset: Dataset) -> None:
        self._aggregator = aggregator
        self._prefix = f"{prefix}::" if prefix else ""
        self._dataset = dataset
        self._names = _optimized_names(dataset)

    def add_to_histogram(self, name: str, values: Sequence[float], step: int) -> None:
        """Adds values to a histogram; `step` is the number of elements before this one."""
        self._aggregator.add_to_histogram(self._prefix + name, values, step)

    def set_scalar(self, name: str, value: float, step: int) -> None:
        """Sets a number; `step` is the number of elements before this one."""
        self._aggregator.set_scalar(self._prefix + name, value, step)

    def name_of(self, dataset: Dataset) -> str:
        """The name of the node of a dataset."""
        found = self._names.get(id(dataset))
        if found is not None:
            return found
        if dataset.origin is None:
            # A rewrite has made it.
            return f"{dataset.transformation}Dataset"
        name: str = dataset.origin.op.name
        return name


def _optimized_names(dataset: Dataset) -> dict[int, str]:
    """The names of nodes after rewrites, by the identities of datasets; none if there are none.

    TensorFlow writes a dataset to a GraphDef, in which nodes and constants are numbered, and reads
    it back.
    """
    while isinstance(dataset, PassThroughDataset):
        dataset = dataset.inputs[0]
    names: dict[int, str] = {}
    if isinstance(dataset, OptimizedDataset):
        _number_nodes(dataset.inputs[0], names, 0)
    return names


def _number_nodes(dataset: Dataset, names: dict[int, str], count: int) -> int:
    """Names a dataset and those that it uses; returns how many nodes there are."""
    if id(dataset) in names or dataset.origin is None:
        return count
    for value in dataset.origin.inputs:
        resource = resource_of(value) if np.ndim(value) == 0 else None
        if isinstance(resource, Dataset):
            count = _number_nodes(resource, names, count)
        else:
            count += 1
    names[id(dataset)] = f"{dataset.origin.op.type}/_{count}"
    return count + 1


class NodeStatistics:
    """The statistics of an iterator; their names begin with that of the dataset's node.

    Attributes:
        elements: how many elements it has made.
    """

    def __init__(self, statistics: Statistics, name: str) -> None:
        self._statistics = statistics
        self._name = name
        self.elements = 0

    def add(self, label: str, values: Sequence[float]) -> None:
        """Adds values to a histogram."""
        self._statistics.add_to_histogram(f"{self._name}::{label}", values, self.elements)

    def set(self, label: str, value: float) -> None:
        """Sets a number."""
        self._statistics.set_scalar(f"{self._name}::{label}", value, self.elements)


def node_statistics(dataset: Dataset, context: IteratorContext) -> NodeStatistics | None:
    """Where the iterator of a dataset adds its statistics; None if they are not collected."""
    statistics = statistics_of(context)
    if statistics is None:
        return None
    return NodeStatistics(statistics, statistics.name_of(dataset))


class TimedFunction:
    """A function of elements whose calls are measured.

    Args:
        function: the function.
        context: the iterator's.
        dataset: the dataset that calls it.
        threads: how many calls there may be at the same time.
    """

    def __init__(
        self, function: CapturedFunction, context: IteratorContext, dataset: Dataset, threads: int
    ) -> None:
        statistics = statistics_of(context)
        assert statistics is not None
        self._statistics = statistics
        self._call = function.instantiate(context.kept)
        self._time_name = f"{dataset.transformation}::{function.name}::execution_time"
        self._node = NodeStatistics(statistics, statistics.name_of(dataset))
        self._threads = threads
        self._lock = threading.Lock()
        self._calls = 0

    def __call__(self, element: Element) -> Element:
        """Calls the function."""
        with self._busy():
            start = time.perf_counter_ns()
            result = self._call(element)
            nanoseconds = time.perf_counter_ns() - start
        self._statistics.add_to_histogram(self._time_name, [nanoseconds], self._node.elements)
        self._node.elements += 1
        return result

    @contextmanager
    def _busy(self) -> Iterator[None]:
        self._change(1)
        try:
            yield
        finally:
            self._change(-1)

    def _change(self, calls: int) -> None:
        with self._lock:
            self._calls += calls
            self._node.set("thread_utilization", self._calls / self._threads)


class _Edge(ElementIterator):
    """Notes how many microseconds the elements of another iterator take."""

    def __init__(self, elements: ElementIterator, add: Callable[[int, int], None]) -> None:
        self._elements = elements
        self._add = add
        self._count = 0

    def next(self) -> Element | None:
        start = time.perf_counter_ns()
        element = self._elements.next()
        if element is not None:
            self._add((time.perf_counter_ns() - start) // 1000, self._count)
            self._count += 1
        return element

    def save(self, state: SavedState, prefix: str) -> None:
        self._elements.save(state, prefix)

    def restore(self, state: SavedState, prefix: str) -> None:
        self._elements.restore(state, prefix)

    def close(self) -> None:
        self._elements.close()


def with_statistics(context: IteratorContext, statistics: Statistics) -> IteratorContext:
    """The context of iterators whose statistics are collected."""

    def measured(dataset: Dataset, elements: ElementIterator) -> ElementIterator:
        name = f"record_latency::{statistics.name_of(dataset)}"

        def add(microseconds: int, step: int) -> None:
            statistics.add_to_histogram(name, [microseconds], step)

        return _Edge(elements, add)

    return replace(context, options={**context.options, STATISTICS: statistics, EDGES: measured})


def statistics_of(context: IteratorContext) -> Statistics | None:
    """Where an iterator adds its statistics; None if they are not collected."""
    found: Any = context.options.get(STATISTICS)
    return found if isinstance(found, Statistics) else None


def bytes_of(element: Element) -> int:
    """How many bytes TensorFlow counts for the components of an element."""
    return sum(map(_bytes_of_array, element))


def _bytes_of_array(array: Array) -> int:
    array = np.asarray(array)
    if array.dtype != object:
        return array.nbytes
    return sum(
        _STRING_BYTES + (len(value) if isinstance(value, bytes) else 0) for value in array.flat
    )
