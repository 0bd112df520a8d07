"""What is done with the state after each filtering step: anomalies are not taken in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from headwater.base import dtypes, nest
from headwater.contrib.timeseries.math_utils import cauchy_log_prob, entropy_matched_cauchy_scale
from headwater.graph import Tensor, convert_to_tensor
from headwater.graph.default_graph import control_dependencies
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import rank, shape
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.math.exponential import log, sigmoid
from headwater.ops.math.reduce_functions import reduce_sum


class FilteringStepPostprocessor(ABC):
    """Changes the state and the outputs of a filtering step."""

    @abstractmethod
    def process_filtering_step(
        self,
        current_times: Tensor,
        current_values: Tensor,
        predicted_state: Any,
        filtered_state: Any,
        outputs: dict[str, Tensor],
    ) -> tuple[Any, dict[str, Tensor]]:
        """Returns the state and the outputs of a step.

        Args:
            current_times: [batch].
            current_values: [batch, features].
            predicted_state: the state before the observation.
            filtered_state: the state after it.
            outputs: the outputs of the step, by name.
        """

    @property
    @abstractmethod
    def output_names(self) -> list[str]:
        """The names of the outputs that are added."""


def cauchy_alternative_to_gaussian(
    current_times: Tensor, current_values: Tensor, outputs: Mapping[str, Tensor]
) -> Tensor:
    """Returns the log likelihood of values as anomalies: Cauchy, as wide as what was predicted.

    Args:
        current_times: [batch].
        current_values: [batch, features].
        outputs: "mean" and "covariance" of the prediction.

    Returns:
        Log likelihoods [batch].
    """
    scale = entropy_matched_cauchy_scale(outputs["covariance"])
    log_likelihood = cauchy_log_prob(loc=outputs["mean"], scale=scale, x=current_values)
    return reduce_sum(log_likelihood, axis=1)


def _interpolate_state_linear(
    first_state: Any, second_state: Any, first_responsibility: Tensor
) -> Any:
    """Returns a mean of two states, with weights [batch]; integers must be equal."""

    def interpolate(first: Tensor, second: Tensor) -> Tensor:
        if first.dtype.is_floating:
            ones_after = ones([rank(first) - 1], dtypes.int32)
            weight = reshape(
                first_responsibility, concat([shape(first_responsibility), ones_after], 0)
            )
            mixed = weight * first + (1.0 - weight) * second
            mixed.set_shape(first.shape)
            return mixed
        with control_dependencies([assert_equal(first, second)]):
            return identity(first)

    return nest.map_structure(interpolate, first_state, second_state)


class StateInterpolatingAnomalyDetector(FilteringStepPostprocessor):
    """Takes observations in as far as they are no anomalies.

    Args:
        anomaly_log_likelihood: the log likelihood of values as anomalies; see
            `cauchy_alternative_to_gaussian`.
        anomaly_prior_probability: how probable an anomaly is.
        responsibility_scaling: how steeply the state goes from one to the other.
    """

    output_names: ClassVar[Any] = ["anomaly_score"]

    def __init__(
        self,
        anomaly_log_likelihood: Callable[..., Tensor] = cauchy_alternative_to_gaussian,
        anomaly_prior_probability: float = 0.01,
        responsibility_scaling: float = 1.0,
    ) -> None:
        self._anomaly_log_likelihood = anomaly_log_likelihood
        self._responsibility_scaling = responsibility_scaling
        self._anomaly_prior_probability = anomaly_prior_probability

    def process_filtering_step(
        self,
        current_times: Tensor,
        current_values: Tensor,
        predicted_state: Any,
        filtered_state: Any,
        outputs: dict[str, Tensor],
    ) -> tuple[Any, dict[str, Tensor]]:
        """Returns the state and the outputs of a step; see FilteringStepPostprocessor."""
        log_likelihood = outputs["log_likelihood"]
        anomalous = self._anomaly_log_likelihood(
            current_times=current_times, current_values=current_values, outputs=outputs
        )
        prior = convert_to_tensor(self._anomaly_prior_probability, dtype=current_values.dtype)
        anomaly = anomalous + log(prior)
        regular = log_likelihood + log(1.0 - prior)
        score = anomaly - regular
        responsibility = sigmoid(-self._responsibility_scaling * score)
        state = _interpolate_state_linear(
            first_state=filtered_state,
            second_state=predicted_state,
            first_responsibility=responsibility,
        )
        outputs["anomaly_score"] = score
        outputs["loss"] = -(responsibility * regular + (1.0 - responsibility) * anomaly)
        return state, outputs
