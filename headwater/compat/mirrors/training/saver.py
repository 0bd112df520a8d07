"""tensorflow.python.training.saver: the classes that a Saver's nodes are made of."""

from __future__ import annotations

from typing import Any, TypeAlias

from headwater.graph import Operation, Tensor, build, get_default_graph
from headwater.model.trackable.saveable import SaveableObject, SaveSpec
from headwater.train.checkpoints import saver_nodes
from headwater.train.checkpoints.saveables import (
    ReferenceSaveable,
    ResourceSaveable,
    items_by_name,
)
from headwater.train.checkpoints.saver import default_saver

__all__ = ["BaseSaverBuilder", "BulkSaverBuilder", "_get_saver_or_default"]


# The class below has an attribute of this name.
Saveable: TypeAlias = SaveableObject


class VariableSaveable(ReferenceSaveable):
    """A reference variable, or a slice of one.

    Args:
        var: the reference.
        slice_spec: the full shape and the place of the slice; "" for a whole variable.
        name: the name in the checkpoint.
    """

    def __init__(self, var: Tensor, slice_spec: str, name: str) -> None:
        super().__init__(var, var, slice_spec, name)


class BaseSaverBuilder:
    """Makes the nodes of a Saver; subclasses of programs read or write in their own way.

    Args:
        write_version: the format, V1 or V2 of SaverDef.
    """

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject
    VariableSaveable = VariableSaveable
    ResourceVariableSaveable = ResourceSaveable

    def __init__(self, write_version: int = 2) -> None:
        self._write_version = write_version

    @staticmethod
    def OpListToDict(op_list: Any, convert_variable_to_tensor: bool = True) -> dict[str, Any]:
        """Returns a list of variables as {name in checkpoints: variable}."""
        return items_by_name(op_list)

    def save_op(self, filename_tensor: Tensor, saveables: list[Saveable]) -> Operation:
        """Makes the node that writes a file.

        Args:
            filename_tensor: a string tensor: the path.
            saveables: what is written.
        """
        return saver_nodes.save_op(filename_tensor, saveables, self._write_version)

    def restore_op(
        self, filename_tensor: Tensor, saveable: Saveable, preferred_shard: int
    ) -> list[Tensor]:
        """Makes the nodes that read the values of one saveable object.

        Args:
            filename_tensor: a string tensor: the path of the checkpoint.
            saveable: what is read.
            preferred_shard: has no effect.

        Returns:
            A value for each of its specs.
        """
        return [
            build.RestoreV2(filename_tensor, [s.name], [s.slice_spec], dtypes=[s.dtype])[0]
            for s in saveable.specs
        ]

    def bulk_restore(
        self,
        filename_tensor: Tensor,
        saveables: list[Saveable],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """Makes the nodes that read the values of saveable objects, each by `restore_op`.

        Args:
            filename_tensor: a string tensor: the path of the checkpoint.
            saveables: what is read, on the CPU of the task of its device.
            preferred_shard: has no effect.
            restore_sequentially: has no effect.

        Returns:
            The values of all specs.
        """
        values: list[Tensor] = []
        for saveable in saveables:
            device = saveable.specs[0].device
            with get_default_graph().device(saver_nodes.cpu_of(device) if device else ""):
                values += self.restore_op(filename_tensor, saveable, preferred_shard)
        return values

    def sharded_filename(self, filename_tensor: Tensor, shard: int, num_shards: Any) -> Tensor:
        """Makes the name of one of several files.

        Args:
            filename_tensor: a string tensor: the path of the checkpoint.
            shard: the number of the file.
            num_shards: how many there are.
        """
        return build.ShardedFilename(filename_tensor, shard, num_shards)


class BulkSaverBuilder(BaseSaverBuilder):
    """Reads all values by one node."""

    def bulk_restore(
        self,
        filename_tensor: Tensor,
        saveables: list[Saveable],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """Makes the node that reads the values; see `BaseSaverBuilder.bulk_restore`."""
        return saver_nodes.read_each(filename_tensor, saveables)


_get_saver_or_default = default_saver
