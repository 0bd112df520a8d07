"""tensorflow.python.training.saver_test_utils: a table that a program saves by itself."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.model.trackable.saveable import SaveableObject, SaveSpec

__all__ = ["CheckpointedOp"]


class CheckpointedOp:
    """A table from strings to numbers, which is one of the saveable objects of the graph.

    Args:
        name: the name of the table.
        table_ref: the handle of a table that is there already.
    """

    def __init__(self, name: str, table_ref: Tensor | None = None) -> None:
        if table_ref is None:
            table_ref = build.MutableHashTableV2(key_dtype="string", value_dtype="float", name=name)
        self.table_ref = table_ref
        self._name = name
        self._saveable = CheckpointedOp.CustomSaveable(self, name)
        get_default_graph().add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def saveable(self) -> SaveableObject:
        """What a Saver saves."""
        return self._saveable

    def insert(self, keys: TensorLike, values: TensorLike) -> Operation:
        """Makes an op that sets the values of keys."""
        op: Operation = build.LookupTableInsertV2(self.table_ref, keys, values)
        return op

    def lookup(self, keys: TensorLike, default: TensorLike) -> Tensor:
        """The values of keys, and `default` for those that the table does not have."""
        found: Tensor = build.LookupTableFindV2(self.table_ref, keys, default)
        return found

    def keys(self) -> Tensor:
        """All keys."""
        return self._export()[0]

    def values(self) -> Tensor:
        """All values, in the order of the keys."""
        return self._export()[1]

    def _export(self) -> Any:
        return build.LookupTableExportV2(self.table_ref, Tkeys="string", Tvalues="float")

    class CustomSaveable(SaveableObject):
        """The keys and values of a table.

        Args:
            table: the CheckpointedOp.
            name: the beginning of the names in the checkpoint.
        """

        def __init__(self, table: CheckpointedOp, name: str) -> None:
            keys, values = table._export()
            specs = [SaveSpec(keys, "", f"{name}-keys"), SaveSpec(values, "", f"{name}-values")]
            super().__init__(table, specs, name)

        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Operation:
            op: Operation = build.LookupTableImportV2(
                self.op.table_ref, restored_tensors[0], restored_tensors[1]
            )
            return op
