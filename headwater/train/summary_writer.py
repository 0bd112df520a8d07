"""Writers of event files: summaries, graphs and session logs for TensorBoard."""

from __future__ import annotations

import threading
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Graph, get_default_graph
from headwater.io.event_file import EventFile
from headwater.io.files import path_text
from headwater.protos.lazy import event_pb2, graph_pb2, meta_graph_pb2, summary_pb2
from headwater.train.checkpoints.meta_graph import make_meta_graph

if TYPE_CHECKING:
    from headwater.protos.config_pb2 import RunMetadata
    from headwater.protos.event_pb2 import SessionLog
    from headwater.protos.meta_graph_pb2 import MetaGraphDef


@export("summary.FileWriter", "train.SummaryWriter")
class FileWriter(AbstractContextManager):
    """Writes events to a new file in a folder.

    Args:
        logdir: the folder, made if there is none.
        graph: a Graph that is written first, or None.
        max_queue: how many events may wait before they are flushed.
        flush_secs: after how many seconds waiting events are flushed with the next one.
        graph_def: a GraphDef instead of `graph` (old form).
        filename_suffix: the end of the file's name.
        session: has no effect; events are written to files only.
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
        self._logdir = path_text(logdir)
        self._suffix = filename_suffix or ""
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._lock = threading.RLock()
        self._seen_tags: set[str] = set()
        self._metadata_tags: dict[str, int | None] = {}
        self._warned = False
        self._open()
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
        if isinstance(graph, Graph):
            self.add_meta_graph(make_meta_graph(graph.as_graph_def(add_shapes=True)))

    def _open(self) -> None:
        self._file = EventFile(self._logdir, self._suffix)
        self._waiting = 0
        self._flushed = time.monotonic()
        self._closed = False

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self._logdir

    def add_summary(self, summary: Any, global_step: TensorLike | None = None) -> None:
        """Adds the values of a summary.

        Args:
            summary: a Summary proto, or one in serialized form as a session returns it.
            global_step: the step that the values belong to.
        """
        if isinstance(summary, bytes):
            summary = summary_pb2.Summary.FromString(summary)
        elif not isinstance(summary, summary_pb2.Summary):
            summary = summary_pb2.Summary.FromString(getattr(summary, "item", lambda: summary)())
        with self._lock:
            # The metadata of a tag are written once.
            for value in summary.value:
                if value.HasField("metadata"):
                    if value.tag in self._seen_tags:
                        value.ClearField("metadata")
                    else:
                        self._seen_tags.add(value.tag)
            self._add(event_pb2.Event(summary=summary), global_step)

    def add_session_log(
        self, session_log: SessionLog, global_step: TensorLike | None = None
    ) -> None:
        """Adds a SessionLog proto.

        Args:
            session_log: tells that a session has started, was checkpointed or has stopped.
            global_step: the step at which it did.
        """
        self._add(event_pb2.Event(session_log=session_log), global_step)

    def add_graph(
        self, graph: Any, global_step: TensorLike | None = None, graph_def: Any = None
    ) -> None:
        """Adds a graph.

        Args:
            graph: a Graph (or, as in old programs, a GraphDef).
            global_step: the step that it belongs to.
            graph_def: a GraphDef instead of `graph` (old form).

        Raises:
            ValueError: if both or none are given.
            TypeError: if it is of another type.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        if isinstance(graph, Graph) or isinstance(graph_def, Graph):
            given = graph if isinstance(graph, Graph) else graph_def
            proto = given.as_graph_def(add_shapes=True)
        elif isinstance(graph, graph_pb2.GraphDef) or isinstance(graph_def, graph_pb2.GraphDef):
            proto = graph if graph_def is None else graph_def
        else:
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"
            )
        self._add(event_pb2.Event(graph_def=proto.SerializeToString()), global_step)

    def add_meta_graph(
        self, meta_graph_def: MetaGraphDef, global_step: TensorLike | None = None
    ) -> None:
        """Adds a MetaGraphDef proto.

        Args:
            meta_graph_def: the proto.
            global_step: the step that it belongs to.

        Raises:
            TypeError: if it is of another type.
        """
        if not isinstance(meta_graph_def, meta_graph_pb2.MetaGraphDef):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        event = event_pb2.Event(meta_graph_def=meta_graph_def.SerializeToString())
        self._add(event, global_step)

    def add_run_metadata(
        self, run_metadata: RunMetadata, tag: str, global_step: TensorLike | None = None
    ) -> None:
        """Adds a RunMetadata proto.

        Args:
            run_metadata: the proto.
            tag: a name that no other RunMetadata of this writer has.
            global_step: the step that it belongs to.

        Raises:
            ValueError: if the tag is taken.
        """
        if tag in self._metadata_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._metadata_tags[tag] = global_step
        tagged = event_pb2.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(event_pb2.Event(tagged_run_metadata=tagged), global_step)

    def _add(self, event: Any, global_step: int | None) -> None:
        event.wall_time = time.time()
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_event(self, event: Any) -> None:
        """Adds an Event proto.

        Args:
            event: the proto.
        """
        with self._lock:
            if self._closed:
                if not self._warned:
                    logging.warning(
                        "Attempting to use a closed FileWriter. The operation will be a noop "
                        "unless the FileWriter is explicitly reopened."
                    )
                self._warned = True
                return
            self._file.write(event)
            self._waiting += 1
            late = time.monotonic() - self._flushed >= self._flush_secs
            if late or self._waiting > self._max_queue:
                self.flush()

    def flush(self) -> None:
        """Flushes all events to the operating system."""
        with self._lock:
            if not self._closed:
                self._file.flush()
                self._waiting = 0
                self._flushed = time.monotonic()

    def close(self) -> None:
        """Closes the file; events that are added later are lost."""
        with self._lock:
            if not self._closed:
                self._file.close()
                self._closed = True

    def reopen(self) -> None:
        """Starts a new file if the writer is closed."""
        with self._lock:
            if self._closed:
                self._open()
                self._warned = False


@export("summary.FileWriterCache", "train.SummaryWriterCache")
class FileWriterCache:
    """One FileWriter for each folder."""

    _writers: ClassVar[dict[str, FileWriter]] = {}
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
            if name not in FileWriterCache._writers:
                FileWriterCache._writers[name] = FileWriter(name, graph=get_default_graph())
            return FileWriterCache._writers[name]

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers.clear()
