"""Statistics that datasets collect: the values of the handles of StatsAggregators."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.ops.data.dataset import IteratorContext
from headwater.ops.summary.buckets import Histogram
from headwater.ops.summary.serialized import new_summary, serialized

# The key of the Statistics among the options of a context.
STATISTICS = "statistics"


class StatsAggregator:
    """Histograms and numbers by name, to which iterators in any thread add."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._histograms: dict[str, Histogram] = {}
        self._scalars: dict[str, float] = {}

    def add_to_histogram(self, name: str, values: Sequence[float]) -> None:
        """Adds values to a histogram."""
        with self._lock:
            histogram = self._histograms.setdefault(name, Histogram())
            histogram.add(np.asarray(values, np.float64))

    def set_scalar(self, name: str, value: float) -> None:
        """Sets the newest value of a number."""
        with self._lock:
            self._scalars[name] = value

    def summary(self) -> np.ndarray:
        """Everything collected so far, as a serialized Summary."""
        summary = new_summary()
        with self._lock:
            for name, histogram in self._histograms.items():
                histogram.fill(summary.value.add(tag=name).histo)
            for name, value in self._scalars.items():
                summary.value.add(tag=name, simple_value=value)
        return serialized(summary)


class Statistics:
    """A StatsAggregator as the iterators of a dataset see it.

    Args:
        aggregator: collects the statistics.
        prefix: stands before their names.
    """

    def __init__(self, aggregator: StatsAggregator, prefix: str) -> None:
        self._aggregator = aggregator
        self._prefix = f"{prefix}::" if prefix else ""

    def add_to_histogram(self, name: str, values: Sequence[float]) -> None:
        """Adds values to a histogram."""
        self._aggregator.add_to_histogram(self._prefix + name, values)

    def set_scalar(self, name: str, value: float) -> None:
        """Sets the newest value of a number."""
        self._aggregator.set_scalar(self._prefix + name, value)


def statistics_of(context: IteratorContext) -> Statistics | None:
    """Where an iterator adds its statistics; None if they are not collected."""
    found: Any = context.options.get(STATISTICS)
    return found if isinstance(found, Statistics) else None
