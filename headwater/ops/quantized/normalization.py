"""Normalization of quantized images: by given moments, and by those of each image itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.quantized.steps import KINDS, Steps

_F = np.float32
# The range of what QuantizedBatchNormWithGlobalNormalization returns.
_LOW, _HIGH = _F(-(1 << 20)), _F(1 << 20)


def kernel_batch_norm(
    xp: ArrayModule,
    t: np.ndarray,
    t_min: Array,
    t_max: Array,
    m: np.ndarray,
    m_min: Array,
    m_max: Array,
    v: np.ndarray,
    v_min: Array,
    v_max: Array,
    beta: np.ndarray,
    beta_min: Array,
    beta_max: Array,
    gamma: np.ndarray,
    gamma_min: Array,
    gamma_max: Array,
    *,
    Tinput: DType,
    out_type: DType,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> tuple[Array, ...]:
    if t.ndim != 4:
        fail(f"input must be 4-dimensional{shapes.show(t.shape)}")
    for name, array in (("mean", m), ("var", v), ("beta", beta), ("gamma", gamma)):
        if array.ndim != 1:
            fail(f"{name} must be 1-dimensional{shapes.show(array.shape)}")
    steps, out = Steps(Tinput), Steps(out_type)

    def numbers(x: np.ndarray, low: Array, high: Array) -> np.ndarray:
        return steps.numbers(steps.integers(x), low, high)

    scale = _F(1) / np.sqrt(numbers(v, v_min, v_max) + _F(variance_epsilon))
    if scale_after_normalization:
        scale = scale * numbers(gamma, gamma_min, gamma_max)
    offset = -numbers(m, m_min, m_max) * scale + numbers(beta, beta_min, beta_max)

    def integers(x: np.ndarray) -> np.ndarray:
        flat = [out.clipped(number, _LOW, _HIGH) for number in x.ravel()]
        return np.array(flat, np.int64).reshape(x.shape)

    # Integer arithmetic throughout: each of the few possible integers is computed once.
    every, where = np.unique(steps.integers(t), return_inverse=True)
    images = integers(steps.numbers(every, t_min, t_max))[where.reshape(t.shape)]
    product = images * integers(scale)
    one = out.clipped(1.0, _LOW, _HIGH)
    whole = np.sign(product) * (np.abs(product) // one)
    return out.array(whole + integers(offset)), _LOW, _HIGH


def kernel_instance_norm(
    xp: ArrayModule,
    x: np.ndarray,
    x_min: Array,
    x_max: Array,
    *,
    T: DType,
    output_range_given: bool,
    given_y_min: float,
    given_y_max: float,
    variance_epsilon: float,
    min_separation: float,
) -> tuple[Array, ...]:
    if not x_max > x_min:
        fail("input_max must be larger than input_min")
    steps = Steps(T)
    images = steps.to_first(x, _F(x_min), _F(x_max)).astype(_F)
    mean = images.mean((1, 2), dtype=_F, keepdims=True)
    centred = images - mean
    variance = np.square(centred).mean((1, 2), dtype=_F, keepdims=True)
    y = centred * (_F(1) / np.sqrt(variance + _F(variance_epsilon)))
    if output_range_given:
        low, high = _F(given_y_min), _F(given_y_max)
        if not low < high:
            fail(f"Invalid range: given_y_min={low:g}, given_y_max={high:g}")
    else:
        low, high = y.min(), y.max()
        if high - low < _F(min_separation):
            middle, half = (high + low) / _F(2), _F(min_separation) / _F(2)
            low, high = middle - half, middle + half
    return steps.from_first(y, low, high), low, high


def shape_batch_norm(c: shapes.ShapeContext) -> list[Shape]:
    batch, height, width, depth = c.with_rank("t", 4)
    for name in ("m", "v", "beta", "gamma"):
        depth = c.merge_dims(depth, c.with_rank(name, 1)[0])
    for name in ("t", "m", "v", "beta", "gamma"):
        c.with_rank(f"{name}_min", 0)
        c.with_rank(f"{name}_max", 0)
    return [(batch, height, width, depth), (), ()]


def shape_instance_norm(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("x", 4)
    c.with_rank("x_min", 0)
    c.with_rank("x_max", 0)
    return [c.shape("x"), (), ()]


def _eight(*shape: int) -> np.ndarray:
    numbers = np.arange(np.prod(shape)) * 37 % 251
    return numbers.astype(np.uint8).view(dtypes.quint8.as_numpy_dtype).reshape(shape)


def samples_batch_norm() -> Iterator[Sample]:
    parts = [(_eight(2, 3, 2, 2), _F(-1), _F(5))]
    parts += [(_eight(2), _F(0), _F(high)) for high in (1.5, 2.5, 1.0, 2.0)]
    for scaled in (True, False):
        yield Sample(
            *[item for part in parts for item in part],
            out_type=dtypes.qint32,
            variance_epsilon=0.01,
            scale_after_normalization=scaled,
        )


def samples_instance_norm() -> Iterator[Sample]:
    yield Sample(_eight(2, 3, 4, 2), _F(0), _F(10))
    yield Sample(
        _eight(2, 3, 4, 2), _F(0), _F(10), output_range_given=True, given_y_min=-2, given_y_max=2
    )


register_op(
    "QuantizedBatchNormWithGlobalNormalization",
    inputs=", ".join(
        f"{name}: Tinput, {name}_min: float, {name}_max: float"
        for name in ("t", "m", "v", "beta", "gamma")
    ),
    outputs="result: out_type, result_min: float, result_max: float",
    attrs=f"Tinput: {KINDS}, out_type: {KINDS}, variance_epsilon: float, "
    "scale_after_normalization: bool",
    shape=shape_batch_norm,
    kernel=kernel_batch_norm,
    samples=samples_batch_norm,
    runs_on=RunsOn.HOST,
)
register_op(
    "QuantizedInstanceNorm",
    inputs="x: T, x_min: float, x_max: float",
    outputs="y: T, y_min: float, y_max: float",
    attrs=f"T: {KINDS}, output_range_given: bool = false, given_y_min: float = 0.0, "
    "given_y_max: float = 0.0, variance_epsilon: float = 9.99999975e-06, "
    "min_separation: float = 0.00100000005",
    shape=shape_instance_norm,
    kernel=kernel_instance_norm,
    samples=samples_instance_norm,
    runs_on=RunsOn.HOST,
)
