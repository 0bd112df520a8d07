"""Value checks in kernels, both on the host and in compiled programs.

On the host a failed check raises at once. While a program is traced, the conditions are collected:
the program returns whether one failed, and the engine then runs the same ops on the host again,
which raises the error with the values in its text.
"""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from headwater.base import errors, native
from headwater.base.typing import ArrayModule

_UNSIGNED = {np.dtype(f"i{size}"): np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


class _Collector(threading.local):
    conditions: list[Any] | None = None
    reduced = True


_collector = _Collector()


def fail(text: str) -> NoReturn:
    """Raises an InvalidArgumentError; the engine adds the op."""
    raise errors.InvalidArgumentError(None, None, text)


def require(xp: ArrayModule, condition: Any, error: Callable[[], Exception]) -> None:
    """Requires a condition on values to hold.

    Args:
        xp: the array module of the kernel.
        condition: boolean array or scalar; all elements must be true.
        error: makes the exception; called on the host only.

    Raises:
        Exception: what `error` makes, when the kernel runs on the host.
    """
    if isinstance(condition, (bool, np.bool_)):
        if not condition:
            raise error()
    elif xp is np or isinstance(condition, np.ndarray):
        if not condition.all():
            raise error()
    elif _collector.conditions is not None:
        reduced = _collector.reduced and condition.ndim
        _collector.conditions.append(xp.all(condition) if reduced else condition)


def all_hold(conditions: Sequence[Any]) -> Any:
    """Whether all elements of at least one traced condition hold."""
    # Those of one shape are reduced together, each once. A stacked array of them would take XLA
    # longer to compile.
    by_shape: dict[Any, list[Any]] = {}
    for condition in {id(c): c for c in conditions}.values():
        by_shape.setdefault(condition.shape, []).append(condition)
    joined = [functools.reduce(operator.and_, group) for group in by_shape.values()]
    return functools.reduce(operator.and_, [c.all() if c.ndim else c for c in joined])


def in_range(indices: Any, size: int) -> Any:
    """Whether indices are in [0, size).

    Args:
        indices: integer array, known or traced.
        size: the number of rows.

    Returns:
        A bool for all indices if they are known, else a traced array with one for each.
    """
    if isinstance(indices, np.ndarray):
        found: bool | None = native.host().in_range(indices, size)
        if found is not None:
            return found
    unsigned = _UNSIGNED.get(indices.dtype) if isinstance(indices, np.ndarray) else None
    if unsigned is None:
        return (indices >= 0) & (indices < size)
    # Negative numbers are large ones without a sign.
    return not indices.size or bool(np.maximum.reduce(indices.view(unsigned), None) < size)


# Up to this many possible numbers per given one, counting costs less than sorting.
_COUNTED = 16


def are_distinct(numbers: np.ndarray, count: int | None = None) -> bool:
    """Whether no integer of a vector is repeated.

    Args:
        numbers: integer vector.
        count: all numbers are in [0, count); None if their range is not known.
    """
    if count is not None:
        found: bool | None = native.host().are_distinct(numbers, count)
        if found is not None:
            return found
    if count is not None and 0 < count <= _COUNTED * len(numbers):
        return bool(np.maximum.reduce(np.bincount(numbers)) <= 1)
    ordered = np.sort(numbers)
    return not (ordered[1:] == ordered[:-1]).any()


def is_range(numbers: np.ndarray, count: int) -> bool:
    """Whether an integer vector is ``[0, 1, ..., count - 1]``."""
    if len(numbers) != count:
        return False
    # Most other vectors differ at the ends.
    if count and (numbers[0] != 0 or numbers[-1] != count - 1):
        return False
    return numbers.tobytes() == np.arange(count, dtype=numbers.dtype).tobytes()


class ValueNeeded(Exception):
    """Raised by a traced kernel that needs the value of an input.

    Args:
        name: the name of the input, which is not a list.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@contextmanager
def collected(reduced: bool = True) -> Iterator[list[Any]]:
    """A with block in which traced conditions are collected into the list that it yields.

    Args:
        reduced: whether the conditions are scalars; otherwise they have one element per value.
    """
    outer = _collector.conditions, _collector.reduced
    found: list[Any] = []
    _collector.conditions, _collector.reduced = found, reduced
    try:
        yield found
    finally:
        _collector.conditions, _collector.reduced = outer
