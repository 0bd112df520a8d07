"""Values that one task of Headwater sends to another without being asked: PutTensors.

They are written without protocol buffers: a step sends the same keys, types and shapes again and
again, so the description of a value is the same bytes, and is made and read once.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dead import DEAD
from headwater.distributed.tensors import MOST_INSIDE_BYTES, array_of, dtype_of, tensor_proto
from headwater.protos.lazy import tensor_pb2

# The number of the step and that of the values.
_HEAD = struct.Struct("<QI")
# How the elements are sent, the size of the description, and of what follows it.
_ITEM = struct.Struct("<BIQ")
_DEAD, _INSIDE, _APART, _PROTO = range(4)
# The number of the type, the rank; the shape and the key follow.
_TYPE = struct.Struct("<BB")
# As many descriptions as one graph has; if there are more, the oldest graphs may be gone.
_MOST_DESCRIPTIONS = 4096

_descriptions: dict[tuple[str, Any, tuple[int, ...]], bytes] = {}
_described: dict[bytes, tuple[str, Any, tuple[int, ...]]] = {}


class Push:
    """What is sent.

    Args:
        number: the number of the step.
        values: arrays or DEAD by key; they must not change until they are sent.
    """

    def __init__(self, number: int, values: Mapping[str, Any]) -> None:
        self._number = number
        self._values = values

    def joined(self) -> bytes:
        """The bytes of the message."""
        return self._written(None)

    def split(self) -> tuple[bytes, list[memoryview]]:
        """The bytes of the message without the elements of large values, and these."""
        apart: list[memoryview] = []
        return self._written(apart), apart

    def _written(self, apart: list[memoryview] | None) -> bytes:
        parts: list[Any] = [_HEAD.pack(self._number, len(self._values))]
        for key, value in self._values.items():
            how = _INSIDE
            content: Any = b""
            if value is DEAD:
                how, description = _DEAD, _description(key, None, ())
            elif value.dtype.kind not in "bfiuc":
                how, description = _PROTO, _description(key, None, ())
                content = tensor_proto(value, dtype_of(value)).SerializeToString()
            else:
                description = _description(key, value.dtype, value.shape)
                content = np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
                if apart is not None and len(content) > MOST_INSIDE_BYTES:
                    apart.append(content)
                    how, content = _APART, b""
            parts += (_ITEM.pack(how, len(description), len(content)), description, content)
        return b"".join(parts)

    @staticmethod
    def FromString(data: bytes) -> ReceivedPush:
        """What was sent; the name is that of messages."""
        return ReceivedPush(data)


class ReceivedPush:
    """What was received.

    Args:
        data: the bytes of the message.

    Attributes:
        number: the number of the step.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.number, self._count = _HEAD.unpack_from(data)

    def values(self, attachments: Sequence[Any]) -> dict[str, Any]:
        """The values by key.

        Args:
            attachments: what came beside the message.
        """
        data, position = self._data, _HEAD.size
        apart = iter(attachments)
        result: dict[str, Any] = {}
        for _ in range(self._count):
            how, length, size = _ITEM.unpack_from(data, position)
            start = position + _ITEM.size + length
            key, dtype, shape = _read(data[start - length : start])
            position = start + size
            if how == _INSIDE:
                count = size // dtype.itemsize
                result[key] = np.frombuffer(data, dtype, count, start).reshape(shape)
            elif how == _APART:
                result[key] = next(apart).view(dtype).reshape(shape)
            elif how == _PROTO:
                result[key] = array_of(tensor_pb2.TensorProto.FromString(data[start:position]))
            else:
                result[key] = DEAD
        return result


def _description(key: str, dtype: Any, shape: tuple[int, ...]) -> bytes:
    found = _descriptions.get((key, dtype, shape))
    if found is None:
        number = 0 if dtype is None else dtypes.as_dtype(dtype).as_datatype_enum
        dims = struct.pack(f"<{len(shape)}q", *shape)
        found = _TYPE.pack(number, len(shape)) + dims + key.encode()
        if len(_descriptions) >= _MOST_DESCRIPTIONS:
            _descriptions.clear()
        _descriptions[key, dtype, shape] = found
    return found


def _read(description: bytes) -> tuple[str, Any, tuple[int, ...]]:
    """Key, NumPy type and shape."""
    found = _described.get(description)
    if found is None:
        number, rank = _TYPE.unpack_from(description)
        shape = struct.unpack_from(f"<{rank}q", description, _TYPE.size)
        key = description[_TYPE.size + 8 * rank :].decode()
        dtype = None if number == 0 else np.dtype(dtypes.as_dtype(number).numpy_dtype)
        found = key, dtype, shape
        if len(_described) >= _MOST_DESCRIPTIONS:
            _described.clear()
        _described[description] = found
    return found
