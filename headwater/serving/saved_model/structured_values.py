"""Structures of values as protos: signatures of functions, TypeSpecs."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.graph.composite_specs import IndexedSlicesSpec, SparseTensorSpec
from headwater.graph.type_spec import TensorSpec, TypeSpec
from headwater.model.ragged.spec import RaggedTensorSpec
from headwater.protos.lazy import struct_pb2

if TYPE_CHECKING:
    from headwater.protos.struct_pb2 import StructuredValue, TypeSpecProto

# The numbers are those of TypeSpecProto.TypeSpecClass.
_CLASSES: dict[type[TypeSpec], int] = {
    SparseTensorSpec: 1,
    IndexedSlicesSpec: 2,
    RaggedTensorSpec: 3,
}


class NotEncodableError(Exception):
    """Raised if there is no proto for a value."""


def type_spec_proto(spec: TypeSpec) -> TypeSpecProto:
    """Returns a TypeSpec as a TypeSpecProto.

    Raises:
        NotEncodableError: if there is no proto for specs of its class.
    """
    if type(spec) not in _CLASSES:
        raise NotEncodableError(f"No encoder for object [{spec}] of type [{type(spec)}].")
    return struct_pb2.TypeSpecProto(
        type_spec_class=_CLASSES[type(spec)],
        type_state=encoded(spec._serialize()),
        type_spec_class_name=type(spec).__name__,
    )


def type_spec_of(proto: TypeSpecProto) -> TypeSpec:
    """Returns the TypeSpec of a TypeSpecProto.

    Raises:
        ValueError: if there are no specs of its class.
    """
    for spec_class, number in _CLASSES.items():
        if number == proto.type_spec_class:
            spec: TypeSpec = spec_class._deserialize(decoded(proto.type_state))
            return spec
    raise ValueError(
        f"The type '{proto.type_spec_class_name}' is not supported by this version of TensorFlow."
    )


def encoded(value: Any) -> StructuredValue:
    """Returns a value as a StructuredValue.

    Args:
        value: None, a number, text, a shape, a type, a TypeSpec, or a structure of such values.

    Raises:
        NotEncodableError: if there is no proto for a part of it.
    """
    proto: StructuredValue = struct_pb2.StructuredValue()
    if value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, bool):
        proto.bool_value = value
    elif isinstance(value, int):
        proto.int64_value = value
    elif isinstance(value, float):
        proto.float64_value = value
    elif isinstance(value, str):
        proto.string_value = value
    elif isinstance(value, TensorShape):
        proto.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, DType):
        proto.tensor_dtype_value = value.as_datatype_enum  # type: ignore[assignment]
    elif isinstance(value, TensorSpec):
        spec = proto.tensor_spec_value
        spec.shape.CopyFrom(value.shape.as_proto())
        spec.dtype = value.dtype.as_datatype_enum  # type: ignore[assignment]
        spec.name = value.name or ""
    elif isinstance(value, TypeSpec):
        proto.type_spec_value.CopyFrom(type_spec_proto(value))
    else:
        _encode_structure(value, proto)
    return proto


def _encode_structure(value: Any, proto: StructuredValue) -> None:
    if isinstance(value, Mapping):
        proto.dict_value.SetInParent()
        for key, item in value.items():
            proto.dict_value.fields[key].CopyFrom(encoded(item))
    elif hasattr(value, "_fields"):
        proto.named_tuple_value.name = type(value).__name__
        for name, item in zip(value._fields, value):
            proto.named_tuple_value.values.add(key=name, value=encoded(item))
    elif isinstance(value, tuple):
        proto.tuple_value.SetInParent()
        proto.tuple_value.values.extend(map(encoded, value))
    elif isinstance(value, list):
        proto.list_value.SetInParent()
        proto.list_value.values.extend(map(encoded, value))
    else:
        raise NotEncodableError(f"No encoder for object [{value}] of type [{type(value)}].")


def decoded(proto: StructuredValue) -> Any:
    """Returns the value of a StructuredValue."""
    kind = proto.WhichOneof("kind")
    if kind == "tuple_value":
        return tuple(map(decoded, proto.tuple_value.values))
    if kind == "list_value":
        return list(map(decoded, proto.list_value.values))
    if kind == "dict_value":
        fields = proto.dict_value.fields
        return {key: decoded(fields[key]) for key in sorted(fields)}
    if kind == "named_tuple_value":
        pairs = proto.named_tuple_value.values
        kind_of_tuple = namedtuple(proto.named_tuple_value.name, [p.key for p in pairs])  # type: ignore[misc]
        return kind_of_tuple(*(decoded(pair.value) for pair in pairs))
    if kind == "tensor_shape_value":
        return TensorShape(proto.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return as_dtype(proto.tensor_dtype_value)
    if kind == "tensor_spec_value":
        spec = proto.tensor_spec_value
        return TensorSpec(TensorShape(spec.shape), as_dtype(spec.dtype), spec.name or None)
    if kind == "type_spec_value":
        return type_spec_of(proto.type_spec_value)
    return None if kind in (None, "none_value") else getattr(proto, kind)
