"""Quantized tensors and their ranges: QuantizeV2, Dequantize, ...

A quantized tensor is an array of integers; two scalars, the range, say which numbers its lowest
and its highest integer stand for. These ops run on the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.array.concat_shape import shape_concat
from headwater.ops.quantized.steps import Steps, away

_KINDS = "{qint8, quint8, qint32, qint16, quint16}"
_MODES = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'"
_F = np.float32


def kernel_quantize(
    xp: ArrayModule,
    x: Array,
    min_range: Array,
    max_range: Array,
    *,
    T: DType,
    mode: str,
    round_mode: str,
) -> tuple[Array, Array, Array]:
    if max_range < min_range:
        fail("input_max_range must be larger than input_min_range.")
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        fail(f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'.")
    steps = Steps(T)
    # The range is widened to contain 0 and to be at least 1/100 of its largest magnitude.
    low = min(_F(0), _F(min_range))
    least = max(_F(1), abs(_F(min_range)), abs(_F(max_range))) / _F(100)
    high = max(_F(0), _F(max_range), _F(low + least))
    if mode == "SCALED":
        lowest = steps.low
        scales = [
            _F(end / part) for end, part in ((lowest, low), (steps.high, high)) if end * part > 0
        ]
        scale = min(scales)
        low, high = _F(lowest / scale), _F(steps.high / scale)
        scaled = np.clip(x, low, high) * scale
        result = steps.array(np.rint(scaled) if round_mode == "HALF_TO_EVEN" else away(scaled))
    elif mode == "MIN_FIRST":
        result = steps.from_first(x, low, high)
    else:
        scale = _F(_F(steps.count - 1) / (high - low))
        above = (np.clip(x, low, high) - low) * scale
        if steps.signed:
            result = steps.array(away(above - _F(steps.count / 2)))
        else:
            result = steps.array(np.floor(above + _F(0.5)))
    return result, low, high


def kernel_dequantize(
    xp: ArrayModule, x: Array, min_range: Array, max_range: Array, *, T: DType, mode: str
) -> Array:
    steps, low, high = Steps(T), _F(min_range), _F(max_range)
    if mode == "MIN_FIRST":
        return steps.to_first(x, low, high)
    integers = steps.integers(x).astype(_F)
    if mode == "SCALED":
        scale = high / _F(steps.high)
        return integers * (max(low / _F(steps.low), scale) if steps.signed else scale)
    half = _F(steps.count / 2 if steps.signed else 0)
    return (integers + half) * ((high - low) / _F(steps.count - 1)) + low


def kernel_quantized_concat(
    xp: ArrayModule,
    concat_dim: Array,
    values: list[Any],
    input_mins: list[Any],
    input_maxes: list[Any],
    *,
    T: DType,
) -> tuple[Array, Array, Array]:
    rank = values[0].ndim
    if not 0 <= concat_dim < rank:
        fail(
            f"ConcatOp : Expected concatenating dimensions in the range [0, {rank}), "
            f"but got {concat_dim}"
        )
    steps = Steps(T)
    low, high = min(map(_F, input_mins)), max(map(_F, input_maxes))
    if steps.signed:
        high = max(abs(low), abs(high))
        low = -high
    parts = [
        value
        if (first, last) == (low, high)
        else steps.from_first(steps.to_first(value, _F(first), _F(last)), low, high)
        for value, first, last in zip(values, input_mins, input_maxes)
    ]
    return np.concatenate(parts, concat_dim), low, high


def _check_scalars(c: shapes.ShapeContext, *names: str) -> None:
    for name in names:
        c.with_rank(name, 0)


def shape_quantize(c: shapes.ShapeContext) -> list[Shape]:
    _check_scalars(c, "min_range", "max_range")
    return [c.shape("input"), (), ()]


def shape_dequantize(c: shapes.ShapeContext) -> Shape:
    _check_scalars(c, "min_range", "max_range")
    return c.shape("input")


def shape_quantized_concat(c: shapes.ShapeContext) -> list[Shape]:
    for shape in (*c.shape("input_mins"), *c.shape("input_maxes")):
        if shape:
            c.fail(f"Shape must be rank 0 but is rank {len(shape)}")
    return [shape_concat(c, "concat_dim"), (), ()]


_X = np.array([-2.0, -0.3, 0.0, 0.26, 1.1, 9.0], np.float32)
_Q = np.array([0, 1, 100, 255], np.uint8).view(dtypes.quint8.as_numpy_dtype)


def samples_quantize() -> Iterator[Sample]:
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        yield Sample(_X, _F(-1.5), _F(2), T=dtypes.qint8, mode=mode)
    yield Sample(_X, _F(0.5), _F(0.5), T=dtypes.quint16)


def samples_dequantize() -> Iterator[Sample]:
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        yield Sample(_Q, _F(-1.5), _F(2), mode=mode)


def samples_quantized_concat() -> Iterator[Sample]:
    yield Sample(np.int32(0), [_Q, _Q], [_F(-1), _F(0)], [_F(2), _F(3)])


register_op(
    "QuantizeV2",
    inputs="input: float, min_range: float, max_range: float",
    outputs="output: T, output_min: float, output_max: float",
    attrs=f"T: {_KINDS}, {_MODES}, "
    "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'",
    shape=shape_quantize,
    kernel=kernel_quantize,
    samples=samples_quantize,
    runs_on=RunsOn.HOST,
)
register_op(
    "Dequantize",
    inputs="input: T, min_range: float, max_range: float",
    outputs="output: float",
    attrs=f"T: {_KINDS}, {_MODES}",
    shape=shape_dequantize,
    kernel=kernel_dequantize,
    samples=samples_dequantize,
    runs_on=RunsOn.HOST,
)
register_op(
    "QuantizedConcat",
    inputs="concat_dim: int32, values: N * T, input_mins: N * float, input_maxes: N * float",
    outputs="output: T, output_min: float, output_max: float",
    attrs="N: int >= 2, T: type",
    shape=shape_quantized_concat,
    kernel=kernel_quantized_concat,
    samples=samples_quantized_concat,
    concrete=("concat_dim",),
    runs_on=RunsOn.HOST,
)


@export("quantize", "quantization.quantize")
def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Rounds numbers to integers of few bits.

    Args:
        input: a float32 tensor.
        min_range: the number that the lowest integer should stand for.
        max_range: the number that the highest integer should stand for.
        T: the quantized type, e.g. `tf.qint8`.
        mode: ``"MIN_COMBINED"``, ``"MIN_FIRST"`` or ``"SCALED"``.
        round_mode: ``"HALF_AWAY_FROM_ZERO"`` or, with SCALED, ``"HALF_TO_EVEN"``.
        name: the name of the node.

    Returns:
        A tuple of the quantized tensor and the ends of the range that it has.
    """
    return build.QuantizeV2(
        input, min_range, max_range, T=T, mode=mode, round_mode=round_mode, name=name
    )


@export("quantize_v2")
def quantize_v2(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
) -> tuple[Tensor, ...]:
    """Rounds numbers to integers of few bits, as `tf.quantize` does.

    Args:
        input: a float32 tensor.
        min_range: the number that the lowest integer should stand for.
        max_range: the number that the highest integer should stand for.
        T: the quantized type, e.g. `tf.qint8`.
        mode: ``"MIN_COMBINED"``, ``"MIN_FIRST"`` or ``"SCALED"``.
        name: the name of the node.
        round_mode: ``"HALF_AWAY_FROM_ZERO"`` or, with SCALED, ``"HALF_TO_EVEN"``.

    Returns:
        A tuple of the quantized tensor and the ends of the range that it has.
    """
    return build.QuantizeV2(
        input, min_range, max_range, T=T, mode=mode, round_mode=round_mode, name=name
    )


@export("dequantize", "quantization.dequantize")
def dequantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
) -> Tensor:
    """Returns the numbers that a quantized tensor stands for.

    Args:
        input: a quantized tensor.
        min_range: the lower end of its range.
        max_range: the upper end of its range.
        mode: ``"MIN_COMBINED"``, ``"MIN_FIRST"`` or ``"SCALED"``.
        name: the name of the node.

    Returns:
        A float32 tensor.
    """
    return build.Dequantize(input, min_range, max_range, mode=mode, name=name)


@export("quantized_concat", "quantization.quantized_concat")
def quantized_concat(
    concat_dim: TensorLike,
    values: Sequence[TensorLike],
    input_mins: TensorLike,
    input_maxes: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Joins quantized tensors along a dimension.

    Args:
        concat_dim: the dimension.
        values: a list of quantized tensors.
        input_mins: the lower ends of their ranges.
        input_maxes: the upper ends of their ranges.
        name: the name of the node.

    Returns:
        A tuple of the whole and the ends of its range.
    """
    return build.QuantizedConcat(concat_dim, values, input_mins, input_maxes, name=name)
