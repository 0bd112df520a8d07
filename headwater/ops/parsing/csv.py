"""Records of comma-separated fields: DecodeCSV."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.older_calls import inserted
from headwater.base.typing import ArrayModule, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.parsing.csv_columns import Fields
from headwater.ops.parsing.values import fail
from headwater.ops.strings.parsing import (
    narrowed_floats,
    narrowed_integers,
    parse_floats,
    parse_integers,
)

_INTEGER = re.compile(rb"\s*-?[0-9]+\s*\Z")
# So many fields are read faster one by one.
_FEW_FIELDS = 1500
_HEXADECIMAL = re.compile(rb"\s*[-+]?0[xX][0-9a-fA-F]+\s*\Z")


def _fields(record: bytes, mark: bytes, quoted: bool) -> list[bytes]:
    """The fields of one record; line ends and quotes must be quoted."""
    if not record:
        return []
    if not quoted:
        return record.split(mark)
    if b'"' not in record:
        if b"\n" in record or b"\r" in record:
            fail("Unquoted fields cannot have quotes/CRLFs inside")
        return record.split(mark)
    fields = []
    at, end = 0, len(record)
    while True:
        if record[at : at + 1] == b'"':
            field, at = _quoted_field(record, at + 1, mark)
        else:
            until = record.find(mark, at)
            until = end if until < 0 else until
            field, at = record[at:until], until
            if any(c in field for c in (b'"', b"\n", b"\r")):
                fail("Unquoted fields cannot have quotes/CRLFs inside")
        fields.append(field)
        if at >= end:
            return fields
        at += 1


def _quoted_field(record: bytes, at: int, mark: bytes) -> tuple[bytes, int]:
    """A field in quotes, from the place after the first of them."""
    parts = []
    while True:
        until = record.find(b'"', at)
        if until < 0:
            fail("Quoted field has to end with quote followed by delim or end")
        parts.append(record[at:until])
        following = record[until + 1 : until + 2]
        if not following or following == mark:
            return b"".join(parts), until + 1
        if following != b'"':
            fail("Quote inside a string has to be escaped by another quote")
        parts.append(b'"')
        at = until + 2


def _number(text: bytes, kind: str) -> Any:
    """The number in a field, or None."""
    if kind.startswith("int"):
        if not _INTEGER.match(text):
            return None
        value = int(text)
        return value if -(2 ** (bits := int(kind[3:]) - 1)) <= value < 2**bits else None
    if _HEXADECIMAL.match(text):
        return float(int(text, 16))
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None


def _simple_fields(record: bytes, mark: bytes) -> list[bytes] | None:
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


def _plain_rows(records: list[bytes], mark: bytes, quoted: bool) -> list[list[bytes]] | None:
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
        fields = _simple_fields(record, mark) if b'"' in record else record.split(mark)
        if fields is None:
            return None
        rows.append(fields)
    return rows


def _plain_column(fields: Sequence[bytes], dtype: DType, default: Any, missing: bytes) -> Any:
    """The values of one field of all records; None if one of them needs the full parser."""
    if b"" not in fields and missing not in fields:
        return _plain_values(fields, dtype)
    if default is None:
        return None
    given = [bool(field) and field != missing for field in fields]
    values = _plain_values(list(itertools.compress(fields, given)), dtype)
    if values is None:
        return None
    column = np.empty(len(fields), dtype.numpy_dtype)
    column[...] = default
    column[given] = values
    return column


def _plain_values(fields: Sequence[bytes], dtype: DType) -> np.ndarray | None:
    if proto_name(dtype) == "string":
        values = np.empty(len(fields), object)
        values[:] = fields
        return values
    return (parse_integers if dtype.is_integer else parse_floats)(fields, dtype)


def _regular_fields(records: list[bytes], mark: bytes, quoted: bool) -> Fields | None:
    """The fields of many records of equal numbers of fields without quotes; None for others."""
    if not all(records):
        return None
    fields = Fields(records, mark)
    if fields.width * len(records) < _FEW_FIELDS or not fields.regular:
        return None
    return None if quoted and fields.has_any(b'"\n\r') else fields


def _regular_columns(
    fields: Fields,
    numbers: Sequence[int],
    types: list[DType],
    defaults: list[Any],
    missing: bytes,
) -> list[np.ndarray] | None:
    """The values of columns; None if one of them needs the full parser."""
    columns: list[Any] = [None] * len(types)
    as_texts = []
    for i, (number, dtype, default) in enumerate(zip(numbers, types, defaults)):
        if proto_name(dtype) != "string":
            columns[i] = _regular_numbers(fields, number, dtype, default, missing)
        if columns[i] is None:
            as_texts.append(i)
    for i, texts in zip(as_texts, fields.texts([numbers[i] for i in as_texts])):
        columns[i] = _plain_column(texts, types[i], defaults[i], missing)
        if columns[i] is None:
            return None
    return columns


def _regular_numbers(
    fields: Fields, number: int, dtype: DType, default: Any, missing: bytes
) -> np.ndarray | None:
    """The numbers of a column; None if one is not in the usual form."""
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


def _plain_columns(
    records: np.ndarray,
    types: list[DType],
    defaults: list[Any],
    mark: bytes,
    quoted: bool,
    missing: bytes,
    select_cols: list[int],
) -> list[np.ndarray] | None:
    """All columns, if every record is of the usual form."""
    count = len(types)
    texts: list[bytes] = records.ravel().tolist()
    regular = _regular_fields(texts, mark, quoted) if texts else None
    numbers = select_cols or range(count)
    if regular is not None and len(numbers) == count:
        if regular.width <= max(numbers) if select_cols else regular.width != count:
            return None
        columns = _regular_columns(regular, numbers, types, defaults, missing)
        return None if columns is None else [column.reshape(records.shape) for column in columns]
    rows = _plain_rows(texts, mark, quoted)
    if not rows:
        return None
    widths = set(map(len, rows))
    if select_cols:
        if min(widths) <= max(select_cols):
            return None
    elif widths != {count}:
        return None
    fields: Any = list(zip(*rows))
    if select_cols:
        fields = [fields[c] for c in select_cols]
    if len(fields) != count:
        return None
    columns = []
    for column_texts, dtype, default in zip(fields, types, defaults):
        column = _plain_column(column_texts, dtype, default, missing)
        if column is None:
            return None
        columns.append(column.reshape(records.shape))
    return columns


def kernel_decode_csv(
    xp: ArrayModule,
    records: np.ndarray,
    record_defaults: list[np.ndarray],
    *,
    OUT_TYPE: list[DType],
    field_delim: str | bytes,
    use_quote_delim: bool,
    na_value: str | bytes,
    select_cols: list[int],
) -> Any:
    for i, default in enumerate(record_defaults):
        if default.ndim > 1 or default.size > 1:
            fail(f"There should only be 1 default per field but field {i} has {default.size}")
    mark = field_delim.encode() if isinstance(field_delim, str) else field_delim
    if len(mark) != 1:
        fail("field_delim should be only 1 char")
    missing = na_value.encode() if isinstance(na_value, str) else na_value
    count = len(OUT_TYPE)
    kinds = [proto_name(dtype) for dtype in OUT_TYPE]
    defaults = [None if not d.size else d.ravel()[0] for d in record_defaults]
    plain = _plain_columns(records, OUT_TYPE, defaults, mark, use_quote_delim, missing, select_cols)
    if plain is not None:
        return plain
    columns: list[list[Any]] = [[] for _ in range(count)]
    for row, record in enumerate(records.ravel().tolist()):
        fields = _fields(record, mark, use_quote_delim)
        if select_cols:
            fields = [fields[c] for c in select_cols if c < len(fields)]
        if len(fields) != count:
            fail(f"Expect {count} fields but have {len(fields)} in record {row}")
        for i, (field, kind) in enumerate(zip(fields, kinds)):
            if not field or field == missing:
                if defaults[i] is None:
                    fail(f"Field {i} is required but missing in record {row}!")
                columns[i].append(defaults[i])
            elif kind == "string":
                columns[i].append(field)
            else:
                value = _number(field, kind)
                if value is None:
                    text = field.decode("utf-8", "backslashreplace")
                    fail(f"Field {i} in record {row} is not a valid {kind}: {text}")
                columns[i].append(value)
    return [_column(values, dtype, records.shape) for values, dtype in zip(columns, OUT_TYPE)]


def _column(values: list[Any], dtype: DType, shape: Any) -> np.ndarray:
    column = np.empty(len(values), dtype.numpy_dtype)
    with np.errstate(over="ignore"):
        column[:] = values
    return column.reshape(shape)


def shape_decode_csv(c: shapes.ShapeContext) -> Any:
    for default in c.shapes[1:]:
        if default is None:
            continue
        if len(default) > 1:
            c.fail(f"Shape must be at most rank 1 but is rank {len(default)}")
        if len(default) == 1 and default[0] is not None and default[0] > 1:
            c.fail("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return [c.shape("records")] * len(c.attr("OUT_TYPE"))


def samples_decode_csv() -> Any:
    records = np.array([b'1,2.5,"a ""b"", c"', b",-3e2,"], object)
    defaults = [np.array([7], np.int32), np.array([], np.float32), np.array([b"x"], object)]
    types = ["int32", "float32", "string"]
    yield Sample(records, defaults, OUT_TYPE=types)
    yield Sample(records.reshape(2, 1), defaults[:1], OUT_TYPE=types[:1], select_cols=[0])
    yield Sample(
        np.array(b'1;"2', object),
        [np.array(0), np.array([b"x"], object)],
        OUT_TYPE=["int64", "string"],
        field_delim=";",
        use_quote_delim=False,
        na_value="1",
    )


register_op(
    "DecodeCSV",
    inputs="records: string, record_defaults: OUT_TYPE",
    outputs="output: OUT_TYPE",
    attrs="OUT_TYPE: list({float, double, int32, int64, string}) >= 1, field_delim: string = ',', "
    "use_quote_delim: bool = true, na_value: string = '', select_cols: list(int) = []",
    shape=shape_decode_csv,
    kernel=kernel_decode_csv,
    samples=samples_decode_csv,
    runs_on=RunsOn.HOST,
)


@export("decode_csv", "io.decode_csv")
@inserted(3, True)
def decode_csv(
    records: TensorLike,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> list[Tensor]:
    """Parses records of comma-separated fields (RFC 4180).

    Args:
        records: a string tensor; each element is one record.
        record_defaults: for each field a vector of its type: the value where the field is empty,
            or no element if it must not be empty.
        field_delim: the character between fields.
        use_quote_delim: whether fields may stand in double quotes.
        name: the name of the node.
        na_value: a text that counts as an empty field.
        select_cols: the numbers of the fields that are wanted, in ascending order; None means all.

    Returns:
        A list of tensors of the shape of `records`, one for each field.

    Raises:
        ValueError: if `select_cols` is not ascending, negative or of another length.
    """
    if select_cols is not None:
        columns = list(select_cols)
        if any(a >= b for a, b in itertools.pairwise(columns)):
            raise ValueError("select_cols is not strictly increasing.")
        if columns and columns[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(columns) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
        select_cols = columns
    return build.DecodeCSV(
        records,
        record_defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=select_cols or [],
        name=name,
    )
