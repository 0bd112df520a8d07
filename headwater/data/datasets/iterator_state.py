"""The place of an iterator in its datasets, in checkpoints."""

from __future__ import annotations

from typing import Any

from headwater.graph import Operation, Tensor, build, colocate_with
from headwater.model.trackable.saveable import SaveableObject, SaveSpec


class IteratorSaveable(SaveableObject):
    """Saves where an iterator is.

    Args:
        resource: its resource tensor.
        name: the name in the checkpoint.
        suffix: the end of the name of its state.
    """

    def __init__(self, resource: Tensor, name: str, suffix: str = "_STATE") -> None:
        state = build.SerializeIterator(resource)
        spec = SaveSpec(state, "", name + suffix, state.dtype, resource.device)
        super().__init__(resource, [spec], name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Operation:
        """Goes to where the iterator was."""
        with colocate_with(self.op):
            op: Operation = build.DeserializeIterator(self.op, restored_tensors[0])
        return op
