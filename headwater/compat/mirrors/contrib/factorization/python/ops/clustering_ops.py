"""tensorflow.contrib.factorization.python.ops.clustering_ops: k-means and its ops."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.contrib.factorization.clustering import KMeans
from headwater.estimator.clustering.kmeans_centers import (
    CLUSTERS_VAR_NAME,
    COSINE_DISTANCE,
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
)
from headwater.graph import build

__all__ = [
    "CLUSTERS_VAR_NAME",
    "COSINE_DISTANCE",
    "KMC2_INIT",
    "KMEANS_PLUS_PLUS_INIT",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "KMeans",
    "kmc2_chain_initialization",
    "kmeans_plus_plus_initialization",
    "nearest_neighbors",
]


def kmeans_plus_plus_initialization(
    points: TensorLike,
    num_to_sample: TensorLike,
    seed: TensorLike,
    num_retries_per_sample: TensorLike,
    name: str | None = None,
) -> Any:
    """Some of the points, as far from each other as k-means++ draws them."""
    return build.KmeansPlusPlusInitialization(
        points, num_to_sample, seed, num_retries_per_sample, name=name
    )


def kmc2_chain_initialization(
    distances: TensorLike, seed: TensorLike, name: str | None = None
) -> Any:
    """The index at which a Markov chain of the distances ends."""
    return build.KMC2ChainInitialization(distances, seed, name=name)


def nearest_neighbors(
    points: TensorLike, centers: TensorLike, k: TensorLike, name: str | None = None
) -> Any:
    """The indices and squared distances of the centers that are nearest to each point."""
    return build.NearestNeighbors(points, centers, k, name=name)
