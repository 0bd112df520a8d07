"""Python's operators on ragged tensors, element by element, and indexing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.model.ragged import partitions
from headwater.model.ragged.elementwise import of_one, of_two
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.array.gather import gather
from headwater.ops.math.arithmetic import add, multiply, negative, subtract
from headwater.ops.math.comparison import greater, greater_equal, less, less_equal
from headwater.ops.math.division import div, floordiv, mod, truediv
from headwater.ops.math.logical import logical_and, logical_not, logical_or, logical_xor
from headwater.ops.math.powers import power
from headwater.ops.math.sign import absolute

_ARITHMETIC = {
    "add": add,
    "sub": subtract,
    "mul": multiply,
    "div": div,
    "truediv": truediv,
    "floordiv": floordiv,
    "mod": mod,
    "pow": power,
    "and": logical_and,
    "or": logical_or,
    "xor": logical_xor,
}
_COMPARISONS = {"lt": less, "le": less_equal, "gt": greater, "ge": greater_equal}
_UNARY = {"abs": absolute, "neg": negative, "invert": logical_not}


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(x: RaggedTensor, name: str | None = None) -> RaggedTensor:
        return of_one(function, (x,), {"name": name})

    return apply


def _binary(function: Callable[..., Any], swapped: bool = False) -> Callable[..., Any]:
    def apply(
        x: RaggedTensor, y: RaggedTensor | TensorLike, name: str | None = None
    ) -> RaggedTensor:
        return of_two(function, (y, x) if swapped else (x, y), {"name": name})

    return apply


def _set_operators() -> None:
    for operator, of_value in _UNARY.items():
        setattr(RaggedTensor, f"__{operator}__", _unary(of_value))
    for operator, function in (_ARITHMETIC | _COMPARISONS).items():
        setattr(RaggedTensor, f"__{operator}__", _binary(function))
    for operator, function in _ARITHMETIC.items():
        setattr(RaggedTensor, f"__r{operator}__", _binary(function, swapped=True))


_set_operators()


def _selected_rows(x: RaggedTensor, starts: Tensor, limits: Tensor, step: int = 1) -> RaggedTensor:
    """Rows of the values from each start to each limit."""
    kind = x.row_splits.dtype.base_dtype
    splits, places = build.RaggedRange(starts, limits, convert_to_tensor(step, kind), Tsplits=kind)
    return RaggedTensor.from_row_splits(gathered_rows(x.values, places), splits, validate=False)


def gathered_rows(values: TensorLike, places: Tensor) -> Any:
    """The rows at some places.

    Args:
        values: a RaggedTensor or tensor.
        places: the numbers of rows.

    Returns:
        A value of the same kind.
    """
    if isinstance(values, RaggedTensor):
        starts = gather(values.row_starts(), places)
        return _selected_rows(values, starts, gather(values.row_limits(), places))
    return gather(values, places)


def _end(end: TensorLike, lengths: Tensor, default: Tensor) -> Tensor:
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


def _getitem(rt_input: RaggedTensor, key: Any) -> Tensor | RaggedTensor:
    """Rows, parts of rows, or values of them.

    Args:
        rt_input: a ragged tensor.
        key: an integer, a slice, tf.newaxis or an ellipsis, or a tuple of these.

    Returns:
        A tensor where one row (or value) is chosen, else a RaggedTensor.

    Raises:
        ValueError: if a value is chosen of each row, which may be missing in some.
        TypeError: if there are other keys.
    """
    keys = list(key) if isinstance(key, (tuple, list)) else [key]
    for item in keys:
        whole = isinstance(item, (int, slice, Tensor)) or item is None or item is Ellipsis
        if not whole and not hasattr(item, "__index__"):
            raise TypeError(
                "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
                f"tf.int32/tf.int64 tensors are valid indices, got {item!r}"
            )
    with name_scope(None, "RaggedGetItem", [rt_input.row_splits]):
        return _chosen(rt_input, _without_ellipsis(rt_input, keys))


def _without_ellipsis(x: RaggedTensor, keys: list[Any]) -> list[Any]:
    places = [i for i, key in enumerate(keys) if key is Ellipsis]
    if not places:
        return keys
    (place,) = places
    if place == len(keys) - 1:
        return keys[:place]
    if x.shape.ndims is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    missing = x.shape.ndims - sum(key is not None for key in keys) + 1
    return [*keys[:place], *[slice(None)] * missing, *keys[place + 1 :]]


def _chosen(x: TensorLike | RaggedTensor, keys: list[Any]) -> Tensor | RaggedTensor:
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return x[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        splits = build.Pack([convert_to_tensor(0, x.row_splits.dtype), x.nrows()])
        splits.set_shape([2])
        inner = _chosen(x, rest)
        return RaggedTensor.from_row_splits(inner, splits, validate=False)
    if isinstance(first, slice):
        if first != slice(None):
            kind = x.row_splits.dtype.base_dtype
            rows = build.Range(convert_to_tensor(0, kind), x.nrows(), convert_to_tensor(1, kind))[
                first
            ]
            starts = gather(x.row_starts(), rows)
            x = _selected_rows(x, starts, gather(x.row_limits(), rows))
        return _chosen_inside(x, rest) if rest else x
    starts, limits = x.row_starts(), x.row_limits()
    row = x.values[starts[first] : limits[first]]
    return _chosen(row, rest)


def _chosen_inside(x: RaggedTensor, keys: list[Any]) -> RaggedTensor:
    first, rest = keys[0], keys[1:]
    if first is None:
        splits = partitions.counted(0, x.nrows(), x.row_splits.dtype.base_dtype)
        splits.set_shape(x.row_splits.shape)
        inner = _chosen_inside(x, rest) if rest else x
        return RaggedTensor.from_row_splits(inner, splits, validate=False)
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
