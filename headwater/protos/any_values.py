"""Messages in `google.protobuf.Any`, which names their type.

In files the names are TensorFlow's ("tensorflow.AssetFileDef"); in this process our messages are of
the package "headwater", and `Any.Unpack` compares names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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


def from_file(value: Any) -> Any:
    """Returns an Any under our name of its type."""
    if not value.type_url.startswith(_ORIGINAL):
        return value
    return _any.Any(type_url=_OURS + value.type_url.removeprefix(_ORIGINAL), value=value.value)


def rename_for_this_process(meta_graph: Any) -> None:
    """Gives the types of messages in the collections of a MetaGraphDef from a file our names."""
    _rename_all(meta_graph, _ORIGINAL, _OURS)


@contextmanager
def named_for_files(meta_graphs: Iterable[Any]) -> Iterator[None]:
    """A with block in which types of messages in collections have TensorFlow's names."""
    for meta_graph in meta_graphs:
        _rename_all(meta_graph, _OURS, _ORIGINAL)
    try:
        yield
    finally:
        for meta_graph in meta_graphs:
            _rename_all(meta_graph, _ORIGINAL, _OURS)


def _rename_all(meta_graph: Any, old: str, new: str) -> None:
    for collection in meta_graph.collection_def.values():
        for value in collection.any_list.value if collection.HasField("any_list") else ():
            if value.type_url.startswith(old):
                value.type_url = new + value.type_url.removeprefix(old)
