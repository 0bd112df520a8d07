"""tensorflow.python.data.util.nest: nested structures of elements, in which lists are leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.data.datasets import nest
from headwater.data.datasets.nest import (
    assert_same_structure,
    assert_shallow_structure,
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


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """A structure of the results of a function for the leaves of equal structures.

    The only keyword is `check_types`.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    if kwargs.keys() - {"check_types"}:
        raise ValueError("Only valid keyword argument is check_types")
    for other in structure[1:]:
        nest.assert_same_structure(structure[0], other, **kwargs)
    results = [func(*leaves) for leaves in zip(*map(nest.flatten, structure))]
    return nest.pack_sequence_as(structure[0], results)
