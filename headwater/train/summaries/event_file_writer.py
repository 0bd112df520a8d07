"""Writes events to a file in a background thread."""

from __future__ import annotations

import os
import queue
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.io.event_file import EventFile, event_file_in
from headwater.io.files import path_text

if TYPE_CHECKING:
    from headwater.protos.event_pb2 import Event

# What ends a thread.
_END: Any = object()


class EventFileWriter:
    """Writes events to a new file in a folder; a thread does the writing.

    The file is made with the first event. An error of the thread is raised by the next call. In a
    process that was forked, the writer starts a file and a thread of its own.

    Args:
        logdir: the folder, made if there is none.
        max_queue: how many events may wait before `add_event` waits as well.
        flush_secs: after how many seconds events are flushed.
        filename_suffix: the end of the file's name.

    Raises:
        OpError: of the class that fits, if the folder cannot be made.
    """

    def __init__(
        self,
        logdir: Any,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str | None = None,
    ) -> None:
        self._logdir = path_text(logdir)
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._suffix = filename_suffix or ""
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._thread = _WriterThread(
            event_file_in(self._logdir, self._suffix), self._max_queue, self._flush_secs
        )
        self._thread.start()
        # A writer that is forgotten, or never closed by the program, loses nothing.
        self._end = weakref.finalize(self, _WriterThread.finish_alone, self._thread)

    def _running(self) -> _WriterThread:
        if self._thread.process != os.getpid():
            self._end.detach()
            self._thread.file.forget()
            self._start()
        return self._thread

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self._logdir

    def reopen(self) -> None:
        """Starts a new file if the writer is closed."""
        if self._closed:
            self._start()
            self._closed = False

    def add_event(self, event: Event) -> None:
        """Adds an event; events for a closed writer are lost.

        Args:
            event: an Event proto.

        Raises:
            OpError: of the class that fits, if earlier events could not be written.
        """
        if not self._closed:
            thread = self._running()
            thread.raise_failure()
            thread.events.put(event)

    def flush(self) -> None:
        """Waits until all events are in the file.

        Raises:
            OpError: of the class that fits, if they cannot be written.
        """
        if not self._closed:
            self._running().flush()

    def close(self) -> None:
        """Waits until all events are in the file, and closes it.

        Raises:
            OpError: of the class that fits, if they cannot be written.
        """
        if not self._closed:
            thread = self._running()
            self._closed = True
            self._end.detach()
            thread.finish()
            thread.raise_failure()


class _WriterThread(threading.Thread):
    """Writes the events of a queue to a file.

    Args:
        file: the file.
        max_queue: the capacity of the queue.
        flush_secs: after how many seconds what was written is flushed.
    """

    def __init__(self, file: EventFile, max_queue: int, flush_secs: float) -> None:
        super().__init__(name="EventFileWriter", daemon=True)
        self.file = file
        self.events: queue.Queue[Any] = queue.Queue(max_queue)
        self.process = os.getpid()
        self._flush_secs = flush_secs
        self._lock = threading.Lock()  # held while the file is used
        self._failure: Exception | None = None
        # The first event is flushed at once.
        self._next_flush = 0.0
        self._flushed = True

    def run(self) -> None:
        while True:
            try:
                event = self.events.get(timeout=self._time_left())
            except queue.Empty:
                self._write(None)
                continue
            try:
                if event is _END:
                    return
                self._write(event)
            finally:
                self.events.task_done()

    def _time_left(self) -> float | None:
        """How many seconds the next flush is away; None if there is nothing to flush."""
        return None if self._flushed else max(0.0, self._next_flush - time.monotonic())

    def _write(self, event: Any) -> None:
        """Writes an event, or None, and flushes if it is time for that."""
        try:
            with self._lock:
                if event is not None:
                    self.file.write(event)
                    self._flushed = False
                now = time.monotonic()
                if now >= self._next_flush:
                    self._next_flush = now + self._flush_secs
                    self._flushed = True
                    self.file.flush()
        except Exception as error:  # goes to the thread that calls next
            self._failure = error

    def flush(self) -> None:
        self.events.join()
        self.raise_failure()
        with self._lock:
            self._flushed = True
            self.file.flush()

    def finish(self) -> None:
        """Writes what is in the queue, closes the file and ends the thread."""
        if self.process != os.getpid():
            return
        self.events.put(_END)
        self.join()
        try:
            with self._lock:
                self.file.close()
        except Exception as error:  # goes to the caller, or to the log
            self._failure = error

    def finish_alone(self) -> None:
        """As `finish`, where no call is left that could raise an error."""
        self.finish()
        if self._failure is not None:
            logging.error("Could not finish writing file: %s", self._failure)

    def raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
