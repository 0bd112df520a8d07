"""FixedLengthRecordDataset: records of equal length between the header and footer of files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.io.files import file_statistics
from headwater.io.fixed_length_records import FixedLengthRecords
from headwater.io.input_stream import InputStream, open_stream
from headwater.ops.data.dataset import scalar_of, variant_of
from headwater.ops.data.file_dataset import (
    FileDataset,
    FileReader,
    StringReader,
    compression_of,
    names_of,
    shape_of_files,
)


class FixedLengthRecordDataset(FileDataset):
    """The records of files.

    Args:
        names: the names of the files.
        record_bytes: the length of a record.
        header_bytes: how many bytes come before the first record of a file.
        footer_bytes: how many bytes come after the last one.
        compression: "", "ZLIB" or "GZIP".
    """

    def __init__(
        self,
        names: Sequence[bytes],
        record_bytes: int,
        header_bytes: int,
        footer_bytes: int,
        compression: str,
    ) -> None:
        super().__init__(names)
        self.record_bytes = record_bytes
        self.header_bytes = header_bytes
        self.footer_bytes = footer_bytes
        self.compression = compression

    def open(self, name: bytes) -> FileReader:
        if not self.compression:
            length = file_statistics(name).length
            body = length - self.header_bytes - self.footer_bytes
            if body < 0 or body % self.record_bytes:
                fail(self.wrong_length(name, body))
        return _FixedLengthReader(self, name, open_stream(name, self.compression))

    def wrong_length(self, name: bytes, body: int) -> str:
        """The text of the error for a file whose records do not have the right length."""
        return (
            f"Excluding the header ({self.header_bytes} bytes) and footer ({self.footer_bytes} "
            f'bytes), input file "{os.fsdecode(name)}" has body length {body % 2**64} bytes, which '
            f"is not an exact multiple of the record length ({self.record_bytes} bytes)."
        )


class _FixedLengthReader(StringReader):
    def __init__(self, dataset: FixedLengthRecordDataset, name: bytes, stream: InputStream) -> None:
        super().__init__(stream)
        self._dataset = dataset
        self._name = name
        self._records: FixedLengthRecords | None = None
        self._count = 0

    def read_strings(self, count: int) -> list[bytes]:
        dataset = self._dataset
        if self._records is None:
            sizes = dataset.record_bytes, dataset.header_bytes, dataset.footer_bytes
            try:
                self._records = FixedLengthRecords(self._stream, *sizes)
            except errors.OutOfRangeError:
                self._fail(-dataset.header_bytes - dataset.footer_bytes)
        assert self._records is not None
        records = self._records.read(count)
        self._count += len(records)
        rest = 0 if records else self._stream.fill(0) - dataset.footer_bytes
        if rest:
            self._fail(self._count * dataset.record_bytes + rest)
        return records

    def _fail(self, body: int) -> None:
        raise errors.DataLossError(None, None, self._dataset.wrong_length(self._name, body))


def kernel_fixed_length_record_dataset(
    xp: ArrayModule,
    filenames: Array,
    header_bytes: Array,
    record_bytes: Array,
    footer_bytes: Array,
    buffer_size: Array,
    compression_type: Array | None = None,
) -> Array:
    header = int(scalar_of(header_bytes, "header_bytes"))
    record = int(scalar_of(record_bytes, "record_bytes"))
    footer = int(scalar_of(footer_bytes, "footer_bytes"))
    if header < 0:
        fail("`header_bytes` must be >= 0")
    if record <= 0:
        fail("`record_bytes` must be > 0")
    if footer < 0:
        fail("`footer_bytes` must be >= 0")
    if int(scalar_of(buffer_size, "buffer_size")) < 0:
        fail("`buffer_size` must be >= 0")
    compression = "" if compression_type is None else compression_of(compression_type)
    names = names_of(filenames)
    return variant_of(FixedLengthRecordDataset(names, record, header, footer, compression))


register_op(
    "FixedLengthRecordDataset",
    inputs="filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
    "buffer_size: int64",
    outputs="handle: variant",
    shape=shape_of_files,
    kernel=kernel_fixed_length_record_dataset,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "FixedLengthRecordDatasetV2",
    inputs="filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
    "buffer_size: int64, compression_type: string",
    outputs="handle: variant",
    shape=shape_of_files,
    kernel=kernel_fixed_length_record_dataset,
    runs_on=RunsOn.HOST,
    stateful=True,
)
