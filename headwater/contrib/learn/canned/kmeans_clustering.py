"""KMeansClustering: clusters of points, as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array, TensorLike
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.estimator.clustering.cluster_hooks import (
    InitializeClustersHook,
    LossRelativeChangeHook,
    points_of,
)
from headwater.estimator.clustering.kmeans import KMeans
from headwater.graph.basic_nodes import with_dependencies
from headwater.model.global_step import get_global_step
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.state.assign import assign_add
from headwater.ops.summary.scalar import scalar


def kmeans_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any
) -> ModelFnOps:
    """The model function of clusters.

    Args:
        features: points ``[batch, n]``, or a dict of parts of them.
        labels: None.
        mode: training, evaluation or inference.
        params: arguments of `KMeans`, and "relative_tolerance".
        config: a RunConfig.

    Returns:
        ModelFnOps.
    """
    assert labels is None, labels
    arguments = {name: value for name, value in params.items() if name != "relative_tolerance"}
    all_scores, clusters, losses, initialized, init_op, step = KMeans(
        points_of(features), **arguments
    ).training_graph()
    counted = assign_add(get_global_step(), 1)
    loss = reduce_sum(losses, name=KMeansClustering.LOSS_OP_NAME)
    scalar("loss/raw", loss)
    hooks: list[Any] = [InitializeClustersHook(init_op, initialized, config.is_chief)]
    if params["relative_tolerance"] is not None:
        hooks.append(LossRelativeChangeHook(params["relative_tolerance"]))
    return ModelFnOps(
        mode=mode,
        predictions={
            KMeansClustering.ALL_SCORES: all_scores[0],
            KMeansClustering.CLUSTER_IDX: clusters[0],
        },
        eval_metric_ops={KMeansClustering.SCORES: loss},
        loss=loss,
        train_op=with_dependencies([step, counted], loss),
        training_hooks=hooks,
    )


@export("contrib.learn.KMeansClustering", "contrib.learn.estimators.KMeansClustering")
class KMeansClustering(Estimator):
    """Finds the centers of clusters of points.

    Args:
        num_clusters: the number of clusters.
        model_dir: the folder of checkpoints; or None.
        initial_clusters: "random", "kmeans_plus_plus", a matrix of the centers to begin with, or a
            function from points and the number of clusters to one.
        distance_metric: "squared_euclidean" or "cosine".
        random_seed: the seed of the initial centers.
        use_mini_batch: whether a step moves centers by the points of its batch only.
        mini_batch_steps_per_iteration: the number of steps after which moved centers are used.
        kmeans_plus_plus_num_retries: how many points k-means++ draws for a center to choose from.
        relative_tolerance: training stops when the loss changes by a smaller fraction; or None.
        config: a RunConfig; or None.

    Example:
        >>> data = lambda: (tf.constant([[0.0], [0.2], [5.0], [5.2]]), None)
        >>> kmeans = tf.contrib.learn.KMeansClustering(2, relative_tolerance=1e-4)
        >>> kmeans.fit(input_fn=data, steps=20).clusters().shape
        (2, 1)
    """

    SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
    COSINE_DISTANCE = "cosine"
    RANDOM_INIT = "random"
    KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
    SCORES = "scores"
    CLUSTER_IDX = "cluster_idx"
    CLUSTERS = "clusters"
    ALL_SCORES = "all_scores"
    LOSS_OP_NAME = "kmeans_loss"
    LossRelativeChangeHook = LossRelativeChangeHook

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: str | TensorLike | Callable[..., Any] = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: Any = None,
    ) -> None:
        params = {
            "num_clusters": num_clusters,
            "initial_clusters": initial_clusters,
            "distance_metric": distance_metric,
            "random_seed": random_seed,
            "use_mini_batch": use_mini_batch,
            "mini_batch_steps_per_iteration": mini_batch_steps_per_iteration,
            "kmeans_plus_plus_num_retries": kmeans_plus_plus_num_retries,
            "relative_tolerance": relative_tolerance,
        }
        super().__init__(
            model_fn=kmeans_model_fn, params=params, model_dir=model_dir, config=config
        )

    def predict_cluster_idx(self, input_fn: Any = None) -> Iterator[Any]:
        """The clusters of points.

        Args:
            input_fn: a function that returns points.

        Yields:
            The index of the nearest cluster of each point.
        """
        for prediction in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX]):
            yield prediction[self.CLUSTER_IDX]

    def score(self, input_fn: Any = None, steps: int | None = None) -> Any:
        """Returns the sum of the distances of points to their nearest clusters.

        Args:
            input_fn: a function that returns points.
            steps: how many batches; None for all of the input.

        Returns:
            A number; of the last batch only, as in TensorFlow.
        """
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Any = None, as_iterable: bool = False) -> Any:
        """Returns the distances of points to all clusters.

        Args:
            input_fn: a function that returns points.
            as_iterable: whether they come point by point.

        Returns:
            An array ``[points, clusters]``, or an iterator of dicts with "all_scores".
        """
        predictions = self.predict(
            input_fn=input_fn, outputs=[self.ALL_SCORES], as_iterable=as_iterable
        )
        return predictions if as_iterable else predictions[self.ALL_SCORES]

    def clusters(self) -> Array:
        """Returns the centers of the clusters.

        Returns:
            An array ``[clusters, n]``.
        """
        centers: Array = self.get_variable_value(self.CLUSTERS)
        return centers
