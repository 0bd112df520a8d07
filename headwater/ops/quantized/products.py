"""Products of quantized tensors: QuantizedConv2D, QuantizedMatMul, QuantizedMul."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.nn import convolution_host
from headwater.ops.nn.window_arguments import attr_axes, check_rank, window_count
from headwater.ops.quantized.steps import KINDS, Steps, product_range


def _from_zero(steps: Steps, x: np.ndarray, low: Array, high: Array) -> np.ndarray:
    """The steps between each element and the number 0, exact in float64."""
    return steps.integers(x).astype(np.float64) - steps.integer(0.0, low, high)


def kernel_conv2d(
    xp: ArrayModule,
    x: np.ndarray,
    w: np.ndarray,
    min_input: Array,
    max_input: Array,
    min_filter: Array,
    max_filter: Array,
    *,
    Tinput: DType,
    Tfilter: DType,
    out_type: DType,
    strides: list[int],
    padding: str,
    dilations: list[int],
) -> tuple[Array, ...]:
    check_rank(x, 4, "input")
    check_rank(w, 4, "filter", ": ")
    if x.shape[3] != w.shape[2]:
        fail(f"input and filter must have the same depth: {x.shape[3]} vs {w.shape[2]}")
    ranges = (min_input, max_input), (min_filter, max_filter)
    axes = attr_axes(x.shape[1:3], w.shape[:2], strides, padding, "NHWC", dilations, [])
    left, right, out = Steps(Tinput), Steps(Tfilter), Steps(out_type)
    total = convolution_host.forward(
        _from_zero(left, x, *ranges[0]), _from_zero(right, w, *ranges[1]), axes
    )
    return out.array(total), *product_range(left, ranges[0], right, ranges[1], out)


def kernel_matmul(
    xp: ArrayModule,
    a: np.ndarray,
    b: np.ndarray,
    min_a: Array,
    max_a: Array,
    min_b: Array,
    max_b: Array,
    *,
    T1: DType,
    T2: DType,
    Toutput: DType,
    transpose_a: bool,
    transpose_b: bool,
) -> tuple[Array, ...]:
    for name, array in (("a", a), ("b", b)):
        if array.ndim != 2:
            fail(f"In[{'ab'.index(name)}] is not a matrix")
    _check_range("a", min_a, max_a)
    _check_range("b", min_b, max_b)
    left, right, out = Steps(T1), Steps(T2), Steps(Toutput)
    x, y = _from_zero(left, a, min_a, max_a), _from_zero(right, b, min_b, max_b)
    x, y = (x.T if transpose_a else x), (y.T if transpose_b else y)
    if x.shape[1] != y.shape[0]:
        fail(
            f"Matrix size-compatible: In[0]: {shapes.show(a.shape)}, In[1]: {shapes.show(b.shape)}"
        )
    return out.array(x @ y), *product_range(left, (min_a, max_a), right, (min_b, max_b), out)


def kernel_mul(
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
    _check_range("x", min_x, max_x)
    _check_range("y", min_y, max_y)
    left, right, out = Steps(T1), Steps(T2), Steps(Toutput)
    product = _from_zero(left, x, min_x, max_x) * _from_zero(right, y, min_y, max_y)
    return out.array(product), *product_range(left, (min_x, max_x), right, (min_y, max_y), out)


def _check_range(name: str, low: Array, high: Array) -> None:
    if not high > low:
        fail(f"max_{name} must be larger than min_{name}.")


def shape_conv2d(c: shapes.ShapeContext) -> list[Shape]:
    batch, height, width, depth = c.with_rank("input", 4)
    rows, columns, inner, outer = c.with_rank("filter", 4)
    c.merge_dims(depth, inner)
    for name in ("min_input", "max_input", "min_filter", "max_filter"):
        c.with_rank(name, 0)
    sizes = [
        window_count(
            c, size, window, c.attr("strides")[d], c.attr("padding"), c.attr("dilations")[d]
        )
        for d, size, window in ((1, height, rows), (2, width, columns))
    ]
    return [(batch, *sizes, outer), (), ()]


def shape_matmul(c: shapes.ShapeContext) -> list[Shape]:
    a, b = c.with_rank("a", 2), c.with_rank("b", 2)
    for name in ("min_a", "max_a", "min_b", "max_b"):
        c.with_rank(name, 0)
    a = a[::-1] if c.attr("transpose_a") else a
    b = b[::-1] if c.attr("transpose_b") else b
    c.merge_dims(a[1], b[0])
    return [(a[0], b[1]), (), ()]


def shape_mul(c: shapes.ShapeContext) -> list[Shape]:
    for name in ("min_x", "max_x", "min_y", "max_y"):
        c.with_rank(name, 0)
    return [shapes.broadcast(c), (), ()]


_RANGE = [np.float32(x) for x in (-1.0, 2.0, 0.0, 1.5)]


def _eight(*shape: int) -> np.ndarray:
    numbers = np.arange(np.prod(shape)) * 37 % 251
    return numbers.astype(np.uint8).view(dtypes.quint8.as_numpy_dtype).reshape(shape)


def samples_conv2d() -> Iterator[Sample]:
    for padding in ("SAME", "VALID"):
        yield Sample(
            _eight(1, 4, 5, 2), _eight(3, 2, 2, 3), *_RANGE, strides=[1, 2, 2, 1], padding=padding
        )


def samples_matmul() -> Iterator[Sample]:
    yield Sample(_eight(2, 3), _eight(3, 4), *_RANGE)
    yield Sample(_eight(3, 2), _eight(4, 3), *_RANGE, transpose_a=True, transpose_b=True)


def samples_mul() -> Iterator[Sample]:
    yield Sample(_eight(2, 3), _eight(3), *_RANGE)


register_op(
    "QuantizedConv2D",
    inputs="input: Tinput, filter: Tfilter, min_input: float, max_input: float, "
    "min_filter: float, max_filter: float",
    outputs="output: out_type, min_output: float, max_output: float",
    attrs=f"Tinput: {KINDS}, Tfilter: {KINDS}, out_type: {KINDS} = qint32, strides: list(int), "
    "padding: {'SAME', 'VALID'}, dilations: list(int) = [1, 1, 1, 1]",
    shape=shape_conv2d,
    kernel=kernel_conv2d,
    samples=samples_conv2d,
    runs_on=RunsOn.HOST,
)
register_op(
    "QuantizedMatMul",
    inputs="a: T1, b: T2, min_a: float, max_a: float, min_b: float, max_b: float",
    outputs="out: Toutput, min_out: float, max_out: float",
    attrs=f"T1: {KINDS}, T2: {KINDS}, Toutput: {KINDS} = qint32, transpose_a: bool = false, "
    f"transpose_b: bool = false, Tactivation: {KINDS} = quint8",
    shape=shape_matmul,
    kernel=kernel_matmul,
    samples=samples_matmul,
    runs_on=RunsOn.HOST,
)
register_op(
    "QuantizedMul",
    inputs="x: T1, y: T2, min_x: float, max_x: float, min_y: float, max_y: float",
    outputs="z: Toutput, min_z: float, max_z: float",
    attrs=f"T1: {KINDS}, T2: {KINDS}, Toutput: {KINDS} = qint32",
    shape=shape_mul,
    kernel=kernel_mul,
    samples=samples_mul,
    runs_on=RunsOn.HOST,
)


@export("nn.quantized_conv2d")
def quantized_conv2d(
    input: TensorLike,
    filter: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    min_filter: TensorLike,
    max_filter: TensorLike,
    strides: list[int],
    padding: str,
    out_type: DTypeLike = dtypes.qint32,
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Slides quantized filters over quantized images.

    Args:
        input: images ``[N, H, W, C]`` of a quantized type.
        filter: filters ``[H, W, C, C']`` of a quantized type.
        min_input: the number that the lowest integer of `input` stands for.
        max_input: the number that the highest integer of `input` stands for.
        min_filter: the number that the lowest integer of `filter` stands for.
        max_filter: the number that the highest integer of `filter` stands for.
        strides: the step of the windows per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        out_type: the type of the result.
        dilations: the distance of the elements of a window per dimension.
        name: the name of the node.

    Returns:
        A tuple of the quantized result and the ends of its range.
    """
    return build.QuantizedConv2D(
        input,
        filter,
        min_input,
        max_input,
        min_filter,
        max_filter,
        strides=strides,
        padding=padding,
        out_type=out_type,
        dilations=list(dilations),
        name=name,
    )
