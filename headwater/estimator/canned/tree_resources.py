"""Resources of boosted trees in a graph: the ensemble, and the quantiles of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, name_scope
from headwater.graph.default_graph import add_to_collection, control_dependencies
from headwater.graph.graph_keys import GraphKeys
from headwater.model.resources import register_resource
from headwater.model.trackable.saveable import SaveableObject, SaveSpec

_MAX_ELEMENTS: Final = 1 << 40


class PruningMode:
    """When splits that gain nothing are removed."""

    NO_PRUNING, PRE_PRUNING, POST_PRUNING = range(3)

    _NUMBERS: ClassVar[dict[str, int]] = {"none": 0, "pre": 1, "post": 2}

    @classmethod
    def from_str(cls, mode: str) -> int:
        """The number of a mode.

        Args:
            mode: "none", "pre" or "post".

        Returns:
            An int.

        Raises:
            ValueError: if there is no such mode.
        """
        if mode not in cls._NUMBERS:
            raise ValueError("pruning_mode mode must be one of: none, post, pre")
        return cls._NUMBERS[mode]


class States(NamedTuple):
    """The state of an ensemble; scalars, and the first and last node of the layer that grows."""

    stamp_token: Tensor
    num_trees: Tensor
    num_finalized_trees: Tensor
    num_attempted_layers: Tensor
    last_layer_nodes_range: Tensor


class TreeEnsembleSaveable(SaveableObject):
    """An ensemble: its stamp and its trees.

    Args:
        resource_handle: the handle of the ensemble.
        create_op: the op that makes it.
        name: its name in the checkpoint.
    """

    def __init__(self, resource_handle: Tensor, create_op: Operation, name: str) -> None:
        stamp, serialized = build.BoostedTreesSerializeEnsemble(resource_handle)
        specs = [
            SaveSpec(stamp, "", f"{name}_stamp"),
            SaveSpec(serialized, "", f"{name}_serialized"),
        ]
        super().__init__(resource_handle, specs, name)
        self._create_op = create_op

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Replaces the trees by the restored ones."""
        with control_dependencies([self._create_op]):
            return build.BoostedTreesDeserializeEnsemble(self.op, *restored_tensors)


class TreeEnsemble:
    """An ensemble of boosted trees.

    Args:
        name: the name of the ensemble.
        stamp_token: its stamp at first.
        is_local: whether it is of this task alone.
        serialized_proto: its trees at first, a serialized TreeEnsemble message.
    """

    def __init__(
        self,
        name: str | None,
        stamp_token: int = 0,
        is_local: bool = False,
        serialized_proto: str | bytes = "",
    ) -> None:
        with name_scope(name, "TreeEnsemble") as scope:
            self.resource_handle: Tensor = build.BoostedTreesEnsembleResourceHandleOp(
                container="", shared_name=scope, name=scope
            )
            self.initializer: Operation = build.BoostedTreesCreateEnsemble(
                self.resource_handle, stamp_token, serialized_proto
            )
            self._is_initialized = build.IsBoostedTreesEnsembleInitialized(self.resource_handle)
            register_resource(
                self.resource_handle, self.initializer, self._is_initialized, not is_local
            )
            saveable = TreeEnsembleSaveable(
                self.resource_handle, self.initializer, self.resource_handle.name
            )
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)

    def get_stamp_token(self) -> Tensor:
        """The stamp, an int64 scalar."""
        return self.get_states().stamp_token

    def get_states(self) -> States:
        """The state of the ensemble."""
        states = build.BoostedTreesGetEnsembleStates(self.resource_handle)
        return States(*(build.Identity(t, name=n) for t, n in zip(states, States._fields)))

    def serialize(self) -> tuple[Tensor, Tensor]:
        """The stamp and the trees, a serialized TreeEnsemble message."""
        stamp, serialized = build.BoostedTreesSerializeEnsemble(self.resource_handle)
        return stamp, serialized

    def deserialize(self, stamp_token: TensorLike, serialized_proto: TensorLike) -> Operation:
        """Replaces the trees.

        Args:
            stamp_token: the new stamp.
            serialized_proto: a serialized TreeEnsemble message.

        Returns:
            The op.
        """
        return build.BoostedTreesDeserializeEnsemble(
            self.resource_handle, stamp_token, serialized_proto
        )


class QuantileAccumulatorSaveable(SaveableObject):
    """The boundaries of the buckets of features.

    Args:
        resource_handle: the handle of the streams.
        create_op: the op that makes them.
        num_streams: how many there are.
        name: their name in the checkpoint.
    """

    def __init__(
        self, resource_handle: Tensor, create_op: Operation, num_streams: int, name: str
    ) -> None:
        boundaries = build.BoostedTreesQuantileStreamResourceGetBucketBoundaries(
            resource_handle, num_features=num_streams
        )
        specs = [
            SaveSpec(tensor, "", f"{name}_bucket_boundaries_{i}")
            for i, tensor in enumerate(boundaries)
        ]
        super().__init__(resource_handle, specs, name)
        self._create_op = create_op

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Takes over the restored boundaries."""
        with control_dependencies([self._create_op]):
            return build.BoostedTreesQuantileStreamResourceDeserialize(
                self.op, bucket_boundaries=restored_tensors
            )


class QuantileAccumulator:
    """Divides numeric features into buckets of about equal weight.

    Args:
        epsilon: the allowed error of a quantile.
        num_streams: the number of features.
        num_quantiles: the number of buckets.
        name: the name of the accumulator.
        max_elements: how many examples may come.
    """

    def __init__(
        self,
        epsilon: float,
        num_streams: int,
        num_quantiles: int,
        name: str | None = None,
        max_elements: int | None = None,
    ) -> None:
        self._eps = epsilon
        self._num_streams = num_streams
        self._num_quantiles = num_quantiles
        with name_scope(name, "QuantileAccumulator") as scope:
            self.resource_handle: Tensor = build.BoostedTreesQuantileStreamResourceHandleOp(
                container="", shared_name=scope, name=scope
            )
            self.initializer: Operation = build.BoostedTreesCreateQuantileStreamResource(
                self.resource_handle,
                epsilon,
                num_streams,
                max_elements=_MAX_ELEMENTS if max_elements is None else max_elements,
            )
            is_initialized = build.IsBoostedTreesQuantileStreamResourceInitialized(
                self.resource_handle
            )
        register_resource(self.resource_handle, self.initializer, is_initialized)
        saveable = QuantileAccumulatorSaveable(
            self.resource_handle, self.initializer, num_streams, self.resource_handle.name
        )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)

    def add_summaries(
        self, float_columns: Sequence[TensorLike], example_weights: TensorLike
    ) -> Operation:
        """Adds a batch.

        Args:
            float_columns: a float32 vector for each feature.
            example_weights: a float32 vector, or one weight for all.

        Returns:
            The op.
        """
        summaries = build.BoostedTreesMakeQuantileSummaries(
            float_columns, example_weights, self._eps
        )
        return build.BoostedTreesQuantileStreamResourceAddSummaries(self.resource_handle, summaries)

    def flush(self) -> Operation:
        """Computes the boundaries from the batches so far; returns the op."""
        return build.BoostedTreesQuantileStreamResourceFlush(
            self.resource_handle, self._num_quantiles
        )

    def get_bucket_boundaries(self) -> list[Tensor]:
        """The boundaries, a float32 vector for each feature."""
        boundaries: list[Tensor] = build.BoostedTreesQuantileStreamResourceGetBucketBoundaries(
            self.resource_handle, num_features=self._num_streams
        )
        return boundaries
