"""Linear Gaussian state space models.

A state changes linearly from one time to the next, with Gaussian noise; observations are linear in
the state, with Gaussian noise, too. Times without observations are powers of the transition.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import Array, TensorLike
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.contrib.timeseries.input_statistics import InputStatistics
from headwater.contrib.timeseries.math_utils import (
    clip_covariance,
    matrix_to_powers,
    power_sums_tensor,
    transform_to_covariance_matrices,
    variable_covariance_matrix,
)
from headwater.contrib.timeseries.model import SequentialTimeSeriesModel
from headwater.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from headwater.contrib.timeseries.state_space_models.kalman_filter import KalmanFilter
from headwater.contrib.timeseries.state_space_models.sampling import (
    random_parameters,
    sample_series,
)
from headwater.estimator.mode_keys import ModeKeys
from headwater.graph import Tensor, convert_to_tensor
from headwater.graph.default_graph import control_dependencies
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.tile import tile
from headwater.ops.array.unique import unique
from headwater.ops.control.assertion import assert_
from headwater.ops.linalg.diagonal import eye
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal, less_equal
from headwater.ops.math.exponential import log
from headwater.ops.math.extrema import maximum
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_all, reduce_max, reduce_mean


class StateSpaceModel(SequentialTimeSeriesModel):
    """A model that is defined by its matrices.

    A subclass has `get_state_transition`, `get_noise_transform` and `get_observation_model`.

    Args:
        configuration: a StateSpaceModelConfiguration.
    """

    def __init__(self, configuration: StateSpaceModelConfiguration) -> None:
        self._configuration = configuration
        added = []
        if configuration.filtering_postprocessor is not None:
            added = list(configuration.filtering_postprocessor.output_names)
        super().__init__(
            train_output_names=["mean", "covariance", "log_likelihood", *added],
            predict_output_names=["mean", "covariance"],
            num_features=configuration.num_features,
            normalize_features=True,
            dtype=configuration.dtype,
            exogenous_feature_columns=configuration.exogenous_feature_columns,
            exogenous_update_condition=configuration.exogenous_update_condition,
            static_unrolling_window_size_threshold=(
                configuration.static_unrolling_window_size_threshold
            ),
        )
        self._kalman_filter = KalmanFilter(dtype=self.dtype)
        # The variables of a part of an ensemble are in the scope in which the part was made.
        self._variable_scope = get_variable_scope()
        self.prior_state_mean: Any = None
        self.prior_state_var: Any = None
        self.state_transition_noise_covariance: Any = None
        self._observation_noise_covariance: Any = None
        self._observation_transition_tradeoff_log: Any = None
        self._gaps: Any = None
        self._gap_powers: Any = None
        self._gap_noise: Any = None

    @abstractmethod
    def get_state_transition(self) -> TensorLike:
        """Returns the matrix of one step, [state, state]."""

    @abstractmethod
    def get_noise_transform(self) -> TensorLike:
        """Returns the matrix from noise to states, [state, noise]."""

    @abstractmethod
    def get_observation_model(self, times: Tensor) -> TensorLike:
        """Returns the matrix from states to observations.

        Args:
            times: [batch].

        Returns:
            A tensor [state], [features, state] or [batch, features, state].
        """

    def transition_to_powers(self, powers: Tensor) -> Tensor:
        """Returns the transition of as many steps as `powers` [k] says: [k, state, state]."""
        return matrix_to_powers(
            convert_to_tensor(self.get_state_transition(), dtype=self.dtype), powers
        )

    def transition_power_noise_accumulator(self, num_steps: Tensor) -> Tensor:
        """Returns the covariance of the noise of numbers of steps [k]: [k, state, state]."""
        transform = convert_to_tensor(self.get_noise_transform(), dtype=self.dtype)
        noise = matmul(
            matmul(transform, self.state_transition_noise_covariance), transform, adjoint_b=True
        )
        sums = power_sums_tensor(
            array_size=reduce_max(num_steps) + 1,
            power_matrix=convert_to_tensor(self.get_state_transition(), dtype=self.dtype),
            multiplier=noise,
        )
        return gather(sums, num_steps)

    def _window_initializer(self, times: Tensor, state: Any) -> None:
        """Computes transitions of all gaps between the times of a window, each of them once."""
        _, _, state_times = state
        between = reshape(times[:, 1:] - times[:, :-1], [-1])
        before = maximum(times[:, 0] - state_times, 0)
        self._gaps, _ = unique(concat([between, before], 0))
        self._gap_noise = self.transition_power_noise_accumulator(self._gaps)
        self._gap_powers = self.transition_to_powers(self._gaps)

    def _cached_transition_powers_and_sums(self, num_steps: Tensor) -> tuple[Tensor, Tensor]:
        places = argmax(cast(equal(num_steps[:, None], self._gaps[None, :]), dtypes.int32), axis=1)
        return gather(self._gap_powers, places), gather(self._gap_noise, places)

    def _imputation_step(self, current_times: Tensor, state: Any) -> Any:
        mean, covariance, previous_times = state
        steps = maximum(current_times - previous_times, 0)
        transitions, noise = self._cached_transition_powers_and_sums(steps)
        return (
            self._kalman_filter.predict_state_mean(mean, transitions),
            self._kalman_filter.predict_state_var(covariance, transitions, noise),
            previous_times + steps,
        )

    def _filtering_step(
        self, current_times: Tensor, current_values: Tensor, state: Any, predictions: Any
    ) -> tuple[Any, dict[str, Tensor]]:
        mean, covariance, state_times = state
        observation_model = self.get_broadcasted_observation_model(current_times)
        at_this_time = assert_(
            reduce_all(equal(state_times, current_times)),
            ["Attempted to perform filtering without imputation/prediction"],
        )
        with control_dependencies([at_this_time]):
            covariance = clip_covariance(
                covariance,
                self._configuration.filtering_maximum_posterior_variance_ratio,
                self._configuration.filtering_minimum_posterior_variance,
            )
        filtered_mean, filtered_covariance, log_likelihood = self._kalman_filter.do_filter(
            estimated_state=mean,
            estimated_state_covariance=covariance,
            predicted_observation=predictions["mean"],
            predicted_observation_covariance=predictions["covariance"],
            observation=current_values,
            observation_model=observation_model,
            observation_noise=self._observation_noise_covariance,
        )
        outputs = {
            **predictions,
            "loss": -log_likelihood,
            "log_likelihood": log_likelihood,
        }
        filtered_state = (filtered_mean, filtered_covariance, current_times)
        postprocessor = self._configuration.filtering_postprocessor
        if postprocessor is None:
            return filtered_state, outputs
        return postprocessor.process_filtering_step(
            current_times=current_times,
            current_values=current_values,
            predicted_state=state,
            filtered_state=filtered_state,
            outputs=outputs,
        )

    def _scale_back_predictions(self, predictions: dict[str, Tensor]) -> dict[str, Tensor]:
        predictions["mean"] = self._scale_back_data(predictions["mean"])
        predictions["covariance"] = self._scale_back_variance(predictions["covariance"])
        return predictions

    def _prediction_step(self, current_times: Tensor, state: Any) -> tuple[Any, dict[str, Tensor]]:
        mean, covariance, previous_times = state
        not_behind = assert_(
            reduce_all(less_equal(current_times, previous_times)),
            ["Attempted to predict without imputation"],
        )
        with control_dependencies([not_behind]):
            observation_model = self.get_broadcasted_observation_model(current_times)
        observed_mean, observed_covariance = self._kalman_filter.observed_from_state(
            state_mean=mean,
            state_var=covariance,
            observation_model=observation_model,
            observation_noise=self._observation_noise_covariance,
        )
        observed_mean.set_shape([mean.shape[0], self.num_features])
        predictions = {"mean": observed_mean, "covariance": observed_covariance}
        return (mean, covariance, current_times), predictions

    def _exogenous_noise_decreasing(
        self, current_times: Tensor, exogenous_values: Tensor, state: Any
    ) -> Any:
        """The state after a noisy observation of it that exogenous values give."""
        mean, covariance, times = state
        size = self._state_size()
        with variable_scope("exogenous_noise_decreasing_covariance"):
            noise = transform_to_covariance_matrices(exogenous_values, size)
        with variable_scope("exogenous_noise_decreasing_observation"):
            observation = fully_connected(exogenous_values, size, activation_fn=None)
        mean, covariance = self._kalman_filter.posterior_from_prior_state(
            prior_state=mean,
            prior_state_var=covariance,
            observation=observation,
            observation_model=eye(size, batch_shape=[shape(covariance)[0]], dtype=self.dtype),
            predicted_observations=(mean, noise + covariance),
            observation_noise=noise,
        )
        return mean, covariance, times

    def _exogenous_noise_increasing(
        self, current_times: Tensor, exogenous_values: Tensor, state: Any
    ) -> Any:
        """The state after something noisy has been added to it."""
        mean, covariance, times = state
        size = self._state_size()
        with variable_scope("exogenous_noise_increasing_mean"):
            added_mean = fully_connected(exogenous_values, size, activation_fn=None)
        with variable_scope("exogenous_noise_increasing_covariance"):
            added_covariance = transform_to_covariance_matrices(exogenous_values, size)
        return mean + added_mean, covariance + added_covariance, times

    def _exogenous_input_step(
        self, current_times: Tensor, current_exogenous_regressors: Tensor, state: Any
    ) -> Any:
        if self._configuration.exogenous_noise_decreases:
            state = self._exogenous_noise_decreasing(
                current_times, current_exogenous_regressors, state
            )
        if self._configuration.exogenous_noise_increases:
            state = self._exogenous_noise_increasing(
                current_times, current_exogenous_regressors, state
            )
        return state

    def _state_size(self) -> int:
        return convert_to_tensor(self.get_state_transition(), dtype=self.dtype).shape[0].value

    def _loss_additions(self, times: Tensor, values: Tensor, mode: str) -> TensorLike:
        """The priors of both covariances, for training."""
        if mode != ModeKeys.TRAIN:
            return 0.0
        if self._configuration.bayesian_prior_weighting and self._input_statistics is not None:
            count = self._input_statistics.total_observation_count
        else:
            count = shape(times)[1]
        weight = 1.0 / cast(count, self.dtype)
        prior = self._configuration.covariance_prior_fn(self.state_transition_noise_covariance)
        if self._configuration.use_observation_noise:
            prior = prior + self._configuration.covariance_prior_fn(
                self._observation_noise_covariance
            )
        return -weight * prior

    def _variable_observation_transition_tradeoff_log(self) -> Tensor:
        """A variable that makes observations more and transitions less noisy, or the reverse."""
        bias = self._configuration.transition_covariance_initial_log_scale_bias
        return get_variable(
            name="observation_transition_tradeoff_log_scale",
            initializer=constant(-bias, dtype=self.dtype),
            dtype=self.dtype,
            trainable=True,
        )

    def _define_parameters(self, observation_transition_tradeoff_log: Tensor | None = None) -> None:
        """Makes the covariances.

        Args:
            observation_transition_tradeoff_log: the variable of an ensemble.
        """
        with variable_scope(self._variable_scope):
            if observation_transition_tradeoff_log is None:
                observation_transition_tradeoff_log = (
                    self._variable_observation_transition_tradeoff_log()
                )
            self._observation_transition_tradeoff_log = observation_transition_tradeoff_log
            self.state_transition_noise_covariance = self.get_state_transition_noise_covariance()
            self._observation_noise_covariance = self.get_observation_noise_covariance()

    def _set_input_statistics(self, input_statistics: InputStatistics | None = None) -> None:
        super().initialize_graph(input_statistics=input_statistics)

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """Makes the parameters.

        Args:
            input_statistics: the statistics by which values are scaled.
        """
        self._set_input_statistics(input_statistics=input_statistics)
        self._define_parameters()
        self._make_priors()

    def _make_priors(self) -> None:
        self.prior_state_var = self.get_prior_covariance()
        self.prior_state_mean = self.get_prior_mean()

    def get_prior_covariance(self) -> Tensor:
        """Returns the covariance of the state before all observations."""
        with variable_scope(self._variable_scope):
            size = self._state_size()
            if self._configuration.trainable_start_state:
                covariance = variable_covariance_matrix(size, "prior_state_var", dtype=self.dtype)
            else:
                covariance = eye(size, dtype=self.dtype)
            if self._input_statistics is None:
                return covariance
            # At least as uncertain as the values at the start of the series.
            variance = self._scale_variance(self._input_statistics.series_start_moments.variance)
            return covariance * maximum(reduce_max(variance), 1.0)

    def get_prior_mean(self) -> Tensor:
        """Returns the mean of the state before all observations."""
        with variable_scope(self._variable_scope):
            return get_variable(
                name="prior_state_mean",
                shape=[self._state_size()],
                dtype=self.dtype,
                trainable=self._configuration.trainable_start_state,
            )

    def get_state_transition_noise_covariance(
        self, minimum_initial_variance: float = 1e-5
    ) -> Tensor:
        """Returns the covariance of the noise of a transition, which is trained.

        Args:
            minimum_initial_variance: a lower bound at the start.
        """
        transform = convert_to_tensor(self.get_noise_transform(), dtype=self.dtype)
        scale: Any = 0.0
        if self._input_statistics is not None:
            statistics = self._input_statistics
            variance = reduce_mean(
                self._scale_variance(statistics.series_start_moments.variance)
            ) / cast(statistics.total_observation_count, self.dtype)
            scale = log(maximum(variance, minimum_initial_variance))
        return variable_covariance_matrix(
            transform.shape[1].value,
            "state_transition_noise",
            dtype=self.dtype,
            initial_overall_scale_log=scale - self._observation_transition_tradeoff_log,
        )

    def get_observation_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Tensor:
        """Returns the covariance of the noise of observations, which is trained.

        Args:
            minimum_initial_variance: a lower bound at the start.
        """
        if not self._configuration.use_observation_noise:
            return zeros(
                [self.num_features, self.num_features],
                name="observation_noise_covariance",
                dtype=self.dtype,
            )
        variance = None
        if self._input_statistics is not None:
            start = self._scale_variance(self._input_statistics.series_start_moments.variance)
            variance = maximum(start, minimum_initial_variance)
        return variable_covariance_matrix(
            size=self.num_features,
            dtype=self.dtype,
            name="observation_noise_covariance",
            initial_diagonal_values=variance,
            initial_overall_scale_log=self._observation_transition_tradeoff_log,
        )

    def get_start_state(self) -> tuple[Tensor, Tensor, Tensor]:
        """Returns mean, covariance and time of the state before all observations."""
        if self._input_statistics is None:
            start_time = zeros([], dtype=dtypes.int64)
        else:
            start_time = self._input_statistics.start_time
        return self.prior_state_mean, self.prior_state_var, start_time - 1

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """Returns the observation model of times [batch]: [batch, features, state]."""
        model = convert_to_tensor(self.get_observation_model(times), dtype=self.dtype)
        if model.shape.ndims is None:
            raise NotImplementedError("Unknown-rank observation models are not supported.")
        if model.shape.ndims == 1:
            model = reshape(model, [1, 1, -1])
            return tile(model, [shape(times)[0], self.num_features, 1])
        if model.shape.ndims == 2:
            return tile(expand_dims(model, 0), [shape(times)[0], 1, 1])
        return model

    def random_model_parameters(self, seed: int | None = None) -> dict[Any, Array]:
        """Returns random values of the parameters, by reference: arguments of `generate`."""
        return random_parameters(self, seed)

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Mapping[Any, Any] | None = None,
        seed: int | None = None,
        add_observation_noise: bool | None = None,
    ) -> dict[str, Array]:
        """Samples series from the model, with the parameters of the default session.

        Args:
            number_of_series: how many.
            series_length: their length.
            model_parameters: values that replace parameters, from `random_model_parameters`.
            seed: a seed of NumPy.
            add_observation_noise: whether observations have noise; by default as in the model.

        Returns:
            Times [number, length] and values [number, length, features].
        """
        if add_observation_noise is None:
            add_observation_noise = self._configuration.use_observation_noise
        return sample_series(
            self, number_of_series, series_length, model_parameters, seed, add_observation_noise
        )
