"""OpLogProtos: floating-point operations, trainable variables and user lines of nodes."""

from __future__ import annotations

import sys
from typing import Any

from headwater.base.export import export
from headwater.graph import Graph, Operation, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.statistics import get_stats_for_node_def
from headwater.io.file_io import FileIO
from headwater.io.file_io import recursive_create_dir_v2 as make_folders
from headwater.io.files import join_path
from headwater.protos.lazy import tfprof_log_pb2

TRAINABLE_VARIABLES = "_trainable_variables"


def complete_op_log(
    graph: Graph, op_log: Any = None, run_metadata: Any = None, add_trace: bool = True
) -> Any:
    """Returns an OpLogProto of a graph, with what the user's says first.

    Args:
        graph: the Graph; static shapes that a run has found out are set.
        op_log: the OpLogProto of the user, or None.
        run_metadata: the RunMetadata of a run, which knows shapes that the graph does not.
        add_trace: whether the lines that made the nodes are added.

    Returns:
        An OpLogProto.
    """
    if run_metadata is not None:
        _set_shapes(graph, run_metadata)
    made = tfprof_log_pb2.OpLogProto()
    if op_log is not None:
        made.CopyFrom(op_log)
    entries = {entry.name: entry for entry in made.log_entries}
    trainable = {
        variable.op.name for variable in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
    }
    strings = Strings(made.id_to_string)
    without_shapes = 0
    for op in graph.get_operations():
        float_ops = _float_ops(graph, op)
        if float_ops is None:
            without_shapes += 1
        is_trainable = op.name in trainable
        if not (float_ops or is_trainable or add_trace):
            continue
        entry = entries.get(op.name)
        if entry is None:
            entry = made.log_entries.add()
            entry.name = op.name
        if float_ops and not entry.float_ops:
            entry.float_ops = float_ops
        if is_trainable and TRAINABLE_VARIABLES not in entry.types:
            entry.types.append(TRAINABLE_VARIABLES)
        if add_trace and not entry.HasField("code_def"):
            _add_trace(entry, op, strings)
    if without_shapes:
        sys.stderr.write(f"{without_shapes} ops no flops stats due to incomplete shapes.\n")
    return made


def _float_ops(graph: Graph, op: Operation) -> int | None:
    """The floating-point operations of a node; 0 if none are registered, None without shapes."""
    try:
        statistics = get_stats_for_node_def(graph, op.node_def, "flops")
    except ValueError:
        return None
    return int(statistics.value or 0)


def _set_shapes(graph: Graph, run_metadata: Any) -> None:
    ops = {op.name: op for op in graph.get_operations()}
    for device in run_metadata.step_stats.dev_stats:
        for node in device.node_stats:
            op = ops.get(node.node_name)
            for output in node.output:
                description = output.tensor_description
                if (
                    op is None
                    or output.slot >= len(op.outputs)
                    or not description.HasField("shape")
                ):
                    continue
                tensor = op.outputs[output.slot]
                if not tensor.get_shape().is_fully_defined():
                    tensor.set_shape([dim.size for dim in description.shape.dim])


class Strings:
    """Numbers for strings that many traces share.

    Args:
        id_to_string: the field of a message that is filled in: {number: string}.
    """

    def __init__(self, id_to_string: Any) -> None:
        self._id_to_string = id_to_string
        self._ids = {text: number for number, text in id_to_string.items()}

    def id_of(self, text: str) -> int:
        """The number of a string."""
        number = self._ids.get(text)
        if number is None:
            number = self._ids[text] = len(self._ids) + 1
            self._id_to_string[number] = text
        return number


def _add_trace(entry: Any, op: Operation, strings: Strings) -> None:
    for file, line, function, text, start in op.traceback_with_start_lines:
        call = entry.code_def.traces.add()
        call.file_id = strings.id_of(file)
        call.lineno = line
        call.function_id = strings.id_of(function)
        call.line_id = strings.id_of(text or "")
        call.func_start_line = start


@export("profiler.write_op_log", "contrib.tfprof.tfprof_logger.write_op_log")
def write_op_log(
    graph: Graph | None,
    log_dir: str,
    op_log: Any = None,
    run_meta: Any = None,
    add_trace: bool = True,
) -> None:
    """Writes what tfprof needs to know of a graph to the file `tfprof_log` of a folder.

    Args:
        graph: the Graph; the default graph if None.
        log_dir: the folder.
        op_log: an OpLogProto with more of it.
        run_meta: the RunMetadata of a run, which knows shapes that the graph does not.
        add_trace: whether the lines that made the nodes are written.

    Returns:
        None.
    """
    made = complete_op_log(graph or get_default_graph(), op_log, run_meta, add_trace)
    make_folders(log_dir)
    with FileIO(join_path(log_dir, "tfprof_log"), "wb") as file:
        file.write(made.SerializeToString())
