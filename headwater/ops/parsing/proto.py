"""Fields of serialized protocol buffers as tensors: DecodeProtoV2, EncodeProto."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.parsing import proto_fields


def _checked_messages(
    data: list[bytes], make: Callable[..., Any], message_format: str, sanitize: bool
) -> list[bytes]:
    """The messages in their binary form."""
    if message_format == "binary" and not sanitize:
        return data
    # Loaded when it is needed: most programs give messages in binary form.
    text_format = importlib.import_module("google.protobuf.text_format")
    result = []
    for item in data:
        message = make()
        if message_format == "text":
            try:
                text_format.Parse(item, message)
            except (text_format.ParseError, UnicodeDecodeError):
                raise errors.DataLossError(None, None, "Unable to parse text protobuf") from None
        else:
            try:
                message.ParseFromString(item)
            except Exception:  # the class depends on the protobuf implementation
                raise errors.DataLossError(None, None, "Unable to parse binary protobuf") from None
        result.append(message.SerializeToString())
    return result


def kernel_decode_proto(
    xp: ArrayModule,
    data: np.ndarray,
    *,
    message_type: str,
    field_names: list[str],
    output_types: list[DType],
    descriptor_source: str | bytes,
    message_format: str,
    sanitize: bool,
) -> tuple[Array, ...]:
    if len(field_names) != len(output_types):
        fail("field_names and output_types attributes must have the same length")
    descriptor, make = proto_fields.message_of(descriptor_source, message_type)
    fields = proto_fields.fields_of(descriptor, field_names, message_type)
    for name, field, dtype in zip(field_names, fields, output_types):
        if not field.fits(dtype):
            fail(
                f"Unexpected output type for {message_type}.{name}: {field.descriptor.cpp_type} to "
                f"{dtype.as_datatype_enum}"
            )
    if message_format not in ("binary", "text"):
        fail("format must be one of binary or text")
    if not data.size:
        fail("Bufs argument must contain at least one value")
    messages = _checked_messages(data.ravel().tolist(), make, message_format, sanitize)
    rows = [proto_fields.values_of(message, fields) for message in messages]
    sizes = np.array([[len(values) for values in row] for row in rows], np.int32)
    result = [sizes.reshape(*data.shape, len(fields))]
    for i, (field, dtype) in enumerate(zip(fields, output_types)):
        values = proto_fields.array_of([row[i] for row in rows], field.default(), dtype.numpy_dtype)
        result.append(values.reshape(*data.shape, values.shape[1]))
    return tuple(result)


def shape_decode_proto(c: shapes.ShapeContext) -> list[Shape]:
    batch = c.shape("bytes")
    count = len(c.attr("output_types"))
    if batch is None:
        return [None] * (count + 1)
    return [(*batch, len(c.attr("field_names"))), *[(*batch, None)] * count]


def kernel_encode_proto(
    xp: ArrayModule,
    sizes: np.ndarray,
    values: list[np.ndarray],
    *,
    field_names: list[str],
    message_type: str,
    descriptor_source: str | bytes,
    Tinput_types: list[DType],
) -> np.ndarray:
    descriptor, _ = proto_fields.message_of(descriptor_source, message_type)
    fields = proto_fields.fields_of(descriptor, field_names, message_type)
    if len(values) != len(fields):
        fail("Length of inputs list must match field_names")
    batch = values[0].shape[:-1]
    if sizes.shape != (*batch, len(fields)):
        fail(
            "sizes should be batch_size + [len(field_names)].  Saw: "
            f"{shapes.show(sizes.shape)} but expected: {shapes.show((*batch, len(fields)))}"
        )
    columns = []
    for name, field, dtype, part in zip(field_names, fields, Tinput_types, values):
        if not field.fits(dtype):
            kind = {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)
            fail(
                f"Incompatible type for field {name}.  Saw dtype: {kind} but field type is: "
                f"{field.kind}"
            )
        if part.shape[:-1] != batch:
            fail("All values must have the same leading dimensions")
        columns.append(part.reshape(-1, part.shape[-1]))
    order = sorted(range(len(fields)), key=lambda i: fields[i].number)
    messages = []
    for at, counts in enumerate(sizes.reshape(-1, len(fields)).tolist()):
        message = []
        for i in order:
            row = columns[i][at]
            if counts[i] > len(row):
                fail(
                    "Size to write must not be larger than value tensor; but saw: "
                    f"{counts[i]} > {len(row)} at message {at} field {i}"
                )
            if counts[i]:
                message.append(fields[i].write(row[: max(counts[i], 0)].tolist()))
        messages.append(b"".join(message))
    result = np.empty(len(messages), object)
    result[:] = messages
    return result.reshape(batch)


def shape_encode_proto(c: shapes.ShapeContext) -> Shape:
    result: Any = None
    for shape in c.shapes[1:]:
        if shape is None:
            continue
        if len(shape) < 2:
            c.fail(f"Shape must be at least rank 2 but is rank {len(shape)}")
        batch = shape[:-1]
        result = batch if result is None else c.merge(result, batch)
    return result


def samples_encode_proto() -> Iterator[Sample]:
    types: dict[str, Any] = {"message_type": "tensorflow.Int64List", "field_names": ["value"]}
    yield Sample(np.array([[2], [1]], np.int32), [np.array([[3, -4], [5, 6]], np.int64)], **types)


register_op(
    "DecodeProtoV2",
    inputs="bytes: string",
    outputs="sizes: int32, values: output_types",
    attrs="message_type: string, field_names: list(string), output_types: list(type) >= 0, "
    "descriptor_source: string = 'local://', message_format: string = 'binary', "
    "sanitize: bool = false",
    shape=shape_decode_proto,
    kernel=kernel_decode_proto,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "EncodeProto",
    inputs="sizes: int32, values: Tinput_types",
    outputs="bytes: string",
    attrs="field_names: list(string), message_type: string, "
    "descriptor_source: string = 'local://', Tinput_types: list(type) >= 1",
    shape=shape_encode_proto,
    kernel=kernel_encode_proto,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_encode_proto,
    runs_on=RunsOn.HOST,
)


@export("io.decode_proto", "contrib.proto.decode_proto")
def decode_proto(
    bytes: TensorLike,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[DTypeLike],
    descriptor_source: str | Any = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Reads fields of serialized protocol buffers.

    Args:
        bytes: the messages, strings of any shape [batch...].
        message_type: the full name of the type of the messages.
        field_names: the names of the wanted fields.
        output_types: for each of them the type of its values. Messages in messages are strings.
        descriptor_source: where the type is described: "local://" for the messages of TensorFlow
            and of imported modules, "bytes://" followed by a serialized FileDescriptorSet, or the
            name of a file with one.
        message_format: "binary" or "text".
        sanitize: whether the messages are parsed and written anew first.
        name: the name of the node.

    Returns:
        A named tuple: `sizes`, int32 [batch..., fields], the number of values in each message,
        and `values`, for each field a tensor [batch..., most values], filled up with the default
        of the field.

    Raises:
        InvalidArgumentError: when it runs: if type or field are unknown or the types do not fit.
        DataLossError: when it runs: if a string is not a message.
    """
    return build.DecodeProtoV2(
        bytes,
        message_type=message_type,
        field_names=field_names,
        output_types=output_types,
        descriptor_source=descriptor_source,
        message_format=message_format,
        sanitize=sanitize,
        name=name,
    )


@export("io.encode_proto", "contrib.proto.encode_proto")
def encode_proto(
    sizes: TensorLike,
    values: Sequence[TensorLike],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: str | Any = "local://",
    name: str | None = None,
) -> Tensor:
    """Writes fields as serialized protocol buffers.

    Args:
        sizes: the number of values in each message, int32 [batch..., fields].
        values: for each field a tensor [batch..., most values].
        field_names: the names of the fields.
        message_type: the full name of the type of the messages.
        descriptor_source: where the type is described, see `decode_proto`.
        name: the name of the node.

    Returns:
        The messages, strings of shape [batch...].

    Raises:
        InvalidArgumentError: when it runs: if type or field are unknown, the types do not fit, or
            there are fewer values than `sizes` says.
    """
    return build.EncodeProto(
        sizes,
        values,
        field_names=field_names,
        message_type=message_type,
        descriptor_source=descriptor_source,
        name=name,
    )
