"""tensorflow.python.training.saver: the classes that a Saver's nodes are made of."""

from __future__ import annotations

from typing import Any

from headwater.graph import Tensor, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.train.checkpoints.saveables import (
    ReferenceSaveable,
    ResourceSaveable,
    SaveableObject,
    SaveSpec,
    items_by_name,
)
from headwater.train.checkpoints.saver import Saver

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


def _get_saver_or_default() -> Saver:
    """Returns the saver of the graph, made if there is none.

    Raises:
        RuntimeError: if there are several.
    """
    graph = get_default_graph()
    savers = graph.get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to "
            "use by passing it to the constructor."
        )
    if savers:
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    graph.add_to_collection(GraphKeys.SAVERS, saver)
    return saver
