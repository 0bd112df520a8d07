"""The values of summary writer handles: writers of event files."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from headwater.base import errors
from headwater.base.handles import resource_of
from headwater.base.typing import Array
from headwater.io.event_file import EventFile, event_file_in
from headwater.ops.summary.database import DatabaseFile
from headwater.protos.lazy import event_pb2

if TYPE_CHECKING:
    from headwater.protos.event_pb2 import Event

# So many events of a database are written in one transaction.
_DATABASE_QUEUE = 100
# How TensorFlow names the resource in messages.
_TYPE_NAME = "N10tensorflow22SummaryWriterInterfaceE"


class SummaryWriter:
    """A writer that ops of a session share; it has a file between its creation and its end.

    Attributes:
        name: its name in the session, which the first run of its op sets.
    """

    def __init__(self) -> None:
        self.name = ""
        self._file: EventFile | DatabaseFile | None = None
        self._was_closed = False
        self._lock = threading.Lock()
        self._waiting: list[Event] = []
        self._max_queue = 0
        self._flush_seconds = 0.0
        self._flushed = 0.0

    def __repr__(self) -> str:
        return f"<SummaryWriter {self.name}>"

    def create(self, logdir: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        """Makes the file, unless there is one.

        Args:
            logdir: the folder.
            max_queue: how many events may wait.
            flush_millis: after how many milliseconds they are written, with the next one.
            suffix: the end of the file's name.

        Raises:
            OpError: of the class that fits, if it cannot be made.
        """
        with self._lock:
            if self._file is None:
                self._file = event_file_in(logdir, suffix)
                self._file.open()
                self._max_queue = max_queue
                self._flush_seconds = flush_millis / 1000
                self._flushed = time.monotonic()

    def create_database(self, path: str, experiment: str, run: str, user: str) -> None:
        """Opens a run in a database, unless there is a file already.

        Args:
            path: the file of the database.
            experiment: the name of the experiment.
            run: the name of the run.
            user: the name of the user.

        Raises:
            OpError: of the class that fits, if it cannot be opened.
        """
        with self._lock:
            if self._file is None:
                self._file = DatabaseFile(path, experiment, run, user)
                self._max_queue = _DATABASE_QUEUE
                self._flush_seconds = float("inf")

    def write(self, event: Event) -> None:
        """Adds an event.

        Raises:
            NotFoundError: if there is no file.
            OpError: of the class that fits, if the file cannot be written.
        """
        with self._lock:
            self._require()
            self._waiting.append(event)
            late = time.monotonic() - self._flushed > self._flush_seconds
            if late or len(self._waiting) > self._max_queue:
                self._flush()

    def flush(self) -> None:
        """Writes waiting events to the file; fails as `write` does."""
        with self._lock:
            self._require()
            self._flush()

    def close(self) -> None:
        """Writes waiting events and closes the file; fails as `write` does."""
        with self._lock:
            file = self._require()
            try:
                self._flush()
            finally:
                self._file, self._was_closed = None, True
                file.close()

    def close_resource(self) -> None:
        """Closes the file, if there is one: the session ends."""
        if self._file is not None:
            self.close()

    def _require(self) -> EventFile | DatabaseFile:
        if self._file is None:
            text = f"Container localhost does not exist. (Could not find resource: {self._place})"
            if self._was_closed:
                text = f"Resource {self._place}/{_TYPE_NAME} does not exist."
            hint = "Run tf.contrib.summary.initialize() or the writer's init() in this session."
            raise errors.NotFoundError(None, None, text, hint=hint)
        return self._file

    @property
    def _place(self) -> str:
        return f"localhost/{self.name}"

    def _flush(self) -> None:
        file = self._require()
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            file.write(event)
        file.flush()
        self._flushed = time.monotonic()


def writer_of(handle: Array) -> SummaryWriter:
    """The writer of a handle.

    Raises:
        InvalidArgumentError: if it is a handle of something else.
    """
    found = resource_of(handle)
    if not isinstance(found, SummaryWriter):
        text = f"Trying to access a summary writer through a handle of {type(found).__name__}."
        raise errors.InvalidArgumentError(None, None, text)
    return found


def new_event(step: int = 0, **content: Any) -> Event:
    """An Event with the time of now."""
    return event_pb2.Event(wall_time=time.time(), step=step, **content)
