"""Event files: Event protos in TFRecord framing, as TensorBoard reads them."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headwater.base.export import export
from headwater.io.opening import file_error, open_file, path_text
from headwater.io.record import RecordWriter, tf_record_iterator
from headwater.protos.lazy import event_pb2

_VERSION = "brain.Event:2"


class EventFile:
    """A file to which events are added.

    Args:
        logdir: the folder, made if there is none.
        suffix: the end of the name.
    """

    def __init__(self, logdir: Any, suffix: str = "") -> None:
        folder = Path(path_text(logdir))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise file_error(error, logdir) from None
        now = int(time.time())
        self.path = str(folder / f"events.out.tfevents.{now:010d}.{socket.gethostname()}{suffix}")
        # A second writer of the same second goes on with the file of the first.
        self._records = RecordWriter(open_file(self.path, "ab"))
        self.write(event_pb2.Event(wall_time=now, file_version=_VERSION))
        self.flush()

    def write(self, event: Any) -> None:
        """Adds an Event proto."""
        self._records.write(event.SerializeToString())

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        self._records.flush()

    def close(self) -> None:
        """Ends the file."""
        self._records.close()


@export("train.summary_iterator")
def summary_iterator(path: Any) -> Iterator[Any]:
    """Reads the events of a file.

    Args:
        path: the path of the file.

    Yields:
        Event protos.
    """
    for record in tf_record_iterator(path):
        yield event_pb2.Event.FromString(record)
