"""Event files: Event protos in TFRecord framing, as TensorBoard reads them."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

from headwater.base import errors
from headwater.base.export import export
from headwater.base.lazy import LazyModule
from headwater.io.files import join_path, make_folders, open_file, path_text
from headwater.io.record import RecordWriter, tf_record_iterator
from headwater.protos.lazy import event_pb2

_message: Any = LazyModule("google.protobuf.message")

_VERSION = "brain.Event:2"


class EventFile:
    """A file to which events are added.

    Args:
        logdir: the folder, made if there is none.
        suffix: the end of the name.
    """

    def __init__(self, logdir: Any, suffix: str = "") -> None:
        make_folders(logdir)
        now = int(time.time())
        self.path = join_path(
            logdir, f"events.out.tfevents.{now:010d}.{socket.gethostname()}{suffix}"
        )
        # Two writers created in the same second append to the same file.
        self._records = RecordWriter(open_file(self.path, "ab"))
        self.write(event_pb2.Event(wall_time=now, file_version=_VERSION))
        self.flush()

    def write(self, event: Any) -> None:
        """Adds an Event proto."""
        self._records.write(event.SerializeToString())

    def flush(self) -> None:
        """Flushes to the operating system."""
        self._records.flush()

    def close(self) -> None:
        """Closes the file."""
        self._records.close()


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
