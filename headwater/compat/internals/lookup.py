"""Tables: the functions and classes that programs take from their modules."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.model.lookup import hash_table, index_tables, interface

for _target in (
    index_tables.index_table_from_tensor,
    index_tables.index_to_string_table_from_tensor,
):
    internal(f"ops.lookup_ops.{_target.__name__}")(_target)
internal("ops.lookup_ops.HashTable")(hash_table.HashTable)
internal("ops.lookup_ops.FastHashSpec")(hash_table.FastHashSpec)
internal("ops.lookup_ops.InitializableLookupTableBaseV1")(interface.InitializableLookupTableBase)
