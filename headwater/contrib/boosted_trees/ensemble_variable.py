"""An ensemble of gradient boosted trees as a variable that a Saver saves."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, name_scope
from headwater.graph.default_graph import add_to_collection, control_dependencies
from headwater.graph.graph_keys import GraphKeys
from headwater.model.resources import register_resource
from headwater.model.trackable.auto import TrackableResource
from headwater.model.trackable.saveable import SaveableObject, SaveSpec


class TreeEnsembleVariableSavable(SaveableObject):
    """An ensemble in checkpoints: its stamp and its trees.

    Args:
        tree_ensemble_handle: the handle of the ensemble.
        create_op: the op that makes it.
        name: its name in the checkpoint.
    """

    def __init__(self, tree_ensemble_handle: Tensor, create_op: Operation, name: str) -> None:
        stamp, config = build.TreeEnsembleSerialize(tree_ensemble_handle)
        specs = [SaveSpec(stamp, "", f"{name}_stamp"), SaveSpec(config, "", f"{name}_config")]
        super().__init__(tree_ensemble_handle, specs, name)
        self._create_op = create_op

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Replaces the trees by the restored ones."""
        with control_dependencies([self._create_op]):
            return build.TreeEnsembleDeserialize(self.op, *restored_tensors)


class TreeEnsembleVariable(TrackableResource):
    """An ensemble of gradient boosted trees.

    Args:
        stamp_token: its stamp at first.
        tree_ensemble_config: its trees at first, a serialized DecisionTreeEnsembleConfig message.
        name: its name.
        container: the container of the resource; or None.
    """

    def __init__(
        self,
        stamp_token: TensorLike,
        tree_ensemble_config: TensorLike,
        name: str,
        container: str | None = None,
    ) -> None:
        super().__init__()
        self._name = name
        self._container = container
        with name_scope(name, "TreeEnsembleVariable") as scope:
            self._scope = scope
            self._init_op = build.CreateTreeEnsembleVariable(
                self.resource_handle, stamp_token, tree_ensemble_config
            )
            self._is_initialized = build.TreeEnsembleIsInitializedOp(self.resource_handle)
            saveable = TreeEnsembleVariableSavable(
                self.resource_handle, self._init_op, self.resource_handle.name
            )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        register_resource(self.resource_handle, self._init_op, self._is_initialized)

    def _create_resource(self) -> Tensor:
        return build.DecisionTreeEnsembleResourceHandleOp(
            container=self._container or "", shared_name=self._name, name=self._scope
        )

    @property
    def initializer(self) -> Operation:
        """The op that makes the ensemble."""
        return self._init_op

    def is_initialized(self) -> Tensor:
        """Returns whether the ensemble was made."""
        return self._is_initialized


def tree_ensemble_variable(
    stamp_token: TensorLike,
    tree_ensemble_config: TensorLike,
    name: str,
    container: str | None = None,
) -> Tensor:
    """Makes an ensemble; see `TreeEnsembleVariable`. Returns its handle."""
    return TreeEnsembleVariable(stamp_token, tree_ensemble_config, name, container).resource_handle
