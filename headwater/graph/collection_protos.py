"""How the items of collections become protos in a MetaGraphDef, and come back from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.base import declarations


class ProtoFunctions(NamedTuple):
    """The proto of a collection's items, and the ways to it and back."""

    proto_type: Any
    to_proto: Callable[..., Any] | None
    from_proto: Callable[..., Any] | None


_functions: dict[str, ProtoFunctions] = {}


def register_proto_function(
    collection_name: str,
    proto_type: Any = None,
    to_proto: Callable[..., Any] | None = None,
    from_proto: Callable[..., Any] | None = None,
) -> None:
    """Registers how the items of a collection are converted to protos and back.

    Args:
        collection_name: the key of the collection.
        proto_type: the class of the protos.
        to_proto: function of an item and ``export_scope``; None as the result leaves it out.
        from_proto: function of a proto and ``import_scope``.

    Raises:
        TypeError: if a function cannot be called.
        KeyError: if the collection has functions already.
    """
    if to_proto and not callable(to_proto):
        raise TypeError("to_proto must be callable.")
    if from_proto and not callable(from_proto):
        raise TypeError("from_proto must be callable.")
    declarations.load(declarations.COLLECTION, collection_name)
    if collection_name in _functions:
        raise KeyError(f"Registering two proto_functions with name '{collection_name}'!")
    _functions[collection_name] = ProtoFunctions(proto_type, to_proto, from_proto)
    declarations.declare(declarations.COLLECTION, collection_name)


def proto_functions_of(collection_name: str) -> ProtoFunctions | None:
    """What is registered for a collection, or None."""
    declarations.load(declarations.COLLECTION, collection_name)
    return _functions.get(collection_name)
