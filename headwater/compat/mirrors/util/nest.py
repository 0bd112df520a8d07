"""tensorflow.python.util.nest: what has no public name."""

from __future__ import annotations

from typing import Any

from headwater.base.nest_levels import children_of, rebuild


def _is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Tells whether an object is a named tuple."""
    fields = getattr(instance, "_fields", None)
    return isinstance(instance, tuple) and isinstance(fields, tuple)


def _sequence_like(instance: Any, args: Any) -> Any:
    """Returns a structure of the kind of `instance` with other elements."""
    return rebuild(instance, list(args))


def _yield_value(iterable: Any) -> Any:
    """Yields the elements of a structure, those of a dict in the order of its keys."""
    yield from children_of(iterable)
