"""A Kalman filter of batches of states.

Source: R. E. Kalman, "A New Approach to Linear Filtering and Prediction Problems", Journal of Basic
Engineering 82, 1960; the posterior covariance in Joseph's form.
"""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import DTypeLike
from headwater.contrib.timeseries.math_utils import batch_times_matrix, mvn_tril_log_prob
from headwater.graph import Tensor
from headwater.graph.default_graph import control_dependencies
from headwater.ops.array.check_numerics import verify_tensor_all_finite
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.array.transpose import matrix_transpose
from headwater.ops.control.assertion import assert_
from headwater.ops.linalg.cholesky import cholesky
from headwater.ops.linalg.diagonal import eye, matrix_diag_part
from headwater.ops.linalg.solve import matrix_solve
from headwater.ops.math.comparison import greater_equal
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_min

_NOT_FINITE = (
    "Predicted observation covariance was not finite. This may occur due to numerically unstable "
    "filtering when there is a large difference in posterior variances, or when inferences are "
    "near-deterministic. Considering tuning the 'filtering_maximum_posterior_variance_ratio' or "
    "'filtering_minimum_posterior_variance' parameters in your StateSpaceModelConfiguration, or "
    "tuning the transition matrix."
)
_NEGATIVE = (
    "The predicted observation covariance has a negative diagonal entry. This may occur due to "
    "numerically unstable filtering when there is a large difference in posterior variances, or "
    "when inferences are near-deterministic. Considering tuning the "
    "'filtering_maximum_posterior_variance_ratio' or 'filtering_minimum_posterior_variance' "
    "parameters in your StateSpaceModelConfiguration, or tuning the transition matrix."
)


class KalmanFilter:
    """Means and covariances of states, before and after observations.

    Args:
        dtype: the type of all values.
        simplified_posterior_covariance_computation: whether to take the shorter formula of the
            posterior covariance, which may lose its symmetry.
    """

    def __init__(
        self,
        dtype: DTypeLike = dtypes.float32,
        simplified_posterior_covariance_computation: bool = False,
    ) -> None:
        self._simplified = simplified_posterior_covariance_computation
        self.dtype = dtypes.as_dtype(dtype)

    def do_filter(
        self,
        estimated_state: Tensor,
        estimated_state_covariance: Tensor,
        predicted_observation: Tensor,
        predicted_observation_covariance: Tensor,
        observation: Tensor,
        observation_model: Tensor,
        observation_noise: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Takes an observation in.

        Args:
            estimated_state: the mean before, [batch, state].
            estimated_state_covariance: the covariance before, [batch, state, state].
            predicted_observation: its mean, [batch, features].
            predicted_observation_covariance: its covariance, [batch, features, features].
            observation: [batch, features].
            observation_model: from states to observations, [batch, features, state].
            observation_noise: the covariance of its noise, [features, features].

        Returns:
            Mean and covariance after the observation, and its log likelihood [batch].
        """
        symmetric = 0.5 * (
            predicted_observation_covariance + matrix_transpose(predicted_observation_covariance)
        )
        covariance = verify_tensor_all_finite(symmetric, _NOT_FINITE)
        not_negative = assert_(
            greater_equal(reduce_min(matrix_diag_part(covariance)), 0.0), [_NEGATIVE]
        )
        with control_dependencies([not_negative]):
            log_likelihood = mvn_tril_log_prob(
                loc=predicted_observation, scale_tril=cholesky(covariance), x=observation
            )
        mean, covariance = self.posterior_from_prior_state(
            prior_state=estimated_state,
            prior_state_var=estimated_state_covariance,
            observation=observation,
            observation_model=observation_model,
            predicted_observations=(predicted_observation, predicted_observation_covariance),
            observation_noise=observation_noise,
        )
        return mean, covariance, log_likelihood

    def predict_state_mean(self, prior_state: Tensor, transition_matrices: Tensor) -> Tensor:
        """Returns means [batch, state] after transitions [batch, state, state]."""
        return squeeze(matmul(transition_matrices, prior_state[..., None]), axis=[-1])

    def predict_state_var(
        self, prior_state_var: Tensor, transition_matrices: Tensor, transition_noise_sums: Tensor
    ) -> Tensor:
        """Returns covariances after transitions, with the noise of these."""
        moved = matmul(transition_matrices, prior_state_var)
        return matmul(moved, transition_matrices, adjoint_b=True) + transition_noise_sums

    def posterior_from_prior_state(
        self,
        prior_state: Tensor,
        prior_state_var: Tensor,
        observation: Tensor,
        observation_model: Tensor,
        predicted_observations: tuple[Tensor, Tensor],
        observation_noise: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Returns mean and covariance of states after an observation; see `do_filter`."""
        predicted_mean, predicted_covariance = predicted_observations
        # The transposed gain [batch, features, state].
        gain = matrix_solve(
            predicted_covariance,
            matmul(observation_model, prior_state_var, adjoint_b=True),
            adjoint=True,
        )
        surprise = expand_dims(observation - predicted_mean, -1)
        mean = prior_state + squeeze(matmul(gain, surprise, adjoint_a=True), axis=[-1])
        gained = matmul(gain, observation_model, adjoint_a=True)
        rest = eye(shape(gained)[1], dtype=gained.dtype)[None] - gained
        if self._simplified:
            return mean, matmul(rest, prior_state_var)
        kept = matmul(rest, matmul(prior_state_var, rest, adjoint_b=True))
        if observation_noise.shape.ndims == 2:
            noisy = batch_times_matrix(gain, observation_noise, adj_x=True)
        else:
            noisy = matmul(gain, observation_noise, adjoint_a=True)
        return mean, kept + matmul(noisy, gain)

    def observed_from_state(
        self,
        state_mean: Tensor,
        state_var: Tensor,
        observation_model: Tensor,
        observation_noise: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Returns mean [batch, features] and covariance of what states let expect.

        Args:
            state_mean: [batch, state].
            state_var: [batch, state, state].
            observation_model: [batch, features, state].
            observation_noise: [features, features].
        """
        mean = matmul(expand_dims(state_mean, 1), observation_model, adjoint_b=True)
        spread = matmul(matmul(observation_model, state_var), observation_model, adjoint_b=True)
        return squeeze(mean, axis=[1]), spread + observation_noise
