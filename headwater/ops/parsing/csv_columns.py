"""Columns of comma-separated fields in records of the usual form, many records at a time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array
from headwater.ops.parsing.csv_fields import Fields
from headwater.ops.strings.parsing import (
    narrowed_floats,
    narrowed_integers,
    parse_floats,
    parse_integers,
)

# So many fields are read faster one by one.
_FEW_FIELDS = 1500


def simple_fields(record: bytes, mark: bytes) -> list[bytes] | None:
    """The fields of a record, some of them in quotes without quotes inside; None for others."""
    parts = record.split(b'"')
    last = len(parts) - 1
    if last % 2:
        return None
    fields: list[bytes] = []
    for i, part in enumerate(parts):
        if i % 2:
            fields.append(part)
        elif i == 0:
            if part:
                if part[-1:] != mark:
                    return None
                fields += part[:-1].split(mark)
        elif i == last:
            if part:
                if part[:1] != mark:
                    return None
                fields += part[1:].split(mark)
        elif part == mark:
            continue
        elif len(part) > 1 and part[:1] == mark and part[-1:] == mark:
            fields += part[1:-1].split(mark)
        else:
            return None
    return fields


def plain_rows(records: list[bytes], mark: bytes, quoted: bool) -> list[list[bytes]] | None:
    """The fields of plain records; None if one needs the full parser."""
    if not all(records):
        return None
    whole = b"".join(records)
    if b"\n" in whole or b"\r" in whole:
        return None
    if not quoted or b'"' not in whole:
        return [record.split(mark) for record in records]
    rows = []
    for record in records:
        fields = simple_fields(record, mark) if b'"' in record else record.split(mark)
        if fields is None:
            return None
        rows.append(fields)
    return rows


def plain_column(
    fields: Sequence[bytes], dtype: DType, default: Array | None, missing: bytes
) -> Array | None:
    """The values of one field of all records; None if one of them needs the full parser."""
    if b"" not in fields and missing not in fields:
        return plain_values(fields, dtype)
    if default is None:
        return None
    given = [bool(field) and field != missing for field in fields]
    values = plain_values(list(itertools.compress(fields, given)), dtype)
    if values is None:
        return None
    column = np.empty(len(fields), dtype.numpy_dtype)
    column[...] = default
    column[given] = values
    return column


def plain_values(fields: Sequence[bytes], dtype: DType) -> np.ndarray | None:
    if proto_name(dtype) == "string":
        values = np.empty(len(fields), object)
        values[:] = fields
        return values
    return (parse_integers if dtype.is_integer else parse_floats)(fields, dtype)


def regular_fields(records: list[bytes], mark: bytes, quoted: bool) -> Fields | None:
    """The fields of many records of equal numbers of fields without quotes; None for others."""
    if len(records) * (records[0].count(mark) + 1) < _FEW_FIELDS or not all(records):
        return None
    fields = Fields.of_records(records, mark)
    if fields is None or fields.has_any(b'"\n\r' if quoted else b"\n\r"):
        return None
    return fields


def regular_columns(
    fields: Fields,
    types: Sequence[DType],
    defaults: Sequence[Any],
    missing: bytes,
    select_cols: Sequence[int],
) -> list[np.ndarray] | None:
    """All columns; None if there are not so many fields or one needs the full parser."""
    numbers = list(select_cols) or range(len(types))
    if len(numbers) != len(types) or numbers[-1] >= fields.width:
        return None
    if not select_cols and fields.width != len(types):
        return None
    columns: list[Any] = [None] * len(types)
    as_texts = []
    for i, (number, dtype, default) in enumerate(zip(numbers, types, defaults)):
        if proto_name(dtype) != "string":
            columns[i] = regular_numbers(fields, number, dtype, default, missing)
        if columns[i] is None:
            as_texts.append(i)
    for i, texts in zip(as_texts, fields.texts([numbers[i] for i in as_texts])):
        columns[i] = plain_column(texts, types[i], defaults[i], missing)
        if columns[i] is None:
            return None
    return columns


def regular_numbers(
    fields: Fields, number: int, dtype: DType, default: Array | None, missing: bytes
) -> np.ndarray | None:
    """The numbers of a column; None if one is not of the usual form."""
    starts, ends = fields.column(number)
    absent = fields.equal(starts, ends, b"")
    if missing:
        absent |= fields.equal(starts, ends, missing)
    some_absent = bool(absent.any())
    if some_absent:
        if default is None:
            return None
        starts, ends = starts[~absent], ends[~absent]
    if dtype.is_integer:
        found = fields.integers(starts, ends)
        values = None if found is None else narrowed_integers(found, dtype)
    else:
        found = fields.doubles(starts, ends)
        values = None if found is None else narrowed_floats(found, dtype)
    if values is None or not some_absent:
        return values
    column = np.empty(len(absent), dtype.numpy_dtype)
    column[...] = default
    column[~absent] = values
    return column


def plain_columns(
    records: np.ndarray,
    types: list[DType],
    defaults: list[Any],
    mark: bytes,
    quoted: bool,
    missing: bytes,
    select_cols: list[int],
) -> list[np.ndarray] | None:
    """All columns, if every record is of the usual form."""
    texts: list[bytes] = records.ravel().tolist()
    regular = regular_fields(texts, mark, quoted) if texts else None
    if regular is not None:
        found = regular_columns(regular, types, defaults, missing, select_cols)
        return None if found is None else [column.reshape(records.shape) for column in found]
    rows = plain_rows(texts, mark, quoted)
    if not rows:
        return None
    count = len(types)
    widths = set(map(len, rows))
    if select_cols:
        if min(widths) <= max(select_cols):
            return None
    elif widths != {count}:
        return None
    fields: list[tuple[bytes, ...]] = list(zip(*rows))
    if select_cols:
        fields = [fields[c] for c in select_cols]
    if len(fields) != count:
        return None
    columns = []
    for column_texts, dtype, default in zip(fields, types, defaults):
        column = plain_column(column_texts, dtype, default, missing)
        if column is None:
            return None
        columns.append(column.reshape(records.shape))
    return columns


def unquoted_columns(
    block: bytes,
    width: int,
    types: Sequence[DType],
    defaults: Sequence[Any],
    mark: bytes,
    missing: bytes,
    select_cols: Sequence[int],
) -> list[np.ndarray] | None:
    r"""All columns of whole lines, each ended by "\n", without quotes and "\r".

    Args:
        block: the lines.
        width: how many fields the first line has.
        types: the types of the columns.
        defaults: their defaults; None for required ones.
        mark: what stands between fields.
        missing: what stands for a default, besides nothing.
        select_cols: the indices of the columns; empty for all of them.

    Returns:
        The columns; None if a line or a field is not of the usual form.
    """
    fields = Fields.of_lines(block, width, mark)
    return (
        None if fields is None else regular_columns(fields, types, defaults, missing, select_cols)
    )
