"""One step of an LSTM as one op: LSTMBlockCell and its gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Operation, Sample, Tensor, build, register_op, shapes
from headwater.ops.nn.lstm_step import lstm_step, lstm_step_gradient, reference_lstm_step

_ATTRS = "use_peephole: bool = false, T: {half, float}"


def shape_lstm_block_cell(c: shapes.ShapeContext) -> list[Shape]:
    x, cells = c.with_rank("x", 2), c.with_rank("cs_prev", 2)
    return [(x[0], cells[1])] * 7


def kernel_lstm_block_cell(
    xp: ArrayModule,
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    *,
    forget_bias: float,
    cell_clip: float,
    use_peephole: bool,
) -> tuple[Array, ...]:
    peepholes = (wci, wcf, wco) if use_peephole else None
    return lstm_step(xp, x, cs_prev, h_prev, w, b, peepholes, forget_bias, cell_clip, "icfo")


def reference_lstm_block_cell(
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    *,
    forget_bias: float,
    cell_clip: float,
    use_peephole: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    peepholes = (wci, wcf, wco) if use_peephole else None
    return reference_lstm_step(x, cs_prev, h_prev, w, b, peepholes, forget_bias, cell_clip)


def gradient_lstm_block_cell(op: Operation, *grads: Tensor) -> tuple[Tensor, ...]:
    x, cs_prev, h_prev, w, wci, wcf, wco, b = op.inputs
    i, cs, f, o, ci, co, _ = op.outputs
    rows = x.get_shape().with_rank(2)[0].value
    rows = -1 if rows is None else rows
    width = x.get_shape().with_rank(2)[1].value
    if width is None:
        raise ValueError("input_size from `x` must not be None.")
    units = cs_prev.get_shape().with_rank(2)[1].value
    if units is None:
        raise ValueError("cell_size from `cs_prev` must not be None.")
    parts = build.LSTMBlockCellGrad(
        x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, grads[1], grads[6],
        use_peephole=op.get_attr("use_peephole"),
    )  # fmt: skip
    cs_prev_grad, dicfo, wci_grad, wcf_grad, wco_grad = parts
    xh_grad = build.MatMul(dicfo, w, transpose_b=True)
    x_grad = build.Slice(xh_grad, (0, 0), (rows, width))
    h_prev_grad = build.Slice(xh_grad, (0, width), (rows, units))
    xh = build.ConcatV2([x, h_prev], 1, name="concat")
    w_grad = build.MatMul(xh, dicfo, transpose_a=True)
    b_grad = build.BiasAddGrad(dicfo)
    return x_grad, cs_prev_grad, h_prev_grad, w_grad, wci_grad, wcf_grad, wco_grad, b_grad


def shape_lstm_block_cell_grad(c: shapes.ShapeContext) -> list[Shape]:
    x, cells = c.with_rank("x", 2), c.with_rank("cs_prev", 2)
    rows = x[0]
    four = None if cells[1] is None else 4 * cells[1]
    return [(rows, cells[1]), (rows, four), *([c.with_rank(p, 1) for p in ("wci", "wcf", "wco")])]


def kernel_lstm_block_cell_grad(
    xp: ArrayModule,
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    i: Array,
    cs: Array,
    f: Array,
    o: Array,
    ci: Array,
    co: Array,
    cs_grad: Array,
    h_grad: Array,
    *,
    use_peephole: bool,
) -> tuple[Array, ...]:
    peepholes = (wci, wcf, wco) if use_peephole else None
    values = (i, cs, f, o, ci, co)
    dcs_prev, gates = lstm_step_gradient(xp, cs_prev, values, cs_grad, h_grad, peepholes)
    di, dci, df, do = gates
    dicfo = xp.concatenate([di, dci, df, do], axis=1)
    if not use_peephole:
        return dcs_prev, dicfo, xp.zeros_like(wci), xp.zeros_like(wcf), xp.zeros_like(wco)
    sums = (xp.sum(d * c, axis=0) for d, c in ((di, cs_prev), (df, cs_prev), (do, cs)))
    return (dcs_prev, dicfo, *sums)


def reference_lstm_block_cell_grad(
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    i: Array,
    cs: Array,
    f: Array,
    o: Array,
    ci: Array,
    co: Array,
    cs_grad: Array,
    h_grad: Array,
    *,
    use_peephole: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    dicfo = np.zeros((len(x), 4, cs.shape[1]), x.dtype)
    dcs_prev = np.zeros_like(cs)
    sums = np.zeros((3, cs.shape[1]), x.dtype)
    p = (wci, wcf, wco) if use_peephole else (np.zeros_like(wci),) * 3
    for r, k in np.ndindex(*cs.shape):
        do = h_grad[r, k] * co[r, k] * o[r, k] * (1 - o[r, k])
        dcs = cs_grad[r, k] + h_grad[r, k] * o[r, k] * (1 - co[r, k] ** 2) + do * p[2][k]
        di = dcs * ci[r, k] * i[r, k] * (1 - i[r, k])
        df = dcs * cs_prev[r, k] * f[r, k] * (1 - f[r, k])
        dicfo[r, :, k] = di, dcs * i[r, k] * (1 - ci[r, k] ** 2), df, do
        dcs_prev[r, k] = dcs * f[r, k] + di * p[0][k] + df * p[1][k]
        if use_peephole:
            sums[:, k] += di * cs_prev[r, k], df * cs_prev[r, k], do * cs[r, k]
    return dcs_prev, dicfo.reshape(len(x), -1), *sums


def _arrays(seed: int = 1) -> list[np.ndarray]:
    random = np.random.RandomState(seed)
    sizes = [(2, 3), (2, 4), (2, 4), (7, 16), (4,), (4,), (4,), (16,)]
    return [random.uniform(-1, 1, size).astype(np.float32) for size in sizes]


def samples_lstm_block_cell() -> Iterator[Sample]:
    yield Sample(*_arrays(), gradient=(0, 1, 2, 3, 7), rtol=1e-2, atol=1e-2)
    yield Sample(*_arrays(2), use_peephole=True, forget_bias=0.5, rtol=1e-2, atol=1e-2)
    yield Sample(*_arrays(3), use_peephole=True, cell_clip=0.2, gradient=())
    yield Sample(*_arrays(3), cell_clip=-1.0, gradient=())


def samples_lstm_block_cell_grad() -> Iterator[Sample]:
    random = np.random.RandomState(3)
    more = [random.uniform(0.1, 0.9, (2, 4)).astype(np.float32) for _ in range(8)]
    yield Sample(*_arrays(), *more, use_peephole=True)
    yield Sample(*_arrays(), *more, use_peephole=False)


register_op(
    "LSTMBlockCell",
    inputs="x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T",
    outputs="i: T, cs: T, f: T, o: T, ci: T, co: T, h: T",
    attrs=f"forget_bias: float = 1.0, cell_clip: float = 3.0, {_ATTRS}",
    shape=shape_lstm_block_cell,
    kernel=kernel_lstm_block_cell,
    gradient=gradient_lstm_block_cell,
    reference=reference_lstm_block_cell,
    samples=samples_lstm_block_cell,
)
register_op(
    "LSTMBlockCellGrad",
    inputs="x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f: T, "
    "o: T, ci: T, co: T, cs_grad: T, h_grad: T",
    outputs="cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T",
    attrs="use_peephole: bool, T: {half, float}",
    shape=shape_lstm_block_cell_grad,
    kernel=kernel_lstm_block_cell_grad,
    reference=reference_lstm_block_cell_grad,
    samples=samples_lstm_block_cell_grad,
)
