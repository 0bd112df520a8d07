"""Values as they travel between tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.io.tensor_proto import make_ndarray, proto_with_content, shape_proto
from headwater.protos.lazy import resource_handle_pb2, tensor_pb2

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


def array_of(proto: Any, writable: bool = True) -> np.ndarray:
    """The value of a TensorProto as a run takes it.

    Args:
        proto: the TensorProto.
        writable: whether the caller may change the array; another one costs no copy.
    """
    if proto.tensor_content and not writable:
        dtype = dtypes.as_dtype(proto.dtype)
        if _is_plain(dtype):
            dims = [dim.size for dim in proto.tensor_shape.dim]
            return np.frombuffer(proto.tensor_content, dtype.numpy_dtype).reshape(dims)
    if proto.dtype == dtypes.resource.as_datatype_enum:
        data = proto.resource_handle_val[0].SerializeToString()
        return np.frombuffer(data, _HANDLE_DTYPE)
    return make_ndarray(proto)


def dtype_of(value: np.ndarray) -> DType:
    """The type of the tensor that an array is the value of."""
    return dtypes.as_dtype("string" if value.dtype == object else value.dtype)


def _is_plain(dtype: DType) -> bool:
    """Whether the elements are numbers that stand in an array as they do in a TensorProto."""
    return dtype.numpy_dtype is not None and dtype.numpy_dtype.kind in "bfiuc"


class TensorFields:
    """The fields of a message that hold tensors, written with one copy of their elements.

    A protocol buffer is extended by the bytes of further fields. A message object that owns the
    tensors would copy them several times.

    Args:
        number: the number of the field in the message.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._parts: list[Any] = []

    def add(self, value: Any, dtype: DType, name: str | None = None) -> None:
        """Adds a field.

        Args:
            value: the value, as for `tensor_proto`.
            dtype: its type.
            name: the name of a NamedTensorProto; None if the field is a TensorProto.
        """
        parts = _tensor_parts(value, dtype.base_dtype)
        if name is not None:
            text = name.encode()
            parts = [
                _length_delimited(1, len(text)),
                text,
                _length_delimited(2, _size(parts)),
                *parts,
            ]
        self._parts += [_length_delimited(self._number, _size(parts)), *parts]

    def joined(self, message: Any) -> bytes:
        """The bytes of a message with these fields."""
        return b"".join([message.SerializeToString(), *self._parts])


def _tensor_parts(value: Any, dtype: DType) -> list[Any]:
    if not _is_plain(dtype):
        return [tensor_proto(value, dtype).SerializeToString()]
    array = np.ascontiguousarray(value, dtype.numpy_dtype)
    header = tensor_pb2.TensorProto(
        dtype=dtype.as_datatype_enum, tensor_shape=shape_proto(np.shape(value))
    )
    if not array.size:
        return [header.SerializeToString()]
    content = array.reshape(-1).view(np.uint8).data
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
