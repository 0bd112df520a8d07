"""Tables that change while a program runs, and how a Saver saves them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Operation, Tensor, build, convert_to_tensor, name_scope
from headwater.graph.default_graph import add_to_collection, colocate_with
from headwater.graph.graph_keys import GraphKeys
from headwater.model.lookup.interface import ResourceTable, signature_mismatch
from headwater.model.trackable.saveable import SaveableObject, SaveSpec


class TableSaveable(SaveableObject):
    """A table: its keys and its values.

    Args:
        table: the table.
        name: its name in the checkpoint.
    """

    def __init__(self, table: MutableTable, name: str) -> None:
        keys, values = table.export()
        specs = [SaveSpec(keys, "", f"{name}-keys"), SaveSpec(values, "", f"{name}-values")]
        super().__init__(table, specs, name)

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Replaces all entries by the restored ones."""
        handle = self.op.resource_handle
        with name_scope(f"{self.name}_table_restore"), colocate_with(handle):
            return build.LookupTableImportV2(handle, *restored_tensors)


class MutableTable(ResourceTable):
    """A table that changes while a program runs."""

    _default_value: Tensor

    def _save(self, checkpoint: bool) -> None:
        if checkpoint:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, TableSaveable(self, self.name))

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"table": partial(TableSaveable, self, name=self.name)}

    def _keys(self, keys: Tensor) -> Tensor:
        """Keys as a tensor of the table's key type; other types are refused."""
        dtype = getattr(keys, "dtype", None)
        if dtype is not None and as_dtype(dtype).base_dtype != self._key_dtype:
            raise signature_mismatch(self._key_dtype, as_dtype(dtype))
        return keys

    def lookup(self, keys: TensorLike, name: str | None = None) -> Tensor:
        """Returns the values of keys, or the default value for missing keys.

        Args:
            keys: a tensor of keys.
            name: the name of the nodes.
        """
        scope = f"{self.name}_lookup_table_find"
        with name_scope(name, scope, (self._handle, keys, self._default_value)):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            with colocate_with(self._handle):
                return build.LookupTableFindV2(self._handle, keys, self._default_value)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """Returns the op that sets the values of keys.

        Args:
            keys: a tensor of keys.
            values: as many values.
            name: the name of the nodes.
        """
        with name_scope(name, f"{self.name}_lookup_table_insert", [self._handle, keys, values]):
            keys = convert_to_tensor(keys, self._key_dtype, name="keys")
            values = convert_to_tensor(values, self._value_dtype, name="values")
            with colocate_with(self._handle):
                return build.LookupTableInsertV2(self._handle, keys, values)

    def remove(self, keys: Tensor, name: str | None = None) -> Operation:
        """Returns the op that removes the entries of keys.

        Args:
            keys: a tensor of keys.
            name: the name of the nodes.

        Raises:
            TypeError: if the keys are of a wrong type.
        """
        keys = self._keys(keys)
        scope = f"{self.name}_lookup_table_remove"
        with name_scope(name, scope, (self._handle, keys, self._default_value)):
            return build.LookupTableRemoveV2(
                self._handle, convert_to_tensor(keys, self._key_dtype, name="keys")
            )

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns all keys and all values.

        Args:
            name: the name of the nodes.
        """
        scope = f"{self.name}_lookup_table_export_values"
        with name_scope(name, scope, [self._handle]), colocate_with(self._handle):
            keys, values = build.LookupTableExportV2(
                self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
        return keys, values


def _in_new_order(name: Any, shared_name: Any, checkpoint: Any) -> tuple[Any, Any, Any]:
    """The last arguments of a table; before release 1.15, shared_name stood before the name."""
    if isinstance(checkpoint, str):
        return checkpoint, name, True if shared_name is None else shared_name
    return name, shared_name, checkpoint


@export("contrib.lookup.MutableHashTable")
class MutableHashTable(MutableTable):
    """A hash table that changes while a program runs.

    Args:
        key_dtype: the type of the keys.
        value_dtype: the type of the values.
        default_value: the value of missing keys, a scalar or of the shape of all values.
        shared_name: the name under which sessions share the table.
        name: the name of the node.
        checkpoint: whether a Saver saves the table.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str | None = "MutableHashTable",
        checkpoint: Any = True,
        shared_name: str | None = None,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        name, shared_name, checkpoint = _in_new_order(name, shared_name, checkpoint)
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        self._value_shape = self._default_value.shape
        # A saved table is identified by the name of its node.
        use_node_name_sharing = checkpoint and shared_name is None
        common: dict[str, Any] = {
            "shared_name": shared_name,
            "use_node_name_sharing": use_node_name_sharing,
            "key_dtype": self._key_dtype,
            "value_dtype": self._value_dtype,
            "name": name,
        }
        if self._value_shape.ndims == 0:
            self._handle = build.MutableHashTableV2(**common)
        else:
            self._handle = build.MutableHashTableOfTensorsV2(
                value_shape=self._value_shape, **common
            )
        self._save(checkpoint)


@export("lookup.experimental.DenseHashTable", "contrib.lookup.MutableDenseHashTable")
class MutableDenseHashTable(MutableTable):
    """A hash table in an array of buckets; a reserved key marks empty buckets.

    Args:
        key_dtype: the type of the keys.
        value_dtype: the type of the values.
        default_value: the value of missing keys.
        empty_key: a key that is never used, for empty buckets.
        deleted_key: a key that is never used, for buckets whose entry was removed; None (before
            release 1.15) if nothing is ever removed.
        initial_num_buckets: the number of buckets at the beginning, a power of 2.
        shared_name: the name under which sessions share the table.
        name: the name of the node.
        checkpoint: whether a Saver saves the table.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike | None = None,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        shared_name: str | None = None,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(
            default_value, dtype=self._value_dtype, name="default_value"
        )
        self._value_shape = self._default_value.shape
        use_node_name_sharing = checkpoint and shared_name is None
        empty = convert_to_tensor(empty_key, dtype=self._key_dtype, name="empty_key")
        # The same tensor twice: nothing is removed from this table.
        deleted = empty
        if deleted_key is not None:
            deleted = convert_to_tensor(deleted_key, dtype=self._key_dtype, name="deleted_key")
        self._handle = build.MutableDenseHashTableV2(
            empty,
            deleted,
            shared_name=shared_name,
            use_node_name_sharing=use_node_name_sharing,
            value_dtype=self._value_dtype,
            value_shape=self._value_shape,
            initial_num_buckets=initial_num_buckets,
            name=name,
        )
        self._save(checkpoint)

    def insert_or_assign(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Operation:
        """Returns the op that sets the values of keys: another name of `insert`.

        Args:
            keys: a tensor of keys.
            values: as many values.
            name: the name of the nodes.
        """
        return self.insert(keys, values, name)

    def erase(self, keys: TensorLike, name: str | None = None) -> Operation:
        """Returns the op that removes the entries of keys: another name of `remove`.

        Args:
            keys: a tensor of keys.
            name: the name of the nodes.
        """
        return self.remove(keys, name)
