"""Factorization of a sparse matrix by weighted alternating least squares.

The algorithm is that of Hu, Koren and Volinsky, "Collaborative filtering for implicit feedback
datasets", 2008: rows u and columns v minimize the sum of (w0 + w_ij [x_ij is given])
(x_ij - u_i v_j)^2, and a regularization of the squares of u and v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    Operation,
    SparseTensor,
    Tensor,
    build,
    export,
    group,
    name_scope,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.variables.variable import Variable
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.shape import shape, size
from headwater.ops.array.unique import unique
from headwater.ops.linalg.diagonal import eye
from headwater.ops.linalg.solve import matrix_solve
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.random.normal import random_normal
from headwater.ops.state.assign import assign
from headwater.ops.state.scatter import scatter_update


class _Side(NamedTuple):
    """Rows, or columns: their factors, weights and Gramian, and their caches."""

    factors: TensorLike
    weights: TensorLike
    gramian: TensorLike
    factors_cache: TensorLike
    weights_cache: TensorLike
    gramian_cache: TensorLike
    total: int


def _shard_sizes(count: int, shards: int) -> list[int]:
    """Lengths of shards; on uneven division the first ones are longer by one."""
    least, longer = divmod(count, shards)
    return [least + (k < longer) for k in range(shards)]


@export("contrib.factorization.WALSModel")
class WALSModel:
    """The factors of a matrix, in variables, and the ops that improve them in turn.

    Args:
        input_rows: the number of rows of the matrix.
        input_cols: the number of its columns.
        n_components: the length of a factor.
        unobserved_weight: the weight w0 of all elements.
        regularization: the weight of the squares of factors; None for none.
        row_init: "random" or the first factors of rows, one array per shard.
        col_init: the same of columns.
        num_row_shards: in how many variables the factors of rows stand.
        num_col_shards: the same of columns.
        row_weights: a number, or one per row, in lists per shard; an element that is given has the
            weight w0 + row weight * column weight. None, for both, is unweighted least squares.
        col_weights: the same of columns.
        use_factors_weights_cache: whether factors and weights are copied to local variables.
        use_gramian_cache: whether Gramians are.
        use_scoped_vars: whether variables are named in variable scopes.
    """

    def __init__(
        self,
        input_rows: int,
        input_cols: int,
        n_components: int,
        unobserved_weight: float = 0.1,
        regularization: float | None = None,
        row_init: TensorLike = "random",
        col_init: TensorLike = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: TensorLike | None = 1,
        col_weights: TensorLike | None = 1,
        use_factors_weights_cache: bool = True,
        use_gramian_cache: bool = True,
        use_scoped_vars: bool = False,
    ) -> None:
        if (row_weights is None) != (col_weights is None):
            raise AssertionError
        self._n_components = n_components
        self._unobserved_weight = unobserved_weight
        self._regularization = 0.0 if regularization is None else regularization
        self._use_factors_weights_cache = use_factors_weights_cache
        self._use_gramian_cache = use_gramian_cache
        sizes = _shard_sizes(input_rows, num_row_shards), _shard_sizes(input_cols, num_col_shards)
        weights = [
            self._make_weights(given, lengths, name)
            for given, lengths, name in zip(
                (row_weights, col_weights), sizes, ("row_weights", "col_weights"), strict=True
            )
        ]
        factors = [
            self._make_factors(given, lengths, name)
            for given, lengths, name in zip(
                (row_init, col_init), sizes, ("row_factors", "col_factors"), strict=True
            )
        ]
        gramians = [self._make_gramian(name) for name in ("row_gramian", "col_gramian")]
        with name_scope("transient_vars"):
            kept = use_factors_weights_cache
            factor_caches = [
                self._make_caches(each, f"{name}_factors_cache", kept)
                for each, name in zip(factors, ("row", "col"), strict=True)
            ]
            weight_caches = [
                self._make_caches(each, f"{name}_wt_cache", kept)
                for each, name in zip(weights, ("row", "col"), strict=True)
            ]
            gramian_caches = [
                _local(f"{name}_gramian_cache") if use_gramian_cache else gramian
                for gramian, name in zip(gramians, ("row", "col"), strict=True)
            ]
        self._rows, self._cols = (
            _Side(
                factors[k],
                weights[k],
                gramians[k],
                factor_caches[k],
                weight_caches[k],
                gramian_caches[k],
                (input_rows, input_cols)[k],
            )
            for k in (0, 1)
        )
        self._row_prepare = self._prepare_gramian(self._cols, "row_prepare_gramian")
        self._col_prepare = self._prepare_gramian(self._rows, "col_prepare_gramian")
        self._row_start = self._fill_caches(self._cols)
        self._col_start = self._fill_caches(self._rows)
        self._worker_init = group(*[v.initializer for v in self._caches()], name="worker_init")

    # Variables

    def _make_weights(self, given: Any, sizes: list[int], name: str) -> list[Variable] | None:
        if given is None:
            return None
        if np.ndim(given) == 0 and not isinstance(given, (list, tuple)):
            return [
                Variable(lambda n=n: given * ones([n], dtypes.float32), name=f"{name}_shard_{k}")
                for k, n in enumerate(sizes)
            ]
        shards = given if _is_nested(given) else [given]
        if len(shards) != len(sizes) or any(
            len(x) != n for x, n in zip(shards, sizes, strict=True)
        ):
            raise AssertionError
        return [
            Variable(np.asarray(x, np.float32), dtype=dtypes.float32, name=f"{name}_shard_{k}")
            for k, x in enumerate(shards)
        ]

    def _make_factors(self, given: Any, sizes: list[int], name: str) -> list[Any]:
        width = self._n_components
        if isinstance(given, str) and given == "random":
            return [
                Variable(
                    lambda n=n: random_normal([n, width], dtype=dtypes.float32),
                    name=f"{name}_shard_{k}",
                )
                for k, n in enumerate(sizes)
            ]
        shards = [given] if len(sizes) == 1 and not _is_list_of_matrices(given) else given
        return [
            Variable(constant(x, dtype=dtypes.float32), name=f"{name}_shard_{k}")
            for k, x in enumerate(shards)
        ]

    def _make_gramian(self, name: str) -> Variable:
        width = self._n_components
        return Variable(build.Fill([width, width], constant(0.0)), dtype=dtypes.float32, name=name)

    def _make_caches(
        self, variables: Sequence[Variable] | None, name: str, kept: bool
    ) -> NestedTensors:
        if variables is None or not kept:
            return variables
        return [_local(f"{name}_shard_{k}") for k in range(len(variables))]

    def _caches(self) -> list[Any]:
        found: list[Any] = []
        for side in (self._rows, self._cols):
            if self._use_factors_weights_cache:
                found += side.factors_cache + (side.weights_cache or [])
            if self._use_gramian_cache:
                found.append(side.gramian_cache)
        return found

    def _fill_caches(self, side: _Side) -> Operation:
        pairs: list[tuple[Any, Any]] = []
        if self._use_factors_weights_cache:
            pairs += zip(side.factors_cache, side.factors, strict=True)
            if side.weights is not None:
                pairs += zip(side.weights_cache, side.weights, strict=True)
        if self._use_gramian_cache:
            pairs.append((side.gramian_cache, side.gramian))
        return group(*[assign(c, v.value(), validate_shape=False) for c, v in pairs])

    def _prepare_gramian(self, side: _Side, name: str) -> Operation:
        with name_scope(name):
            parts = [matmul(x.value(), x.value(), transpose_a=True) for x in side.factors]
            total = add_n(parts) if len(parts) > 1 else parts[0]
            return assign(side.gramian, total).op

    @property
    def row_factors(self) -> list[Variable]:
        """The factors of rows, a list of variables."""
        return self._rows.factors

    @property
    def col_factors(self) -> list[Variable]:
        """The factors of columns, a list of variables."""
        return self._cols.factors

    @property
    def row_weights(self) -> Any:
        """The weights of rows, a list of variables; None for unweighted least squares."""
        return self._rows.weights

    @property
    def col_weights(self) -> Any:
        """The weights of columns, a list of variables; None for unweighted least squares."""
        return self._cols.weights

    @property
    def initialize_op(self) -> Operation:
        """Initializes the variables."""
        variables = [*self.row_factors, *self.col_factors]
        for side in (self._rows, self._cols):
            variables += [side.gramian, *(side.weights or [])]
        return group(*[v.initializer for v in variables], name="initialize")

    @property
    def worker_init(self) -> Operation:
        """Initializes the local variables."""
        return self._worker_init

    @property
    def row_update_prep_gramian_op(self) -> Operation:
        """Computes the Gramian of the columns' factors, before rows are updated."""
        return self._row_prepare

    @property
    def col_update_prep_gramian_op(self) -> Operation:
        """Computes the Gramian of the rows' factors, before columns are updated."""
        return self._col_prepare

    @property
    def initialize_row_update_op(self) -> Operation:
        """Fills the local variables, before rows are updated."""
        return self._row_start

    @property
    def initialize_col_update_op(self) -> Operation:
        """Fills the local variables, before columns are updated."""
        return self._col_start

    # Steps

    def update_row_factors(
        self, sp_input: SparseTensor | None = None, transpose_input: bool = False
    ) -> Any:
        """Finds the best factors of some rows.

        Args:
            sp_input: a SparseTensor with all given elements of these rows.
            transpose_input: whether it is transposed.

        Returns:
            The new factors, the op that updates the variables, an estimate of the loss without
            regularization, the regularization, and the sum of all weights.
        """
        return self._process(sp_input, True, transpose_input, None, "row_update")

    def update_col_factors(
        self, sp_input: SparseTensor | None = None, transpose_input: bool = False
    ) -> Any:
        """Finds the best factors of some columns; as `update_row_factors`."""
        return self._process(sp_input, False, transpose_input, None, "col_update")

    def project_row_factors(
        self,
        sp_input: SparseTensor | None = None,
        transpose_input: bool = False,
        projection_weights: TensorLike | None = None,
    ) -> Any:
        """The best factors of some rows, which need not be those of the matrix.

        Args:
            sp_input: a SparseTensor with all given elements of these rows.
            transpose_input: whether it is transposed.
            projection_weights: their weights, a number or one per row; 1 by default.

        Returns:
            The factors.
        """
        weights = 1 if projection_weights is None else projection_weights
        return self._process(sp_input, True, transpose_input, weights, None)[0]

    def project_col_factors(
        self,
        sp_input: TensorLike | None = None,
        transpose_input: bool = False,
        projection_weights: Any = None,
    ) -> Any:
        """The best factors of some columns; as `project_row_factors`."""
        weights = 1 if projection_weights is None else projection_weights
        return self._process(sp_input, False, transpose_input, weights, None)[0]

    def _process(
        self,
        given: Any,
        by_rows: bool,
        transposed: bool,
        weights: TensorLike | None,
        name: str | None,
    ) -> tuple[Tensor | Operation | None, ...]:
        left, right = (self._rows, self._cols) if by_rows else (self._cols, self._rows)
        # The first or the second index of an element is that of the updated row or column.
        flipped = transposed == by_rows
        places: Tensor = given.indices
        updated, row_of = unique(places[:, 1 if flipped else 0], out_idx=dtypes.int64)
        others, column_of = unique(places[:, 0 if flipped else 1], out_idx=dtypes.int64)
        found = embedding_lookup(right.factors_cache, others, partition_strategy="div")
        count: TensorLike = size(updated)
        if right.weights is None:
            row_weights: Tensor = build.Fill(shape(updated), constant(0.0))
            column_weights = build.Fill(shape(others), constant(0.0))
        else:
            column_weights = embedding_lookup(right.weights_cache, others, partition_strategy="div")
            if weights is None:
                row_weights = embedding_lookup(left.weights, updated, partition_strategy="div")
            else:
                row_weights = weights * ones(expand_dims(count, 0), dtypes.float32)
        w0 = self._unobserved_weight
        both = build.Pack([row_of, column_of], axis=1)
        partial, rhs = build.WALSComputePartialLhsAndRhs(
            found,
            column_weights,
            constant(w0, dtype=dtypes.float32),
            row_weights,
            both,
            given.values,
            [],
            cast(count, dtypes.int64),
            False,
        )
        gramian: Tensor = right.gramian_cache.value()
        lhs: Tensor = partial + expand_dims(w0 * gramian, 0)
        if self._regularization:
            lhs = lhs + self._regularization * eye(self._n_components)
        solved: Tensor = squeeze(matrix_solve(lhs, expand_dims(rhs, -1)), [2])
        update = None
        if name is not None:
            update = self.scatter_update(
                left.factors, updated, solved, self._sharding(left), name=name
            )
        # The loss over the rows at hand, scaled to all of them.
        scale: TensorLike = build.RealDiv(constant(float(left.total)), cast(count, dtypes.float32))
        fitted: Tensor = build.MaskedMatmul(solved, found, both, False, True)
        pairs = build.GatherV2(row_weights, row_of, 0) * build.GatherV2(
            column_weights, column_of, 0
        )
        everywhere = reduce_sum(matmul(solved, gramian) * solved)
        at_given = (w0 + pairs) * build.Square(given.values - fitted) - w0 * build.Square(fitted)
        loss = scale * (w0 * everywhere + reduce_sum(at_given))
        regularization: Tensor = constant(0.0)
        if self._regularization:
            squares: Tensor = reduce_sum(build.MatrixDiagPart(gramian))
            regularization = self._regularization * (
                scale * reduce_sum(build.Square(solved)) + squares
            )
        cells = cast(count, dtypes.float32) * float(right.total)
        return solved, update, loss, regularization, scale * (w0 * cells + reduce_sum(pairs))

    def _sharding(self, side: _Side) -> Callable[[Any], tuple[Any, Any]]:
        """A function from row numbers to shards and places in them."""
        sizes = _shard_sizes(side.total, len(side.factors))
        starts = np.cumsum([0, *sizes])[:-1]

        def place(ids: TensorLike) -> tuple[Any, Any]:
            later = build.GreaterEqual(expand_dims(ids, 1), constant(starts[1:], ids.dtype))
            shard: Tensor = reduce_sum(cast(later, dtypes.int32), axis=1)
            return shard, ids - build.GatherV2(constant(starts, ids.dtype), shard, 0)

        return place

    @classmethod
    def scatter_update(
        cls,
        factor: Sequence[Variable],
        indices: TensorLike,
        values: TensorLike,
        sharding_func: Callable[[Any], tuple[Any, Any]],
        name: str | None = None,
    ) -> Operation:
        """Replaces some rows of variables that together are a matrix.

        Args:
            factor: the variables.
            indices: the numbers of the rows.
            values: the new rows.
            sharding_func: from row numbers to numbers of variables and of rows in them.
            name: the name of the op.

        Returns:
            The op.
        """
        if len(factor) == 1:
            return scatter_update(factor[0], indices, values, name=name).op
        shards, places = sharding_func(indices)
        count = len(factor)
        chosen = build.DynamicPartition(places, shards, num_partitions=count)
        rows = build.DynamicPartition(values, shards, num_partitions=count)
        updates = [
            scatter_update(v, i, x, name=None if name is None else f"{name}_{k}").op
            for k, (v, i, x) in enumerate(zip(factor, chosen, rows, strict=True))
        ]
        return group(*updates, name=name)


def _local(name: str) -> Variable:
    return Variable(
        1.0,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        name=name,
        validate_shape=False,
    )


def _is_nested(x: Sequence[float]) -> bool:
    return len(x) > 0 and np.ndim(x[0]) > 0


def _is_list_of_matrices(x: np.ndarray) -> bool:
    return isinstance(x, (list, tuple)) and len(x) > 0 and np.ndim(x[0]) == 2
