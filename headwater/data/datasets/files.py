"""Datasets of what is in files: the variants and structures of TFRecordDataset, ..."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.data.datasets import structure
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.type_spec import TensorSpec

STRING_SPEC = TensorSpec([], dtypes.string)

# The default number of bytes that are read at once, as nodes show it.
_BUFFER_BYTES = 256 * 1024


def optional_tensor(name: str, value: Any, default: Any, dtype: dtypes.DType) -> Tensor:
    """An argument of a dataset op, or its default if it is None."""
    return convert_to_tensor(default if value is None else value, dtype=dtype, name=name)


def file_names(filenames: Any) -> Tensor:
    """A vector of file names."""
    names = convert_to_tensor(filenames, dtype=dtypes.string)
    flat: Tensor = build.Reshape(names, [-1], name="flat_filenames")
    return flat


def check_file_names(spec: Any) -> None:
    """Raises a TypeError if elements of a dataset are not file names."""
    if structure.legacy_types(spec) != dtypes.string:
        raise TypeError("`filenames` must be a `tf.data.Dataset` of `tf.string` elements.")
    if not structure.legacy_shapes(spec).is_compatible_with([]):
        raise TypeError("`filenames` must be a `tf.data.Dataset` of scalar `tf.string` elements.")


def text_lines(filename: Tensor, compression_type: Any, buffer_size: Any) -> tuple[Tensor, Any]:
    """The variant and structure of the lines of one file."""
    compression = optional_tensor("compression_type", compression_type, "", dtypes.string)
    size = optional_tensor("buffer_size", buffer_size, _BUFFER_BYTES, dtypes.int64)
    return build.TextLineDataset(filename, compression, size), STRING_SPEC


def tf_records(filename: Tensor, compression_type: Any, buffer_size: Any) -> tuple[Tensor, Any]:
    """The variant and structure of the records of one file."""
    compression = optional_tensor("compression_type", compression_type, "", dtypes.string)
    size = optional_tensor("buffer_size", buffer_size, _BUFFER_BYTES, dtypes.int64)
    return build.TFRecordDataset(filename, compression, size), STRING_SPEC


def fixed_length_records(
    filename: Tensor,
    record_bytes: TensorLike,
    header_bytes: Any,
    footer_bytes: Any,
    buffer_size: Any,
    compression_type: Any,
) -> tuple[Tensor, Any]:
    """The variant and structure of the records of one file."""
    record = convert_to_tensor(record_bytes, dtype=dtypes.int64, name="record_bytes")
    header = optional_tensor("header_bytes", header_bytes, 0, dtypes.int64)
    footer = optional_tensor("footer_bytes", footer_bytes, 0, dtypes.int64)
    size = optional_tensor("buffer_size", buffer_size, _BUFFER_BYTES, dtypes.int64)
    compression = optional_tensor("compression_type", compression_type, "", dtypes.string)
    variant = build.FixedLengthRecordDatasetV2(filename, header, record, footer, size, compression)
    return variant, STRING_SPEC
