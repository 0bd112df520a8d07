"""Tables filled from text files: InitializeTableFromTextFile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.dtypes import DType
from headwater.base.typing import ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, register_op, shapes
from headwater.io.files import read_bytes
from headwater.ops.lookup.table_resource import Table, invalid
from headwater.ops.strings.parsing import parse_float, parse_integer

LINE_NUMBER, WHOLE_LINE = -1, -2


def kernel_initialize_from_text_file(
    xp: ArrayModule,
    table: Table,
    filename: np.ndarray,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: str | bytes,
) -> tuple[()]:
    if filename.ndim:
        raise invalid("filename should be a single string, but got " + str(list(filename.shape)))
    separator = delimiter.encode() if isinstance(delimiter, str) else delimiter
    if len(separator) != 1:
        raise invalid("delimiter should be only 1 char")
    path = filename.item()
    name = path.decode("utf-8", "replace")
    _check_types(table, key_index, value_index)
    lines = _lines(path)
    if vocab_size == -1 and not lines:
        raise errors.OutOfRangeError(
            None, None, "Read less bytes than requested", hint=f"the file {name} is empty."
        )
    if vocab_size > len(lines):
        raise invalid(f"Invalid vocab_size in {name}: expected {vocab_size} but got {len(lines)}")
    if vocab_size != -1:
        lines = lines[:vocab_size]
    split = max(key_index, value_index) >= 0
    columns: tuple[list[Any], list[Any]] = ([], [])
    for number, line in enumerate(lines):
        fields = line.split(separator) if split else []
        if split and max(key_index, value_index) >= len(fields):
            raise invalid(
                f"Invalid number of columns in {name} line {number} "
                f"({line.decode('utf-8', 'replace')}) : expected {max(key_index, value_index)} "
                f"got {len(fields)}"
            )
        for index, dtype, column in zip(
            (key_index, value_index), (table.key_dtype, table.value_dtype), columns
        ):
            column.append(_element(index, dtype, line, fields, number))
    keys, values = (
        _array(column, dtype)
        for column, dtype in zip(columns, (table.key_dtype, table.value_dtype))
    )
    table.initialize(keys, values)
    return ()


def _lines(path: bytes) -> list[bytes]:
    text = read_bytes(path).replace(b"\r", b"")
    return text.removesuffix(b"\n").split(b"\n") if text else []


def _check_types(table: Table, key_index: int, value_index: int) -> None:
    for what, index, dtype in (
        ("Key", key_index, table.key_dtype),
        ("Value", value_index, table.value_dtype),
    ):
        if index == LINE_NUMBER and dtype is not dtypes.int64:
            raise invalid(
                f"{what} index for line number requires table {what.lower()} dtype of int64, got "
                f"{dtype.name}"
            )
        if index == WHOLE_LINE and not (dtype.is_integer or dtype is dtypes.string):
            raise invalid(
                f"{what} index for whole line requires string or integer table "
                f"{what.lower()}, got {dtype.name}"
            )


def _element(index: int, dtype: DType, line: bytes, fields: list[bytes], number: int) -> Any:
    if index == LINE_NUMBER:
        return number
    text = line if index == WHOLE_LINE else fields[index]
    if dtype is dtypes.string:
        return text
    parse: Callable[..., Any] = parse_integer if dtype.is_integer else parse_float
    value = parse(text, dtype)
    if value is None:
        kind = {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)
        shown = text.decode("utf-8", "replace")
        raise invalid(f"Field {shown} in line {number} is not a valid {kind}.")
    return value


def _array(items: list[Any], dtype: DType) -> np.ndarray:
    array = np.empty(len(items), dtype.numpy_dtype)
    array[:] = items
    return array


def shape_filename(c: shapes.ShapeContext) -> list[Any]:
    shape = c.shape("filename")
    if shape:
        c.fail(f"Shape must be rank 0 but is rank {len(shape)}")
    return []


def _register_initializer(name: str, handle: str, stateful: bool) -> None:
    register_op(
        name,
        inputs=f"{handle}, filename: string",
        attrs="key_index: int >= -2, value_index: int >= -2, vocab_size: int >= -1 = -1, "
        "delimiter: string = '\\t'",
        shape=shape_filename,
        kernel=kernel_initialize_from_text_file,
        stateful=stateful,
        runs_on=RunsOn.HOST,
        gradient=NOT_DIFFERENTIABLE,
    )


_register_initializer("InitializeTableFromTextFile", "table_handle: Ref(string)", stateful=False)
_register_initializer("InitializeTableFromTextFileV2", "table_handle: resource", stateful=True)
