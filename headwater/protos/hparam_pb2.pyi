from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HParamDef(_message.Message):
    __slots__ = ("hparam",)
    class BytesList(_message.Message):
        __slots__ = ("value",)
        VALUE_FIELD_NUMBER: _ClassVar[int]
        value: _containers.RepeatedScalarFieldContainer[bytes]
        def __init__(self, value: _Optional[_Iterable[bytes]] = ...) -> None: ...
    class FloatList(_message.Message):
        __slots__ = ("value",)
        VALUE_FIELD_NUMBER: _ClassVar[int]
        value: _containers.RepeatedScalarFieldContainer[float]
        def __init__(self, value: _Optional[_Iterable[float]] = ...) -> None: ...
    class Int64List(_message.Message):
        __slots__ = ("value",)
        VALUE_FIELD_NUMBER: _ClassVar[int]
        value: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, value: _Optional[_Iterable[int]] = ...) -> None: ...
    class BoolList(_message.Message):
        __slots__ = ("value",)
        VALUE_FIELD_NUMBER: _ClassVar[int]
        value: _containers.RepeatedScalarFieldContainer[bool]
        def __init__(self, value: _Optional[_Iterable[bool]] = ...) -> None: ...
    class HParamType(_message.Message):
        __slots__ = ("int64_value", "float_value", "bytes_value", "bool_value", "int64_list", "float_list", "bytes_list", "bool_list")
        INT64_VALUE_FIELD_NUMBER: _ClassVar[int]
        FLOAT_VALUE_FIELD_NUMBER: _ClassVar[int]
        BYTES_VALUE_FIELD_NUMBER: _ClassVar[int]
        BOOL_VALUE_FIELD_NUMBER: _ClassVar[int]
        INT64_LIST_FIELD_NUMBER: _ClassVar[int]
        FLOAT_LIST_FIELD_NUMBER: _ClassVar[int]
        BYTES_LIST_FIELD_NUMBER: _ClassVar[int]
        BOOL_LIST_FIELD_NUMBER: _ClassVar[int]
        int64_value: int
        float_value: float
        bytes_value: bytes
        bool_value: bool
        int64_list: HParamDef.Int64List
        float_list: HParamDef.FloatList
        bytes_list: HParamDef.BytesList
        bool_list: HParamDef.BoolList
        def __init__(self, int64_value: _Optional[int] = ..., float_value: _Optional[float] = ..., bytes_value: _Optional[bytes] = ..., bool_value: bool = ..., int64_list: _Optional[_Union[HParamDef.Int64List, _Mapping]] = ..., float_list: _Optional[_Union[HParamDef.FloatList, _Mapping]] = ..., bytes_list: _Optional[_Union[HParamDef.BytesList, _Mapping]] = ..., bool_list: _Optional[_Union[HParamDef.BoolList, _Mapping]] = ...) -> None: ...
    class HparamEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: HParamDef.HParamType
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[HParamDef.HParamType, _Mapping]] = ...) -> None: ...
    HPARAM_FIELD_NUMBER: _ClassVar[int]
    hparam: _containers.MessageMap[str, HParamDef.HParamType]
    def __init__(self, hparam: _Optional[_Mapping[str, HParamDef.HParamType]] = ...) -> None: ...
