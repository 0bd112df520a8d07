"""Vector autoregressive moving average models (VARMA)."""

from __future__ import annotations

from typing import Any

from headwater.contrib.timeseries.math_utils import variable_covariance_matrix
from headwater.contrib.timeseries.state_space_models.configuration import (
    DEFAULT_CONFIGURATION,
    StateSpaceModelConfiguration,
)
from headwater.contrib.timeseries.state_space_models.state_space_model import StateSpaceModel
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import reshape
from headwater.ops.array.tile import tile
from headwater.ops.linalg.diagonal import eye
from headwater.ops.math.exponential import log
from headwater.ops.math.extrema import maximum
from headwater.ops.math.reduce_functions import reduce_mean


class VARMA(StateSpaceModel):
    """A VARMA model as a state space model.

    Args:
        autoregressive_order: how many values before are taken in.
        moving_average_order: how many noises before are taken in.
        configuration: a StateSpaceModelConfiguration.
    """

    def __init__(
        self,
        autoregressive_order: int,
        moving_average_order: int,
        configuration: StateSpaceModelConfiguration = DEFAULT_CONFIGURATION,
    ) -> None:
        self.ar_order = autoregressive_order
        self.ma_order = moving_average_order
        self.ar_coefs: Any = None
        self.ma_coefs: Any = None
        super().__init__(configuration=configuration)
        # The number of blocks of the state.
        self.state_dimension = max(autoregressive_order, moving_average_order + 1)

    def _define_parameters(self, observation_transition_tradeoff_log: Tensor | None = None) -> None:
        with variable_scope(self._variable_scope):
            self.ar_coefs = get_variable(
                name="ar_coefs",
                shape=[self.num_features, self.num_features, self.ar_order],
                dtype=self.dtype,
                initializer=Zeros(),
            )
            identities = tile(
                eye(self.num_features, dtype=self.dtype)[None, :, :], [self.ma_order, 1, 1]
            )
            self.ma_coefs = get_variable(name="ma_coefs", initializer=identities, dtype=self.dtype)
        super()._define_parameters(observation_transition_tradeoff_log)

    def get_state_transition(self) -> Tensor:
        """Returns the companion matrix of the autoregressive part."""
        blocks, size = self.state_dimension, self.num_features
        coefficients = pad(self.ar_coefs, [[0, 0], [0, 0], [0, blocks - self.ar_order]])
        first = reshape(coefficients, [size, size * blocks])
        kept = size * (blocks - 1)
        shifted = pad(eye(kept, dtype=self.dtype), [[0, 0], [0, size]])
        return concat([first, shifted], axis=0)

    def get_noise_transform(self) -> Tensor:
        """Returns the coefficients of the moving average, over an identity."""
        blocks, size = self.state_dimension, self.num_features
        coefficients = pad(self.ma_coefs, [[blocks - 1 - self.ma_order, 0], [0, 0], [0, 0]])
        rows = reshape(coefficients, [(blocks - 1) * size, size], name="noise_transform")
        return concat([rows, eye(size, dtype=self.dtype)], axis=0)

    def get_observation_model(self, times: Tensor) -> Tensor:
        """Returns the matrix that takes the first block of the state, and the noise in the last."""
        size = self.num_features
        if self.ar_order > self.ma_order:
            return pad(eye(size, dtype=self.dtype), [[0, 0], [0, size * (self.ar_order - 1)]])
        first = pad(eye(size, dtype=self.dtype), [[0, 0], [0, size * (self.ma_order - 1)]])
        return concat([first, eye(size, dtype=self.dtype)], axis=1, name="observation_model")

    def get_state_transition_noise_covariance(
        self, minimum_initial_variance: float = 1e-5
    ) -> Tensor:
        """Returns the covariance of the noise of a transition, which is trained.

        Most of what is not explained at the start is taken for noise of this model.

        Args:
            minimum_initial_variance: a lower bound at the start.
        """
        scale: Any = 0.0
        if self._input_statistics is not None:
            variance = self._scale_variance(self._input_statistics.series_start_moments.variance)
            scale = log(maximum(reduce_mean(variance), minimum_initial_variance))
        transform = convert_to_tensor(self.get_noise_transform(), dtype=self.dtype)
        return variable_covariance_matrix(
            size=transform.shape[1].value,
            name="state_transition_noise",
            dtype=self.dtype,
            initial_overall_scale_log=scale,
        )
