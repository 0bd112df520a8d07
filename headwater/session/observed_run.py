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
from headwater.session.watching.dump import Dump
from headwater.session.watching.watched_run import WatchedGraph, Watcher

_HARDWARE_TRACE = 2


class ObservedRun:
    """One run with a time limit, with tracing, or with RunMetadata.

    Args:
        settings: the settings of the session.
        options: a RunOptions proto or None.
        metadata: a RunMetadata proto that is filled in, or None.
        run_index: how many runs the session has begun, this one included.

    Raises:
        AttributeError: if one is not a proto.
    """

    def __init__(
        self, settings: Configuration, options: Any, metadata: Any, run_index: int = 0
    ) -> None:
        if options is not None:
            _ = options.SerializeToString
        if metadata is not None:
            _ = metadata.ParseFromString
        self._settings = settings
        self._run_index = run_index
        self._metadata = metadata
        self._level = options.trace_level if options is not None else 0
        self._partitions = options is not None and options.output_partition_graphs
        self._watching: Any = None
        if options is not None and options.debug_options.debug_tensor_watch_opts:
            self._watching = options.debug_options
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
        if self._watching is not None:
            return self._execute_watched(prepared, feeds, state, parent)
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
                graph = self._graph(prepared)
            if self._partitions:
                self._metadata.partition_graphs.extend(graph.partitions())
            if tracer is not None:
                record = RunRecord(graph, tracer, start, feeds, state)
                if costs:
                    self._metadata.cost_graph.CopyFrom(record.cost_graph())
                self._metadata.step_stats.CopyFrom(record.step_stats())
        return values

    def _graph(self, prepared: PreparedRun) -> RunGraph:
        fetches = prepared.fetch_map
        return RunGraph(fetches.tensors, fetches.operations, prepared.fed, self._settings.devices)

    def _execute_watched(
        self,
        prepared: PreparedRun,
        feeds: list[np.ndarray],
        state: State,
        parent: cancellation.Cancellation,
    ) -> list[Any]:
        """Runs a plan op by op; the values of watched tensors go to the dump."""
        kinds = self._settings.watched.setdefault(prepared.plan, {})
        watches = self._watching.debug_tensor_watch_opts
        key = b"".join(watch.SerializeToString(deterministic=True) for watch in watches)
        if key not in kinds:
            kinds[key] = WatchedGraph(self._graph(prepared), self._watching)
        watched = kinds[key]
        dump = Dump(watched.watches.urls)
        # Debug servers expect the graph before the facts.
        for device, partition in watched.partitions.items():
            dump.graph(device, partition)
        dump.core_metadata(self._run_index, self._facts(prepared, watched.runs))
        watched.runs += 1
        watcher = Watcher(watched, dump)
        start = watcher.now()
        limit = cancellation.Cancellation(self._seconds, parent)
        try:
            with cancellation.running(limit), trace.tracing(watcher):
                watcher.begin(prepared.fed, feeds, state)
                values = execute(prepared.plan, feeds)
                watcher.end(values)
        finally:
            dump.close()
        if self._metadata is not None:
            self._metadata.Clear()
            if self._partitions:
                self._metadata.partition_graphs.extend(watched.partitions.values())
            if self._level:
                record = RunRecord(self._graph(prepared), watcher, start, feeds, state)
                self._metadata.step_stats.CopyFrom(record.step_stats())
        return values

    def _facts(self, prepared: PreparedRun, runs: int) -> dict[str, Any]:
        """What the core metadata of a dump say."""
        return {
            "global_step": self._watching.global_step,
            "session_run_index": self._run_index,
            "executor_step_index": runs,
            "input_names": sorted(tensor.name for tensor in prepared.fed),
            "output_names": sorted(tensor.name for tensor in prepared.fetch_map.tensors),
            "target_nodes": sorted(op.name for op in prepared.fetch_map.operations),
        }

    def _counts(self, plan: Plan) -> bool:
        """Whether this run of a plan is one of those that give a cost graph."""
        every = self._settings.cost_model_steps
        if not every:
            return False
        count = self._settings.runs_of_plans.get(plan, 0) + 1
        self._settings.runs_of_plans[plan] = count
        measured = count - self._settings.cost_model_after
        return measured > 0 and measured % every == 0
