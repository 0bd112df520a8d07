"""Sequences of numbers: Range, LinSpace."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.dtypes import as_dtype
from headwater.base.older_calls import inserted, is_no_type
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)


def _invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)


def _problem(start: Array, limit: Array, delta: Array) -> str | None:
    if delta == 0:
        return "Requires delta != 0"
    if delta > 0 and start > limit:
        return f"Requires start <= limit when delta > 0: {start}/{limit}"
    if delta < 0 and start < limit:
        return f"Requires start >= limit when delta < 0: {start}/{limit}"
    return None


def _length(start: Array, limit: Array, delta: Array) -> int:
    start, limit, delta = start.item(), limit.item(), delta.item()
    if isinstance(start, int):
        return (abs(limit - start) + abs(delta) - 1) // abs(delta)
    return math.ceil(abs((limit - start) / delta))


def kernel_range(xp: ArrayModule, start: Array, limit: Array, delta: Array) -> Array:
    for value, name in ((start, "start"), (limit, "limit"), (delta, "delta")):
        if value.ndim:
            raise _invalid(f"{name} must be a scalar, not shape {shapes.show(value.shape)}")
    problem = _problem(start, limit, delta)
    if problem:
        raise _invalid(f"{problem}: 0" if delta == 0 else problem)
    count = _length(start, limit, delta)
    if start.dtype.kind in "iu":
        steps = np.arange(count, dtype=start.dtype)
        return np.asarray(start + delta * steps, start.dtype)
    # Each number is the previous one plus delta, rounded, as TensorFlow accumulates.
    steps = np.full(count, delta, start.dtype)
    if count:
        steps[0] = start
    return np.add.accumulate(steps, dtype=start.dtype)


def reference_range(start: Array, limit: Array, delta: Array) -> Array:
    return np.arange(start, limit, delta).astype(start.dtype)


def shape_range(c: shapes.ShapeContext) -> Shape:
    for name in ("start", "limit", "delta"):
        c.with_rank(name, 0)
    values = [c.value(name) for name in ("start", "limit", "delta")]
    if any(value is None for value in values):
        return (None,)
    start, limit, delta = (np.asarray(v)[()] for v in values)
    problem = _problem(start, limit, delta)
    if problem:
        c.fail(problem)
    return (_length(start, limit, delta),)


def kernel_linspace(xp: ArrayModule, start: Array, stop: Array, num: Array) -> Array:
    for name, value in (("start", start), ("stop", stop), ("num", num)):
        if np.ndim(value):
            raise _invalid(f"{name} must be a scalar, not shape {shapes.show(value.shape)}")
    count = int(num)
    if count <= 0:
        raise _invalid(f"Requires num > 0: {count}")
    if count == 1:
        return xp.reshape(start, (1,))
    kind = start.dtype.type
    step = (stop - start) / kind(count - 1)
    values = start + step * xp.arange(count, dtype=np.int32).astype(start.dtype)
    # The last number is exact.
    last = np.arange(count) == count - 1
    return xp.where(last, stop, values)


def reference_linspace(start: Array, stop: Array, num: Array) -> Array:
    return np.linspace(start, stop, int(num)).astype(start.dtype)


def shape_linspace(c: shapes.ShapeContext) -> Shape:
    for name in ("start", "stop", "num"):
        c.with_rank(name, 0)
    num = c.value("num")
    if num is None:
        return (None,)
    if int(num) <= 0:
        c.fail(f"Requires num > 0: {int(num)}")
    return (int(num),)


def samples_range() -> Iterator[Sample]:
    yield Sample(np.int32(1), np.int32(10), np.int32(4))
    yield Sample(np.int64(5), np.int64(-3), np.int64(-2))
    yield Sample(np.float32(0.5), np.float32(2.0), np.float32(0.25))
    yield Sample(np.int32(3), np.int32(3), np.int32(1))


def samples_linspace() -> Iterator[Sample]:
    yield Sample(np.float32(-1), np.float32(2.5), np.int32(6))
    yield Sample(np.float64(3), np.float64(1), np.int64(3))
    yield Sample(np.float64(3), np.float64(1), np.int32(1))


register_op(
    "Range",
    inputs="start: Tidx, limit: Tidx, delta: Tidx",
    outputs="output: Tidx",
    attrs="Tidx: {bfloat16, float, double, int32, int64} = int32",
    shape=shape_range,
    kernel=kernel_range,
    gradient=NOT_DIFFERENTIABLE,
    reference=reference_range,
    samples=samples_range,
    concrete=("start", "limit", "delta"),
)
register_op(
    "LinSpace",
    inputs="start: T, stop: T, num: Tidx",
    outputs="output: T",
    attrs="T: {bfloat16, float, double}, Tidx: {int32, int64} = int32",
    shape=shape_linspace,
    kernel=kernel_linspace,
    gradient=NOT_DIFFERENTIABLE,
    reference=reference_linspace,
    samples=samples_linspace,
    concrete=("num",),
)

# The type of a range is the last of these among the types of its arguments.
_BY_PRECEDENCE = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


@export("range")
@inserted(3, None, older=is_no_type)
def range_(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> Tensor:
    """Makes a sequence of numbers from `start` up to but without `limit`.

    Args:
        start: the first number; the limit if `limit` is None, and then the first number is 0.
        limit: the limit.
        delta: the distance of neighbours.
        dtype: the type of the numbers; None takes the widest type of the arguments.
        name: the name of the node.

    Returns:
        A vector.

    Raises:
        ValueError: if `delta` is 0 or leads away from the limit.

    Example:
        >>> print(tf.range(3, 10, 2).eval())
        [3 5 7 9]
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        kind = None if dtype is None else as_dtype(dtype)
        start = convert_to_tensor(start, dtype=kind, name="start")
        limit = convert_to_tensor(limit, dtype=kind, name="limit")
        delta = convert_to_tensor(delta, dtype=kind, name="delta")
        if kind is None:
            found = [t.dtype.base_dtype for t in (start, limit, delta)]
            if not all(t in _BY_PRECEDENCE for t in found):
                raise AssertionError(f"tf.range has no rule for the types {found}")
            kind = max(found, key=_BY_PRECEDENCE.index)
            start, limit, delta = (
                t if t.dtype.base_dtype is kind else build.Cast(t, DstT=kind)
                for t in (start, limit, delta)
            )
        return build.Range(start, limit, delta, name=scope)


@export("linspace", "lin_space")
def linspace(
    start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = None
) -> Tensor:
    """Makes `num` numbers at equal distances from `start` to `stop`, both included.

    Args:
        start: the first number.
        stop: the last number.
        num: how many.
        name: the name of the node.

    Returns:
        A vector.

    Raises:
        ValueError: if `num` is not positive.
    """
    return build.LinSpace(start, stop, num, name=name)
