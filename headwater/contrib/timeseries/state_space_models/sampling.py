"""Series and parameters that are sampled from a state space model, with NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from headwater.base.typing import Array
from headwater.contrib.timeseries.feature_keys import TrainEvalFeatures
from headwater.contrib.timeseries.model_utils import parameter_switch
from headwater.graph import convert_to_tensor
from headwater.ops.array.constant import constant


def _key(parameter: Any) -> Any:
    return parameter.experimental_ref() if hasattr(parameter, "experimental_ref") else parameter


def random_parameters(model: Any, seed: int | None) -> dict[Any, Array]:
    """Returns random covariances and a random prior of a state space model.

    Args:
        model: an initialized model of one feature.
        seed: a seed of NumPy.

    Returns:
        Values by the parameter that they replace.
    """
    if model.num_features != 1:
        raise NotImplementedError(
            "Generation for multivariate state space models is not currently implemented."
        )
    random = np.random.RandomState(seed)
    parameters = {
        model.state_transition_noise_covariance: lambda n: np.diag(random.exponential(0.2, n)),
        model.prior_state_var: lambda n: np.diag(random.exponential(1.0, n)),
        model.prior_state_mean: lambda n: random.normal(size=n),
    }
    if model._configuration.use_observation_noise:
        parameters[model._observation_noise_covariance] = lambda n: np.diag(
            random.exponential(0.2, n)
        )
    return {
        _key(parameter): sample(parameter.shape[0].value)
        for parameter, sample in parameters.items()
    }


def sample_series(
    model: Any,
    number_of_series: int,
    series_length: int,
    model_parameters: Mapping[Any, Any] | None,
    seed: int | None,
    add_observation_noise: bool,
) -> dict[str, Array]:
    """Returns times and values sampled from a model; see `StateSpaceModel.generate`."""
    random = np.random.RandomState(seed)
    value_of = parameter_switch(model_parameters or {})

    def evaluated(value: Any) -> Array:
        return value_of(convert_to_tensor(value, dtype=model.dtype))

    transition = evaluated(model.get_state_transition())
    transform = evaluated(model.get_noise_transform())
    transition_noise = value_of(model.state_transition_noise_covariance)
    observation_noise = value_of(model._observation_noise_covariance)
    times = np.tile(np.arange(series_length, dtype=np.int64)[None, :], [number_of_series, 1])
    observation_models = [
        evaluated(model.get_broadcasted_observation_model(constant(times[:, step])))
        for step in range(series_length)
    ]
    states = random.multivariate_normal(
        mean=value_of(model.prior_state_mean),
        cov=value_of(model.prior_state_var),
        size=number_of_series,
    )
    values = []
    for observation_model in observation_models:
        noise = _noise(random, transition_noise, number_of_series)
        states = states @ transition.T + noise @ transform.T
        observed = np.einsum("bfs,bs->bf", observation_model, states)
        if add_observation_noise:
            observed = observed + _noise(random, observation_noise, number_of_series)
        values.append(observed)
    return {TrainEvalFeatures.TIMES: times, TrainEvalFeatures.VALUES: np.stack(values, axis=1)}


def _noise(random: np.random.RandomState, covariance: Array, count: int) -> Array:
    return random.multivariate_normal(np.zeros(len(covariance)), covariance, size=count)
