"""Readers of whole files, lines, and records."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.data.readers.reader_base import ReaderBase
from headwater.graph import build
from headwater.io.record import TFRecordOptions


@export("WholeFileReader")
class WholeFileReader(ReaderBase):
    """A reader of whole files: the keys are their names, the values their contents.

    Args:
        name: the name of the op.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(build.WholeFileReaderV2(name=name), supports_serialize=True)


@export("TextLineReader")
class TextLineReader(ReaderBase):
    r"""A reader of the lines of text files, without the "\n" or "\r\n" at their ends.

    Args:
        skip_header_lines: how many lines are left out at the beginning of each file.
        name: the name of the op.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "lines.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("1,2\\n3,4\\n")
        >>> queue = tf.FIFOQueue(1, tf.string)
        >>> key, value = tf.TextLineReader().read(queue)
        >>> with tf.Session() as session:
        ...     session.run(queue.enqueue(path))
        ...     print(session.run(value), session.run(value))
        b'1,2' b'3,4'
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        attrs = {} if skip_header_lines is None else {"skip_header_lines": skip_header_lines}
        super().__init__(build.TextLineReaderV2(name=name, **attrs))


@export("FixedLengthRecordReader")
class FixedLengthRecordReader(ReaderBase):
    """A reader of files of records of equal length.

    Args:
        record_bytes: the length of a record.
        header_bytes: how many bytes come before the first record of a file; 0 by default.
        footer_bytes: how many bytes come after the last one; 0 by default.
        hop_bytes: the distance between the beginnings of records; `record_bytes` by default.
        name: the name of the op.
        encoding: "ZLIB" or "GZIP" if the files are compressed.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        given: dict[str, Any] = {
            "header_bytes": header_bytes,
            "footer_bytes": footer_bytes,
            "hop_bytes": hop_bytes,
            "encoding": encoding,
        }
        attrs = {key: value for key, value in given.items() if value is not None}
        handle = build.FixedLengthRecordReaderV2(record_bytes=record_bytes, name=name, **attrs)
        super().__init__(handle)


@export("TFRecordReader")
class TFRecordReader(ReaderBase):
    """A reader of the records of TFRecord files.

    Args:
        name: the name of the op.
        options: TFRecordOptions, which say how the files are compressed.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(build.TFRecordReaderV2(name=name, compression_type=compression))


@export("LMDBReader")
class LMDBReader(ReaderBase):
    """A reader of the entries of LMDB databases; needs `pip install 'headwater[lmdb]'`.

    Args:
        name: the name of the op.
        options: has no effect.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        super().__init__(build.LMDBReader(name=name))


@export("IdentityReader")
class IdentityReader(ReaderBase):
    """A reader whose records are the elements of the queue, as keys and as values.

    Args:
        name: the name of the op.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(build.IdentityReaderV2(name=name), supports_serialize=True)
