"""RunMetadata: step statistics, the cost graph and the partitions of one run."""

from __future__ import annotations

import threading
from typing import Any

from headwater.base.dtypes import DType
from headwater.engine.analysis.variables import variable_of
from headwater.engine.state import State
from headwater.engine.trace import Event, Result, Tracer, outputs_of, result_of
from headwater.graph import Tensor, graph_def
from headwater.protos.lazy import cost_graph_pb2, step_stats_pb2
from headwater.session.run_graph import RunGraph, RunNode


class RunRecord:
    """The results of a traced run.

    Args:
        graph: the nodes of the run.
        tracer: what the engine noted.
        start: when the run began, in nanoseconds since 1970.
        feeds: the fed arrays, in order.
        state: the values of the session's variables after the run.
    """

    def __init__(
        self, graph: RunGraph, tracer: Tracer, start: int, feeds: list[Any], state: State
    ) -> None:
        self._graph = graph
        self._tracer = tracer
        self._start = start
        self._end = tracer.now()
        self._state = state
        self._feeds = feeds
        self._identities: dict[int, int] = {}
        self._events: dict[Any, list[Event]] = {}
        self._programs: list[Event] = []
        for event in tracer.events:
            if len(event.ops) == 1 and event.loop is None:
                self._events.setdefault(event.ops[0], []).append(event)
            else:
                self._programs.append(event)

    # Step statistics

    def step_stats(self) -> Any:
        """The StepStats proto: what ran on each device, and when."""
        stats = step_stats_pb2.StepStats()
        devices: dict[str, Any] = {}

        def of_device(name: str) -> Any:
            if name not in devices:
                devices[name] = stats.dev_stats.add(device=name)
                devices[name].thread_names[self._thread] = threading.current_thread().name
            return devices[name]

        for node in self._graph.nodes:
            events = self._events.pop(node.op, None) if node.op is not None else None
            if events is None and not self._stands_still(node):
                continue
            for event in events or [self._instant(node)]:
                entry = of_device(node.device.name).node_stats.add()
                self._fill(entry, node.name, node.label, event)
        # The remaining events belong to bodies of conditionals and loops.
        default = self._graph.nodes[0].device.name if self._graph.nodes else ""
        for op, events in self._events.items():
            inputs = ", ".join(t.name.removesuffix(":0") for t in op._inputs)
            for event in events:
                entry = of_device(default).node_stats.add()
                self._fill(entry, op.name, f"{op.name} = {op.type}({inputs})", event)
        for event in self._programs:
            device = self._graph.device_of.get(event.ops[0])
            entry = of_device(device.name if device else default).node_stats.add()
            name = event.loop or f"{event.ops[0].name}..{event.ops[-1].name}"
            kind = "XlaProgram" if event.loop is None else "Loop"
            self._fill(entry, name, f"{name} = {kind}()", event)
        return stats

    @property
    def _thread(self) -> int:
        return self._tracer.thread & 0xFFFFFFFF

    def _stands_still(self, node: RunNode) -> bool:
        """Whether a node is part of the run but has no event of its own."""
        op = node.op
        if op is None:
            return node.type in ("_Arg", "_Retval")
        if op.type == "Const":
            return True
        return bool(op._outputs) and variable_of(op._outputs[0]) is not None

    def _instant(self, node: RunNode) -> Event:
        """The event of a node that takes no time, such as a constant."""
        start = self._end if node.type == "_Retval" else self._start
        event = Event([], start, 0)
        tensor, value = node.tensor, None
        if node.op is not None:
            event.ops = [node.op]
            if node.op.type == "Const":
                value = node.op._attrs["value"]
            else:
                variable = variable_of(node.op._outputs[0])
                value = self._state.slot_of(variable).value if variable is not None else None
        elif node.type == "_Arg" and tensor is not None:
            event.ops = [tensor.op]
            value = self._feeds[self._graph.feeds.index(tensor)]
            event.results = [None] * tensor.value_index
        if value is not None:
            event.results = [*event.results, result_of(value)]
        return event

    def _fill(self, entry: Any, name: str, label: str, event: Event) -> None:
        entry.node_name = name
        entry.timeline_label = label
        entry.thread_id = self._thread
        entry.all_start_nanos = event.start
        entry.scheduled_nanos = event.start
        entry.op_end_rel_nanos = entry.all_end_rel_nanos = event.duration
        entry.all_start_micros = entry.scheduled_micros = event.start // 1000
        micros = event.duration // 1000
        entry.op_end_rel_micros = micros
        entry.all_end_rel_micros = micros + (event.duration > 0)
        entry.memory_stats.SetInParent()
        outputs = outputs_of(event)
        fresh = 0
        for slot, tensor, result in outputs:
            output = entry.output.add(slot=slot)
            fresh += self._describe(output.tensor_description, tensor, result)
            if variable_of(tensor) is not None:
                entry.memory_stats.persistent_memory_size += result.size
        if fresh:
            memory = entry.memory.add(allocator_name="cpu", total_bytes=fresh)
            memory.peak_bytes = memory.live_bytes = fresh
            ended = (event.start + event.duration) // 1000
            memory.allocation_records.add(alloc_micros=ended, alloc_bytes=fresh)

    def _describe(self, proto: Any, tensor: Tensor, result: Result) -> int:
        """Fills in a TensorDescription; returns the bytes if they are new in this run."""
        proto.dtype = _type_number(tensor.dtype)
        proto.shape.CopyFrom(graph_def.shape_proto(result.shape))
        allocation = proto.allocation_description
        allocation.requested_bytes = allocation.allocated_bytes = result.size
        allocation.allocator_name = "cpu"
        if not result.address:
            return result.size
        known = result.address in self._identities
        number = self._identities.setdefault(result.address, len(self._identities) + 1)
        allocation.allocation_id = number
        allocation.has_single_reference = not known
        allocation.ptr = result.address
        return 0 if known or variable_of(tensor) is not None else result.size

    # The cost graph

    def cost_graph(self) -> Any:
        """The CostGraphDef proto: time and sizes of each node."""
        proto = cost_graph_pb2.CostGraphDef()
        proto.node.add(name="_SOURCE", id=0)
        proto.node.add(name="_SINK", id=1)
        numbers = {node.name: i for i, node in enumerate(self._graph.nodes, 2)}
        for node in self._graph.nodes:
            entry = proto.node.add(name=node.name, device=node.device.name, id=numbers[node.name])
            for name, port in node.inputs:
                entry.input_info.add(preceding_node=numbers[name], preceding_port=port)
            entry.control_input.extend(numbers[name] for name in node.controls)
            if not node.inputs and not node.controls:
                entry.control_input.append(0)
            for event in self._events.get(node.op, [self._instant(node)]):
                entry.compute_cost += event.duration // 1000
                if len(entry.output_info):
                    continue
                for _, tensor, result in outputs_of(event):
                    output = entry.output_info.add(size=result.size, alias_input_port=-1)
                    output.shape.CopyFrom(graph_def.shape_proto(result.shape))
                    output.dtype = _type_number(tensor.dtype)
                    if variable_of(tensor) is not None and not node.inputs:
                        entry.persistent_memory_size += result.size
            entry.compute_time = entry.compute_cost
        sink = proto.node[1]
        sink.control_input.append(0)
        sink.control_input.extend(numbers[n.name] for n in self._graph.nodes if n.type == "_Retval")
        return proto


def _type_number(dtype: DType) -> int:
    return dtype.as_datatype_enum
