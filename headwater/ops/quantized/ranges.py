"""Quantized tensors in other types and ranges: Requantize and what chooses its range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.quantized.steps import KINDS, Steps, requantize

_F = np.float32


def _used(steps: Steps, integers: np.ndarray, low: Array, high: Array) -> tuple[Any, Any]:
    """The numbers of the lowest and the highest integer that occur."""
    first, last = steps.numbers([integers.min(), integers.max()], low, high)
    return first, last


def kernel_shrink(
    xp: ArrayModule, x: np.ndarray, low: Array, high: Array, *, Tinput: DType, out_type: DType
) -> tuple[Array, ...]:
    steps, target = Steps(Tinput), Steps(out_type)
    integers = steps.integers(x)
    if not integers.size:
        return target.array(integers), _F(0), _F(0)
    first, last = _used(steps, integers, low, high)
    first = min(_F(0), first)
    new = (first, last)
    return requantize(steps, integers, (low, high), target, new), *new


def kernel_range(
    xp: ArrayModule, x: np.ndarray, low: Array, high: Array, *, Tinput: DType
) -> tuple[Array, ...]:
    steps = Steps(Tinput)
    first, last = _used(steps, steps.integers(x), low, high)
    return min(_F(0), first), max(_F(0), last)


def kernel_requantize(
    xp: ArrayModule,
    x: np.ndarray,
    low: Array,
    high: Array,
    new_low: Array,
    new_high: Array,
    *,
    Tinput: DType,
    out_type: DType,
) -> tuple[Array, ...]:
    if new_low > 0:
        fail(f"requested_output_min must be <= 0, but got {new_low:g}")
    if new_high < new_low:
        fail(
            f"requested_output_max must be >= requested_output_min, but got {new_high:g} and "
            f"{new_low:g}"
        )
    steps = Steps(Tinput)
    new = (_F(new_low), _F(new_high))
    return requantize(steps, steps.integers(x), (low, high), Steps(out_type), new), *new


def _check_scalars(c: shapes.ShapeContext, *names: str) -> None:
    for name in names:
        c.with_rank(name, 0)


def shape_like_input(c: shapes.ShapeContext) -> list[Shape]:
    _check_scalars(c, *[arg.name for arg in c.record.schema.inputs[1:]])
    return [c.shape("input"), (), ()]


def shape_range(c: shapes.ShapeContext) -> list[Shape]:
    _check_scalars(c, "input_min", "input_max")
    return [(), ()]


_X = np.array([-4000, 0, 70000, 5_000_000], np.int32).view(dtypes.qint32.as_numpy_dtype)
_LOW, _HIGH = _F(-(2.0**10)), _F(2.0**10)


def samples_shrink() -> Iterator[Sample]:
    yield Sample(_X, _LOW, _HIGH, out_type=dtypes.quint8)


def samples_range() -> Iterator[Sample]:
    yield Sample(_X, _LOW, _HIGH)


def samples_requantize() -> Iterator[Sample]:
    yield Sample(_X, _LOW, _HIGH, _F(-1), _F(3), out_type=dtypes.quint8)


register_op(
    "QuantizeDownAndShrinkRange",
    inputs="input: Tinput, input_min: float, input_max: float",
    outputs="output: out_type, output_min: float, output_max: float",
    attrs=f"Tinput: {KINDS}, out_type: {KINDS}",
    shape=shape_like_input,
    kernel=kernel_shrink,
    samples=samples_shrink,
    runs_on=RunsOn.HOST,
)
register_op(
    "RequantizationRange",
    inputs="input: Tinput, input_min: float, input_max: float",
    outputs="output_min: float, output_max: float",
    attrs=f"Tinput: {KINDS}",
    shape=shape_range,
    kernel=kernel_range,
    samples=samples_range,
    runs_on=RunsOn.HOST,
)
register_op(
    "Requantize",
    inputs="input: Tinput, input_min: float, input_max: float, requested_output_min: float, "
    "requested_output_max: float",
    outputs="output: out_type, output_min: float, output_max: float",
    attrs=f"Tinput: {KINDS}, out_type: {KINDS}",
    shape=shape_like_input,
    kernel=kernel_requantize,
    samples=samples_requantize,
    runs_on=RunsOn.HOST,
)
