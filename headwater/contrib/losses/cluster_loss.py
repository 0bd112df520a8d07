"""`tf.contrib.losses.metric_learning.cluster_loss`: clusters around medoids as the labels ask for.

Song, Jegelka, Rathod and Murphy, "Deep Metric Learning via Facility Location".
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array, TensorLike
from headwater.contrib.losses.clusterings import SCORES
from headwater.contrib.losses.embeddings import pairwise_distance
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.ops.array.reshape import reshape
from headwater.ops.control.print import print_
from headwater.ops.control.py_func import py_func

_ROUNDS = 5


class _Search:
    """The search for medoids whose clusters cost most with the margin, on the host."""

    def __init__(
        self, distances: Array, labels: Array, multiplier: float, margin_type: str
    ) -> None:
        self._distances = distances
        self._labels = labels
        self._multiplier = multiplier
        self._score = SCORES[margin_type]

    def _margin(self, chosen: list[int]) -> float:
        clusters = np.argmin(self._distances[chosen], axis=0)
        return self._multiplier * (1.0 - self._score(self._labels, clusters))

    def greedy(self) -> list[int]:
        """As many medoids as there are labels, one after the other."""
        chosen: list[int] = []
        for _ in np.unique(self._labels):
            rest = [i for i in range(len(self._labels)) if i not in chosen]
            values = []
            for candidate in rest:
                tried = [*chosen, candidate]
                energy = -self._distances[tried].min(axis=0).sum()
                values.append(np.float32(energy) + np.float32(self._margin(tried)))
            chosen.append(rest[int(np.argmax(values))])
        return chosen

    def refined(self, chosen: list[int]) -> list[int]:
        """Medoids that are exchanged for better members of their clusters, round by round."""
        chosen = list(chosen)
        for _ in range(_ROUNDS):
            clusters = np.argmin(self._distances[chosen], axis=0)
            for cluster in range(len(chosen)):
                members = np.flatnonzero(clusters == cluster)
                if not len(members):
                    continue
                values = []
                for member in members:
                    tried = [*chosen[:cluster], int(member), *chosen[cluster + 1 :]]
                    energy = -self._distances[members, member].sum()
                    values.append(energy + self._margin(tried))
                chosen[cluster] = int(members[int(np.argmax(values))])
        return chosen


def _medoids(
    margin_type: str, refine: bool, distances: Array, labels: Array, multiplier: Array
) -> Array:
    search = _Search(distances, labels, float(multiplier), margin_type)
    chosen = search.greedy()
    return np.array(search.refined(chosen) if refine else chosen, np.int32)


def _score(margin_type: str, labels: Array, clusters: Array) -> Array:
    return np.float32(SCORES[margin_type](labels, clusters))


def _energy_of_labels(distances: Array, labels: Array) -> Array:
    """For each label, the element with the smallest distances to all others, at all of them."""
    centres = np.empty(len(labels), np.int32)
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        inner = distances[np.ix_(members, members)]
        centres[members] = members[int(np.argmin(inner.sum(axis=0)))]
    return centres


def compute_facility_energy(pairwise_distances: Tensor, centroid_ids: Tensor) -> Tensor:
    """The sum of the distances to the nearest medoids, negative.

    Args:
        pairwise_distances: a matrix.
        centroid_ids: the medoids.

    Returns:
        A scalar.
    """
    return -build.Sum(build.Min(build.GatherV2(pairwise_distances, centroid_ids, 0), 0), 0)


def get_cluster_assignment(pairwise_distances: Tensor, centroid_ids: Tensor) -> Tensor:
    """The nearest medoid of each element, its position among the medoids.

    Args:
        pairwise_distances: a matrix.
        centroid_ids: the medoids.

    Returns:
        A vector.
    """
    nearest = build.GatherV2(pairwise_distances, centroid_ids, 0)
    return build.Cast(build.ArgMin(nearest, 0), DstT="int32")


def compute_gt_cluster_score(pairwise_distances: Tensor, labels: Tensor) -> Tensor:
    """The sum of the distances to the best medoid of each label, negative.

    Args:
        pairwise_distances: a matrix.
        labels: a vector.

    Returns:
        A scalar.
    """
    centres = py_func(_energy_of_labels, [pairwise_distances, labels], "int32", stateful=False)
    centres.set_shape([None])
    pairs = build.Pack([build.Range(0, build.Size(centres), 1), centres], axis=1)
    return -build.Sum(build.GatherNd(pairwise_distances, pairs), 0)


def compute_clustering_score(labels: Tensor, predictions: Tensor, margin_type: str) -> Tensor:
    """How well clusters agree with labels, between 0 and 1.

    Args:
        labels: a vector.
        predictions: the cluster of each element.
        margin_type: "nmi", "ami", "ari", "vmeasure" or "const".

    Returns:
        A scalar.

    Raises:
        ValueError: if the type is unknown.
    """
    if margin_type not in SCORES:
        raise ValueError(f"Unrecognized margin_type: {margin_type}")
    score = functools.partial(_score, margin_type)
    found = py_func(score, [labels, predictions], "float32", stateful=False)
    found.set_shape([])
    return found


@export("contrib.losses.metric_learning.cluster_loss")
def cluster_loss(
    labels: TensorLike,
    embeddings: TensorLike,
    margin_multiplier: TensorLike,
    enable_pam_finetuning: bool = True,
    margin_type: str = "nmi",
    print_losses: bool = False,
) -> Tensor:
    """The cost of the worst clustering, with a margin, over that of the labels.

    Args:
        labels: the label of each embedding, [batch] or [batch, 1].
        embeddings: a matrix [batch, size].
        margin_multiplier: the weight of the margin.
        enable_pam_finetuning: whether the medoids are refined after the greedy search.
        margin_type: how clusters are compared with labels: "nmi", "ami", "ari", "vmeasure" or
            "const".
        print_losses: whether runs print the loss.

    Returns:
        A scalar.

    Raises:
        ValueError: if the type is unknown.
    """
    if margin_type not in SCORES:
        raise ValueError(f"Unrecognized margin_type: {margin_type}")
    labels = reshape(convert_to_tensor(labels), [-1])
    distances = pairwise_distance(convert_to_tensor(embeddings))
    multiplier = build.Cast(margin_multiplier, DstT="float32")
    search = functools.partial(_medoids, margin_type, enable_pam_finetuning)
    chosen = py_func(search, [distances, labels, multiplier], "int32", stateful=False)
    chosen.set_shape([None])
    clusters = get_cluster_assignment(distances, chosen)
    margin = multiplier * (1.0 - compute_clustering_score(labels, clusters, margin_type))
    violation = compute_facility_energy(distances, chosen) + margin
    difference = violation - compute_gt_cluster_score(distances, labels)
    loss: Any = build.Maximum(difference, 0.0, name="clustering_loss")
    if print_losses:
        loss = print_(loss, ["clustering_loss: ", loss, ""])
    return loss
