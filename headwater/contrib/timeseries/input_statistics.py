"""Means, variances and times of a series, gathered from its windows while a model is trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.base import dtypes, nest
from headwater.base.typing import DTypeLike
from headwater.contrib.timeseries.feature_keys import TrainEvalFeatures
from headwater.graph import Operation, Tensor, group
from headwater.graph.default_graph import control_dependencies
from headwater.model.nn.moments import moments
from headwater.model.variables.initializers import Ones, Zeros
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.shape import shape, size
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity, no_op
from headwater.ops.math.arg_extrema import argmin
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import less_equal
from headwater.ops.math.extrema import maximum, minimum
from headwater.ops.math.reduce_functions import reduce_max, reduce_min, reduce_sum
from headwater.ops.math.rounding import round_


class Moments(NamedTuple("Moments", [("mean", Any), ("variance", Any)])):
    """Mean and variance of each feature."""

    __slots__ = ()


class InputStatistics(
    NamedTuple(
        "InputStatistics",
        [
            ("series_start_moments", Any),
            ("overall_feature_moments", Any),
            ("start_time", Any),
            ("total_observation_count", Any),
        ],
    )
):
    """What is known of a series: the moments of its start and of all of it, its start, its length.

    The length is the number of observations between the first and the last time, estimated from the
    mean time between observations: not the number of observations that training has seen.
    """

    __slots__ = ()


class _Auxiliary(NamedTuple):
    """Sums from which the statistics follow."""

    max_time_seen: Variable
    chunk_count: Variable
    inter_observation_duration_sum: Variable
    example_count: Variable
    overall_feature_sum: Variable
    overall_feature_sum_of_squares: Variable


class InputStatisticsFromMiniBatch:
    """Statistics that are updated from each batch of windows."""

    def __init__(
        self, num_features: int, dtype: DTypeLike, starting_variance_window_size: int = 16
    ) -> None:
        """Args:
        num_features: the number of features.
        dtype: the type of the values.
        starting_variance_window_size: how many values are the start of the series.
        """
        self._num_features = num_features
        self._dtype = dtypes.as_dtype(dtype)
        self._starting_variance_window_size = starting_variance_window_size

    def initialize_graph(
        self, features: Mapping[str, Tensor], update_statistics: bool = True
    ) -> InputStatistics:
        """Makes the variables, and ops that update them.

        Args:
            features: times [batch, window] and values [batch, window, features].
            update_statistics: whether reading the statistics takes this batch in.

        Returns:
            The statistics.
        """
        with variable_scope("input_statistics", use_resource=True):
            statistics = self._create_variable_statistics_object()
        # A prediction has no values.
        if TrainEvalFeatures.VALUES not in features:
            return statistics
        times = features[TrainEvalFeatures.TIMES]
        values = features[TrainEvalFeatures.VALUES]
        with variable_scope("input_statistics_auxiliary", use_resource=True):
            auxiliary = self._create_auxiliary_variables()
        if not update_statistics:
            return statistics
        with control_dependencies([self._update(statistics, auxiliary, times, values)]):
            current = nest.map_structure(identity, statistics)
            # The lookup of cached states depends on the start: it must not be after this batch's.
            start = minimum(current.start_time, reduce_min(times))
            return current._replace(start_time=start)

    def _variable(self, name: str, shape: list[int], initializer: Any, dtype: Any = None) -> Any:
        return get_variable(
            name, shape, dtype or self._dtype, initializer=initializer, trainable=False
        )

    def _create_variable_statistics_object(self) -> InputStatistics:
        per_feature = [self._num_features]
        start = Moments(
            self._variable("series_start_mean", per_feature, Zeros()),
            self._variable("series_start_variance", per_feature, Ones()),
        )
        overall = Moments(
            self._variable("overall_feature_mean", per_feature, Zeros()),
            self._variable("overall_feature_var", per_feature, Ones()),
        )
        start_time = get_variable(
            "start_time", dtype=dtypes.int64, initializer=dtypes.int64.max, trainable=False
        )
        count = self._variable("total_observation_count", [], Ones(), dtypes.int64)
        return InputStatistics(start, overall, start_time, count)

    def _create_auxiliary_variables(self) -> _Auxiliary:
        last_time = get_variable(
            "max_time_seen", dtype=dtypes.int64, initializer=dtypes.int64.min, trainable=False
        )
        per_feature = [self._num_features]
        return _Auxiliary(
            last_time,
            self._variable("chunk_count", [], Zeros(), dtypes.int64),
            self._variable("inter_observation_duration_sum", [], Zeros()),
            self._variable("example_count", [], Zeros(), dtypes.int64),
            self._variable("overall_feature_sum", per_feature, Zeros()),
            self._variable("overall_feature_sum_of_squares", per_feature, Zeros()),
        )

    def _update(
        self, statistics: InputStatistics, auxiliary: _Auxiliary, times: Tensor, values: Tensor
    ) -> Operation:
        values = cast(values, self._dtype)
        with control_dependencies([self._added_up(auxiliary, times, values)]):
            return group(
                *self._overall_moments(statistics, auxiliary),
                *self._start_and_length(statistics, auxiliary, times, values),
            )

    def _added_up(self, auxiliary: _Auxiliary, times: Tensor, values: Tensor) -> Operation:
        spans = cast(reduce_max(times, axis=1) - reduce_min(times, axis=1), self._dtype)
        durations = spans / cast(shape(times)[1] - 1, self._dtype)
        last_time = maximum(auxiliary.max_time_seen, reduce_max(times))
        return group(
            auxiliary.max_time_seen.assign(last_time),
            auxiliary.chunk_count.assign_add(shape(times, out_type=dtypes.int64)[0]),
            auxiliary.inter_observation_duration_sum.assign_add(reduce_sum(durations)),
            auxiliary.example_count.assign_add(size(times, out_type=dtypes.int64)),
            auxiliary.overall_feature_sum.assign_add(reduce_sum(values, axis=[0, 1])),
            auxiliary.overall_feature_sum_of_squares.assign_add(reduce_sum(values**2, axis=[0, 1])),
        )

    def _overall_moments(
        self, statistics: InputStatistics, auxiliary: _Auxiliary
    ) -> tuple[Tensor, Tensor]:
        count = cast(auxiliary.example_count, self._dtype)
        mean = auxiliary.overall_feature_sum / count
        unbiased = count / (count - 1.0)
        variance = unbiased * (auxiliary.overall_feature_sum_of_squares / count - mean**2)
        return (
            statistics.overall_feature_moments.mean.assign(mean),
            statistics.overall_feature_moments.variance.assign(variance),
        )

    def _start_and_length(
        self, statistics: InputStatistics, auxiliary: _Auxiliary, times: Tensor, values: Tensor
    ) -> tuple[Any, ...]:
        earliest = cast(argmin(times[:, 0]), dtypes.int32)

        def assign_start_moments() -> Operation:
            start = values[earliest, : self._starting_variance_window_size]
            mean, variance = moments(start, axes=[0])
            return group(
                statistics.series_start_moments.mean.assign(mean),
                statistics.series_start_moments.variance.assign(variance),
            )

        start_moments = cond(
            less_equal(times[earliest, 0], statistics.start_time), assign_start_moments, no_op
        )
        with control_dependencies([start_moments]):
            start_time = statistics.start_time.assign(
                minimum(statistics.start_time, reduce_min(times))
            )
        duration = auxiliary.inter_observation_duration_sum / cast(
            auxiliary.chunk_count, self._dtype
        )
        with control_dependencies([start_time]):
            span = cast(auxiliary.max_time_seen - statistics.start_time + 1, self._dtype)
            count = cast(round_(span / duration), dtypes.int64)
            length = statistics.total_observation_count.assign(count)
        return start_moments, start_time, length
