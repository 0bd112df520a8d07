"""Records of comma-separated fields: DecodeCSV."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.older_calls import inserted
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.parsing.csv_columns import plain_columns
from headwater.ops.parsing.values import fail
from headwater.ops.strings.parsing import parse_float, parse_integer


def _fields(record: bytes, mark: bytes, quoted: bool) -> list[bytes]:
    """The fields of one record; line ends before a field do not count, others must be quoted."""
    if not record:
        return []
    forbidden = (b"\n", b"\r", b'"') if quoted else (b"\n", b"\r")
    if not any(c in record for c in forbidden):
        return record.split(mark)
    fields = []
    at, end = 0, len(record)
    while at < end:
        first = record[at : at + 1]
        if first in (b"\n", b"\r"):
            at += 1
            continue
        if quoted and first == b'"':
            field, at = _quoted_field(record, at + 1, mark)
        else:
            until = record.find(mark, at)
            until = end if until < 0 else until
            field, at = record[at:until], until
            if any(c in field for c in forbidden):
                fail("Unquoted fields cannot have quotes/CRLFs inside")
        fields.append(field)
        at += 1
    return [*fields, b""] if record.endswith(mark) else fields


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
) -> list[Array]:
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
    plain = plain_columns(records, OUT_TYPE, defaults, mark, use_quote_delim, missing, select_cols)
    if plain is not None:
        return plain
    columns: list[list[Any]] = [[] for _ in range(count)]
    for row, record in enumerate(records.ravel().tolist()):
        fields = _fields(record, mark, use_quote_delim)
        if select_cols:
            fields = [fields[c] for c in select_cols if c < len(fields)]
        if len(fields) != count:
            fail(f"Expect {count} fields but have {len(fields)} in record {row}")
        for i, (field, kind, dtype) in enumerate(zip(fields, kinds, OUT_TYPE)):
            if not field or field == missing:
                if defaults[i] is None:
                    fail(f"Field {i} is required but missing in record {row}!")
                columns[i].append(defaults[i])
            elif kind == "string":
                columns[i].append(field)
            else:
                parse = parse_integer if dtype.is_integer else parse_float
                value: Any = parse(field, dtype)
                if value is None:
                    text = field.decode("utf-8", "backslashreplace")
                    fail(f"Field {i} in record {row} is not a valid {kind}: {text}")
                columns[i].append(value)
    return [_column(values, dtype, records.shape) for values, dtype in zip(columns, OUT_TYPE)]


def _column(values: list[Any], dtype: DType, shape: Sequence[int]) -> np.ndarray:
    column = np.empty(len(values), dtype.numpy_dtype)
    with np.errstate(over="ignore"):
        column[:] = values
    return column.reshape(shape)


def shape_decode_csv(c: shapes.ShapeContext) -> list[Shape]:
    for default in c.shapes[1:]:
        if default is None:
            continue
        if len(default) > 1:
            c.fail(f"Shape must be at most rank 1 but is rank {len(default)}")
        if len(default) == 1 and default[0] is not None and default[0] > 1:
            c.fail("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return [c.shape("records")] * len(c.attr("OUT_TYPE"))


def samples_decode_csv() -> Iterator[Sample]:
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
    record_defaults: Sequence[TensorLike],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
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
