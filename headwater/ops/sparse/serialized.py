"""Tensors and sparse tensors as serialized protos."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType, as_dtype
from headwater.io.tensor_proto import make_ndarray, shape_proto
from headwater.protos.lazy import tensor_pb2


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def written(array: np.ndarray, dtype: DType) -> bytes:
    """A TensorProto with all elements in one piece of bytes."""
    if dtype is dtypes.string:
        texts = array.ravel().tolist()
        content = b"".join(_varint(len(text)) for text in texts) + b"".join(texts)
    else:
        content = np.ascontiguousarray(array).tobytes()
    proto = tensor_pb2.TensorProto(
        dtype=dtype.as_datatype_enum,
        tensor_shape=shape_proto(array.shape),
        tensor_content=content,
    )
    return proto.SerializeToString(deterministic=True)


def read(data: bytes) -> tuple[np.ndarray, DType]:
    """The array in a serialized TensorProto, and its type.

    Raises:
        InvalidArgumentError: if it is damaged.
    """
    proto = tensor_pb2.TensorProto()
    try:
        proto.ParseFromString(data)
    except Exception as error:
        # Protobuf's DecodeError; its module is loaded by the protos alone.
        if type(error).__name__ != "DecodeError":
            raise
        fail("Could not parse serialized proto")
    try:
        return make_ndarray(proto), as_dtype(proto.dtype)
    except (TypeError, ValueError) as error:
        fail(f"Could not construct tensor from proto: {error}")


def serialized_parts(
    indices: np.ndarray, values: np.ndarray, shape: np.ndarray, dtype: DType
) -> list[Any]:
    """A sparse tensor as three serialized protos: indices, values, dense shape."""
    return [
        written(indices, dtypes.int64),
        written(values, dtype),
        written(shape, dtypes.int64),
    ]
