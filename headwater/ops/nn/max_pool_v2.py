"""Maximum pooling whose windows are tensors, with its gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Operation, Sample, ShapeContext, Tensor, build, register_op, shapes
from headwater.ops.nn import pooling
from headwater.ops.nn.window_arguments import invalid

_REAL_TYPES = (
    "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
)
_GRAD_ATTRS = "padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW'} = 'NHWC'"


def _numbers(value: Array, what: str) -> list[int]:
    numbers = np.asarray(value).tolist()
    if len(numbers) != 4:
        invalid(f"Sliding window {what} field must specify 4 dimensions")
    return numbers


def kernel_max_pool(
    xp: ArrayModule, x: Array, ksize: Array, strides: Array, *, padding: str, data_format: str
) -> Array:
    return pooling.kernel_max_pool(
        xp,
        x,
        ksize=_numbers(ksize, "ksize"),
        strides=_numbers(strides, "stride"),
        padding=padding,
        data_format=data_format,
    )


def kernel_max_pool_grad(
    xp: ArrayModule,
    x: Array,
    y: Array,
    grad: Array,
    ksize: Array,
    strides: Array,
    *,
    padding: str,
    data_format: str,
) -> Array:
    return pooling.kernel_max_pool_grad(
        xp, x, y, grad,
        ksize=_numbers(ksize, "ksize"), strides=_numbers(strides, "stride"), padding=padding,
        data_format=data_format,
    )  # fmt: skip


def kernel_max_pool_grad_grad(
    xp: ArrayModule,
    x: Array,
    y: Array,
    grad: Array,
    ksize: Array,
    strides: Array,
    *,
    padding: str,
    data_format: str,
) -> Array:
    return pooling.kernel_max_pool_grad_grad(
        xp, x, y, grad,
        ksize=_numbers(ksize, "ksize"), strides=_numbers(strides, "stride"), padding=padding,
        data_format=data_format,
    )  # fmt: skip


def reference_max_pool(x: Array, ksize: Array, strides: Array, *, padding: str) -> Array:
    return pooling.reference_pool(x, ksize, strides, padding, np.max)


def shape_max_pool(c: ShapeContext) -> Shape:
    x = c.with_rank("input", 4)
    numbers = []
    for name in ("ksize", "strides"):
        value = c.value(name)
        if value is None:
            return None
        if value.shape != (4,):
            what = "stride" if name == "strides" else "kernel"
            c.fail(
                f"MaxPool requires the {what} attribute to contain 4 values, but got: {value.size}"
            )
        numbers.append(value.tolist())
    ksize, strides = numbers
    return pooling.pooled_shape(c, x, ksize, strides, c.attr("data_format").index("C"))


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {name: op._attrs[name] for name in ("padding", "data_format")}


def gradient_max_pool(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    x, ksize, strides = op.inputs
    return (
        build.MaxPoolGradV2(x, op.outputs[0], grad, ksize, strides, **_attrs_of(op)),
        None,
        None,
    )


def gradient_max_pool_grad(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    x, y, _, ksize, strides = op.inputs
    return (
        build.ZerosLike(x),
        build.ZerosLike(y),
        build.MaxPoolGradGradV2(x, y, grad, ksize, strides, **_attrs_of(op)),
        None,
        None,
    )


def samples_max_pool() -> Iterator[Sample]:
    x = pooling.shuffled(2, 5, 6, 2)
    for padding in ("SAME", "VALID"):
        for ksize, strides in (([1, 2, 2, 1], [1, 2, 2, 1]), ([1, 3, 2, 1], [1, 1, 3, 1])):
            numbers = np.array(ksize, np.int32), np.array(strides, np.int32)
            yield Sample(x, *numbers, padding=padding, gradient=(0,))


def shape_max_pool_grad_grad(c: ShapeContext) -> Shape:
    if c.value("ksize") is None or c.value("strides") is None:
        return None
    return c.with_rank("orig_output", 4)


register_op(
    "MaxPoolV2",
    inputs="input: T, ksize: int32, strides: int32",
    outputs="output: T",
    attrs=(
        "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
        "float, padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
    ),
    shape=shape_max_pool,
    kernel=kernel_max_pool,
    gradient=gradient_max_pool,
    concrete=("ksize", "strides"),
    reference=reference_max_pool,
    samples=samples_max_pool,
)
register_op(
    "MaxPoolGradV2",
    inputs="orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
    outputs="output: T",
    attrs=f"{_GRAD_ATTRS}, T: {{{_REAL_TYPES}}} = float",
    shape=shapes.like_first_of_rank(4),
    kernel=kernel_max_pool_grad,
    gradient=gradient_max_pool_grad,
    concrete=("ksize", "strides"),
)
register_op(
    "MaxPoolGradGradV2",
    inputs="orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
    outputs="output: T",
    attrs=f"{_GRAD_ATTRS}, T: {{{_REAL_TYPES}}}",
    shape=shape_max_pool_grad_grad,
    kernel=kernel_max_pool_grad_grad,
    concrete=("ksize", "strides"),
)
