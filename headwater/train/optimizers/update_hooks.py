"""What subclasses of an optimizer override to define its update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import TensorLike
from headwater.graph import IndexedSlices, Operation, Tensor
from headwater.model.trackable.base import Trackable

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import UnreadVariable
    from headwater.model.variables.variable import Variable


class UpdateHooks(Trackable):
    """The hooks of an optimizer, without an update.

    They stand above `Optimizer`, so that `class Adam(Optimizer, SlotUpdates)` takes them from
    `SlotUpdates`: the first base of every optimizer is `tf.train.Optimizer`, as in TensorFlow.
    """

    def _create_slots(self, var_list: list[Any]) -> None:
        """Makes the slots of the variables."""

    def _prepare(self) -> None:
        """Makes the tensors of the hyperparameters."""

    def _apply_dense(self, grad: Tensor, var: Variable) -> Tensor | Operation:
        """Builds the update of a reference variable from a tensor."""
        raise NotImplementedError

    def _resource_apply_dense(self, grad: Tensor, handle: TensorLike) -> Operation | UnreadVariable:
        """Builds the update of a resource variable from a tensor."""
        raise NotImplementedError

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Tensor | Operation:
        """Builds the update of a reference variable from IndexedSlices with unique indices."""
        raise NotImplementedError

    def _resource_apply_sparse(
        self, grad: Tensor, handle: TensorLike, indices: Tensor
    ) -> Operation:
        """Builds the update of a resource variable from slices with unique indices."""
        raise NotImplementedError
