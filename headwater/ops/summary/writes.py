"""The ops that write a summary, an event or a graph to the file of a SummaryWriter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.lazy import LazyModule
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.summary.buckets import add_histogram
from headwater.ops.summary.pictures import add_images, check_images
from headwater.ops.summary.serialized import (
    content_proto,
    dims_text,
    integer_of,
    new_summary,
    text_of,
)
from headwater.ops.summary.sounds import add_sounds, check_sounds
from headwater.ops.summary.writer_resource import new_event, writer_of
from headwater.protos.lazy import event_pb2, graph_pb2

_message: Any = LazyModule("google.protobuf.message")


def _write_summary(writer: Array, step: Array, summary: Any) -> tuple[()]:
    writer_of(writer).write(new_event(integer_of(step, "step"), summary=summary))
    return ()


def _no_proto(text: str) -> NoReturn:
    raise errors.DataLossError(None, None, text)


def _parsed(message: Any, data: bytes, text: str) -> Any:
    """A message from its bytes; raises DataLossError with a text if they are not one."""
    try:
        return message.FromString(data)
    except _message.DecodeError:
        _no_proto(text)


def kernel_write_summary(
    xp: ArrayModule,
    writer: Array,
    step: Array,
    tensor: Array,
    tag: Array,
    summary_metadata: Array,
    *,
    T: DType,
) -> tuple[()]:
    summary = new_summary()
    value = summary.value.add(tag=text_of(tag))
    value.tensor.CopyFrom(content_proto(np.asarray(tensor), T))
    metadata = np.asarray(summary_metadata).item()
    if metadata:
        try:
            value.metadata.ParseFromString(metadata)
        except _message.DecodeError:
            value.metadata.Clear()  # as TensorFlow does: the value counts
            value.metadata.SetInParent()
    return _write_summary(writer, step, summary)


def kernel_write_raw_proto_summary(
    xp: ArrayModule, writer: Array, step: Array, tensor: Array
) -> tuple[()]:
    summary = new_summary()
    for i, data in enumerate(np.asarray(tensor, object).reshape(-1).tolist()):
        try:
            summary.MergeFromString(data)
        except _message.DecodeError:
            _no_proto(f"Bad tf.compat.v1.Summary binary proto tensor string at index {i}")
    return _write_summary(writer, step, summary)


def kernel_write_scalar_summary(
    xp: ArrayModule, writer: Array, step: Array, tag: Array, value: Array
) -> tuple[()]:
    summary = new_summary()
    numbers = np.asarray(value).reshape(-1)
    if not numbers.size:
        fail(f"value must have an element, got shape {dims_text(np.asarray(value))}")
    with np.errstate(over="ignore"):
        number = numbers[:1].astype(np.float32).item()
    summary.value.add(tag=text_of(tag), simple_value=number)
    return _write_summary(writer, step, summary)


def kernel_write_histogram_summary(
    xp: ArrayModule, writer: Array, step: Array, tag: Array, values: Array
) -> tuple[()]:
    summary = new_summary()
    add_histogram(summary, text_of(tag), np.asarray(values))
    return _write_summary(writer, step, summary)


def kernel_write_image_summary(
    xp: ArrayModule,
    writer: Array,
    step: Array,
    tag: Array,
    tensor: Array,
    bad_color: Array,
    *,
    max_images: int,
) -> tuple[()]:
    images, color = np.asarray(tensor), np.asarray(bad_color)
    if color.ndim != 1:
        fail(f"bad_color must be a vector, got shape {dims_text(color)}")
    check_images(images)
    if color.size < images.shape[3]:
        fail(
            "expected depth <= bad_color.size, "
            f"got depth = {images.shape[3]}, bad_color.size = {color.size}"
        )
    summary = new_summary()
    add_images(summary, text_of(tag), images, max_images, color)
    return _write_summary(writer, step, summary)


def kernel_write_audio_summary(
    xp: ArrayModule,
    writer: Array,
    step: Array,
    tag: Array,
    tensor: Array,
    sample_rate: Array,
    *,
    max_outputs: int,
) -> tuple[()]:
    rate, sounds = float(sample_rate), np.asarray(tensor)
    if not rate > 0:
        fail("sample_rate must be > 0")
    check_sounds(sounds)
    summary = new_summary()
    add_sounds(summary, text_of(tag), sounds, rate, max_outputs)
    return _write_summary(writer, step, summary)


def kernel_write_graph_summary(
    xp: ArrayModule, writer: Array, step: Array, tensor: Array
) -> tuple[()]:
    data = np.asarray(tensor).item()
    _parsed(graph_pb2.GraphDef, data, "Bad tf.GraphDef binary proto tensor string")
    writer_of(writer).write(new_event(integer_of(step, "step"), graph_def=data))
    return ()


def kernel_import_event(xp: ArrayModule, writer: Array, event: Array) -> tuple[()]:
    data = np.asarray(event).item()
    text = "Bad tf.Event binary proto tensor string"
    writer_of(writer).write(_parsed(event_pb2.Event, data, text))
    return ()


def _register_write(
    name: str, inputs: str, kernel: Callable[..., tuple[()]], attrs: str = ""
) -> None:
    register_op(
        name,
        inputs=f"writer: resource, {inputs}",
        attrs=attrs,
        shape=shapes.none,
        kernel=kernel,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_write(
    "WriteSummary",
    "step: int64, tensor: T, tag: string, summary_metadata: string",
    kernel_write_summary,
    attrs="T: type",
)
_register_write(
    "WriteRawProtoSummary", "step: int64, tensor: string", kernel_write_raw_proto_summary
)
_register_write(
    "WriteScalarSummary",
    "step: int64, tag: string, value: T",
    kernel_write_scalar_summary,
    attrs="T: realnumbertype",
)
_register_write(
    "WriteHistogramSummary",
    "step: int64, tag: string, values: T",
    kernel_write_histogram_summary,
    attrs="T: realnumbertype = DT_FLOAT",
)
_register_write(
    "WriteImageSummary",
    "step: int64, tag: string, tensor: T, bad_color: uint8",
    kernel_write_image_summary,
    attrs="max_images: int >= 1 = 3, T: {uint8, float, half} = DT_FLOAT",
)
_register_write(
    "WriteAudioSummary",
    "step: int64, tag: string, tensor: float, sample_rate: float",
    kernel_write_audio_summary,
    attrs="max_outputs: int >= 1 = 3",
)
_register_write("WriteGraphSummary", "step: int64, tensor: string", kernel_write_graph_summary)
_register_write("ImportEvent", "event: string", kernel_import_event)
