"""The ops that use tables: find, insert, remove, size, export, import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, Operation, RunsOn, Tensor, register_op, shapes
from headwater.graph.functions import FunctionGraph
from headwater.ops.lookup.table_resource import Table

if TYPE_CHECKING:
    from headwater.graph.registry import GradientRule


def _maker(handle: Tensor) -> Any:
    """The op that makes the table of a handle; None if it is not known."""
    while handle._op._record.resource != "table":
        op = handle._op
        source: Tensor | None = None
        if op._record.name in ("Identity", "RefIdentity", "Enter", "RefEnter"):
            source = op._inputs[0]
        elif isinstance(op._graph, FunctionGraph):
            source = op._graph.captured_from(handle)
        if source is None:
            return None
        handle = source
    return handle._op


def _tells_shapes(maker: Operation) -> bool:
    """Whether the handle carries the shape of the values; only some kinds of tables do."""
    name = "" if maker is None else maker._record.name
    return name.startswith("Mutable") and name.endswith("V2")


def shape_find(c: shapes.ShapeContext) -> Shape:
    keys, maker = c.shape("keys"), _maker(c.inputs[0])
    if not _tells_shapes(maker):
        return None
    wanted, given = maker._attrs["key_dtype"], c.inputs[1].dtype.base_dtype
    if wanted is not given:
        c.fail(
            f"Trying to read value with wrong dtype. Expected {wanted.name} got {given.name}",
        )
    if keys is None:
        return None
    value_shape = maker._attrs.get("value_shape", ())
    key_shape = maker._inputs[0]._shape if maker._inputs else ()
    if value_shape is None or key_shape is None:
        return None
    return (*keys[: len(keys) - len(key_shape)], *value_shape)


def shape_export(c: shapes.ShapeContext) -> list[Shape]:
    maker = _maker(c.inputs[0])
    value_shape = maker._attrs.get("value_shape", ()) if _tells_shapes(maker) else None
    return [(None,), None if value_shape is None else (None, *value_shape)]


def shape_import(c: shapes.ShapeContext) -> list[Any]:
    c.with_rank("keys", 1)
    if c.record.name.endswith("V2"):
        _merge_rows(c)
    return []


def shape_initialize(c: shapes.ShapeContext) -> list[Any]:
    keys = c.with_rank("keys", 1)
    c.merge(keys, c.shape("values"))
    return []


def _merge_rows(c: shapes.ShapeContext) -> None:
    keys, values = c.shape("keys"), c.shape("values")
    if keys is not None and values is not None:
        if len(values) == 1:
            c.merge(keys, values)
        elif values:
            c.merge(keys, values[:1])


def kernel_find(xp: ArrayModule, table: Table, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
    return table.find(keys, default)


def find_several(calls: Sequence[tuple[Table, np.ndarray, np.ndarray]]) -> list[np.ndarray]:
    """The values of keys in several tables, of which some may have the same entries."""
    found: dict[Any, np.ndarray] = {}
    results = []
    for table, keys, default in calls:
        question = (table.identity, id(keys), id(default))
        if question not in found:
            found[question] = table.find(keys, default)
        results.append(found[question])
    return results


def kernel_insert(xp: ArrayModule, table: Table, keys: np.ndarray, values: np.ndarray) -> tuple[()]:
    table.insert(keys, values)
    return ()


def kernel_remove(xp: ArrayModule, table: Table, keys: np.ndarray) -> tuple[()]:
    table.remove(keys)
    return ()


def kernel_size(xp: ArrayModule, table: Table) -> np.ndarray:
    return table.size()


def kernel_export(
    xp: ArrayModule, table: Table, *, Tkeys: DType, Tvalues: DType
) -> tuple[Array, ...]:
    return table.export()


def kernel_import(xp: ArrayModule, table: Table, keys: np.ndarray, values: np.ndarray) -> tuple[()]:
    table.replace(keys, values)
    return ()


def kernel_initialize(
    xp: ArrayModule, table: Table, keys: np.ndarray, values: np.ndarray
) -> tuple[()]:
    table.initialize(keys, values)
    return ()


_IN_OUT = "Tin: type, Tout: type"
_FIND = "keys: Tin, default_value: Tout"
_ROWS = "keys: Tin, values: Tout"


def _register_access(
    *names: str,
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
    shape: Callable[..., Any],
    kernel: Callable[..., Any],
    several: Callable[..., Any] | None = None,
    gradient: GradientRule | None = NOT_DIFFERENTIABLE,
) -> None:
    """Registers an op for old handles and, under a name that ends in V2, for new ones."""
    for name in names:
        newer = name.endswith("V2")
        handle = "table_handle: resource" if newer else "table_handle: Ref(string)"
        register_op(
            name,
            inputs=", ".join(filter(None, (handle, inputs))),
            outputs=outputs,
            attrs=attrs,
            shape=shape,
            kernel=kernel,
            several=several,
            stateful=newer,
            runs_on=RunsOn.HOST,
            gradient=gradient,
        )


_register_access(
    "LookupTableFind",
    "LookupTableFindV2",
    inputs=_FIND,
    outputs="values: Tout",
    attrs=_IN_OUT,
    shape=shape_find,
    kernel=kernel_find,
    several=find_several,
)
_register_access(
    "LookupTableInsert",
    "LookupTableInsertV2",
    inputs=_ROWS,
    attrs=_IN_OUT,
    shape=shapes.none,
    kernel=kernel_insert,
)
_register_access(
    "LookupTableRemoveV2",
    inputs="keys: Tin",
    attrs="Tin: type",
    shape=shapes.none,
    kernel=kernel_remove,
    gradient=None,
)
_register_access(
    "LookupTableSize",
    "LookupTableSizeV2",
    outputs="size: int64",
    shape=shapes.scalar,
    kernel=kernel_size,
)
_register_access(
    "LookupTableExport",
    "LookupTableExportV2",
    outputs="keys: Tkeys, values: Tvalues",
    attrs="Tkeys: type, Tvalues: type",
    shape=shape_export,
    kernel=kernel_export,
    gradient=None,
)
_register_access(
    "LookupTableImport",
    "LookupTableImportV2",
    inputs=_ROWS,
    attrs=_IN_OUT,
    shape=shape_import,
    kernel=kernel_import,
    gradient=None,
)
_register_access(
    "InitializeTable",
    "InitializeTableV2",
    inputs="keys: Tkey, values: Tval",
    attrs="Tkey: type, Tval: type",
    shape=shape_initialize,
    kernel=kernel_initialize,
)
