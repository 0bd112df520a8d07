"""Tables whose values are tensors, or tuples of tensors."""

from __future__ import annotations

from typing import Any

from headwater.base import nest
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Operation, Tensor, convert_to_tensor, group
from headwater.model.lookup.interface import LookupInterface
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.train.mutable_tables import MutableDenseHashTable


class TensorValuedMutableDenseHashTable(MutableDenseHashTable):
    """A dense hash table whose values are tensors of one shape, stored as vectors."""

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Args:
        key_dtype: the type of the keys.
        value_dtype: the type of the values.
        default_value: the value of missing keys, which gives the shape of all.
        *args: further arguments of MutableDenseHashTable.
        **kwargs: further arguments of MutableDenseHashTable.
        """
        default_value = convert_to_tensor(default_value, dtype=value_dtype)
        self._tensor_shape = shape(default_value)
        self._static_shape = default_value.shape
        flat = reshape(default_value, [-1])
        super().__init__(key_dtype, value_dtype, flat, *args, **kwargs)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """Returns the op that sets the values of keys.

        Args:
            keys: a tensor of keys.
            values: their values, with the dimensions of the keys first.
            name: the name of the nodes.
        """
        flat_keys = reshape(keys, [-1])
        rows = reshape(values, [shape(flat_keys)[0], -1])
        return super().insert(flat_keys, rows, name)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Tensor:
        """Returns the values of keys, with the dimensions of the keys first.

        Args:
            keys: a tensor of keys.
            name: the name of the nodes.
        """
        keys = convert_to_tensor(keys)
        rows = super().lookup(reshape(keys, [-1]), name)
        values = reshape(rows, concat([shape(keys), self._tensor_shape], 0))
        values.set_shape(keys.shape.concatenate(self._static_shape))
        return values


class TupleOfTensorsLookup(LookupInterface):
    """A table whose values are nested structures of tensors: one table for each of them."""

    def __init__(
        self,
        key_dtype: DTypeLike,
        default_values: Any,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        name: str,
        checkpoint: bool = True,
    ) -> None:
        """Args:
        key_dtype: the type of the keys.
        default_values: the value of missing keys, which gives the structure of all.
        empty_key: a key that is never used.
        deleted_key: another key that is never used.
        name: a prefix of the names of the tables.
        checkpoint: whether a Saver saves the tables.
        """
        values = [convert_to_tensor(value) for value in nest.flatten(default_values)]
        tables = [
            TensorValuedMutableDenseHashTable(
                key_dtype=key_dtype,
                value_dtype=value.dtype.base_dtype,
                default_value=value,
                empty_key=empty_key,
                deleted_key=deleted_key,
                name=f"{name}_{number}",
                checkpoint=checkpoint,
            )
            for number, value in enumerate(values)
        ]
        self._hash_tables = nest.pack_sequence_as(default_values, tables)
        self._name = name

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """Returns the structure of the values of keys."""
        return nest.map_structure(lambda table: table.lookup(keys), self._hash_tables)

    def insert(self, keys: TensorLike, values: Any) -> Operation:
        """Returns the op that sets the values of keys."""
        nest.assert_same_structure(self._hash_tables, values)
        pairs = zip(nest.flatten(self._hash_tables), nest.flatten(values), strict=True)
        return group(*[table.insert(keys, value) for table, value in pairs])

    def check_table_dtypes(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        """Accepts all types: those of the values differ from each other."""
