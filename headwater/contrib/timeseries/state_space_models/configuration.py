"""The options that all state space models share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.base.typing import DTypeLike
from headwater.contrib.timeseries.math_utils import log_noninformative_covariance_prior
from headwater.contrib.timeseries.state_space_models.filtering_postprocessor import (
    FilteringStepPostprocessor,
)
from headwater.graph import Tensor


class StateSpaceModelConfiguration(
    NamedTuple(
        "StateSpaceModelConfiguration",
        [
            ("num_features", int),
            ("use_observation_noise", bool),
            ("dtype", Any),
            ("covariance_prior_fn", Callable[[Tensor], Tensor]),
            ("bayesian_prior_weighting", bool),
            ("filtering_postprocessor", Any),
            ("trainable_start_state", bool),
            ("exogenous_noise_increases", bool),
            ("exogenous_noise_decreases", bool),
            ("exogenous_feature_columns", list[Any]),
            ("exogenous_update_condition", Any),
            ("filtering_maximum_posterior_variance_ratio", float),
            ("filtering_minimum_posterior_variance", float),
            ("transition_covariance_initial_log_scale_bias", float),
            ("static_unrolling_window_size_threshold", Any),
        ],
    )
):
    """The options of a state space model.

    Args:
        num_features: the number of values at each time.
        use_observation_noise: whether observations have noise of their own.
        dtype: the type of values.
        covariance_prior_fn: the log of a prior of covariances.
        bayesian_prior_weighting: whether priors count once a series, or once a window.
        filtering_postprocessor: a FilteringStepPostprocessor.
        trainable_start_state: whether the state before all observations is trained.
        exogenous_noise_increases: whether exogenous regressors add to the state, with noise.
        exogenous_noise_decreases: whether they are observations of the state.
        exogenous_feature_columns: their feature columns.
        exogenous_update_condition: a function of times and exogenous features that says whose state
            is updated.
        filtering_maximum_posterior_variance_ratio: how much variances of the state may differ.
        filtering_minimum_posterior_variance: a lower bound for these variances.
        transition_covariance_initial_log_scale_bias: the log scale of transition noise at the
            start, relative to that of observation noise.
        static_unrolling_window_size_threshold: windows of at most this length are not loops.
    """

    __slots__ = ()

    def __new__(
        cls,
        num_features: int = 1,
        use_observation_noise: bool = True,
        dtype: DTypeLike = dtypes.float32,
        covariance_prior_fn: Callable[[Tensor], Tensor] = log_noninformative_covariance_prior,
        bayesian_prior_weighting: bool = True,
        filtering_postprocessor: FilteringStepPostprocessor | None = None,
        trainable_start_state: bool = False,
        exogenous_noise_increases: bool = True,
        exogenous_noise_decreases: bool = False,
        exogenous_feature_columns: Sequence[Any] | None = None,
        exogenous_update_condition: Callable[..., Tensor] | None = None,
        filtering_maximum_posterior_variance_ratio: float = 1e6,
        filtering_minimum_posterior_variance: float = 0.0,
        transition_covariance_initial_log_scale_bias: float = -5.0,
        static_unrolling_window_size_threshold: int | None = None,
    ) -> StateSpaceModelConfiguration:
        return super().__new__(
            cls,
            num_features,
            use_observation_noise,
            dtypes.as_dtype(dtype),
            covariance_prior_fn,
            bayesian_prior_weighting,
            filtering_postprocessor,
            trainable_start_state,
            exogenous_noise_increases,
            exogenous_noise_decreases,
            list(exogenous_feature_columns or []),
            exogenous_update_condition,
            filtering_maximum_posterior_variance_ratio,
            filtering_minimum_posterior_variance,
            transition_covariance_initial_log_scale_bias,
            static_unrolling_window_size_threshold,
        )


DEFAULT_CONFIGURATION = StateSpaceModelConfiguration()
