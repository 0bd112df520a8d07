"""Event files: Event protos in TFRecord framing, as TensorBoard reads them."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.base.lazy import LazyModule
from headwater.io.files import (
    file_exists,
    folder_of,
    is_remote,
    join_path,
    make_folders,
    open_file,
    path_text,
)
from headwater.io.record import framed, tf_record_iterator
from headwater.protos.lazy import event_pb2

_message: Any = LazyModule("google.protobuf.message")

_VERSION = "brain.Event:2"
# Events of so many bytes are handed to the operating system without a flush.
_PENDING_BYTES = 1 << 16


class EventFile:
    """A file to which events are added; it is made with the first of them, or by `open`.

    Events wait in memory until `flush`. A file that cannot be written or has disappeared is given
    up, and further events go to a new one.

    Args:
        prefix: the beginning of its path, up to ".out.tfevents".
        suffix: the end of its name.
    """

    def __init__(self, prefix: Any, suffix: str = "") -> None:
        self._prefix = path_text(prefix)
        self._suffix = suffix
        self._seconds = 0
        self._file: BinaryIO | None = None
        self._pending: list[bytes] = []
        self._size = 0
        self.path = ""

    def open(self) -> None:
        """Makes the file.

        Raises:
            OpError: of the class that fits, if it cannot be made.
        """
        now = int(time.time())
        # Two writers that are made in the same second append to the same file, but nothing is
        # added to a file that has been given up.
        self._seconds = max(now, self._seconds + 1)
        self.path = (
            f"{self._prefix}.out.tfevents.{self._seconds:010d}.{socket.gethostname()}{self._suffix}"
        )
        self._file = open_file(self.path, "ab")
        version = event_pb2.Event(wall_time=now, file_version=_VERSION)
        self._write(framed(version.SerializeToString()))

    def write(self, event: Any) -> None:
        """Adds an Event proto.

        Raises:
            OpError: of the class that fits, if the file cannot be written; waiting events are lost.
        """
        self.write_serialized(event.SerializeToString())

    def write_serialized(self, event: bytes) -> None:
        """Adds a serialized Event, as `write` does."""
        record = framed(event)
        self._pending.append(record)
        self._size += len(record)
        if self._size > _PENDING_BYTES:
            self.flush()

    def flush(self) -> None:
        """Hands waiting events to the operating system.

        Raises:
            OpError: of the class that fits, if the file cannot be written; waiting events are lost.
        """
        if not self._pending:
            return
        if self._file is None:
            self.open()
        data = b"".join(self._pending)
        self.forget()
        self._write(data)
        if not is_remote(self.path) and not file_exists(self.path):
            logging.error("The events file %s has disappeared.", self.path)
            self._give_up()
            make_folders(folder_of(self.path))

    def _write(self, data: bytes) -> None:
        """Writes to the file, which is given up if that fails."""
        assert self._file is not None
        try:
            self._file.write(data)
            self._file.flush()
        except errors.OpError:
            self._give_up()
            raise

    def _give_up(self) -> None:
        file, self._file = self._file, None
        # What is left in its buffer cannot be written either.
        with suppress(errors.OpError):
            if file is not None:
                file.close()

    def forget(self) -> None:
        """Drops waiting events: after a fork they are those of the parent."""
        self._pending = []
        self._size = 0

    def close(self) -> None:
        """Writes waiting events and closes the file."""
        try:
            self.flush()
        finally:
            file, self._file = self._file, None
            if file is not None:
                file.close()


def event_file_in(logdir: Any, suffix: str = "") -> EventFile:
    """An event file in a folder, which is made if there is none."""
    make_folders(logdir)
    return EventFile(join_path(logdir, "events"), suffix)


class EventsWriter:
    """Writes events to a file that is made with the first of them.

    Args:
        file_prefix: bytes, the beginning of its path.

    Raises:
        TypeError: if the prefix is text.
    """

    def __init__(self, file_prefix: bytes) -> None:
        if not isinstance(file_prefix, bytes):
            raise TypeError(f"expected bytes, {type(file_prefix).__name__} found")
        self._prefix = file_prefix
        self._suffix = ""
        self._file: EventFile | None = None

    def _opened(self) -> EventFile:
        if self._file is None:
            self._file = EventFile(self._prefix, self._suffix)
            self._file.open()
        return self._file

    def InitWithSuffix(self, suffix: bytes) -> None:
        """Makes the file, with an end of its name."""
        self.Close()
        self._suffix = suffix.decode()
        self._opened()

    def FileName(self) -> bytes:
        """The path of the file, which is made if there is none."""
        return self._opened().path.encode()

    def WriteEvent(self, event: Any) -> None:
        """Adds an Event proto.

        Raises:
            TypeError: if it is not one.
            OpError: of the class that fits, if it cannot be written.
        """
        if not isinstance(event, event_pb2.Event):
            raise TypeError(f"Expected an event_pb2.Event proto,  but got {type(event)}")
        self._WriteSerializedEvent(event.SerializeToString())

    def _WriteSerializedEvent(self, event: bytes) -> None:
        self._opened().write_serialized(event)

    def Flush(self) -> bool:
        """Hands the events to the operating system; returns True."""
        if self._file is not None:
            self._file.flush()
        return True

    def Close(self) -> bool:
        """Closes the file; returns True."""
        file, self._file = self._file, None
        if file is not None:
            file.close()
        return True


@export("train.summary_iterator")
def summary_iterator(path: Any) -> Iterator[Any]:
    """Reads the events of a file.

    Args:
        path: the path of the file.

    Yields:
        Event protos.

    Raises:
        NotFoundError: if there is no such file.
        DataLossError: if it is damaged.
    """
    for record in tf_record_iterator(path):
        try:
            event = event_pb2.Event.FromString(record)
        except _message.DecodeError:
            text = f"{path_text(path)}: a record is not an Event"
            raise errors.DataLossError(None, None, text) from None
        yield event
