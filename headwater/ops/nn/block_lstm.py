"""All steps of an LSTM as one op: BlockLSTM, BlockLSTMV2 and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Operation, Sample, Tensor, build, register_op, shapes
from headwater.ops.nn.lstm_step import lstm_step, lstm_step_gradient, reference_lstm_step

_INPUTS = "seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
_OUTPUTS = "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T"


def shape_block_lstm(c: shapes.ShapeContext) -> list[Shape]:
    x, b = c.with_rank("x", 3), c.with_rank("b", 1)
    units = None if b[0] is None else b[0] // 4
    return [(x[0], x[1], units)] * 7


def _loop(
    xp: ArrayModule,
    step: Callable[..., Any],
    carry: Sequence[Array],
    sequences: Sequence[Array],
    backwards: bool,
) -> tuple[Sequence[Any], ...]:
    """Applies ``step(carry, slices) -> (carry, results)`` along the first axis of arrays."""
    if xp is not np:
        return lax.scan(step, carry, sequences, reverse=backwards)
    count = len(sequences[0])
    results: list[Any] = [None] * count
    for t in range(count - 1, -1, -1) if backwards else range(count):
        carry, results[t] = step(carry, [s[t] for s in sequences])
    return carry, [np.stack(r) for r in zip(*results, strict=True)]


def _kernel(layout: str) -> Callable[..., Any]:
    def kernel_block_lstm(
        xp: ArrayModule,
        seq_len_max: Array,
        x: Array,
        cs_prev: Array,
        h_prev: Array,
        w: Array,
        wci: Array,
        wcf: Array,
        wco: Array,
        b: Array,
        *,
        cell_clip: float,
        use_peephole: bool,
        forget_bias: float = 0.0,
    ) -> tuple[Array, ...]:
        peepholes = (wci, wcf, wco) if use_peephole else None
        if len(x) == 0:
            return (xp.zeros((0, *cs_prev.shape), x.dtype),) * 7

        def step(carry: Sequence[Array], slices: Sequence[Array]) -> tuple[tuple[Array, ...], ...]:
            cs, h = carry
            running, inputs = slices
            values = lstm_step(xp, inputs, cs, h, w, b, peepholes, forget_bias, cell_clip, layout)
            zero = np.zeros((), x.dtype)
            values = tuple(xp.where(running, v, zero) for v in values)
            return (values[1], values[6]), values

        running = xp.arange(len(x)) < seq_len_max
        return tuple(_loop(xp, step, (cs_prev, h_prev), [running, x], backwards=False)[1])

    return kernel_block_lstm


def _reference(layout: str) -> Callable[..., Any]:
    def reference_block_lstm(
        seq_len_max: Array,
        x: Array,
        cs_prev: Array,
        h_prev: Array,
        w: Array,
        wci: Array,
        wcf: Array,
        wco: Array,
        b: Array,
        *,
        cell_clip: float,
        use_peephole: bool,
        forget_bias: float = 0.0,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        results = np.zeros((7, len(x), *cs_prev.shape), x.dtype)
        peepholes = (wci, wcf, wco) if use_peephole else None
        for t in range(int(seq_len_max)):
            results[:, t] = reference_lstm_step(
                x[t], cs_prev, h_prev, w, b, peepholes, forget_bias, cell_clip, layout
            )
            cs_prev, h_prev = results[1, t], results[6, t]
        return tuple(results)

    return reference_block_lstm


def _gradient(op_type: str) -> Callable[..., Any]:
    def gradient_block_lstm(op: Operation, *grads: Tensor) -> tuple[Tensor | None, ...]:
        make = getattr(build, op_type)
        parts = make(
            *op.inputs, *op.outputs, grads[1], grads[6], use_peephole=op.get_attr("use_peephole")
        )
        return (None, *parts)

    return gradient_block_lstm


def shape_block_lstm_grad(c: shapes.ShapeContext) -> list[Shape]:
    matrices = [c.with_rank(name, 2) for name in ("cs_prev", "h_prev", "w")]
    vectors = [c.with_rank(name, 1) for name in ("wci", "wcf", "wco", "b")]
    return [c.with_rank("x", 3), *matrices, *vectors]


def _kernel_gradient(layout: str) -> Callable[..., Any]:
    def kernel_block_lstm_grad(
        xp: ArrayModule,
        seq_len_max: Array,
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
        h: Array,
        cs_grad: Array,
        h_grad: Array,
        *,
        use_peephole: bool,
    ) -> tuple[Array, ...]:
        peepholes = (wci, wcf, wco) if use_peephole else None
        width = x.shape[2]
        if len(x) == 0:
            return tuple(xp.zeros_like(a) for a in (x, cs_prev, h_prev, w, wci, wcf, wco, b))

        def step(carry: Sequence[Any], slices: Sequence[Array]) -> tuple[tuple[Any, ...], ...]:
            later_cs, later_h, sums = carry
            running, inputs, cells, outputs, grad_cs, grad_h, *values = slices
            gates: Array
            dcs, gates = lstm_step_gradient(
                xp, cells, tuple(values), grad_cs + later_cs, grad_h + later_h, peepholes
            )
            named = dict(zip("icfo", gates, strict=True))
            joined = xp.concatenate([named[name] for name in layout], axis=1)
            dxh = joined @ w.T
            xh = xp.concatenate([inputs, outputs], axis=1)
            now = (
                xh.T @ joined,
                xp.sum(gates[0] * cells, axis=0),
                xp.sum(gates[2] * cells, axis=0),
                xp.sum(gates[3] * values[1], axis=0),
                xp.sum(joined, axis=0),
            )
            zero = np.zeros((), x.dtype)
            sums = tuple(s + xp.where(running, n, zero) for s, n in zip(sums, now, strict=True))
            dx = xp.where(running, dxh[:, :width], zero)
            before = (xp.where(running, dcs, later_cs), xp.where(running, dxh[:, width:], later_h))
            return (*before, sums), (dx,)

        running = xp.arange(len(x)) < seq_len_max
        cells = xp.concatenate([cs_prev[None], cs[:-1]])
        outputs = xp.concatenate([h_prev[None], h[:-1]])
        sums = tuple(xp.zeros_like(a) for a in (w, wci, wcf, wco, b))
        start = (xp.zeros_like(cs_prev), xp.zeros_like(h_prev), sums)
        sequences = [running, x, cells, outputs, cs_grad, h_grad, i, cs, f, o, ci, co]
        (dcs, dh, sums), (dx,) = _loop(xp, step, start, sequences, backwards=True)
        dw, dwci, dwcf, dwco, db = sums
        if not use_peephole:
            dwci, dwcf, dwco = xp.zeros_like(wci), xp.zeros_like(wcf), xp.zeros_like(wco)
        return dx, dcs, dh, dw, dwci, dwcf, dwco, db

    return kernel_block_lstm_grad


def _arrays(seed: int) -> list[np.ndarray]:
    random = np.random.RandomState(seed)
    sizes = [(3, 2, 3), (2, 4), (2, 4), (7, 16), (4,), (4,), (4,), (16,)]
    return [random.uniform(-1, 1, size).astype(np.float32) for size in sizes]


def samples_block_lstm() -> Iterator[Sample]:
    yield Sample(np.int64(3), *_arrays(1), cell_clip=-1.0, rtol=1e-2, atol=1e-2)
    yield Sample(np.int64(2), *_arrays(2), use_peephole=True, rtol=1e-2, atol=1e-2)
    yield Sample(np.int64(3), *_arrays(2), cell_clip=0.2, gradient=())
    yield Sample(np.int64(0), *_arrays(3), gradient=())


def _register_block_lstm(
    name: str, gradient_name: str, suffix: str, layout: str, attrs: str
) -> None:
    register_op(
        name,
        inputs=_INPUTS,
        outputs=_OUTPUTS,
        attrs=f"{attrs}, use_peephole: bool = false, T: {{half, float}}",
        shape=shape_block_lstm,
        kernel=_kernel(layout),
        gradient=_gradient(f"BlockLSTMGrad{suffix}"),
        reference=_reference(layout),
        samples=samples_block_lstm,
    )
    register_op(
        gradient_name,
        inputs=f"{_INPUTS}, {_OUTPUTS}, cs_grad: T, h_grad: T",
        outputs="x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, "
        "wcf_grad: T, wco_grad: T, b_grad: T",
        attrs="use_peephole: bool, T: {half, float}",
        shape=shape_block_lstm_grad,
        kernel=_kernel_gradient(layout),
    )


_register_block_lstm(
    "BlockLSTM", "BlockLSTMGrad", "", "icfo", "forget_bias: float = 1.0, cell_clip: float = 3.0"
)
_register_block_lstm("BlockLSTMV2", "BlockLSTMGradV2", "V2", "ifco", "cell_clip: float = 0.0")
