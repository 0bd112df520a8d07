"""Messages in `google.protobuf.Any`, which names their type.

In files the names are TensorFlow's ("tensorflow.AssetFileDef"); in this process our messages are of
the package "headwater", and `Any.Unpack` compares names.
"""

from __future__ import annotations

from typing import Any

from headwater.base.lazy import LazyModule

_any: Any = LazyModule("google.protobuf.any_pb2")

_ORIGINAL, _OURS = "type.googleapis.com/tensorflow.", "type.googleapis.com/headwater."


def is_any(value: object) -> bool:
    """Whether a value is a `google.protobuf.Any`."""
    return hasattr(value, "type_url") and isinstance(value, _any.Any)


def packed(message: Any) -> Any:
    """Returns a message in an Any, as items of collections have it."""
    result = _any.Any()
    result.Pack(message)
    return result


def unpacked(value: Any, message_class: Any) -> Any:
    """Returns the message in an Any, from a file or from a collection; None if it has another."""
    message = message_class()
    return message if from_file(value).Unpack(message) else None


def to_file(value: Any) -> Any:
    """Returns an Any under TensorFlow's name of its type."""
    return _renamed(value, _OURS, _ORIGINAL)


def from_file(value: Any) -> Any:
    """Returns an Any under our name of its type."""
    return _renamed(value, _ORIGINAL, _OURS)


def _renamed(value: Any, old: str, new: str) -> Any:
    if not value.type_url.startswith(old):
        return value
    return _any.Any(type_url=new + value.type_url.removeprefix(old), value=value.value)
