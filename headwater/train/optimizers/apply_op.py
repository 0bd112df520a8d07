"""The op types that apply a gradient: for reference and resource variables, from one kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import errors
from headwater.base.checks import require
from headwater.graph import register_op, shapes


def register_apply_ops(
    name: str,
    *,
    variables: str,
    inputs: str,
    kernel: Callable[..., Any],
    attrs: str = "",
    types: str = "numbertype",
) -> None:
    """Registers ``Apply<name>`` and ``ResourceApply<name>``.

    Args:
        name: the optimizer's name in the op types, e.g. ``"Adam"``.
        variables: names of the variables that are updated, e.g. ``"var m v"``.
        inputs: names of the further inputs in order; all have the type T.
        kernel: computes the new value of each variable, in order.
        attrs: attrs after ``use_locking``, in the op language.
        types: the types that T allows.
    """
    more = f", {attrs}" if attrs else ""
    updates = tuple(variables.split())
    rest = ", ".join(f"{n}: T" for n in inputs.split())
    for prefix, kind in (("Apply", "Ref(T)"), ("ResourceApply", "resource")):
        held = ", ".join(f"{n}: {kind}" for n in updates)
        reference = prefix == "Apply"
        register_op(
            f"{prefix}{name}",
            inputs=f"{held}, {rest}",
            outputs="out: Ref(T)" if reference else "",
            attrs=f"T: {types}, use_locking: bool = false{more}",
            shape=shapes.like_first if reference else shapes.none,
            kernel=kernel,
            updates=updates,
            stateful=not reference,
        )


def register_sparse_apply_ops(
    name: str,
    *,
    variables: str,
    inputs: str,
    kernel: Callable[..., Any],
    attrs: str = "",
    types: str = "numbertype",
) -> None:
    """Registers ``SparseApply<name>`` and ``ResourceSparseApply<name>``.

    The inputs are as for `register_apply_ops`, but ``indices`` (of type Tindices) stands among
    them where the op type has it.
    """
    more = f", {attrs}" if attrs else ""
    updates = tuple(variables.split())
    rest = ", ".join(
        f"{n}: Tindices" if n == "indices" else f"{n}: T" for n in inputs.split()
    )
    for prefix, kind in (("SparseApply", "Ref(T)"), ("ResourceSparseApply", "resource")):
        held = ", ".join(f"{n}: {kind}" for n in updates)
        reference = prefix == "SparseApply"
        register_op(
            f"{prefix}{name}",
            inputs=f"{held}, {rest}",
            outputs="out: Ref(T)" if reference else "",
            attrs=f"T: {types}, Tindices: {{int32, int64}}, use_locking: bool = false{more}",
            shape=shapes.like_first if reference else shapes.none,
            kernel=kernel,
            updates=updates,
            stateful=not reference,
        )


def check_rows(xp: Any, indices: Any, variable: Any) -> None:
    """Demands that all indices name rows of a variable."""
    rows = variable.shape[0]
    require(
        xp,
        (indices >= 0) & (indices < rows),
        lambda: errors.InvalidArgumentError(
            None,
            None,
            f"Index {int(indices[(indices < 0) | (indices >= rows)][0])} at offset "
            f"{int(((indices < 0) | (indices >= rows)).argmax())} in indices is out of range",
        ),
    )


def put_rows(xp: Any, variable: Any, indices: Any, rows: Any) -> Any:
    """A copy of `variable` with some rows replaced."""
    if hasattr(variable, "at"):
        return variable.at[indices].set(rows)
    result = variable.copy()
    result[indices] = rows
    return result
