"""Arrays as TensorProto messages, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.array_values import (
    array_of_elements,
    expanded,
    filled,
    given_elements,
    is_broadcast,
    shape_tuple,
)
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import as_tuple
from headwater.base.typing import DTypeLike
from headwater.protos.lazy import tensor_pb2, tensor_shape_pb2

_MAX_BYTES = 2**31

# The type name of a variant that holds a tensor.
_TENSOR_TYPE = "tensorflow::Tensor"

# dtype -> the field for single values, and the dtype that its entries are views of.
_VALUE_FIELDS: dict[DType, tuple[str, np.dtype]] = {
    as_dtype(name): (field, np.dtype(entries))
    for name, field, entries in (
        ("float32", "float_val", np.float32),
        ("float64", "double_val", np.float64),
        ("int32", "int_val", np.int32),
        ("uint8", "int_val", np.uint8),
        ("int16", "int_val", np.int16),
        ("int8", "int_val", np.int8),
        ("uint16", "int_val", np.uint16),
        ("qint8", "int_val", np.int8),
        ("quint8", "int_val", np.uint8),
        ("qint32", "int_val", np.int32),
        ("qint16", "int_val", np.int16),
        ("quint16", "int_val", np.uint16),
        ("complex64", "scomplex_val", np.float32),
        ("complex128", "dcomplex_val", np.float64),
        ("int64", "int64_val", np.int64),
        ("bool", "bool_val", np.bool_),
        ("float16", "half_val", np.uint16),
        ("bfloat16", "half_val", np.uint16),
        ("uint32", "uint32_val", np.uint32),
        ("uint64", "uint64_val", np.uint64),
    )
}

# The dtypes whose values TensorFlow's Python API writes to tensor_content, if there are several.
_CONTENT_DTYPES = frozenset(
    dtype
    for dtype in _VALUE_FIELDS
    if dtype.name not in ("bool", "float16", "bfloat16", "uint16", "complex64", "complex128")
)


def value_field(dtype: DType) -> tuple[str, np.dtype]:
    """The field of a TensorProto for single values, and the type that its entries are views of."""
    return _VALUE_FIELDS[dtype]


@export("make_tensor_proto", "contrib.util.make_tensor_proto")
def make_tensor_proto(
    values: Any,
    dtype: DTypeLike | None = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Writes a value as a TensorProto.

    Args:
      values: what `tf.constant` takes. A TensorProto comes back as it is.
      dtype: the element type; None to take it from the values.
      shape: the dimensions; if there are fewer values, the last one stands for the rest.
      verify_shape: whether the values must have exactly this shape.
      allow_broadcast: whether, instead, the values must be one or as many as the shape holds.

    Returns:
      A TensorProto. Several numbers are stored as bytes, one number, strings, booleans and 16-bit
      floats in the field of their type.

    Raises:
      TypeError: if a value does not fit the dtype, or the shape is not that of `values`.
      ValueError: if `values` is None or not rectangular, has more elements than `shape`, takes
        2 GB or more, or if both `verify_shape` and `allow_broadcast` are set.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, tensor_pb2.TensorProto):
        return values
    if dtype is dtypes.variant and isinstance(values, np.ndarray):
        return proto_of_elements(values, dtypes.variant, values.shape)
    if shape is None and isinstance(values, np.ndarray) and is_broadcast(values):
        # The element that stands for all.
        values, shape = values[(slice(1),) * values.ndim].reshape(1), values.shape
    elif shape is None and isinstance(values, np.ndarray):
        given = given_elements(values)
        if given is not values:
            values, shape = given, values.shape
    if shape is None:
        array, element_type = array_of_elements(values, dtype)
        return proto_of_elements(array, element_type, array.shape)
    dims = shape_tuple(shape)
    size = math.prod(dims)
    if allow_broadcast and size:
        array, element_type = array_of_elements(values, dtype)
        if array.size != size and array.shape not in ((), (1,)):
            raise TypeError(f"Expected Tensor's shape: {dims}, got {array.shape}.")
    else:
        array, element_type = array_of_elements(values, dtype, dims, verify_shape)
    return proto_of_elements(array, element_type, dims)


def proto_of_elements(array: np.ndarray, dtype: DType, dims: tuple[int, ...]) -> Any:
    """Writes the elements of `array`, the last of which fills up the shape `dims`."""
    proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shape_proto(dims))
    if dtype is dtypes.string:
        proto.string_val.extend([bytes(value) for value in array.reshape(-1).tolist()])
        return proto
    if dtype is dtypes.variant:
        proto.variant_val.extend(variant_proto(value) for value in array.reshape(-1).tolist())
        return proto
    if array.nbytes >= _MAX_BYTES:
        raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
    if array.size > 1 and array.size == math.prod(dims) and dtype in _CONTENT_DTYPES:
        proto.tensor_content = array.tobytes()
    elif array.size and math.prod(dims):
        field, entries = _VALUE_FIELDS[dtype]
        getattr(proto, field).extend(_viewed(array, entries).tolist())
    return proto


def proto_with_content(array: np.ndarray, dtype: DType) -> Any:
    """Writes an array as `tensor_content`, as TensorFlow's runtime does; variants one by one."""
    if dtype is dtypes.variant:
        return proto_of_elements(np.asarray(array, object), dtype, np.shape(array))
    array = np.asarray(array)
    proto = tensor_pb2.TensorProto(
        dtype=dtype.as_datatype_enum, tensor_shape=shape_proto(array.shape)
    )
    if dtype is dtypes.string:
        strings = [bytes(value) for value in array.reshape(-1).tolist()]
        proto.tensor_content = b"".join([_varint(len(value)) for value in strings] + strings)
    else:
        proto.tensor_content = array.tobytes()
    return proto


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


# A tiny proto may declare any shape: reject sizes that no machine can hold first.
_MOST_ELEMENTS = 2**36


@export("make_ndarray", "contrib.util.make_ndarray")
def make_ndarray(tensor: Any) -> np.ndarray:
    """Reads the value of a TensorProto.

    Args:
      tensor: a TensorProto; if it holds fewer values than its shape, the last one is repeated.

    Returns:
      A new array of the shape and dtype of the proto. Strings are an object array of bytes;
      variants are one of integers or arrays, or else of their protos.

    Raises:
      TypeError: if the dtype has no array form (resource).
      ValueError: if the values do not fit the shape.
    """
    return expanded(array_of_proto(tensor))


def array_of_proto(tensor: Any) -> np.ndarray:
    """`make_ndarray`, but with a read-only broadcast where the proto repeats one value."""
    dims = tuple([dim.size for dim in tensor.tensor_shape.dim])
    if math.prod(dims) > _MOST_ELEMENTS:
        raise ValueError(f"The shape of the tensor proto is too large: {list(dims)}.")
    dtype = as_dtype(tensor.dtype).base_dtype
    if dtype is dtypes.string:
        strings = np.empty(len(tensor.string_val), object)
        strings[:] = list(tensor.string_val)
        if tensor.tensor_content:
            strings = _strings_of_content(tensor.tensor_content, math.prod(dims))
        return _fitted(strings, dims)
    if dtype is dtypes.variant:
        variants = np.empty(len(tensor.variant_val), object)
        for i, value in enumerate(tensor.variant_val):
            variants[i] = variant_value(value)
        return _fitted(variants, dims)
    if dtype not in _VALUE_FIELDS or dtype.numpy_dtype is None:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}")
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype.numpy_dtype).reshape(dims).copy()
    field, entries = _VALUE_FIELDS[dtype]
    values = np.array(getattr(tensor, field))
    if values.size == 0:
        return np.zeros(dims, dtype.numpy_dtype)
    # Entries wider than the dtype, such as int_val of an int8, keep their low bits.
    return _fitted(values.astype(entries).view(dtype.numpy_dtype), dims)


MakeNdarray = make_ndarray


def variant_value(proto: Any) -> Any:
    """The Python value of a variant: an integer or an array, or else the proto itself."""
    if proto.type_name == "int" and len(proto.metadata) == 4:
        return int.from_bytes(proto.metadata, "little", signed=True)
    if proto.type_name == _TENSOR_TYPE and len(proto.tensors) == 1:
        return make_ndarray(proto.tensors[0])
    return proto


def variant_proto(value: Any) -> Any:
    """The VariantTensorDataProto of an integer or an array; a proto stays as it is."""
    if isinstance(value, np.ndarray):
        tensor = make_tensor_proto(value, dtypes.string if value.dtype == object else None)
        return tensor_pb2.VariantTensorDataProto(type_name=_TENSOR_TYPE, tensors=[tensor])
    if not isinstance(value, int):
        return value
    metadata = value.to_bytes(4, "little", signed=True)
    return tensor_pb2.VariantTensorDataProto(type_name="int", metadata=metadata)


def shape_proto(shape: Any) -> Any:
    """Writes a shape in any form, unknown sizes as -1, as a TensorShapeProto."""
    dims = as_tuple(shape)
    if dims is None:
        return tensor_shape_pb2.TensorShapeProto(unknown_rank=True)
    proto = tensor_shape_pb2.TensorShapeProto()
    for size in dims:
        proto.dim.add(size=-1 if size is None else size)
    return proto


def _viewed(array: np.ndarray, entries: np.dtype) -> np.ndarray:
    """The elements in a row, as entries of a value field."""
    return np.ascontiguousarray(array).reshape(-1).view(entries)


def _fitted(values: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    size = math.prod(dims)
    if values.size > size:
        raise ValueError(
            f"The tensor proto has {values.size} values, but its shape {dims} has room for {size}."
        )
    return filled(values, dims)


def _strings_of_content(content: bytes, count: int) -> np.ndarray:
    """Reads `count` strings from one buffer: all lengths as varints, then all contents."""
    lengths = []
    place = 0
    for _ in range(count):
        length = shift = 0
        while True:
            if place >= len(content):
                raise ValueError("The string tensor ends within the lengths of its strings.")
            byte = content[place]
            place += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        lengths.append(length)
    if place + sum(lengths) != len(content):
        raise ValueError(
            f"The string tensor has {len(content) - place} bytes of text, "
            f"but the lengths of its strings add up to {sum(lengths)}."
        )
    strings = np.empty(count, object)
    for i, length in enumerate(lengths):
        strings[i] = content[place : place + length]
        place += length
    return strings
