"""The graph of one run as its devices see it, with feeds, fetches and transfers as nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from headwater.engine.analysis.inlining import has_calls, inlined
from headwater.engine.analysis.ordering import needed_ops
from headwater.engine.analysis.placement import place
from headwater.engine.devices import Device
from headwater.graph import Graph, Operation, Tensor
from headwater.protos.lazy import graph_pb2, node_def_pb2

_PRODUCER = 134


@dataclass
class RunNode:
    """One node of a run.

    Attributes:
        name: its name.
        type: its op type; ``_Arg``, ``_Retval``, ``_Send`` and ``_Recv`` have no op.
        device: where it stands.
        inputs: the nodes and outputs that it takes, as (name of the node, output).
        controls: the names of nodes that it waits for.
        op: the op of the session's graph.
        tensor: the tensor that a node without an op hands on.
        attrs: the attrs of a node without an op.
    """

    name: str
    type: str
    device: Device
    inputs: list[tuple[str, int]] = field(default_factory=list)
    controls: list[str] = field(default_factory=list)
    op: Operation | None = None
    tensor: Tensor | None = None
    attrs: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What a timeline shows: ``name = Type(inputs)``."""
        inputs = ", ".join(input_name(name, output) for name, output in self.inputs)
        return f"{self.name} = {self.type}({inputs})"

    def node_def(self) -> Any:
        """This node as a NodeDef."""
        if self.op is not None:
            proto = node_def_pb2.NodeDef()
            proto.CopyFrom(self.op.node_def)
            del proto.input[:]
        else:
            proto = node_def_pb2.NodeDef(name=self.name, op=self.type)
            for key, value in self.attrs.items():
                if isinstance(value, bool):
                    proto.attr[key].b = value
                elif isinstance(value, int):
                    proto.attr[key].i = value
                else:
                    proto.attr[key].s = value.encode()
            if self.tensor is not None:
                key = "tensor_type" if self.type in ("_Send", "_Recv") else "T"
                if self.type == "_Send":
                    key = "T"
                proto.attr[key].type = self.tensor.dtype.base_dtype.as_datatype_enum
        proto.device = self.device.name
        proto.input.extend(input_name(name, output) for name, output in self.inputs)
        proto.input.extend(f"^{name}" for name in self.controls)
        return proto


def input_name(name: str, output: int) -> str:
    """An output of a node as a NodeDef names it."""
    return name if output == 0 else f"{name}:{output}"


def _name(tensor: Tensor) -> str:
    return tensor.name


class RunGraph:
    """All nodes of one run, in an order in which they can run.

    Args:
        tensors: what is fetched.
        ops: what is run for its effect.
        feeds: what is fed.
        devices: the devices of the session.

    Attributes:
        feeds: what is fed.
        fetched: what is fetched, after the calls of functions have been inlined.
    """

    def __init__(
        self,
        tensors: list[Tensor],
        ops: Iterable[Operation],
        feeds: list[Tensor],
        devices: list[Device],
    ) -> None:
        fed = dict.fromkeys(feeds)
        self.feeds = feeds
        self.fetched = list(tensors)
        run_ops = needed_ops(tensors, ops, fed)
        if has_calls(run_ops):
            graph = cast(Graph, run_ops[0]._graph)
            self.fetched, ops = inlined(graph, run_ops, tensors, list(ops), fed)
            run_ops = needed_ops(self.fetched, ops, fed)
        self.device_of = place(run_ops, devices)
        self.nodes: list[RunNode] = []
        self._first = devices[0]
        self._names: dict[Tensor, tuple[str, int, Device]] = {}
        self._transfers: dict[tuple[Tensor, str], str] = {}
        self._edges = 0
        # TensorFlow numbers them in the order of their names.
        for i, tensor in enumerate(sorted(feeds, key=_name)):
            name = f"_arg_{tensor.op.name}_{tensor.value_index}_{i}"
            device = self.device_of.get(tensor.op, self._first)
            self._add(RunNode(name, "_Arg", device, tensor=tensor, attrs={"index": i}))
            self._names[tensor] = (name, 0, device)
        for op in run_ops:
            device = self.device_of[op]
            node = RunNode(op.name, op.type, device, op=op)
            node.inputs = [self._source(t, device) for t in op._inputs]
            node.controls = [c.name for c in op._control_inputs if c in self.device_of]
            self._add(node)
        made_by_tensor = dict(zip(tensors, self.fetched))
        for i, tensor in enumerate(sorted(made_by_tensor, key=_name)):
            name = f"_retval_{tensor.op.name}_{tensor.value_index}_{i}"
            source = self._source(made_by_tensor[tensor], self._first)
            node = RunNode(name, "_Retval", self._first, [source], tensor=tensor)
            node.attrs["index"] = i
            self._add(node)

    def _add(self, node: RunNode) -> None:
        self.nodes.append(node)

    def _source(self, tensor: Tensor, device: Device) -> tuple[str, int]:
        """The source of a tensor for a node on a device; a transfer if it is on another device."""
        name, output, home = self._names.get(
            tensor, (tensor.op.name, tensor.value_index, self.device_of.get(tensor.op, device))
        )
        if home is device:
            return name, output
        key = tensor, device.name
        if key not in self._transfers:
            number = self._edges
            self._edges += 2
            attrs = {
                "client_terminated": False,
                "recv_device": device.name,
                "send_device": home.name,
                "send_device_incarnation": home.incarnation,
                "tensor_name": f"edge_{number}_{name}",
            }
            send = RunNode(f"{name}/_{number}", "_Send", home, [(name, output)], attrs=attrs)
            recv = RunNode(f"{name}/_{number + 1}", "_Recv", device, attrs=attrs)
            send.tensor = recv.tensor = tensor
            self._add(send)
            self._add(recv)
            self._transfers[key] = recv.name
        return self._transfers[key], 0

    def partitions(self) -> list[Any]:
        """One GraphDef for each device that has nodes."""
        graphs: dict[str, Any] = {}
        for node in self.nodes:
            if node.device.name not in graphs:
                graphs[node.device.name] = graph_pb2.GraphDef()
                graphs[node.device.name].versions.producer = _PRODUCER
                graphs[node.device.name].library.SetInParent()
            graphs[node.device.name].node.append(node.node_def())
        return list(graphs.values())
