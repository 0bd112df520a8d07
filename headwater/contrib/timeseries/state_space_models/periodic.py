"""Periodic models: a cycle of values whose sum is zero, which turns with time."""

from __future__ import annotations

import math

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.contrib.timeseries.state_space_models.configuration import (
    DEFAULT_CONFIGURATION,
    StateSpaceModelConfiguration,
)
from headwater.contrib.timeseries.state_space_models.state_space_model import StateSpaceModel
from headwater.graph import Tensor
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones
from headwater.ops.array.gather import gather
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import squeeze
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal, less
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_max
from headwater.ops.math.rounding import round_
from headwater.ops.math.scan import cumsum
from headwater.ops.math.select import where_v2
from headwater.ops.math.sign import absolute
from headwater.ops.math.tensordot import tensordot
from headwater.ops.math.trigonometry import sin


class CycleStateSpaceModel(StateSpaceModel):
    """A cycle with one value for each step of a period of integer length.

    The state has all values but the last one, which is the negative sum of the others.

    Args:
        periodicity: the number of steps of a period.
        configuration: a StateSpaceModelConfiguration.
    """

    def __init__(
        self,
        periodicity: int,
        configuration: StateSpaceModelConfiguration = DEFAULT_CONFIGURATION,
    ) -> None:
        self._cycle_length = periodicity
        super().__init__(configuration=configuration)

    def get_state_transition(self) -> Tensor:
        """Returns the matrix that turns the cycle by one value."""
        return self.transition_to_powers(ones([], dtype=dtypes.int32))

    def get_noise_transform(self) -> Tensor:
        """Returns the matrix that adds noise to the first value."""
        first = np.zeros([self._cycle_length - 1, 1])
        first[0, 0] = 1.0
        return constant(first, dtype=self.dtype)

    def get_observation_model(self, times: Tensor) -> Tensor:
        """Returns the vector that takes the first value."""
        return self.get_noise_transform()[:, 0]

    def transition_to_powers(self, powers: Tensor) -> Tensor:
        """Returns matrices [..., state, state] that turn the cycle by numbers of values [...]."""
        length = self._cycle_length
        turns = cast(powers, dtypes.int64) % length
        places = range_(length - 1, dtype=dtypes.int64)
        # A value comes from the one that is as many places before it.
        moved = equal((places[:, None] - places[None, :]) % length, turns[..., None, None])
        from_last = equal(places + 1, turns[..., None])
        return cast(moved, self.dtype) - cast(from_last, self.dtype)[..., None]

    def transition_power_noise_accumulator(
        self, num_steps: Tensor, noise_addition_coefficient: TensorLike = 1
    ) -> Tensor:
        """Returns the noise of numbers of steps; see StateSpaceModel.

        Args:
            num_steps: numbers of steps [...].
            noise_addition_coefficient: a factor.

        Returns:
            Covariances [..., state, state].
        """
        length = self._cycle_length
        # How often the noise of a step has been turned by 0, 1, ... places.
        places = range_(length, dtype=dtypes.int64)
        steps = cast(num_steps, dtypes.int64)[..., None]
        counts = cast((steps - 1 - places + length) // length, self.dtype)
        # Noise of the first value, turned: one value, and one less of the value before it.
        turned = constant(
            np.eye(length, length - 1) - np.eye(length, length - 1, k=-1), dtype=self.dtype
        )
        sums = tensordot(counts[..., None] * turned, turned, [[-2], [0]])
        noise = squeeze(self.state_transition_noise_covariance, axis=[-1, -2])
        return noise_addition_coefficient * noise * sums


class ResolutionCycleModel(CycleStateSpaceModel):
    """A cycle of any period, between whose values a trigonometric polynomial interpolates.

    Args:
        num_latent_values: the number of values, odd.
        periodicity: the period.
        near_integer_threshold: how near to an integer a number of turned values counts as one.
        configuration: a StateSpaceModelConfiguration.
    """

    def __init__(
        self,
        num_latent_values: int,
        periodicity: float,
        near_integer_threshold: float = 1e-8,
        configuration: StateSpaceModelConfiguration = DEFAULT_CONFIGURATION,
    ) -> None:
        if num_latent_values % 2 != 1:
            raise ValueError("Only odd numbers of latent values are supported.")
        self._num_latent_values = num_latent_values
        self._true_periodicity = periodicity
        self._near_integer_threshold = near_integer_threshold
        super().__init__(periodicity=num_latent_values, configuration=configuration)

    def _close_to_integer(self, value: Tensor) -> Tensor:
        return less(absolute(value - round_(value)), self._near_integer_threshold)

    def _turned_values(self, steps: Tensor) -> Tensor:
        """How many values of the cycle pass in numbers of steps."""
        return cast(steps, self.dtype) * (self._num_latent_values / float(self._true_periodicity))

    def transition_to_powers(self, powers: Tensor) -> Tensor:
        """Returns matrices [..., state, state] that turn the cycle by numbers of steps [...].

        A value between those of the cycle is a sum of all, weighted by a Dirichlet kernel:
        sin(pi x) / (n sin(pi x / n)) at the distance x.
        """
        length = self._num_latent_values
        turns = self._turned_values(powers)
        amplitude = sin(turns * math.pi) / length
        places = np.arange(length - 1)
        signs = constant(1.0 - 2.0 * (places % 2), dtype=self.dtype)
        step = math.pi / length
        distances = constant(places[None, :] - places[:, None], dtype=self.dtype)
        last = 1.0 / sin(step * (turns[..., None] - constant(places + 1.0, dtype=self.dtype)))
        others = signs / sin(step * (turns[..., None, None] + distances))
        between = (amplitude[..., None] * signs)[..., None] * (last[..., None] + others)
        whole = super().transition_to_powers(cast(round_(turns), dtypes.int64))
        return where_v2(self._close_to_integer(turns)[..., None, None], whole, between)

    def _whole_period_folding(self) -> bool:
        """Whether noise of whole periods is that of whole turns of the cycle."""
        period = self._true_periodicity
        return (
            abs(period - round(period)) < self._near_integer_threshold
            and period >= self._num_latent_values
        )

    def transition_power_noise_accumulator(
        self, num_steps: Tensor, noise_addition_coefficient: TensorLike = 1
    ) -> Tensor:
        """Returns the noise of numbers of steps; see StateSpaceModel."""
        noise = squeeze(self.state_transition_noise_covariance, axis=[-1, -2])
        rest, folded = num_steps, None
        if self._whole_period_folding():
            period = round(self._true_periodicity)
            one_period = super().transition_power_noise_accumulator(
                constant([self._num_latent_values], dtype=dtypes.int64),
                noise_addition_coefficient=self._true_periodicity / self._num_latent_values,
            )
            folded = cast(num_steps // period, self.dtype)[..., None, None] * one_period
            rest = num_steps % period
        sums = noise * gather(self._power_sum_array(reduce_max(rest)), rest)
        return sums if folded is None else folded + sums

    def _power_sum_array(self, max_remaining_steps: Tensor) -> Tensor:
        """The noise of 0, 1, ... steps, for noise of variance one: [steps + 1, state, state]."""
        steps = range_(cast(max_remaining_steps, dtypes.int64))
        column = self.transition_to_powers(steps)[:, :, 0]
        sums = cumsum(column[:, :, None] * column[:, None, :])
        return pad(sums, [[1, 0], [0, 0], [0, 0]])
