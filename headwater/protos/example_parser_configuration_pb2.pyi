from headwater.protos import tensor_pb2 as _tensor_pb2
from headwater.protos import tensor_shape_pb2 as _tensor_shape_pb2
from headwater.protos import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExampleParserConfiguration(_message.Message):
    __slots__ = ("feature_map",)
    class FeatureMapEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: FeatureConfiguration
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[FeatureConfiguration, _Mapping]] = ...) -> None: ...
    FEATURE_MAP_FIELD_NUMBER: _ClassVar[int]
    feature_map: _containers.MessageMap[str, FeatureConfiguration]
    def __init__(self, feature_map: _Optional[_Mapping[str, FeatureConfiguration]] = ...) -> None: ...

class FeatureConfiguration(_message.Message):
    __slots__ = ("fixed_len_feature", "var_len_feature")
    FIXED_LEN_FEATURE_FIELD_NUMBER: _ClassVar[int]
    VAR_LEN_FEATURE_FIELD_NUMBER: _ClassVar[int]
    fixed_len_feature: FixedLenFeatureProto
    var_len_feature: VarLenFeatureProto
    def __init__(self, fixed_len_feature: _Optional[_Union[FixedLenFeatureProto, _Mapping]] = ..., var_len_feature: _Optional[_Union[VarLenFeatureProto, _Mapping]] = ...) -> None: ...

class FixedLenFeatureProto(_message.Message):
    __slots__ = ("dtype", "shape", "default_value", "values_output_tensor_name")
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    VALUES_OUTPUT_TENSOR_NAME_FIELD_NUMBER: _ClassVar[int]
    dtype: _types_pb2.DataType
    shape: _tensor_shape_pb2.TensorShapeProto
    default_value: _tensor_pb2.TensorProto
    values_output_tensor_name: str
    def __init__(self, dtype: _Optional[_Union[_types_pb2.DataType, str]] = ..., shape: _Optional[_Union[_tensor_shape_pb2.TensorShapeProto, _Mapping]] = ..., default_value: _Optional[_Union[_tensor_pb2.TensorProto, _Mapping]] = ..., values_output_tensor_name: _Optional[str] = ...) -> None: ...

class VarLenFeatureProto(_message.Message):
    __slots__ = ("dtype", "values_output_tensor_name", "indices_output_tensor_name", "shapes_output_tensor_name")
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    VALUES_OUTPUT_TENSOR_NAME_FIELD_NUMBER: _ClassVar[int]
    INDICES_OUTPUT_TENSOR_NAME_FIELD_NUMBER: _ClassVar[int]
    SHAPES_OUTPUT_TENSOR_NAME_FIELD_NUMBER: _ClassVar[int]
    dtype: _types_pb2.DataType
    values_output_tensor_name: str
    indices_output_tensor_name: str
    shapes_output_tensor_name: str
    def __init__(self, dtype: _Optional[_Union[_types_pb2.DataType, str]] = ..., values_output_tensor_name: _Optional[str] = ..., indices_output_tensor_name: _Optional[str] = ..., shapes_output_tensor_name: _Optional[str] = ...) -> None: ...
