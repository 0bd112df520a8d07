"""Maximum and average pooling over images, with their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

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
from headwater.ops.nn import pooling_forms
from headwater.ops.nn.window import Axis, output_size, window_axis

_MAX_TYPES = "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half"
_REAL_TYPES = f"{_MAX_TYPES}, uint32, uint64"


def _windows(
    shape: tuple[int, ...], ksize: list[int], strides: list[int], padding: str
) -> dict[int, Axis]:
    return {
        d: window_axis(shape[d], ksize[d], strides[d], padding)
        for d in range(len(shape))
        if ksize[d] != 1 or strides[d] != 1
    }


def kernel_max_pool(xp: Any, x: Any, *, ksize: list[int], strides: list[int], padding: str) -> Any:
    return pooling_forms.max_pool(xp, x, _windows(x.shape, ksize, strides, padding))


def kernel_max_pool_grad(
    xp: Any, x: Any, y: Any, grad: Any, *, ksize: list[int], strides: list[int], padding: str
) -> Any:
    return pooling_forms.max_pool_grad(xp, x, grad, _windows(x.shape, ksize, strides, padding))


def kernel_max_pool_grad_grad(
    xp: Any, x: Any, y: Any, grad: Any, *, ksize: list[int], strides: list[int], padding: str
) -> Any:
    return pooling_forms.max_pool_grad_grad(xp, x, grad, _windows(x.shape, ksize, strides, padding))


def kernel_avg_pool(xp: Any, x: Any, *, ksize: list[int], strides: list[int], padding: str) -> Any:
    return pooling_forms.avg_pool(xp, x, _windows(x.shape, ksize, strides, padding))


def kernel_avg_pool_grad(
    xp: Any,
    shape: np.ndarray,
    grad: Any,
    *,
    ksize: list[int],
    strides: list[int],
    padding: str,
) -> Any:
    sizes = tuple(int(size) for size in shape)
    return pooling_forms.avg_pool_grad(xp, grad, _windows(sizes, ksize, strides, padding))


def shape_pool(c: ShapeContext) -> Any:
    name = c.record.schema.inputs[0].name
    result: list[int | None] = []
    for size, window, stride in zip(c.with_rank(name, 4), c.attr("ksize"), c.attr("strides")):
        out = None if size is None else output_size(size, window, stride, c.attr("padding"))
        if out is not None and (out < 0 or (out == 0 and size)):
            c.fail(f"Negative dimension size caused by subtracting {window} from {size}")
        result.append(out)
    return tuple(result)


def shape_grad_grad(c: ShapeContext) -> Any:
    return c.shape("orig_output")


def shape_avg_pool_grad(c: ShapeContext) -> Any:
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
    return None, build.AvgPool(grad, **_attrs_of(op))


def _numbers(*shape: int) -> np.ndarray:
    return (
        np.random.RandomState(sum(shape))
        .permutation(np.arange(np.prod(shape)))
        .reshape(shape)
        .astype(np.float32)
        / 7
    )


def reference_pool(
    x: np.ndarray, ksize: list[int], strides: list[int], padding: str, reduce: Any
) -> np.ndarray:
    rows, columns = (window_axis(x.shape[d], ksize[d], strides[d], padding) for d in (1, 2))
    y = np.zeros((x.shape[0], rows.out, columns.out, x.shape[3]), x.dtype)
    for i in range(rows.out):
        for j in range(columns.out):
            top, left = i * rows.stride - rows.low, j * columns.stride - columns.low
            part = x[:, max(top, 0) : top + rows.window, max(left, 0) : left + columns.window]
            y[:, i, j] = reduce(part, axis=(1, 2))
    return y


def reference_max_pool(
    x: np.ndarray, *, ksize: list[int], strides: list[int], padding: str
) -> np.ndarray:
    return reference_pool(x, ksize, strides, padding, np.max)


def reference_avg_pool(
    x: np.ndarray, *, ksize: list[int], strides: list[int], padding: str
) -> np.ndarray:
    return reference_pool(x, ksize, strides, padding, np.mean)


def samples_pool() -> Any:
    for padding in ("SAME", "VALID"):
        x = _numbers(2, 5, 6, 2)
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
for _name, _kernel, _shape, _gradient, _types in (
    ("MaxPoolGrad", kernel_max_pool_grad, shapes.like_first, gradient_max_pool_grad, "= float"),
    (
        "MaxPoolGradGrad",
        kernel_max_pool_grad_grad,
        shape_grad_grad,
        gradient_max_pool_grad_grad,
        "",
    ),
):
    register_op(
        _name,
        inputs="orig_input: T, orig_output: T, grad: T",
        outputs="output: T",
        attrs=(
            "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}, "
            f"data_format: {{'NHWC', 'NCHW'}} = 'NHWC', T: {{{_REAL_TYPES}}} {_types}"
        ),
        shape=_shape,
        kernel=_kernel,
        gradient=_gradient,
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


def _four(value: Any, data_format: str) -> list[int]:
    """One number per dimension from one, two or four numbers."""
    values = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
    if len(values) == 1:
        values = values * 2
    if len(values) == 2:
        values = [1, 1, *values] if data_format.startswith("NC") else [1, *values, 1]
    return [int(v) for v in values]


@export("nn.max_pool", "nn.max_pool2d")
def max_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: str | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
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
    """
    value = value if input is None else input
    with name_scope(name, "MaxPool", [value]) as scope:
        return build.MaxPool(
            convert_to_tensor(value, name="input"),
            ksize=_four(ksize, data_format),
            strides=_four(strides, data_format),
            padding=padding,
            data_format=data_format,
            name=scope,
        )


@export("nn.avg_pool", "nn.avg_pool2d")
def avg_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: str | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
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
    """
    value = value if input is None else input
    with name_scope(name, "AvgPool", [value]) as scope:
        return build.AvgPool(
            convert_to_tensor(value, name="value"),
            ksize=_four(ksize, data_format),
            strides=_four(strides, data_format),
            padding=padding,
            data_format=data_format,
            name=scope,
        )
