"""Clustering by k-means, of all points at once or of mini-batches.

The mini-batches are those of Sculley, "Web-scale k-means clustering", 2010; the centers to begin
with are drawn at random, as k-means++ (Arthur and Vassilvitskii, 2007) draws them, or by Markov
chains (Bachem et al., "Approximate k-means++ in sublinear time", 2016).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.estimator.clustering.kmeans_centers import (
    CLUSTERS_VAR_NAME,
    COSINE_DISTANCE,
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    InitialCenters,
)
from headwater.graph import Operation, Tensor, build, convert_to_tensor, group
from headwater.graph.default_graph import colocate_with, control_dependencies
from headwater.model.nn.batch_normalization import l2_normalize
from headwater.model.variables.variable import Variable
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, ones_like, zeros, zeros_like
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import reshape, squeeze
from headwater.ops.array.shape import rank, shape, size
from headwater.ops.array.transpose import transpose
from headwater.ops.array.unique import unique
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity, no_op
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast
from headwater.ops.math.matmul import matmul
from headwater.ops.math.powers import reciprocal, square
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.unsorted_segments import unsorted_segment_sum
from headwater.ops.state.assign import assign, assign_sub
from headwater.ops.state.scatter import scatter_add

# Keeps centers without points finite.
_EPSILON = 1e-6


class KMeans:
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

    def __init__(
        self,
        inputs: Any,
        num_clusters: Any,
        initial_clusters: str | TensorLike | Callable[..., Any] = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric '{distance_metric}'")
        if isinstance(initial_clusters, str) and initial_clusters not in (
            RANDOM_INIT,
            KMEANS_PLUS_PLUS_INIT,
            KMC2_INIT,
        ):
            raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
        self._inputs: list[Tensor] = inputs if isinstance(inputs, list) else [inputs]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._cosine = distance_metric == COSINE_DISTANCE
        self._use_mini_batch = use_mini_batch
        self._steps_per_iteration = int(mini_batch_steps_per_iteration)
        self._seed = random_seed
        self._num_retries = kmeans_plus_plus_num_retries
        self._chain_length = kmc2_chain_length

    def training_graph(self) -> tuple[Any, ...]:
        """Builds the graph.

        Returns:
            A tuple of: the distances of all points to all centers, the cluster of each point, its
            distance to that center (each a tuple with an entry per input), the variable that tells
            whether all centers are initialized, the op that initializes some of them, and the op
            of one step of training.
        """
        num_clusters = convert_to_tensor(self._num_clusters)
        inputs = [convert_to_tensor(points) for points in self._inputs]
        empty = convert_to_tensor([], dtypes.float32)
        centers = Variable(empty, name=CLUSTERS_VAR_NAME, validate_shape=False)
        initialized = Variable(False, name="initialized")
        updated, steps_left, counts = centers, None, None
        if self._use_mini_batch:
            if self._steps_per_iteration > 1:
                updated = Variable(empty, name="clusters_updated", validate_shape=False)
                steps = self._steps_per_iteration
                steps_left = Variable(steps, name="update_in_steps", dtype=dtypes.int64)
            # With one step per iteration, the first center counts as a point.
            first = zeros if updated is not centers else ones
            counts = Variable(first(reshape(num_clusters, [1]), dtypes.int64))
        init_op = InitialCenters(
            inputs,
            num_clusters,
            self._initial_clusters,
            self._cosine,
            self._seed,
            self._num_retries,
            self._chain_length,
            centers,
            updated,
            initialized,
        ).op()
        if self._cosine:
            inputs = _normalized(inputs)
        known: Any = centers
        if self._cosine and self._use_mini_batch and self._steps_per_iteration == 1:
            known = l2_normalize(centers, axis=1)
        all_scores = tuple(self._all_distances(points, known) for points in inputs)
        nearest = [self._nearest(points, known) for points in inputs]
        clusters = tuple(indices for indices, _ in nearest)
        scores = tuple(distances for _, distances in nearest)
        training_op: Any
        if self._use_mini_batch:
            shown = self._shown_centers(steps_left, centers, updated, counts)
            with control_dependencies([shown]):
                training_op = _mini_batch_step(inputs, clusters, updated, counts, shown)
        else:
            training_op = self._full_batch_step(inputs, num_clusters, clusters, centers)
        return all_scores, clusters, scores, initialized, init_op, training_op

    def _all_distances(self, points: Tensor, centers: Any) -> Tensor:
        with colocate_with(points, ignore_existing=True):
            if self._cosine:
                return 1 - matmul(points, centers, transpose_b=True)
            own = reduce_sum(square(points), 1, keepdims=True)
            products = 2 * matmul(points, centers, transpose_b=True)
            return own - products + transpose(reduce_sum(square(centers), 1, keepdims=True))

    def _nearest(self, points: Tensor, centers: Any) -> tuple[Tensor, Tensor]:
        """The nearest center of each point, and its distance."""
        with colocate_with(points, ignore_existing=True):
            indices, distances = build.NearestNeighbors(points, centers, 1)
            if self._cosine:
                # Of vectors of length 1, it is half of the square of the Euclidean one.
                distances = distances * 0.5
            distances = squeeze(distances, [-1])
            return squeeze(indices, [-1]), distances

    def _shown_centers(
        self, steps_left: Any, centers: Variable, updated: Variable, counts: Any
    ) -> Any:
        """Lets the next steps see the updated centers if the iteration is complete."""
        if steps_left is None:
            return no_op()

        def next_iteration() -> Tensor:
            restart = assign(steps_left, self._steps_per_iteration - 1)
            with control_dependencies([restart]), colocate_with(updated, ignore_existing=True):
                new = l2_normalize(updated, axis=1) if self._cosine else identity(updated)
                show = assign(centers, new, validate_shape=False)
            with control_dependencies([restart, show]):
                count_anew = assign(counts, zeros_like(counts))
            with control_dependencies([restart, show, count_anew]):
                return identity(steps_left)

        with colocate_with(steps_left, ignore_existing=True):
            return cond(steps_left <= 0, next_iteration, lambda: assign_sub(steps_left, 1))

    def _full_batch_step(
        self, inputs: list[Tensor], num_clusters: Tensor, clusters: Any, centers: Variable
    ) -> Any:
        """Moves each center to the mean of its points."""
        sums, counts = [], []
        for points, indices in zip(inputs, clusters):
            with colocate_with(points, ignore_existing=True):
                sums.append(unsorted_segment_sum(points, indices, num_clusters))
                units = ones(reshape(shape(points)[0], [-1]))
                counts.append(unsorted_segment_sum(reshape(units, [-1, 1]), indices, num_clusters))
        with colocate_with(centers, ignore_existing=True):
            total = add_n(sums)
            means = total / (cast(add_n(counts), total.dtype) + _EPSILON)
            return assign(centers, l2_normalize(means, axis=1) if self._cosine else means)


def _normalized(inputs: list[Tensor]) -> list[Tensor]:
    result = []
    for points in inputs:
        with colocate_with(points, ignore_existing=True):
            result.append(l2_normalize(points, axis=1))
    return result


def _mini_batch_step(
    inputs: list[Tensor], clusters: Any, centers: Variable, counts: Any, shown: Any
) -> Operation:
    """Moves the centers of the points, by 1/n for the n-th point that a center gets."""
    updates = []
    for points, indices in zip(inputs, clusters):
        with colocate_with(points, ignore_existing=True):
            ids, positions = unique(reshape(indices, [-1]))[:2]
            count = size(ids)
            old_counts = gather(counts, ids)
            old_centers = gather(centers, ids)
            new_counts = unsorted_segment_sum(ones_like(positions, dtypes.int64), positions, count)
            sums = unsorted_segment_sum(points, positions, count)
            column = concat(
                [reshape(count, [1]), ones(reshape(rank(points) - 1, [1]), dtypes.int32)], 0
            )
            moves = sums - cast(reshape(new_counts, column), points.dtype) * old_centers
            rates = reciprocal(cast(old_counts + new_counts, points.dtype))
            moves = moves * reshape(rates, column)
        updates.append(scatter_add(counts, ids, new_counts))
        updates.append(scatter_add(centers, ids, moves))
    return group(shown, *updates)
