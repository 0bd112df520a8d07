"""Names of layers: snake case of the class, numbered within the graph."""

from __future__ import annotations

import re
import weakref

from headwater.graph import Graph, get_default_graph

_counts: weakref.WeakKeyDictionary[Graph, dict[str, int]] = weakref.WeakKeyDictionary()


def snake_case(class_name: str) -> str:
    """The name of a class as layers are named: MaxPooling2D becomes max_pooling2d."""
    parted = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", class_name)
    name = re.sub("([a-z])([A-Z])", r"\1_\2", parted).lower()
    return f"private{name}" if name.startswith("_") else name


def next_number(base_name: str) -> int:
    """How often the default graph has numbered a name, this time included."""
    counts = _counts.setdefault(get_default_graph(), {})
    counts[base_name] = counts.get(base_name, 0) + 1
    return counts[base_name]


def unique_name(base_name: str, zero_based: bool = False) -> str:
    """A name that no other layer of the default graph has been given by this function.

    Args:
        base_name: the start of the name.
        zero_based: whether the first name has no number: dense, dense_1 instead of dense_1,
            dense_2.
    """
    number = next_number(base_name) - zero_based
    return f"{base_name}_{number}" if number else base_name


def reset_numbers() -> None:
    """Numbers names from the start again, in all graphs."""
    _counts.clear()
