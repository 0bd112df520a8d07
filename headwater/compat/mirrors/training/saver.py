"""tensorflow.python.training.saver: the classes that a Saver's nodes are made of."""

from __future__ import annotations

from typing import Any

from headwater.graph import Tensor
from headwater.model.trackable.saveable import SaveableObject, SaveSpec
from headwater.train.checkpoints.saveables import (
    ReferenceSaveable,
    ResourceSaveable,
    items_by_name,
)
from headwater.train.checkpoints.saver import default_saver

__all__ = ["BaseSaverBuilder", "BulkSaverBuilder", "_get_saver_or_default"]


class _VariableSaveable(ReferenceSaveable):
    """A reference variable, or a slice of one.

    Args:
        var: the reference.
        slice_spec: the full shape and the place of the slice; "" for a whole variable.
        name: the name in the checkpoint.
    """

    def __init__(self, var: Tensor, slice_spec: str, name: str) -> None:
        super().__init__(var, var, slice_spec, name)


class BaseSaverBuilder:
    """The namespace of the classes of saveable objects."""

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject
    VariableSaveable = _VariableSaveable
    ResourceVariableSaveable = ResourceSaveable

    @staticmethod
    def OpListToDict(op_list: Any, convert_variable_to_tensor: bool = True) -> dict[str, Any]:
        """Returns a list of variables as {name in checkpoints: variable}."""
        return items_by_name(op_list)


class BulkSaverBuilder(BaseSaverBuilder):
    """As BaseSaverBuilder."""


_get_saver_or_default = default_saver
