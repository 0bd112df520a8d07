"""session, session_ops and timeline: names of sessions that are not public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.compat.internals import internal
from headwater.graph import Graph, Operation, Tensor, stacks
from headwater.session import fetches, session, timeline
from headwater.session.fetches import FetchMap
from headwater.session.handles import TensorHandle


@internal("client.session._FetchHandler")
class FetchHandler:
    """The tensors and ops of a structure of fetches, and their values in that structure.

    Args:
      graph: the graph of the session.
      fetches: the structure.
      feeds: {tensor: value} of those that are fed.
      feed_handles: unused; handles are part of the feeds.
    """

    def __init__(
        self, graph: Graph, fetches: Any, feeds: Mapping[Tensor, Any], feed_handles: Any = None
    ) -> None:
        self._graph = graph
        self._structure = fetches
        self._feeds = feeds
        self._map = FetchMap(graph, fetches)

    def fetches(self) -> list[Tensor]:
        """The tensors to compute, each once; those that are fed are left out."""
        return [tensor for tensor in self._map.tensors if tensor not in self._feeds]

    def targets(self) -> list[Operation]:
        """The ops to run for their effect."""
        return self._map.operations

    def build_results(self, session: Any, tensor_values: Sequence[Any]) -> Any:
        """Puts values into the structure of the fetches.

        Args:
          session: the session that has computed them.
          tensor_values: the values of `fetches()`.

        Returns:
          The structure with the values.
        """
        computed = iter(tensor_values)
        values = [
            self._feeds[tensor] if tensor in self._feeds else next(computed)
            for tensor in self._map.tensors
        ]
        # The session keeps what fetched handles refer to.
        return FetchMap(self._graph, self._structure, session).result(values)


internal("framework.ops._default_session_stack")(stacks.sessions)
internal("client.session.BaseSession")(session.BaseSession)
internal("client.session.register_session_run_conversion_functions")(
    fetches.register_session_run_conversion_functions
)
internal("client.timeline.Timeline")(timeline.Timeline)
internal("client.timeline.StepStatsAnalysis")(timeline.StepStatsAnalysis)
internal("client.timeline.AllocationMaximum")(timeline.AllocationMaximum)
internal("ops.session_ops.TensorHandle")(TensorHandle)
