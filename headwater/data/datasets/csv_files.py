"""`make_csv_dataset`: batches of the columns of CSV files, with names and types found in them."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import mapping
from headwater.data.datasets.csv_dataset import CsvDatasetV2, column_default
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.map_functions import ignore_errors as without_errors
from headwater.data.datasets.shuffling import shuffled_and_repeated
from headwater.graph import Tensor
from headwater.graph.constant_value import constant_value
from headwater.io.file_io import get_matching_files_v2
from headwater.io.input_stream import open_stream
from headwater.ops.array.constant import constant
from headwater.ops.parsing.csv_records import RecordScanner

# A column has the first of these types that all of its values fit into.
_TYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)

_AUTOTUNE = -1


class _CsvFiles:
    """CSV files, of which names and types of columns are wanted.

    Args:
        names: the names of the files.
        field_delim: what stands between fields.
        use_quote_delim: whether quotes enclose fields.
        header: whether the files have a header.
        compression_type: "", "ZLIB", "GZIP" or None.
    """

    def __init__(
        self,
        names: Sequence[str],
        field_delim: str,
        use_quote_delim: bool,
        header: bool,
        compression_type: Any,
    ) -> None:
        self._names = names
        self._mark = field_delim.encode()
        self._quoted = use_quote_delim
        self._header = header
        self._compression = compression_type or ""

    def _records(self, name: str) -> Iterator[list[str]]:
        stream = open_stream(name, self._compression)
        try:
            scanner = RecordScanner(stream, self._mark, self._quoted)
            while (record := scanner.next_record()) is not None:
                yield [field.decode("utf-8", "replace") for field in record[0]]
        finally:
            stream.close()

    def column_names(self) -> list[str]:
        """The names in the headers.

        Raises:
            ValueError: if a file is empty, or the names differ.
        """
        found: list[str] | None = None
        for name in self._names:
            header = next(self._records(name), None)
            if header is None:
                raise ValueError(
                    f"Received StopIteration when reading the header line of {name}.  Empty file?"
                )
            if found is not None and header != found:
                raise ValueError("Files have different column names in the header row.")
            found = header
        return found or []

    def column_types(
        self, count: int, missing: str, rows: int | None, columns: Sequence[int] | None
    ) -> list[DType]:
        """The types of columns that the values in the first rows fit into.

        Args:
            count: how many fields a row has.
            missing: what stands for a missing value.
            rows: how many rows are looked at; None for all of them.
            columns: the indices of the columns; None for all of them.

        Raises:
            ValueError: if a row has another number of fields.
        """
        columns = range(count) if columns is None else columns
        types: list[int] = [-1] * len(columns)
        for row in itertools.islice(self._rows(), rows):
            if len(row) != count:
                raise ValueError(
                    "Problem inferring types: CSV row has different number of fields than expected."
                )
            for i, column in enumerate(columns):
                if row[column] not in ("", missing):
                    types[i] = max(types[i], _type_index(row[column]))
        return [_TYPES[i] for i in types]

    def _rows(self) -> Iterator[list[str]]:
        for name in self._names:
            yield from itertools.islice(self._records(name), int(self._header), None)


def _type_index(text: str) -> int:
    """The index of the first type that a text fits into."""
    try:
        number = int(text)
    except ValueError:
        pass
    else:
        for i in range(2):
            if _TYPES[i].min <= number <= _TYPES[i].max:
                return i
    try:
        value = float(text)
    except ValueError:
        return 4
    for i in range(2, 4):
        limit = float(np.finfo(_TYPES[i].numpy_dtype).max)
        if -limit <= value <= limit:
            return i
    return 4


def matching_file_names(file_pattern: Any, shuffle: bool) -> list[str]:
    """The names of the files that patterns match, sorted if they are not shuffled later.

    Raises:
        ValueError: if there are none.
    """
    if isinstance(file_pattern, list):
        if not file_pattern:
            raise ValueError("File pattern is empty.")
        names = [name for pattern in file_pattern for name in get_matching_files_v2(pattern)]
    else:
        names = list(get_matching_files_v2(file_pattern))
    if not names:
        raise ValueError(f"No files match {file_pattern}.")
    return names if shuffle else sorted(names)


def _column_indices(select_columns: Any, column_names: Sequence[str]) -> list[int]:
    """The sorted indices of columns that are given by indices or names."""
    by_name = {name: i for i, name in enumerate(column_names)}
    found = []
    for column in select_columns:
        if isinstance(column, int):
            if not 0 <= column < len(column_names):
                raise ValueError(
                    f"Column index {column} specified in select_columns out of valid range."
                )
            found.append(column)
        elif column not in by_name:
            raise ValueError(
                f"Value '{column}' specified in select_columns not a valid column index or name."
            )
        else:
            found.append(by_name[column])
    if len(set(found)) != len(found):
        raise ValueError("select_columns contains duplicate columns")
    return sorted(found)


def _known_compression(compression_type: Any) -> Any:
    if not isinstance(compression_type, Tensor):
        return compression_type
    value = constant_value(compression_type)
    if value is None:
        raise ValueError("Received unknown compression_type")
    return value.item().decode()


def csv_batches(
    file_pattern: Any,
    batch_size: TensorLike,
    column_names: Sequence[str] | None,
    column_defaults: Sequence[Any] | None,
    label_name: str | None,
    select_columns: Any,
    field_delim: str,
    use_quote_delim: bool,
    na_value: str,
    header: bool,
    num_epochs: Any,
    shuffle: bool,
    shuffle_buffer_size: TensorLike,
    shuffle_seed: Any,
    prefetch_buffer_size: Any,
    num_parallel_reads: Any,
    sloppy: bool,
    num_rows_for_inference: int | None,
    compression_type: Any,
    ignore_errors: bool = False,
) -> Any:
    """The dataset that `make_csv_dataset` returns."""
    names = matching_file_names(file_pattern, shuffle)
    dataset = DatasetV2.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    compression = _known_compression(compression_type)
    files = _CsvFiles(names, field_delim, use_quote_delim, header, compression)
    if column_names is None:
        if not header:
            raise ValueError("Cannot infer column names without a header line.")
        column_names = files.column_names()
    if len(column_names) != len(set(column_names)):
        raise ValueError("Cannot have duplicate column names.")
    width = len(column_names)
    columns = None
    if select_columns is not None:
        columns = _column_indices(select_columns, column_names)
    if column_defaults is not None:
        defaults = [column_default(value) for value in column_defaults]
    else:
        types = files.column_types(width, na_value, num_rows_for_inference, columns)
        defaults = [constant([_zero(dtype)], dtype=dtype) for dtype in types]
    if columns is not None:
        if len(defaults) != len(columns):
            raise ValueError(
                "If specified, column_defaults and select_columns must have same length."
            )
        column_names = [column_names[i] for i in columns]
    if label_name is not None and label_name not in column_names:
        raise ValueError("`label_name` provided must be one of the columns.")

    def filename_to_dataset(filename: Tensor) -> Any:
        records = CsvDatasetV2(
            filename,
            record_defaults=defaults,
            select_cols=columns,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            header=header,
            compression_type=compression_type,
        )
        return without_errors()(records) if ignore_errors else records

    def map_fn(*values: Tensor) -> Any:
        features = OrderedDict(zip(column_names, values))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    reads = 1 if num_parallel_reads is None else num_parallel_reads
    dataset = dataset._derived(
        *mapping.parallel_interleave(dataset, filename_to_dataset, reads, 1, sloppy, None, None)
    )
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(map_fn)
    return dataset.prefetch(_AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _zero(dtype: DType) -> Any:
    return "" if dtype is dtypes.string else 0


@export("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: TensorLike,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
) -> Any:
    """Reads batches of CSV files.

    Args:
        file_pattern: patterns of file names, a string or a list.
        batch_size: how many records a batch has.
        column_names: the names of the columns; those of the headers if None.
        column_defaults: for each column its default, or its type if it is required; if None, types
            are found in the first rows, and defaults are 0 and "".
        label_name: the column that elements have besides the dict of the other ones.
        select_columns: the indices or names of the columns that are wanted; all of them if None.
        field_delim: what stands between fields, one byte.
        use_quote_delim: whether quotes enclose fields.
        na_value: what stands for a missing value, besides nothing.
        header: whether each file begins with the names of the columns.
        num_epochs: how often files are read; without an end if None.
        shuffle: whether files and records are shuffled.
        shuffle_buffer_size: how many records are shuffled at a time.
        shuffle_seed: the seed of the order.
        prefetch_buffer_size: how many batches are made ahead; as many as useful if None.
        num_parallel_reads: how many files are read at the same time; one if None.
        sloppy: whether the order may depend on which file is ready.
        num_rows_for_inference: how many rows are looked at for types; all of them if None.
        compression_type: "", "ZLIB" or "GZIP".
        ignore_errors: whether wrong records are left out.

    Returns:
        A Dataset of dicts of columns, or of pairs of them and labels.

    Raises:
        ValueError: if the names, types or columns are wrong, or no file matches.
    """
    dataset = csv_batches(
        file_pattern,
        batch_size,
        column_names,
        column_defaults,
        label_name,
        select_columns,
        field_delim,
        use_quote_delim,
        na_value,
        header,
        num_epochs,
        shuffle,
        shuffle_buffer_size,
        shuffle_seed,
        prefetch_buffer_size,
        num_parallel_reads,
        sloppy,
        num_rows_for_inference,
        compression_type,
        ignore_errors,
    )
    return DatasetV1(dataset._variant_tensor, dataset.element_spec, dataset.options())
