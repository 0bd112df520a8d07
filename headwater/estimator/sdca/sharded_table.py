"""ShardedMutableDenseHashTable: a table in several parts, among which the keys are divided."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Operation, Tensor, convert_to_tensor, group, name_scope
from headwater.ops.array.dynamic_partition import dynamic_partition
from headwater.ops.array.dynamic_stitch import dynamic_stitch
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.slice import slice_
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast
from headwater.ops.math.division import mod
from headwater.ops.math.ranges import range_
from headwater.ops.math.sign import absolute
from headwater.train.mutable_tables import MutableDenseHashTable


class ShardedMutableDenseHashTable:
    """A `MutableDenseHashTable` in several parts.

    Args:
        key_dtype: the type of the keys.
        value_dtype: the type of the values.
        default_value: the value of missing keys.
        empty_key: a key that is never used, a scalar or a vector.
        deleted_key: another key that is never used.
        num_shards: the number of parts.
        checkpoint: whether a Saver saves the table.
        name: the name scope.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        num_shards: int = 1,
        checkpoint: bool = True,
        name: str = "ShardedMutableHashTable",
    ) -> None:
        self.key_dtype = dtypes.as_dtype(key_dtype)
        self.value_dtype = dtypes.as_dtype(value_dtype)
        self._num_shards = num_shards
        with name_scope(name, "sharded_mutable_hash_table") as scope:
            self.name = scope
            self._table_shards = [
                MutableDenseHashTable(
                    key_dtype=key_dtype,
                    value_dtype=value_dtype,
                    default_value=default_value,
                    empty_key=empty_key,
                    deleted_key=deleted_key,
                    checkpoint=checkpoint,
                    name=f"{name}-{shard + 1}-of-{num_shards}",
                )
                for shard in range(num_shards)
            ]

    @property
    def table_shards(self) -> list[MutableDenseHashTable]:
        """The parts."""
        return self._table_shards

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of entries.

        Args:
            name: the name scope.
        """
        with name_scope(name, "sharded_mutable_hash_table_size"):
            return add_n([table.size() for table in self._table_shards])

    def _shard_indices(self, keys: Tensor) -> Tensor:
        """The part of each key: that of its first number."""
        dimensions = keys.get_shape()
        if (dimensions.ndims or 1) > 1:
            rows = dimensions[0].value
            keys = reshape(slice_(keys, [0, 0], [-1 if rows is None else rows, 1]), [-1])
        return cast(mod(absolute(keys), self._num_shards), dtypes.int32)

    def _check_keys(self, keys: Tensor) -> None:
        if keys.dtype != self.key_dtype:
            raise TypeError(
                f"Signature mismatch. Keys must be dtype {self.key_dtype}, got {keys.dtype}."
            )

    def lookup(self, keys: TensorLike, name: str | None = None) -> Tensor:
        """Returns the values of keys, the default value for missing ones.

        Args:
            keys: a tensor of keys, one in each row.
            name: the name of the nodes.

        Raises:
            TypeError: if the keys are of another type.
        """
        keys = convert_to_tensor(keys)
        self._check_keys(keys)
        if self._num_shards == 1:
            return self._table_shards[0].lookup(keys, name=name)
        indices = self._shard_indices(keys)
        parts = dynamic_partition(keys, indices, self._num_shards)
        values = [table.lookup(p, name=name) for table, p in zip(self._table_shards, parts)]
        rows = keys.get_shape()[0].value
        places = range_(shape(keys)[0] if rows is None else rows)
        return dynamic_stitch(dynamic_partition(places, indices, self._num_shards), values)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """Returns the op that sets the values of keys.

        Args:
            keys: a tensor of keys, one in each row.
            values: as many values.
            name: the name of the nodes.

        Raises:
            TypeError: if the keys are of another type.
        """
        keys = convert_to_tensor(keys)
        self._check_keys(keys)
        if self._num_shards == 1:
            return self._table_shards[0].insert(keys, values, name=name)
        indices = self._shard_indices(keys)
        key_parts = dynamic_partition(keys, indices, self._num_shards)
        value_parts = dynamic_partition(values, indices, self._num_shards)
        tables = zip(self._table_shards, key_parts, value_parts)
        return group(*[table.insert(k, v, name=name) for table, k, v in tables])

    def export_sharded(self, name: str | None = None) -> tuple[list[Tensor], list[Tensor]]:
        """Returns the keys and the values of each part.

        Args:
            name: the name of the nodes.
        """
        exported = [table.export(name) for table in self._table_shards]
        return [keys for keys, _ in exported], [values for _, values in exported]
