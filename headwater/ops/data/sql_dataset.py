"""SqlDataset: the rows that a query of a SQLite database gives."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.lazy import LazyModule
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    rows_to_element,
    variant_of,
)
from headwater.ops.data.file_dataset import text_of

sqlite3: Any = LazyModule("sqlite3")

_TYPES = (
    dtypes.string,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.bool_,
    dtypes.float64,
)
_SINGLE_ROWS = 64

# SQLite's result codes, and the status codes for them.
_ERROR, _NOT_A_DATABASE = 1, 26
_STATUS = {
    3: errors.PERMISSION_DENIED,
    5: errors.UNAVAILABLE,
    7: errors.RESOURCE_EXHAUSTED,
    8: errors.PERMISSION_DENIED,
    9: errors.CANCELLED,
    10: errors.DATA_LOSS,
    11: errors.DATA_LOSS,
    13: errors.RESOURCE_EXHAUSTED,
    14: errors.NOT_FOUND,
    _NOT_A_DATABASE: errors.INVALID_ARGUMENT,
}


class SqlDataset(Dataset):
    """The rows of a query's result.

    Args:
        path: the file of the database.
        query: what is asked.
        types: the types of the columns.
        component_shapes: their static shapes.
    """

    def __init__(self, path: str, query: str, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes)
        self.path = path
        self.query = query

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _SqlIterator(self)


class _SqlIterator(ElementIterator):
    """Goes through the rows; after an error there are none left."""

    def __init__(self, dataset: SqlDataset) -> None:
        self._dataset = dataset
        self._connection: Any = None
        self._cursor: Any = None
        self._ended = False
        self._rows: Rows = ()
        self._place = self._size = 0
        self._count = 0

    def next(self) -> Element | None:
        if self._place == self._size:
            rows = self._fetch(_SINGLE_ROWS)
            if rows is None:
                return None
            self._rows, self._place, self._size = rows, 0, len(rows[0])
        self._place += 1
        self._count += 1
        return rows_to_element(self._rows, self._place - 1)

    def next_rows(self, count: int) -> Rows | None:
        if self._place < self._size:
            end = min(self._place + count, self._size)
            rows: Rows | None = [array[self._place : end] for array in self._rows]
            self._place = end
        else:
            rows = self._fetch(count)
        if rows is not None:
            self._count += len(rows[0])
        return rows

    def _fetch(self, count: int) -> Rows | None:
        if self._ended:
            return None
        try:
            if self._cursor is None:
                self._cursor = self._asked()
            found = self._cursor.fetchmany(count)
        except sqlite3.Error as error:
            self._end()
            raise _sql_error(error, "Step()", self._dataset.query) from None
        except errors.OpError:
            self._end()
            raise
        if not found:
            self._end()
            return None
        return [_column(values, t) for values, t in zip(zip(*found), self._dataset.types)]

    def _asked(self) -> Any:
        dataset = self._dataset
        try:
            # Iterators may move from thread to thread; one at a time uses them.
            self._connection = sqlite3.connect(dataset.path, check_same_thread=False)
        except sqlite3.Error as error:
            fail(f"Failed to connect to database: {error}")
        self._connection.text_factory = bytes
        try:
            cursor = self._connection.execute(_first_statement(dataset.query))
        except sqlite3.Error as error:
            raise _sql_error(error, "Prepare()", dataset.query) from None
        count = len(cursor.description or ())
        if count != len(dataset.types):
            fail(
                f"The number of columns in query ({count}) must match the number of elements in "
                f"output_types ({len(dataset.types)})."
            )
        return cursor

    def _end(self) -> None:
        self._ended = True
        self.close()

    def close(self) -> None:
        self._cursor = None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/count"] = self._count

    def restore(self, state: SavedState, prefix: str) -> None:
        self.skip(int(state[f"{prefix}/count"]))


def _first_statement(query: str) -> str:
    """The first of several statements, the one that SQLite compiles."""
    end = query.find(";")
    while end >= 0:
        if sqlite3.complete_statement(query[: end + 1]):
            return query[: end + 1]
        end = query.find(";", end + 1)
    return query


def _sql_error(error: Exception, step: str, query: str) -> errors.OpError:
    # Python 3.10 does not tell the result code.
    usual = _ERROR if isinstance(error, sqlite3.OperationalError) else _NOT_A_DATABASE
    code = getattr(error, "sqlite_errorcode", usual) & 0xFF
    text = f"{step} failed: [{code}] {error}: {query}"
    return errors.make_error(_STATUS.get(code, errors.UNKNOWN), text)


def _column(values: Sequence[Any], dtype: DType) -> Array:
    """Values of a result as an array of a type, converted as SQLite does."""
    if dtype is dtypes.string:
        column = np.empty(len(values), object)
        column[:] = [v if isinstance(v, bytes) else _cast(v, "text", b"") for v in values]
        return column
    if dtype is dtypes.float64:
        numbers = [v if isinstance(v, float) else _cast(v, "real", 0.0) for v in values]
        return np.array(numbers, np.float64)
    whole = [v if isinstance(v, int) else _cast(v, "integer", 0) for v in values]
    found = np.array(whole, np.int64)
    return found != 0 if dtype is dtypes.bool_ else found.astype(dtype.numpy_dtype)


def _cast(value: Any, kind: str, null: Any) -> Any:
    if value is None:
        return null
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = bytes
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        return connection.execute(f"select cast(? as {kind})", (text,)).fetchone()[0]


def kernel_sql_dataset(
    xp: ArrayModule,
    driver_name: Array,
    data_source_name: Array,
    query: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    driver = text_of(driver_name, "driver_name")
    if driver != "sqlite":
        fail(
            f"The database type, {driver}, is not supported by SqlDataset. The set of supported "
            "databases is: {'sqlite'}."
        )
    if any(dtype not in _TYPES for dtype in output_types):
        fail(
            "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, "
            "DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, DT_DOUBLE "
        )
    if any(shape is None or len(shape) for shape in output_shapes):
        fail("Each element of `output_shapes_` must be a scalar.")
    path = text_of(data_source_name, "data_source_name")
    return variant_of(SqlDataset(path, text_of(query, "query"), output_types, output_shapes))


def shape_sql_dataset(c: shapes.ShapeContext) -> Any:
    for name in ("driver_name", "data_source_name", "query"):
        c.with_rank(name, 0)
    return ()


def _register_sql_dataset(name: str) -> None:
    register_op(
        name,
        inputs="driver_name: string, data_source_name: string, query: string",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shape_sql_dataset,
        kernel=kernel_sql_dataset,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_sql_dataset("SqlDataset")
_register_sql_dataset("ExperimentalSqlDataset")
