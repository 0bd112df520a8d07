"""Nested structures of dataset elements: tuples, dicts and attrs; a list is a leaf, a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from headwater.base import nest_levels
from headwater.base.nest import difference_error
from headwater.graph import SparseTensorValue


def is_nested(value: Any) -> bool:
    """Whether a value is a structure rather than a leaf."""
    if isinstance(value, (list, SparseTensorValue)):
        return False
    return nest_levels.is_nested(value)


def flatten(structure: Any) -> list[Any]:
    """The leaves, depth first, dicts in the order of their sorted keys."""
    if not is_nested(structure):
        return [structure]
    return [leaf for child in nest_levels.children_of(structure) for leaf in flatten(child)]


def pack_sequence_as(structure: Any, flat: Sequence[Any]) -> Any:
    """A structure like another one with other leaves.

    Raises:
        TypeError: if the leaves are no list or tuple.
        ValueError: if the number of leaves differs.
    """
    if not (isinstance(flat, list) or is_nested(flat)):
        raise TypeError("flat_sequence must be a sequence")
    if not is_nested(structure):
        if len(flat) != 1:
            raise ValueError(f"Structure is a scalar but len(flat_sequence) == {len(flat)} > 1")
        return flat[0]
    expected = len(flatten(structure))
    if expected != len(flat):
        raise ValueError(
            f"Could not pack sequence. Structure had {expected} elements, but flat_sequence had "
            f"{len(flat)} elements.  Structure: {structure}, flat_sequence: {flat}."
        )
    return _fill(structure, iter(flat))


def _fill(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    children = [_fill(child, leaves) for child in nest_levels.children_of(structure)]
    return nest_levels.rebuild(structure, children)


def map_structure(func: Callable[..., Any], *structures: Any) -> Any:
    """A structure of the results of a function for the leaves of equal structures.

    Raises:
        ValueError: if the structures differ.
        TypeError: if their types differ.
    """
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    results = [func(*leaves) for leaves in zip(*map(flatten, structures))]
    return pack_sequence_as(structures[0], results)


def assert_same_structure(first: Any, second: Any, check_types: bool = True) -> None:
    """Raises an error if two structures differ.

    Raises:
        ValueError: if they differ in their levels or keys.
        TypeError: if their types differ.
    """
    error = difference_error(first, second, check_types, nested=is_nested)
    if error is not None:
        raise error


def assert_shallow_structure(shallow: Any, structure: Any, check_types: bool = True) -> None:
    """Raises an error if a structure does not begin with the levels of a shallower one.

    Args:
        shallow: the shallower structure.
        structure: the other one.
        check_types: whether the types of the levels and the keys of dicts must agree too.

    Raises:
        TypeError: if there is a leaf in place of a level, or the types of a level differ.
        ValueError: if the lengths or keys of a level differ.
    """
    if not is_nested(shallow):
        return
    if not is_nested(structure):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(structure)}."
        )
    if check_types and not isinstance(structure, type(shallow)):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(structure)}, while shallow structure has type {type(shallow)}."
        )
    if len(structure) != len(shallow):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(structure)}, while shallow structure has length {len(shallow)}."
        )
    if check_types and isinstance(shallow, Mapping) and set(shallow) != set(structure):
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{list(structure)}, while shallow structure has keys {list(shallow)}."
        )
    for a, b in zip(nest_levels.children_of(shallow), nest_levels.children_of(structure)):
        assert_shallow_structure(a, b, check_types)


def flatten_up_to(shallow: Any, structure: Any) -> list[Any]:
    """What a structure has at the leaves of a shallower one.

    Raises:
        TypeError: if the types of a level differ.
        ValueError: if the lengths or keys of a level differ.
    """
    assert_shallow_structure(shallow, structure)
    return _flatten_up_to(shallow, structure)


def _flatten_up_to(shallow: Any, structure: Any) -> list[Any]:
    if not is_nested(shallow):
        return [structure]
    pairs = zip(nest_levels.children_of(shallow), nest_levels.children_of(structure))
    return [leaf for a, b in pairs for leaf in _flatten_up_to(a, b)]


def map_structure_up_to(shallow: Any, func: Callable[..., Any], *structures: Any) -> Any:
    """As `map_structure`, with what the structures have at the leaves of a shallower one."""
    flat = [flatten_up_to(shallow, structure) for structure in structures]
    return pack_sequence_as(shallow, [func(*values) for values in zip(*flat)])
