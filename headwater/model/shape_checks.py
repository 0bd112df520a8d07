"""Checks of the sizes of several tensors against each other: tf.debugging.assert_shapes."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from headwater.base.dimension import Dimension
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    group,
    name_scope,
    shape_tensor,
)
from headwater.ops.control.assertion import assert_
from headwater.ops.control.cond import cond
from headwater.ops.control.rank_checks import assert_rank, assert_rank_in

_ANY_NUMBER = ("*", Ellipsis)
_ANY_SIZE = (None, ".")


class _Sizes:
    """The sizes of a tensor: integers where they are known, else nodes."""

    def __init__(self, tensor: Tensor) -> None:
        shape = shape_tensor(tensor)
        self.tensor = tensor
        self._known: list[Any] | None = None
        if tensor._shape is None:
            # A scalar counts as a vector with one element.
            is_scalar = build.Equal(build.Rank(tensor), 0)
            self._nodes = cond(is_scalar, lambda: constant_node([1]), lambda: shape)
        elif not tensor._shape:
            self._known = [1]
        else:
            self._known = [
                shape[i] if size is None else size for i, size in enumerate(tensor._shape)
            ]

    def size(self, axis: int) -> Any:
        return self._nodes[axis] if self._known is None else self._known[axis]


def _symbols(tensor: Tensor, symbols: Any, message: str) -> list[Any]:
    """The symbols of the axes; ValueError if they are invalid."""
    if not hasattr(symbols, "__iter__") and not hasattr(symbols, "__getitem__"):
        raise ValueError(
            f"{message}.  Tensor {tensor.name}.  Specified shape must be an iterable.  An iterable "
            f"has the attribute `__iter__` or `__getitem__`.  Received specified shape: {symbols}"
        )
    result = [s.value if isinstance(s, Dimension) else s for s in symbols]
    if not result[1:] and (not result or result[0] in _ANY_NUMBER):
        # No axes: as for a vector with one element.
        result.append(1)
    for i, symbol in enumerate(result):
        if i and symbol in _ANY_NUMBER:
            raise ValueError(
                f"{message}.  Tensor {tensor.name} specified shape index {i}.  Symbol `...` or `*` "
                "for a variable number of unspecified dimensions is only allowed as the first entry"
            )
    return result


def _check(
    actual: TensorLike,
    wanted: TensorLike,
    source: str,
    tensor: Tensor,
    axis: int,
    message: str,
    data: TensorLike,
    summarize: int | None,
) -> list[Operation]:
    """Checks that two sizes are equal: at once if they are known."""
    if isinstance(actual, int) and isinstance(wanted, int):
        if actual == wanted:
            return []
        raise ValueError(
            f"{message}.  {source}.  Tensor {tensor.name} dimension {axis} must have size "
            f"{wanted}.  Received size {actual}, shape {tensor.shape}"
        )
    sizes = [constant_node(s) if isinstance(s, int) else s for s in (actual, wanted)]
    holds = build.Equal(*sizes)
    shown = data or [
        message,
        source,
        f"Tensor {tensor.name} dimension",
        axis,
        "must have size",
        wanted,
        "Received shape: ",
        shape_tensor(tensor),
    ]
    return [assert_(holds, shown, summarize)]


@export("debugging.assert_shapes")
def assert_shapes(
    shapes: dict[Any, Any] | Sequence[Any],
    data: TensorLike = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Checks the shapes of tensors, and that sizes with one symbol are equal.

    Args:
        shapes: a dictionary or pairs: a tensor, and for each of its axes a size, a symbol such as
            "N", or None or "." for any size. "*" or an Ellipsis in front stands for any number of
            axes.
        data: tensors that the error shows; by default the tensor and what is wanted.
        summarize: how many elements of each the error shows.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that fails the run if a shape does not fit.

    Raises:
        ValueError: if it is known that a shape does not fit, or symbols are not a list.
    """
    message = message or ""
    pairs = list(shapes.items() if isinstance(shapes, dict) else shapes)
    with name_scope(name, "assert_shapes", [*(x for x, _ in pairs), *(data or ())]):
        wanted = []
        for x, symbols in pairs:
            tensor = convert_to_tensor(x)
            wanted.append((_Sizes(tensor), _symbols(tensor, symbols, message)))
        checks: list[Any] = []
        options = {"data": data, "summarize": summarize, "message": message, "name": name}
        for sizes, symbols in wanted:
            tensor = sizes.tensor
            if symbols[0] in _ANY_NUMBER:
                rank, least = tensor.shape.ndims, len(symbols) - 1
                if rank is not None and rank < least > 1:
                    raise ValueError(
                        f"{message}.  Tensor {tensor.name} must have rank at least {least}.  "
                        f"Received rank {rank}, shape {tensor.shape}"
                    )
            elif len(symbols) == 1:
                checks.append(assert_rank_in(tensor, [0, 1], **options))
            else:
                checks.append(assert_rank(tensor, len(symbols), **options))
        found: dict[Any, tuple[Any, str]] = {}
        for sizes, symbols in wanted:
            leading = symbols[0] in _ANY_NUMBER
            for i, symbol in enumerate(symbols):
                if symbol in _ANY_SIZE or (leading and not i):
                    continue
                axis = i - len(symbols) if leading else i
                actual = sizes.size(axis)
                if isinstance(symbol, numbers.Real):
                    size, source = int(symbol), "Specified explicitly"  # type: ignore[call-overload]
                elif symbol in found:
                    size, source = found[symbol]
                else:
                    found[symbol] = (
                        actual,
                        f"Specified by tensor {sizes.tensor.name} dimension {axis}",
                    )
                    continue
                checks += _check(actual, size, source, sizes.tensor, axis, message, data, summarize)
        return group(*checks)
