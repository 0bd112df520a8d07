"""Maximum and average pooling over quantized images: QuantizedMaxPool, QuantizedAvgPool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.nn.pooling import kernel_max_pool, pooled_shape, windows_of
from headwater.ops.nn.window_arrays import pad, slices
from headwater.ops.quantized.steps import KINDS, Steps

_F = np.float32


def kernel_quantized_max_pool(
    xp: ArrayModule,
    x: np.ndarray,
    low: Array,
    high: Array,
    *,
    T: DType,
    ksize: list[int],
    strides: list[int],
    padding: str,
) -> tuple[Array, ...]:
    steps = Steps(T)
    largest = kernel_max_pool(
        np, steps.integers(x), ksize=ksize, strides=strides, padding=padding, data_format="NHWC"
    )
    return np.ascontiguousarray(largest).view(steps.kind), _F(low), _F(high)


def kernel_quantized_avg_pool(
    xp: ArrayModule,
    x: np.ndarray,
    low: Array,
    high: Array,
    *,
    T: DType,
    ksize: list[int],
    strides: list[int],
    padding: str,
) -> tuple[Array, ...]:
    steps = Steps(T)
    windows = windows_of(x.shape, ksize, strides, padding)
    integers = steps.integers(x).astype(np.int64)
    # Padding does not count.
    total = sum(slices(pad(np, integers, windows), windows))
    count = sum(slices(pad(np, np.ones_like(integers), windows), windows))
    mean = np.trunc(np.asarray(total / count))
    return steps.array(mean), _F(low), _F(high)


def shape_quantized_pool(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("min_input", 0)
    c.with_rank("max_input", 0)
    shape = pooled_shape(
        c, c.with_rank("input", 4), c.attr("ksize"), c.attr("strides"), c.attr("padding")
    )
    return [shape, (), ()]


def samples_pool() -> Iterator[Sample]:
    numbers = np.arange(60) * 37 % 251
    x = numbers.astype(np.uint8).view(dtypes.quint8.as_numpy_dtype).reshape(1, 5, 6, 2)
    for padding in ("SAME", "VALID"):
        yield Sample(x, _F(-1), _F(2), ksize=[1, 2, 3, 1], strides=[1, 2, 2, 1], padding=padding)


def _register_quantized_pool(name: str, kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="input: T, min_input: float, max_input: float",
        outputs="output: T, min_output: float, max_output: float",
        attrs=f"T: {KINDS}, ksize: list(int), strides: list(int), padding: {{'SAME', 'VALID'}}",
        shape=shape_quantized_pool,
        kernel=kernel,
        samples=samples_pool,
        runs_on=RunsOn.HOST,
    )


_register_quantized_pool("QuantizedMaxPool", kernel_quantized_max_pool)
_register_quantized_pool("QuantizedAvgPool", kernel_quantized_avg_pool)


@export("nn.quantized_max_pool")
def quantized_max_pool(
    input: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    ksize: list[int],
    strides: list[int],
    padding: str,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """The maximum of each window of quantized images.

    Args:
        input: images ``[N, H, W, C]`` of a quantized type.
        min_input: the lower end of their range.
        max_input: the upper end of their range.
        ksize: the size of the window per dimension.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        name: the name of the node.

    Returns:
        A tuple of the quantized result and the ends of its range.
    """
    return build.QuantizedMaxPool(
        input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name
    )


@export("nn.quantized_avg_pool")
def quantized_avg_pool(
    input: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    ksize: list[int],
    strides: list[int],
    padding: str,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """The mean of each window of quantized images, without padding.

    Args:
        input: images ``[N, H, W, C]`` of a quantized type.
        min_input: the lower end of their range.
        max_input: the upper end of their range.
        ksize: the size of the window per dimension.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        name: the name of the node.

    Returns:
        A tuple of the quantized result and the ends of its range.
    """
    return build.QuantizedAvgPool(
        input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name
    )
