"""Names of layers: snake case of the class, numbered within the graph."""

from __future__ import annotations

import re
import weakref
from collections.abc import Collection

from headwater.graph import Graph, get_default_graph

# How often each name has been numbered, by namespace and name. Namespaces are strings; None is that
# of the prefixes of `next_number`.
Counts = dict[tuple[str | None, str], int]

_counts: weakref.WeakKeyDictionary[Graph, Counts] = weakref.WeakKeyDictionary()


def snake_case(class_name: str) -> str:
    """The name of a class as layers are named: MaxPooling2D becomes max_pooling2d."""
    parted = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", class_name)
    name = re.sub("([a-z])([A-Z])", r"\1_\2", parted).lower()
    return f"private{name}" if name.startswith("_") else name


def graph_counts() -> Counts:
    """The counts of the default graph."""
    return _counts.setdefault(get_default_graph(), {})


def unique_object_name(
    name: str,
    name_uid_map: Counts | None = None,
    avoid_names: Collection[str] | None = None,
    namespace: str | None = "",
    zero_based: bool = False,
) -> str:
    """A name that no other object of the graph has been given by this function.

    Args:
        name: the base name.
        name_uid_map: the counts; those of the default graph if None.
        avoid_names: names that are not used.
        namespace: names of different namespaces do not collide.
        zero_based: whether the first one is `name` itself, rather than `name_1`.

    Returns:
        The name, with a number after an underscore.
    """
    counts = graph_counts() if name_uid_map is None else name_uid_map
    avoided = avoid_names or ()
    key = (namespace, name)
    while True:
        number = counts.get(key, 0) + (not zero_based)
        counts[key] = number + zero_based
        proposed = f"{name}_{number}" if number else name
        if proposed not in avoided:
            return proposed


def next_number(prefix: str) -> int:
    """Counts how often a prefix has been asked for in the default graph.

    Args:
        prefix: a string, such as the kind of a layer.

    Returns:
        1 for the first call, 2 for the second one, and so on.
    """
    counts = graph_counts()
    counts[None, prefix] = counts.get((None, prefix), 0) + 1
    return counts[None, prefix]


def forget_counts() -> None:
    """Numbers the names of layers from the start again, in all graphs."""
    _counts.clear()
