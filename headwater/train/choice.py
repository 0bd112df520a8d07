"""Choices between scalar values at run time: all values are computed and one is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.graph import Tensor, build, name_scope


def choose(predicate: Tensor, if_true: Callable[[], Any], if_false: Callable[[], Any]) -> Any:
    """The values of one of two functions, which return a tensor or several.

    Args:
        predicate: a boolean scalar.
        if_true: gives the values that are taken where the predicate holds.
        if_false: gives the other ones, of the same shapes and types.
    """
    with name_scope("cond"):
        first, second = if_true(), if_false()
        if isinstance(first, (tuple, list)):
            return [build.Select(predicate, x, y, name="Merge") for x, y in zip(first, second)]
        return build.Select(predicate, first, second, name="Merge")


def first_of(pairs: Sequence[tuple[Tensor, Tensor]], default: Tensor) -> Tensor:
    """The value that belongs to the first predicate that holds, or the default.

    Args:
        pairs: (boolean scalar, value) in the order in which they are asked.
        default: the value if none holds.
    """
    with name_scope("case"):
        result = default
        for predicate, value in reversed(pairs):
            result = build.Select(predicate, value, result, name="cond")
        return result
