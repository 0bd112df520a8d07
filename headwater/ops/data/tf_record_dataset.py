"""TFRecordDataset: the records of TFRecord files."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.io.input_stream import InputStream, open_stream
from headwater.io.record import RecordReader
from headwater.ops.data.dataset import scalar_of, variant_of
from headwater.ops.data.file_dataset import (
    FileDataset,
    FileReader,
    StringReader,
    names_of,
    shape_of_files,
    text_of,
)


class TFRecordDataset(FileDataset):
    """The records of TFRecord files."""

    def __init__(self, names: Sequence[bytes], compression: str) -> None:
        super().__init__(names)
        self._compression = compression

    def open(self, name: bytes) -> FileReader:
        return _TFRecordReader(open_stream(name, self._compression))


class _TFRecordReader(StringReader):
    def __init__(self, stream: InputStream) -> None:
        super().__init__(stream)
        self._records = RecordReader(stream)

    def read_strings(self, count: int) -> list[bytes]:
        return self._records.read(count)[0]


def kernel_tf_record_dataset(
    xp: ArrayModule, filenames: Array, compression_type: Array, buffer_size: Array
) -> Array:
    compression = text_of(compression_type, "compression_type")
    if int(scalar_of(buffer_size, "buffer_size")) < 0:
        fail("`buffer_size` must be >= 0 (0 == no buffering)")
    # As in TensorFlow, files are not compressed if the name is an unknown one.
    known = compression if compression in ("ZLIB", "GZIP") else ""
    return variant_of(TFRecordDataset(names_of(filenames), known))


register_op(
    "TFRecordDataset",
    inputs="filenames: string, compression_type: string, buffer_size: int64",
    outputs="handle: variant",
    shape=shape_of_files,
    kernel=kernel_tf_record_dataset,
    runs_on=RunsOn.HOST,
    stateful=True,
)
