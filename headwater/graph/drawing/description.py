"""What a drawing shows of a graph, as plain values that become JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.base.dtypes import DType
from headwater.base.summarize import summarize
from headwater.base.typing import Shape
from headwater.graph.graph import Graph
from headwater.graph.operation import Operation

# Attrs that repeat what the drawing shows by other means.
_SHOWN_OTHERWISE = frozenset({"_output_shapes", "_class"})
_LONGEST_TEXT = 120


def describe(graph: Graph, run_metadata: Any = None) -> dict[str, Any]:
    """Returns the nodes and edges of a graph, without the contents of constants.

    Args:
        graph: the Graph.
        run_metadata: a RunMetadata of a traced run, for devices and times; or None.

    Returns:
        A dict of lists: "nodes" with a dict each (name, op, device, outputs, attrs, and, where
        they were measured, time in microseconds and the device of the run), and "edges" with
        [index of the producer, index of the consumer, output slot or -1 for a control edge].
    """
    ops = graph.get_operations()
    index = {op: i for i, op in enumerate(ops)}
    measured = measured_nodes(run_metadata)
    return {
        "nodes": [_node(op, measured.get(op.name)) for op in ops],
        "edges": list(_edges(ops, index)),
        "measured": bool(measured),
    }


def _edges(ops: Iterable[Operation], index: dict[Operation, int]) -> Iterator[tuple[int, int, int]]:
    for op in ops:
        consumer = index[op]
        # An op that reads one tensor several times has one edge.
        for tensor in dict.fromkeys(op._inputs):
            yield index[tensor.op], consumer, tensor.value_index
        for before in op._control_inputs:
            yield index[before], consumer, -1


def _node(op: Operation, measured: tuple[str, int] | None) -> dict[str, Any]:
    node: dict[str, Any] = {"name": op.name, "op": op.type}
    if op.device:
        node["device"] = op.device
    outputs = [f"{output.dtype.name} {shape_text(output._shape)}" for output in op.outputs]
    if outputs:
        node["outputs"] = outputs
    attrs = {
        key: attr_text(value) for key, value in op._attrs.items() if key not in _SHOWN_OTHERWISE
    }
    if attrs:
        node["attrs"] = attrs
    if measured:
        node["device"], node["time"] = measured
    return node


def shape_text(shape: Shape) -> str:
    """A static shape as it is written on an edge, such as "?×784"; "?" for an unknown rank."""
    if shape is None:
        return "?"
    return "×".join("?" if size is None else str(size) for size in shape) or "scalar"


def attr_text(value: Any) -> str:
    """The value of an attr as one short line; arrays by their type, shape and first elements."""
    if isinstance(value, DType):
        text = value.name
    elif hasattr(value, "dtype") and hasattr(value, "shape"):
        text = _array_text(value)
    elif isinstance(value, (list, tuple)):
        text = f"[{', '.join(attr_text(item) for item in value[:20])}]"
    elif isinstance(value, bytes):
        text = value[: 2 * _LONGEST_TEXT].decode("utf-8", "backslashreplace")
    elif hasattr(value, "SerializeToString"):
        text = " ".join(str(value).split())
    else:
        text = str(value)
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def _array_text(array: Any) -> str:
    return f"{array.dtype} {shape_text(array.shape)}: {summarize(array, 8)}"


def measured_nodes(run_metadata: Any) -> dict[str, tuple[str, int]]:
    """Returns {node name: (device, microseconds)} of a RunMetadata; runs of a node add up."""
    if run_metadata is None:
        return {}
    times: Counter[str] = Counter()
    devices: dict[str, str] = {}
    for device in run_metadata.step_stats.dev_stats:
        for stats in device.node_stats:
            times[stats.node_name] += stats.all_end_rel_micros
            devices.setdefault(stats.node_name, device.device)
    return {name: (devices[name], time) for name, time in times.items()}
