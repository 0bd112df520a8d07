"""FileWriter: summaries, graphs and session logs for TensorBoard; one for each folder."""

from __future__ import annotations

import threading
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from headwater.base.export import export
from headwater.graph import Graph, get_default_graph
from headwater.io.files import path_text
from headwater.train.summaries.event_file_writer import EventFileWriter
from headwater.train.summaries.session_event_writer import EventFileWriterV2
from headwater.train.summaries.summary_to_event import SummaryToEventTransformer

if TYPE_CHECKING:
    from headwater.protos.event_pb2 import Event


@export("summary.FileWriter", "train.SummaryWriter")
class FileWriter(SummaryToEventTransformer):
    """Writes events to a new file in a folder; a thread does the writing.

    Args:
        logdir: the folder, made if there is none.
        graph: a Graph that is written first, or None.
        max_queue: how many events may wait before adding one waits as well.
        flush_secs: after how many seconds events are flushed.
        graph_def: a GraphDef instead of `graph` (old form).
        filename_suffix: the end of the file's name.
        session: a session that writes the events, by ops in the default graph; None to write them
            directly.

    Raises:
        OpError: of the class that fits, if the file cannot be made.

    Example:
        >>> import tempfile
        >>> logdir = tempfile.mkdtemp()
        >>> with tf.summary.FileWriter(logdir) as writer:
        ...     value = tf.Summary.Value(tag="loss", simple_value=0.5)
        ...     writer.add_summary(tf.Summary(value=[value]), global_step=3)
        >>> events = list(tf.train.summary_iterator(tf.gfile.Glob(logdir + "/*")[0]))
        >>> print(events[1].step, events[1].summary.value[0].simple_value)
        3 0.5
    """

    def __init__(
        self,
        logdir: str,
        graph: Graph | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        event_writer: Any
        if session is None:
            event_writer = EventFileWriter(logdir, max_queue, flush_secs, filename_suffix)
        else:
            event_writer = EventFileWriterV2(
                session, logdir, max_queue, flush_secs, filename_suffix or ""
            )
        self._closed = False
        super().__init__(event_writer, graph, graph_def)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, unused_type: Any, unused_value: Any, unused_traceback: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self.event_writer.get_logdir()

    def _warn_if_event_writer_is_closed(self) -> None:
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=4,
            )

    def _add_event(self, event: Event, step: Any) -> None:
        self._warn_if_event_writer_is_closed()
        super()._add_event(event, step)

    def add_event(self, event: Event) -> None:
        """Adds an Event proto; one for a closed writer is lost.

        Args:
            event: the proto.

        Raises:
            OpError: of the class that fits, if earlier events could not be written.
        """
        self._warn_if_event_writer_is_closed()
        self.event_writer.add_event(event)

    def flush(self) -> None:
        """Waits until all events are in the file.

        Raises:
            OpError: of the class that fits, if they cannot be written.
        """
        self._warn_if_event_writer_is_closed()
        self.event_writer.flush()

    def close(self) -> None:
        """Waits until all events are in the file, and closes it.

        Raises:
            OpError: of the class that fits, if they cannot be written.
        """
        self._closed = True
        self.event_writer.close()

    def reopen(self) -> None:
        """Starts a new file if the writer is closed."""
        self.event_writer.reopen()
        self._closed = False


@export("summary.FileWriterCache", "train.SummaryWriterCache")
class FileWriterCache:
    """One FileWriter for each folder."""

    _cache: ClassVar[dict[str, FileWriter]] = {}
    _lock = threading.RLock()

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer of a folder; a new one begins with the default graph.

        Args:
            logdir: the folder.

        Returns:
            A FileWriter, always the same for equal paths.
        """
        with FileWriterCache._lock:
            name = path_text(logdir)
            if name not in FileWriterCache._cache:
                FileWriterCache._cache[name] = FileWriter(name, graph=get_default_graph())
            return FileWriterCache._cache[name]

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache.clear()
