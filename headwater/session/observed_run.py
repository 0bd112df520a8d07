"""Runs with RunOptions, RunMetadata or a time limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.engine import trace
from headwater.engine.running.executor import execute
from headwater.engine.running.plan import Plan
from headwater.engine.state import State
from headwater.session.configuration import Configuration
from headwater.session.prepared_run import PreparedRun
from headwater.session.run_graph import RunGraph
from headwater.session.run_metadata import RunRecord

_HARDWARE_TRACE = 2


class ObservedRun:
    """One run with a time limit, with tracing, or with RunMetadata.

    Args:
        settings: the settings of the session.
        options: a RunOptions proto or None.
        metadata: a RunMetadata proto that is filled in, or None.

    Raises:
        AttributeError: if one is not a proto.
    """

    def __init__(self, settings: Configuration, options: Any, metadata: Any) -> None:
        if options is not None:
            _ = options.SerializeToString
        if metadata is not None:
            _ = metadata.ParseFromString
        self._settings = settings
        self._metadata = metadata
        self._level = options.trace_level if options is not None else 0
        self._partitions = options is not None and options.output_partition_graphs
        seconds = settings.timeout
        if options is not None and options.timeout_in_ms > 0:
            seconds = options.timeout_in_ms / 1000
        self._seconds = seconds

    def execute(
        self,
        prepared: PreparedRun,
        feeds: list[np.ndarray],
        state: State,
        parent: cancellation.Cancellation,
    ) -> list[Any]:
        """Runs a plan.

        Args:
            prepared: the plan with what is fetched and fed.
            feeds: the fed arrays, in order.
            state: the values of the session.
            parent: cancels all runs of the session.

        Returns:
            The values of the fetched tensors.

        Raises:
            DeadlineExceededError: if the run takes longer than it may.
            OpError: if an op fails.
        """
        costs = self._metadata is not None and self._counts(prepared.plan)
        tracer = None
        if self._metadata is not None and (self._level or costs):
            tracer = trace.Tracer(by_op=self._level != _HARDWARE_TRACE)
        with cancellation.running(cancellation.Cancellation(self._seconds, parent)):
            if tracer is None:
                values = execute(prepared.plan, feeds)
            else:
                start = tracer.now()
                with trace.tracing(tracer):
                    values = execute(prepared.plan, feeds)
        if self._metadata is not None:
            self._metadata.Clear()
            if tracer is not None or self._partitions:
                graph = RunGraph(
                    prepared.fetch_map.tensors,
                    prepared.fetch_map.operations,
                    prepared.fed,
                    self._settings.devices,
                )
            if self._partitions:
                self._metadata.partition_graphs.extend(graph.partitions())
            if tracer is not None:
                record = RunRecord(graph, tracer, start, feeds, state)
                if costs:
                    self._metadata.cost_graph.CopyFrom(record.cost_graph())
                self._metadata.step_stats.CopyFrom(record.step_stats())
        return values

    def _counts(self, plan: Plan) -> bool:
        """Whether this run of a plan is one of those that give a cost graph."""
        every = self._settings.cost_model_steps
        if not every:
            return False
        count = self._settings.runs_of_plans.get(plan, 0) + 1
        self._settings.runs_of_plans[plan] = count
        measured = count - self._settings.cost_model_after
        return measured > 0 and measured % every == 0
