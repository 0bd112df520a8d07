"""The graphs of a watched run: a Copy and debug nodes stand at each watched tensor."""

from __future__ import annotations

from typing import Any

from headwater.base.dtypes import DType
from headwater.engine.analysis.control_flow import MERGES, NEXT_ITERATIONS
from headwater.graph import Operation
from headwater.graph.graph_def import attr_proto
from headwater.session.run_graph import RunGraph, RunNode, input_name
from headwater.session.watching.watches import DebugOp, Watches

_KINDS = {bool: "bool", float: "float"}


class DebugGraph:
    """The nodes of a run with those that watches add.

    Args:
        graph: the nodes of the run.
        watches: its watches.

    Attributes:
        watched: the debug ops of each watched tensor, by node name and output.
        nodes: the nodes of the run by name.

    Raises:
        FailedPreconditionError: if a debug op does not exist or does not fit its tensor.
    """

    def __init__(self, graph: RunGraph, watches: Watches) -> None:
        self._graph = graph
        self.nodes = {node.name: node for node in graph.nodes}
        self.watched: dict[tuple[str, int], list[DebugOp]] = {}
        for node in graph.nodes:
            for slot, dtype in enumerate(_output_types(node)):
                ops = watches.of(node.name, slot, dtype)
                if ops:
                    self.watched[node.name, slot] = ops

    def partitions(self) -> dict[str, Any]:
        """One GraphDef for each device that has nodes, by the device's name."""
        graphs: dict[str, Any] = {}
        for partition in self._graph.partitions():
            by_name = {node.name: node for node in partition.node}
            device = partition.node[0].device
            for (name, slot), ops in self.watched.items():
                if name in by_name:
                    self._insert(partition, self.nodes[name], slot, ops)
            for name, proto in by_name.items():
                self._redirect(proto, self.nodes[name])
            graphs[device] = partition
        return graphs

    def _insert(self, partition: Any, node: RunNode, slot: int, ops: list[DebugOp]) -> None:
        dtype = _output_types(node)[slot].base_dtype
        copy = partition.node.add(
            name=f"__copy_{node.name}_{slot}",
            op="CopyHost" if dtype.name in ("resource", "string") else "Copy",
            input=[input_name(node.name, slot)],
        )
        copy.attr["T"].type = dtype.as_datatype_enum
        copy.attr["tensor_name"].s = b""
        specification = [
            f"{op.type};{url};{int(op.is_gated)}".encode() for op in ops for url in op.urls
        ]
        copy.attr["debug_ops_spec"].list.s.extend(specification)
        for number, op in enumerate(ops):
            debug = partition.node.add(
                name=_debug_name(node.name, slot, number, op), op=op.type, input=[copy.name]
            )
            debug.attr["T"].type = dtype.as_datatype_enum
            debug.attr["device_name"].s = node.device.name.encode()
            debug.attr["tensor_name"].s = f"{node.name}:{slot}".encode()
            debug.attr["debug_urls"].list.s.extend(url.encode() for url in op.urls)
            for key, value in op.attrs.items():
                debug.attr[key].CopyFrom(attr_proto(_KINDS[type(value)], value))

    def _redirect(self, proto: Any, node: RunNode) -> None:
        """Makes a node take copies of its watched inputs, and wait for their debug nodes."""
        data = [name for name in proto.input if not name.startswith("^")]
        controls = [name for name in proto.input if name.startswith("^")]
        added: list[str] = []
        for position, source in enumerate(node.inputs):
            ops = self.watched.get(source)
            if ops is None:
                continue
            name, slot = source
            if not _output_types(self.nodes[name])[slot]._is_ref_dtype:
                data[position] = f"__copy_{name}_{slot}"
            if not _is_loop_merge(node):
                added.extend(f"^{_debug_name(name, slot, i, op)}" for i, op in enumerate(ops))
        del proto.input[:]
        proto.input.extend([*data, *controls, *sorted(set(added))])


def _debug_name(node: str, slot: int, number: int, op: DebugOp) -> str:
    return f"__dbg_{node}:{slot}_{number}_{op.type}"


def _output_types(node: RunNode) -> list[DType]:
    if node.op is not None:
        return [tensor._dtype for tensor in node.op._outputs]
    return [node.tensor._dtype] if node.tensor is not None and node.type != "_Retval" else []


def _is_loop_merge(node: RunNode) -> bool:
    op = node.op
    if op is None or op._record.name not in MERGES:
        return False
    sources: list[Operation] = [tensor._op for tensor in op._inputs]
    return any(source._record.name in NEXT_ITERATIONS for source in sources)
