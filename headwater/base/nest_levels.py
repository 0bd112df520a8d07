"""One level of a nested structure: its keys and children, and copies with other children."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MappingView, Sequence
from typing import Any, NamedTuple

from headwater.base.export import export


def is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def attrs_names(value: Any) -> list[str] | None:
    """The field names of an instance of an attrs class, else None."""
    fields = getattr(type(value), "__attrs_attrs__", None)
    return None if fields is None else [field.name for field in fields]


@export("nest.is_nested")
def is_nested(seq: Any) -> bool:
    """Says whether a value is a structure rather than a leaf.

    Args:
      seq: any value.

    Returns:
      True for lists, tuples, dicts, their views, and instances of attrs classes; False for all
      else, such as text, sets, arrays and tensors.
    """
    kind = seq.__class__
    if kind is list or kind is tuple or kind is dict:
        return True
    if isinstance(seq, (str, bytes)):
        return False
    return isinstance(seq, (Sequence, Mapping, MappingView)) or hasattr(kind, "__attrs_attrs__")


def items(structure: Any) -> list[tuple[Any, Any]]:
    """The (key, child) pairs of one level: dict keys sorted, field names, or positions."""
    if isinstance(structure, Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    if is_namedtuple(structure):
        return list(zip(structure._fields, structure))
    names = attrs_names(structure)
    if names is not None:
        return [(name, getattr(structure, name)) for name in names]
    return list(enumerate(structure))


def children_of(structure: Any) -> Sequence[Any]:
    if structure.__class__ is list or structure.__class__ is tuple:
        return structure
    return [child for _, child in items(structure)]


def rebuild(structure: Any, children: list[Any]) -> Any:
    """A copy of one level of `structure` with other children."""
    kind: Any = type(structure)
    if kind is list:
        return children
    if kind is tuple:
        return tuple(children)
    if isinstance(structure, Mapping):
        wrapped = getattr(structure, "__wrapped__", None)
        if wrapped is not None:
            return kind(rebuild(wrapped, children))
        by_key = dict(zip(sorted(structure), children))
        pairs = [(key, by_key[key]) for key in structure]
        if hasattr(structure, "default_factory"):
            return kind(structure.default_factory, pairs)
        return kind(pairs)
    if isinstance(structure, (MappingView, range)):
        # Neither can be constructed from its elements.
        return children
    if is_namedtuple(structure) or attrs_names(structure) is not None:
        return kind(*children)
    return kind(children)


def same_namedtuples(nest1: Any, nest2: Any) -> bool:
    """True if two namedtuples have the same name and fields, be they the same class or not."""
    return type(nest1).__name__ == type(nest2).__name__ and nest1._fields == nest2._fields


def same_kind(a: Any, b: Any) -> bool:
    """True if two levels count as the same type of sequence."""
    if type(a) is type(b):
        return True
    if any(isinstance(a, kind) and isinstance(b, kind) for kind in (list, Mapping)):
        return True
    return is_namedtuple(a) and is_namedtuple(b) and same_namedtuples(a, b)


def can_stand_for(shallow: Any, tree: Any) -> bool:
    """True if a level of a shallow structure counts as the type of that of a deeper one."""
    if isinstance(shallow, list):
        return isinstance(tree, type(shallow))
    return same_kind(shallow, tree)


class Composite(NamedTuple):
    """How values of a composite class are flattened into tensors and rebuilt."""

    kind: type
    parts: Callable[[Any], Sequence[Any]]
    rebuild: Callable[[Any, list[Any]], Any]


_composites: list[Composite] = []


def register_composite(
    kind: type, parts: Callable[[Any], Sequence[Any]], rebuild: Callable[[Any, list[Any]], Any]
) -> None:
    """Makes values of a class structures for those functions that expand composites.

    Args:
      kind: the class.
      parts: gives the tensors of a value.
      rebuild: makes a value like the given one from other tensors.
    """
    _composites.append(Composite(kind, parts, rebuild))


def composite_of(value: Any) -> Composite | None:
    """What is registered for the class of a value, or None."""
    for composite in _composites:
        if isinstance(value, composite.kind):
            return composite
    return None


def expand(structure: Any) -> Any:
    """A structure with composites replaced by lists of their parts."""
    if is_nested(structure):
        return rebuild(structure, [expand(child) for child in children_of(structure)])
    composite = composite_of(structure)
    return structure if composite is None else [expand(part) for part in composite.parts(structure)]


def contract(structure: Any, expanded: Any) -> Any:
    """The inverse of `expand`: composites like those of `structure` from lists of parts."""
    if is_nested(structure):
        pairs = zip(children_of(structure), children_of(expanded))
        return rebuild(structure, [contract(child, parts) for child, parts in pairs])
    composite = composite_of(structure)
    if composite is None:
        return expanded
    old = composite.parts(structure)
    return composite.rebuild(structure, [contract(a, b) for a, b in zip(old, expanded)])
