"""The nodes of a graph with what is known of each: shapes, times, memory, parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headwater.graph import Graph, Operation
from headwater.profiling.measures import Measures, total

_SCOPE_OF_GRADIENT = re.compile(r"gradients/(.*)_grad(?:_\d+)?/")


class Call(NamedTuple):
    """A line of a call stack.

    Fields:
        file: the path of the file.
        line: the number of the line that is executed.
        function: the name of the function.
        start: the number of the line in which the function begins.
    """

    file: str
    line: int
    function: str
    start: int = 0


@dataclass
class ProfiledNode:
    """A node of the graph.

    Fields:
        name: the name of the node.
        op: the op type.
        types: what regular expressions of accounted types are matched with.
        inputs: the names of the nodes before it, in the order of the NodeDef.
        slots: which output of each it takes.
        output_shapes: the static shapes of the outputs, None where the rank is unknown.
        input_shapes: those of the inputs.
        shape: the shape of a variable or placeholder; () if it has none.
        float_ops: the floating-point operations of one run.
        trace: the calls that made the node, outermost first.
        steps: {step: what was measured in it}.
        attrs: returns the attrs, as those of a NodeDef.
    """

    name: str
    op: str
    types: list[str]
    inputs: list[str]
    slots: list[int]
    output_shapes: list[tuple[int, ...] | None]
    input_shapes: list[tuple[int, ...] | None]
    shape: tuple[int, ...]
    data_format: str = ""
    float_ops: int = 0
    trace: list[Call] = field(default_factory=list)
    device: str = ""
    steps: dict[int, Measures] = field(default_factory=dict)
    attrs: Callable[[], Mapping[str, Any]] = dict

    def measures(self, step: int) -> Measures:
        """What is counted in a step; -1 for the mean of all steps.

        Args:
            step: the step.
        """
        if step >= 0:
            measured = self.steps.get(step, Measures())
        elif self.steps:
            measured = total(self.steps.values()) // len(self.steps)
        else:
            measured = Measures()
        known = all(size >= 0 for size in self.shape)
        parameters = math.prod(self.shape) if self.shape and known else 0
        # Nodes that no traced step has run count as if they ran once.
        runs = measured.run_count if self.steps else 1
        fixed = Measures(parameters=parameters, float_ops=self.float_ops * runs, definition_count=1)
        return measured + fixed


def nodes_of(graph: Graph) -> dict[str, ProfiledNode]:
    """The nodes of a graph by their names, sorted."""
    ops = sorted(graph.get_operations(), key=lambda op: op.name)
    return {op.name: _node(op) for op in ops}


def _node(op: Operation) -> ProfiledNode:
    controls = sorted(op.control_inputs, key=lambda before: before.name)
    ends = [(tensor.op, tensor.value_index) for tensor in op.inputs]
    ends += [(before, 0) for before in controls]
    shape = op._attrs.get("shape")
    device = op.device.lower()
    return ProfiledNode(
        name=op.name,
        op=op.type,
        types=[op.type, *([device] if device else [])],
        inputs=[before.name for before, _ in ends],
        slots=[index for _, index in ends],
        output_shapes=[_output_shape(op, index) for index in range(len(op.outputs))],
        input_shapes=[_output_shape(before, index) for before, index in ends],
        shape=_sizes(shape) if isinstance(shape, tuple) else (),
        data_format=str(op._attrs.get("data_format", "")),
        device=device,
        attrs=lambda: op.node_def.attr,
    )


def _output_shape(op: Operation, index: int) -> tuple[int, ...] | None:
    if index >= len(op.outputs) or op.outputs[index].get_shape().ndims is None:
        return None
    return _sizes(tuple(op.outputs[index].get_shape().as_list()))


def _sizes(shape: tuple[int | None, ...]) -> tuple[int, ...]:
    """Sizes as tfprof counts: -1 for an unknown one, and a scalar is a vector of one element."""
    return tuple(-1 if size is None else size for size in shape) or (1,)


def add_run(nodes: dict[str, ProfiledNode], step: int, run_metadata: Any) -> None:
    """Adds what a traced run has measured to its nodes."""
    for device in run_metadata.step_stats.dev_stats:
        name = device.device.lower()
        for stats in device.node_stats:
            # The nodes of streams are named "conv/Conv2D:Conv2D".
            node = nodes.get(stats.node_name) or nodes.get(stats.node_name.split(":")[0])
            if node is None:
                continue
            measured = _measured(name, stats)
            node.steps[step] = node.steps.get(step, Measures()) + measured
            if measured.run_count:
                node.device = name
                if name not in node.types:
                    node.types.append(name)


def _measured(device: str, stats: Any) -> Measures:
    micros = max(1, stats.op_end_rel_micros) if stats.all_start_micros else 0
    if "stream:all" in device:
        return Measures(exec_micros=micros, accelerator_exec_micros=micros)
    if "stream" in device or "memcpy" in device:
        return Measures()
    outputs = (
        output.tensor_description.allocation_description.requested_bytes for output in stats.output
    )
    return Measures(
        exec_micros=micros,
        cpu_exec_micros=micros,
        requested_bytes=sum(memory.total_bytes for memory in stats.memory),
        peak_bytes=sum(memory.peak_bytes for memory in stats.memory),
        residual_bytes=sum(memory.live_bytes for memory in stats.memory),
        output_bytes=sum(outputs),
        run_count=1,
    )


def add_op_log(nodes: dict[str, ProfiledNode], op_log: Any) -> None:
    """Adds what an OpLogProto says of nodes: operations, types, the lines that made them."""
    for entry in op_log.log_entries:
        node = nodes.get(entry.name)
        if node is None:
            continue
        node.float_ops = entry.float_ops or node.float_ops
        node.types += [kind for kind in entry.types if kind not in node.types]
        if entry.HasField("code_def"):
            node.trace = list(calls_of(entry.code_def, op_log.id_to_string))


def calls_of(code_def: Any, names: Any) -> Iterator[Call]:
    """The calls of a CodeDef.

    Args:
        code_def: the CodeDef.
        names: {number: string}, as an OpLogProto or a ProfileProto has them.
    """
    for call in code_def.traces:
        file = names.get(call.file_id, call.file)
        function = names.get(call.function_id, call.function)
        yield Call(file, call.lineno, function, call.func_start_line)


def forward_node(name: str, nodes: dict[str, ProfiledNode]) -> ProfiledNode | None:
    """The node whose gradient a node computes, by the scopes that `tf.gradients` opens."""
    match = _SCOPE_OF_GRADIENT.search(name)
    return nodes.get(match[1]) if match else None
