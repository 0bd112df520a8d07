"""Shared by the summary ops: serialized protos as values of string tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array
from headwater.io.tensor_proto import shape_proto
from headwater.protos.lazy import summary_pb2, tensor_pb2

if TYPE_CHECKING:
    from headwater.protos.summary_pb2 import Summary
    from headwater.protos.tensor_pb2 import TensorProto


def new_summary() -> Summary:
    """An empty Summary proto."""
    return summary_pb2.Summary()


def serialized(summary: Summary) -> np.ndarray:
    """A proto as a scalar of dtype string."""
    result = np.empty((), object)
    result[()] = summary.SerializeToString()
    return result


def text_of(value: Array, name: str = "tags") -> str:
    """A string scalar, a tag for example, as text.

    Raises:
        InvalidArgumentError: if it is not a scalar.
    """
    if np.ndim(value):
        fail(f"{name} must be scalar")
    item = value.item() if isinstance(value, (np.ndarray, np.generic)) else value
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


def integer_of(value: Array, name: str) -> int:
    """An integer scalar, a step for example, as an int.

    Raises:
        InvalidArgumentError: if it is not a scalar.
    """
    if np.ndim(value):
        fail(f"{name} must be scalar")
    return int(value)


def dims_text(array: np.ndarray) -> str:
    """A shape as error texts show it."""
    return "[" + ",".join(str(size) for size in array.shape) + "]"


def content_proto(array: np.ndarray, dtype: DType) -> TensorProto:
    """A TensorProto in the form of TensorFlow's kernels: all numbers in tensor_content."""
    proto = tensor_pb2.TensorProto(
        dtype=dtype.as_datatype_enum, tensor_shape=shape_proto(array.shape)
    )
    if dtype.name == "string":
        proto.string_val.extend([bytes(value) for value in array.reshape(-1).tolist()])
    else:
        proto.tensor_content = array.tobytes()
    return proto
