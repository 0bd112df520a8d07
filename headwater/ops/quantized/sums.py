"""Sums of quantized tensors: QuantizedAdd, QuantizedBiasAdd."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.quantized.steps import KINDS, Steps, requantize

_F = np.float32
# The range of a sum is so many times as wide as that of its terms: further sums fit into it.
_HEADROOM = 1 << 14
_HEADROOM_OF_BIAS = 1 << 17


def _wide(*ends: Any, headroom: int) -> tuple[np.float32, np.float32]:
    """The range of a sum of terms whose ranges have these ends."""
    high = _F(max(abs(_F(end)) for end in ends) * _F(headroom))
    return -high, high


def _term(
    steps: Steps, x: np.ndarray, old: Sequence[np.ndarray], out: Steps, new: Sequence[Array]
) -> np.ndarray:
    """A term in the range of the sum: a whole number of its steps for each step of the term."""
    first, second = (out.clipped(n, *new) for n in steps.numbers([0, 1], *old))
    return steps.integers(x).astype(np.int64) * (second - first) + first


def _single_term(
    steps: Steps, x: np.ndarray, old: Sequence[np.ndarray], out: Steps, new: Sequence[Array]
) -> np.ndarray:
    number = steps.numbers(steps.integers(x), *old)
    return np.full(x.shape, out.clipped(number.item(), *new), np.int64)


def kernel_add(
    xp: ArrayModule,
    x: np.ndarray,
    y: np.ndarray,
    min_x: Array,
    max_x: Array,
    min_y: Array,
    max_y: Array,
    *,
    T1: DType,
    T2: DType,
    Toutput: DType,
) -> tuple[Array, ...]:
    if not max_x > min_x:
        fail("max_x must be larger than min_x.")
    if not max_y > min_y:
        fail("max_y must be larger than min_y.")
    out = Steps(Toutput)
    whole = _wide(min_x, max_x, min_y, max_y, headroom=_HEADROOM)
    # One of the terms may be a scalar, which is converted separately.
    single = (x.size == 1, y.size == 1 and x.size != 1)
    terms = [
        (_single_term if alone else _term)(steps, term, old, out, whole)
        for alone, steps, term, old in (
            (single[0], Steps(T1), x, (min_x, max_x)),
            (single[1], Steps(T2), y, (min_y, max_y)),
        )
    ]
    return out.array(terms[0] + terms[1]), *whole


def kernel_bias_add(
    xp: ArrayModule,
    x: np.ndarray,
    bias: np.ndarray,
    min_input: Array,
    max_input: Array,
    min_bias: Array,
    max_bias: Array,
    *,
    T1: DType,
    T2: DType,
    out_type: DType,
) -> tuple[Array, ...]:
    if x.ndim < 2:
        fail(f"Input tensor must be at least 2D: {shapes.show(x.shape)}")
    if bias.ndim != 1:
        fail(f"Biases must be 1D: {shapes.show(bias.shape)}")
    if bias.shape[0] != x.shape[-1]:
        fail(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{shapes.show(bias.shape)} vs. {shapes.show(x.shape)}"
        )
    out = Steps(out_type)
    whole = _wide(min_input, max_input, min_bias, max_bias, headroom=_HEADROOM_OF_BIAS)
    terms = [
        out.integers(requantize(steps, steps.integers(term), old, out, whole)).astype(np.int64)
        for steps, term, old in (
            (Steps(T1), x, (min_input, max_input)),
            (Steps(T2), bias, (min_bias, max_bias)),
        )
    ]
    return out.array(terms[0] + terms[1] - out.clipped(0.0, *whole)), *whole


def shape_add(c: shapes.ShapeContext) -> list[Shape]:
    for name in ("min_x", "max_x", "min_y", "max_y"):
        c.with_rank(name, 0)
    return [shapes.broadcast(c), (), ()]


def shape_bias_add(c: shapes.ShapeContext) -> list[Shape]:
    shape = c.with_rank_at_least("input", 2)
    (count,) = c.with_rank("bias", 1)
    for name in ("min_input", "max_input", "min_bias", "max_bias"):
        c.with_rank(name, 0)
    if shape is not None:
        shape = (*shape[:-1], c.merge_dims(shape[-1], count))
    return [shape, (), ()]


_RANGE = [_F(x) for x in (-1.0, 2.0, 0.0, 1.5)]
_X = np.array([[0, 7, 255], [100, 128, 3]], np.uint8).view(dtypes.quint8.as_numpy_dtype)


def samples_add() -> Iterator[Sample]:
    yield Sample(_X, _X[0], *_RANGE)


def samples_bias_add() -> Iterator[Sample]:
    yield Sample(_X, _X[0], *_RANGE, out_type=dtypes.qint32)


register_op(
    "QuantizedAdd",
    inputs="x: T1, y: T2, min_x: float, max_x: float, min_y: float, max_y: float",
    outputs="z: Toutput, min_z: float, max_z: float",
    attrs=f"T1: {KINDS}, T2: {KINDS}, Toutput: {KINDS} = qint32",
    shape=shape_add,
    kernel=kernel_add,
    samples=samples_add,
    runs_on=RunsOn.HOST,
)
register_op(
    "QuantizedBiasAdd",
    inputs="input: T1, bias: T2, min_input: float, max_input: float, min_bias: float, "
    "max_bias: float",
    outputs="output: out_type, min_out: float, max_out: float",
    attrs=f"T1: {KINDS}, T2: {KINDS}, out_type: {KINDS}",
    shape=shape_bias_add,
    kernel=kernel_bias_add,
    samples=samples_bias_add,
    runs_on=RunsOn.HOST,
)
