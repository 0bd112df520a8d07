"""The datasets of files: TextLineDataset, TFRecordDataset, FixedLengthRecordDataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import files, mapping
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.data.datasets.options import Options
from headwater.graph import Tensor


def _names_of(filenames: Any) -> DatasetV2:
    """The dataset of file names, which may be a tensor.

    Raises:
        TypeError: if they are not strings, or are elements of a dataset that are not scalars.
    """
    if isinstance(filenames, DatasetV2):
        files.check_file_names(filenames.element_spec)
        return filenames
    return DatasetV2.from_tensor_slices(files.file_names(filenames))


def _of_files(
    filenames: Any, read: Callable[[Tensor], tuple[Tensor, Any]], num_parallel_reads: Any
) -> tuple[Tensor, Any, Options]:
    """The variant and structure of the elements of files, and the options of the names.

    Args:
        filenames: names as a tensor, or a dataset of them.
        read: a function from a name to the variant and structure of the elements of one file.
        num_parallel_reads: how many files are read at the same time; None for one.
    """
    names = _names_of(filenames)

    def read_one_file(filename: Tensor) -> DatasetV2:
        return DatasetV2(*read(filename))

    if num_parallel_reads is None:
        return *mapping.flat_map(names, read_one_file), names.options()
    parallel = num_parallel_reads, 1, False, None, None
    return *mapping.parallel_interleave(names, read_one_file, *parallel), names.options()


def _text_lines(
    filenames: Any, compression_type: Any, buffer_size: Any, num_parallel_reads: Any
) -> tuple[Tensor, Any, Options]:
    def read(filename: Tensor) -> tuple[Tensor, Any]:
        return files.text_lines(filename, compression_type, buffer_size)

    return _of_files(filenames, read, num_parallel_reads)


def _tf_records(
    filenames: Any, compression_type: Any, buffer_size: Any, num_parallel_reads: Any
) -> tuple[Tensor, Any, Options]:
    def read(filename: Tensor) -> tuple[Tensor, Any]:
        return files.tf_records(filename, compression_type, buffer_size)

    return _of_files(filenames, read, num_parallel_reads)


def _fixed_length_records(
    filenames: Any, num_parallel_reads: Any, *arguments: Any
) -> tuple[Tensor, Any, Options]:
    def read(filename: Tensor) -> tuple[Tensor, Any]:
        return files.fixed_length_records(filename, *arguments)

    return _of_files(filenames, read, num_parallel_reads)


class TextLineDatasetV2(DatasetV2):
    """The lines of text files, without their ends.

    Args:
        filenames: names of files as a string tensor, or a dataset of names.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: has no effect, but must not be negative.
        num_parallel_reads: how many files are read at the same time, with their lines interleaved.
    """

    _shown_class = "TextLineDatasetV2"

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        super().__init__(*_text_lines(filenames, compression_type, buffer_size, num_parallel_reads))


@export("data.TextLineDataset")
class TextLineDatasetV1(DatasetV1):
    """The lines of text files, without their ends.

    Args:
        filenames: names of files as a string tensor, or a dataset of names.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: has no effect, but must not be negative.
        num_parallel_reads: how many files are read at the same time, with their lines interleaved.
    """

    _shown_class = "TextLineDatasetV1"

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        super().__init__(*_text_lines(filenames, compression_type, buffer_size, num_parallel_reads))


class TFRecordDatasetV2(DatasetV2):
    """The records of TFRecord files.

    Args:
        filenames: names of files as a string tensor, or a dataset of names.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: has no effect, but must not be negative.
        num_parallel_reads: how many files are read at the same time, with their records
            interleaved.
    """

    _shown_class = "TFRecordDatasetV2"

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        names = _names_of(filenames)
        super().__init__(*_tf_records(names, compression_type, buffer_size, num_parallel_reads))
        self._input_datasets = [names]


@export("data.TFRecordDataset")
class TFRecordDatasetV1(DatasetV1):
    """The records of TFRecord files.

    Args:
        filenames: names of files as a string tensor, or a dataset of names.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: has no effect, but must not be negative.
        num_parallel_reads: how many files are read at the same time, with their records
            interleaved.
    """

    _shown_class = "TFRecordDatasetV1"

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        names = _names_of(filenames)
        super().__init__(*_tf_records(names, compression_type, buffer_size, num_parallel_reads))
        self._input_datasets = [names]


class FixedLengthRecordDatasetV2(DatasetV2):
    """The records of files in which all records have the same length.

    Args:
        filenames: names of files as a string tensor, or a dataset of names.
        record_bytes: the length of a record.
        header_bytes: how many bytes come before the first record of a file.
        footer_bytes: how many bytes come after the last one.
        buffer_size: has no effect, but must not be negative.
        compression_type: "", "ZLIB" or "GZIP".
        num_parallel_reads: how many files are read at the same time, with their records
            interleaved.
    """

    _shown_class = "FixedLengthRecordDatasetV2"

    def __init__(
        self,
        filenames: TensorLike,
        record_bytes: TensorLike,
        header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        compression_type: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        sizes = record_bytes, header_bytes, footer_bytes, buffer_size
        super().__init__(
            *_fixed_length_records(filenames, num_parallel_reads, *sizes, compression_type)
        )


@export("data.FixedLengthRecordDataset")
class FixedLengthRecordDatasetV1(DatasetV1):
    """The records of files in which all records have the same length.

    Args:
        filenames: names of files as a string tensor, or a dataset of names.
        record_bytes: the length of a record.
        header_bytes: how many bytes come before the first record of a file.
        footer_bytes: how many bytes come after the last one.
        buffer_size: has no effect, but must not be negative.
        compression_type: "", "ZLIB" or "GZIP".
        num_parallel_reads: how many files are read at the same time, with their records
            interleaved.
    """

    _shown_class = "FixedLengthRecordDatasetV1"

    def __init__(
        self,
        filenames: TensorLike,
        record_bytes: TensorLike,
        header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        compression_type: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        sizes = record_bytes, header_bytes, footer_bytes, buffer_size
        super().__init__(
            *_fixed_length_records(filenames, num_parallel_reads, *sizes, compression_type)
        )
