"""TextLineDataset: the lines of text files."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.io.input_stream import InputStream, open_stream
from headwater.io.text_lines import LineReader
from headwater.ops.data.dataset import scalar_of, variant_of
from headwater.ops.data.file_dataset import (
    FileDataset,
    FileReader,
    StringReader,
    compression_of,
    names_of,
    shape_of_files,
)


class TextLineDataset(FileDataset):
    """The lines of text files, without their ends."""

    def __init__(self, names: Sequence[bytes], compression: str) -> None:
        super().__init__(names)
        self._compression = compression

    def open(self, name: bytes) -> FileReader:
        return _TextLineReader(open_stream(name, self._compression))


class _TextLineReader(StringReader):
    def __init__(self, stream: InputStream) -> None:
        super().__init__(stream)
        # TensorFlow's datasets drop every carriage return, its readers only those at line ends.
        self._lines = LineReader(stream, drop_returns=True)

    def read_strings(self, count: int) -> list[bytes]:
        return self._lines.read(count)


def kernel_text_line_dataset(
    xp: ArrayModule, filenames: Array, compression_type: Array, buffer_size: Array
) -> Array:
    compression = compression_of(compression_type)
    if int(scalar_of(buffer_size, "buffer_size")) < 0:
        fail("`buffer_size` must be >= 0 (0 == default)")
    return variant_of(TextLineDataset(names_of(filenames), compression))


register_op(
    "TextLineDataset",
    inputs="filenames: string, compression_type: string, buffer_size: int64",
    outputs="handle: variant",
    shape=shape_of_files,
    kernel=kernel_text_line_dataset,
    runs_on=RunsOn.HOST,
    stateful=True,
)
