"""The sources of `tf.contrib.data`: LMDBDataset, and those that `tf.data.experimental` has now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import record_writer, structure
from headwater.data.datasets.csv_dataset import CsvDatasetV1
from headwater.data.datasets.dataset import DatasetV1
from headwater.data.datasets.numbers import RandomDatasetV1
from headwater.data.datasets.sql_dataset import SqlDatasetV1
from headwater.graph import build, convert_to_tensor
from headwater.graph.type_spec import TensorSpec


@export("contrib.data.CsvDataset")
class CsvDataset(CsvDatasetV1):
    """The records of files of comma-separated fields; see tf.data.experimental.CsvDataset."""

    _shown_class = "CsvDataset"

    @deprecated(None, "Use `tf.data.experimental.CsvDataset(...)`.")
    def __init__(
        self,
        filenames: TensorLike,
        record_defaults: Sequence[Any],
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        header: TensorLike = False,
        field_delim: TensorLike = ",",
        use_quote_delim: TensorLike = True,
        na_value: TensorLike = "",
        select_cols: TensorLike | None = None,
    ) -> None:
        form = header, field_delim, use_quote_delim, na_value, select_cols
        super().__init__(filenames, record_defaults, compression_type, buffer_size, *form)


@export("contrib.data.SqlDataset")
class SqlDataset(SqlDatasetV1):
    """The rows of the result of a query; see tf.data.experimental.SqlDataset."""

    _shown_class = "SqlDataset"

    @deprecated(None, "Use `tf.data.experimental.SqlDataset(...)`.")
    def __init__(
        self,
        driver_name: TensorLike,
        data_source_name: TensorLike,
        query: TensorLike,
        output_types: Any,
    ) -> None:
        super().__init__(driver_name, data_source_name, query, output_types)


@export("contrib.data.RandomDataset")
class RandomDataset(RandomDatasetV1):
    """Random int64 numbers from 0 to 2**32 - 1; see tf.data.experimental.RandomDataset."""

    _shown_class = "RandomDataset"

    @deprecated(None, "Use `tf.data.experimental.RandomDataset(...)`.")
    def __init__(self, seed: Any = None) -> None:
        super().__init__(seed)


@export("contrib.data.LMDBDataset")
class LMDBDataset(DatasetV1):
    """The keys and values of LMDB databases, which needs the package `lmdb`.

    Args:
        filenames: paths of databases, a string scalar or vector.
    """

    _shown_class = "LMDBDataset"

    def __init__(self, filenames: TensorLike) -> None:
        names = convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
        spec = (TensorSpec([], dtypes.string), TensorSpec([], dtypes.string))
        super().__init__(build.LMDBDataset(names, **structure.flat_attrs(spec)), spec)


@export("contrib.data.TFRecordWriter")
class TFRecordWriter(record_writer.TFRecordWriter):
    """Writes datasets of strings to a file; see tf.data.experimental.TFRecordWriter."""

    @deprecated(None, "Use `tf.data.experimental.TFRecordWriter(...)`.")
    def __init__(self, filename: TensorLike, compression_type: TensorLike | None = None) -> None:
        super().__init__(filename, compression_type)
