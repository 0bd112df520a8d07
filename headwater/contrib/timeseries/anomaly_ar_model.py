"""Autoregressive models of series with anomalies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.contrib.timeseries.ar_model import ARModel
from headwater.contrib.timeseries.math_utils import cauchy_log_prob, normal_log_prob
from headwater.contrib.timeseries.prediction_models import FlatPredictionModel
from headwater.graph import Tensor
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import exp, log
from headwater.ops.math.extrema import maximum, minimum
from headwater.ops.math.powers import sqrt
from headwater.ops.math.reduce_functions import reduce_prod, reduce_sum


class AnomalyMixtureARModel(ARModel):
    """An autoregressive model with a second, wider distribution for anomalies.

    Args:
        periodicities: the periods, or one.
        anomaly_prior_probability: how probable an anomaly is.
        input_window_size: the number of times that are seen.
        output_window_size: the number of times that are predicted at once.
        num_features: the number of values at each time.
        prediction_model_factory: makes the network.
        anomaly_distribution: GAUSSIAN_ANOMALY or CAUCHY_ANOMALY.
        num_time_buckets: into how many pieces each period is cut.
        exogenous_feature_columns: feature columns of what is not predicted.
    """

    GAUSSIAN_ANOMALY = "gaussian"
    CAUCHY_ANOMALY = "cauchy"

    def __init__(
        self,
        periodicities: int | Sequence[int],
        anomaly_prior_probability: float,
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        anomaly_distribution: str | None = GAUSSIAN_ANOMALY,
        num_time_buckets: int = 10,
        exogenous_feature_columns: Sequence[Any] | None = None,
    ) -> None:
        assert anomaly_prior_probability < 1.0
        assert anomaly_prior_probability > 0.0
        self._anomaly_prior_probability = anomaly_prior_probability
        assert anomaly_distribution in (self.GAUSSIAN_ANOMALY, self.CAUCHY_ANOMALY)
        self._anomaly_distribution = anomaly_distribution
        super().__init__(
            periodicities=periodicities,
            num_features=num_features,
            num_time_buckets=num_time_buckets,
            input_window_size=input_window_size,
            output_window_size=output_window_size,
            loss=ARModel.NORMAL_LIKELIHOOD_LOSS,
            prediction_model_factory=prediction_model_factory,
            exogenous_feature_columns=exogenous_feature_columns,
        )

    def prediction_ops(
        self, times: Tensor, values: Tensor | None, exogenous_regressors: Tensor
    ) -> dict[str, Tensor]:
        """Returns mean, covariance and the width of anomalies; see ARModel."""
        predictions = super().prediction_ops(times, values, exogenous_regressors)
        width = get_variable("anomaly_log_param", shape=[], dtype=self.dtype, initializer=Zeros())
        predictions["anomaly_params"] = exp(width)
        return predictions

    def _anomaly_log_prob(self, targets: Tensor, prediction_ops: Mapping[str, Tensor]) -> Tensor:
        prediction, width = prediction_ops["mean"], prediction_ops["anomaly_params"]
        if self._anomaly_distribution == self.GAUSSIAN_ANOMALY:
            return normal_log_prob(targets, sqrt(maximum(width, 1e-5)), prediction)
        return cauchy_log_prob(targets, width, prediction)

    def loss_op(self, targets: Tensor, prediction_ops: Mapping[str, Tensor]) -> Tensor:
        """Returns the negative log likelihood of a mixture; see ARModel."""
        prior = self._anomaly_prior_probability
        sigma = sqrt(maximum(prediction_ops["covariance"], 1e-5))
        regular = normal_log_prob(targets, sigma, prediction_ops["mean"]) + math.log(1.0 - prior)
        anomalous = self._anomaly_log_prob(targets, prediction_ops) + math.log(prior)
        larger = maximum(regular, anomalous)
        log_likelihood = larger + log(1.0 + exp(minimum(regular, anomalous) - larger))
        loss = -reduce_sum(log_likelihood)
        return loss / cast(reduce_prod(shape(targets)), loss.dtype)
