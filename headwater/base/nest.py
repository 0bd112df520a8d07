"""Nested structures: lists, tuples, namedtuples, dicts and attrs classes, nested in each other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from headwater.base.export import export, export_module
from headwater.base.nest_levels import (
    can_stand_for,
    children_of,
    composite_of,
    contract,
    expand,
    items,
    rebuild,
    same_kind,
)
from headwater.base.nest_levels import is_nested as is_nested

_SHALLOW_NEEDS_SEQUENCE = (
    "If shallow structure is a sequence, input must also be a sequence. Input has type: {}."
)
_LENGTHS_DIFFER = (
    "The two structures don't have the same sequence length. "
    "Input structure has length {}, while shallow structure has length {}."
)
_TYPES_DIFFER = (
    "The two structures don't have the same sequence type. "
    "Input structure has type {}, while shallow structure has type {}."
)
_KEYS_DIFFER = (
    "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the "
    "following keys that are not in the input_tree: {}."
)

_FEWER_ELEMENTS = (
    "The input_tree has fewer elements than the shallow_tree. "
    "Input structure has length {}, while shallow structure has length {}."
)


def is_sequence(o: Any) -> bool:
    """Says whether a value is a structure; see `is_nested`."""
    return is_nested(o)


def is_sequence_or_composite(o: Any) -> bool:
    """Says whether a value is a structure, or made of several tensors (a SparseTensor)."""
    return is_nested(o) or composite_of(o) is not None


@export("nest.flatten")
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Lists the leaves of a nested structure.

    Args:
      structure: a nested structure, or a leaf.
      expand_composites: whether composites such as sparse tensors are flattened into their parts.

    Returns:
      The leaves, depth first, dicts in the order of their sorted keys; `[structure]` for a leaf.

    Raises:
      TypeError: if the keys of a dict cannot be sorted.
    """
    if expand_composites:
        structure = expand(structure)
    if not is_nested(structure):
        return [structure]
    leaves: list[Any] = []
    try:
        _collect(structure, leaves)
    except RecursionError:
        raise ValueError("The structure is nested too deeply, or contains itself.") from None
    return leaves


def _collect(structure: Any, leaves: list[Any]) -> None:
    for child in children_of(structure):
        if is_nested(child):
            _collect(child, leaves)
        else:
            leaves.append(child)


def _fill(structure: Any, leaves: Iterator[Any]) -> Any:
    children = [
        _fill(child, leaves) if is_nested(child) else next(leaves)
        for child in children_of(structure)
    ]
    return rebuild(structure, children)


@export("nest.pack_sequence_as")
def pack_sequence_as(
    structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False
) -> Any:
    """Packs a flat list into the form of a nested structure; the inverse of `flatten`.

    Args:
      structure: the nested structure to imitate.
      flat_sequence: the leaves.
      expand_composites: whether composites such as sparse tensors are rebuilt from their parts.

    Returns:
      A structure like `structure` with the leaves of `flat_sequence`.

    Raises:
      TypeError: if `flat_sequence` is not a list, tuple or the like.
      ValueError: if the number of leaves differs.
    """
    if not is_nested(flat_sequence):
        raise TypeError("flat_sequence must be a sequence")
    if expand_composites:
        return contract(structure, pack_sequence_as(expand(structure), flat_sequence))
    if not is_nested(structure):
        if len(flat_sequence) != 1:
            raise ValueError(
                f"Structure is a scalar but len(flat_sequence) == {len(flat_sequence)} > 1"
            )
        return flat_sequence[0]
    expected = len(flatten(structure))
    if expected != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {expected} elements, but flat_sequence had "
            f"{len(flat_sequence)} elements.  Structure: {structure}, "
            f"flat_sequence: {flat_sequence}."
        )
    return _fill(structure, iter(flat_sequence))


def _describe(value: Any) -> str:
    return f"type={type(value).__name__} str={value}"


class _Dot:
    """A leaf in the outline of a structure."""

    def __repr__(self) -> str:
        return "."


def _outline(structure: Any) -> str:
    return str(pack_sequence_as(structure, [_Dot()] * len(flatten(structure))))


def difference_error(
    nest1: Any,
    nest2: Any,
    check_types: bool = True,
    composites: bool = False,
    nested: Callable[[Any], bool] = is_nested,
) -> Exception | None:
    """The error for the first difference of two structures, or None if they are nested alike.

    Args:
      nest1: a nested structure, or a leaf.
      nest2: a nested structure, or a leaf.
      check_types: whether the types of the sequences and the keys of dicts must agree too.
      composites: whether the parts of composites are compared too.
      nested: tells whether a value is a structure.
    """
    difference = _find_difference(nest1, nest2, check_types, composites, nested)
    if difference is None:
        return None
    error, text = difference
    return error(
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {_describe(nest1)}\n\n"
        f"Second structure: {_describe(nest2)}\n\n"
        f"More specifically: {text}"
    )


def _find_difference(
    a: Any, b: Any, check_types: bool, composites: bool, nested: Callable[[Any], bool]
) -> tuple[type[Exception], str] | None:
    """The first difference of two structures as an error type and text, or None."""
    if composites and not (nested(a) and nested(b)):
        return _composite_difference(a, b)
    if nested(a) != nested(b):
        structure, leaf = (a, b) if nested(a) else (b, a)
        return ValueError, (
            f'Substructure "{_describe(structure)}" is a sequence, '
            f'while substructure "{_describe(leaf)}" is not'
        )
    if not nested(a):
        return None
    if check_types:
        if not same_kind(a, b):
            return TypeError, (
                "The two namedtuples don't have the same sequence type. "
                f"First structure {_describe(a)} has type {type(a).__name__}, "
                f"while second structure {_describe(b)} has type {type(b).__name__}"
            )
        if isinstance(a, Mapping) and set(a) != set(b):
            return ValueError, (
                "The two dictionaries don't have the same set of keys. "
                f"First structure has keys {_describe(list(a))}, "
                f"while second structure has keys {_describe(list(b))}"
            )
    first, second = children_of(a), children_of(b)
    if len(first) != len(second):
        return ValueError, (
            "The two structures don't have the same number of elements. "
            f"First structure: {_describe(a)}. Second structure: {_describe(b)}"
        )
    for x, y in zip(first, second):
        difference = _find_difference(x, y, check_types, composites, nested)
        if difference is not None:
            return difference
    return None


def _composite_difference(a: Any, b: Any) -> tuple[type[Exception], str] | None:
    if is_sequence_or_composite(a) != is_sequence_or_composite(b):
        composite, leaf = (a, b) if is_sequence_or_composite(a) else (b, a)
        return ValueError, (
            f'Substructure "{_describe(composite)}" is a sequence, '
            f'while substructure "{_describe(leaf)}" is not'
        )
    first, second = composite_of(a), composite_of(b)
    if first is not second:
        return TypeError, (
            "The two namedtuples don't have the same sequence type. "
            f"First structure {_describe(a)} has type {type(a).__name__}, "
            f"while second structure {_describe(b)} has type {type(b).__name__}"
        )
    if first is not None and _part_types(first.parts(a)) != _part_types(first.parts(b)):
        return ValueError, (
            f"Incompatible CompositeTensor TypeSpecs: {_describe(a)} vs. {_describe(b)}"
        )
    return None


def _part_types(parts: Sequence[Any]) -> list[Any]:
    return [getattr(part, "dtype", None) for part in parts]


@export("nest.assert_same_structure")
def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures are nested in the same way.

    Args:
      nest1: a nested structure, or a leaf.
      nest2: a nested structure, or a leaf.
      check_types: whether the types of the sequences and the keys of dicts must agree too.
      expand_composites: whether the parts of composites such as sparse tensors are compared too.

    Raises:
      ValueError: if the nesting, the lengths or the keys differ.
      TypeError: if the types of two sequences differ and `check_types` is true.
    """
    error = difference_error(nest1, nest2, bool(check_types), expand_composites)
    if error is not None:
        raise type(error)(
            f"{error}\n"
            f"Entire first structure:\n{_outline(nest1)}\n"
            f"Entire second structure:\n{_outline(nest2)}"
        )


@export("nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Applies a function to the corresponding leaves of structures.

    Args:
      func: takes one leaf of each structure.
      *structure: one or more structures of the same nesting.
      **kwargs: `check_types` and `expand_composites`, as in `assert_same_structure`.

    Returns:
      A structure like the first one with the results as leaves.

    Raises:
      TypeError: if `func` cannot be called, or the types of sequences differ.
      ValueError: if no structure is given, or the nesting differs.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types, composites = _pop_options(kwargs)
    first = structure[0]
    for other in structure[1:]:
        assert_same_structure(first, other, check_types, composites)
    leaves = zip(*(flatten(s, composites) for s in structure))
    return pack_sequence_as(first, [func(*group) for group in leaves], composites)


def _pop_options(kwargs: dict[str, Any]) -> tuple[bool, bool]:
    check_types = kwargs.pop("check_types", True)
    composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, "
            f"not: `{'`, `'.join(kwargs)}`"
        )
    return check_types, composites


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """Yields the path of each leaf, a tuple of keys, positions and field names."""
    for path, _ in _walk(nest, nest, ()):
        yield path


def _walk(shallow: Any, tree: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yields (path, subtree of `tree`) for each leaf of `shallow`."""
    if not is_nested(shallow):
        yield path, tree
    elif shallow is tree:
        for key, child in items(shallow):
            yield from _walk(child, child, path + (key,))
    else:
        for key, child, beside in _paired(shallow, tree):
            yield from _walk(child, beside, path + (key,))


def _paired(shallow: Any, tree: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yields (key, child of `shallow`, child of `tree`), which may have more children."""
    below = dict(items(tree)) if isinstance(shallow, Mapping) else None
    for (key, child), beside in zip(items(shallow), children_of(tree)):
        yield key, child, beside if below is None else below[key]


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """Lists the (path, leaf) pairs of a structure."""
    return list(_walk(structure, structure, ()))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Lists the (path, leaf) pairs of a structure, each path joined into one text."""
    return [
        (separator.join(map(str, path)), leaf) for path, leaf in flatten_with_tuple_paths(structure)
    ]


def assert_shallow_structure(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> None:
    """Checks that `input_tree` is nested at least as `shallow_tree` is.

    Args:
      shallow_tree: a structure.
      input_tree: the structure to check.
      check_types: whether sequences must be of the same type.
      expand_composites: accepted for compatibility; unused.
      check_subtrees_length: whether lengths must be equal; otherwise `input_tree` may have more.

    Raises:
      TypeError: if there is no sequence where `shallow_tree` has one, or one of another type and
        `check_types` is true.
      ValueError: if lengths or keys differ.
    """
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(_SHALLOW_NEEDS_SEQUENCE.format(type(input_tree)))
    if check_types and not can_stand_for(shallow_tree, input_tree):
        raise TypeError(_TYPES_DIFFER.format(type(input_tree), type(shallow_tree)))
    lengths = len(children_of(input_tree)), len(children_of(shallow_tree))
    if check_subtrees_length and lengths[0] != lengths[1]:
        raise ValueError(_LENGTHS_DIFFER.format(*lengths))
    if lengths[0] < lengths[1]:
        raise ValueError(_FEWER_ELEMENTS.format(*lengths))
    if isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping):
        missing = set(shallow_tree) - set(input_tree)
        if missing:
            raise ValueError(_KEYS_DIFFER.format(sorted(missing)))
    for _, shallow, deep in _paired(shallow_tree, input_tree):
        assert_shallow_structure(
            shallow, deep, check_types, check_subtrees_length=check_subtrees_length
        )


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> list[tuple[tuple[Any, ...], Any]]:
    """Lists the (path, subtree of `input_tree`) pairs at the leaves of `shallow_tree`."""
    assert_shallow_structure(
        shallow_tree, input_tree, check_types, check_subtrees_length=check_subtrees_length
    )
    return list(_walk(shallow_tree, input_tree, ()))


def flatten_up_to(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> list[Any]:
    """Lists the subtrees of `input_tree` at the leaves of `shallow_tree`.

    Raises:
      TypeError, ValueError: as `assert_shallow_structure`.
    """
    found = flatten_with_tuple_paths_up_to(
        shallow_tree, input_tree, check_types, check_subtrees_length=check_subtrees_length
    )
    return [subtree for _, subtree in found]


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """As `map_structure_up_to`; `func` takes the path, a tuple, before the subtrees."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    options = {
        "check_types": kwargs.pop("check_types", True),
        "expand_composites": kwargs.pop("expand_composites", False),
        "check_subtrees_length": kwargs.pop("check_subtrees_length", True),
    }
    flat = [flatten_up_to(shallow_tree, tree, **options) for tree in inputs]
    paths = yield_flat_paths(shallow_tree)
    return pack_sequence_as(
        shallow_tree, [func(path, *trees, **kwargs) for path, *trees in zip(paths, *flat)]
    )


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Applies a function to the subtrees of structures at the leaves of `shallow_tree`.

    Args:
      shallow_tree: says how deep to go.
      func: takes one subtree of each input.
      *inputs: structures nested at least as `shallow_tree`.
      **kwargs: `check_types`, `expand_composites` and `check_subtrees_length` as in
        `assert_shallow_structure`.

    Returns:
      A structure like `shallow_tree` with the results as leaves.

    Raises:
      TypeError, ValueError: as `assert_shallow_structure`; ValueError without inputs.
    """
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *trees: func(*trees), *inputs, **kwargs
    )


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """As `map_structure`; `func` takes the path, a tuple, before the leaves."""
    if not structure:
        raise ValueError("Cannot map over no sequences")
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """As `map_structure`; `func` takes the path, a text joined by "/", before the leaves."""
    return map_structure_with_tuple_paths(
        lambda path, *leaves, **rest: func("/".join(map(str, path)), *leaves, **rest),
        *structure,
        **kwargs,
    )


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """Takes apart keys that are structures together with their values.

    `{(1, (2, 3)): (a, (b, c))}` becomes `{1: a, 2: b, 3: c}`.

    Raises:
      TypeError: if the argument is not a dict.
      ValueError: if a key and its value have different numbers of leaves, or a key comes twice.
    """
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys = flatten(key) if is_nested(key) else [key]
        values = flatten(value) if is_nested(key) else [value]
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                f"{len(values)} elements. Key: {keys}, value: {values}."
            )
        for one_key, one_value in zip(keys, values):
            if one_key in flat:
                raise ValueError(f"Could not flatten dictionary: key {one_key} is not unique.")
            flat[one_key] = one_value
    return flat


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """Makes the shallow structure that a function picks out of a structure.

    Args:
      traverse_fn: called with each subtree; returns a bool (go into it or not), or a structure
        of depth 1 of bools, one per child.
      structure: the structure.
      expand_composites: accepted for compatibility; unused.

    Returns:
      A structure of bools that is a shallow structure of `structure`.

    Raises:
      TypeError: if `traverse_fn` returns anything else.
    """
    choice = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(choice, bool):
            raise TypeError(
                f"traverse_fn returned structure: {choice} for non-structure: {structure}"
            )
        return choice
    if not is_nested(choice):
        if not isinstance(choice, bool):
            raise TypeError(
                f"traverse_fn returned a non-bool scalar: {choice} for input: {structure}"
            )
        if not choice:
            return False
        return rebuild(
            structure,
            [
                get_traverse_shallow_structure(traverse_fn, child)
                for child in children_of(structure)
            ],
        )
    assert_shallow_structure(choice, structure)
    if not all(isinstance(leaf, bool) for leaf in children_of(choice)):
        raise TypeError(
            "traverse_fn didn't return a depth=1 structure of bools.  "
            f"saw: {choice}  for structure: {structure}"
        )
    return rebuild(
        structure,
        [
            get_traverse_shallow_structure(traverse_fn, child) if go_on else False
            for go_on, child in zip(children_of(choice), children_of(structure))
        ],
    )


export_module("contrib.framework.nest", sys.modules[__name__])
