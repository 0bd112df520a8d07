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


def array_of(proto: Any) -> np.ndarray:
    """The value of a TensorProto as a run takes it."""
    if proto.dtype == dtypes.resource.as_datatype_enum:
        data = proto.resource_handle_val[0].SerializeToString()
        return np.frombuffer(data, _HANDLE_DTYPE)
    return make_ndarray(proto)
