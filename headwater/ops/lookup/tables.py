"""The ops that make tables: HashTable, MutableHashTable, MutableDenseHashTable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.typing import ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, Operation, RunsOn, register_op, shapes
from headwater.ops.lookup.dense_table_resource import DenseTable
from headwater.ops.lookup.table_resource import InitializedTable, Table, invalid


def _checked(
    table: Table, kind: type[Table], key_dtype: DType, value_dtype: DType, op_name: str
) -> Table:
    """The table, if it matches the node: another node may have made it."""
    if type(table) is not kind:
        raise invalid(
            f"Trying to access the table of node {op_name} as a {kind.__name__}, but it is a "
            f"{type(table).__name__}"
        )
    if (table.key_dtype, table.value_dtype) != (key_dtype, value_dtype):
        raise invalid(
            f"Conflicting key/value dtypes {key_dtype.name}->{value_dtype.name} with "
            f"{table.key_dtype.name}->{table.value_dtype.name} for table {op_name}"
        )
    return table


def make_hash_table(attrs: dict[str, Any]) -> Table:
    return InitializedTable(attrs["key_dtype"], attrs["value_dtype"])


def kernel_hash_table(
    xp: ArrayModule, *, key_dtype: DType, value_dtype: DType, op_name: str, state: InitializedTable
) -> Any:
    return _checked(state, InitializedTable, key_dtype, value_dtype, op_name), state


def make_mutable_hash_table(attrs: dict[str, Any]) -> Table:
    return Table(attrs["key_dtype"], attrs["value_dtype"], attrs.get("value_shape") or ())


def kernel_mutable_hash_table(
    xp: ArrayModule, *, key_dtype: DType, value_dtype: DType, op_name: str, state: Table
) -> tuple[Table, ...]:
    return _checked(state, Table, key_dtype, value_dtype, op_name), state


def make_dense_hash_table(attrs: dict[str, Any]) -> Table:
    return DenseTable(
        attrs["key_dtype"],
        attrs["value_dtype"],
        attrs["value_shape"] or (),
        attrs["initial_num_buckets"],
        attrs["max_load_factor"],
    )


def kernel_dense_hash_table_v2(
    xp: ArrayModule,
    empty_key: np.ndarray,
    deleted_key: np.ndarray | None,
    *,
    key_dtype: DType,
    value_dtype: DType,
    op_name: str,
    op: Operation | None,
    state: DenseTable,
) -> tuple[DenseTable, ...]:
    _checked(state, DenseTable, key_dtype, value_dtype, op_name)
    # One tensor for both: tables made the way of releases before 1.15 have no deleted key.
    both = op is not None and op.inputs[0] is op.inputs[-1]
    state.prepare(empty_key, None if both else deleted_key)
    return state, state


def kernel_dense_hash_table(
    xp: ArrayModule,
    empty_key: np.ndarray,
    *,
    key_dtype: DType,
    value_dtype: DType,
    op_name: str,
    state: Any,
) -> Any:
    return kernel_dense_hash_table_v2(
        xp,
        empty_key,
        None,
        key_dtype=key_dtype,
        value_dtype=value_dtype,
        op_name=op_name,
        op=None,
        state=state,
    )


_NAMES = (
    "container: string = '', shared_name: string = '', use_node_name_sharing: bool = false, "
    "key_dtype: type, value_dtype: type"
)
_VALUE_SHAPE = f"{_NAMES}, value_shape: shape = ()"
_DENSE = f"{_VALUE_SHAPE}, initial_num_buckets: int = 131072, max_load_factor: float = 0.800000012"
_HANDLE, _OLD_HANDLE = "table_handle: resource", "table_handle: Ref(string)"


def _register_table(
    old_name: str,
    new_name: str,
    *,
    inputs: str = "",
    attrs: str,
    state: Callable[..., Any],
    kernel: Callable[..., Any],
) -> None:
    for name, handle in ((old_name, _OLD_HANDLE), (new_name, _HANDLE)):
        dense_v2 = name == new_name and inputs
        register_op(
            name,
            inputs=f"{inputs}, deleted_key: key_dtype" if dense_v2 else inputs,
            outputs=handle,
            attrs=attrs,
            shape=shapes.scalar,
            kernel=kernel_dense_hash_table_v2 if dense_v2 else kernel,
            state=state,
            resource="table",
            stateful=True,
            runs_on=RunsOn.HOST,
            gradient=NOT_DIFFERENTIABLE,
        )


_register_table(
    "HashTable", "HashTableV2", attrs=_NAMES, state=make_hash_table, kernel=kernel_hash_table
)
_register_table(
    "MutableHashTable",
    "MutableHashTableV2",
    attrs=_NAMES,
    state=make_mutable_hash_table,
    kernel=kernel_mutable_hash_table,
)
_register_table(
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    attrs=_VALUE_SHAPE,
    state=make_mutable_hash_table,
    kernel=kernel_mutable_hash_table,
)
_register_table(
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    inputs="empty_key: key_dtype",
    attrs=_DENSE,
    state=make_dense_hash_table,
    kernel=kernel_dense_hash_table,
)
