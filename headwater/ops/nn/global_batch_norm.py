"""BatchNormWithGlobalNormalization, an op of the first releases, and its gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Operation, Sample, Tensor, build, register_op, shapes

_ATTRS = "T: numbertype, variance_epsilon: float, scale_after_normalization: bool"


def _channel(c: shapes.ShapeContext, *vectors: str) -> int | None:
    channel = c.with_rank("t", 4)[3]
    for name in vectors:
        channel = c.merge_dims(channel, c.with_rank(name, 1)[0])
    return channel


def shape_normalized(c: shapes.ShapeContext) -> Shape:
    return (*c.with_rank("t", 4)[:3], _channel(c, "m", "v", "beta", "gamma"))


def shape_gradients(c: shapes.ShapeContext) -> list[Shape]:
    channel = _channel(c, "m", "v", "gamma")
    backprop = c.with_rank("backprop", 4)
    channel = c.merge_dims(channel, backprop[3])
    image = c.merge((*c.with_rank("t", 4)[:3], channel), backprop)
    return [image, *[(channel,)] * 4]


def kernel_normalized(
    xp: ArrayModule,
    t: Array,
    m: Array,
    v: Array,
    beta: Array,
    gamma: Array,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> Array:
    kind = t.dtype.type
    factor = kind(1) / xp.sqrt(v + kind(np.float32(variance_epsilon)))
    if scale_after_normalization:
        factor = factor * gamma
    return (t - m) * factor + beta


def kernel_gradients(
    xp: ArrayModule,
    t: Array,
    m: Array,
    v: Array,
    gamma: Array,
    backprop: Array,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> tuple[Array, Array, Array, Array, Array]:
    kind = t.dtype.type
    axes = (0, 1, 2)
    inverse = kind(1) / xp.sqrt(v + kind(np.float32(variance_epsilon)))
    projected = xp.sum(backprop * (t - m), axis=axes, dtype=t.dtype)
    db = xp.sum(backprop, axis=axes, dtype=t.dtype)
    factor = inverse
    dg = xp.zeros_like(gamma)
    if scale_after_normalization:
        factor = inverse * gamma
        dg = projected * inverse
    dv = projected * factor * xp.square(inverse) * kind(-0.5)
    return backprop * factor, -db * factor, dv, db, dg


def gradient_normalized(
    op: Operation, grad: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    t, m, v, _, gamma = op.inputs
    dx, dm, dv, db, dg = build.BatchNormWithGlobalNormalizationGrad(
        t,
        m,
        v,
        gamma,
        grad,
        variance_epsilon=op.get_attr("variance_epsilon"),
        scale_after_normalization=op.get_attr("scale_after_normalization"),
    )
    return dx, dm, dv, db, dg


def reference_normalized(
    t: Array,
    m: Array,
    v: Array,
    beta: Array,
    gamma: Array,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> Array:
    result = (t.astype(np.float64) - m) * (v + np.float32(variance_epsilon)) ** -0.5
    result = result * gamma if scale_after_normalization else result
    return (result + beta).astype(t.dtype)


def reference_gradients(
    t: Array,
    m: Array,
    v: Array,
    gamma: Array,
    backprop: Array,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    gain = gamma if scale_after_normalization else np.ones_like(gamma)
    power = (v.astype(np.float64) + np.float32(variance_epsilon)) ** -0.5
    dx = np.einsum("nhwc,c->nhwc", backprop, gain * power)
    dm = np.einsum("nhwc,c->c", backprop, -gain * power)
    dv = np.einsum("nhwc,nhwc,c->c", backprop, t - m, -0.5 * gain * power**3)
    db = np.einsum("nhwc->c", backprop)
    dg = np.einsum("nhwc,nhwc,c->c", backprop, t - m, power * scale_after_normalization)
    return tuple(r.astype(t.dtype) for r in (dx, dm, dv, db, dg))


_T = np.square(np.linspace(-1, 2, 24, dtype=np.float32)).reshape(2, 2, 2, 3)
_M = np.array([0.1, 0.2, 0.3], np.float32)
_V = np.array([1.0, 2.0, 0.5], np.float32)
_BETA = np.array([0.0, 1.0, -1.0], np.float32)
_GAMMA = np.array([1.0, 2.0, 3.0], np.float32)


def samples_normalized() -> Iterator[Sample]:
    for scaled in (True, False):
        yield Sample(
            _T, _M, _V, _BETA, _GAMMA, variance_epsilon=0.01, scale_after_normalization=scaled
        )


def samples_gradients() -> Iterator[Sample]:
    for scaled in (True, False):
        yield Sample(
            _T,
            _M,
            _V,
            _GAMMA,
            np.cos(_T),
            variance_epsilon=0.01,
            scale_after_normalization=scaled,
            gradient=(),
            rtol=1e-4,
            atol=1e-5,
        )


register_op(
    "BatchNormWithGlobalNormalization",
    inputs="t: T, m: T, v: T, beta: T, gamma: T",
    outputs="result: T",
    attrs=_ATTRS,
    shape=shape_normalized,
    kernel=kernel_normalized,
    gradient=gradient_normalized,
    reference=reference_normalized,
    samples=samples_normalized,
)
register_op(
    "BatchNormWithGlobalNormalizationGrad",
    inputs="t: T, m: T, v: T, gamma: T, backprop: T",
    outputs="dx: T, dm: T, dv: T, db: T, dg: T",
    attrs=_ATTRS,
    shape=shape_gradients,
    kernel=kernel_gradients,
    reference=reference_gradients,
    samples=samples_gradients,
)
