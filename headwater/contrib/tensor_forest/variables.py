"""The tree and the statistics of a tree as variables that a Saver saves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, name_scope
from headwater.graph.default_graph import add_to_collection, control_dependencies
from headwater.graph.graph_keys import GraphKeys
from headwater.model.resources import register_resource
from headwater.model.trackable.auto import TrackableResource
from headwater.model.trackable.saveable import SaveableObject, SaveSpec

_MODEL = "contrib.tensor_forest.model_ops"
_MODEL_OPS = "contrib.tensor_forest.ops.model_ops"
_STATS = "contrib.tensor_forest.stats_ops"
_STATS_OPS = "contrib.tensor_forest.ops.stats_ops"


@export(f"{_MODEL}.TreeVariableSavable", f"{_MODEL_OPS}.TreeVariableSavable")
class TreeVariableSavable(SaveableObject):
    """A tree in checkpoints.

    Args:
        params: the parameters of the forest.
        tree_handle: the handle of the tree.
        stats_handle: the handle of its statistics.
        create_op: the op that makes the tree.
        name: the name in the checkpoint.
    """

    def __init__(
        self, params: Any, tree_handle: Tensor, stats_handle: Any, create_op: Any, name: str
    ) -> None:
        self.params = params
        self._create_op = create_op
        spec = SaveSpec(build.TreeSerialize(tree_handle), "", name)
        super().__init__(tree_handle, [spec], name)

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Makes the tree that was saved."""
        with control_dependencies([self._create_op]):
            return build.TreeDeserialize(
                self.op,
                restored_tensors[0],
                params=self.params.serialized_params_proto,
            )


@export(f"{_MODEL}.TreeVariable", f"{_MODEL_OPS}.TreeVariable")
class TreeVariable(TrackableResource):
    """A tree.

    Args:
        params: the parameters of the forest.
        tree_config: a serialized tree to begin with; "" for one of a single leaf.
        stats_handle: the handle of its statistics.
        name: the name.
        container: the container of the resource; or None.
    """

    def __init__(
        self,
        params: Any,
        tree_config: TensorLike,
        stats_handle: Any,
        name: str,
        container: str | None = None,
    ) -> None:
        super().__init__()
        self._params = params
        self._name = name
        self._container = container
        with name_scope(name, "TreeVariable") as scope:
            self._scope = scope
            self._init_op = build.CreateTreeVariable(
                self.resource_handle, tree_config, params=params.serialized_params_proto
            )
            self._is_initialized = build.TreeIsInitializedOp(self.resource_handle)
            saveable = TreeVariableSavable(
                params,
                self.resource_handle,
                stats_handle,
                self._init_op,
                self.resource_handle.name,
            )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        register_resource(self.resource_handle, self._init_op, self._is_initialized)

    def _create_resource(self) -> Tensor:
        return build.DecisionTreeResourceHandleOp(
            container=self._container or "", shared_name=self._name, name=self._scope
        )

    @property
    def initializer(self) -> Operation:
        """The op that makes the tree."""
        return self._init_op

    def is_initialized(self) -> Tensor:
        """Returns whether the tree was made."""
        return self._is_initialized


@export(f"{_MODEL}.tree_variable", f"{_MODEL_OPS}.tree_variable")
def tree_variable(
    params: Any, tree_config: TensorLike, stats_handle: Any, name: str, container: str | None = None
) -> Tensor:
    """Makes a tree; see `TreeVariable`. Returns its handle."""
    return TreeVariable(params, tree_config, stats_handle, name, container).resource_handle


@export(f"{_STATS}.FertileStatsVariableSavable", f"{_STATS_OPS}.FertileStatsVariableSavable")
class FertileStatsVariableSavable(SaveableObject):
    """The statistics of a tree in checkpoints.

    Args:
        params: the parameters of the forest.
        stats_handle: the handle.
        create_op: the op that makes the statistics.
        name: the name in the checkpoint.
    """

    def __init__(self, params: Any, stats_handle: Tensor, create_op: Any, name: str) -> None:
        self.params = params
        self._create_op = create_op
        tensor = build.FertileStatsSerialize(stats_handle, params=params.serialized_params_proto)
        super().__init__(stats_handle, [SaveSpec(tensor, "", name)], name)

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Makes the statistics that were saved."""
        with control_dependencies([self._create_op]):
            return build.FertileStatsDeserialize(
                self.op,
                restored_tensors[0],
                params=self.params.serialized_params_proto,
            )


@export(f"{_STATS}.FertileStatsVariable", f"{_STATS_OPS}.FertileStatsVariable")
class FertileStatsVariable(TrackableResource):
    """The statistics of a growing tree.

    Args:
        params: the parameters of the forest.
        stats_config: serialized statistics to begin with; "" for none.
        name: the name.
        container: the container of the resource; or None.
    """

    def __init__(
        self, params: Any, stats_config: TensorLike, name: str, container: str | None = None
    ) -> None:
        super().__init__()
        self._name = name
        self._container = container
        with name_scope(name, "FertileStatsVariable") as scope:
            self._scope = scope
            self._init_op = build.CreateFertileStatsVariable(
                self.resource_handle, stats_config, params=params.serialized_params_proto
            )
            self._is_initialized = build.FertileStatsIsInitializedOp(self.resource_handle)
            saveable = FertileStatsVariableSavable(
                params, self.resource_handle, self._init_op, self.resource_handle.name
            )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        register_resource(self.resource_handle, self._init_op, self._is_initialized)

    def _create_resource(self) -> Tensor:
        return build.FertileStatsResourceHandleOp(
            container=self._container or "", shared_name=self._name, name=self._scope
        )

    @property
    def initializer(self) -> Operation:
        """The op that makes the statistics."""
        return self._init_op

    def is_initialized(self) -> Tensor:
        """Returns whether the statistics were made."""
        return self._is_initialized


@export(f"{_STATS}.fertile_stats_variable", f"{_STATS_OPS}.fertile_stats_variable")
def fertile_stats_variable(
    params: Any, stats_config: TensorLike, name: str, container: str | None = None
) -> Tensor:
    """Makes the statistics of a tree; see `FertileStatsVariable`. Returns their handle."""
    return FertileStatsVariable(params, stats_config, name, container).resource_handle
