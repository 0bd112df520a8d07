"""`CsvDataset`: the records of files of comma-separated fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import structure
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.files import optional_tensor
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.tensor_types import is_tensor
from headwater.graph.type_spec import TensorSpec
from headwater.ops.array.constant import constant

_BUFFER_BYTES = 4 * 1024 * 1024

_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def column_default(value: Any) -> Any:
    """A default of a column: a value, or an empty vector if its type is given."""
    return value if is_tensor(value) or value not in _TYPES else constant([], dtype=value)


def _defaults_of(record_defaults: Sequence[Any]) -> list[Tensor]:
    """The defaults of the columns; a type alone says that a column is required."""
    values = [column_default(value) for value in record_defaults]
    return [convert_to_tensor(v, name=f"record_defaults_{i}") for i, v in enumerate(values)]


def _records(
    filenames: TensorLike,
    record_defaults: Sequence[Any],
    compression_type: Any,
    buffer_size: Any,
    header: TensorLike,
    field_delim: TensorLike,
    use_quote_delim: TensorLike,
    na_value: TensorLike,
    select_cols: Any,
) -> tuple[Tensor, Any]:
    """The variant and structure of the records of files."""
    names = convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
    compression = optional_tensor("compression_type", compression_type, "", dtypes.string)
    defaults = _defaults_of(record_defaults)
    settings = (
        optional_tensor("buffer_size", buffer_size, _BUFFER_BYTES, dtypes.int64),
        convert_to_tensor(header, dtype=dtypes.bool_, name="header"),
        convert_to_tensor(field_delim, dtype=dtypes.string, name="field_delim"),
        convert_to_tensor(use_quote_delim, dtype=dtypes.bool_, name="use_quote_delim"),
        convert_to_tensor(na_value, dtype=dtypes.string, name="na_value"),
        optional_tensor("select_cols", select_cols, [], dtypes.int64),
    )
    spec = tuple(TensorSpec([], default.dtype) for default in defaults)
    shapes = structure.flat_attrs(spec)["output_shapes"]
    variant = build.CSVDataset(names, compression, *settings, defaults, output_shapes=shapes)
    return variant, spec


class CsvDatasetV2(DatasetV2):
    """The records of files of comma-separated fields (RFC 4180), as tuples of scalars.

    Args:
        filenames: names of files, a string scalar or vector.
        record_defaults: for each column its default, or its type if it is required: float32,
            float64, int32, int64 or string.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: has no effect, but must be positive.
        header: whether the first record of each file is left out.
        field_delim: what stands between fields, one byte.
        use_quote_delim: whether quotes enclose fields.
        na_value: a text that, like an empty field, is a missing value.
        select_cols: the indices of the columns, in increasing order; all of them if None.
    """

    _shown_class = "CsvDatasetV2"

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
        super().__init__(
            *_records(filenames, record_defaults, compression_type, buffer_size, *form)
        )


@export("data.experimental.CsvDataset")
class CsvDatasetV1(DatasetV1):
    """The records of files of comma-separated fields (RFC 4180), as tuples of scalars.

    Args:
        filenames: names of files, a string scalar or vector.
        record_defaults: for each column its default, or its type if it is required: float32,
            float64, int32, int64 or string.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: has no effect, but must be positive.
        header: whether the first record of each file is left out.
        field_delim: what stands between fields, one byte.
        use_quote_delim: whether quotes enclose fields.
        na_value: a text that, like an empty field, is a missing value.
        select_cols: the indices of the columns, in increasing order; all of them if None.
    """

    _shown_class = "CsvDatasetV1"

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
        super().__init__(
            *_records(filenames, record_defaults, compression_type, buffer_size, *form)
        )
