"""k-means as an estimator: tf.estimator.experimental.KMeans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array, TensorLike
from headwater.estimator.clustering.cluster_hooks import (
    InitializeClustersHook,
    LossRelativeChangeHook,
    points_of,
)
from headwater.estimator.clustering.kmeans import KMeans
from headwater.estimator.clustering.kmeans_centers import (
    CLUSTERS_VAR_NAME,
    COSINE_DISTANCE,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
)
from headwater.estimator.estimator import Estimator
from headwater.estimator.export.outputs import PredictOutput
from headwater.estimator.head.base import DEFAULT_SERVING_KEY
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph.basic_nodes import with_dependencies
from headwater.graph.seeds import get_seed
from headwater.model.feature_column.input_layer import input_layer
from headwater.model.global_step import get_global_step
from headwater.model.metrics.means import mean
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.state.assign import assign_add
from headwater.ops.summary.scalar import scalar


class KMeansEstimator(Estimator):
    """What the estimators of k-means have in common.

    Args:
        num_clusters: the number of clusters.
        model_dir: the folder of checkpoints; or None.
        initial_clusters: "random", "kmeans_plus_plus", a matrix of the centers to begin with, or a
            function from (list of inputs, number of centers) to one.
        distance_metric: "squared_euclidean" or "cosine".
        seed_of_graph: returns the seed of the initial centers in the graph of the model.
        use_mini_batch: whether a step moves centers by the points of its batch only.
        mini_batch_steps_per_iteration: the number of steps after which moved centers are used.
        kmeans_plus_plus_num_retries: how many points k-means++ draws for a center to choose from.
        relative_tolerance: training stops when the loss changes by a smaller fraction; or None.
        config: a RunConfig; or None.
        feature_columns: dense columns, the parts of a point; None for the features themselves.

    Raises:
        ValueError: if the distance or the way to initialize is unknown.
    """

    SQUARED_EUCLIDEAN_DISTANCE = SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = COSINE_DISTANCE
    RANDOM_INIT = RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = KMEANS_PLUS_PLUS_INIT
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    CLUSTER_CENTERS_VAR_NAME = CLUSTERS_VAR_NAME
    ALL_DISTANCES = "all_distances"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None,
        initial_clusters: str | TensorLike | Callable[..., Any],
        distance_metric: str,
        seed_of_graph: Callable[[], int | None],
        use_mini_batch: bool,
        mini_batch_steps_per_iteration: int,
        kmeans_plus_plus_num_retries: int,
        relative_tolerance: float | None,
        config: Any,
        feature_columns: Sequence[Any] | None,
    ) -> None:
        if isinstance(initial_clusters, str) and initial_clusters not in (
            RANDOM_INIT,
            KMEANS_PLUS_PLUS_INIT,
        ):
            raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric '{distance_metric}'")

        # A function, because Estimator looks up its arguments by name; it takes no labels.
        def model_fn(features: Any, mode: str, config: Any) -> EstimatorSpec:
            if feature_columns and isinstance(features, dict):
                points: Any = input_layer(features, feature_columns)
            else:
                points = points_of(features)
            graph = KMeans(
                points,
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                mini_batch_steps_per_iteration,
                seed_of_graph(),  # type: ignore[arg-type]  # TensorFlow takes None for "random"
                kmeans_plus_plus_num_retries,
            )
            return _spec(graph, mode, config, relative_tolerance)

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

    def predict_cluster_index(self, input_fn: Callable[[], Any]) -> Iterator[Any]:
        """Predicts the clusters of points.

        Args:
            input_fn: a function that returns points.

        Yields:
            The index of the nearest center of each point.
        """
        for prediction in self.predict(input_fn):
            yield prediction[self.CLUSTER_INDEX]

    def score(self, input_fn: Callable[[], Any]) -> Any:
        """Returns the sum of the distances of points to their nearest centers.

        Args:
            input_fn: a function that returns points; the first batch counts.

        Returns:
            A number; the distances are squared, if they are Euclidean.
        """
        return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn: Callable[[], Any]) -> Iterator[Array]:
        """Computes the distances of points to all centers.

        Args:
            input_fn: a function that returns points.

        Yields:
            A vector ``[clusters]`` for each point; squared distances, if they are Euclidean.
        """
        for prediction in self.predict(input_fn):
            yield prediction[self.ALL_DISTANCES]

    def cluster_centers(self) -> Array:
        """Returns the centers, an array ``[clusters, dimensions]``."""
        centers: Array = self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)
        return centers


def _spec(graph: KMeans, mode: str, config: Any, relative_tolerance: float | None) -> EstimatorSpec:
    """What the model function returns."""
    distances, indices, losses, initialized, init_op, step = graph.training_graph()
    loss = reduce_sum(losses)
    scalar("loss/raw", loss)
    counted = assign_add(get_global_step(), 1)
    hooks: list[Any] = [InitializeClustersHook(init_op, initialized, config.is_chief)]
    if relative_tolerance is not None:
        hooks.append(LossRelativeChangeHook(relative_tolerance, loss.name))
    names = KMeansEstimator
    return EstimatorSpec(
        mode=mode,
        predictions={names.ALL_DISTANCES: distances[0], names.CLUSTER_INDEX: indices[0]},
        loss=loss,
        train_op=with_dependencies([step, counted], loss),
        eval_metric_ops={names.SCORE: mean(loss)},
        training_hooks=hooks,
        export_outputs={
            names.ALL_DISTANCES: PredictOutput(distances[0]),
            names.CLUSTER_INDEX: PredictOutput(indices[0]),
            DEFAULT_SERVING_KEY: PredictOutput(indices[0]),
        },
    )


@export("estimator.experimental.KMeans")
class KMeansClustering(KMeansEstimator):
    """Finds the centers of clusters of points.

    Args:
        num_clusters: the number of clusters.
        model_dir: the folder of checkpoints; or None.
        initial_clusters: "random", "kmeans_plus_plus", a matrix of the centers to begin with, or a
            function from (list of inputs, number of centers) to one.
        distance_metric: "squared_euclidean" or "cosine".
        seed: the seed of the initial centers; with a seed of the graph, that one counts alone.
        use_mini_batch: whether a step moves centers by the points of its batch only.
        mini_batch_steps_per_iteration: the number of steps after which moved centers are used.
        kmeans_plus_plus_num_retries: how many points k-means++ draws for a center to choose from.
        relative_tolerance: training stops when the loss changes by a smaller fraction; or None.
        config: a RunConfig; or None.
        feature_columns: dense columns, the parts of a point; None for the features themselves.

    Raises:
        ValueError: if the distance or the way to initialize is unknown.

    Example:
        >>> data = lambda: tf.data.Dataset.from_tensors([[0.0], [0.5], [5.0], [5.5]])
        >>> kmeans = tf.estimator.experimental.KMeans(2, use_mini_batch=False)
        >>> trained = kmeans.train(lambda: data().repeat(5))
        >>> print(sorted(trained.cluster_centers().ravel()), trained.score(data))
        [0.25, 5.25] 0.25
    """

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: str | TensorLike | Callable[..., Any] = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        seed: int | None = None,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: Any = None,
        feature_columns: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(
            num_clusters,
            model_dir,
            initial_clusters,
            distance_metric,
            lambda: get_seed(seed)[0],
            use_mini_batch,
            mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries,
            relative_tolerance,
            config,
            feature_columns,
        )
        self._distance_metric = distance_metric

    def transform(self, input_fn: Callable[[], Any]) -> Iterator[Array]:
        """Computes the distances of points to all centers.

        Args:
            input_fn: a function that returns points.

        Yields:
            A vector ``[clusters]`` for each point.
        """
        for distances in super().transform(input_fn):
            if self._distance_metric == SQUARED_EUCLIDEAN_DISTANCE:
                yield np.sqrt(distances)
            else:
                yield distances
