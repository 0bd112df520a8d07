"""Columns of comma-separated fields in records of the usual form, many records at a time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array
from headwater.ops.strings.parsing import parse_floats, parse_integers


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
    if not quoted:
        return [record.split(mark) for record in records]
    whole = b"".join(records)
    if b"\n" in whole or b"\r" in whole:
        return None
    if b'"' not in whole:
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
    rows = plain_rows(records.ravel().tolist(), mark, quoted)
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
    for texts, dtype, default in zip(fields, types, defaults):
        column = plain_column(texts, dtype, default, missing)
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
    positions = list(select_cols) or range(len(types))
    if len(positions) != len(types) or positions[-1] >= width:
        return None
    if not select_cols and width != len(types):
        return None
    codes = np.frombuffer(block, np.uint8)
    is_end = codes == ord("\n")
    ends = codes[np.flatnonzero(is_end | (codes == ord(mark)))] == ord("\n")
    if len(ends) % width:
        return None
    ends = ends.reshape(-1, width)
    if not ends[:, -1].all() or ends[:, :-1].any():
        return None
    fields = block[:-1].replace(b"\n", mark).split(mark)
    columns = []
    for position, dtype, default in zip(positions, types, defaults):
        column = plain_column(fields[position::width], dtype, default, missing)
        if column is None:
            return None
        columns.append(column)
    return columns
