"""Python's operators on ragged tensors, element by element, and indexing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.array.gather import gather


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(x: Any, y: Any) -> Any:
        if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
            if x.ragged_rank != y.ragged_rank:
                raise ValueError("ragged tensors of different ragged ranks are not broadcast")
            return x.with_flat_values(function(x.flat_values, y.flat_values))
        ragged = x if isinstance(x, RaggedTensor) else y
        other = convert_to_tensor(y if ragged is x else x, ragged.dtype.base_dtype)
        if other.shape.ndims != 0:
            raise ValueError("only scalars are broadcast to ragged tensors")
        if ragged is x:
            return x.with_flat_values(function(x.flat_values, other))
        return y.with_flat_values(function(other, y.flat_values))

    return apply


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: function(y, x)


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "and_",
    "or_", "xor",
):  # fmt: skip
    _function = _elementwise(getattr(operator, _name))
    _plain = _name.rstrip("_")
    setattr(RaggedTensor, f"__{_plain}__", _function)
    if _plain not in ("lt", "le", "gt", "ge"):
        setattr(RaggedTensor, f"__r{_plain}__", _swapped(_function))


def _of_values(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: x.with_flat_values(function(x.flat_values))


for _name in ("neg", "abs", "invert"):
    setattr(RaggedTensor, f"__{_name}__", _of_values(getattr(operator, _name)))


def _selected_rows(x: RaggedTensor, starts: Tensor, limits: Tensor, step: int = 1) -> RaggedTensor:
    """Rows of the values from each start to each limit."""
    kind = x.row_splits.dtype.base_dtype
    splits, places = build.RaggedRange(starts, limits, convert_to_tensor(step, kind), Tsplits=kind)
    return RaggedTensor.from_row_splits(_at(x.values, places), splits, validate=False)


def _at(values: Any, places: Tensor) -> Any:
    """The values (or rows, if they are ragged) at some places."""
    if isinstance(values, RaggedTensor):
        starts = gather(values.row_starts(), places)
        return _selected_rows(values, starts, gather(values.row_limits(), places))
    return gather(values, places)


def _end(end: Any, lengths: Tensor, default: Tensor) -> Tensor:
    """One end of a slice in each row: negative ones count from the end of the row."""
    if end is None:
        return default
    kind = lengths.dtype.base_dtype
    end = build.Cast(convert_to_tensor(end), DstT=kind)
    zero = build.ZerosLike(lengths)
    wanted = build.AddV2(zero, end)
    place = build.Select(build.Less(wanted, zero), build.AddV2(lengths, wanted), wanted)
    return build.Minimum(build.Maximum(place, zero), lengths)


def _inner_slice(x: RaggedTensor, key: slice) -> RaggedTensor:
    step = 1 if key.step is None else key.step
    if not isinstance(step, int) or step <= 0:
        raise ValueError("slices of ragged dimensions need a positive step")
    lengths = x.row_lengths()
    first = _end(key.start, lengths, build.ZerosLike(lengths))
    last = build.Maximum(_end(key.stop, lengths, lengths), first)
    starts = x.row_starts()
    return _selected_rows(x, starts + first, starts + last, step)


def _getitem(x: RaggedTensor, key: Any) -> Any:
    """Rows, parts of rows, or values of them.

    Args:
        x: a ragged tensor.
        key: an integer, a slice, or a tuple of these with one item per dimension.

    Returns:
        A tensor where one row (or value) is chosen, else a RaggedTensor.

    Raises:
        ValueError: if a value is chosen of each row, which may be missing in some.
        TypeError: if there are other keys.
    """
    keys = list(key) if isinstance(key, (tuple, list)) else [key]
    with name_scope(None, "RaggedGetItem", [x.row_splits]):
        return _chosen(x, keys)


def _chosen(x: Any, keys: list[Any]) -> Any:
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return x[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if isinstance(first, slice):
        if first != slice(None):
            kind = x.row_splits.dtype.base_dtype
            rows = build.Range(convert_to_tensor(0, kind), x.nrows(), convert_to_tensor(1, kind))[
                first
            ]
            starts = gather(x.row_starts(), rows)
            x = _selected_rows(x, starts, gather(x.row_limits(), rows))
        return _chosen_inside(x, rest) if rest else x
    if first is None or first is Ellipsis:
        raise TypeError("ragged tensors take integers and slices as keys")
    starts, limits = x.row_starts(), x.row_limits()
    row = x.values[starts[first] : limits[first]]
    return _chosen(row, rest)


def _chosen_inside(x: RaggedTensor, keys: list[Any]) -> Any:
    first, rest = keys[0], keys[1:]
    if not isinstance(first, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    result = x if first == slice(None) else _inner_slice(x, first)
    if not rest:
        return result
    values = result.values
    if isinstance(values, RaggedTensor):
        return result.with_values(_chosen_inside(values, rest))
    return result.with_values(values[(slice(None), *rest)])


setattr(RaggedTensor, "__getitem__", _getitem)  # noqa: B010
