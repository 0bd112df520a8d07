"""`make_saveable_from_iterator`: iterators in checkpoints."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.data.datasets.iterator import Iterator
from headwater.graph import Operation, Tensor, build, colocate_with
from headwater.train.checkpoints.saveables import SaveableObject, SaveSpec


@export("data.experimental.make_saveable_from_iterator", "contrib.data.make_saveable_from_iterator")
def make_saveable_from_iterator(iterator: Iterator) -> SaveableObject:
    """What a Saver takes to save where an iterator is, and to go on from there.

    Args:
        iterator: an Iterator.

    Returns:
        A SaveableObject, for the collection SAVEABLE_OBJECTS or the list of a Saver.
    """
    return IteratorSaveable(iterator._iterator_resource)


class IteratorSaveable(SaveableObject):
    """Saves where an iterator is.

    Args:
        resource: its resource tensor.
    """

    def __init__(self, resource: Tensor) -> None:
        state = build.SerializeIterator(resource)
        spec = SaveSpec(state, "", f"{resource.name}-state", state.dtype, resource.device)
        super().__init__(resource, [spec], resource.name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Operation:
        """Goes to where the iterator was."""
        with colocate_with(self.op):
            op: Operation = build.DeserializeIterator(self.op, restored_tensors[0])
        return op
