"""Counters and gauges of a process, as `tensorflow.python.eager.monitoring` has them.

A metric has one cell for each combination of its labels. Metrics are kept in this process; nothing
is sent anywhere.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, ClassVar

_MAX_LABELS = 3


class Cell:
    """The value of a metric for one combination of labels."""

    initial: ClassVar[Any] = 0

    def __init__(self) -> None:
        self._value = self.initial
        self._lock = threading.Lock()

    def value(self) -> Any:
        """Returns the current value."""
        return self._value


class CounterCell(Cell):
    """A count that only grows."""

    def increase_by(self, value: int) -> None:
        """Adds to the count.

        Args:
            value: what is added, not negative.
        """
        with self._lock:
            self._value += value


class IntGaugeCell(Cell):
    """An integer."""

    def set(self, value: Any) -> None:
        """Replaces the value.

        Args:
            value: the new value.
        """
        self._value = value


class StringGaugeCell(IntGaugeCell):
    """A string."""

    initial = ""


class BoolGaugeCell(IntGaugeCell):
    """A boolean."""

    initial = False


class Metric:
    """The base of metrics: cells by labels.

    Args:
        name: the name, like a path.
        description: what is measured.
        *labels: the names of the labels, at most 2.

    Raises:
        ValueError: if there are too many labels.
    """

    cell_class: ClassVar[type[Cell]]

    def __init__(self, name: str, description: str, *labels: str) -> None:
        if len(labels) >= _MAX_LABELS:
            raise ValueError(
                f"Cannot create {type(self).__name__} metric with label >= {_MAX_LABELS}"
            )
        self._name = name
        self._description = description
        self._label_length = len(labels)
        self._cells: dict[tuple[str, ...], Cell] = {}

    def get_cell(self, *labels: str) -> Any:
        """Returns the cell of a combination of labels.

        Args:
            *labels: the value of each label.

        Returns:
            The cell, always the same one.

        Raises:
            ValueError: if there are more or fewer labels than the metric has.
        """
        if len(labels) != self._label_length:
            raise ValueError(
                f"The {type(self).__name__} expects taking {self._label_length} labels"
            )
        if labels not in self._cells:
            self._cells[labels] = self._new_cell()
        return self._cells[labels]

    def _new_cell(self) -> Any:
        return self.cell_class()


class Counter(Metric):
    """Counts that only grow."""

    cell_class = CounterCell


class IntGauge(Metric):
    """Integers."""

    cell_class = IntGaugeCell


class StringGauge(Metric):
    """Strings."""

    cell_class = StringGaugeCell


class BoolGauge(Metric):
    """Booleans."""

    cell_class = BoolGaugeCell


class Buckets:
    """Limits between which samples are counted.

    Args:
        bucket_limits: the limits, rising.
    """

    def __init__(self, bucket_limits: Sequence[float]) -> None:
        self.limits = list(bucket_limits)


class ExponentialBuckets(Buckets):
    """Limits of which each is a multiple of the one before.

    Args:
        scale: the first.
        growth_factor: the quotient.
        bucket_count: the number of limits.
    """

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        super().__init__([scale * growth_factor**i for i in range(bucket_count)])


class SamplerCell(Cell):
    """Counts of samples in buckets.

    Args:
        limits: the limits of the buckets, rising.
    """

    def __init__(self, limits: Sequence[float]) -> None:
        super().__init__()
        self._limits = limits
        self._value = [0] * (len(limits) + 1)

    def add(self, sample: float) -> None:
        """Counts a sample.

        Args:
            sample: a number.
        """
        with self._lock:
            self._value[bisect_right(self._limits, sample)] += 1

    def value(self) -> list[int]:
        """Returns the counts of all buckets."""
        return list(self._value)


class Sampler(Metric):
    """Counts of samples in buckets.

    Args:
        name: the name, like a path.
        buckets: the Buckets.
        description: what is measured.
        *labels: the names of the labels, at most 2.
    """

    def __init__(self, name: str, buckets: Buckets, description: str, *labels: str) -> None:
        super().__init__(name, description, *labels)
        self._limits = buckets.limits

    def _new_cell(self) -> SamplerCell:
        return SamplerCell(self._limits)
