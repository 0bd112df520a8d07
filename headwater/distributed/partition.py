"""Cuts the graph of a run into one GraphDef for each task.

Where an edge leads from one task to another, the sender gets a ``_Send`` and the receiver a
``_Recv`` with the same name and devices. What the client feeds and fetches goes through such nodes
too, with `client_terminated` set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.base.dtypes import DType, float32
from headwater.base.rendezvous import PUSHED, REPEATED, Edge
from headwater.distributed.assignment import task_of
from headwater.distributed.invariant_reads import InvariantReads, invariant_reads
from headwater.distributed.spread_loops import (
    SpreadLoop,
    SpreadLoops,
    following_loop,
    needs_headwater,
    pivot_at_home,
)
from headwater.engine.analysis.control_flow import Path
from headwater.engine.devices import Device
from headwater.graph import Graph, Operation, Tensor
from headwater.graph.graph_def import node_def
from headwater.io.tensor_proto import make_tensor_proto
from headwater.protos.lazy import graph_pb2, node_def_pb2

# Larger constants are sent.
_MOST_COPIED_BYTES = 1 << 10


@dataclass
class Part:
    """What one task does in a run.

    Attributes:
        graph_def: its nodes.
        feeds: the key of each fed tensor that it needs, by the position of the feed.
        fetches: the key of each fetched tensor that it has, by the position of the fetch.
    """

    graph_def: Any
    feeds: dict[int, str] = field(default_factory=dict)
    fetches: dict[int, str] = field(default_factory=dict)


def partitioned(
    graph: Graph,
    ops: Sequence[Operation],
    devices: dict[Operation, Device],
    fetches: Sequence[Tensor],
    feeds: Sequence[Tensor],
    alone: Device,
    pushing: Collection[str] = (),
) -> dict[str, Part]:
    """Cuts the ops of a run.

    Args:
        graph: the graph.
        ops: the ops of the run.
        devices: the device of each.
        fetches: the fetched tensors.
        feeds: the fed tensors.
        alone: where tensors are that are fed and fetched.
        pushing: the tasks that send each other values without being asked for them.

    Returns:
        The part of each task that has one.
    """
    cut = _Cut(
        graph, devices, feeds, alone, pushing, invariant_reads(ops), SpreadLoops(ops, devices)
    )
    for op in ops:
        cut.add(op)
    for position, tensor in enumerate(fetches):
        cut.fetch(position, tensor)
    return cut.parts


class _Cut:
    def __init__(
        self,
        graph: Graph,
        devices: dict[Operation, Device],
        feeds: Sequence[Tensor],
        alone: Device,
        pushing: Collection[str],
        invariant: InvariantReads,
        loops: SpreadLoops,
    ) -> None:
        self._pushing = pushing
        self._loops = loops
        # The names of what runs in every iteration and of what runs if there is another one, by
        # task and loop.
        self._pivots: dict[tuple[str, Path], tuple[str, str]] = {}
        self._invariant = invariant
        # The names of the reads before loops, by handle.
        self._reads: dict[Tensor, str] = {}
        self.parts: dict[str, Part] = {}
        self._graph = graph
        self._devices = devices
        self._alone = alone
        self._feeds = {tensor: position for position, tensor in enumerate(feeds)}
        # The names of the tensors and ops of other tasks, by task.
        self._received: dict[tuple[str, Any], str] = {}
        self._edges = 0
        self._names: set[str] = set(graph._nodes_by_name)
        self._library: Any = None
        if graph._functions:
            self._library = graph.as_graph_def(from_version=graph.version).library

    def part(self, device: Device) -> Part:
        task = task_of(device.name)
        found = self.parts.get(task)
        if found is None:
            found = self.parts[task] = Part(graph_pb2.GraphDef())
            found.graph_def.versions.producer = self._graph._producer
            found.graph_def.versions.min_consumer = self._graph._min_consumer
            if self._library is not None:
                found.graph_def.library.CopyFrom(self._library)
        return found

    def add(self, op: Operation) -> None:
        """Adds an op to the part of its task; constants where they are used."""
        if is_small_constant(op):
            return
        for loop in self._loops.of(op):
            self._pivot(loop, self._devices[op])
        self._add(op, self._devices[op], op.name)

    def _add(self, op: Operation, device: Device, name: str) -> None:
        proto = node_def(op)
        proto.name, proto.device = name, device.name
        # Where it stands is decided; the others may be in other parts.
        proto.attr.pop("_class", None)
        del proto.input[:]
        if op in self._invariant:
            proto.input.append(self._value(op, proto, device))
        else:
            proto.input.extend(self._input(tensor, device) for tensor in op._inputs)
        for control in op._control_inputs:
            waited = self._control(control, device)
            if waited is not None:
                proto.input.append(f"^{waited}")
        self.part(device).graph_def.node.append(proto)

    def _value(self, op: Operation, proto: Any, device: Device) -> str:
        """Makes a node that takes a handle into a loop, or reads it there, take a value.

        Returns:
            The name of the value.
        """
        handle = self._invariant.handles.get(op)
        if handle is None:
            proto.op = "Identity"
            proto.attr["T"].CopyFrom(proto.attr.pop("dtype"))
        else:
            proto.attr["T"].type = _type_of(handle).as_datatype_enum
            if handle is op._inputs[0]:
                return self._read(handle, device)
        return self._input(op._inputs[0], device)

    def _read(self, handle: Tensor, device: Device) -> str:
        """What a node of a task calls the value of a variable before the loops."""
        home, dtype = self._devices[handle._op], _type_of(handle)
        name = self._reads.get(handle)
        if name is None:
            name = self._reads[handle] = self._new_name(f"{handle._op.name}/_read")
            node = node_def_pb2.NodeDef(name=name, op="ReadVariableOp", device=home.name)
            node.input.append(self._input(handle, home))
            for update in self._invariant.updates[handle]:
                control = self._control(update, home)
                if control is not None:
                    node.input.append(f"^{control}")
            node.attr["dtype"].type = dtype.as_datatype_enum
            self.part(home).graph_def.node.append(node)
        if task_of(home.name) == task_of(device.name):
            return name
        key = task_of(device.name), name
        if key not in self._received:
            self._received[key] = self._transfer(name, name, dtype, home, device)
        return self._received[key]

    def fetch(self, position: int, tensor: Tensor) -> None:
        """Has a task return a tensor."""
        device = self._devices.get(tensor._op, self._alone)
        source = self._input(tensor, device)
        name = self._new_name(f"_send_{tensor._op.name}_{tensor._value_index}")
        edge = self._edge(tensor.name, device, device)
        self._send(name, source, tensor._dtype, edge, device, client=True)
        self.part(device).fetches[position] = edge.key

    def _input(self, tensor: Tensor, device: Device) -> str:
        """How a node of a task calls one of its inputs."""
        if tensor in self._feeds:
            return self._fed(tensor, device)
        home = self._devices[tensor._op]
        if is_small_constant(tensor._op):
            return self._copied(tensor._op, home, device)
        if task_of(home.name) == task_of(device.name):
            return tensor._as_node_def_input()
        key = task_of(device.name), tensor
        if key not in self._received:
            self._received[key] = self._transfer(
                tensor._op.name,
                tensor._as_node_def_input(),
                tensor._dtype,
                home,
                device,
                tensor._op,
            )
        return self._received[key]

    def _copied(self, op: Operation, home: Device, device: Device) -> str:
        """How a node of a task calls a constant, of which each task has its own."""
        key = task_of(device.name), op
        if key not in self._received:
            is_home = task_of(home.name) == task_of(device.name)
            self._received[key] = op.name if is_home else self._new_name(f"{op.name}/_copy")
            self._add(op, home if is_home else device, self._received[key])
        return self._received[key]

    def _control(self, op: Operation, device: Device) -> str | None:
        """How a node of a task calls an op that it waits for."""
        home = self._devices.get(op)
        if home is None or is_small_constant(op):
            # It is not run: its output is fed. Or there is nothing to wait for.
            return None
        if task_of(home.name) == task_of(device.name):
            return op.name
        loop = self._loops.around(op)
        if loop is not None and loop.is_pivot(op):
            return self._pivot(loop, device)[1]
        key = task_of(device.name), op
        if key not in self._received:
            self._received[key] = self._signal(op, home, device)
        return self._received[key]

    def _signal(self, op: Operation, home: Device, device: Device) -> str:
        """Sends an empty value when an op has run."""
        name = self._new_name(f"{op.name}/_signal")
        proto = node_def_pb2.NodeDef(name=name, op="Const", device=home.name, input=[f"^{op.name}"])
        value = make_tensor_proto(0.0, "float32")
        proto.attr["dtype"].type = value.dtype
        proto.attr["value"].tensor.CopyFrom(value)
        self.part(home).graph_def.node.append(proto)
        return self._transfer(op.name, name, float32, home, device, op)

    def _transfer(
        self,
        name: str,
        source: str,
        dtype: DType,
        home: Device,
        device: Device,
        op: Operation | None = None,
    ) -> str:
        """Sends a value from task to task.

        Args:
            name: the name of what makes it.
            source: the name of the value.
            dtype: its type.
            home: where it is.
            device: where it is needed.
            op: the op that makes it; None outside of loops.

        Returns:
            The name of the node that receives it.
        """
        send = self._new_name(f"{name}/_send")
        pushed = {task_of(home.name), task_of(device.name)}.issubset(self._pushing)
        loop = None if op is None else self._loops.around(op)
        prefix = PUSHED if pushed else "edge_"
        controls: tuple[str, ...] = ()
        if loop is not None and op is not None:
            if not pushed:
                raise needs_headwater(loop)
            prefix = REPEATED
            controls = (self._pivot(loop, device)[loop.in_body(op)],)
        edge = self._edge(f"{prefix}{self._new_number()}_{name}", home, device)
        self._send(send, source, dtype, edge, home)
        return self._recv(self._new_name(f"{name}/_recv"), dtype, edge, device, controls=controls)

    def _new_number(self) -> int:
        self._edges += 1
        return self._edges

    def _pivot(self, loop: SpreadLoop, device: Device) -> tuple[str, str]:
        """What runs in every iteration of a loop on a task, and if there is another one."""
        key = task_of(device.name), loop.path
        if key not in self._pivots:
            prefix = self._new_name(f"{loop.merge.name}/_loop")
            if task_of(loop.home.name) == key[0]:
                self._pivots[key] = loop.merge.name, f"{prefix}/body"
                nodes = [pivot_at_home(loop, prefix)]
            else:
                # The nodes need what needs them.
                self._pivots[key] = f"{prefix}/merge", f"{prefix}/body"
                start = self._input(loop.enter._inputs[0], device)
                told = self._input(loop.predicate, device)
                nodes = following_loop(loop, prefix, start, told)
            for node in nodes:
                node.device = device.name
                self.part(device).graph_def.node.append(node)
        return self._pivots[key]

    def _fed(self, tensor: Tensor, device: Device) -> str:
        key = task_of(device.name), tensor
        if key not in self._received:
            name = self._new_name(f"_recv_{tensor._op.name}_{tensor._value_index}")
            edge = self._edge(tensor.name, device, device)
            self._recv(name, tensor._dtype, edge, device, client=True)
            self.part(device).feeds[self._feeds[tensor]] = edge.key
            self._received[key] = name
        return self._received[key]

    def _new_name(self, wanted: str) -> str:
        name, count = wanted, 0
        while name in self._names:
            count += 1
            name = f"{wanted}_{count}"
        self._names.add(name)
        return name

    @staticmethod
    def _edge(name: str, home: Device, device: Device) -> Edge:
        return Edge(name, home.name, home.incarnation, device.name)

    def _send(
        self,
        name: str,
        source: str,
        dtype: DType,
        edge: Edge,
        device: Device,
        client: bool = False,
    ) -> None:
        proto = node_def_pb2.NodeDef(name=name, op="_Send", device=device.name, input=[source])
        proto.attr["T"].type = dtype.base_dtype.as_datatype_enum
        _describe(proto, edge, client)
        self.part(device).graph_def.node.append(proto)

    def _recv(
        self,
        name: str,
        dtype: DType,
        edge: Edge,
        device: Device,
        client: bool = False,
        controls: Sequence[str] = (),
    ) -> str:
        proto = node_def_pb2.NodeDef(name=name, op="_Recv", device=device.name)
        proto.input.extend(f"^{control}" for control in controls)
        proto.attr["tensor_type"].type = dtype.base_dtype.as_datatype_enum
        _describe(proto, edge, client)
        self.part(device).graph_def.node.append(proto)
        return name


def is_small_constant(op: Operation) -> bool:
    """Whether an op is a constant that is not worth sending."""
    if op.type != "Const" or op._control_inputs:
        return False
    return bool(op._attrs["value"].nbytes <= _MOST_COPIED_BYTES)


def _type_of(handle: Tensor) -> DType:
    """The type of the variable of a handle."""
    return handle._op.get_attr("dtype")


def _describe(proto: Any, edge: Edge, client: bool) -> None:
    proto.attr["tensor_name"].s = edge.name.encode()
    proto.attr["send_device"].s = edge.send_device.encode()
    # The same 64 bits as a signed number.
    number = edge.incarnation
    proto.attr["send_device_incarnation"].i = number - 2**64 if number >= 2**63 else number
    proto.attr["recv_device"].s = edge.recv_device.encode()
    proto.attr["client_terminated"].b = client
