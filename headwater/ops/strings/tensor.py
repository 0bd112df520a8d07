"""Tensors as serialized TensorProtos: SerializeTensor, ParseTensor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import ArrayModule, DTypeLike, TensorLike
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
from headwater.io.tensor_proto import make_ndarray, make_tensor_proto, shape_proto
from headwater.ops.strings.elements import invalid, shape_text, show, strings
from headwater.protos.lazy import tensor_pb2


def kernel_serialize_tensor(xp: ArrayModule, x: np.ndarray, *, T: DType) -> np.ndarray:
    proto = tensor_pb2.TensorProto(dtype=T.as_datatype_enum, tensor_shape=shape_proto(x.shape))
    if T is dtypes.string:
        proto.string_val.extend(x.ravel().tolist())
    elif x.dtype == object:
        proto = make_tensor_proto(x, T)
    else:
        proto.tensor_content = np.ascontiguousarray(x).tobytes()
    return strings([proto.SerializeToString()], ())


def kernel_parse_tensor(xp: ArrayModule, serialized: np.ndarray, *, out_type: DType) -> np.ndarray:
    if serialized.ndim:
        invalid(f"Expected `serialized` to be a scalar, got shape: {shape_text(serialized)}")
    data = serialized.item()
    proto = tensor_pb2.TensorProto()
    try:
        proto.ParseFromString(data)
    except Exception as error:
        # Protobuf's DecodeError; its module is loaded by the protos alone.
        if type(error).__name__ != "DecodeError":
            raise
        invalid(f"Could not parse `serialized` as TensorProto: '{show(data)}'")
    try:
        found = as_dtype(proto.dtype)
    except (TypeError, ValueError):
        invalid(f"Cannot parse tensor from proto: {proto}")
    if found is not out_type:
        if not proto.dtype:
            invalid(f"Cannot parse tensor from proto: {proto}")
        invalid(
            f"Type mismatch between parsed tensor ({_type(found)}) and dtype ({_type(out_type)})"
        )
    try:
        return make_ndarray(proto)
    except (TypeError, ValueError) as error:
        invalid(f"Cannot parse tensor from proto: {proto}", hint=str(error))


def _type(dtype: DType) -> str:
    return {"float16": "half", "float32": "float", "float64": "double"}.get(dtype.name, dtype.name)


def samples_serialize_tensor() -> Iterator[Sample]:
    yield Sample(np.array([[1, 2], [3, 4]], np.int32))
    yield Sample(np.float32(1.5))
    yield Sample(np.array([b"a", b"\xff"], object))


def samples_parse_tensor() -> Iterator[Sample]:
    for value in (np.array([[1, 2]], np.int64), np.array(True), np.array([b"a", b""], object)):
        dtype = as_dtype(value.dtype)
        yield Sample(kernel_serialize_tensor(np, value, T=dtype), out_type=dtype)


register_op(
    "SerializeTensor",
    inputs="tensor: T",
    outputs="serialized: string",
    attrs="T: type",
    shape=shapes.scalar,
    kernel=kernel_serialize_tensor,
    samples=samples_serialize_tensor,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "ParseTensor",
    inputs="serialized: string",
    outputs="output: out_type",
    attrs="out_type: type",
    shape=shapes.unknown,
    kernel=kernel_parse_tensor,
    samples=samples_parse_tensor,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
    gradient=NOT_DIFFERENTIABLE,
)


@export("serialize_tensor", "io.serialize_tensor")
def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Writes a tensor as a serialized TensorProto.

    Args:
        tensor: any tensor.
        name: the name of the node.

    Returns:
        A string scalar.
    """
    return build.SerializeTensor(tensor, name=name)


@export("parse_tensor", "io.parse_tensor")
def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """Reads a serialized TensorProto.

    Args:
        serialized: a string scalar.
        out_type: the type of the tensor.
        name: the name of the node.

    Returns:
        A tensor of unknown shape.
    """
    return build.ParseTensor(serialized, out_type=out_type, name=name)
