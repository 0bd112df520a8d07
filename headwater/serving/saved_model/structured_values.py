"""TypeSpecs as protos, the form in which SavedModels describe values made of several tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.graph.composite_specs import IndexedSlicesSpec, SparseTensorSpec
from headwater.graph.type_spec import TypeSpec
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


def type_spec_proto(spec: TypeSpec) -> TypeSpecProto:
    """Returns a TypeSpec as a TypeSpecProto.

    Raises:
        NotImplementedError: if there is no proto for specs of its class.
    """
    if type(spec) not in _CLASSES:
        raise NotImplementedError(f"No encoder for object [{spec}] of type [{type(spec)}].")
    return struct_pb2.TypeSpecProto(
        type_spec_class=_CLASSES[type(spec)],
        type_state=_encoded(spec._serialize()),
        type_spec_class_name=type(spec).__name__,
    )


def type_spec_of(proto: TypeSpecProto) -> TypeSpec:
    """Returns the TypeSpec of a TypeSpecProto.

    Raises:
        ValueError: if there are no specs of its class.
    """
    for spec_class, number in _CLASSES.items():
        if number == proto.type_spec_class:
            spec: TypeSpec = spec_class._deserialize(_decoded(proto.type_state))
            return spec
    raise ValueError(
        f"The type '{proto.type_spec_class_name}' is not supported by this version of TensorFlow."
    )


def _encoded(value: Any) -> StructuredValue:
    proto: StructuredValue = struct_pb2.StructuredValue()
    if value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, bool):
        proto.bool_value = value
    elif isinstance(value, int):
        proto.int64_value = value
    elif isinstance(value, TensorShape):
        proto.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, DType):
        proto.tensor_dtype_value = value.as_datatype_enum  # type: ignore[assignment]
    else:
        proto.tuple_value.SetInParent()
        proto.tuple_value.values.extend(map(_encoded, value))
    return proto


def _decoded(proto: StructuredValue) -> Any:
    kind = proto.WhichOneof("kind")
    if kind == "tuple_value":
        return tuple(map(_decoded, proto.tuple_value.values))
    if kind == "tensor_shape_value":
        return TensorShape(proto.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return as_dtype(proto.tensor_dtype_value)
    return None if kind in (None, "none_value") else getattr(proto, kind)
