"""Statistics of datasets: StatsAggregator, latency_stats, bytes_produced_stats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import structure
from headwater.graph import Tensor, build, convert_to_tensor


@export("data.experimental.StatsAggregator")
class StatsAggregator:
    """Collects the statistics of the datasets whose options name it.

    Example:
        >>> aggregator = tf.data.experimental.StatsAggregator()
        >>> options = tf.data.Options()
        >>> options.experimental_stats.aggregator = aggregator
        >>> dataset = tf.data.Dataset.range(3)
        >>> dataset = dataset.apply(tf.data.experimental.bytes_produced_stats("bytes"))
        >>> iterator = dataset.with_options(options).make_initializable_iterator()
        >>> with tf.Session() as session:
        ...     session.run(iterator.initializer)
        ...     for _ in range(3):
        ...         _ = session.run(iterator.get_next())
        ...     serialized = session.run(aggregator.get_summary())
        >>> print(tf.Summary.FromString(serialized).value[0].histo.sum)
        24.0
    """

    def __init__(self) -> None:
        self._resource = build.StatsAggregatorHandle()

    def get_summary(self) -> Tensor:
        """A string scalar: what has been collected, as a serialized Summary."""
        summary: Tensor = build.StatsAggregatorSummary(self._resource)
        return summary

    def _collects(self, variant: Tensor, prefix: str, counter_prefix: str, attrs: Any) -> Tensor:
        """The variant of a dataset whose statistics are collected."""
        collected: Tensor = build.SetStatsAggregatorDataset(
            variant, self._resource, prefix, counter_prefix, **attrs
        )
        return collected


def set_stats_aggregator(
    stats_aggregator: StatsAggregator, prefix: str = "", counter_prefix: str = ""
) -> Callable[[Any], Any]:
    """A dataset whose statistics are collected.

    Args:
        stats_aggregator: a StatsAggregator.
        prefix: what stands before the names of the statistics.
        counter_prefix: what stands before the names of counters.

    Returns:
        A function from a dataset to a dataset.
    """

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        attrs = structure.flat_attrs(spec)
        variant = dataset._variant_tensor
        collected = stats_aggregator._collects(variant, prefix, counter_prefix, attrs)
        return dataset._derived(collected, spec)

    return apply


@export("data.experimental.latency_stats")
def latency_stats(tag: TensorLike) -> Callable[[Any], Any]:
    """The same elements; a StatsAggregator gets the microseconds that each of them takes.

    Args:
        tag: the name of the histogram.

    Returns:
        A function from a dataset to a dataset.
    """

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        attrs = structure.flat_attrs(spec)
        variant = build.LatencyStatsDataset(dataset._variant_tensor, _tag(tag), **attrs)
        return dataset._derived(variant, spec)

    return apply


@export("data.experimental.bytes_produced_stats")
def bytes_produced_stats(tag: TensorLike) -> Callable[[Any], Any]:
    """The same elements; a StatsAggregator gets the number of bytes of each of them.

    Args:
        tag: the name of the histogram.

    Returns:
        A function from a dataset to a dataset.
    """

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        attrs = structure.flat_attrs(spec)
        variant = build.BytesProducedStatsDataset(dataset._variant_tensor, _tag(tag), **attrs)
        return dataset._derived(variant, spec)

    return apply


def _tag(tag: TensorLike) -> Tensor:
    return convert_to_tensor(tag, dtype=dtypes.string)
