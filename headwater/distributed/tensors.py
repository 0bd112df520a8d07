"""Values as they travel between tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.io.tensor_proto import make_ndarray, proto_with_content, shape_proto
from headwater.protos.lazy import resource_handle_pb2, tensor_pb2

# What comes beside the bytes of a message on a link: the elements of its large tensors.
Attachments = Sequence[Any]

# The elements of larger tensors go beside the message.
MOST_INSIDE_BYTES = 1 << 16
_HANDLE_DTYPE = [("resource", np.uint8)]


def tensor_proto(value: Any, dtype: DType) -> Any:
    """The TensorProto of a value.

    Args:
        value: an array or scalar; for a handle, what a session returns for it.
        dtype: the type of the tensor.
    """
    dtype = dtype.base_dtype
    if dtype is dtypes.resource:
        proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shape_proto(()))
        proto.resource_handle_val.append(
            resource_handle_pb2.ResourceHandleProto.FromString(np.asarray(value).tobytes())
        )
        return proto
    return proto_with_content(value, dtype)


def array_of(proto: Any, writable: bool = True, attachments: Attachments = ()) -> np.ndarray:
    """The value of a TensorProto as a run takes it.

    Args:
        proto: the TensorProto.
        writable: whether the caller may change the array; another one costs no copy.
        attachments: what came with the message that has the TensorProto.
    """
    content: Any = proto.tensor_content
    if proto.version_number and len(attachments) >= proto.version_number:
        content, writable = attachments[proto.version_number - 1], False
    if len(content) and not writable:
        dtype = dtypes.as_dtype(proto.dtype)
        if _is_plain(dtype):
            dims = [dim.size for dim in proto.tensor_shape.dim]
            return np.frombuffer(content, dtype.numpy_dtype).reshape(dims)
    if proto.dtype == dtypes.resource.as_datatype_enum:
        data = proto.resource_handle_val[0].SerializeToString()
        return np.frombuffer(data, _HANDLE_DTYPE)
    return make_ndarray(proto)


def attachments_of(context: Any) -> Attachments:
    """What came beside the request of a call: nothing, unless it came over a link."""
    found: Attachments = getattr(context, "attachments", ())
    return found


def arrays_of(
    named: Iterable[Any], attachments: Attachments, writable: bool = True
) -> dict[str, np.ndarray]:
    """The values of NamedTensorProtos by name; see `array_of`."""
    return {n.name: array_of(n.tensor, writable, attachments) for n in named}


def dtype_of(value: np.ndarray) -> DType:
    """The type of the tensor that an array is the value of."""
    return dtypes.as_dtype("string" if value.dtype == object else value.dtype)


def _is_plain(dtype: DType) -> bool:
    """Whether the elements are numbers that stand in an array as they do in a TensorProto."""
    return dtype.numpy_dtype is not None and dtype.numpy_dtype.kind in "bfiuc"


class TensorFields:
    """A message whose last fields are tensors.

    Alone, it is written with one copy of their elements; a message object that owns the tensors
    would copy them several times. On a link the elements of large tensors go beside it.

    Args:
        message: the message without these fields.
        number: the number of the field.
    """

    def __init__(self, message: Any, number: int) -> None:
        self._message = message
        self._number = number
        self._tensors: list[tuple[Any, DType, str | None]] = []

    def add(self, value: Any, dtype: DType, name: str | None = None) -> None:
        """Adds a field.

        Args:
            value: the value, as for `tensor_proto`; it must not change until the message is sent.
            dtype: its type.
            name: the name of a NamedTensorProto; None if the field is a TensorProto.
        """
        self._tensors.append((value, dtype.base_dtype, name))

    def joined(self) -> bytes:
        """The bytes of the message."""
        return self._written(None)

    def split(self) -> tuple[bytes, list[memoryview]]:
        """The bytes of the message without the elements of large tensors, and these."""
        apart: list[memoryview] = []
        return self._written(apart), apart

    def _written(self, apart: list[memoryview] | None) -> bytes:
        parts: list[Any] = [self._message.SerializeToString()]
        for value, dtype, name in self._tensors:
            tensor = _tensor_parts(value, dtype, apart)
            if name is not None:
                text = name.encode()
                tensor = [
                    _length_delimited(1, len(text)),
                    text,
                    _length_delimited(2, _size(tensor)),
                    *tensor,
                ]
            parts += [_length_delimited(self._number, _size(tensor)), *tensor]
        return b"".join(parts)


def _tensor_parts(value: Any, dtype: DType, apart: list[memoryview] | None) -> list[Any]:
    if not _is_plain(dtype):
        return [tensor_proto(value, dtype).SerializeToString()]
    array = np.ascontiguousarray(value, dtype.numpy_dtype)
    header = tensor_pb2.TensorProto(
        dtype=dtype.as_datatype_enum, tensor_shape=shape_proto(np.shape(value))
    )
    if not array.size:
        return [header.SerializeToString()]
    content = array.reshape(-1).view(np.uint8).data
    if apart is not None and array.nbytes > MOST_INSIDE_BYTES:
        apart.append(content)
        # The number of the attachment; TensorFlow leaves this field unused.
        header.version_number = len(apart)
        return [header.SerializeToString()]
    return [header.SerializeToString(), _length_delimited(4, array.nbytes), content]


def _size(parts: list[Any]) -> int:
    return sum(map(len, parts))


def _length_delimited(number: int, length: int) -> bytes:
    """The tag and the length of a field of bytes or of a message."""
    result = bytearray((number << 3 | 2,))
    while length >= 0x80:
        result.append(length & 0x7F | 0x80)
        length >>= 7
    result.append(length)
    return bytes(result)
