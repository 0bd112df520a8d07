"""`tf.contrib.summary.scalar` and its like: ops that write summaries when they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import (
    Graph,
    Operation,
    Tensor,
    build,
    control_dependencies,
    get_default_graph,
    stacks,
)
from headwater.graph.default_graph import device
from headwater.ops.array.constant import constant, placeholder
from headwater.ops.control.identity import no_op
from headwater.ops.summary.scope import summary_scope
from headwater.train.summaries.recording import condition_tensor, if_recorded, step_tensor
from headwater.train.summaries.resource_writer import (
    current_writer,
    resource_of_writer,
    summary_writer_initializer_op,
)

SUMMARIES = "_SUMMARY_V2"
_HOST = "cpu:0"
_RED = (255, 0, 0, 255)


@export(
    "summary.all_v2_summary_ops",
    "contrib.summary.all_summary_ops",
    "contrib.summary.summary.all_summary_ops",
)
def all_v2_summary_ops() -> list[Any]:
    """The summaries of the default graph that a summary writer writes.

    Returns:
        A list of Tensors and Operations, to be run together with a training step.
    """
    return get_default_graph().get_collection(SUMMARIES)


@export("summary.initialize", "contrib.summary.initialize", "contrib.summary.summary.initialize")
def initialize(graph: Graph | Any = None, session: Any = None) -> None:
    """Opens the summary writers of the default graph, and writes a graph.

    Args:
        graph: a Graph or GraphDef to write, or None.
        session: a session; the default session if None.

    Raises:
        RuntimeError: if there is no default writer.
        ValueError: if there is no session.
    """
    if current_writer() is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = stacks.sessions.top() if session is None else session
    if session is None:
        raise ValueError("session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        data = _serialized_graph(graph)
        fed = placeholder(dtypes.string, shape=[])
        session.run(write_graph(fed, 0), {fed: data})


def _serialized_graph(graph: Any) -> bytes:
    if isinstance(graph, Graph):
        return graph.as_graph_def(add_shapes=True).SerializeToString()
    return graph.SerializeToString()


def _record(
    name: str,
    tensor: Any,
    write: Callable[[str, str], Operation],
    family: str | None,
) -> Any:
    """Builds a summary for the default writer.

    Args:
        name: the name that the user gave.
        tensor: the value.
        write: builds the op that writes, from the tag and the name of the op.
        family: a prefix of the tag, or None.

    Returns:
        A boolean scalar, whether the summary is recorded; an Operation if there is no writer.
    """
    if current_writer() is None:
        return no_op()

    def record() -> Tensor:
        with (
            summary_scope(name, family, values=[tensor]) as (tag, scope),
            control_dependencies([write(tag, scope)]),
        ):
            return constant(True)

    with device(_HOST):
        summary = if_recorded(condition_tensor(False), record, name="")
    get_default_graph().add_to_collection(SUMMARIES, summary)
    return summary


@export("contrib.summary.scalar", "contrib.summary.summary.scalar")
def scalar(
    name: str, tensor: TensorLike, family: str | None = None, step: TensorLike | None = None
) -> Any:
    """Writes a number to the default summary writer.

    Args:
        name: the name of the node, which is also the tag.
        tensor: a real scalar.
        family: a prefix of the tag, by which TensorBoard groups.
        step: an integer or a scalar of type int64; the global step by default.

    Returns:
        A boolean scalar, whether the summary is recorded; an Operation if there is no writer.
    """

    def write(tag: str, scope: str) -> Operation:
        at = step_tensor(step)
        return build.WriteScalarSummary(
            resource_of_writer(), at, tag, build.Identity(tensor), name=scope
        )

    return _record(name, tensor, write, family)


@export("contrib.summary.histogram", "contrib.summary.summary.histogram")
def histogram(
    name: str, tensor: TensorLike, family: str | None = None, step: TensorLike | None = None
) -> Any:
    """Writes the distribution of values to the default summary writer.

    Args:
        name: the name of the node, which is also the tag.
        tensor: a real tensor of any shape.
        family: a prefix of the tag, by which TensorBoard groups.
        step: an integer or a scalar of type int64; the global step by default.

    Returns:
        A boolean scalar, whether the summary is recorded; an Operation if there is no writer.
    """

    def write(tag: str, scope: str) -> Operation:
        at = step_tensor(step)
        return build.WriteHistogramSummary(
            resource_of_writer(), at, tag, build.Identity(tensor), name=scope
        )

    return _record(name, tensor, write, family)


@export("contrib.summary.image", "contrib.summary.summary.image")
def image(
    name: str,
    tensor: TensorLike,
    bad_color: TensorLike | None = None,
    max_images: int = 3,
    family: str | None = None,
    step: TensorLike | None = None,
) -> Any:
    """Writes images to the default summary writer.

    Args:
        name: the name of the node and the beginning of the tags.
        tensor: a batch of images as in `tf.summary.image`.
        bad_color: bytes, the colour of pixels that are not finite; red by default.
        max_images: how many images of a batch are written.
        family: a prefix of the tags, by which TensorBoard groups.
        step: an integer or a scalar of type int64; the global step by default.

    Returns:
        A boolean scalar, whether the summary is recorded; an Operation if there is no writer.
    """

    def write(tag: str, scope: str) -> Operation:
        color = constant(_RED, dtypes.uint8) if bad_color is None else bad_color
        at = step_tensor(step)
        return build.WriteImageSummary(
            resource_of_writer(),
            at,
            tag,
            build.Identity(tensor),
            color,
            max_images=max_images,
            name=scope,
        )

    return _record(name, tensor, write, family)


@export("contrib.summary.audio", "contrib.summary.summary.audio")
def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int,
    family: str | None = None,
    step: TensorLike | None = None,
) -> Any:
    """Writes sounds to the default summary writer.

    Args:
        name: the name of the node and the beginning of the tags.
        tensor: float32 samples as in `tf.summary.audio`.
        sample_rate: in Hertz, a float32 scalar.
        max_outputs: how many sounds of a batch are written.
        family: a prefix of the tags, by which TensorBoard groups.
        step: an integer or a scalar of type int64; the global step by default.

    Returns:
        A boolean scalar, whether the summary is recorded; an Operation if there is no writer.
    """

    def write(tag: str, scope: str) -> Operation:
        at = step_tensor(step)
        return build.WriteAudioSummary(
            resource_of_writer(),
            at,
            tag,
            build.Identity(tensor),
            sample_rate,
            max_outputs=max_outputs,
            name=scope,
        )

    return _record(name, tensor, write, family)


@export("contrib.summary.generic", "contrib.summary.summary.generic")
def generic(
    name: str,
    tensor: TensorLike,
    metadata: Any = None,
    family: str | None = None,
    step: TensorLike | None = None,
) -> Any:
    """Writes a tensor to the default summary writer.

    Args:
        name: the name of the node, which is also the tag.
        tensor: a tensor of any shape and type.
        metadata: a SummaryMetadata for the plugin that shows the value, or a string scalar with
            one in serialized form.
        family: a prefix of the tag, by which TensorBoard groups.
        step: an integer or a scalar of type int64; the global step by default.

    Returns:
        A boolean scalar, whether the summary is recorded; an Operation if there is no writer.
    """

    def write(tag: str, scope: str) -> Operation:
        serialized = metadata
        if metadata is None:
            serialized = constant("")
        elif hasattr(metadata, "SerializeToString"):
            serialized = constant(metadata.SerializeToString())
        at = step_tensor(step)
        return build.WriteSummary(
            resource_of_writer(), at, build.Identity(tensor), tag, serialized, name=scope
        )

    return _record(name, tensor, write, family)


@export("contrib.summary.import_event", "contrib.summary.summary.import_event")
def import_event(tensor: TensorLike, name: str | None = None) -> Operation:
    """Writes an event to the default summary writer.

    Args:
        tensor: a string scalar with a serialized Event.
        name: the name of the op.

    Returns:
        An Operation.
    """
    return build.ImportEvent(resource_of_writer(), tensor, name=name)


@export("contrib.summary.graph", "contrib.summary.summary.graph")
def write_graph(param: Any, step: TensorLike | None = None, name: str | None = None) -> Operation:
    """Writes a graph to the default summary writer.

    Args:
        param: a string scalar (e.g. a placeholder) with a serialized GraphDef.
        step: an integer or a scalar of type int64; the global step by default.
        name: the name of the op.

    Returns:
        An Operation.

    Raises:
        TypeError: if the graph is not a tensor.
    """
    if not isinstance(param, Tensor):
        raise TypeError(
            f"graph() needs a tf.Tensor (e.g. tf.placeholder) in graph mode, but was: {type(param)}"
        )
    if current_writer() is None:
        return no_op()
    with device(_HOST):
        tensor = build.Identity(param)
        at = step_tensor(step)
        return build.WriteGraphSummary(resource_of_writer(), at, tensor, name=name)
