"""Mixtures of normal distributions, fitted by expectation and maximization.

The algorithm is that of Dempster, Laird and Rubin, "Maximum likelihood from incomplete data via
the EM algorithm", 1977.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, control_dependencies, group, with_dependencies
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.variables.variable import Variable
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import expand_dims, reshape, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.array.transpose import transpose
from headwater.ops.control.cond import cond
from headwater.ops.control.value_checks import assert_less_equal
from headwater.ops.linalg.diagonal import diag_part, matrix_diag_part
from headwater.ops.linalg.solve import matrix_triangular_solve
from headwater.ops.math.add_n import add_n
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_logsumexp, reduce_mean, reduce_sum
from headwater.ops.random.uniform import random_uniform
from headwater.ops.state.assign import assign

FULL_COVARIANCE = "full"
DIAG_COVARIANCE = "diag"
# Keeps divisors and arguments of logarithms away from 0.
MEPS = float(np.finfo(np.float64).eps)
export_value("contrib.factorization.MEPS", MEPS)
export_value("contrib.factorization.FULL_COVARIANCE", FULL_COVARIANCE)
export_value("contrib.factorization.DIAG_COVARIANCE", DIAG_COVARIANCE)


def covariance(x: TensorLike, diag: bool) -> Tensor:
    """The covariance of points.

    Args:
        x: the points, a float32 tensor [points, dimensions].
        diag: whether only the diagonal is computed.

    Returns:
        A matrix; with `diag`, the variances in a matrix of one row.
    """
    sizes: TensorLike = shape(x)
    count: TensorLike = cast(sizes[0], dtypes.float32)
    centered: Tensor = x - reduce_mean(x, 0, keepdims=True)
    if diag:
        total: TensorLike = reduce_sum(build.Square(centered), 0, keepdims=True)
    else:
        total = matmul(centered, centered, transpose_a=True)
    return total / (count - 1)


def init_clusters_random(data: TensorLike, num_clusters: int, random_seed: int) -> Any:
    """Some of the points, drawn at random.

    Args:
        data: the points, a list of tensors [points, dimensions].
        num_clusters: how many to draw.
        random_seed: the seed.

    Returns:
        A tensor [num_clusters, dimensions].
    """
    data = data if isinstance(data, list) else [data]
    counts: list[Any] = []
    for points in data:
        sizes: TensorLike = shape(points)
        counts.append(sizes[0])
    total = add_n(counts) if len(counts) > 1 else counts[0]
    check = assert_less_equal(num_clusters, total)
    with control_dependencies([check]):
        drawn = random_uniform(
            [num_clusters],
            minval=0,
            maxval=build.Cast(total, DstT=dtypes.int64),
            seed=random_seed,
            dtype=dtypes.int64,
        )
    indices: TensorLike = build.FloorMod(drawn, build.Cast(total, DstT=dtypes.int64))
    return embedding_lookup(data, indices, partition_strategy="div")


@export("contrib.factorization.GmmAlgorithm")
class GmmAlgorithm:
    """A mixture of normal distributions and the ops that fit it.

    Args:
        data: the points, a list of float32 tensors [points, dimensions].
        num_classes: the number of distributions.
        initial_means: their first means, [classes, dimensions]; None for points drawn at random.
        params: what is fitted, of the letters w (weights), m (means) and c (covariances).
        covariance_type: "full" or "diag".
        random_seed: the seed of the first means.

    Raises:
        Exception: if a parameter or the type of covariance is unknown.
    """

    CLUSTERS_WEIGHT = "alphas"
    CLUSTERS_VARIABLE = "clusters"
    CLUSTERS_COVS_VARIABLE = "clusters_covs"

    def __init__(
        self,
        data: Sequence[TensorLike],
        num_classes: int,
        initial_means: TensorLike = None,
        params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE,
        random_seed: int = 0,
    ) -> None:
        self._params = params
        self._random_seed = random_seed
        self._covariance_type = covariance_type
        if covariance_type not in (DIAG_COVARIANCE, FULL_COVARIANCE):
            raise Exception("programmer error: Invalid covariance type: " + covariance_type)
        sizes: Tensor = shape(data[0])
        self._dimensions = sizes[1]
        # Added to covariances, so that none is singular.
        self._min_var: Tensor = build.Diag(ones(stack([self._dimensions]))) * 1e-3
        self._num_classes = num_classes
        self._initial_means = (
            initial_means
            if initial_means is None or isinstance(initial_means, Tensor)
            else constant(initial_means, dtype=dtypes.float32)
        )
        self._make_variables()
        self._init_ops = self._define_initialization(data)
        self._scores: TensorLike = None
        self._define_graph(data)

    def _make_variables(self) -> None:
        empty = constant([], dtype=dtypes.float32)
        self._means: Variable = Variable(empty, name=self.CLUSTERS_VARIABLE, validate_shape=False)
        self._covs: Variable = Variable(
            empty, name=self.CLUSTERS_COVS_VARIABLE, validate_shape=False
        )
        equal = tile([1.0 / self._num_classes], [self._num_classes])
        self._alpha: Variable = Variable(equal, name=self.CLUSTERS_WEIGHT, validate_shape=False)
        self._initialized: Variable = Variable(False, dtype=dtypes.bool_, name="initialized")

    def _define_initialization(self, data: Sequence[TensorLike]) -> Operation:
        given = self._initial_means
        if given is None:
            given = init_clusters_random(data, self._num_classes, self._random_seed)
        means = expand_dims(given, 1)
        diag = self._covariance_type == DIAG_COVARIANCE
        covs: Tensor = covariance(data[0], diag) + self._min_var
        if diag:
            covs = tile(expand_dims(diag_part(covs), 0), [self._num_classes, 1])
        else:
            covs = tile(expand_dims(covs, 0), [self._num_classes, 1, 1])
        flag = self._initialized
        done = with_dependencies([means, covs], build.Identity(flag.value()))
        made = []
        for variable, value in ((self._means, means), (self._covs, covs)):
            update = assign(variable, value, validate_shape=False)
            marked = with_dependencies([update], assign(flag, True))
            made.append(self._unless(done, marked))
        return group(*made)

    @staticmethod
    def _unless(done: TensorLike, marked: Tensor) -> Tensor:
        return cond(done, lambda: with_dependencies([build.NoOp()], constant(True)), lambda: marked)

    def init_ops(self) -> Operation:
        """The op that sets the first means and covariances."""
        return self._init_ops

    def is_initialized(self) -> Variable:
        """Whether they have been set, a boolean variable."""
        return self._initialized

    def training_ops(self) -> Operation:
        """The op of one step of expectation and maximization."""
        return self._train_op

    def alphas(self) -> Variable:
        """The weights, a variable."""
        return self._alpha

    def clusters(self) -> Variable:
        """The means, a variable [classes, 1, dimensions]."""
        return self._means

    def covariances(self) -> Variable:
        """The covariances, a variable."""
        return self._covs

    def assignments(self) -> list[Tensor]:
        """The most probable class of each point, a list with one tensor per input."""
        return [argmax(member, axis=1) for member in self._memberships]

    def scores(self) -> Tensor:
        """The log-likelihood of each point."""
        return self._scores

    def log_likelihood_op(self) -> Tensor:
        """The log-likelihood of all points, a scalar."""
        return self._log_likelihood

    def _define_graph(self, data: Sequence[TensorLike]) -> None:
        self._memberships: list[Any] = []
        self._log_sums: list[Any] = []
        masses, means, seconds = [], [], []
        for points in data:
            sizes: Tensor = shape(points)
            count: TensorLike = sizes[0]
            spread = expand_dims(points, 0)
            if self._covariance_type == FULL_COVARIANCE:
                log_density = self._log_density_full(spread)
            else:
                log_density = self._log_density_diag(spread)
            joint: Tensor = log_density + build.Log(self._alpha.value())
            log_sum = reduce_logsumexp(joint, axis=1, keepdims=True)
            self._log_sums.append(log_sum)
            share = build.Exp(expand_dims(joint, 0) - log_sum)
            member: Tensor = reshape(share, stack([count, self._num_classes]))
            self._memberships.append(member)
            masses.append(reduce_sum(member, 0, keepdims=True))
            flat = squeeze(spread)
            means.append(expand_dims(matmul(member, flat, transpose_a=True), 1))
            copies = concat([spread] * self._num_classes, 0)
            columns: Tensor = transpose(copies, perm=[0, 2, 1])
            weighted = concat(
                [expand_dims(columns[k] * member[:, k], 0) for k in range(self._num_classes)], 0
            )
            seconds.append(matmul(weighted, copies))
        self._define_updates(masses, means, seconds)
        self._log_likelihood = reduce_logsumexp(
            stack([reduce_logsumexp(x) for x in self._log_sums])
        )
        scores = [
            log_sum + build.Log(member)
            for log_sum, member in zip(self._log_sums, self._memberships, strict=True)
        ]
        self._scores = squeeze(reduce_logsumexp(stack(scores), axis=2, keepdims=True), [0])

    def _log_density_full(self, spread: Tensor) -> Tensor:
        difference = spread - self._means.value()
        factor = build.Cholesky(self._covs.value() + self._min_var)
        log_det: Tensor = 2.0 * reduce_sum(build.Log(matrix_diag_part(factor)), 1)
        white = matrix_triangular_solve(factor, transpose(difference, perm=[0, 2, 1]), lower=True)
        distance: Tensor = transpose(reduce_sum(build.Square(white), 1), perm=[1, 0])
        constant_part: Tensor = cast(self._dimensions, dtypes.float32) * build.Log(2 * math.pi)
        return -0.5 * (distance + constant_part + log_det)

    def _log_density_diag(self, spread: TensorLike) -> Any:
        log_det = reduce_sum(build.Log(self._covs.value() + 1e-3), 1, keepdims=True)
        squares = build.SquaredDifference(spread, self._means.value())
        inverse: TensorLike = 1.0 / (self._covs.value() + 1e-3)
        distance = transpose(squeeze(matmul(squares, expand_dims(inverse, 2)), [2]))
        constant_part: TensorLike = cast(self._dimensions, dtypes.float32) * build.Log(2 * math.pi)
        return -0.5 * (constant_part + transpose(log_det) + distance)

    def _define_updates(self, masses: list[Any], means: list[Any], seconds: list[Any]) -> None:
        updates = []
        with control_dependencies(self._memberships):
            mass: Tensor = (
                squeeze(add_n(masses), [0]) if len(masses) > 1 else squeeze(masses[0], [0])
            )
            if "w" in self._params:
                share: Tensor = mass / (1.0 * len(masses))
                updates.append(
                    assign(self._alpha, share / (reduce_sum(share) + MEPS), validate_shape=False)
                )
            column: Tensor = reshape(mass, [self._num_classes, 1, 1])
            if "m" in self._params:
                total = add_n(means) if len(means) > 1 else means[0]
                new_means = build.RealDiv(total, column + MEPS)
                update = assign(self._means, new_means, validate_shape=False)
            else:
                update = None
                if "c" in self._params:
                    update = build.NoOp()
            with control_dependencies([] if update is None else [update]):
                if "c" in self._params:
                    updates.append(self._covariance_update(column, seconds))
                elif update is not None:
                    updates.append(update)
        self._train_op = group(*updates)

    def _covariance_update(self, column: Tensor, seconds: list[Any]) -> Tensor:
        total: TensorLike = add_n(seconds) if len(seconds) > 1 else seconds[0]
        second: Tensor = total / (column + MEPS)
        found = []
        current = self._means.value()
        for k in range(self._num_classes):
            product = matmul(current[k], current[k], transpose_a=True)
            each: Tensor = second[k] - product + self._min_var
            if self._covariance_type == DIAG_COVARIANCE:
                each = diag_part(each)
            found.append(expand_dims(each, 0))
        return assign(self._covs, concat(found, 0), validate_shape=False)


@export("contrib.factorization.gmm")
def gmm(
    inp: Sequence[TensorLike],
    initial_clusters: TensorLike,
    num_clusters: int,
    random_seed: int,
    covariance_type: str = FULL_COVARIANCE,
    params: str = "wmc",
) -> tuple[Any, ...]:
    """Makes the graph that fits a mixture of normal distributions to points.

    Args:
        inp: the points, a float32 tensor [points, dimensions] or a list of those.
        initial_clusters: the first means, or "random".
        num_clusters: the number of distributions.
        random_seed: the seed of random means.
        covariance_type: "full" or "diag".
        params: what is fitted, of the letters w (weights), m (means) and c (covariances).

    Returns:
        The log-likelihood, the scores of all points, their assignments, the op of a training
        step, the op that initializes, and the variable that tells whether that has been done.
    """
    initial_means = None
    if not (isinstance(initial_clusters, str) and initial_clusters == "random"):
        initial_means = constant(initial_clusters, dtype=dtypes.float32)
    tool = GmmAlgorithm(
        inp if isinstance(inp, list) else [inp],
        num_clusters,
        initial_means,
        params,
        covariance_type,
        random_seed,
    )
    return (
        tool.log_likelihood_op(),
        tool.scores(),
        [tool.assignments()],
        tool.training_ops(),
        tool.init_ops(),
        tool.is_initialized(),
    )
