"""Finds repeated runs of equations in a traced program, such as unrolled steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# Bounds of the length of a repeat, and the least number of its instances.
_MIN_LENGTH = 4
_MAX_LENGTH = 600
_MIN_COUNT = 3
# The cost of a call, in equations.
_CALL = 6
# The least number of equations that a repeat must save.
_MIN_SAVED = 60


@dataclass
class Repeat:
    """Runs of equations that differ only in their inputs from outside.

    Attributes:
        length: the number of equations in each.
        starts: where each begins.
    """

    length: int
    starts: list[int]


def find_repeats(equations: Sequence[Any]) -> list[Repeat]:
    """Finds repeats, those that save most equations first.

    Args:
        equations: the equations of a jaxpr, in order.

    Returns:
        Repeats that do not overlap.
    """
    kinds = _kinds(equations)
    sources = _sources(equations)
    found: list[Repeat] = []
    fresh = -1
    while True:
        repeat = _best(kinds, sources)
        if repeat is None:
            return found
        found.append(repeat)
        for start in repeat.starts:
            for place in range(start, start + repeat.length):
                # A unique kind, so that no other repeat contains the equation.
                kinds[place] = fresh
                fresh -= 1


def _kinds(equations: Sequence[Any]) -> np.ndarray:
    """A number for each equation; equal numbers mean the same operation on the same shapes."""
    numbers: dict[Any, int] = {}
    shown: dict[int, tuple[Any, str]] = {}

    def show(value: Any) -> str:
        if isinstance(value, (int, float, str, tuple, type(None))):
            return repr(value)
        # The object is kept alive, so that its id is not reused.
        known = shown.get(id(value))
        if known is None:
            known = shown[id(value)] = (value, str(value))
        return known[1]

    result = []
    for equation in equations:
        inputs = tuple(
            _type(v) if not hasattr(v, "val") else (_type(v), repr(v.val)) for v in equation.invars
        )
        outputs = tuple(map(_type, equation.outvars))
        params = tuple((name, show(value)) for name, value in equation.params.items())
        key = (equation.primitive.name, params, inputs, outputs)
        result.append(numbers.setdefault(key, len(numbers)))
    return np.array(result, np.int64)


def _type(variable: Any) -> Any:
    aval = variable.aval
    # As text, which takes long, only what is no array.
    return (aval.shape, aval.dtype, aval.weak_type) if hasattr(aval, "weak_type") else str(aval)


def _sources(equations: Sequence[Any]) -> list[list[tuple[int, int]]]:
    """Where each operand comes from: the equation (-1 for arguments) and a number of the value."""
    values: dict[Any, tuple[int, int]] = {}
    result = []
    for place, equation in enumerate(equations):
        operands = [v for v in equation.invars if not hasattr(v, "val")]
        result.append([values.setdefault(v, (-1, len(values))) for v in operands])
        # Counted from the end, outputs have one number wherever the equation stands.
        values.update((v, (place, ~i)) for i, v in enumerate(equation.outvars))
    return result


def _best(kinds: np.ndarray, sources: list[list[tuple[int, int]]]) -> Repeat | None:
    """The repeat that saves most equations, if it saves enough."""
    best: tuple[int, Repeat] | None = None
    candidates = [
        (_saved(length, len(starts)), length, starts) for length, starts in _candidates(kinds)
    ]
    # The most promising ones first: soon, no other one can be better.
    for limit, length, starts in sorted(candidates, key=lambda c: -c[0]):
        if limit < _MIN_SAVED or (best is not None and limit <= best[0]):
            break
        same = _same_inside(starts, length, sources)
        saved = _saved(length, len(same))
        if len(same) >= _MIN_COUNT and saved >= _MIN_SAVED and (best is None or saved > best[0]):
            best = saved, Repeat(length, same)
    return best and best[1]


def _saved(length: int, count: int) -> int:
    return (count - 1) * length - count * _CALL


def _candidates(kinds: np.ndarray) -> Iterator[tuple[int, list[int]]]:
    """Lengths with starts of runs of equal kinds that do not overlap."""
    size = len(kinds)
    # The hash of a run is a sum of powers, modulo 2**64.
    base = np.uint64(0x9E3779B97F4A7C15)
    mixed = (kinds.astype(np.uint64) + np.uint64(1)) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = np.zeros(size, np.uint64)
    for length in range(1, min(_MAX_LENGTH, size // _MIN_COUNT) + 1):
        count = size - length + 1
        hashes = hashes[:count] * base + mixed[length - 1 :]
        if length < _MIN_LENGTH:
            continue
        values, counts = np.unique(hashes, return_counts=True)
        if counts.max() < _MIN_COUNT:
            return
        for value in values[counts >= _MIN_COUNT][np.argsort(-counts[counts >= _MIN_COUNT])][:4]:
            starts = _apart(np.flatnonzero(hashes == value), length)
            if len(starts) >= _MIN_COUNT:
                yield length, starts


def _apart(places: np.ndarray, length: int) -> list[int]:
    starts: list[int] = []
    for place in places.tolist():
        if not starts or place >= starts[-1] + length:
            starts.append(place)
    return starts


def _same_inside(starts: list[int], length: int, sources: list[list[tuple[int, int]]]) -> list[int]:
    """The largest set of runs that one program can compute.

    Their equations are connected in the same way: operands from the same equations, and equal
    operands from outside in all runs or in none.
    """
    groups: dict[Any, list[int]] = {}
    for start in starts:
        outside: dict[tuple[int, int], int] = {}
        wiring = tuple(
            (source - start, number)
            if source >= start
            else outside.setdefault((source, number), len(outside))
            for place in range(start, start + length)
            for source, number in sources[place]
        )
        groups.setdefault(wiring, []).append(start)
    return max(groups.values(), key=len)
