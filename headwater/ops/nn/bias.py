"""Adding one bias per channel: BiasAdd, BiasAddV1, BiasAddGrad."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    ones_like,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
)


def _channel_axis(rank: int, data_format: str) -> int:
    return 1 if data_format == "NCHW" else rank - 1


def _minimum_rank(data_format: str) -> int:
    return 3 if data_format == "NCHW" else 2


def _shape_bias_add(c: shapes.ShapeContext, data_format: str) -> Shape:
    value = c.with_rank_at_least("value", _minimum_rank(data_format))
    bias = c.with_rank("bias", 1)
    if value is None:
        return None
    axis = _channel_axis(len(value), data_format)
    return value[:axis] + (c.merge_dims(value[axis], bias[0]),) + value[axis + 1 :]


def shape_bias_add(c: shapes.ShapeContext) -> Shape:
    return _shape_bias_add(c, c.attr("data_format"))


def shape_bias_add_v1(c: shapes.ShapeContext) -> Shape:
    return _shape_bias_add(c, "NHWC")


def shape_bias_add_grad(c: shapes.ShapeContext) -> Shape:
    data_format = c.attr("data_format")
    shape = c.with_rank_at_least("out_backprop", _minimum_rank(data_format))
    return (None,) if shape is None else (shape[_channel_axis(len(shape), data_format)],)


def kernel_bias_add(
    xp: ArrayModule, value: Array, bias: Array, *, data_format: str = "NHWC"
) -> Array:
    if value.ndim < 2:
        fail(f"Input tensor must be at least 2D: {shapes.show(value.shape)}")
    if bias.ndim != 1:
        fail(f"Biases must be 1D: {shapes.show(bias.shape)}")
    axis = _channel_axis(value.ndim, data_format)
    if bias.shape[0] != value.shape[axis]:
        fail(
            "Must provide as many biases as the "
            f"{'last' if axis == value.ndim - 1 else 'channel'} dimension of the input tensor: "
            f"{shapes.show(bias.shape)} vs. {shapes.show(value.shape)}"
        )
    return value + bias.reshape(bias.shape + (1,) * (value.ndim - 1 - axis))


def kernel_bias_add_v1(xp: ArrayModule, value: Array, bias: Array) -> Array:
    return kernel_bias_add(xp, value, bias)


def kernel_bias_add_grad(xp: ArrayModule, out_backprop: Array, *, data_format: str) -> Array:
    if out_backprop.ndim < 2:
        fail(f"Input tensor must be at least 2D: {shapes.show(out_backprop.shape)}")
    channel = _channel_axis(out_backprop.ndim, data_format)
    axes = tuple(i for i in range(out_backprop.ndim) if i != channel)
    return xp.sum(out_backprop, axis=axes, dtype=out_backprop.dtype)


def gradient_bias_add(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return grad, build.BiasAddGrad(grad, data_format=op.get_attr("data_format"))


def gradient_bias_add_v1(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    axes = build.Range(0, build.Sub(rank_tensor(grad), 1, name="sub"), 1, name="range")
    return grad, build.Sum(grad, axes)


def gradient_bias_add_grad(op: Operation, grad: Tensor) -> Tensor:
    shape: Tensor = shape_tensor(op.inputs[0])
    bias_shape = shape_tensor(grad)
    if op.get_attr("data_format") in (b"NCHW", "NCHW"):
        ones = [ones_like(shape[:1]), bias_shape, ones_like(shape[2:])]
        expanded = build.ConcatV2(ones, 0, name="concat")
        tiles = build.ConcatV2([shape[:1], [1], shape[2:]], 0, name="concat")
    else:
        expanded = build.ConcatV2([ones_like(shape[:-1]), bias_shape], 0, name="concat")
        tiles = build.ConcatV2([shape[:-1], [1]], 0, name="concat")
    return build.Tile(build.Reshape(grad, expanded), tiles)


def reference_bias_add(value: Array, bias: Array, *, data_format: str = "NHWC") -> Array:
    if data_format == "NCHW":
        return np.moveaxis(np.moveaxis(value, 1, -1) + bias, -1, 1)
    return value + bias


def reference_bias_add_grad(out_backprop: Array, *, data_format: str) -> Array:
    if data_format == "NCHW":
        out_backprop = np.moveaxis(out_backprop, 1, -1)
    rows = out_backprop.reshape(-1, out_backprop.shape[-1])
    return sum(rows, np.zeros(rows.shape[1], rows.dtype))


_VALUE = np.linspace(-2, 2, 24, dtype=np.float32).reshape(2, 3, 4)


def samples_bias_add() -> Iterator[Sample]:
    yield Sample(_VALUE, np.array([1.0, -2.0, 3.0, 0.5], np.float32))
    yield Sample(_VALUE, np.array([1.0, -2.0, 3.0], np.float32), data_format="NCHW")
    yield Sample(_VALUE.reshape(2, 3, 2, 2), np.ones(3, np.float32), data_format="NCHW")
    yield Sample(_VALUE[0].astype(np.float64), np.array([1.0, -2.0, 3.0, 0.5]))
    yield Sample(np.array([[1, 2]], np.int32), np.array([10, 20], np.int32))


def samples_bias_add_v1() -> Iterator[Sample]:
    yield Sample(_VALUE, np.array([1.0, -2.0, 3.0, 0.5], np.float32))


def samples_bias_add_grad() -> Iterator[Sample]:
    yield Sample(_VALUE)
    yield Sample(_VALUE, data_format="NCHW")
    yield Sample(_VALUE.reshape(2, 3, 2, 2), data_format="NCHW")
    yield Sample(np.zeros((0, 3), np.float32))


register_op(
    "BiasAdd",
    inputs="value: T, bias: T",
    outputs="output: T",
    attrs="T: numbertype, data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    shape=shape_bias_add,
    kernel=kernel_bias_add,
    gradient=gradient_bias_add,
    reference=reference_bias_add,
    samples=samples_bias_add,
)
register_op(
    "BiasAddV1",
    inputs="value: T, bias: T",
    outputs="output: T",
    attrs="T: numbertype",
    shape=shape_bias_add_v1,
    kernel=kernel_bias_add_v1,
    gradient=gradient_bias_add_v1,
    reference=reference_bias_add,
    samples=samples_bias_add_v1,
)
register_op(
    "BiasAddGrad",
    inputs="out_backprop: T",
    outputs="output: T",
    attrs="T: numbertype, data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    shape=shape_bias_add_grad,
    kernel=kernel_bias_add_grad,
    gradient=gradient_bias_add_grad,
    reference=reference_bias_add_grad,
    samples=samples_bias_add_grad,
)


@export("nn.bias_add")
def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Adds one number per channel.

    Args:
        value: a tensor of numbers of rank 2 or more.
        bias: a vector, as long as the channel axis.
        data_format: "N...C" (channels last, the default) or "NC..." with any letters between.
        name: the name of the node.

    Returns:
        A tensor like `value`.

    Raises:
        ValueError: if the shapes do not fit or `data_format` is of neither form.

    Example:
        >>> print(tf.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]).eval())
        [[11. 22.]
         [13. 24.]]
    """
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        if data_format is not None:
            if data_format.startswith("NC"):
                data_format = "NCHW"
            elif data_format.startswith("N") and data_format.endswith("C"):
                data_format = "NHWC"
            else:
                raise ValueError("data_format must be of the form `N...C` or `NC...`")
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype, name="bias")
        return build.BiasAdd(value, bias, data_format=data_format, name=scope)


@export("nn.bias_add_v1")
def bias_add_v1(value: TensorLike, bias: TensorLike, name: str | None = None) -> Tensor:
    """Adds one number per channel, channels in the last axis.

    Args:
        value: a tensor of numbers of rank 2 or more.
        bias: a vector, as long as the last axis.
        name: the name of the node.

    Returns:
        A tensor like `value`.
    """
    with name_scope(name, "BiasAddV1", [value, bias]) as scope:
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype, name="bias")
        return build.BiasAddV1(value, bias, name=scope)
