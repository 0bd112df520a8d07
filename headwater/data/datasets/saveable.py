"""`make_saveable_from_iterator`: iterators in checkpoints."""

from __future__ import annotations

from headwater.base.export import export
from headwater.data.datasets.iterator import Iterator
from headwater.data.datasets.iterator_state import IteratorSaveable
from headwater.model.trackable.saveable import SaveableObject


@export("data.experimental.make_saveable_from_iterator", "contrib.data.make_saveable_from_iterator")
def make_saveable_from_iterator(iterator: Iterator) -> SaveableObject:
    """What a Saver takes to save where an iterator is, and to go on from there.

    Args:
        iterator: an Iterator.

    Returns:
        A SaveableObject, for the collection SAVEABLE_OBJECTS or the list of a Saver.
    """
    resource = iterator._iterator_resource
    return IteratorSaveable(resource, resource.name, "-state")
