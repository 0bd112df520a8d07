"""Makes events of summaries, graphs, session logs and run metadata."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.lazy import LazyModule
from headwater.base.typing import TensorLike
from headwater.graph import Graph, get_default_graph
from headwater.protos.lazy import event_pb2, graph_pb2, meta_graph_pb2, summary_pb2
from headwater.train.checkpoints.meta_graph import make_meta_graph
from headwater.train.summaries.plugin_asset import write_plugin_assets

_message: Any = LazyModule("google.protobuf.message")

if TYPE_CHECKING:
    from headwater.protos.config_pb2 import RunMetadata
    from headwater.protos.event_pb2 import Event, SessionLog
    from headwater.protos.meta_graph_pb2 import MetaGraphDef


class SummaryToEventTransformer:
    """Hands summaries, graphs, session logs and run metadata to a writer of events.

    Args:
        event_writer: has `add_event` and `get_logdir`.
        graph: a Graph that is written first, with its MetaGraphDef and the assets of plugins.
        graph_def: a GraphDef instead of `graph` (old form).
    """

    def __init__(self, event_writer: Any, graph: Any = None, graph_def: Any = None) -> None:
        self.event_writer = event_writer
        self._session_run_tags: dict[str, TensorLike | None] = {}
        self._seen_summary_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            given = graph if isinstance(graph, Graph) else None
            proto = graph_def if given is None else given.as_graph_def(add_shapes=True)
            if proto is None:
                proto = graph
            # The collections are those of the default graph, as in TensorFlow.
            self.add_meta_graph(make_meta_graph(proto, get_default_graph()))

    def add_summary(self, summary: Any, global_step: TensorLike | None = None) -> None:
        """Adds the values of a summary.

        Args:
            summary: a Summary proto, or one in serialized form as a session returns it.
            global_step: the step that the values belong to.
        """
        if hasattr(summary, "item"):  # an array with one string
            summary = summary.item()
        if isinstance(summary, _message.Message) and not isinstance(summary, summary_pb2.Summary):
            # TensorBoard has a message of its own of this name.
            summary = summary.SerializeToString()
        if isinstance(summary, bytes):
            summary = summary_pb2.Summary.FromString(summary)
        # The metadata of a tag are written once.
        for value in summary.value:
            if value.HasField("metadata"):
                if value.tag in self._seen_summary_tags:
                    value.ClearField("metadata")
                else:
                    self._seen_summary_tags.add(value.tag)
        self._add_event(event_pb2.Event(summary=summary), global_step)

    def add_session_log(
        self, session_log: SessionLog, global_step: TensorLike | None = None
    ) -> None:
        """Adds a SessionLog proto.

        Args:
            session_log: tells that a session has started, was checkpointed or has stopped.
            global_step: the step at which it did.
        """
        self._add_event(event_pb2.Event(session_log=session_log), global_step)

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
        given = graph if graph_def is None else graph_def
        if isinstance(given, Graph):
            write_plugin_assets(given, self.event_writer.get_logdir())
            proto = given.as_graph_def(add_shapes=True)
        elif isinstance(given, graph_pb2.GraphDef):
            logging.warning(
                "Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object "
                "instead, such as `sess.graph`."
            )
            proto = given
        else:
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"
            )
        self._add_event(event_pb2.Event(graph_def=proto.SerializeToString()), global_step)

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
        self._add_event(event, global_step)

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
        if tag in self._session_run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._session_run_tags[tag] = global_step
        tagged = event_pb2.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add_event(event_pb2.Event(tagged_run_metadata=tagged), global_step)

    def _add_event(self, event: Event, step: Any) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)
