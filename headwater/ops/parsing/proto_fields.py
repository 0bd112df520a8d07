"""Fields of protocol buffers by name: descriptors, and the values in the bytes of messages."""

from __future__ import annotations

import functools
import importlib
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import DTypeLike, TensorLike
from headwater.protos.original_modules import ORIGINAL_MODULES, load_original

_PACKAGE, _OWN_PACKAGE = "tensorflow.", "headwater."
# The maximum nesting of groups in protocol buffers.
_DEEPEST = 100
_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = range(6)

# The types of protocol buffers, by their numbers in FieldDescriptorProto.
_NAMES = (
    "double float int64 uint64 int32 fixed64 fixed32 bool string group message bytes uint32 enum "
    "sfixed32 sfixed64 sint32 sint64"
).split()
_WIRE_TYPES = {
    **dict.fromkeys(("double", "fixed64", "sfixed64"), _FIXED64),
    **dict.fromkeys(("float", "fixed32", "sfixed32"), _FIXED32),
    **dict.fromkeys(("string", "message", "bytes"), _LENGTH),
    "group": _START_GROUP,
}
_FORMATS = {
    "double": "<d",
    "float": "<f",
    "fixed64": "<Q",
    "fixed32": "<I",
    "sfixed64": "<q",
    "sfixed32": "<i",
}
# Which tensors hold the values of which types.
_SIGNED_32 = ("int32", "int64")
_UNSIGNED_32 = ("uint32", "uint64")
_TENSORS = {
    "double": ("float64",),
    "float": ("float32", "float64"),
    "bool": ("bool",),
    "enum": ("int32",),
    **dict.fromkeys(("int32", "sint32", "sfixed32"), _SIGNED_32),
    **dict.fromkeys(("uint32", "fixed32"), _UNSIGNED_32),
    **dict.fromkeys(("int64", "sint64", "sfixed64"), ("int64",)),
    **dict.fromkeys(("uint64", "fixed64"), ("uint64",)),
    **dict.fromkeys(("string", "bytes", "message", "group"), ("string",)),
}


class Field:
    """A field of a message.

    Args:
        descriptor: its FieldDescriptor.
    """

    def __init__(self, descriptor: Any) -> None:
        self.descriptor = descriptor
        self.number = descriptor.number
        self.repeated = bool(_is_repeated(descriptor))
        # As the .proto says, not as its syntax has it by default: so TensorFlow writes.
        self.packed = self.repeated and bool(descriptor.GetOptions().packed)
        self.kind = _NAMES[descriptor.type - 1]
        self.wire_type = _WIRE_TYPES.get(self.kind, _VARINT)

    def fits(self, dtype: DTypeLike) -> bool:
        """Whether a tensor of a type holds the values."""
        return dtype.name in _TENSORS[self.kind]

    def default(self) -> Any:
        """The default value."""
        if self.kind in ("string", "bytes", "message", "group"):
            text = (
                ""
                if self.repeated or self.kind in ("message", "group")
                else (self.descriptor.default_value)
            )
            return text.encode() if isinstance(text, str) else text
        return 0 if self.repeated else self.descriptor.default_value

    def read(self, wire_type: int, value: TensorLike) -> list[Any]:
        """The values in one occurrence of the field; none if it has another form."""
        if wire_type == self.wire_type:
            return [self._one(value)]
        if wire_type != _LENGTH or self.wire_type == _LENGTH:
            return []
        if self.wire_type == _VARINT:
            values, at = [], 0
            while at < len(value):
                number, at = _varint(value, at)
                values.append(self._one(number))
            return values
        form = _FORMATS[self.kind]
        size = struct.calcsize(form)
        if len(value) % size:
            raise _lost()
        return [number for (number,) in struct.iter_unpack(form, value)]

    def _one(self, value: TensorLike) -> Any:
        if self.kind in _FORMATS:
            return struct.unpack(_FORMATS[self.kind], value)[0]
        if self.wire_type != _VARINT:
            return value
        if self.kind == "bool":
            return value != 0
        if self.kind in ("sint32", "sint64"):
            return (value >> 1) ^ -(value & 1)
        if self.kind in ("uint32", "uint64"):
            return value & (0xFFFFFFFF if self.kind == "uint32" else 0xFFFFFFFFFFFFFFFF)
        bits = 64 if self.kind == "int64" else 32
        value &= (1 << bits) - 1
        return value - (1 << bits) if value >> (bits - 1) else value

    def write(self, values: list[Any]) -> bytes:
        """The bytes of some values, with their tags."""
        parts = [self._bytes(value) for value in values]
        if self.packed:
            data = b"".join(parts)
            return _tag(self.number, _LENGTH) + _of_varint(len(data)) + data
        if self.wire_type == _LENGTH:
            parts = [_of_varint(len(part)) + part for part in parts]
        head = _tag(self.number, self.wire_type)
        tail = _tag(self.number, _END_GROUP) if self.wire_type == _START_GROUP else b""
        return b"".join(head + part + tail for part in parts)

    def _bytes(self, value: TensorLike) -> bytes:
        if self.kind in _FORMATS:
            return struct.pack(_FORMATS[self.kind], value)
        if self.wire_type != _VARINT:
            return value
        if self.kind in ("sint32", "sint64"):
            value = (value << 1) ^ (value >> 63)
        return _of_varint(int(value) & 0xFFFFFFFFFFFFFFFF)


def _is_repeated(descriptor: Any) -> bool:
    """Whether a field has several values; protobuf has changed how one asks."""
    if hasattr(descriptor, "is_repeated"):
        return descriptor.is_repeated
    return descriptor.label == descriptor.LABEL_REPEATED


def _lost(wanted: bool = False) -> errors.DataLossError:
    text = "ReadValue: Failed skipping field when counting"
    return errors.DataLossError(None, None, text if wanted else "Failed skipping unrequested field")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise _lost()
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7


def _of_varint(value: int) -> bytes:
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def _tag(number: int, wire_type: int) -> bytes:
    return _of_varint(number << 3 | wire_type)


def occurrences(
    data: bytes, at: int = 0, group: int = 0, wanted: frozenset[int] = frozenset(), depth: int = 0
) -> Iterator[tuple[int, int, Any, int]]:
    """Yields the fields of a message one after the other.

    Args:
        data: the bytes.
        at: where the message begins.
        group: the number of the field whose group it is, 0 for a message.
        wanted: the numbers of fields whose damage is told apart.
        depth: in how many groups it stands.

    Yields:
        The number of a field, its wire type, its value (an integer or bytes), and where the next
        one begins.

    Raises:
        DataLossError: if the bytes are not a message.
    """
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == _END_GROUP and number == group and group:
            yield 0, _END_GROUP, b"", at
            return
        if not number:
            raise _lost()
        value: Any
        if wire_type == _VARINT:
            value, at = _varint(data, at)
        elif wire_type == _START_GROUP:
            begin = end = at
            if depth == _DEEPEST:
                raise _lost()
            for inner, _, _, after in occurrences(data, at, number, depth=depth + 1):
                if inner:
                    end = after
                at = after
            value = data[begin:end]
        elif wire_type in (_FIXED64, _FIXED32, _LENGTH):
            size = 8 if wire_type == _FIXED64 else 4
            if wire_type == _LENGTH:
                size, at = _varint(data, at)
            if size > len(data) - at:
                raise _lost(number in wanted)
            value, at = data[at : at + size], at + size
        else:
            raise _lost()
        yield number, wire_type, value, at
    if group:
        raise _lost()


def message_of(source: str | bytes, name: str) -> tuple[Any, Callable[[], Any]]:
    """Finds a type of messages.

    Args:
        source: "local://" or "" for what is linked in, "bytes://" and a serialized
            FileDescriptorSet, or the name of a file with one.
        name: its full name.

    Returns:
        Its descriptor, and a function that makes an empty message.

    Raises:
        InvalidArgumentError: if there is none.
    """
    found = _message_of(source, name)
    if found is None:
        fail(f"No descriptor found for message type {name}")
    return found


@functools.lru_cache(64)
def _message_of(source: str | bytes, name: str) -> tuple[Any, ...] | None:
    # Loaded when it is needed: programs without such ops need no protocol buffers.
    pools = importlib.import_module("google.protobuf.descriptor_pool")
    messages = importlib.import_module("google.protobuf.message_factory")
    if source in ("", "local://", b"", b"local://"):
        pool = pools.Default()
        names = [name]
        if name.startswith(_PACKAGE):
            # The messages of TensorFlow are ours, in our own package.
            for path in ORIGINAL_MODULES:
                load_original(path)
            names.append(_OWN_PACKAGE + name.removeprefix(_PACKAGE))
    else:
        pool, names = pools.DescriptorPool(), [name]
        _add_files(pool, source)
    for candidate in names:
        try:
            descriptor = pool.FindMessageTypeByName(candidate)
        except KeyError:
            continue
        return descriptor, messages.GetMessageClass(descriptor)
    return None


def _add_files(pool: Any, source: str | bytes) -> None:
    descriptors = importlib.import_module("google.protobuf.descriptor_pb2")
    data = source if isinstance(source, bytes) else source.encode()
    text = "Source does not represent serialized file descriptor set proto."
    if data.startswith(b"bytes://"):
        data = data[len(b"bytes://") :]
    else:
        try:
            data = Path(data.decode()).read_bytes()
        except (OSError, UnicodeDecodeError, ValueError):
            fail(text)
    files = descriptors.FileDescriptorSet()
    try:
        files.ParseFromString(data)
        for file in files.file:
            pool.AddSerializedFile(file.SerializeToString())
    except Exception:  # what the pool raises depends on the implementation of protobuf
        fail(text)


def fields_of(descriptor: Any, names: list[str], message_type: str) -> list[Field]:
    """The fields with some names.

    Raises:
        InvalidArgumentError: if one is unknown.
    """
    result = []
    for name in names:
        field = descriptor.fields_by_name.get(name)
        if field is None:
            fail(f"Unknown field: {name} in message type {message_type}")
        result.append(Field(field))
    return result


def values_of(data: bytes, fields: list[Field]) -> list[list[Any]]:
    """The values of fields in a message.

    Args:
        data: the bytes of the message.
        fields: the wanted fields.

    Returns:
        A list of values for each field.

    Raises:
        DataLossError: if the bytes are not a message.
    """
    found: list[list[Any]] = [[] for _ in fields]
    places = {field.number: i for i, field in enumerate(fields)}
    for number, wire_type, value, _ in occurrences(data, wanted=frozenset(places)):
        place = places.get(number)
        if place is None:
            continue
        values = fields[place].read(wire_type, value)
        if fields[place].repeated:
            found[place] += values
        elif values:
            found[place] = values[-1:]
    return found


def array_of(rows: list[list[Any]], default: Any, kind: DTypeLike) -> np.ndarray:
    """Lists of values as an array, filled up with a default."""
    width = max([1, *map(len, rows)])
    result = np.full((len(rows), width), default, kind)
    for row, values in zip(result, rows):
        if values:
            row[: len(values)] = values
    return result
