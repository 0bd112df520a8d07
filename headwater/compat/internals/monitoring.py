"""tensorflow.python.eager.monitoring: counters and gauges that libraries keep."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from headwater.compat.internals import internal

_Cell = TypeVar("_Cell")


class _Value:
    """A value of a metric for some labels."""

    def __init__(self, start: Any) -> None:
        self._value = start

    def set(self, value: Any) -> None:
        """Replaces the value."""
        self._value = value

    def value(self) -> Any:
        """Returns the value."""
        return self._value


class _Count(_Value):
    def increase_by(self, value: int) -> None:
        """Adds to the value."""
        self._value += value


@internal("eager.monitoring.Buckets")
class Buckets:
    """Limits between which samples are counted.

    Args:
        bucket_limits: the limits, rising.
    """

    def __init__(self, bucket_limits: Sequence[float]) -> None:
        self.limits = list(bucket_limits)


@internal("eager.monitoring.ExponentialBuckets")
class ExponentialBuckets(Buckets):
    """Limits of which each is a multiple of the one before.

    Args:
        scale: the first.
        growth_factor: the quotient.
        bucket_count: the number of limits.
    """

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        super().__init__([scale * growth_factor**i for i in range(bucket_count)])


class _Samples:
    def __init__(self, limits: list[float]) -> None:
        self._limits = limits
        self._counts = [0] * (len(limits) + 1)

    def add(self, sample: float) -> None:
        """Counts a sample."""
        self._counts[bisect_right(self._limits, sample)] += 1

    def value(self) -> list[int]:
        """Returns the counts of all buckets."""
        return list(self._counts)


@internal("eager.monitoring.Metric")
class Metric(Generic[_Cell]):
    """Values by labels.

    Args:
        name: the name of the metric.
        description: what it says.
        *labels: the names of the labels.
    """

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self.name = name
        self.description = description
        self._labels = labels
        self._cells: dict[tuple[str, ...], _Cell] = {}

    def _new(self) -> _Cell:
        raise NotImplementedError

    def get_cell(self, *labels: str) -> _Cell:
        """Returns the value for labels.

        Args:
            *labels: one per name.

        Raises:
            ValueError: if their number is another.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"The {type(self).__name__} expects taking {len(self._labels)} labels")
        if labels not in self._cells:
            self._cells[labels] = self._new()
        return self._cells[labels]


@internal("eager.monitoring.Counter")
class Counter(Metric[_Count]):
    """A number that only grows."""

    def _new(self) -> _Count:
        return _Count(0)


@internal("eager.monitoring.IntGauge")
class IntGauge(Metric[_Value]):
    """An integer."""

    def _new(self) -> _Value:
        return _Value(0)


@internal("eager.monitoring.StringGauge")
class StringGauge(Metric[_Value]):
    """A text."""

    def _new(self) -> _Value:
        return _Value("")


@internal("eager.monitoring.BoolGauge")
class BoolGauge(Metric[_Value]):
    """True or False."""

    def _new(self) -> _Value:
        return _Value(False)


@internal("eager.monitoring.Sampler")
class Sampler(Metric[_Samples]):
    """Counts samples in buckets.

    Args:
        name: the name of the metric.
        buckets: the Buckets.
        description: what it says.
        *labels: the names of the labels.
    """

    def __init__(self, name: str, buckets: Buckets, description: str, *labels: str) -> None:
        super().__init__(name, description, *labels)
        self._limits = buckets.limits

    def _new(self) -> _Samples:
        return _Samples(self._limits)
