"""`tf.compat.v2.summary.write` and its like: ops that write tensors with their metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    control_dependencies,
    get_default_graph,
    name_scope,
)
from headwater.graph.default_graph import device
from headwater.ops.array.constant import constant
from headwater.protos.lazy import config_pb2, summary_pb2
from headwater.train.summaries.recorded import SUMMARIES
from headwater.train.summaries.recording import condition_tensor, get_step, if_recorded
from headwater.train.summaries.resource_writer import current_writer, resource_of_writer

INVALID_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")


@contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: Sequence[Any] | None = None
) -> Iterator[tuple[str, str]]:
    """A name scope for one summary; gives its tag and the scope.

    Args:
        name: the tag; the scope is named by those of its characters that a scope can have.
        default_name: the tag if the name is empty.
        values: tensors of the graph.
    """
    name = name or default_name
    around = get_default_graph().get_name_scope()
    tag = f"{around}/{name}" if around else name
    with name_scope(INVALID_IN_SCOPES.sub("", name) or None, default_name, values) as scope:
        yield tag, scope


def write(
    tag: TensorLike,
    tensor: Any,
    step: TensorLike | None = None,
    metadata: Any = None,
    name: str | None = None,
) -> Tensor:
    """Writes a tensor to the default summary writer.

    Args:
        tag: a string scalar.
        tensor: a tensor of any shape and type.
        step: an integer scalar; what `set_step` has set by default.
        metadata: a SummaryMetadata for the plugin that shows the value, or one in serialized form.
        name: the name of the op.

    Returns:
        A boolean scalar: whether the summary is recorded.

    Raises:
        ValueError: if there is no step.
    """
    serialized = b"" if metadata is None else metadata
    if hasattr(metadata, "SerializeToString"):
        serialized = metadata.SerializeToString()

    def operation(at: Any, scope: str) -> Operation:
        value = build.Identity(tensor)
        return build.WriteSummary(resource_of_writer(), at, value, tag, serialized, name=scope)

    return _write("write_summary", operation, step, name)


def write_raw_pb(
    tensor: TensorLike, step: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Writes summaries to the default summary writer.

    Args:
        tensor: strings, each a serialized Summary.
        step: an integer scalar; what `set_step` has set by default.
        name: the name of the op.

    Returns:
        A boolean scalar: whether the summaries are recorded.

    Raises:
        ValueError: if there is no step.
    """

    def operation(at: Any, scope: str) -> Operation:
        return build.WriteRawProtoSummary(
            resource_of_writer(), at, build.Identity(tensor), name=scope
        )

    return _write("write_raw_pb", operation, step, name)


def _write(
    default_name: str, operation: Callable[[Any, str], Operation], step: Any, name: str | None
) -> Tensor:
    with name_scope(name, default_name) as scope:
        if current_writer() is None:
            return constant(False)
        at = get_step() if step is None else step
        if at is None:
            raise ValueError(
                "No step set via 'step' argument or tf.summary.experimental.set_step()"
            )

        def record() -> Tensor:
            with device("cpu:0"), control_dependencies([operation(at, scope)]):
                return constant(True)

        with device("cpu:0"):
            summary = if_recorded(condition_tensor(True), record, name="summary_cond")
        get_default_graph().add_to_collection(SUMMARIES, summary)
        return summary


def plugin_metadata(plugin: str, content: bytes = b"", description: str | None = None) -> Any:
    """The SummaryMetadata of a plugin of TensorBoard.

    Args:
        plugin: its name.
        content: its own metadata in serialized form.
        description: a text about the summary, in Markdown.
    """
    metadata = summary_pb2.SummaryMetadata(summary_description=description or "")
    metadata.plugin_data.plugin_name = plugin
    metadata.plugin_data.content = content
    return metadata


def run_metadata(name: str, data: Any, step: TensorLike | None = None) -> Tensor:
    """Writes a RunMetadata to the default summary writer.

    Args:
        name: the tag.
        data: a RunMetadata.
        step: an integer scalar; what `set_step` has set by default.

    Returns:
        A boolean scalar: whether the summary is recorded.

    Raises:
        ValueError: if there is no step.
    """
    return _write_proto(name, data, step, "graph_run_metadata")


def run_metadata_graphs(name: str, data: Any, step: TensorLike | None = None) -> Tensor:
    """Writes the graphs of a RunMetadata to the default summary writer.

    Args:
        name: the tag.
        data: a RunMetadata.
        step: an integer scalar; what `set_step` has set by default.

    Returns:
        A boolean scalar: whether the summary is recorded.

    Raises:
        ValueError: if there is no step.
    """
    graphs = config_pb2.RunMetadata(
        function_graphs=data.function_graphs, partition_graphs=data.partition_graphs
    )
    return _write_proto(name, graphs, step, "graph_run_metadata_graph")


def _write_proto(name: str, data: Any, step: Any, plugin: str) -> Tensor:
    with summary_scope(name, f"{plugin}_summary", [data, step]) as (tag, _):
        serialized = constant(data.SerializeToString(), dtypes.string)
        return write(tag, serialized, step, plugin_metadata(plugin, b"1"))


def trace_on(graph: bool = True, profiler: bool = False) -> None:
    """Would begin to trace functions that run eagerly; logs that there are none.

    Args:
        graph: has no effect.
        profiler: has no effect.
    """
    logging.warning("Must enable trace in eager mode.")


def trace_off() -> None:
    """Would end what `trace_on` began."""


def trace_export(
    name: str, step: TensorLike | None = None, profiler_outdir: str | None = None
) -> None:
    """Would write what was traced; logs that nothing was.

    Args:
        name: has no effect.
        step: has no effect.
        profiler_outdir: has no effect.
    """
    logging.warning("Can only export trace while executing eagerly.")
