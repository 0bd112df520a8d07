"""Rounding to the values of an integer type of few bits: QuantizeAndDequantize and its forms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes

_FLOATS = "{bfloat16, half, float, double}"


def _rounded(
    xp: ArrayModule,
    x: Array,
    low: Array,
    high: Array,
    *,
    signed: bool,
    bits: int,
    range_given: bool,
    half_up: bool,
    narrow: bool,
) -> Array:
    if range_given:
        require(xp, low <= high, lambda: _bad_range(low, high))
    else:
        low, high = x.min(), x.max()
    half = 1 << (bits - 1)
    first = (-half + int(narrow)) if signed else 0
    last = half - 1 if signed else 2 * half - 1
    kind = x.dtype.type
    huge = kind(np.finfo(np.float32).max)
    # Each end of the range gives a scale; the smaller one fits both.
    with np.errstate(all="ignore"):
        from_low = xp.where(first * low > 0, kind(first) / low, huge)
        from_high = xp.where(last * high > 0, kind(last) / high, huge)
        by_low = from_low < from_high
        scale = xp.where(by_low, from_low, from_high)
        step = xp.where(by_low, low / kind(first or 1), high / kind(last))
    if range_given:
        x = xp.clip(
            x,
            xp.where(by_low, low, kind(first) * step),
            xp.where(by_low, kind(last) * step, high),
        )
    scaled = x * scale
    whole = xp.floor(scaled + kind(0.5)) if half_up else xp.rint(scaled)
    return (whole * step).astype(x.dtype)


def _bad_range(low: TensorLike, high: TensorLike) -> errors.InvalidArgumentError:
    text = f"Invalid range: input_min {low:g} > input_max {high:g}"
    return errors.InvalidArgumentError(None, None, text)


def _check_bits(bits: int, signed: bool) -> None:
    if not 0 < bits < (62 if signed else 63):
        raise errors.InvalidArgumentError(
            None, None, f"num_bits is out of range: {bits} with signed_input_ {int(signed)}"
        )


def kernel_v2(
    xp: ArrayModule,
    x: Array,
    input_min: Array,
    input_max: Array,
    *,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
) -> Array:
    _check_bits(num_bits, signed_input)
    return _rounded(
        xp,
        x,
        input_min,
        input_max,
        signed=signed_input,
        bits=num_bits,
        range_given=range_given,
        half_up=round_mode == "HALF_UP",
        narrow=narrow_range,
    )


def kernel_v3(
    xp: ArrayModule,
    x: Array,
    input_min: Array,
    input_max: Array,
    num_bits: np.ndarray,
    *,
    signed_input: bool,
    range_given: bool,
    narrow_range: bool,
) -> Array:
    _check_bits(int(num_bits), signed_input)
    return _rounded(
        xp,
        x,
        input_min,
        input_max,
        signed=signed_input,
        bits=int(num_bits),
        range_given=range_given,
        half_up=False,
        narrow=narrow_range,
    )


def kernel_v1(
    xp: ArrayModule,
    x: Array,
    *,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    input_min: float,
    input_max: float,
) -> Array:
    kind = x.dtype.type
    _check_bits(num_bits, signed_input)
    return _rounded(
        xp,
        x,
        kind(input_min),
        kind(input_max),
        signed=signed_input,
        bits=num_bits,
        range_given=range_given,
        half_up=False,
        narrow=False,
    )


def gradient_straight_through(op: Operation, grad: Tensor) -> list[Tensor | None]:
    """The gradient as if nothing was rounded."""
    return [grad, *[None] * (len(op.inputs) - 1)]


_X = np.array([-1.5, -0.3, 0.2, 0.77, 2.0], np.float32)


def samples_v1() -> Iterator[Sample]:
    yield Sample(_X, range_given=True, input_min=-1.0, input_max=1.0, gradient=())
    yield Sample(_X, num_bits=4, gradient=())


def samples_v2() -> Iterator[Sample]:
    low, high = np.float32(-1), np.float32(1)
    yield Sample(_X, low, high, range_given=True, gradient=())
    yield Sample(_X, low, high, gradient=())
    yield Sample(_X, low, high, range_given=True, num_bits=4, narrow_range=True, gradient=())
    yield Sample(
        np.abs(_X),
        np.float32(0),
        high,
        signed_input=False,
        range_given=True,
        round_mode="HALF_UP",
        gradient=(),
    )


def samples_v3() -> Iterator[Sample]:
    yield Sample(_X, np.float32(-1), np.float32(1), np.int32(5), gradient=())


register_op(
    "QuantizeAndDequantize",
    inputs="input: T",
    outputs="output: T",
    attrs="signed_input: bool = true, num_bits: int = 8, range_given: bool = false, "
    f"input_min: float = 0.0, input_max: float = 0.0, T: {_FLOATS}",
    shape=shapes.like_first,
    kernel=kernel_v1,
    gradient=gradient_straight_through,
    samples=samples_v1,
)
register_op(
    "QuantizeAndDequantizeV2",
    inputs="input: T, input_min: T, input_max: T",
    outputs="output: T",
    attrs="signed_input: bool = true, num_bits: int = 8, range_given: bool = false, "
    f"T: {_FLOATS}, round_mode: {{'HALF_TO_EVEN', 'HALF_UP'}} = 'HALF_TO_EVEN', "
    "narrow_range: bool = false",
    shape=shapes.like_first,
    kernel=kernel_v2,
    gradient=gradient_straight_through,
    samples=samples_v2,
)
register_op(
    "QuantizeAndDequantizeV3",
    inputs="input: T, input_min: T, input_max: T, num_bits: int32",
    outputs="output: T",
    attrs="signed_input: bool = true, range_given: bool = true, "
    f"T: {_FLOATS}, narrow_range: bool = false",
    shape=shapes.like_first,
    kernel=kernel_v3,
    gradient=gradient_straight_through,
    concrete=("num_bits",),
    samples=samples_v3,
)


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
) -> Tensor:
    """Rounds to the values that an integer of few bits can stand for.

    Args:
        input: a floating-point tensor.
        input_min: the lower end of the range, a scalar.
        input_max: the upper end of the range, a scalar.
        signed_input: whether the integer has a sign.
        num_bits: the number of bits.
        range_given: whether the range is given; otherwise it is that of the elements.
        round_mode: ``"HALF_TO_EVEN"`` or ``"HALF_UP"``.
        name: the name of the node.
        narrow_range: whether the lowest integer is left out.

    Returns:
        A tensor like `input`. The gradient passes as if nothing was rounded.
    """
    return build.QuantizeAndDequantizeV2(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        name=name,
    )
