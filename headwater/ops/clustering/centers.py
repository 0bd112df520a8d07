"""Centres of clusters: NearestNeighbors, KmeansPlusPlusInitialization, KMC2ChainInitialization.

Sources: Arthur, Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007; Bachem et
al., "Approximate k-means++ in sublinear time", AAAI 2016.
"""

from __future__ import annotations

import math

import numpy as np

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.random import philox
from headwater.ops.random.words import Words

_F = np.float32


def _check_matrix(name: str, x: np.ndarray) -> None:
    if x.ndim != 2:
        fail(f"Input {name} should be a matrix.")


def kernel_nearest_neighbors(
    xp: ArrayModule, points: np.ndarray, centers: np.ndarray, k: Array
) -> tuple[Array, ...]:
    _check_matrix("points", points)
    _check_matrix("centers", centers)
    if points.shape[1] != centers.shape[1]:
        fail(
            "Expected point_dimensions == center_dimensions: "
            f"{points.shape[1]} vs {centers.shape[1]}."
        )
    if k < 0:
        fail("Input k must be non-negative")
    count = min(int(k), len(centers))
    half_norms = _F(0.5) * np.square(points).sum(1, dtype=_F)
    half_center_norms = _F(0.5) * np.square(centers).sum(1, dtype=_F)
    if not count or not len(points):
        return np.zeros((len(points), count), np.int64), np.zeros((len(points), count), _F)
    distances = half_center_norms - points @ centers.T
    order = np.argsort(distances, 1, kind="stable")[:, :count]
    nearest = np.take_along_axis(distances, order, 1)
    return order.astype(np.int64), np.maximum(_F(2) * (half_norms[:, None] + nearest), _F(0))


def kernel_kmeans_plus_plus(
    xp: ArrayModule,
    points: np.ndarray,
    num_to_sample: Array,
    seed: Array,
    num_retries_per_sample: Array,
) -> np.ndarray:
    _check_matrix("points", points)
    if num_to_sample <= 0:
        fail("Expected num_to_sample > 0.")
    if not len(points):
        fail("Expected points.rows() > 0.")
    if num_to_sample > len(points):
        fail(f"Expected num_to_sample <= points.rows(). {num_to_sample} vs {len(points)}.")
    wanted, retries = int(num_to_sample), int(num_retries_per_sample)
    if retries < 0:
        retries = 2 + int(math.log(wanted))
    words = Words(philox.make_stream(int(seed) & philox.LOW_64, 0))
    nearest = np.full(len(points), np.inf, _F)
    chosen: list[int] = []
    for turn in range(wanted):
        total = np.cumsum(nearest, dtype=_F) if turn else nearest
        best: Array = None
        for _ in cancellation.checked(range(retries + 1), every=1):
            if turn:
                place = int(np.searchsorted(total, _F(words.single_fraction()) * total[-1]))
                place = min(place, len(points) - 1)
            else:
                place = words.below(len(points), 64)
            left = np.minimum(nearest, np.square(points - points[place]).sum(1))
            potential = left.sum()
            if best is None or potential < best[0]:
                best = potential, place, left
        chosen.append(best[1])
        nearest = best[2]
    return points[chosen]


def kernel_kmc2_chain(xp: ArrayModule, distances: np.ndarray, seed: Array) -> Array:
    if distances.ndim != 1:
        fail("Input distances should be a vector.")
    if not distances.size:
        fail("Expected distances_matrix.size() > 0.")
    words = Words(philox.make_stream(int(seed) & philox.LOW_64, 0))
    place, current = 0, distances[0]
    for i in cancellation.checked(range(1, len(distances))):
        if current * _F(words.single_fraction()) < distances[i]:
            place, current = i, distances[i]
    return np.int64(place)


_POINTS = np.array([[100, 0], [101, 2], [99, 2], [1, 1]], _F)
_CENTERS = np.array([[100, 0], [99, 1], [50, 50], [0, 0], [1, 1]], _F)

register_op(
    "NearestNeighbors",
    inputs="points: float, centers: float, k: int64",
    outputs="nearest_center_indices: int64, nearest_center_distances: float",
    shape=shapes.unknown,
    kernel=kernel_nearest_neighbors,
    samples=lambda: [Sample(_POINTS, _CENTERS, np.int64(2))],
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "KmeansPlusPlusInitialization",
    inputs="points: float, num_to_sample: int64, seed: int64, num_retries_per_sample: int64",
    outputs="samples: float",
    shape=shapes.unknown,
    kernel=kernel_kmeans_plus_plus,
    samples=lambda: [Sample(_POINTS, np.int64(2), np.int64(3), np.int64(-1))],
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "KMC2ChainInitialization",
    inputs="distances: float, seed: int64",
    outputs="index: int64",
    shape=shapes.scalar,
    kernel=kernel_kmc2_chain,
    samples=lambda: [Sample(_POINTS[:, 0], np.int64(3))],
    runs_on=RunsOn.HOST,
)
