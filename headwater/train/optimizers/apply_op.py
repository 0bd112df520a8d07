"""The op types that apply a gradient: for reference and resource variables, dense and by rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.graph import register_op, shapes


def register_apply_ops(
    name: str,
    *,
    variables: str,
    inputs: str,
    kernel: Callable[..., Any],
    sparse_inputs: str = "",
    attrs: str = "",
    dense_attrs: str = "",
) -> None:
    """Registers ``Apply<name>`` and ``ResourceApply<name>``, and their forms for single rows.

    Args:
        name: the optimizer's name in the op types, e.g. ``"Adam"``.
        variables: names of the variables that are updated, e.g. ``"var m v"``.
        inputs: names of the further inputs in order. They have the type T, ``global_step`` int64.
        kernel: ``kernel(xp, *variables, **inputs and attrs)`` computes the new value of each
            variable, in order. It works element by element.
        sparse_inputs: the inputs of ``SparseApply<name>`` with ``indices`` among them, which say
            to which rows of the variables the gradient belongs; "" if there is no such op type.
        attrs: attrs after ``use_locking``, in the op language.
        dense_attrs: further attrs of the forms for whole variables.
    """
    updates = variables.split()
    names = inputs.split()
    dense_more = ", ".join(a for a in (attrs, dense_attrs) if a)
    _register(f"Apply{name}", updates, names, kernel, dense_more)
    if sparse_inputs:
        names = sparse_inputs.split()
        _register(
            f"SparseApply{name}", updates, names, _by_rows(kernel, updates, names, attrs), attrs
        )


def _register(
    name: str, updates: list[str], inputs: list[str], kernel: Callable[..., Any], attrs: str
) -> None:
    more = f", {attrs}" if attrs else ""
    types = {"indices": "Tindices", "global_step": "int64"}
    rest = ", ".join(f"{n}: {types.get(n, 'T')}" for n in inputs)
    index_type = ", Tindices: {int32, int64}" if "indices" in inputs else ""
    for prefix, kind in (("", "Ref(T)"), ("Resource", "resource")):
        held = ", ".join(f"{n}: {kind}" for n in updates)
        register_op(
            prefix + name,
            inputs=f"{held}, {rest}",
            outputs="" if prefix else "out: Ref(T)",
            attrs=f"T: numbertype{index_type}, use_locking: bool = false{more}",
            shape=shapes.none if prefix else shapes.like_first,
            kernel=kernel,
            updates=tuple(updates),
            stateful=bool(prefix),
        )


def _by_rows(
    kernel: Callable[..., Any], updates: list[str], inputs: list[str], attrs: str
) -> Callable[..., Any]:
    """The kernel on the rows that `indices` names; the other rows stay as they are."""
    count = len(updates)
    place = count + inputs.index("indices")

    def by_rows(xp: Any, *values: Any, **wanted: Any) -> Any:
        held, indices = values[:count], values[place]
        _check_rows(xp, indices, held[0])
        rows = [variable[indices] for variable in held]
        numbers = {n: v for n, v in zip(inputs, values[count:]) if n != "indices"}
        results = kernel(xp, *rows, **numbers, **wanted)
        return tuple(_put_rows(v, indices, r) for v, r in zip(held, results))

    # The registry tells from the signature which attrs a kernel takes.
    parameters = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in _attr_names(attrs)]
    by_rows.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return by_rows


def _attr_names(attrs: str) -> list[str]:
    return [part.partition(":")[0].strip() for part in attrs.split(",") if part.strip()]


def _check_rows(xp: Any, indices: Any, variable: Any) -> None:
    """Demands that all indices name rows of a variable."""
    rows = variable.shape[0]
    inside = (indices >= 0) & (indices < rows)

    def error() -> errors.InvalidArgumentError:
        first = int(np.argmin(inside))
        return errors.InvalidArgumentError(
            None, None, f"Index {int(indices[first])} at offset {first} in indices is out of range"
        )

    require(xp, inside, error)


def _put_rows(variable: Any, indices: Any, rows: Any) -> Any:
    """A copy of `variable` with some rows replaced."""
    if isinstance(variable, np.ndarray):
        result = variable.copy()
        result[indices] = rows
        return result
    return variable.at[indices].set(rows)
