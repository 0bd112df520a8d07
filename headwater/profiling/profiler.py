"""`tf.profiler.profile`, `advise` and the Profiler of several steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from headwater.base import errors
from headwater.base.export import export, export_value
from headwater.graph import Graph, get_default_graph
from headwater.profiling import op_view, pprof, profile_files, tree
from headwater.profiling.advisor import CHECKERS
from headwater.profiling.options import OPTIONAL_MINIMA, Options, ProfileOptionBuilder, complete
from headwater.profiling.outputs import ABOUT, put_out
from headwater.profiling.traced_graph import TracedGraph
from headwater.profiling.tree import Row
from headwater.profiling.views import code_view, graph_view, scope_view
from headwater.protos.lazy import tfprof_output_pb2

ALL_ADVICE: Options = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}
_VIEWS = {"scope": scope_view, "graph": graph_view, "code": code_view}
_MESSAGES: dict[str, Callable[[], Any]] = {
    "scope": lambda: tfprof_output_pb2.GraphNodeProto(),
    "graph": lambda: tfprof_output_pb2.GraphNodeProto(),
    "code": lambda: tfprof_output_pb2.MultiGraphNodeProto(),
    "op": lambda: tfprof_output_pb2.MultiGraphNodeProto(),
}


@export("profiler.Profiler")
class Profiler:
    """Profiles a graph over several steps.

    Args:
        graph: the Graph; the default graph if None.
        op_log: an OpLogProto with more types and operations of nodes; or None.
    """

    # A profiler made by `__new__` alone profiles what `profile_files.read_profile` has read.
    _traced: TracedGraph | None = None

    def __init__(self, graph: Graph | None = None, op_log: Any = None) -> None:
        self._traced = TracedGraph(graph or get_default_graph(), op_log)

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds a traced run; several of one step are added up.

        Args:
            step: the number of the step.
            run_meta: its RunMetadata.

        Returns:
            None.
        """
        if self._traced is None:
            raise errors.FailedPreconditionError(None, None, "A saved profile has its own steps.")
        self._traced.add(step, run_meta)

    def profile_view(self, view: str, options: Options) -> Any:
        """Profiles a view by its name.

        Args:
            view: "scope", "graph", "op" or "code".
            options: a dict of options, as ProfileOptionBuilder makes them.

        Returns:
            The proto of the view.

        Raises:
            ValueError: if there is no such view.
        """
        if view not in ABOUT:
            raise ValueError(f"Unknown cmd: {view}\n")
        return self._profile(view, options)

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
        nodes = self._source.nodes()
        step = max(self._source.steps, default=-1)
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
        source = self._source
        return bytes(profile_files.proto_of(source.nodes(), source.steps).SerializeToString())

    @property
    def _source(self) -> TracedGraph | profile_files.SavedProfile:
        """What is profiled: the traced graph, or the profile that was read last."""
        source = self._traced or profile_files.current()
        if source is None:
            raise errors.FailedPreconditionError(None, None, "No profile has been read.")
        return source

    def _profile(self, view: str, options: Options) -> Any:
        options = complete(options)
        known = self._source.steps
        if options["step"] >= 0 and options["step"] not in known:
            sys.stderr.write(
                f"Options -step={options['step']} not found.\n"
                f"Available steps: {' '.join(map(str, known))} \n"
            )
            return _MESSAGES[view]()
        if pprof.is_asked_for(options) and (reason := pprof.objection(view, options)):
            sys.stderr.write(f"{reason}\n")
            return _MESSAGES[view]()
        nodes = self._source.nodes()
        if view == "op":
            whole, rows = op_view.op_view(nodes, options)
            text = partial(op_view.text_of, whole, rows, options)
            put_out(view, options, tree.TYPE_COLUMNS, text, None)
            return op_view.proto_of(whole, rows)
        if view == "code" and options["account_displayed_op_only"]:
            sys.stderr.write("Note: code view ignores account_displayed_op_only\n")
            options["account_displayed_op_only"] = False
        root = _VIEWS[view](nodes, options)
        order = tree.TYPE_COLUMNS if view == "code" else tree.NODE_COLUMNS
        put_out(view, options, order, partial(tree.text_of, root, options, order), root)
        return _multi_proto(root, options["step"]) if view == "code" else tree.proto_of(root)


def _multi_proto(row: Row, step: int) -> Any:
    """A line of code and those below it as a MultiGraphNodeProto."""
    proto = tfprof_output_pb2.MultiGraphNodeProto(name=row.name)
    tree.set_measures(proto, row.own, row.totals)
    for node in row.ends:
        measures = node.measures(step)
        proto.graph_nodes.append(tree.node_proto(node.name, node, measures, measures))
    proto.children.extend(_multi_proto(child, step) for child in row.shown)
    return proto


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
        options: a dict of options, as ProfileOptionBuilder makes them; those of
            `trainable_variables_parameter` if it is no dict.

    Returns:
        A GraphNodeProto for "scope" and "graph", a MultiGraphNodeProto for "op" and "code".

    Raises:
        InvalidArgumentError: if there is no such view or output.
    """
    if cmd not in ABOUT:
        raise errors.InvalidArgumentError(None, None, f"unknown cmd: {cmd}\n")
    profiler = Profiler(graph, op_log)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    if not isinstance(options, dict):
        options = ProfileOptionBuilder.trainable_variables_parameter()
    return profiler._profile(cmd, options)


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
