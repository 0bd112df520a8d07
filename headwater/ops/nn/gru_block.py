"""One step of a GRU as one op: GRUBlockCell and its gradient."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, register_op, shapes

_INPUTS = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T"


def _sigmoid(xp: ArrayModule, x: Array) -> Array:
    half = np.asarray(0.5, x.dtype)
    return half * (xp.tanh(half * x) + np.asarray(1, x.dtype))


def shape_gru_block_cell(c: shapes.ShapeContext) -> list[Shape]:
    x, h = c.with_rank("x", 2), c.with_rank("h_prev", 2)
    return [(x[0], h[1])] * 4


def kernel_gru_block_cell(
    xp: ArrayModule, x: Array, h_prev: Array, w_ru: Array, w_c: Array, b_ru: Array, b_c: Array
) -> tuple[Array, ...]:
    gates = _sigmoid(xp, xp.concatenate([x, h_prev], axis=1) @ w_ru + b_ru)
    r, u = xp.split(gates, 2, axis=1)
    c = xp.tanh(xp.concatenate([x, h_prev * r], axis=1) @ w_c + b_c)
    return r, u, c, u * h_prev + (np.asarray(1, x.dtype) - u) * c


def reference_gru_block_cell(
    x: Array, h_prev: Array, w_ru: Array, w_c: Array, b_ru: Array, b_c: Array
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rows, units = h_prev.shape
    results = np.zeros((4, rows, units), x.dtype)
    for row in range(rows):
        joined = [*x[row], *h_prev[row]]
        gates = [
            1 / (1 + math.exp(-float(b_ru[g]) - sum(v * w for v, w in zip(joined, w_ru[:, g]))))
            for g in range(2 * units)
        ]
        kept = [*x[row], *(float(h) * gates[k] for k, h in enumerate(h_prev[row]))]
        for k in range(units):
            c = math.tanh(float(b_c[k]) + sum(v * w for v, w in zip(kept, w_c[:, k])))
            u = gates[units + k]
            results[:, row, k] = gates[k], u, c, u * h_prev[row, k] + (1 - u) * c
    return tuple(results)


def gradient_gru_block_cell(op: Operation, *grads: Tensor) -> tuple[Tensor, ...]:
    x, h_prev = op.inputs[:2]
    r: TensorLike = op.outputs[0]
    parts = build.GRUBlockCellGrad(*op.inputs, *op.outputs[:3], grads[3])
    d_x, d_h_prev, d_c_bar, d_r_bar_u_bar = parts
    joined = build.ConcatV2([x, h_prev], 1, name="concat")
    d_w_ru = build.MatMul(joined, d_r_bar_u_bar, transpose_a=True)
    d_b_ru = build.BiasAddGrad(d_r_bar_u_bar)
    kept = build.ConcatV2([x, h_prev * r], 1, name="concat")
    d_w_c = build.MatMul(kept, d_c_bar, transpose_a=True)
    return d_x, d_h_prev, d_w_ru, d_w_c, d_b_ru, build.BiasAddGrad(d_c_bar)


def shape_gru_block_cell_grad(c: shapes.ShapeContext) -> list[Shape]:
    x, h = c.with_rank("x", 2), c.with_rank("h_prev", 2)
    two = None if h[1] is None else 2 * h[1]
    return [x, (x[0], h[1]), (x[0], h[1]), (x[0], two)]


def kernel_gru_block_cell_grad(
    xp: ArrayModule,
    x: Array,
    h_prev: Array,
    w_ru: Array,
    w_c: Array,
    b_ru: Array,
    b_c: Array,
    r: Array,
    u: Array,
    c: Array,
    d_h: Array,
) -> tuple[Array, ...]:
    one, width = np.asarray(1, x.dtype), x.shape[1]
    d_c_bar = d_h * (one - u) * (one - c * c)
    d_kept = d_c_bar @ w_c.T
    d_hr = d_kept[:, width:]
    d_r_bar = d_hr * h_prev * r * (one - r)
    d_u_bar = d_h * (h_prev - c) * u * (one - u)
    d_gates = xp.concatenate([d_r_bar, d_u_bar], axis=1)
    d_joined = d_gates @ w_ru.T
    d_x = d_joined[:, :width] + d_kept[:, :width]
    return d_x, d_joined[:, width:] + d_hr * r + d_h * u, d_c_bar, d_gates


def _arrays() -> list[np.ndarray]:
    random = np.random.RandomState(4)
    sizes = [(2, 3), (2, 4), (7, 8), (7, 4), (8,), (4,)]
    return [random.uniform(-1, 1, size).astype(np.float32) for size in sizes]


def samples_gru_block_cell() -> Iterator[Sample]:
    yield Sample(*_arrays(), rtol=1e-2, atol=1e-2)


register_op(
    "GRUBlockCell",
    inputs=_INPUTS,
    outputs="r: T, u: T, c: T, h: T",
    attrs="T: {float}",
    shape=shape_gru_block_cell,
    kernel=kernel_gru_block_cell,
    gradient=gradient_gru_block_cell,
    reference=reference_gru_block_cell,
    samples=samples_gru_block_cell,
)
register_op(
    "GRUBlockCellGrad",
    inputs=f"{_INPUTS}, r: T, u: T, c: T, d_h: T",
    outputs="d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
    attrs="T: {float}",
    shape=shape_gru_block_cell_grad,
    kernel=kernel_gru_block_cell_grad,
)
