"""Handlers of features: each gathers statistics of one feature and proposes splits."""

from __future__ import annotations

import re
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.contrib.boosted_trees.accumulators import QuantileAccumulator, StatsAccumulator
from headwater.contrib.boosted_trees.scheduling import (
    ScheduledStampedResourceOp,
    run_handler_scheduled_ops,
)
from headwater.graph import Operation, SparseTensor, Tensor, build, group
from headwater.graph.default_graph import control_dependencies
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import fill
from headwater.ops.array.gather import gather
from headwater.ops.array.shape import shape
from headwater.ops.array.stack import stack
from headwater.ops.control.identity import identity, no_op
from headwater.ops.math.cast import cast
from headwater.ops.math.logical import logical_and
from headwater.ops.math.select import where

# The id of the rows that sum all examples of a partition.
_BIAS_FEATURE_ID = -1
Splits = tuple[Tensor, tuple[Tensor, Tensor, Tensor]]


class BaseSplitHandler:
    """Gathers statistics of a feature and proposes splits.

    Args:
        l1_regularization: the L1 regularization.
        l2_regularization: the L2 regularization.
        tree_complexity_regularization: what a split costs.
        min_node_weight: nodes with a smaller hessian are not split.
        feature_column_group_id: the index of the feature among those of its kind.
        gradient_shape: the shape of the gradient of an example.
        hessian_shape: the shape of its hessian.
        multiclass_strategy: a number of LearnerConfig.MultiClassStrategy.
        loss_uses_sum_reduction: whether the loss of a batch is a sum; a mean otherwise.
        name: the name of the handler.
    """

    def __init__(
        self,
        l1_regularization: float,
        l2_regularization: float,
        tree_complexity_regularization: float,
        min_node_weight: float,
        feature_column_group_id: TensorLike,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: int,
        loss_uses_sum_reduction: bool = False,
        name: str | None = None,
    ) -> None:
        self._l1_regularization = l1_regularization
        self._l2_regularization = l2_regularization
        self._tree_complexity_regularization = tree_complexity_regularization
        self._min_node_weight = min_node_weight
        self._feature_column_group_id = feature_column_group_id
        self._gradient_shape = gradient_shape
        self._hessian_shape = hessian_shape
        self._multiclass_strategy = multiclass_strategy
        self._loss_uses_sum_reduction = loss_uses_sum_reduction
        self._name = name or ""
        self._stats_accumulator: StatsAccumulator | None = None

    def scheduled_reads(self) -> list[Any]:
        """Reads that `update_stats` needs, to be made together with those of other handlers."""
        return []

    def update_stats(
        self,
        stamp_token: TensorLike,
        example_partition_ids: Tensor,
        gradients: Tensor,
        hessians: Tensor,
        empty_gradients: Tensor,
        empty_hessians: Tensor,
        weights: Tensor,
        is_active: Tensor,
        scheduled_reads: list[Any],
    ) -> tuple[Operation, list[Any]]:
        """Adds the statistics of a batch.

        Args:
            stamp_token: the stamp of the ensemble.
            example_partition_ids: the leaf of each example, int32 [examples].
            gradients: float32 [examples, ...].
            hessians: float32 [examples, ...].
            empty_gradients: gradients of no examples.
            empty_hessians: hessians of no examples.
            weights: the weights of examples, float32 [examples, 1].
            is_active: bool [2], whether the feature is used in this layer, and in the next one.
            scheduled_reads: the results of the reads.

        Returns:
            An op, and updates to be made together with those of other handlers.
        """
        raise NotImplementedError()

    def update_stats_sync(
        self,
        stamp_token: TensorLike,
        example_partition_ids: Tensor,
        gradients: Tensor,
        hessians: Tensor,
        empty_gradients: Tensor,
        empty_hessians: Tensor,
        weights: Tensor,
        is_active: Tensor,
    ) -> Operation:
        """Adds the statistics of a batch, with reads and updates of its own; see `update_stats`."""
        reads = {self: self.scheduled_reads()}
        read = run_handler_scheduled_ops(reads, stamp_token, None)[self] if reads[self] else []
        update, updates = self.update_stats(
            stamp_token,
            example_partition_ids,
            gradients,
            hessians,
            empty_gradients,
            empty_hessians,
            weights,
            is_active,
            read,
        )
        with control_dependencies([update]):
            made = run_handler_scheduled_ops({self: updates}, stamp_token, None)[self]
        return group(update, *made)

    def reset(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> Operation:
        """Forgets the statistics.

        Args:
            stamp_token: the stamp of the accumulators.
            next_stamp_token: their next stamp.

        Returns:
            The op.
        """
        return self._flushed(stamp_token, next_stamp_token)[0].op

    def make_splits(
        self, stamp_token: TensorLike, next_stamp_token: TensorLike, class_id: TensorLike
    ) -> Splits:
        """Proposes splits, and forgets the statistics.

        Args:
            stamp_token: the stamp of the accumulators.
            next_stamp_token: their next stamp.
            class_id: the class that trees are grown for; -1 for all.

        Returns:
            Whether splits are ready, and (partition ids, gains, serialized splits).
        """
        raise NotImplementedError()

    def _flushed(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> list[Tensor]:
        assert self._stats_accumulator is not None
        batches, *rows = self._stats_accumulator.flush(stamp_token, next_stamp_token)
        if self._loss_uses_sum_reduction:
            batches = constant(1, dtypes.int64)
        return [batches, *rows]

    def _make_stats(self, init_stamp_token: int) -> None:
        self._stats_accumulator = StatsAccumulator(
            init_stamp_token,
            self._gradient_shape,
            self._hessian_shape,
            name=f"StatsAccumulator{_plain(self._name)}",
        )

    def _regularization(self) -> list[Any]:
        return [
            self._l1_regularization,
            self._l2_regularization,
            self._tree_complexity_regularization,
            self._min_node_weight,
            self._multiclass_strategy,
        ]


def _plain(name: str) -> str:
    """A name without what is not allowed in names of variables."""
    return re.sub(r"[^A-Za-z0-9]+", "", name)


def _rows_if(condition: Tensor, tensor: Tensor) -> Tensor:
    """The number of rows of a tensor, 0 unless a condition holds."""
    return where(condition, shape(tensor)[0], 0)


class InequalitySplitHandler(BaseSplitHandler):
    """Splits a numeric feature at a threshold.

    Args:
        epsilon: the allowed error of quantiles.
        num_quantiles: the number of thresholds to choose from.
        init_stamp_token: the stamp of the accumulators at first.
        kwargs: the other arguments of `BaseSplitHandler`.
    """

    def __init__(
        self,
        l1_regularization: float,
        l2_regularization: float,
        tree_complexity_regularization: float,
        min_node_weight: float,
        feature_column_group_id: TensorLike,
        epsilon: float,
        num_quantiles: int,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: int,
        init_stamp_token: int = 0,
        loss_uses_sum_reduction: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            loss_uses_sum_reduction,
            name,
        )
        self._make_stats(init_stamp_token)
        self._quantile_accumulator = QuantileAccumulator(
            init_stamp_token,
            epsilon=epsilon,
            num_quantiles=num_quantiles,
            name=f"QuantileAccumulator{_plain(self._name)}",
        )

    def scheduled_reads(self) -> list[Any]:
        """The read of the buckets."""
        return [self._quantile_accumulator.schedule_get_buckets()]

    def reset(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> Operation:
        """Forgets the statistics, and computes the buckets; returns the op."""
        quantiles = self._quantile_accumulator.flush(stamp_token, next_stamp_token)
        return group(super().reset(stamp_token, next_stamp_token), quantiles)

    def _take(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> list[Tensor]:
        """Whether there are buckets, the buckets, and the sums; begins the next layer."""
        ready, buckets = self._quantile_accumulator.get_buckets(stamp_token)
        with control_dependencies([ready, buckets]):
            rows = self._flushed(stamp_token, next_stamp_token)
            flush = self._quantile_accumulator.flush(stamp_token, next_stamp_token)
        with control_dependencies([flush]):
            return [identity(ready), buckets, *rows]

    def _updates(
        self,
        stamp_token: TensorLike,
        column: Any,
        weights: Tensor,
        is_active: Tensor,
        rows: list[Tensor],
    ) -> tuple[Operation, list[Any]]:
        assert self._stats_accumulator is not None
        used = where(is_active[1], weights, build.ZerosLike(weights))
        updates: list[ScheduledStampedResourceOp] = [
            self._stats_accumulator.schedule_add(*rows),
            self._quantile_accumulator.schedule_add_summary(stamp_token, column, used),
        ]
        return no_op(), updates


class DenseSplitHandler(InequalitySplitHandler):
    """Splits a numeric feature that all examples have.

    Args:
        dense_float_column: the values, float32 [examples, 1].
        weak_learner_type: a number of LearnerConfig.WeakLearnerType.
        init_stamp_token: the stamp of the accumulators at first.
        kwargs: the other arguments of `InequalitySplitHandler`.
    """

    def __init__(
        self,
        dense_float_column: Tensor,
        l1_regularization: float,
        l2_regularization: float,
        tree_complexity_regularization: float,
        min_node_weight: float,
        feature_column_group_id: TensorLike,
        epsilon: float,
        num_quantiles: int,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: int,
        init_stamp_token: int = 0,
        loss_uses_sum_reduction: bool = False,
        weak_learner_type: int = 0,
        name: str | None = None,
    ) -> None:
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            epsilon,
            num_quantiles,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            init_stamp_token,
            loss_uses_sum_reduction,
            name,
        )
        self._dense_float_column = dense_float_column
        self._weak_learner_type = weak_learner_type

    def update_stats(
        self,
        stamp_token: TensorLike,
        example_partition_ids: Tensor,
        gradients: Tensor,
        hessians: Tensor,
        empty_gradients: Tensor,
        empty_hessians: Tensor,
        weights: Tensor,
        is_active: Tensor,
        scheduled_reads: list[Any],
    ) -> tuple[Operation, list[Any]]:
        """Adds the statistics of a batch; see `BaseSplitHandler`."""
        ready, buckets = scheduled_reads[0]
        count = _rows_if(logical_and(ready, is_active[0]), example_partition_ids)
        values = self._dense_float_column[:count]
        (places,), _ = build.Quantiles([values], [], [buckets], [], [])
        rows = [
            example_partition_ids[:count],
            cast(places, dtypes.int64),
            gradients[:count],
            hessians[:count],
        ]
        return self._updates(stamp_token, self._dense_float_column, weights, is_active, rows)

    def make_splits(
        self, stamp_token: TensorLike, next_stamp_token: TensorLike, class_id: TensorLike
    ) -> Splits:
        """Proposes splits, and forgets the statistics; see `BaseSplitHandler`."""
        ready, buckets, batches, *rows = self._take(stamp_token, next_stamp_token)
        splits = build.BuildDenseInequalitySplits(
            batches,
            *rows,
            buckets,
            class_id,
            self._feature_column_group_id,
            *self._regularization(),
            self._weak_learner_type,
        )
        return ready, tuple(splits)


class SparseSplitHandler(InequalitySplitHandler):
    """Splits a numeric feature that examples may lack.

    Args:
        sparse_float_column: the values, a SparseTensor [examples, dimensions].
        init_stamp_token: the stamp of the accumulators at first.
        kwargs: the other arguments of `InequalitySplitHandler`.
    """

    def __init__(
        self,
        sparse_float_column: SparseTensor,
        l1_regularization: float,
        l2_regularization: float,
        tree_complexity_regularization: float,
        min_node_weight: float,
        feature_column_group_id: TensorLike,
        epsilon: float,
        num_quantiles: int,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: int,
        init_stamp_token: int = 0,
        loss_uses_sum_reduction: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            epsilon,
            num_quantiles,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            init_stamp_token,
            loss_uses_sum_reduction,
            name,
        )
        self._sparse_float_column = sparse_float_column

    def update_stats(
        self,
        stamp_token: TensorLike,
        example_partition_ids: Tensor,
        gradients: Tensor,
        hessians: Tensor,
        empty_gradients: Tensor,
        empty_hessians: Tensor,
        weights: Tensor,
        is_active: Tensor,
        scheduled_reads: list[Any],
    ) -> tuple[Operation, list[Any]]:
        """Adds the statistics of a batch; see `BaseSplitHandler`."""
        ready, buckets = scheduled_reads[0]
        column = self._sparse_float_column
        is_used = logical_and(ready, is_active[0])
        entries = _rows_if(is_used, column.values)
        places = column.indices[:entries]
        _, (quantiles,) = build.Quantiles([], [column.values[:entries]], [], [buckets], [places])
        rows = _rows_with_bias(
            is_used,
            places[:, 0],
            cast(quantiles, dtypes.int64),
            example_partition_ids,
            gradients,
            hessians,
        )
        return self._updates(stamp_token, column, weights, is_active, rows)

    def make_splits(
        self, stamp_token: TensorLike, next_stamp_token: TensorLike, class_id: TensorLike
    ) -> Splits:
        """Proposes splits, and forgets the statistics; see `BaseSplitHandler`."""
        ready, buckets, batches, *rows = self._take(stamp_token, next_stamp_token)
        splits = build.BuildSparseInequalitySplits(
            batches,
            *rows,
            buckets,
            class_id,
            self._feature_column_group_id,
            _BIAS_FEATURE_ID,
            *self._regularization(),
        )
        return ready, tuple(splits)


def _rows_with_bias(
    is_used: Tensor,
    examples: Tensor,
    feature_ids: Tensor,
    partition_ids: Tensor,
    gradients: Tensor,
    hessians: Tensor,
) -> list[Tensor]:
    """Rows for the entries of a sparse feature, and one for each example."""
    count = _rows_if(is_used, partition_ids)
    bias = stack(
        [
            fill([count], constant(_BIAS_FEATURE_ID, dtypes.int64)),
            fill([count], constant(0, dtypes.int64)),
        ],
        axis=1,
    )
    columns = [(partition_ids, partition_ids), (gradients, gradients), (hessians, hessians)]
    partitions, sums, squares = (
        concat([gather(column, examples), whole[:count]], 0) for column, whole in columns
    )
    return [partitions, concat([feature_ids, bias], 0), sums, squares]


class EqualitySplitHandler(BaseSplitHandler):
    """Splits a categorical feature by one of its values.

    Args:
        sparse_int_column: the values, a SparseTensor of int64 [examples, values].
        init_stamp_token: the stamp of the accumulator at first.
        weak_learner_type: a number of LearnerConfig.WeakLearnerType.
        kwargs: the other arguments of `BaseSplitHandler`.
    """

    def __init__(
        self,
        sparse_int_column: SparseTensor,
        l1_regularization: float,
        l2_regularization: float,
        tree_complexity_regularization: float,
        min_node_weight: float,
        feature_column_group_id: TensorLike,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: int,
        init_stamp_token: int = 0,
        loss_uses_sum_reduction: bool = False,
        weak_learner_type: int = 0,
        name: str | None = None,
    ) -> None:
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            loss_uses_sum_reduction,
            name,
        )
        self._make_stats(init_stamp_token)
        self._sparse_int_column = sparse_int_column
        self._weak_learner_type = weak_learner_type

    def update_stats(
        self,
        stamp_token: TensorLike,
        example_partition_ids: Tensor,
        gradients: Tensor,
        hessians: Tensor,
        empty_gradients: Tensor,
        empty_hessians: Tensor,
        weights: Tensor,
        is_active: Tensor,
        scheduled_reads: list[Any],
    ) -> tuple[Operation, list[Any]]:
        """Adds the statistics of a batch; see `BaseSplitHandler`."""
        assert self._stats_accumulator is not None
        column = self._sparse_int_column
        entries = _rows_if(is_active[0], column.values)
        values = column.values[:entries]
        rows = _rows_with_bias(
            is_active[0],
            column.indices[:entries, 0],
            stack([values, build.ZerosLike(values)], axis=1),
            example_partition_ids,
            gradients,
            hessians,
        )
        return no_op(), [self._stats_accumulator.schedule_add(*rows)]

    def make_splits(
        self, stamp_token: TensorLike, next_stamp_token: TensorLike, class_id: TensorLike
    ) -> Splits:
        """Proposes splits, and forgets the statistics; see `BaseSplitHandler`."""
        batches, *rows = self._flushed(stamp_token, next_stamp_token)
        splits = build.BuildCategoricalEqualitySplits(
            batches,
            *rows,
            class_id,
            self._feature_column_group_id,
            _BIAS_FEATURE_ID,
            *self._regularization(),
            self._weak_learner_type,
        )
        return constant(True), tuple(splits)
