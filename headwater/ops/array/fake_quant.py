"""Simulated quantization to few bits: FakeQuantWithMinMaxArgs, ...Vars, ...

The range is moved so that 0 is one of the values ("Quantization and Training of Neural Networks
for Efficient Integer-Arithmetic-Only Inference", Jacob et al., 2018, section 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes

_BITS = "num_bits: int = 8, narrow_range: bool = false"


def _nudged(
    xp: ArrayModule, low: Array, high: Array, num_bits: int, narrow_range: bool
) -> tuple[Array, Array, Array]:
    """The range moved to have 0 among its steps, and the size of a step."""
    if not 2 <= num_bits <= 16:
        raise errors.InvalidArgumentError(
            None, None, "num_bits must be between 2 and 16, inclusive"
        )
    first = np.float32(1 if narrow_range else 0)
    last = np.float32((1 << num_bits) - 1)
    step = (high - low) / (last - first)
    zero = first - low / step
    rounded = xp.where(zero < first, first, xp.where(zero > last, last, xp.floor(zero + 0.5)))
    rounded = rounded.astype(np.float32)
    return (first - rounded) * step, (last - rounded) * step, step


def _quantized(
    xp: ArrayModule, x: Array, low: Array, high: Array, num_bits: int, narrow_range: bool
) -> Array:
    with np.errstate(all="ignore"):
        start, end, step = _nudged(xp, low, high, num_bits, narrow_range)
        shifted = xp.clip(x, start, end) - start
        half = np.float32(0.5)
        result = xp.floor(shifted * (np.float32(1) / step) + half) * step + start
    # An empty range represents 0 only.
    return xp.where((low == 0) & (high == 0), np.float32(0), result)


def _gradients(
    xp: ArrayModule,
    grad: Array,
    x: Array,
    low: Array,
    high: Array,
    num_bits: int,
    narrow_range: bool,
) -> tuple[Array, Array, Array]:
    with np.errstate(all="ignore"):
        start, end, _ = _nudged(xp, low, high, num_bits, narrow_range)
        none = (low == 0) & (high == 0)
        below, above = (x < start) & ~none, (x > end) & ~none
    zero = np.float32(0)
    axes = tuple(range(len(x.shape) - len(low.shape)))
    return (
        xp.where(below | above, zero, grad),
        xp.sum(xp.where(below, grad, zero), axes, dtype=np.float32),
        xp.sum(xp.where(above, grad, zero), axes, dtype=np.float32),
    )


def _range(min: float, max: float) -> tuple[np.ndarray, np.ndarray]:
    if not min < max:
        raise errors.InvalidArgumentError(
            None, None, f"min has to be smaller than max, was: {min:g} >= {max:g}"
        )
    return np.array(min, np.float32), np.array(max, np.float32)


def kernel_args(
    xp: ArrayModule, x: Array, *, min: float, max: float, num_bits: int, narrow_range: bool
) -> Array:
    return _quantized(xp, x, *_range(min, max), num_bits, narrow_range)


def kernel_args_gradient(
    xp: ArrayModule,
    grad: Array,
    x: Array,
    *,
    min: float,
    max: float,
    num_bits: int,
    narrow_range: bool,
) -> Array:
    return _gradients(xp, grad, x, *_range(min, max), num_bits, narrow_range)[0]


def kernel_vars(
    xp: ArrayModule, x: Array, low: Array, high: Array, *, num_bits: int, narrow_range: bool
) -> Array:
    return _quantized(xp, x, low, high, num_bits, narrow_range)


def kernel_vars_gradient(
    xp: ArrayModule,
    grad: Array,
    x: Array,
    low: Array,
    high: Array,
    *,
    num_bits: int,
    narrow_range: bool,
) -> tuple[Array, Array, Array]:
    return _gradients(xp, grad, x, low, high, num_bits, narrow_range)


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {a.name: op._attrs[a.name] for a in op._record.schema.attrs}


def gradient_args(op: Operation, grad: Tensor) -> Tensor:
    return build.FakeQuantWithMinMaxArgsGradient(grad, op.inputs[0], **_attrs_of(op))


def gradient_vars(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return build.FakeQuantWithMinMaxVarsGradient(grad, *op.inputs, **_attrs_of(op))


def gradient_vars_per_channel(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return build.FakeQuantWithMinMaxVarsPerChannelGradient(grad, *op.inputs, **_attrs_of(op))


def shape_vars(c: shapes.ShapeContext) -> Shape:
    c.with_rank("min", 0)
    c.with_rank("max", 0)
    return c.shape("inputs")


def shape_vars_gradient(c: shapes.ShapeContext) -> list[Shape]:
    shape = c.merge(c.shape("gradients"), c.shape("inputs"))
    return [shape, c.with_rank("min", 0), c.with_rank("max", 0)]


def _channels(c: shapes.ShapeContext) -> int | None:
    shape = c.with_rank_at_least("inputs", 1)
    size = None if shape is None else shape[-1]
    for name in ("min", "max"):
        size = c.merge_dims(size, c.with_rank(name, 1)[0])
    return size


def shape_per_channel(c: shapes.ShapeContext) -> Shape:
    size, shape = _channels(c), c.shape("inputs")
    return None if shape is None else (*shape[:-1], size)


def shape_per_channel_gradient(c: shapes.ShapeContext) -> list[Shape]:
    size = _channels(c)
    return [c.merge(c.shape("gradients"), c.shape("inputs")), (size,), (size,)]


_X = np.array([[-7.0, -0.1, 0.0], [0.26, 3.3, 9.0]], np.float32)
_RANGES = ((-1.0, 3.0), (1.0, 2.5), (-2.0, -1.0), (0.0, 0.0))


def samples_args() -> Iterator[Sample]:
    yield Sample(_X, gradient=())
    yield Sample(_X, min=-1.1, max=3.0, num_bits=4, narrow_range=True, gradient=())


def samples_args_gradient() -> Iterator[Sample]:
    yield Sample(np.ones_like(_X), _X, gradient=(0,))


def samples_vars() -> Iterator[Sample]:
    for low, high in _RANGES:
        yield Sample(_X, np.float32(low), np.float32(high), num_bits=5, gradient=())


def samples_vars_gradient() -> Iterator[Sample]:
    for sample in samples_vars():
        yield Sample(np.ones_like(_X), *sample.inputs, num_bits=5)


def samples_per_channel() -> Iterator[Sample]:
    low, high = np.array([-1.0, 0.0, -2.0], np.float32), np.array([1.0, 3.0, 0.5], np.float32)
    yield Sample(_X, low, high, gradient=())


def samples_per_channel_gradient() -> Iterator[Sample]:
    for sample in samples_per_channel():
        yield Sample(np.ones_like(_X), *sample.inputs, narrow_range=True)


register_op(
    "FakeQuantWithMinMaxArgs",
    inputs="inputs: float",
    outputs="outputs: float",
    attrs=f"min: float = -6, max: float = 6, {_BITS}",
    shape=shapes.like_first,
    kernel=kernel_args,
    gradient=gradient_args,
    samples=samples_args,
)
register_op(
    "FakeQuantWithMinMaxArgsGradient",
    inputs="gradients: float, inputs: float",
    outputs="backprops: float",
    attrs=f"min: float = -6, max: float = 6, {_BITS}",
    shape=shapes.merged,
    kernel=kernel_args_gradient,
    samples=samples_args_gradient,
)


def _register_fake_quant(
    name: str,
    gradient_name: str,
    shape: Callable[..., Any],
    gradient_shape: Callable[..., Any],
    gradient: Callable[..., Any],
    samples: Callable[..., Any],
    gradient_samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="inputs: float, min: float, max: float",
        outputs="outputs: float",
        attrs=_BITS,
        shape=shape,
        kernel=kernel_vars,
        gradient=gradient,
        samples=samples,
    )
    register_op(
        gradient_name,
        inputs="gradients: float, inputs: float, min: float, max: float",
        outputs="backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float",
        attrs=_BITS,
        shape=gradient_shape,
        kernel=kernel_vars_gradient,
        samples=gradient_samples,
    )


_register_fake_quant(
    "FakeQuantWithMinMaxVars",
    "FakeQuantWithMinMaxVarsGradient",
    shape=shape_vars,
    gradient_shape=shape_vars_gradient,
    gradient=gradient_vars,
    samples=samples_vars,
    gradient_samples=samples_vars_gradient,
)
_register_fake_quant(
    "FakeQuantWithMinMaxVarsPerChannel",
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    shape=shape_per_channel,
    gradient_shape=shape_per_channel_gradient,
    gradient=gradient_vars_per_channel,
    samples=samples_per_channel,
    gradient_samples=samples_per_channel_gradient,
)


@export("fake_quant_with_min_max_args", "quantization.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float | None = -6,
    max: float | None = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds to the values that an integer of few bits can stand for within a fixed range.

    Args:
        inputs: a float32 tensor.
        min: the lower end of the range.
        max: the upper end of the range.
        num_bits: the number of bits, from 2 to 16.
        narrow_range: whether the lowest integer is left out.
        name: the name of the node.

    Returns:
        A tensor like `inputs`. The gradient passes where a value lies inside the range.
    """
    return build.FakeQuantWithMinMaxArgs(
        inputs,
        min=-6.0 if min is None else min,
        max=6.0 if max is None else max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


@export(
    "fake_quant_with_min_max_args_gradient", "quantization.fake_quant_with_min_max_args_gradient"
)
def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of `tf.fake_quant_with_min_max_args` for its input.

    Args:
        gradients: the gradient for its output.
        inputs: its input.
        min: the lower end of the range.
        max: the upper end of the range.
        num_bits: the number of bits.
        narrow_range: whether the lowest integer is left out.
        name: the name of the node.

    Returns:
        A tensor like `inputs`.
    """
    return build.FakeQuantWithMinMaxArgsGradient(
        gradients,
        inputs,
        min=min,
        max=max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


@export("fake_quant_with_min_max_vars", "quantization.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds as `tf.fake_quant_with_min_max_args` does, within a range that can be trained.

    Args:
        inputs: a float32 tensor.
        min: the lower end of the range, a scalar tensor.
        max: the upper end of the range, a scalar tensor.
        num_bits: the number of bits, from 2 to 16.
        narrow_range: whether the lowest integer is left out.
        name: the name of the node.

    Returns:
        A tensor like `inputs`.
    """
    return build.FakeQuantWithMinMaxVars(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


@export(
    "fake_quant_with_min_max_vars_gradient", "quantization.fake_quant_with_min_max_vars_gradient"
)
def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the gradients of `tf.fake_quant_with_min_max_vars` for its inputs.

    Args:
        gradients: the gradient for its output.
        inputs: its input.
        min: the lower end of the range.
        max: the upper end of the range.
        num_bits: the number of bits.
        narrow_range: whether the lowest integer is left out.
        name: the name of the node.

    Returns:
        A tuple of the gradients for `inputs`, `min` and `max`.
    """
    return build.FakeQuantWithMinMaxVarsGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


@export(
    "fake_quant_with_min_max_vars_per_channel",
    "quantization.fake_quant_with_min_max_vars_per_channel",
)
def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds as `tf.fake_quant_with_min_max_vars` does, with a range per channel.

    Args:
        inputs: a float32 tensor of shape [..., channels].
        min: the lower ends of the ranges, of shape [channels].
        max: the upper ends of the ranges, of shape [channels].
        num_bits: the number of bits, from 2 to 16.
        narrow_range: whether the lowest integer is left out.
        name: the name of the node.

    Returns:
        A tensor like `inputs`.
    """
    return build.FakeQuantWithMinMaxVarsPerChannel(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


@export(
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
)
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the gradients of `tf.fake_quant_with_min_max_vars_per_channel` for its inputs.

    Args:
        gradients: the gradient for its output.
        inputs: its input.
        min: the lower ends of the ranges.
        max: the upper ends of the ranges.
        num_bits: the number of bits.
        narrow_range: whether the lowest integer is left out.
        name: the name of the node.

    Returns:
        A tuple of the gradients for `inputs`, `min` and `max`.
    """
    return build.FakeQuantWithMinMaxVarsPerChannelGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )
