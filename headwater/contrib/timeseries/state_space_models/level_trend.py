"""A level and a trend that is added to it."""

from __future__ import annotations

from headwater.contrib.timeseries.state_space_models.configuration import (
    DEFAULT_CONFIGURATION,
    StateSpaceModelConfiguration,
)
from headwater.contrib.timeseries.state_space_models.state_space_model import StateSpaceModel
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.stack import stack, unstack
from headwater.ops.math.cast import cast
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_mean


class AdderStateSpaceModel(StateSpaceModel):
    """A level to which a trend is added at each step.

    Args:
        use_level_noise: whether not only the trend but also the level has noise.
        configuration: a StateSpaceModelConfiguration.
    """

    def __init__(
        self,
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = DEFAULT_CONFIGURATION,
    ) -> None:
        self._use_level_noise = use_level_noise
        super().__init__(configuration=configuration)

    def get_prior_mean(self) -> Tensor:
        """Returns the level at the start of the series, and no trend."""
        with variable_scope(self._variable_scope):
            mean = get_variable(
                name="prior_state_mean",
                initializer=Zeros(),
                shape=[2],
                dtype=self.dtype,
                trainable=self._configuration.trainable_start_state,
            )
            if self._input_statistics is None:
                return mean
            start = reduce_mean(self._scale_data(self._input_statistics.series_start_moments.mean))
            return stack([start, 0.0]) + mean

    def transition_to_powers(self, powers: Tensor) -> Tensor:
        """Returns the transition of numbers of steps: they multiply the trend."""
        steps = cast(convert_to_tensor(powers), self.dtype)[..., None, None]
        return constant([[1.0, 0.0], [0.0, 1.0]], dtype=self.dtype) + steps * constant(
            [[0.0, 1.0], [0.0, 0.0]], dtype=self.dtype
        )

    def transition_power_noise_accumulator(self, num_steps: Tensor) -> Tensor:
        """Returns the noise of numbers of steps: sums of the first numbers and of their squares."""
        transform = convert_to_tensor(self.get_noise_transform(), self.dtype)
        noise = matmul(
            matmul(transform, self.state_transition_noise_covariance), transform, adjoint_b=True
        )
        steps = cast(num_steps, self.dtype)
        last = steps - 1.0
        first_numbers = last * (last + 1.0) / 2.0
        squares = first_numbers * (2.0 * last + 1.0) / 3.0
        level, level_trend, trend_level, trend = unstack(reshape(noise, [-1, 4]), num=4, axis=1)
        entries = [
            steps * level + first_numbers * (level_trend + trend_level) + squares * trend,
            steps * level_trend + first_numbers * trend,
            steps * trend_level + first_numbers * trend,
            steps * trend,
        ]
        return reshape(stack(entries, axis=-1), concat([shape(num_steps), [2, 2]], 0))

    def get_state_transition(self) -> Tensor:
        """Returns the matrix that adds the trend to the level."""
        return constant([[1.0, 1.0], [0.0, 1.0]], dtype=self.dtype)

    def get_noise_transform(self) -> Tensor:
        """Returns the matrix from noise to level and trend."""
        if self._use_level_noise:
            return constant([[1.0, 0.0], [0.0, 1.0]], dtype=self.dtype)
        return constant([[0.0], [1.0]], dtype=self.dtype)

    def get_observation_model(self, times: Tensor) -> Tensor:
        """Returns the vector that takes the level."""
        return constant([1.0, 0.0], dtype=self.dtype)
