"""tensorflow.python.data.util.nest: nested structures of elements, in which lists are leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.data.datasets import nest
from headwater.data.datasets.nest import (
    flatten,
    flatten_up_to,
    map_structure_up_to,
    pack_sequence_as,
)
from headwater.data.datasets.nest import is_nested as is_sequence

__all__ = [
    "assert_same_structure",
    "assert_shallow_structure",
    "flatten",
    "flatten_up_to",
    "is_sequence",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
]


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises a ValueError or a TypeError if two structures differ."""
    nest.assert_same_structure(nest1, nest2, check_types)


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Raises an error if a structure does not begin with the levels of a shallower one."""
    nest.assert_shallow_structure(shallow_tree, input_tree)


def map_structure(func: Callable[..., Any], *structure: Any, check_types: bool = True) -> Any:
    """A structure of the results of a function for the leaves of equal structures."""
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        nest.assert_same_structure(structure[0], other, check_types)
    results = [func(*leaves) for leaves in zip(*map(nest.flatten, structure))]
    return nest.pack_sequence_as(structure[0], results)
