"""Accumulators of quantiles and of sums of gradients, for gradient boosted trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.contrib.boosted_trees.scheduling import ScheduledStampedResourceOp
from headwater.graph import Operation, SparseTensor, Tensor, build, name_scope
from headwater.graph.default_graph import add_to_collection, control_dependencies
from headwater.graph.graph_keys import GraphKeys
from headwater.model.resources import register_resource
from headwater.model.trackable.auto import TrackableResource
from headwater.model.trackable.saveable import SaveableObject, SaveSpec

_MAX_ELEMENTS: Final = 1 << 40


class StatsAccumulatorSaveable(SaveableObject):
    """Sums of gradients in checkpoints.

    Args:
        resource_handle: the handle of the accumulator.
        create_op: the op that makes it.
        is_scalar: whether gradients are scalars.
        name: its name in the checkpoint.
    """

    _FIELDS = ("_stamp", "_num_updates", "_partition_ids", "_feature_ids", "_gradients", "hessians")

    def __init__(
        self, resource_handle: Tensor, create_op: Operation, is_scalar: bool, name: str
    ) -> None:
        self._create_op = create_op
        self._resource_handle = resource_handle
        self._is_scalar = is_scalar
        specs = [
            SaveSpec(tensor, "", f"{resource_handle.name}{field}")
            for tensor, field in zip(self.serialize(), self._FIELDS)
        ]
        super().__init__(resource_handle, specs, name)

    def serialize(self) -> list[Tensor]:
        """Stamp, number of updates, partition ids, feature ids, gradients and hessians."""
        if self._is_scalar:
            return list(build.StatsAccumulatorScalarSerialize(self._resource_handle))
        return list(build.StatsAccumulatorTensorSerialize(self._resource_handle))

    def deserialize(
        self,
        stamp_token: TensorLike,
        num_updates: TensorLike,
        partition_ids: TensorLike,
        feature_ids: TensorLike,
        gradients: TensorLike,
        hessians: TensorLike,
    ) -> Operation:
        """Replaces the sums; takes what `serialize` returns."""
        op = (
            build.StatsAccumulatorScalarDeserialize
            if self._is_scalar
            else build.StatsAccumulatorTensorDeserialize
        )
        return op(
            self._resource_handle,
            stamp_token,
            num_updates,
            partition_ids,
            feature_ids,
            gradients,
            hessians,
        )

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Replaces the sums by the restored ones."""
        with control_dependencies([self._create_op]):
            return self.deserialize(*restored_tensors)


class StatsAccumulator(TrackableResource):
    """Sums gradients and hessians by partition, feature and dimension.

    Args:
        stamp_token: its stamp at first.
        gradient_shape: the shape of the gradient of an example.
        hessian_shape: the shape of its hessian.
        name: its name.
        container: the container of the resource; or None.
    """

    def __init__(
        self,
        stamp_token: TensorLike,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        name: str | None = None,
        container: str | None = None,
    ) -> None:
        super().__init__()
        self._container = container
        self._is_scalar = gradient_shape.ndims == 0 and hessian_shape.ndims == 0
        with name_scope(name, "StatsAccumulator") as scope:
            self._scope = scope
            handle = self.resource_handle
            if self._is_scalar:
                self._init_op = build.CreateStatsAccumulatorScalar(handle, stamp_token)
                self._is_initialized = build.StatsAccumulatorScalarIsInitialized(handle)
            else:
                self._init_op = build.CreateStatsAccumulatorTensor(
                    handle, stamp_token, gradient_shape.as_list(), hessian_shape.as_list()
                )
                self._is_initialized = build.StatsAccumulatorTensorIsInitialized(handle)
            self._saveable = StatsAccumulatorSaveable(handle, self._init_op, self._is_scalar, scope)
        register_resource(handle, self._init_op, self._is_initialized)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    def _create_resource(self) -> Tensor:
        op = (
            build.StatsAccumulatorScalarResourceHandleOp
            if self._is_scalar
            else build.StatsAccumulatorTensorResourceHandleOp
        )
        handle: Tensor = op(
            container=self._container or "", shared_name=self._scope, name=self._scope
        )
        return handle

    @property
    def initializer(self) -> Operation:
        """The op that makes the accumulator."""
        return self._init_op

    def is_initialized(self) -> Tensor:
        """Returns whether the accumulator was made."""
        return self._is_initialized

    @property
    def saveable(self) -> StatsAccumulatorSaveable:
        """The accumulator in checkpoints."""
        return self._saveable

    def _make_summary(
        self,
        partition_ids: TensorLike,
        feature_ids: TensorLike,
        gradients: TensorLike,
        hessians: TensorLike,
    ) -> Any:
        if self._is_scalar:
            return build.StatsAccumulatorScalarMakeSummary(
                partition_ids, feature_ids, gradients, hessians
            )
        return build.StatsAccumulatorTensorMakeSummary(
            partition_ids, feature_ids, gradients, hessians
        )

    def add(
        self,
        stamp_token: TensorLike,
        partition_ids: TensorLike,
        feature_ids: TensorLike,
        gradients: TensorLike,
        hessians: TensorLike,
    ) -> Operation:
        """Adds rows.

        Args:
            stamp_token: the stamp; with another one than that of the accumulator nothing is added.
            partition_ids: int32 [rows].
            feature_ids: int64 [rows, 2], feature and dimension.
            gradients: float32 [rows, ...].
            hessians: float32 [rows, ...].

        Returns:
            The op.
        """
        rows = self._make_summary(partition_ids, feature_ids, gradients, hessians)
        added: Operation = self._add_op([self.resource_handle], stamp_token, *([r] for r in rows))
        return added

    @property
    def _add_op(self) -> Any:
        return (
            build.StatsAccumulatorScalarAdd if self._is_scalar else build.StatsAccumulatorTensorAdd
        )

    def schedule_add(
        self,
        partition_ids: TensorLike,
        feature_ids: TensorLike,
        gradients: TensorLike,
        hessians: TensorLike,
    ) -> ScheduledStampedResourceOp:
        """Prepares an addition of rows, to be made together with others; see `add`."""
        rows = self._make_summary(partition_ids, feature_ids, gradients, hessians)
        names = ("partition_ids", "feature_ids", "gradients", "hessians")
        return ScheduledStampedResourceOp(
            self.resource_handle, self._add_op, **dict(zip(names, rows))
        )

    def flush(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> list[Tensor]:
        """Takes all sums out.

        Args:
            stamp_token: the stamp of the accumulator.
            next_stamp_token: its next stamp.

        Returns:
            Number of updates, partition ids, feature ids, gradients and hessians.
        """
        if self._is_scalar:
            flush = build.StatsAccumulatorScalarFlush
        else:
            flush = build.StatsAccumulatorTensorFlush
        return list(flush(self.resource_handle, stamp_token, next_stamp_token))


class QuantileAccumulatorSaveable(SaveableObject):
    """A stream and its buckets in checkpoints.

    Args:
        resource_handle: the handle of the accumulator.
        create_op: the op that makes it.
        name: its name in the checkpoint.
    """

    _FIELDS = ("_stamp", "_state", "_are_buckets_ready", "buckets")

    def __init__(self, resource_handle: Tensor, create_op: Operation, name: str) -> None:
        tensors = build.QuantileAccumulatorSerialize(resource_handle)
        specs = [
            SaveSpec(tensor, "", f"{name}{field}") for tensor, field in zip(tensors, self._FIELDS)
        ]
        super().__init__(resource_handle, specs, name)
        self._create_op = create_op

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Replaces stream and buckets by the restored ones."""
        with control_dependencies([self._create_op]):
            return build.QuantileAccumulatorDeserialize(self.op, *restored_tensors)


class QuantileAccumulator(TrackableResource):
    """Divides a numeric feature into buckets of about equal weight.

    Args:
        init_stamp_token: its stamp at first.
        epsilon: the allowed error of a quantile.
        num_quantiles: the number of buckets.
        max_elements: how many examples may come.
        name: its name.
        container: the container of the resource; or None.
        generate_quantiles: whether buckets are exactly so many quantiles.
    """

    def __init__(
        self,
        init_stamp_token: TensorLike,
        epsilon: float,
        num_quantiles: int,
        max_elements: int | None = None,
        name: str | None = None,
        container: str | None = None,
        generate_quantiles: bool = False,
    ) -> None:
        super().__init__()
        self._epsilon = epsilon
        self._container = container
        with name_scope(name, "QuantileAccumulator") as scope:
            self._scope = scope
            handle = self.resource_handle
            self._init_op: Operation = build.CreateQuantileAccumulator(
                handle,
                init_stamp_token,
                epsilon=epsilon,
                max_elements=_MAX_ELEMENTS if max_elements is None else max_elements,
                num_quantiles=num_quantiles,
                generate_quantiles=generate_quantiles,
            )
            self._is_initialized = build.QuantileAccumulatorIsInitialized(handle)
        register_resource(handle, self._init_op, self._is_initialized)
        self._saveable = QuantileAccumulatorSaveable(handle, self._init_op, scope)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    def _create_resource(self) -> Tensor:
        return build.QuantileStreamResourceHandleOp(
            container=self._container or "", shared_name=self._scope, name=self._scope
        )

    @property
    def initializer(self) -> Operation:
        """The op that makes the accumulator."""
        return self._init_op

    def is_initialized(self) -> Tensor:
        """Returns whether the accumulator was made."""
        return self._is_initialized

    def get_buckets(self, stamp_token: TensorLike) -> tuple[Tensor, Tensor]:
        """Whether there are buckets for a stamp, and their boundaries."""
        ready, buckets = build.QuantileAccumulatorGetBuckets([self.resource_handle], stamp_token)
        return ready[0], buckets[0]

    def schedule_get_buckets(self) -> ScheduledStampedResourceOp:
        """Prepares `get_buckets`, to be made together with others."""
        return ScheduledStampedResourceOp(self.resource_handle, build.QuantileAccumulatorGetBuckets)

    def _make_summary(self, column: Any, example_weights: TensorLike) -> Tensor:
        # Half of the error is left for merging the summaries of batches.
        epsilon = self._epsilon / 2
        if isinstance(column, SparseTensor):
            sparse = [column.indices], [column.values], [column.dense_shape]
            _, summaries = build.MakeQuantileSummaries(
                [], *sparse, example_weights, epsilon=epsilon
            )
        else:
            summaries, _ = build.MakeQuantileSummaries(
                [column], [], [], [], example_weights, epsilon=epsilon
            )
        return summaries[0]

    def add_summary(
        self, stamp_token: TensorLike, column: Any, example_weights: TensorLike
    ) -> Operation:
        """Adds a batch.

        Args:
            stamp_token: the stamp; with another one than that of the accumulator nothing is added.
            column: float32 [examples, 1], or a SparseTensor.
            example_weights: float32 [examples, 1].

        Returns:
            The op.
        """
        return self.add_prebuilt_summary(stamp_token, self._make_summary(column, example_weights))

    def add_prebuilt_summary(self, stamp_token: TensorLike, summary: TensorLike) -> Operation:
        """Adds a serialized QuantileSummaryState message."""
        return build.QuantileAccumulatorAddSummaries([self.resource_handle], stamp_token, [summary])

    def schedule_add_summary(
        self, stamp_token: TensorLike, column: Any, example_weights: TensorLike
    ) -> ScheduledStampedResourceOp:
        """Prepares `add_summary`, to be made together with others."""
        return ScheduledStampedResourceOp(
            self.resource_handle,
            build.QuantileAccumulatorAddSummaries,
            summaries=self._make_summary(column, example_weights),
        )

    def flush(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> Operation:
        """Computes the boundaries of buckets from the batches of a stamp; returns the op."""
        return build.QuantileAccumulatorFlush(self.resource_handle, stamp_token, next_stamp_token)

    def flush_summary(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> Tensor:
        """Takes the summary of the batches of a stamp out, a serialized message."""
        return build.QuantileAccumulatorFlushSummary(
            self.resource_handle, stamp_token, next_stamp_token
        )
