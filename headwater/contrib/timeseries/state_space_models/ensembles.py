"""State space models that are made of others: their observations are sums, or features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.typing import Array, TensorLike
from headwater.contrib.timeseries.input_statistics import InputStatistics
from headwater.contrib.timeseries.math_utils import block_diagonal
from headwater.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from headwater.contrib.timeseries.state_space_models.state_space_model import StateSpaceModel
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat


class StateSpaceEnsemble(StateSpaceModel):
    """A model whose state consists of the states of its members.

    Args:
        ensemble_members: state space models.
        configuration: the configuration of the whole.
    """

    def __init__(
        self,
        ensemble_members: Sequence[StateSpaceModel],
        configuration: StateSpaceModelConfiguration,
    ) -> None:
        self._ensemble_members = list(ensemble_members)
        super().__init__(configuration=configuration)

    def _set_input_statistics(self, input_statistics: InputStatistics | None = None) -> None:
        super()._set_input_statistics(input_statistics)
        for member in self._ensemble_members:
            member._set_input_statistics(input_statistics)

    def _loss_additions(self, times: Tensor, values: Tensor, mode: str) -> TensorLike:
        additions = super()._loss_additions(times, values, mode)
        for member in self._ensemble_members:
            additions = additions + member._loss_additions(times, values, mode)
        return additions

    def _compute_blocked(
        self, member_fn: Callable[[StateSpaceModel], TensorLike], name: str
    ) -> Tensor:
        """Returns what a function gives for each member, as blocks on a diagonal."""
        blocks = []
        for member in self._ensemble_members:
            with variable_scope(member._variable_scope):
                blocks.append(convert_to_tensor(member_fn(member), dtype=self.dtype))
        return block_diagonal(blocks, dtype=self.dtype, name=name)

    def transition_to_powers(self, powers: Tensor) -> Tensor:
        """Returns the transition of numbers of steps; see StateSpaceModel."""
        return self._compute_blocked(
            lambda member: member.transition_to_powers(powers), "ensemble_transition_to_powers"
        )

    def _define_parameters(self, observation_transition_tradeoff_log: Tensor | None = None) -> None:
        with variable_scope(self._variable_scope):
            if observation_transition_tradeoff_log is None:
                observation_transition_tradeoff_log = (
                    self._variable_observation_transition_tradeoff_log()
                )
            for member in self._ensemble_members:
                member._define_parameters(observation_transition_tradeoff_log)
            super()._define_parameters(observation_transition_tradeoff_log)

    def random_model_parameters(self, seed: int | None = None) -> dict[Any, Array]:
        """Returns random values of the parameters of all members and of the whole."""
        parameters: dict[Any, Array] = {}
        for number, member in enumerate(self._ensemble_members):
            member._make_priors() if member.prior_state_mean is None else None
            parameters.update(
                member.random_model_parameters(None if seed is None else seed + number)
            )
        parameters.update(super().random_model_parameters(seed))
        return parameters

    def get_prior_mean(self) -> Tensor:
        """Returns the means of all members."""
        return concat(
            [member.get_prior_mean() for member in self._ensemble_members],
            axis=0,
            name="ensemble_prior_state_mean",
        )

    def get_state_transition(self) -> Tensor:
        """Returns the transitions of all members."""
        return self._compute_blocked(
            lambda member: member.get_state_transition(), "ensemble_state_transition"
        )

    def get_noise_transform(self) -> Tensor:
        """Returns the noise transforms of all members."""
        return self._compute_blocked(
            lambda member: member.get_noise_transform(), "ensemble_noise_transform"
        )

    def get_observation_model(self, times: Tensor) -> TensorLike:
        """Raises NotImplementedError: only the broadcasted model exists."""
        raise NotImplementedError("No un-broadcasted observation model defined for ensembles.")

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """Returns the observation models of all members, beside each other."""
        return concat(
            [member.get_broadcasted_observation_model(times) for member in self._ensemble_members],
            axis=2,
            name="ensemble_observation_model",
        )


class StateSpaceIndependentEnsemble(StateSpaceEnsemble):
    """A sum of models whose noises are independent of each other."""

    def transition_power_noise_accumulator(self, num_steps: Tensor) -> Tensor:
        """Returns the noise of numbers of steps; see StateSpaceModel."""
        return self._compute_blocked(
            lambda member: member.transition_power_noise_accumulator(num_steps),
            "ensemble_power_noise_accumulator",
        )

    def get_prior_covariance(self) -> Tensor:
        """Returns the prior covariances of all members."""
        return self._compute_blocked(
            lambda member: member.get_prior_covariance(), "ensemble_prior_state_covariance"
        )

    def get_state_transition_noise_covariance(
        self, minimum_initial_variance: float = 1e-5
    ) -> Tensor:
        """Returns the noise covariances of all members."""
        return self._compute_blocked(
            lambda member: member.state_transition_noise_covariance,
            "ensemble_state_transition_noise",
        )


class StateSpaceCorrelatedFeaturesEnsemble(StateSpaceEnsemble):
    """One model for each feature, with noise that is correlated between them."""

    def transition_power_noise_accumulator(self, num_steps: Tensor) -> Tensor:
        """Returns the noise of numbers of steps; see StateSpaceModel."""
        # One feature is correlated with nothing: its model may know a formula.
        if len(self._ensemble_members) == 1:
            return self._ensemble_members[0].transition_power_noise_accumulator(num_steps)
        return super().transition_power_noise_accumulator(num_steps)

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """Returns the observation model of each feature, as blocks on a diagonal."""
        models = [
            member.get_broadcasted_observation_model(times) for member in self._ensemble_members
        ]
        return block_diagonal(models, dtype=self.dtype, name="feature_ensemble_observation_model")
