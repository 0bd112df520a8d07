"""tensorflow.python.autograph.pyct.anno: notes on nodes of syntax trees."""

from __future__ import annotations

import enum
from typing import Any

_FIELD = "___pyct_anno"
_REQUIRED = object()


class NoValue(enum.Enum):
    """An enumeration whose members have no values worth showing."""

    def __repr__(self) -> str:
        return self.name


class Basic(NoValue):
    """Notes that every tree may have."""

    QN = "Qualified name, as it appeared in the code."
    SKIP_PROCESSING = "This node should be preserved as is and not processed any further."
    INDENT_BLOCK_REMAINDER = "The rest of the block is to be indented."
    ORIGIN = "Where the node comes from."
    DIRECTIVES = "The directives of the function around it."


class Static(NoValue):
    """Notes of analyses."""

    IS_PARAM = "Symbol is a parameter to the function being analyzed."
    SCOPE = "The scope for the annotated node."
    ARGS_SCOPE = "The scope for the argument list of a function call."
    COND_SCOPE = "The scope for the test node of a conditional statement."
    BODY_SCOPE = "The scope for the main body of a statement."
    ORELSE_SCOPE = "The scope for the orelse body of a statement."
    DEFINITIONS = "Reaching definition information."
    ORIG_DEFINITIONS = "The definitions before conversion."
    DEFINED_VARS_IN = "Symbols defined when entering the node."
    LIVE_VARS_OUT = "Symbols live when exiting the node."
    LIVE_VARS_IN = "Symbols live when entering the node."


def keys(node: Any, field_name: str = _FIELD) -> frozenset[Any]:
    """Returns the keys of the notes on a node."""
    return frozenset(getattr(node, field_name, {}))


def hasanno(node: Any, key: Any, field_name: str = _FIELD) -> bool:
    """Tells whether a node has a note."""
    return key in getattr(node, field_name, {})


def getanno(node: Any, key: Any, default: Any = _REQUIRED, field_name: str = _FIELD) -> Any:
    """Returns a note on a node.

    Raises:
      KeyError: if there is none, and no default either.
    """
    notes = getattr(node, field_name, {})
    return notes[key] if default is _REQUIRED else notes.get(key, default)


def setanno(node: Any, key: Any, value: Any, field_name: str = _FIELD) -> None:
    """Puts a note on a node."""
    notes = getattr(node, field_name, None)
    if notes is None:
        notes = {}
        setattr(node, field_name, notes)
        node._fields = (*node._fields, field_name)
    notes[key] = value


def delanno(node: Any, key: Any, field_name: str = _FIELD) -> None:
    """Removes a note from a node."""
    notes = getattr(node, field_name)
    del notes[key]
    if not notes:
        delattr(node, field_name)
        node._fields = tuple(field for field in node._fields if field != field_name)


def copyanno(from_node: Any, to_node: Any, key: Any, field_name: str = _FIELD) -> None:
    """Copies a note, if there is one, to another node."""
    if hasanno(from_node, key, field_name):
        setanno(to_node, key, getanno(from_node, key, field_name=field_name), field_name)
