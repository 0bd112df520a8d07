"""tensorflow.python.training.tracking.data_structures: lists and mappings in checkpoints."""

from __future__ import annotations

from headwater.model.trackable.containers import (
    List,
    Mapping,
    NoDependency,
    TrackableDataStructure,
    sticky_attribute_assignment,
    wrap_or_unwrap,
)
from headwater.model.trackable.dict_wrapper import DictWrapper
from headwater.model.trackable.list_wrapper import ListWrapper

__all__ = [
    "List",
    "ListWrapper",
    "Mapping",
    "NoDependency",
    "TrackableDataStructure",
    "_DictWrapper",
    "_ListWrapper",
    "sticky_attribute_assignment",
    "wrap_or_unwrap",
]

_DictWrapper = DictWrapper
_ListWrapper = ListWrapper
