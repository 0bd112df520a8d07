"""The names of k-means in tf.contrib.factorization, and KMeansClustering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export, export_value
from headwater.base.typing import TensorLike
from headwater.estimator.clustering import kmeans, kmeans_centers
from headwater.estimator.clustering.kmeans_estimator import KMeansEstimator

export_value(
    "contrib.factorization.SQUARED_EUCLIDEAN_DISTANCE", kmeans_centers.SQUARED_EUCLIDEAN_DISTANCE
)
export_value("contrib.factorization.COSINE_DISTANCE", kmeans_centers.COSINE_DISTANCE)
export_value("contrib.factorization.RANDOM_INIT", kmeans_centers.RANDOM_INIT)
export_value("contrib.factorization.KMEANS_PLUS_PLUS_INIT", kmeans_centers.KMEANS_PLUS_PLUS_INIT)


@export("contrib.factorization.KMeans")
class KMeans(kmeans.KMeans):
    """Builds the graph that finds clusters.

    Args:
        inputs: a matrix of points, or a list of them.
        num_clusters: the number of clusters.
        initial_clusters: "random", "kmeans_plus_plus", "kmc2", a matrix of the centers to begin
            with, or a function from (list of inputs, number of centers) to one.
        distance_metric: "squared_euclidean" or "cosine".
        use_mini_batch: whether a step moves centers by the points of that step only, not to the
            mean of all points.
        mini_batch_steps_per_iteration: for mini-batches, the number of steps after which the new
            centers are used.
        random_seed: the seed of the initial centers.
        kmeans_plus_plus_num_retries: how many points k-means++ draws for a center to choose from.
        kmc2_chain_length: the number of points that a Markov chain chooses a center from.

    Raises:
        ValueError: if the distance or the way to initialize is unknown.
    """


@export("contrib.factorization.KMeansClustering")
class KMeansClustering(KMeansEstimator):
    """Finds the centers of clusters of points.

    Args:
        num_clusters: the number of clusters.
        model_dir: the folder of checkpoints; or None.
        initial_clusters: "random", "kmeans_plus_plus", a matrix of the centers to begin with, or a
            function from (list of inputs, number of centers) to one.
        distance_metric: "squared_euclidean" or "cosine".
        random_seed: the seed of the initial centers.
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
        >>> kmeans = tf.contrib.factorization.KMeansClustering(2, use_mini_batch=False)
        >>> trained = kmeans.train(lambda: data().repeat(5))
        >>> print(sorted(trained.cluster_centers().ravel()), trained.score(data))
        [0.25, 5.25] 0.25
    """

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: str | TensorLike | Callable[..., Any] = (kmeans_centers.RANDOM_INIT),
        distance_metric: str = kmeans_centers.SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
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
            lambda: random_seed,
            use_mini_batch,
            mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries,
            relative_tolerance,
            config,
            feature_columns,
        )
