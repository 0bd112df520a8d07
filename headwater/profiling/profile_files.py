"""Profiles as ProfileProtos: graph, op log and traced steps in one message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import errors
from headwater.io.file_io import FileIO
from headwater.profiling.measures import Measures
from headwater.profiling.nodes import ProfiledNode, calls_of
from headwater.profiling.op_log import Strings
from headwater.protos.lazy import tfprof_log_pb2


class SavedProfile:
    """A profile that was read.

    Args:
        proto: the ProfileProto.
    """

    def __init__(self, proto: Any) -> None:
        self.steps = sorted(proto.steps)
        self._nodes = _nodes_of(proto)

    def nodes(self) -> dict[str, ProfiledNode]:
        """The nodes, by their names."""
        return self._nodes


# What profilers without a graph profile.
_current: list[SavedProfile] = []


def current() -> SavedProfile | None:
    """The profile that was read last, unless it was forgotten."""
    return _current[-1] if _current else None


def read_profile(path: str) -> None:
    """Reads a file that a ProfileContext has written; profilers without a graph profile it then.

    Args:
        path: the file.

    Raises:
        OpError: of the class that fits, if it cannot be read; DataLossError if it is damaged.
    """
    with FileIO(path, "rb") as file:
        data = file.read()
    try:
        proto = tfprof_log_pb2.ProfileProto.FromString(data)
    except Exception as error:  # DecodeError, which lies in the runtime of protocol buffers
        raise errors.DataLossError(None, None, f"{path} is not a ProfileProto.") from error
    _current[:] = [SavedProfile(proto)]


def forget_profile() -> None:
    """Forgets the profile that was read."""
    _current.clear()


def proto_of(nodes: dict[str, ProfiledNode], steps: Sequence[int]) -> Any:
    """A ProfileProto.

    Args:
        nodes: the nodes by their names.
        steps: the numbers of the traced steps.
    """
    proto = tfprof_log_pb2.ProfileProto()
    proto.steps.extend(steps)
    strings = Strings(proto.id_to_string)
    ids = {name: i for i, name in enumerate(nodes)}
    for name, node in nodes.items():
        made = proto.nodes[ids[name]]
        made.id = ids[name]
        _fill(made, node, ids)
        for call in node.trace:
            trace = made.trace.traces.add(lineno=call.line, func_start_line=call.start)
            trace.file_id = strings.id_of(call.file)
            trace.function_id = strings.id_of(call.function)
            proto.has_trace = True
    return proto


def _fill(made: Any, node: ProfiledNode, ids: dict[str, int]) -> None:
    made.name, made.op, made.float_ops = node.name, node.op, node.float_ops
    made.canonical_device = made.host_device = node.device
    made.op_types.extend(sorted(node.types))
    made.shape.extend(node.shape)
    for i, (before, slot) in enumerate(zip(node.inputs, node.slots)):
        made.inputs[i] = ids[before]
        made.src_output_index[ids[before]] = slot
    for key, value in node.attrs().items():
        made.attrs[key].CopyFrom(value)
    for i, shape in enumerate(node.output_shapes):
        if shape is not None:
            made.output_shapes[i].int64_values.extend(shape)
    for i, shape in enumerate(node.input_shapes):
        if shape is not None:
            made.input_shapes[i].int64_values.extend(shape)
    for step, measures in node.steps.items():
        _fill_execution(made.execs[step], node.device, measures)


def _fill_execution(execution: Any, device: str, measures: Measures) -> None:
    execution.run_count = measures.run_count
    execution.devices.append(device)
    execution.all_start_micros = 1
    execution.latest_end_micros = 1 + measures.exec_micros
    for execs, micros in (
        (execution.cpu_execs, measures.cpu_exec_micros),
        (execution.accelerator_execs, measures.accelerator_exec_micros),
    ):
        if micros:
            # Each is the start and the duration.
            execs[device].times.add().int64_values.extend([1, micros])
    execution.memory_execs.add(
        requested_bytes=measures.requested_bytes,
        peak_bytes=measures.peak_bytes,
        residual_bytes=measures.residual_bytes,
        output_bytes=measures.output_bytes,
    )


def _nodes_of(proto: Any) -> dict[str, ProfiledNode]:
    by_name = sorted(proto.nodes.values(), key=lambda saved: saved.name)
    return {saved.name: _node(saved, proto) for saved in by_name}


def _node(saved: Any, proto: Any) -> ProfiledNode:
    sources = [saved.inputs[i] for i in sorted(saved.inputs)]
    # A map has no entry for 0, which is its default.
    slots = [saved.src_output_index.get(source, 0) for source in sources]
    outputs = [proto.nodes[source].output_shapes for source in sources if source in proto.nodes]
    node = ProfiledNode(
        name=saved.name,
        op=saved.op,
        types=list(saved.op_types),
        inputs=[proto.nodes[source].name for source in sources if source in proto.nodes],
        slots=slots,
        output_shapes=_shapes(saved.output_shapes),
        input_shapes=[
            tuple(shapes[slot].int64_values) if slot in shapes else None
            for shapes, slot in zip(outputs, slots)
        ],
        shape=tuple(saved.shape),
        data_format=saved.attrs["data_format"].s.decode() if "data_format" in saved.attrs else "",
        float_ops=saved.float_ops,
        trace=list(calls_of(saved.trace, proto.id_to_string)),
        device=saved.canonical_device,
        attrs=lambda: saved.attrs,
    )
    for step, execution in saved.execs.items():
        node.steps[step] = _measures(execution)
    return node


def _shapes(saved: Any) -> list[tuple[int, ...] | None]:
    count = max(saved, default=-1) + 1
    return [tuple(saved[i].int64_values) if i in saved else None for i in range(count)]


def _measures(execution: Any) -> Measures:
    # Work that streams of an accelerator do is timed once more for all streams together.
    streams = [name for name in execution.accelerator_execs if "stream:all" in name]
    accelerated = streams or list(execution.accelerator_execs)
    accelerator = sum(_micros(execution.accelerator_execs[name]) for name in accelerated)
    cpu = sum(map(_micros, execution.cpu_execs.values()))
    memory = execution.memory_execs
    return Measures(
        exec_micros=accelerator + cpu,
        accelerator_exec_micros=accelerator,
        cpu_exec_micros=cpu,
        requested_bytes=sum(each.requested_bytes for each in memory),
        peak_bytes=max((each.peak_bytes for each in memory), default=0),
        residual_bytes=max((each.residual_bytes for each in memory), default=0),
        output_bytes=sum(each.output_bytes for each in memory),
        run_count=execution.run_count,
    )


def _micros(times: Any) -> int:
    return sum(each.int64_values[1] for each in times.times if len(each.int64_values) > 1)
