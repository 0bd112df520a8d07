from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemmappedFileSystemDirectory(_message.Message):
    __slots__ = ("element",)
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    element: _containers.RepeatedCompositeFieldContainer[MemmappedFileSystemDirectoryElement]
    def __init__(self, element: _Optional[_Iterable[_Union[MemmappedFileSystemDirectoryElement, _Mapping]]] = ...) -> None: ...

class MemmappedFileSystemDirectoryElement(_message.Message):
    __slots__ = ("offset", "name", "length")
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    offset: int
    name: str
    length: int
    def __init__(self, offset: _Optional[int] = ..., name: _Optional[str] = ..., length: _Optional[int] = ...) -> None: ...
