"""`tf.profiler.profile`, `advise` and the Profiler of several steps."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from headwater.base import errors
from headwater.base.export import export, export_value
from headwater.graph import Graph, get_default_graph
from headwater.io.file_io import FileIO
from headwater.profiling import op_view, tree
from headwater.profiling.advisor import CHECKERS
from headwater.profiling.formatting import explanations
from headwater.profiling.nodes import ProfiledNode, add_op_log, add_run, nodes_of
from headwater.profiling.op_log import complete_op_log
from headwater.profiling.options import (
    OPTIONAL_MINIMA,
    Options,
    ProfileOptionBuilder,
    complete,
    options_text,
)
from headwater.profiling.tree import Row
from headwater.profiling.views import code_view, graph_view, scope_view
from headwater.protos.lazy import tfprof_log_pb2, tfprof_output_pb2

ALL_ADVICE: Options = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}
_OPTIONS = f"{'=' * 25}Options{'=' * 29}"
_BEGIN = f"{'=' * 18}Model Analysis Report{'=' * 22}"
_END = f"{'=' * 22}End of Report{'=' * 26}"
_VIEWS = {"scope": scope_view, "graph": graph_view, "code": code_view}
_MESSAGES: dict[str, Callable[[], Any]] = {
    "scope": lambda: tfprof_output_pb2.GraphNodeProto(),
    "graph": lambda: tfprof_output_pb2.GraphNodeProto(),
    "code": lambda: tfprof_output_pb2.MultiGraphNodeProto(),
    "op": lambda: tfprof_output_pb2.MultiGraphNodeProto(),
}
_ABOUT = {
    "scope": "scope: The nodes of the graph in their name scopes, like files in folders.\n",
    "graph": "graph: The nodes of the graph above their inputs.\n",
    "code": "code: The lines of the program that made the nodes, in the order of the calls.\n",
    "op": "op: The types of operations, such as MatMul; the nodes of a type are one row.\n",
}


@export("profiler.Profiler")
class Profiler:
    """Profiles a graph over several steps.

    Args:
        graph: the Graph; the default graph if None.
        op_log: an OpLogProto with more types and operations of nodes; or None.
    """

    def __init__(self, graph: Graph | None = None, op_log: Any = None) -> None:
        self._graph = graph or get_default_graph()
        self._op_log = op_log
        self._runs: dict[int, Any] = {}
        self._nodes: dict[str, ProfiledNode] | None = None
        self._changes = -1

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds a traced run.

        Args:
            step: the number of the step.
            run_meta: its RunMetadata.

        Returns:
            None.
        """
        self._runs[step] = run_meta
        self._nodes = None

    def profile_python(self, options: Options) -> Any:
        """Profiles the lines of code that made the nodes.

        Args:
            options: a dict of options, as ProfileOptionBuilder makes them.

        Returns:
            A MultiGraphNodeProto.
        """
        return self._profile("code", options)

    def profile_operations(self, options: Options) -> Any:
        """Profiles the op types.

        Args:
            options: a dict of options, as ProfileOptionBuilder makes them.

        Returns:
            A MultiGraphNodeProto.
        """
        return self._profile("op", options)

    def profile_name_scope(self, options: Options) -> Any:
        """Profiles the name scopes.

        Args:
            options: a dict of options, as ProfileOptionBuilder makes them.

        Returns:
            A GraphNodeProto.
        """
        return self._profile("scope", options)

    def profile_graph(self, options: Options) -> Any:
        """Profiles the nodes, each with its inputs.

        Args:
            options: a dict of options, as ProfileOptionBuilder makes them.

        Returns:
            A GraphNodeProto.
        """
        return self._profile("graph", options)

    def advise(self, options: Options) -> Any:
        """Looks for what is expensive or unusual, and prints it.

        Args:
            options: {name of a checker: its options}.

        Returns:
            An AdviceProto.
        """
        advice = tfprof_output_pb2.AdviceProto()
        nodes = self._profiled_nodes()
        step = max(self._runs, default=-1)
        for name, check in CHECKERS.items():
            if name not in options:
                continue
            reports = check(nodes, step)
            advice.checkers[name].reports.extend(reports)
            print("\n".join(["", f"{name}:", *reports]))  # noqa: T201
        return advice

    def serialize_to_string(self) -> bytes:
        """Returns the graph, the op log and the traced steps as a serialized ProfileProto.

        Returns:
            Bytes.
        """
        proto = tfprof_log_pb2.ProfileProto(has_trace=True)
        proto.steps.extend(sorted(self._runs))
        nodes = self._profiled_nodes()
        ids = {name: i for i, name in enumerate(nodes)}
        for name, node in nodes.items():
            made = proto.nodes[ids[name]]
            made.id = ids[name]
            made.name = name
            made.op = node.op
            made.float_ops = node.float_ops
            made.canonical_device = node.device
            made.op_types.extend(node.types)
            made.shape.extend(node.shape)
            for i, before in enumerate(node.inputs):
                made.inputs[i] = ids[before]
            for step, measures in node.steps.items():
                execution = made.execs[step]
                execution.run_count = measures.run_count
                execution.devices.append(node.device)
                times = execution.cpu_execs[node.device].times.add()
                times.int64_values.extend([0, measures.cpu_exec_micros])
                execution.memory_execs.add(
                    requested_bytes=measures.requested_bytes,
                    peak_bytes=measures.peak_bytes,
                    residual_bytes=measures.residual_bytes,
                    output_bytes=measures.output_bytes,
                )
        return bytes(proto.SerializeToString())

    def _profiled_nodes(self) -> dict[str, ProfiledNode]:
        if self._nodes is None or self._changes != len(self._graph.get_operations()):
            last = self._runs[max(self._runs)] if self._runs else None
            log = complete_op_log(self._graph, self._op_log, last)
            self._nodes = nodes_of(self._graph)
            self._changes = len(self._nodes)
            add_op_log(self._nodes, log)
            for step, run_metadata in self._runs.items():
                add_run(self._nodes, step, run_metadata)
        return self._nodes

    def _profile(self, view: str, options: Options) -> Any:
        options = complete(options)
        if options["step"] >= 0 and options["step"] not in self._runs:
            steps = " ".join(str(step) for step in sorted(self._runs))
            sys.stderr.write(
                f"Options -step={options['step']} not found.\nAvailable steps: {steps} \n"
            )
            return _MESSAGES[view]()
        nodes = self._profiled_nodes()
        if view == "op":
            whole, rows = op_view.op_view(nodes, options)
            text = partial(op_view.text_of, whole, rows, options)
            _put_out(view, options, tree.TYPE_COLUMNS, text, None)
            return op_view.proto_of(whole, rows)
        if view == "code" and options["account_displayed_op_only"]:
            sys.stderr.write("Note: code view ignores account_displayed_op_only\n")
            options["account_displayed_op_only"] = False
        root = _VIEWS[view](nodes, options)
        order = tree.TYPE_COLUMNS if view == "code" else tree.NODE_COLUMNS
        _put_out(view, options, order, partial(tree.text_of, root, options, order), root)
        return _multi_proto(root) if view == "code" else tree.proto_of(root)


def _multi_proto(row: Row) -> Any:
    """A line of code and those below it as a MultiGraphNodeProto."""
    proto = tfprof_output_pb2.MultiGraphNodeProto(name=row.name)
    tree.set_measures(proto, row.own, row.totals)
    proto.children.extend(_multi_proto(child) for child in row.shown)
    return proto


def _put_out(
    view: str,
    options: Options,
    columns: tuple[str, ...],
    rows_text: Callable[[], str],
    root: Row | None,
) -> None:
    """Prints or writes a report, whose text is made if it is wanted, or the timeline of a tree."""
    kind, _, arguments = options["output"].partition(":")
    path = dict(part.split("=", 1) for part in arguments.split(",") if "=" in part).get("outfile")
    if kind == "none":
        return
    if kind == "timeline" and path and root is not None:
        path = f"{path}_{options['step'] if options['step'] >= 0 else 0}"
        with FileIO(path, "w") as file:
            file.write(json.dumps({"traceEvents": _timeline(root)}))
        print(f"\nTimeline file is written to {path}; chrome://tracing shows it.")  # noqa: T201
        return
    about = f"\nDoc:\n{_ABOUT[view]}{explanations(options)}"
    report = f"{about}\nProfile:\n{tree.titles(options, columns)}{rows_text()}"
    if kind == "stdout":
        print(f"\n{_OPTIONS}\n{options_text(options)}\n{_BEGIN}\n{report}\n{_END}")  # noqa: T201
    elif kind == "file" and path:
        with FileIO(path, "w") as file:
            file.write(report)
    else:
        raise errors.InvalidArgumentError(
            None, None, f"Unknown output option: {options['output']} for view: {view}"
        )


def _timeline(root: Row) -> list[dict[str, Any]]:
    """Events of the shown rows: one process for each depth, times laid end to end."""
    events: list[dict[str, Any]] = []
    level, depth = [(root, 0)], 0
    while level:
        title = {"name": f"Scope:{depth}"}
        events.append({"args": title, "name": "process_name", "ph": "M", "pid": depth})
        below = []
        for row, start in level:
            event = {"args": {"name": row.name, "op": row.name}, "cat": "Op", "ph": "X", "tid": 0}
            event |= {"dur": row.totals.exec_micros, "name": row.name, "pid": depth, "ts": start}
            events.append(event)
            for child in row.shown:
                below.append((child, start))
                start += child.totals.exec_micros
        level, depth = below, depth + 1
    return events


@export("profiler.profile")
def profile(
    graph: Graph | None = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: Options | int = 0,
) -> Any:
    """Counts parameters, floating-point operations, time and memory of a graph, and prints them.

    Args:
        graph: the Graph; the default graph if None.
        run_meta: the RunMetadata of a traced run, for times, memory and shapes.
        op_log: an OpLogProto with more types and operations of nodes.
        cmd: the view: "scope", "graph", "op" or "code".
        options: a dict of options, as ProfileOptionBuilder makes them.

    Returns:
        A GraphNodeProto for "scope" and "graph", a MultiGraphNodeProto for "op" and "code".

    Raises:
        InvalidArgumentError: if there is no such view or output.
    """
    if cmd not in _ABOUT:
        raise errors.InvalidArgumentError(None, None, f"unknown cmd: {cmd}\n")
    profiler = Profiler(graph, op_log)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    chosen = options if isinstance(options, dict) else ProfileOptionBuilder().build()
    return profiler._profile(cmd, chosen)


@export("profiler.advise", "contrib.tfprof.model_analyzer.advise")
def advise(graph: Graph | None = None, run_meta: Any = None, options: Options | int = 0) -> Any:
    """Looks for what is expensive or unusual in a graph, and prints it.

    Args:
        graph: the Graph; the default graph if None.
        run_meta: the RunMetadata of a traced run.
        options: {name of a checker: its options}; all checkers if it is no dict.

    Returns:
        An AdviceProto.
    """
    profiler = Profiler(graph)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    return profiler.advise(options if isinstance(options, dict) else ALL_ADVICE)


@export("contrib.tfprof.model_analyzer.print_model_analysis")
def print_model_analysis(
    graph: Graph,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Options | int = 0,
) -> Any:
    """As `tf.profiler.profile`.

    Args:
        graph: the Graph.
        run_meta: the RunMetadata of a traced run.
        op_log: an OpLogProto.
        tfprof_cmd: the view.
        tfprof_options: a dict of options.

    Returns:
        The proto of the view.
    """
    return profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)


def _first_options(options: Options) -> Options:
    """Options as the first releases had them, which could not choose a step."""
    without = {"step", "min_occurrence", *OPTIONAL_MINIMA}
    return {**{k: v for k, v in options.items() if k not in without}, "dump_to_file": ""}


_MODEL_ANALYZER = "contrib.tfprof.model_analyzer"
export_value(f"{_MODEL_ANALYZER}.ALL_ADVICE", ALL_ADVICE)
export_value(
    f"{_MODEL_ANALYZER}.TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    _first_options(ProfileOptionBuilder.trainable_variables_parameter()),
)
export_value(
    f"{_MODEL_ANALYZER}.FLOAT_OPS_OPTIONS", _first_options(ProfileOptionBuilder.float_operation())
)
export_value(
    f"{_MODEL_ANALYZER}.PRINT_ALL_TIMING_MEMORY",
    _first_options({**ProfileOptionBuilder.time_and_memory(), "order_by": "name"}),
)
