"""A graph and the traced runs that are profiled."""

from __future__ import annotations

from typing import Any

from headwater.graph import Graph
from headwater.profiling.nodes import ProfiledNode, add_op_log, add_run, nodes_of
from headwater.profiling.op_log import complete_op_log


class TracedGraph:
    """A graph with runs.

    Args:
        graph: the Graph.
        op_log: an OpLogProto with more types and operations of nodes; or None.
    """

    def __init__(self, graph: Graph, op_log: Any = None) -> None:
        self.graph = graph
        self._op_log = op_log
        self._runs: list[tuple[int, Any]] = []
        self._nodes: dict[str, ProfiledNode] | None = None
        self._changes = -1

    @property
    def steps(self) -> list[int]:
        """The numbers of the traced steps."""
        return sorted({step for step, _ in self._runs})

    def add(self, step: int, run_metadata: Any) -> None:
        """Adds a traced run.

        Args:
            step: the number of the step.
            run_metadata: its RunMetadata.
        """
        self._runs.append((step, run_metadata))
        self._nodes = None

    def nodes(self) -> dict[str, ProfiledNode]:
        """The nodes with all that is known of them, by their names."""
        if self._nodes is None or self._changes != len(self.graph.get_operations()):
            last = self._runs[-1][1] if self._runs else None
            log = complete_op_log(self.graph, self._op_log, last)
            self._nodes = nodes_of(self.graph)
            self._changes = len(self._nodes)
            add_op_log(self._nodes, log)
            for step, run_metadata in self._runs:
                add_run(self._nodes, step, run_metadata)
        return self._nodes

    def coverage(self) -> float:
        """The part of the nodes that have run in a traced step."""
        traced = {
            stats.node_name
            for _, run_metadata in self._runs
            for device in run_metadata.step_stats.dev_stats
            for stats in device.node_stats
        }
        ops = self.graph.get_operations()
        return sum(op.name in traced for op in ops) / len(ops) if ops else 1.0
