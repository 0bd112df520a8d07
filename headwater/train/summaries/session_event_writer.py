"""Writes events by running ops in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.graph import name_scope
from headwater.io.files import path_text
from headwater.ops.array.constant import constant, placeholder_with_default
from headwater.train.summaries.recorded import import_event
from headwater.train.summaries.recording import always_record_summaries
from headwater.train.summaries.resource_writer import create_file_writer

if TYPE_CHECKING:
    from headwater.protos.event_pb2 import Event


class EventFileWriterV2:
    """Writes events to a file that the session shares with summary ops of the same folder.

    Args:
        session: the session; the ops are made in its graph.
        logdir: the folder, made if there is none.
        max_queue: how many events may wait to be written.
        flush_secs: after how many seconds events are written, with the next one.
        filename_suffix: the end of the file's name.

    Raises:
        OpError: of the class that fits, if the file cannot be made.
    """

    def __init__(
        self,
        session: Any,
        logdir: Any,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        self._session = session
        self._logdir = path_text(logdir)
        self._closed = False
        with session.graph.as_default(), name_scope("filewriter"):
            writer = create_file_writer(
                self._logdir, max_queue, int(flush_secs * 1000), filename_suffix
            )
            with writer.as_default(), always_record_summaries():
                self._event_placeholder = placeholder_with_default(constant("unused"), shape=[])
                self._add_event_op = import_event(self._event_placeholder)
            self._init_op = writer.init()
            self._flush_op = writer.flush()
            self._close_op = writer.close()
        session.run(self._init_op)

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self._logdir

    def reopen(self) -> None:
        """Starts a new file if the writer is closed."""
        if self._closed:
            self._closed = False
            self._session.run(self._init_op)

    def add_event(self, event: Event) -> None:
        """Adds an event; events for a closed writer are lost.

        Args:
            event: an Event proto.
        """
        if not self._closed:
            feeds = {self._event_placeholder: event.SerializeToString()}
            self._session.run(self._add_event_op, feeds)

    def flush(self) -> None:
        """Writes waiting events to the file."""
        self._session.run(self._flush_op)

    def close(self) -> None:
        """Writes waiting events and closes the file."""
        if not self._closed:
            self.flush()
            self._session.run(self._close_op)
            self._closed = True
