"""The values in checkpoints of format V1: SavedTensorSlices messages, written without copies.

Numbers stand in packed fields. Those of floating point are then the bytes of the array, so they are
neither copied nor converted one by one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, string
from headwater.base.lazy import LazyModule
from headwater.io.checkpoint_table import damaged, read_varint, varint
from headwater.io.tensor_proto import make_ndarray, shape_proto, value_field
from headwater.protos.lazy import saved_tensor_slice_pb2, tensor_pb2

_message: Any = LazyModule("google.protobuf.message")

_LENGTH_DELIMITED = 2
# The field of a SavedTensorSlices that is a SavedSlice, and that of a SavedSlice with the values.
_SLICE_FIELD, _DATA_FIELD = 2, 3
_MOST_BYTES = 2**31

_RAW_FIELDS = frozenset(("float_val", "double_val", "scomplex_val", "dcomplex_val"))


def _packed_field(dtype: DType) -> tuple[int, np.dtype, bool]:
    """The number of the field of values, the type of its entries, and whether they are raw."""
    name, entries = value_field(dtype)
    return (
        tensor_pb2.TensorProto.DESCRIPTOR.fields_by_name[name].number,
        entries,
        name in _RAW_FIELDS,
    )


def _header(field: int, size: int) -> bytes:
    return varint(field << 3 | _LENGTH_DELIMITED) + varint(size)


def slice_parts(name: str, place: Any, array: np.ndarray, dtype: DType) -> list[Any]:
    """A slice as a serialized SavedTensorSlices.

    Args:
        name: the tensor.
        place: a TensorSliceProto.
        array: the values.
        dtype: the type of the elements.

    Returns:
        The parts of the message; the last one may be the memory of `array`.

    Raises:
        InvalidArgumentError: if it is too large for a message.
    """
    values = _value_parts(array, dtype)
    size = sum(map(len, values))
    if size >= _MOST_BYTES:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Tensor slice is too large to serialize (conservative estimate: {size} bytes)",
            hint="write checkpoints of format V2.",
        )
    saved = saved_tensor_slice_pb2.SavedSlice(name=name, slice=place).SerializeToString()
    # The field of the slice is there even if it is empty.
    saved += _header(_DATA_FIELD, size)
    return [_header(_SLICE_FIELD, len(saved) + size) + saved, *values]


def _value_parts(array: np.ndarray, dtype: DType) -> list[Any]:
    """A TensorProto with values only."""
    if dtype is string:
        proto = tensor_pb2.TensorProto()
        proto.string_val.extend([bytes(item) for item in array.reshape(-1).tolist()])
        return [proto.SerializeToString()]
    if not array.size:
        return []
    field, entries, raw = _packed_field(dtype)
    row = np.ascontiguousarray(array).reshape(-1).view(entries)
    data = row.view(np.uint8) if raw else _varints(row)
    return [_header(field, len(data)), data]


def _varints(row: np.ndarray) -> np.ndarray:
    """Integers as varints, negative ones in ten bytes."""
    signed = row.dtype.kind == "i"
    values = row.astype(np.int64).view(np.uint64) if signed else row.astype(np.uint64)
    lengths = np.ones(values.size, np.int64)
    rest = values >> np.uint64(7)
    while rest.any():
        lengths += rest != 0
        rest >>= np.uint64(7)
    starts = np.cumsum(lengths) - lengths
    result = np.empty(int(lengths.sum()), np.uint8)
    for group in range(int(lengths.max())):
        inside = lengths > group
        low = values[inside] >> np.uint64(7 * group) & np.uint64(127)
        more = np.where(lengths[inside] > group + 1, np.uint64(128), np.uint64(0))
        result[starts[inside] + group] = (low | more).astype(np.uint8)
    return result


def read_values(data: Any, dtype: DType, shape: tuple[int, ...]) -> np.ndarray:
    """The values of a serialized SavedTensorSlices.

    Args:
        data: the message, bytes or a memoryview.
        dtype: the type of the elements.
        shape: their shape.

    Returns:
        A new array.

    Raises:
        DataLossError: if the message is damaged or has another number of values.
    """
    view = memoryview(data)
    count = math.prod(shape)
    if dtype is not string:
        field, entries, raw = _packed_field(dtype)
        stored = _only_field(_field(_field(view, _SLICE_FIELD), _DATA_FIELD), field)
        if raw and stored is not None and len(stored) == count * dtype.size:
            row = np.frombuffer(stored, np.uint8).copy()
            return row.view(np.dtype(dtype.numpy_dtype)).reshape(shape)
    try:
        proto = saved_tensor_slice_pb2.SavedTensorSlices.FromString(bytes(view)).data.data
    except _message.DecodeError:
        raise damaged("it is not a slice of a tensor") from None
    # Values that are missing would be repeated, in as much memory as a damaged shape asks for.
    per_value = 1 if dtype is string else np.dtype(dtype.numpy_dtype).itemsize // entries.itemsize
    name = "string_val" if dtype is string else value_field(dtype)[0]
    found = len(getattr(proto, name))
    if proto.tensor_content or found != count * per_value:
        raise damaged(f"it has {found} values, but its shape has room for {count * per_value}")
    proto.dtype = dtype.as_datatype_enum
    proto.tensor_shape.CopyFrom(shape_proto(shape))
    try:
        return make_ndarray(proto)
    except (TypeError, ValueError) as error:
        raise damaged(str(error)) from None


def _field(view: memoryview | None, number: int) -> memoryview | None:
    """The content of the last field of a message, if it has this number and a length."""
    found = None
    place = 0
    while view is not None and place < len(view):
        try:
            key, place = read_varint(view, place)
            size, place = read_varint(view, place)
        except errors.DataLossError:
            return None
        if key & 7 != _LENGTH_DELIMITED or place + size > len(view):
            return None
        found = view[place : place + size] if key >> 3 == number else None
        place += size
    return found


def _only_field(view: memoryview | None, number: int) -> memoryview | None:
    """The content of a field with a length, if it is all that a message has."""
    if view is None:
        return None
    found = _field(view, number)
    if found is None or len(_header(number, len(found))) + len(found) != len(view):
        return None
    return found
