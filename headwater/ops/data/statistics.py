"""Statistics that datasets collect: the values of the handles of StatsAggregators."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.typing import Array
from headwater.ops.data.dataset import Element, IteratorContext
from headwater.ops.summary.buckets import Histogram
from headwater.ops.summary.serialized import new_summary, serialized
from headwater.ops.summary.writer_resource import SummaryWriter, new_event

# The key of the Statistics among the options of a context.
STATISTICS = "statistics"
# What TensorFlow counts for a string, beside its bytes.
_STRING_BYTES = 8


class StatsAggregator:
    """Histograms by name, to which iterators in any thread add."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._histograms: dict[str, Histogram] = {}

    def add_to_histogram(self, name: str, values: Sequence[float], step: int) -> None:
        """Adds values to a histogram; `step` is the number of elements before this one."""
        with self._lock:
            histogram = self._histograms.setdefault(name, Histogram())
            histogram.add(np.asarray(values, np.float64))

    def set_writer(self, writer: SummaryWriter) -> None:
        """Sets where summaries are written as they change; has no effect on most aggregators."""

    def summary(self) -> np.ndarray:
        """Everything collected so far, as a serialized Summary."""
        summary = new_summary()
        with self._lock:
            for name, histogram in self._histograms.items():
                histogram.fill(summary.value.add(tag=name).histo)
        return serialized(summary)


class WritingStatsAggregator(StatsAggregator):
    """Writes each histogram to a summary writer whenever it changes."""

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
    """

    def __init__(self, aggregator: StatsAggregator, prefix: str) -> None:
        self._aggregator = aggregator
        self._prefix = f"{prefix}::" if prefix else ""

    def add_to_histogram(self, name: str, values: Sequence[float], step: int) -> None:
        """Adds values to a histogram; `step` is the number of elements before this one."""
        self._aggregator.add_to_histogram(self._prefix + name, values, step)


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
