"""GMM: mixtures of normal distributions, as an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array, TensorLike
from headwater.contrib.factorization.mixtures import GmmAlgorithm, gmm
from headwater.contrib.framework.variables import local_variable
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.estimator.clustering.cluster_hooks import InitializeClustersHook, points_of
from headwater.graph import Tensor
from headwater.graph.basic_nodes import with_dependencies
from headwater.model.global_step import get_global_step
from headwater.ops.array.constant import constant
from headwater.ops.state.assign import assign_add


def _streaming_sum(value: Tensor) -> tuple[Any, Tensor]:
    total = local_variable(constant(0.0))
    return total, total.assign_add(value)


@export("contrib.factorization.GMM")
class GMM(Estimator):
    """Fits a mixture of normal distributions to points.

    Args:
        num_clusters: the number of distributions.
        model_dir: the folder of checkpoints; or None.
        random_seed: the seed of random first means.
        params: what is fitted, of the letters w (weights), m (means) and c (covariances).
        initial_clusters: the first means, or "random".
        covariance_type: "full" or "diag".
        config: a RunConfig; or None.
    """

    SCORES = "scores"
    LOG_LIKELIHOOD = "loss"
    ASSIGNMENTS = "assignments"
    ALL_SCORES = "all_scores"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        random_seed: int = 0,
        params: str = "wmc",
        initial_clusters: str | TensorLike = "random",
        covariance_type: str = "full",
        config: Any = None,
    ) -> None:
        self._num_clusters = num_clusters
        self._params = params
        self._training_initial_clusters = initial_clusters
        self._covariance_type = covariance_type
        self._random_seed = random_seed

        # A function, because its arguments are looked up by name.
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            return self._model(features, labels, mode, config)

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

    def _model(self, features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
        assert labels is None, labels
        loss, scores, assignments, step, init_op, initialized = gmm(
            points_of(features),  # type: ignore[arg-type]
            self._training_initial_clusters,
            self._num_clusters,
            self._random_seed,
            self._covariance_type,
            self._params,
        )
        counted = assign_add(get_global_step(), 1)
        return ModelFnOps(
            mode=mode,
            predictions={GMM.ASSIGNMENTS: assignments[0][0]},
            eval_metric_ops={GMM.SCORES: scores, GMM.LOG_LIKELIHOOD: _streaming_sum(loss)},
            loss=loss,
            train_op=with_dependencies([step, counted], loss),
            training_hooks=[InitializeClustersHook(init_op, initialized, config.is_chief)],
        )

    def predict_assignments(
        self, input_fn: Any = None, batch_size: int | None = None, outputs: Any = None
    ) -> Iterator[Any]:
        """The most probable distributions of points.

        Args:
            input_fn: a function that returns points.
            batch_size: the size of batches; or None.
            outputs: names of predictions; None for all.

        Yields:
            The index of the distribution of each point.
        """
        for prediction in self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs):
            yield prediction[GMM.ASSIGNMENTS]

    def score(
        self, input_fn: Any = None, batch_size: int | None = None, steps: int | None = None
    ) -> Any:
        """Returns the logarithm of the sum of the probabilities of points.

        Args:
            input_fn: a function that returns points.
            batch_size: the size of batches; or None.
            steps: how many batches; None for all of the input.

        Returns:
            A number.
        """
        results = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return np.log(np.sum(np.exp(results[GMM.SCORES])))

    def weights(self) -> Array:
        """Returns the weights of the distributions.

        Returns:
            A vector ``[clusters]``.
        """
        return self._value(GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> Array:
        """Returns the means of the distributions.

        Returns:
            An array ``[clusters, dimensions]``.
        """
        return np.squeeze(self._value(GmmAlgorithm.CLUSTERS_VARIABLE), 1)

    def covariances(self) -> Array:
        """Returns the covariances of the distributions.

        Returns:
            An array ``[clusters, dimensions, dimensions]``, or ``[clusters, dimensions]`` of
            variances.
        """
        return self._value(GmmAlgorithm.CLUSTERS_COVS_VARIABLE)

    def _value(self, name: str) -> Array:
        value: Array = self.get_variable_value(name)
        return value
