"""The centers that k-means begins with."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.default_graph import control_dependencies
from headwater.model.nn.batch_normalization import l2_normalize
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.variables.variable import Variable
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import no_op
from headwater.ops.control.value_checks import (
    assert_equal,
    assert_greater_equal,
    assert_positive,
)
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal
from headwater.ops.math.extrema import maximum, minimum
from headwater.ops.random.uniform import random_uniform
from headwater.ops.state.assign import assign

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"
CLUSTERS_VAR_NAME = "clusters"


class InitialCenters:
    """Chooses centers from batches of points until there are enough.

    Args:
        inputs: the points, a list of matrices.
        num_clusters: the number of centers, a scalar.
        initial_clusters: how to choose them; see `KMeans`.
        cosine: whether centers get length 1.
        seed: the seed of what is drawn.
        num_retries: the points that k-means++ draws for a center.
        chain_length: the points that a Markov chain chooses a center from.
        centers: the variable of the centers, empty at first.
        updated: the variable of the updated centers, or the same one.
        initialized: the variable that tells whether there are enough.
    """

    def __init__(
        self,
        inputs: list[Tensor],
        num_clusters: Tensor,
        initial_clusters: Any,
        cosine: bool,
        seed: int,
        num_retries: int,
        chain_length: int,
        centers: Variable,
        updated: Variable,
        initialized: Variable,
    ) -> None:
        self._inputs = inputs
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._cosine = cosine
        self._seed = seed
        self._num_retries = num_retries
        self._chain_length = chain_length
        self._centers = centers
        self._updated = updated
        self._initialized = initialized
        self._num_selected = shape(centers)[0]
        self._num_remaining = num_clusters - self._num_selected
        self._num_points = add_n([shape(points)[0] for points in inputs])

    def op(self) -> Any:
        """The op that adds centers if there are not enough."""
        return cond(
            equal(self._num_remaining, 0),
            lambda: assert_equal(self._initialized, True),
            self._initialize,
        )

    def _initialize(self) -> Any:
        with control_dependencies([assert_positive(self._num_remaining)]):
            by_chains = isinstance(self._initial_clusters, str) and (
                self._initial_clusters == KMC2_INIT
            )
            remaining = self._chains() if by_chains else self._added(self._chosen())
            return cond(
                equal(remaining, 0), lambda: assign(self._initialized, True), lambda: no_op()
            )

    def _chosen(self) -> Tensor:
        how = self._initial_clusters
        if isinstance(how, str):
            return self._drawn() if how == RANDOM_INIT else self._spread()
        if callable(how):
            return convert_to_tensor(how(self._inputs, self._num_remaining))
        given = convert_to_tensor(how)
        with control_dependencies([assert_equal(self._num_clusters, shape(given)[0])]):
            return build.Identity(given)

    def _drawn(self) -> Any:
        """Random points; all of them if they are too few."""

        def sample() -> Tensor:
            indices = random_uniform(
                reshape(self._num_remaining, [-1]),
                minval=0,
                maxval=cast(self._num_points, dtypes.int64),
                seed=self._seed,
                dtype=dtypes.int64,
            )
            return embedding_lookup(self._inputs, indices, partition_strategy="div")

        return cond(
            self._num_points <= self._num_remaining, lambda: concat(self._inputs, 0), sample
        )

    def _spread(self) -> Any:
        """Points that are far from each other, as k-means++ draws them."""
        enough = assert_greater_equal(self._num_points, self._num_remaining)
        with control_dependencies([enough]):
            points = self._inputs[0]
            if self._cosine:
                points = l2_normalize(points, axis=1)
            return build.KmeansPlusPlusInitialization(
                points, cast(self._num_remaining, dtypes.int64), self._seed, self._num_retries
            )

    def _added(self, new: Tensor) -> Tensor:
        """Adds centers to the variables; returns how many are still missing."""
        if self._cosine:
            new = l2_normalize(new, axis=1)
        return self._assigned(
            cond(
                equal(self._num_selected, 0),
                lambda: new,
                lambda: concat([self._centers, new], 0),
            )
        )

    def _assigned(self, centers: Any) -> Tensor:
        assigned = assign(self._centers, centers, validate_shape=False)
        if self._updated is not self._centers:
            assigned = assign(self._updated, assigned, validate_shape=False)
        return self._num_clusters - shape(assigned)[0]

    def _chains(self) -> Tensor:
        """Adds centers that Markov chains choose; returns how many are still missing."""
        points = self._inputs[0]
        chains = cast(shape(points)[0] / self._chain_length, dtypes.int32)
        count = maximum(minimum(self._num_remaining, chains), 1)

        def first() -> Tensor:
            return self._row(points[0])

        def further(i: Tensor) -> Tensor:
            start = i * self._chain_length
            subset = points[start : start + self._chain_length]
            _, distances = build.NearestNeighbors(subset, self._centers, 1)
            chosen = build.KMC2ChainInitialization(squeeze(distances), self._seed)
            return concat([self._centers, self._row(subset[chosen])], 0)

        def add_one(i: Tensor, _: Tensor) -> list[Tensor]:
            centers = cond(equal(self._num_selected, 0), first, lambda: further(i))
            return [i + 1, self._assigned(centers)]

        return while_loop(lambda i, _: i < count, add_one, [0, 0])[1]

    def _row(self, point: Tensor) -> Tensor:
        row = reshape(point, [1, -1])
        return l2_normalize(row, axis=1) if self._cosine else row
