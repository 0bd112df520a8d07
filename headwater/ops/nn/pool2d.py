"""Maximum and average pooling over images, with their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.signatures import signature
from headwater.base.typing import Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    ShapeContext,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.nn.pooling import (
    kernel_avg_pool,
    kernel_avg_pool_grad,
    kernel_max_pool,
    kernel_max_pool_grad,
    kernel_max_pool_grad_grad,
    reference_avg_pool,
    reference_max_pool,
    shape_original_output,
    shape_pool,
    shuffled,
)
from headwater.ops.nn.window_arguments import numbers_by_dimension

_MAX_TYPES = "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half"
_REAL_TYPES = f"{_MAX_TYPES}, uint32, uint64"


def shape_avg_pool_grad(c: ShapeContext) -> Shape:
    sizes = c.value_as_shape("orig_input_shape")
    return (None,) * 4 if sizes is None else sizes


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {name: op._attrs[name] for name in ("ksize", "strides", "padding", "data_format")}


def gradient_max_pool(op: Operation, grad: Tensor) -> Tensor:
    return build.MaxPoolGrad(op.inputs[0], op.outputs[0], grad, **_attrs_of(op))


def gradient_max_pool_grad(op: Operation, grad: Tensor) -> Any:
    return (
        build.ZerosLike(op.inputs[0]),
        build.ZerosLike(op.inputs[1]),
        build.MaxPoolGradGrad(op.inputs[0], op.inputs[1], grad, **_attrs_of(op)),
    )


def gradient_max_pool_grad_grad(op: Operation, grad: Tensor) -> Any:
    return (
        build.ZerosLike(op.inputs[0]),
        build.ZerosLike(op.inputs[1]),
        build.MaxPoolGrad(op.inputs[0], op.inputs[1], grad, **_attrs_of(op)),
    )


def gradient_avg_pool(op: Operation, grad: Tensor) -> Tensor:
    return build.AvgPoolGrad(shape_tensor(op.inputs[0]), grad, **_attrs_of(op))


def gradient_avg_pool_grad(op: Operation, grad: Tensor) -> Any:
    return build.StopGradient(op.inputs[0]), build.AvgPool(grad, **_attrs_of(op))


def samples_pool() -> Iterator[Sample]:
    for padding in ("SAME", "VALID"):
        x = shuffled(2, 5, 6, 2)
        yield Sample(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding=padding)
        yield Sample(x, ksize=[1, 3, 2, 1], strides=[1, 1, 3, 1], padding=padding)


register_op(
    "MaxPool",
    inputs="input: T",
    outputs="output: T",
    attrs=(
        f"T: {{{_MAX_TYPES}, qint8}} = float, ksize: list(int) >= 4, strides: list(int) >= 4, "
        "padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
    ),
    shape=shape_pool,
    kernel=kernel_max_pool,
    gradient=gradient_max_pool,
    reference=reference_max_pool,
    samples=samples_pool,
)


def _register_max_pool_gradient(
    name: str,
    kernel: Callable[..., Any],
    shape: Callable[..., Any],
    gradient: Callable[..., Any],
    types: str,
) -> None:
    register_op(
        name,
        inputs="orig_input: T, orig_output: T, grad: T",
        outputs="output: T",
        attrs=(
            "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}, "
            f"data_format: {{'NHWC', 'NCHW'}} = 'NHWC', T: {{{_REAL_TYPES}}} {types}"
        ),
        shape=shape,
        kernel=kernel,
        gradient=gradient,
    )


_register_max_pool_gradient(
    "MaxPoolGrad",
    kernel=kernel_max_pool_grad,
    shape=shapes.like_first_of_rank(4),
    gradient=gradient_max_pool_grad,
    types="= float",
)
_register_max_pool_gradient(
    "MaxPoolGradGrad",
    kernel=kernel_max_pool_grad_grad,
    shape=shape_original_output(4),
    gradient=gradient_max_pool_grad_grad,
    types="",
)
register_op(
    "AvgPool",
    inputs="value: T",
    outputs="output: T",
    attrs=(
        "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}, "
        "data_format: {'NHWC', 'NCHW'} = 'NHWC', T: {half, bfloat16, float, double}"
    ),
    shape=shape_pool,
    kernel=kernel_avg_pool,
    gradient=gradient_avg_pool,
    reference=reference_avg_pool,
    samples=samples_pool,
)
register_op(
    "AvgPoolGrad",
    inputs="orig_input_shape: int32, grad: T",
    outputs="output: T",
    attrs=(
        "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}, "
        "data_format: {'NHWC', 'NCHW'} = 'NHWC', T: {half, bfloat16, float, double}"
    ),
    shape=shape_avg_pool_grad,
    kernel=kernel_avg_pool_grad,
    gradient=gradient_avg_pool_grad,
    concrete=("orig_input_shape",),
)


@export("nn.max_pool")
@signature("value, ksize, strides, padding, data_format='NHWC', name=None, input=None")
def max_pool(
    value: TensorLike | None = None,
    ksize: int | Sequence[int] | None = None,
    strides: int | Sequence[int] | None = None,
    padding: str | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """The maximum of each window of images.

    Args:
        value: images, ``[N, H, W, C]`` (or ``[N, C, H, W]``).
        ksize: the size of the window per dimension.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        name: the name of the op.
        input: newer name of `value`.

    Returns:
        A tensor ``[N, H', W', C]``.

    Raises:
        ValueError: if shapes or arguments do not fit.

    Example:
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> pooled = tf.nn.max_pool(image, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        >>> print(pooled.eval()[0, :, :, 0])
        [[ 5.  7.]
         [13. 15.]]
    """
    value = value if input is None else input
    if np.any(np.asarray(ksize) == 0):
        raise ValueError("ksize cannot be zero.")
    with name_scope(name, "MaxPool", [value]) as scope:
        return build.MaxPool(
            convert_to_tensor(value, name="input"),
            ksize=numbers_by_dimension(ksize, "ksize", data_format, rank=4),
            strides=numbers_by_dimension(strides, "strides", data_format, rank=4),
            padding=padding,
            data_format=data_format,
            name=scope,
        )


@export("nn.max_pool2d")
def max_pool2d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window of images; see `tf.nn.max_pool`.

    Args:
        input: images, ``[N, H, W, C]`` (or ``[N, C, H, W]``).
        ksize: the size of the window per dimension.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        name: the name of the op.

    Returns:
        A tensor ``[N, H', W', C]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    return max_pool(input, ksize, strides, padding, data_format, name)


@export("nn.avg_pool", "nn.avg_pool2d")
@signature("value, ksize, strides, padding, data_format='NHWC', name=None, input=None")
def avg_pool(
    value: TensorLike | None = None,
    ksize: int | Sequence[int] | None = None,
    strides: int | Sequence[int] | None = None,
    padding: str | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """The mean of each window of images, not counting padding.

    Args:
        value: images, ``[N, H, W, C]`` (or ``[N, C, H, W]``), floating-point.
        ksize: the size of the window per dimension.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        name: the name of the op.
        input: newer name of `value`.

    Returns:
        A tensor ``[N, H', W', C]``.

    Raises:
        ValueError: if shapes or arguments do not fit.

    Example:
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> pooled = tf.nn.avg_pool(image, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        >>> print(pooled.eval()[0, :, :, 0])
        [[ 2.5  4.5]
         [10.5 12.5]]
    """
    value = value if input is None else input
    with name_scope(name, "AvgPool", [value]) as scope:
        return build.AvgPool(
            convert_to_tensor(value, name="value"),
            ksize=numbers_by_dimension(ksize, "ksize", data_format, rank=4),
            strides=numbers_by_dimension(strides, "strides", data_format, rank=4),
            padding=padding,
            data_format=data_format,
            name=scope,
        )
