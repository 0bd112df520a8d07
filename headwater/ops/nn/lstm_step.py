"""The formulas of one LSTM step and of its gradient, for the ops that compute one or many steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule


def _sigmoid(xp: ArrayModule, x: Array) -> Array:
    half = np.asarray(0.5, x.dtype)
    return half * (xp.tanh(half * x) + np.asarray(1, x.dtype))


def lstm_step(
    xp: ArrayModule,
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    b: Array,
    peepholes: tuple[Any, Any, Any] | None,
    forget_bias: float,
    cell_clip: float,
    layout: str,
) -> tuple[Any, ...]:
    """One step of an LSTM.

    Args:
        xp: the array module.
        x: the inputs, one row per sequence.
        cs_prev: the cells before the step.
        h_prev: the outputs before the step.
        w: the weights of [x, h_prev], four columns of gates side by side.
        b: the biases.
        peepholes: the weights of the cells in input, forget and output gate, or None.
        forget_bias: what is added to the forget gate.
        cell_clip: the largest absolute value of a cell, if positive.
        layout: the order of the gates, a permutation of "icfo".

    Returns:
        Input gate, cells, forget gate, output gate, candidate, tanh of the cells, outputs.
    """
    gates = xp.concatenate([x, h_prev], axis=1) @ w + b
    parts = dict(zip(layout, xp.split(gates, 4, axis=1), strict=True))
    i, f, o = parts["i"], parts["f"] + np.asarray(forget_bias, x.dtype), parts["o"]
    if peepholes is not None:
        i, f = i + cs_prev * peepholes[0], f + cs_prev * peepholes[1]
    i, f, ci = _sigmoid(xp, i), _sigmoid(xp, f), xp.tanh(parts["c"])
    cs = ci * i + f * cs_prev
    if cell_clip > 0:
        limit = np.asarray(cell_clip, x.dtype)
        cs = xp.clip(cs, -limit, limit)
    if peepholes is not None:
        o = o + cs * peepholes[2]
    o, co = _sigmoid(xp, o), xp.tanh(cs)
    return i, cs, f, o, ci, co, o * co


def lstm_step_gradient(
    xp: ArrayModule,
    cs_prev: Array,
    values: tuple[Any, ...],
    cs_grad: Array,
    h_grad: Array,
    peepholes: tuple[Any, Any, Any] | None,
) -> tuple[Any, tuple[Any, Any, Any, Any]]:
    """The gradient of one step.

    Args:
        xp: the array module.
        cs_prev: the cells before the step.
        values: input gate, cells, forget gate, output gate, candidate, tanh of the cells.
        cs_grad: the gradient of the cells.
        h_grad: the gradient of the outputs.
        peepholes: as for `lstm_step`.

    Returns:
        The gradient of the cells before the step, and those of input gate, candidate, forget
        gate and output gate before their activations.
    """
    i, _, f, o, ci, co = values
    one = np.asarray(1, i.dtype)
    do = o * (one - o) * h_grad * co
    dcs = (one - co * co) * h_grad * o + cs_grad
    if peepholes is not None:
        dcs = dcs + do * peepholes[2]
    dci = (one - ci * ci) * dcs * i
    df = f * (one - f) * dcs * cs_prev
    di = i * (one - i) * dcs * ci
    dcs_prev = dcs * f
    if peepholes is not None:
        dcs_prev = dcs_prev + di * peepholes[0] + df * peepholes[1]
    return dcs_prev, (di, dci, df, do)


def reference_lstm_step(
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    b: Array,
    peepholes: Sequence[np.ndarray] | None,
    forget_bias: float,
    cell_clip: float,
    layout: str = "icfo",
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One step computed number by number."""
    units = cs_prev.shape[1]
    results = np.zeros((7, *cs_prev.shape), x.dtype)
    for r, k in np.ndindex(*cs_prev.shape):
        row = [*x[r], *h_prev[r]]
        gate = {
            name: float(b[g * units + k])
            + sum(float(v) * float(w[n, g * units + k]) for n, v in enumerate(row))
            for g, name in enumerate(layout)
        }
        p = [float(a[k]) for a in peepholes] if peepholes is not None else [0.0] * 3
        before = float(cs_prev[r, k])
        i = 1 / (1 + math.exp(-gate["i"] - p[0] * before))
        f = 1 / (1 + math.exp(-gate["f"] - forget_bias - p[1] * before))
        ci = math.tanh(gate["c"])
        cs = i * ci + f * before
        if cell_clip > 0:
            cs = min(max(cs, -cell_clip), cell_clip)
        o = 1 / (1 + math.exp(-gate["o"] - p[2] * cs))
        results[:, r, k] = i, cs, f, o, ci, math.tanh(cs), o * math.tanh(cs)
    return tuple(results)
