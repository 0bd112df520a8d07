"""Timelines of step statistics in the format of Chrome's trace viewer."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any, NamedTuple

_LABEL = re.compile(r"^(?P<name>[^ ]*) = (?P<op>[^(]*)\((?P<inputs>.*)\)$")
_TRANSFER = re.compile(r"^\[.*\] edge_\d+_(?P<tensor>.*) from (?P<source>.*) to (?P<target>.*)$")
_TRANSFERRED = re.compile(r"^(?P<name>.+)/_\d+$")


class AllocationMaximum(NamedTuple):
    """The peak memory use of an allocator.

    Attributes:
        timestamp: the time in microseconds.
        num_bytes: the bytes in use.
        tensors: the names of the nodes whose tensors were alive.
    """

    timestamp: int
    num_bytes: int
    tensors: set[str]


class StepStatsAnalysis(NamedTuple):
    """What `Timeline.analyze_step_stats` finds.

    Attributes:
        chrome_trace: the events.
        allocator_maximums: an AllocationMaximum for each allocator.
    """

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


class ChromeTrace:
    """A list of trace events."""

    def __init__(self) -> None:
        self._metadata: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []

    def name_process(self, name: str, process: int) -> None:
        """Names a row of the viewer."""
        event = {"name": "process_name", "ph": "M", "pid": process, "args": {"name": name}}
        self._metadata.append(event)

    def add(
        self, kind: str, category: str, name: str, where: tuple[int, int], time: int, **rest: Any
    ) -> None:
        """Adds an event.

        Args:
            kind: the letter of the trace format.
            category: what the viewer can filter by.
            name: what the viewer shows.
            where: process and thread.
            time: the time in microseconds.
            **rest: further fields.
        """
        event = {"ph": kind, "cat": category, "name": name, "pid": where[0], "tid": where[1]}
        self._events.append({**event, "ts": time, **rest})

    def format_to_string(self, pretty: bool = False) -> str:
        """The events as JSON.

        Args:
            pretty: whether the text is indented.
        """
        trace = {"traceEvents": [*self._metadata, *self._events]}
        if pretty:
            return json.dumps(trace, indent=4, separators=(",", ": "))
        return json.dumps(trace, separators=(",", ":"))


class _Tensor:
    """One output of a node, from when it is made to when it is used last."""

    def __init__(self, name: str, number: int, made: int, where: int, allocator: str, size: int):
        self.name = name
        self.number = number
        self.made = made
        self.where = where
        self.allocator = allocator
        self.size = size
        self.uses: list[int] = []

    @property
    def last_use(self) -> int:
        return max(self.uses, default=self.made)


class Timeline:
    """Shows step statistics, `RunMetadata.step_stats`, in a browser at chrome://tracing.

    Args:
        step_stats: a StepStats proto.
        graph: not used; for callers of TensorFlow.
    """

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats
        self._graph = graph

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """The timeline as JSON.

        Args:
            show_dataflow: whether arrows join ops on different devices.
            show_memory: whether the memory of tensors is shown.

        Returns:
            The text to be written to a file.
        """
        analysis = self.analyze_step_stats(show_dataflow, show_memory)
        return analysis.chrome_trace.format_to_string(pretty=True)

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True
    ) -> StepStatsAnalysis:
        """The timeline and the peak memory use.

        Args:
            show_dataflow: whether arrows join ops on different devices.
            show_memory: whether the memory of tensors is shown.

        Returns:
            A StepStatsAnalysis.
        """
        analysis = _Analysis(self._step_stats)
        if show_memory:
            analysis.show_tensors()
        analysis.show_ops(show_dataflow)
        maximums = analysis.memory(show_memory)
        return StepStatsAnalysis(analysis.trace, maximums)


class _Analysis:
    """One pass over step statistics."""

    def __init__(self, step_stats: Any) -> None:
        self.trace = ChromeTrace()
        self._devices = list(step_stats.dev_stats)
        self._flows = 0
        self.trace.name_process("Allocators", 0)
        self._rows: dict[str, int] = {}
        for i, device in enumerate(self._devices):
            self._rows[device.device] = 2 * i + 1
            self.trace.name_process(device.device + " Compute", 2 * i + 1)
            self.trace.name_process(device.device + " Tensors", 2 * i + 2)
        self._lanes = {device.device: _lanes(device.node_stats) for device in self._devices}
        self._tensors: dict[str, _Tensor] = {}
        self._ends: dict[str, tuple[tuple[int, int], int]] = {}
        for device in self._devices:
            for node, lane in zip(device.node_stats, self._lanes[device.device]):
                self._note(device.device, node, lane)
        for device in self._devices:
            for node in device.node_stats:
                for source in _inputs(node):
                    if source in self._tensors:
                        self._tensors[source].uses.append(_end(node))

    def _note(self, device: str, node: Any, lane: int) -> None:
        where = self._rows[device], lane
        self._ends.setdefault(node.node_name, (where, _end(node)))
        if not node.output or node.node_name in self._tensors:
            return
        allocation = node.output[0].tensor_description.allocation_description
        size = sum(
            output.tensor_description.allocation_description.requested_bytes
            for output in node.output
        )
        self._tensors[node.node_name] = _Tensor(
            node.node_name,
            len(self._tensors),
            node.all_start_micros,
            where[0] + 1,
            allocation.allocator_name,
            size,
        )

    def show_tensors(self) -> None:
        """Adds the life of each tensor, and what it is."""
        for device in self._devices:
            for node in device.node_stats:
                tensor = self._tensors.get(node.node_name)
                if tensor is None or tensor.made != node.all_start_micros:
                    continue
                where = tensor.where, 0
                self.trace.add("N", "Tensor", tensor.name, where, tensor.made, id=tensor.number)
                for output in node.output:
                    text = str(output.tensor_description).replace('"', "")
                    self.trace.add(
                        "O",
                        "Tensor",
                        tensor.name,
                        where,
                        _end(node),
                        id=tensor.number,
                        args={"snapshot": {"tensor_description": text}},
                    )

    def show_ops(self, show_dataflow: bool) -> None:
        """Adds each op with its time, and arrows between devices."""
        for device in self._devices:
            row = self._rows[device.device]
            for node, lane in zip(device.node_stats, self._lanes[device.device]):
                name, op, inputs = _parsed(node)
                args = {"name": name, "op": op}
                args.update((f"input{i}", text) for i, text in enumerate(inputs))
                self.trace.add(
                    "X",
                    "Op",
                    op,
                    (row, lane),
                    node.all_start_micros,
                    dur=node.all_end_rel_micros or node.op_end_rel_micros,
                    args=args,
                )
                if show_dataflow:
                    for source in _inputs(node):
                        self._arrow(source, (row, lane), node.all_start_micros)

    def _arrow(self, source: str, target: tuple[int, int], time: int) -> None:
        if source not in self._ends:
            return
        where, end = self._ends[source]
        if where == target:
            return
        number, self._flows = self._flows, self._flows + 1
        self.trace.add("s", "DataFlow", source, where, end, id=number)
        self.trace.add("t", "DataFlow", source, target, time, id=number)

    def memory(self, show: bool) -> dict[str, AllocationMaximum]:
        """Adds memory use over time, and finds its peak."""
        changes: dict[str, list[tuple[int, bool, int, str]]] = defaultdict(list)
        for tensor in self._tensors.values():
            changes[tensor.allocator].append((tensor.made, True, tensor.size, tensor.name))
            changes[tensor.allocator].append((tensor.last_use, False, -tensor.size, tensor.name))
            if show:
                where = tensor.where, 0
                self.trace.add("D", "Tensor", tensor.name, where, tensor.last_use, id=tensor.number)
        maximums: dict[str, AllocationMaximum] = {}
        for allocator, events in changes.items():
            # A tensor made at the moment at which another one ends overlaps with it.
            events.sort(key=lambda event: (event[0], not event[1]))
            in_use, alive = 0, set[str]()
            best = AllocationMaximum(0, 0, set())
            for time, begins, size, name in events:
                in_use += size
                if begins:
                    alive.add(name)
                else:
                    alive.discard(name)
                if in_use > best.num_bytes:
                    best = AllocationMaximum(time, in_use, set(alive))
                if show:
                    args = {allocator: in_use}
                    self.trace.add("C", "Memory", allocator, (0, 0), time, args=args)
            maximums[allocator] = best
        return maximums


def _end(node: Any) -> int:
    """When a node ended, in microseconds."""
    count: int = node.all_start_micros + (node.all_end_rel_micros or node.op_end_rel_micros)
    return count


def _lanes(nodes: Any) -> list[int]:
    """A lane for each node; nodes that overlap in time get different lanes."""
    ends: list[int] = []
    result = [0] * len(nodes)
    for position in sorted(range(len(nodes)), key=lambda i: nodes[i].all_start_micros):
        node = nodes[position]
        free = [i for i, end in enumerate(ends) if end <= node.all_start_micros]
        lane = free[0] if free else len(ends)
        ends[lane:] = [_end(node), *ends[lane + 1 :]]
        result[position] = lane
    return result


def _parsed(node: Any) -> tuple[str, str, list[str]]:
    """Name, op type and inputs of a node, from its label."""
    match = _LABEL.match(node.timeline_label)
    if match:
        inputs = [text for text in match["inputs"].split(", ") if text]
        return match["name"], match["op"], inputs
    match = _TRANSFER.match(node.timeline_label)
    if match:
        return node.node_name, "RecvTensor", [match["tensor"]]
    return node.node_name, "unknown", []


def _inputs(node: Any) -> list[str]:
    """The names of the nodes that a node takes its inputs from, across transfers."""
    names = []
    for text in _parsed(node)[2]:
        name = text.removeprefix("^").partition(":")[0]
        match = _TRANSFERRED.match(name)
        names.append(match["name"] if match else name)
    return names
