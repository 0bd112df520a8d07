"""Summaries that hold whole tensors, texts among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, Tensor, build, export, register_op, shapes
from headwater.ops.summary.scope import collect, of_first_replica, summary_scope
from headwater.ops.summary.serialized import content_proto, new_summary, serialized, text_of
from headwater.protos.lazy import summary_pb2

if TYPE_CHECKING:
    from headwater.protos.summary_pb2 import SummaryMetadata


def kernel_tensor_summary(xp: ArrayModule, tensor: Array, *, T: DType, op_name: str) -> np.ndarray:
    summary = new_summary()
    value = summary.value.add(node_name=op_name)
    value.tensor.CopyFrom(content_proto(np.asarray(tensor), T))
    return serialized(summary)


def kernel_tensor_summary_v2(
    xp: ArrayModule,
    tag: Array,
    tensor: Array,
    serialized_summary_metadata: Array,
    *,
    T: DType,
) -> np.ndarray:
    summary = new_summary()
    value = summary.value.add(tag=text_of(tag))
    value.tensor.CopyFrom(content_proto(np.asarray(tensor), T))
    value.metadata.ParseFromString(np.asarray(serialized_summary_metadata).item())
    return serialized(summary)


register_op(
    "TensorSummary",
    inputs="tensor: T",
    outputs="summary: string",
    attrs=(
        "T: type, description: string = '', labels: list(string) = [], display_name: string = ''"
    ),
    shape=shapes.scalar,
    kernel=kernel_tensor_summary,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "TensorSummaryV2",
    inputs="tag: string, tensor: T, serialized_summary_metadata: string",
    outputs="summary: string",
    attrs="T: type",
    shape=shapes.scalar,
    kernel=kernel_tensor_summary_v2,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("summary.tensor_summary")
@of_first_replica
def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: Sequence[str] | None = None,
    summary_metadata: SummaryMetadata | None = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """Makes a summary that holds a tensor.

    Args:
        name: the name of the node, which is also the tag unless there is a display name.
        tensor: a tensor of any shape and type.
        summary_description: a text about it.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        summary_metadata: a SummaryMetadata for the plugin that shows the value.
        family: a prefix of the tag, by which TensorBoard groups.
        display_name: the name that is shown.

    Returns:
        A string scalar that holds a serialized Summary.
    """
    metadata = summary_pb2.SummaryMetadata()
    if summary_metadata is not None:
        # TensorBoard's own summaries hand over the message that it has of this name.
        metadata.ParseFromString(summary_metadata.SerializeToString())
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        summary = build.TensorSummaryV2(tag, tensor, metadata.SerializeToString(), name=scope)
        return collect(summary, collections)


@export("summary.text")
@of_first_replica
def text(name: str, tensor: TensorLike, collections: Sequence[str] | None = None) -> Tensor:
    """Makes a summary of texts, which TensorBoard shows as Markdown.

    Args:
        name: the name of the node, which is also the tag.
        tensor: a string tensor.
        collections: the keys of the collections that get the summary; SUMMARIES by default.

    Returns:
        A string scalar that holds a serialized Summary.

    Raises:
        ValueError: if the tensor is of another type.
    """
    if tensor.dtype.base_dtype is not dtypes.string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    metadata = summary_pb2.SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)


@export("summary.get_summary_description")
def get_summary_description(node_def: Any) -> Any:
    """Reads the description of a TensorSummary node.

    Args:
        node_def: a NodeDef.

    Returns:
        A SummaryDescription.

    Raises:
        ValueError: if the node is of another type.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    # Module json_format loads protobuf.
    from google.protobuf import json_format

    description = summary_pb2.SummaryDescription()
    json_format.Parse(node_def.attr["description"].s.decode() or "{}", description)
    return description
