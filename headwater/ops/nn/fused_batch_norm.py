"""Batch normalization of images in one op: FusedBatchNorm, V2, V3 and their gradients.

The reserved outputs are the mean and the (biased) variance of the batch, on every device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    gradients,
    register_op,
    shapes,
)

_FORM = (
    "epsilon: float = 9.99999975e-05, data_format: {'NHWC', 'NCHW'} = 'NHWC', "
    "is_training: bool = true"
)
_MIXED = "T: {half, bfloat16, float}, U: {float}, "


def _channel_axis(data_format: str) -> int:
    return 1 if data_format == "NCHW" else 3


def _with_channel(
    shape: tuple[int | None, ...], axis: int, channel: int | None
) -> tuple[int | None, ...]:
    return (*shape[:axis], channel, *shape[axis + 1 :])


def shape_fused_batch_norm(c: shapes.ShapeContext) -> list[Shape]:
    x = c.with_rank("x", 4)
    axis = _channel_axis(c.attr("data_format"))
    channel = x[axis]
    names = (
        ("scale", "offset") if c.attr("is_training") else ("scale", "offset", "mean", "variance")
    )
    for name in names:
        channel = c.merge_dims(channel, c.with_rank(name, 1)[0])
    result = [_with_channel(x, axis, channel), *[(channel,)] * 4]
    # TensorFlow infers no shape for the workspace of V3.
    return result + [None] * (len(c.record.schema.outputs) - 5)


def shape_fused_batch_norm_grad(c: shapes.ShapeContext) -> list[Shape]:
    y_backprop = c.with_rank("y_backprop", 4)
    x = c.with_rank("x", 4)
    axis = _channel_axis(c.attr("data_format"))
    channel = c.merge_dims(y_backprop[axis], x[axis])
    for name in ("scale", "reserve_space_1", "reserve_space_2"):
        channel = c.merge_dims(channel, c.with_rank(name, 1)[0])
    reserved = (0,) if c.attr("is_training") else (channel,)
    x_backprop = _with_channel(y_backprop, axis, channel)
    return [x_backprop, (channel,), (channel,), reserved, reserved]


def _check(x: Array, **vectors: Any) -> None:
    if x.ndim != 4:
        fail(f"input must be 4-dimensional{shapes.show(x.shape)}")
    for name, vector in vectors.items():
        if vector.ndim != 1:
            fail(f"{name} must be 1-dimensional{shapes.show(vector.shape)}")


def _check_channels(channels: int, **vectors: Any) -> None:
    for name, vector in vectors.items():
        if vector.shape[0] != channels:
            fail(
                f"{name} must have the same number of elements as the channels of x, got "
                f"{vector.shape[0]} and {channels}"
            )


def _layout(data_format: str) -> tuple[tuple[int, int, int], tuple[int, ...]]:
    """The axes that a channel's numbers lie along, and the shape of one number per channel."""
    if data_format == "NCHW":
        return (0, 2, 3), (1, -1, 1, 1)
    return (0, 1, 2), (1, 1, 1, -1)


def kernel_fused_batch_norm(
    xp: ArrayModule,
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[Array, ...]:
    _check(x, scale=scale, offset=offset, estimated_mean=mean, estimated_variance=variance)
    channels = x.shape[_channel_axis(data_format)]
    _check_channels(channels, scale=scale, offset=offset)
    axes, form = _layout(data_format)
    kind = scale.dtype.type
    wide = x.astype(scale.dtype)
    if is_training:
        for name, vector in (("estimated_mean", mean), ("estimated_variance", variance)):
            if vector.size:
                fail(f"{name} must be empty for training{shapes.show(vector.shape)}")
        count = x.size // max(channels, 1)
        mean = xp.sum(wide, axis=axes) / kind(count)
        variance = xp.sum(xp.square(wide - mean.reshape(form)), axis=axes) / kind(count)
        unbiased = variance * kind(count / max(count - 1, 1))
    else:
        _check_channels(channels, estimated_mean=mean, estimated_variance=variance)
        unbiased = variance
    factor = scale / xp.sqrt(variance + kind(epsilon))
    y = (wide - mean.reshape(form)) * factor.reshape(form) + offset.reshape(form)
    return y.astype(x.dtype), mean, unbiased, mean, variance


@functools.wraps(kernel_fused_batch_norm)
def kernel_fused_batch_norm_v3(xp: ArrayModule, *inputs: Any, **attrs: Any) -> tuple[Array, ...]:
    return (*kernel_fused_batch_norm(xp, *inputs, **attrs), xp.zeros((), np.float32))


def kernel_fused_batch_norm_grad(
    xp: ArrayModule,
    y_backprop: Array,
    x: Array,
    scale: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[Array, ...]:
    _check(x, scale=scale, saved_mean=mean, saved_variance=variance)
    if y_backprop.shape != x.shape:
        fail(
            f"x and y_backprop must have same shape, but x has shape {shapes.show(x.shape)} and "
            f"y_backprop has shape {shapes.show(y_backprop.shape)}"
        )
    channels = x.shape[_channel_axis(data_format)]
    _check_channels(channels, scale=scale, saved_mean=mean, saved_variance=variance)
    axes, form = _layout(data_format)
    kind = scale.dtype.type
    grad = y_backprop.astype(scale.dtype)
    centred = x.astype(scale.dtype) - mean.reshape(form)
    inverse = kind(1) / xp.sqrt(variance + kind(epsilon))
    offset_backprop = xp.sum(grad, axis=axes)
    projected = xp.sum(grad * centred, axis=axes)
    inner = grad
    if is_training:
        count = kind(x.size // max(channels, 1))
        slope = projected * xp.square(inverse) / count
        inner = grad - (offset_backprop / count).reshape(form) - centred * slope.reshape(form)
    x_backprop = inner * (scale * inverse).reshape(form)
    reserved = xp.zeros((0,) if is_training else (channels,), scale.dtype)
    return x_backprop.astype(x.dtype), projected * inverse, offset_backprop, reserved, reserved


@functools.wraps(kernel_fused_batch_norm_grad)
def kernel_fused_batch_norm_grad_v3(
    xp: ArrayModule, *inputs: Any, **attrs: Any
) -> tuple[Array, ...]:
    return kernel_fused_batch_norm_grad(xp, *inputs[:5], **attrs)


def gradient_fused_batch_norm(op: Operation, *grads: Tensor) -> tuple[Tensor | None, ...]:
    x, scale = op.inputs[0], op.inputs[1]
    training = op.get_attr("is_training")
    channels_first = op.get_attr("data_format") in (b"NCHW", "NCHW")
    grad_y = grads[0]
    data_format = "NCHW" if channels_first else "NHWC"
    if training:
        saved = list(op.outputs[3:])
    else:
        saved = [op.inputs[3], op.inputs[4], *op.outputs[5:]]
        if channels_first:
            x = build.Transpose(x, [0, 2, 3, 1], name="transpose")
            grad_y = build.Transpose(grad_y, [0, 2, 3, 1], name="transpose")
            data_format = "NHWC"
    make = getattr(build, op.type.replace("BatchNorm", "BatchNormGrad"))
    result = make(
        grad_y,
        x,
        scale,
        *saved,
        epsilon=op.get_attr("epsilon"),
        data_format=data_format,
        is_training=training,
    )
    grad_x = result.x_backprop
    if not training and channels_first:
        grad_x = build.Transpose(grad_x, [0, 3, 1, 2], name="transpose")
    # In training the last two are the workspace of the kernel, as in TensorFlow.
    rest = tuple(result)[3:] if training else (None, None)
    return grad_x, result.scale_backprop, result.offset_backprop, *rest


def gradient_fused_batch_norm_grad(op: Operation, *grads: Tensor) -> list[Tensor | None]:
    """The second derivative: of the first one, written out with its mean and variance."""
    y_backprop, x, scale, mean, variance = op.inputs[:5]
    sources = [y_backprop, x, scale]
    data_format = "NCHW" if op.get_attr("data_format") in (b"NCHW", "NCHW") else "NHWC"
    axes, form = _layout(data_format)
    wide = build.Cast(x, DstT=scale.dtype) if x.dtype != scale.dtype else x
    grad = build.Cast(y_backprop, DstT=scale.dtype) if x.dtype != scale.dtype else y_backprop
    training = op.get_attr("is_training")
    if training:
        mean = build.Mean(wide, list(axes), keep_dims=True)
        variance = build.Mean(build.SquaredDifference(wide, mean), list(axes), keep_dims=True)
    else:
        mean, variance = build.Reshape(mean, list(form)), build.Reshape(variance, list(form))
    inverse = build.Rsqrt(build.AddV2(variance, op.get_attr("epsilon")))
    normal = build.Mul(build.Sub(wide, mean), inverse)
    product = build.Mul(grad, normal)
    inner = grad
    if training:
        slope = build.Mean(product, list(axes), keep_dims=True)
        inner = build.Sub(inner, build.Mean(grad, list(axes), keep_dims=True))
        inner = build.Sub(inner, build.Mul(normal, slope))
    x_backprop = build.Mul(inner, build.Mul(inverse, build.Reshape(scale, list(form))))
    if x.dtype != scale.dtype:
        x_backprop = build.Cast(x_backprop, DstT=x.dtype)
    results = [x_backprop, build.Sum(product, list(axes)), build.Sum(grad, list(axes))]
    found = gradients(results, sources, list(grads[:3]), stop_gradients=sources)
    return [*found, *[None] * (len(op.inputs) - 3)]


def reference_fused_batch_norm(
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    wide = x.astype(np.float64)
    if data_format == "NCHW":
        wide = np.moveaxis(wide, 1, -1)
    rows = wide.reshape(-1, wide.shape[-1])
    estimate = variance
    if is_training:
        mean, variance = rows.mean(0), rows.var(0)
        estimate = rows.var(0, ddof=1)
    y = (wide - mean) / np.sqrt(variance + epsilon) * scale + offset
    if data_format == "NCHW":
        y = np.moveaxis(y, -1, 1)
    vectors = [np.asarray(v, scale.dtype) for v in (mean, estimate, mean, variance)]
    return (y.astype(x.dtype), *vectors)


@functools.wraps(reference_fused_batch_norm)
def reference_fused_batch_norm_v3(
    *inputs: Any, **attrs: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return (*reference_fused_batch_norm(*inputs, **attrs), np.zeros((), np.float32))


def reference_fused_batch_norm_grad(
    y_backprop: Array,
    x: Array,
    scale: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    if data_format == "NCHW":
        y_backprop, x = np.moveaxis(y_backprop, 1, -1), np.moveaxis(x, 1, -1)
    channels = x.shape[-1]
    rows = x.astype(np.float64).reshape(-1, channels)
    grads = y_backprop.astype(np.float64).reshape(-1, channels)
    result = np.empty_like(rows)
    scale_backprop = np.empty(channels)
    for i in range(channels):
        deviation = np.sqrt(float(variance[i]) + epsilon)
        normal = (rows[:, i] - mean[i]) / deviation
        inner = grads[:, i] * scale[i]
        scale_backprop[i] = grads[:, i] @ normal
        if is_training:
            inner = inner - inner.mean() - normal * (inner @ normal) / len(normal)
        result[:, i] = inner / deviation
    result = result.reshape(x.shape).astype(x.dtype)
    if data_format == "NCHW":
        result = np.moveaxis(result, -1, 1)
    reserved = np.zeros((0,) if is_training else (channels,), scale.dtype)
    vectors = [scale_backprop.astype(scale.dtype), grads.sum(0).astype(scale.dtype)]
    return (result, *vectors, reserved, reserved)


@functools.wraps(reference_fused_batch_norm_grad)
def reference_fused_batch_norm_grad_v3(
    *inputs: Any, **attrs: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return reference_fused_batch_norm_grad(*inputs[:5], **attrs)


_X = np.square(np.linspace(-1, 2, 24, dtype=np.float32)).reshape(2, 2, 2, 3)
_SCALE = np.array([1.0, 2.0, 3.0], np.float32)
_OFFSET = np.array([0.0, 1.0, -1.0], np.float32)
_NONE = np.zeros((0,), np.float32)
_MEAN = np.array([0.1, 0.2, 0.3], np.float32)
_VARIANCE = np.array([1.0, 2.0, 0.5], np.float32)
_FIRST = np.ascontiguousarray(np.moveaxis(_X, 3, 1))


def samples_fused_batch_norm() -> Iterator[Sample]:
    options: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-5}
    yield Sample(_X, _SCALE, _OFFSET, _NONE, _NONE, gradient=(0, 1, 2), **options)
    yield Sample(_FIRST, _SCALE, _OFFSET, _NONE, _NONE, data_format="NCHW", gradient=(), **options)
    inference = dict(is_training=False, gradient=(0, 1, 2), **options)
    yield Sample(_X, _SCALE, _OFFSET, _MEAN, _VARIANCE, epsilon=1e-2, **inference)
    yield Sample(_FIRST, _SCALE, _OFFSET, _MEAN, _VARIANCE, data_format="NCHW", **inference)


def samples_mixed() -> Iterator[Sample]:
    yield from samples_fused_batch_norm()
    half = _X.astype(np.float16)
    yield Sample(half, _SCALE, _OFFSET, _NONE, _NONE, gradient=(), rtol=4e-3, atol=4e-3)


def _samples_grad(*reserved: Any) -> Iterator[Any]:
    options: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-5, "gradient": ()}
    yield Sample(np.cos(_X), _X, _SCALE, _MEAN, _VARIANCE, *reserved, **options)
    options["is_training"] = False
    yield Sample(np.cos(_X), _X, _SCALE, _MEAN, _VARIANCE, *reserved, **options)
    options["data_format"] = "NCHW"
    yield Sample(np.cos(_FIRST), _FIRST, _SCALE, _MEAN, _VARIANCE, *reserved, **options)


def samples_fused_batch_norm_grad() -> Iterator[Sample]:
    return _samples_grad()


def samples_fused_batch_norm_grad_v3() -> Iterator[Sample]:
    return _samples_grad(np.zeros((), np.float32))


def _register_forward(
    name: str,
    u: str,
    kernel: Callable[..., Any],
    reference: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    reserved = ", ".join(
        f"reserve_space_{i}: {u}" for i in range(1, 4 if name.endswith("V3") else 3)
    )
    register_op(
        name,
        inputs=f"x: T, scale: {u}, offset: {u}, mean: {u}, variance: {u}",
        outputs=f"y: T, batch_mean: {u}, batch_variance: {u}, {reserved}",
        attrs=("T: {float}, " if u == "T" else _MIXED) + _FORM,
        shape=shape_fused_batch_norm,
        kernel=kernel,
        gradient=gradient_fused_batch_norm,
        reference=reference,
        samples=samples,
    )


def _register_backward(
    name: str,
    u: str,
    kernel: Callable[..., Any],
    reference: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    last = 3 if name.endswith("V3") else 2
    given = ", ".join(f"reserve_space_{i}: {u}" for i in range(1, last + 1))
    scale = "T" if u == "T" else "float"
    register_op(
        name,
        inputs=f"y_backprop: T, x: T, scale: {scale}, {given}",
        outputs=f"x_backprop: T, scale_backprop: {u}, offset_backprop: {u}, "
        f"reserve_space_{last + 1}: {u}, reserve_space_{last + 2}: {u}",
        attrs=("T: {float}, " if u == "T" else _MIXED) + _FORM,
        shape=shape_fused_batch_norm_grad,
        kernel=kernel,
        gradient=gradient_fused_batch_norm_grad,
        reference=reference,
        samples=samples,
    )


_register_forward(
    "FusedBatchNorm",
    "T",
    kernel_fused_batch_norm,
    reference_fused_batch_norm,
    samples_fused_batch_norm,
)
_register_backward(
    "FusedBatchNormGrad",
    "T",
    kernel_fused_batch_norm_grad,
    reference_fused_batch_norm_grad,
    samples_fused_batch_norm_grad,
)
_register_forward(
    "FusedBatchNormV2", "U", kernel_fused_batch_norm, reference_fused_batch_norm, samples_mixed
)
_register_backward(
    "FusedBatchNormGradV2",
    "U",
    kernel_fused_batch_norm_grad,
    reference_fused_batch_norm_grad,
    samples_fused_batch_norm_grad,
)
_register_forward(
    "FusedBatchNormV3",
    "U",
    kernel_fused_batch_norm_v3,
    reference_fused_batch_norm_v3,
    samples_mixed,
)
_register_backward(
    "FusedBatchNormGradV3",
    "U",
    kernel_fused_batch_norm_grad_v3,
    reference_fused_batch_norm_grad_v3,
    samples_fused_batch_norm_grad_v3,
)

# The smallest epsilon that cuDNN takes, with a margin.
_MINIMUM_EPSILON = 1.001e-5


@export("nn.fused_batch_norm")
def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes images per channel by the mean and variance of the batch or by given ones.

    Args:
        x: images, of rank 4; float32, half or bfloat16.
        scale: a float32 vector of one factor per channel.
        offset: a float32 vector of one summand per channel.
        mean: the mean per channel, for inference only.
        variance: the variance per channel, for inference only.
        epsilon: what is added to the variance; at least 1.001e-5 is taken.
        data_format: "NHWC" or "NCHW".
        is_training: whether mean and variance are taken from `x`.
        name: the name of the node.

    Returns:
        The normalized images, the mean, and the (unbiased) variance per channel.

    Raises:
        ValueError: if mean or variance are given for training, or the shapes do not fit.

    Source: S. Ioffe, C. Szegedy, "Batch Normalization", 2015.
    """
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    if is_training and (mean is not None or variance is not None):
        raise ValueError("Both 'mean' and 'variance' must be None if is_training is True.")
    mean = constant_node(np.zeros((0,), np.float32)) if mean is None else mean
    variance = constant_node(np.zeros((0,), np.float32)) if variance is None else variance
    result = build.FusedBatchNormV3(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=max(epsilon, _MINIMUM_EPSILON),
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return result.y, result.batch_mean, result.batch_variance
