"""Functions that work element by element, with ragged arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.model.ragged.broadcast import broadcast_values
from headwater.model.ragged.conversion import (
    after,
    assert_rows_match,
    convert,
    is_ragged,
    matched_row_splits,
)
from headwater.model.ragged.tensor import RaggedTensor


def _taken(
    function: Callable[..., Any], count: int, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], Any, dict[str, Any], list[str]]:
    """The first arguments, those behind them, those by name, and the names of missing ones."""
    rest = dict(kwargs)
    values, missing = [*args[:count]], []
    for name in list(inspect.signature(function).parameters)[len(values) : count]:
        if name in rest:
            values.append(rest.pop(name))
        else:
            missing.append(name)
    return values, args[count:], rest, missing


def of_one(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> RaggedTensor:
    """Calls a function of one tensor, or of a list of tensors, with the values of ragged ones.

    Args:
        function: works element by element.
        args: its arguments; the first of them is ragged or a list with ragged tensors.
        kwargs: its keyword arguments.

    Returns:
        A RaggedTensor; NotImplemented if other arguments are ragged.
    """
    found, args, kwargs, missing = _taken(function, 1, args, kwargs)
    if missing:
        # Some functions accept their argument under an older name too.
        other = [name for name, value in kwargs.items() if is_ragged(value)]
        if not other:
            return NotImplemented
        found = [kwargs.pop(other[0])]
    (x,) = found
    if is_ragged(x):
        x = convert(x)
        return x.with_flat_values(function(x.flat_values, *args, **kwargs))
    if not isinstance(x, (list, tuple)) or not any(map(is_ragged, x)):
        return NotImplemented
    parts = matched_row_splits(*(convert(v) if is_ragged(v) else v for v in x))
    ragged = [v for v in parts if isinstance(v, RaggedTensor)]
    checks = assert_rows_match(ragged)
    flat = [v.flat_values if isinstance(v, RaggedTensor) else v for v in parts]
    return after(checks, ragged[0]).with_flat_values(function(flat, *args, **kwargs))


def of_two(
    function: Callable[..., Any],
    args: Sequence[RaggedTensor | TensorLike | None],
    kwargs: dict[str, Any],
) -> RaggedTensor:
    """Calls a function of two tensors with the values of ragged ones.

    Args:
        function: works element by element.
        args: its arguments; one of the first two is ragged.
        kwargs: its keyword arguments.

    Returns:
        A RaggedTensor with the rows of both, see `broadcast_values`; NotImplemented if other
        arguments are ragged.
    """
    found, args, kwargs, missing = _taken(function, 2, args, kwargs)
    if missing or not any(map(is_ragged, found)):
        return NotImplemented
    x, y = found
    try:
        x = convert(x, preferred_dtype=y.dtype if is_ragged(y) else None)
        y = convert(y, preferred_dtype=x.dtype)
    except (TypeError, ValueError):
        return NotImplemented
    x_values, y_values, with_rows = broadcast_values(x, y)
    return with_rows(function(x_values, y_values, *args, **kwargs))


@export("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> RaggedTensor:
    """Calls a function with the values inside of ragged tensors.

    Args:
        op: a function of tensors that keeps their number of values.
        *args: its arguments; ragged tensors in them, and in lists in them, have the same rows.
        **kwargs: its keyword arguments.

    Returns:
        A RaggedTensor with the rows of the arguments; what `op` returns if none is ragged.

    Raises:
        ValueError: if the levels of the ragged tensors differ.
    """
    ragged: list[RaggedTensor] = []

    def flat(value: TensorLike) -> Any:
        if is_ragged(value):
            ragged.append(convert(value))
            return ragged[-1].flat_values
        if isinstance(value, (list, tuple)):
            return type(value)([flat(v) for v in value]) if any(map(is_ragged, value)) else value
        return value

    values = [flat(value) for value in args]
    named = {name: flat(value) for name, value in kwargs.items()}
    if not ragged:
        return op(*args, **kwargs)
    matched_row_splits(*ragged)
    checks = assert_rows_match(ragged)
    return after(checks, ragged[0]).with_flat_values(op(*values, **named))
