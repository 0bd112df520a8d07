"""CSVDataset: the records of files of comma-separated fields."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType, proto_name, string
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.io.input_stream import InputStream, open_stream
from headwater.ops.data.dataset import Rows, scalar_of, variant_of
from headwater.ops.data.file_dataset import FileDataset, FileReader, names_of, text_of
from headwater.ops.parsing.csv_columns import plain_columns, unquoted_columns
from headwater.ops.parsing.csv_records import RecordScanner
from headwater.ops.strings.parsing import parse_float, parse_integer


class CSVDataset(FileDataset):
    """The records of files.

    Args:
        names: the names of the files.
        compression: "", "ZLIB" or "GZIP".
        header: whether the first record of each file is left out.
        mark: what stands between fields.
        quoted: whether fields may be in quotes.
        missing: a text that, like an empty field, stands for the default.
        select_cols: the indices of the columns; empty for all of them.
        defaults: the defaults of the columns; None for required ones.
        types: the types of the columns.
        component_shapes: their static shapes.
    """

    def __init__(
        self,
        names: Sequence[bytes],
        *,
        compression: str,
        header: bool,
        mark: bytes,
        quoted: bool,
        missing: bytes,
        select_cols: Sequence[int],
        defaults: Sequence[Any],
        types: Sequence[DType],
        component_shapes: Any,
    ) -> None:
        super().__init__(names, types, component_shapes)
        self.compression = compression
        self.header = header
        self.mark = mark
        self.quoted = quoted
        self.missing = missing
        self.select_cols = list(select_cols)
        self.defaults = list(defaults)

    def open(self, name: bytes) -> FileReader:
        return _CsvReader(self, open_stream(name, self.compression))


class _CsvReader(FileReader):
    def __init__(self, dataset: CSVDataset, stream: InputStream) -> None:
        self._dataset = dataset
        self._stream = stream
        self._scanner = RecordScanner(stream, dataset.mark, dataset.quoted)
        self._header = dataset.header
        # Up to this offset, records are taken one by one.
        self._scan_until = 0
        # The error of a record, which is raised after the records before it were handed out.
        self._error: errors.InvalidArgumentError | None = None

    def read(self, count: int) -> Rows | None:
        if self._header:
            self._header = False
            if self._scanner.next_record() is None:
                raise errors.InvalidArgumentError(None, None, "Can't read header of file")
        if self._error is None:
            columns = self._plain_block()
            if columns is not None:
                return columns
            rows = self._scanned()
            if rows:
                return [_column(values, t) for values, t in zip(zip(*rows), self._dataset.types)]
        error, self._error = self._error, None
        if error is not None:
            raise error
        return None

    def resumes_after(self, error: errors.OpError) -> bool:
        return isinstance(error, errors.InvalidArgumentError)

    def close(self) -> None:
        self._stream.close()

    def _plain_block(self) -> list[Array] | None:
        """The columns of what was read ahead; None if records have to be taken one by one."""
        scanner = self._scanner
        if scanner.offset < self._scan_until:
            return None
        block = scanner.whole_lines()
        columns = self._plain(block)
        if columns is None:
            self._scan_until = scanner.offset + len(block)
        else:
            scanner.skip(len(block))
        return columns

    def _plain(self, block: bytes) -> list[Array] | None:
        """The columns of lines; None if one is not of the usual form."""
        dataset = self._dataset
        if not block:
            return None
        rest = dataset.mark, dataset.missing, dataset.select_cols
        if b"\r" not in block and (not dataset.quoted or b'"' not in block):
            width = block.count(dataset.mark, 0, block.index(b"\n")) + 1
            return unquoted_columns(block, width, dataset.types, dataset.defaults, *rest)
        lines = block[:-1].split(b"\n")
        if dataset.quoted and any(line.count(b'"') & 1 for line in lines):
            return None
        if b"\r" in block:
            lines = [line.removesuffix(b"\r") for line in lines]
            if any(b"\r" in line for line in lines):
                return None
        records = np.empty(len(lines), object)
        records[:] = lines
        return plain_columns(
            records,
            dataset.types,
            dataset.defaults,
            dataset.mark,
            dataset.quoted,
            dataset.missing,
            dataset.select_cols,
        )

    def _scanned(self) -> list[list[Any]]:
        """The values of one record or more, up to an error, which is kept."""
        rows: list[list[Any]] = []
        while not rows or self._scanner.offset < self._scan_until:
            record = self._scanner.next_record()
            if record is None:
                break
            try:
                rows.append(self._values(*record))
            except errors.InvalidArgumentError as error:
                self._error = error
                break
        return rows

    def _values(self, fields: Sequence[bytes], failure: tuple[int, str] | None) -> list[Any]:
        """The values of a record; the first error in it, from left to right, is raised."""
        dataset = self._dataset
        broken, text = failure or (len(fields), "")
        positions = dataset.select_cols or range(len(fields))
        values: list[Any] = []
        for position in positions:
            if position >= broken:
                break
            if len(values) == len(dataset.types):
                fail(f"Expect {len(dataset.types)} fields but have more in record")
            values.append(self._value(len(values), fields[position]))
        if failure is not None:
            fail(text)
        if len(values) < len(dataset.types):
            fail(f"Expect {len(dataset.types)} fields but have {len(values)} in record")
        return values

    def _value(self, index: int, field: bytes) -> Any:
        dtype = self._dataset.types[index]
        if not field or field == self._dataset.missing:
            default = self._dataset.defaults[index]
            if default is None:
                fail(f"Field {index} is required but missing in record!")
            return default
        if dtype is string:
            return field
        value = (parse_integer if dtype.is_integer else parse_float)(field, dtype)
        if value is None:
            _invalid(index, dtype, field)
        return value


def _invalid(index: int, dtype: DType, field: bytes) -> NoReturn:
    text = field.decode("utf-8", "backslashreplace")
    fail(f"Field {index} in record is not a valid {proto_name(dtype)}: {text}")


def _column(values: Sequence[Any], dtype: DType) -> Array:
    column = np.empty(len(values), dtype.numpy_dtype)
    column[:] = values
    return column


def _default(value: Array, index: int) -> Any:
    if value.ndim > 1:
        fail("Each record default should be at most rank 1")
    if value.size > 1:
        fail(f"There should only be 1 default per field but field {index} has {value.size}")
    return value.ravel()[0] if value.size else None


def _checked_columns(select_cols: Array, count: int) -> list[int]:
    """The value of `select_cols`.

    Raises:
        InvalidArgumentError: if it is not a list of `count` increasing indices, or empty.
    """
    if select_cols.ndim != 1:
        fail("`select_cols` must be a vector.")
    columns: list[int] = select_cols.tolist()
    if not columns:
        return columns
    if len(columns) != count:
        fail("select_cols should match output size")
    if any(later <= earlier for earlier, later in itertools.pairwise(columns)):
        fail("select_cols should be strictly increasing indices")
    if columns[0] < 0:
        fail("select_cols should be non-negative indices")
    return columns


def kernel_csv_dataset(
    xp: ArrayModule,
    filenames: Array,
    compression_type: Array,
    buffer_size: Array,
    header: Array,
    field_delim: Array,
    use_quote_delim: Array,
    na_value: Array,
    select_cols: Array,
    record_defaults: Sequence[Array],
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    defaults = [_default(value, i) for i, value in enumerate(record_defaults)]
    compression = text_of(compression_type, "compression_type")
    if compression not in ("", "ZLIB", "GZIP"):
        fail(f"Unsupported compression_type: {compression}.")
    if int(scalar_of(buffer_size, "buffer_size")) <= 0:
        fail("buffer_size should be positive")
    mark = scalar_of(field_delim, "field_delim")
    if len(mark) != 1:
        fail("field_delim should be only 1 char")
    return variant_of(
        CSVDataset(
            names_of(filenames),
            compression=compression,
            header=bool(scalar_of(header, "header")),
            mark=mark,
            quoted=bool(scalar_of(use_quote_delim, "use_quote_delim")),
            missing=scalar_of(na_value, "na_value"),
            select_cols=_checked_columns(select_cols, len(output_types)),
            defaults=defaults,
            types=output_types,
            component_shapes=output_shapes,
        )
    )


def shape_csv_dataset(c: shapes.ShapeContext) -> Any:
    names = c.shape("filenames")
    if names is not None and len(names) > 1:
        c.fail(f"Shape must be at most rank 1 but is rank {len(names)}")
    for name in ("compression_type", "buffer_size", "header", "field_delim", "use_quote_delim"):
        c.with_rank(name, 0)
    c.with_rank("na_value", 0)
    c.with_rank("select_cols", 1)
    for default in c.shape("record_defaults"):
        if default is None:
            continue
        if len(default) > 1:
            c.fail(f"Shape must be at most rank 1 but is rank {len(default)}")
        if len(default) == 1 and default[0] is not None and default[0] > 1:
            c.fail("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return ()


def _register_csv_dataset(name: str) -> None:
    register_op(
        name,
        inputs="filenames: string, compression_type: string, buffer_size: int64, header: bool, "
        "field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, "
        "record_defaults: output_types",
        outputs="handle: variant",
        attrs="output_types: list({float, double, int32, int64, string}) >= 1, "
        "output_shapes: list(shape) >= 1",
        shape=shape_csv_dataset,
        kernel=kernel_csv_dataset,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_csv_dataset("CSVDataset")
_register_csv_dataset("ExperimentalCSVDataset")
