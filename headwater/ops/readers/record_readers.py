"""The readers of files that TensorFlow has: what they read of one work unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.io.files import is_remote, read_bytes
from headwater.io.fixed_length_records import FixedLengthRecords
from headwater.io.input_stream import InputStream, open_stream
from headwater.io.record import RecordReader
from headwater.io.text_lines import LineReader
from headwater.ops.readers.reader_resource import Reader

Records = tuple[list[bytes], list[bytes], bool]


class IdentityReader(Reader):
    """The work units themselves, as keys and values."""

    defers_interrupts = True

    def read_up_to(self, count: int) -> Records:
        return [self.current_work], [self.current_work], True

    def serialize(self) -> bytes:
        return self.base_state()

    def restore(self, state: bytes) -> None:
        self.restore_base_state(state)


class WholeFileReader(Reader):
    """The contents of files; the keys are their names."""

    defers_interrupts = True

    def read_up_to(self, count: int) -> Records:
        return [self.current_work], [read_bytes(self.current_work)], True

    # Several files at a time

    def _take_turn_between_units(self) -> Any:
        """Waits for the turn; None if the next file is not the next one of the queue."""
        turn = self._turn_of_thread()
        if self.work_in_progress or self._dequeued:
            self._leave(turn)
            return None
        return turn

    def _contents_ahead(self, name: bytes) -> bytes | None:
        """A file that a run will read, or None if it has to read it itself; called in the turn."""
        # Others may take long, so that an interrupt ends their runs.
        return None if is_remote(name) else read_bytes(name)

    def _produce_units(self, names: Sequence[bytes]) -> None:
        """Counts files as read; called in the turn."""
        if names:
            self.current_work = names[-1]
            self._work_units_started += len(names)
            self.num_work_units_completed = self._work_units_started
            self.num_records_produced += len(names)

    def serialize(self) -> bytes:
        return self.base_state()

    def restore(self, state: bytes) -> None:
        self.restore_base_state(state)


class StreamReader(Reader):
    """A reader of one file after the other, from beginning to end.

    Attributes:
        stream: the open file, or None.
    """

    defers_interrupts = True
    _reads_ahead = True
    stream: InputStream | None = None
    compression = ""

    def on_work_started(self) -> None:
        self.stream = open_stream(self.current_work, self.compression)

    def on_work_finished(self) -> None:
        self.on_reset()

    def on_reset(self) -> None:
        stream, self.stream = self.stream, None
        if stream is not None:
            stream.close()


class TextLineReader(StreamReader):
    """The lines of text files; the keys are "file:line", counted from 1.

    Args:
        attrs: of the node: skip_header_lines.
    """

    def __init__(self, attrs: dict[str, Any]) -> None:
        self._skipped_lines: int = attrs["skip_header_lines"]

    def on_work_started(self) -> None:
        super().on_work_started()
        assert self.stream is not None
        self._lines = LineReader(self.stream)
        self._number = self._lines.skip(self._skipped_lines)

    def read_up_to(self, count: int) -> Records:
        lines = self._lines.read(count)
        first = self._number + 1
        self._number += len(lines)
        prefix = self.current_work + b":"
        keys = [prefix + b"%d" % i for i in range(first, first + len(lines))]
        return keys, lines, not lines


class FixedLengthRecordReader(StreamReader):
    """Records of equal length; the keys are "file:record", counted from 0.

    Args:
        attrs: of the node: the numbers of bytes and the encoding.
    """

    def __init__(self, attrs: dict[str, Any]) -> None:
        self._sizes: dict[str, int] = {
            name: attrs[name]
            for name in ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes")
        }
        encoding = attrs.get("encoding", "")
        self.compression = encoding if encoding in ("ZLIB", "GZIP") else ""

    def on_work_started(self) -> None:
        super().on_work_started()
        assert self.stream is not None
        self._records = FixedLengthRecords(self.stream, **self._sizes)
        self._number = 0

    def read_up_to(self, count: int) -> Records:
        records = self._records.read(count)
        first = self._number
        self._number += len(records)
        prefix = self.current_work + b":"
        keys = [prefix + b"%d" % i for i in range(first, self._number)]
        return keys, records, not records


class TFRecordReader(StreamReader):
    """The records of TFRecord files; the keys are "file:offset".

    Args:
        attrs: of the node: compression_type.
    """

    def __init__(self, attrs: dict[str, Any]) -> None:
        compression = attrs["compression_type"]
        self.compression = compression if compression in ("ZLIB", "GZIP") else ""

    def on_work_started(self) -> None:
        super().on_work_started()
        assert self.stream is not None
        self._records = RecordReader(self.stream)

    def read_up_to(self, count: int) -> Records:
        records, offsets = self._records.read(count)
        prefix = self.current_work + b":"
        return [prefix + b"%d" % i for i in offsets], records, not records
