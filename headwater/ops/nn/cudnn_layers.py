"""The recurrent networks of cuDNN as formulas: layout of the parameters, layers, directions.

cuDNN Developer Guide, cudnnRNNMode_t. The parameters are one vector: the matrices of all layers,
one after the other, then all biases. A layer has for each gate a matrix for its inputs, then for
each gate one for its state, then that of its projection; two biases for each gate. Of two
directions forward comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from headwater.base.checks import fail
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


class Network(NamedTuple):
    """The configuration of a network, from the attrs and sizes of an op.

    Attributes:
        mode: ``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``.
        layers: the number of layers.
        units: the number of units of each direction.
        depth: the size of the inputs.
        directions: 1 or 2.
        skips: whether the first layer takes its inputs as they are, without a matrix.
        projection: the size to which states are projected; 0 for none.
    """

    mode: str
    layers: int
    units: int
    depth: int
    directions: int
    skips: bool
    projection: int = 0

    @property
    def width(self) -> int:
        """The size of the states of each direction."""
        return self.projection or self.units

    def weight_shapes(self) -> list[tuple[int, int]]:
        """The shapes of the matrices in their order."""
        gates, result = GATES[self.mode], []
        for layer in range(self.layers):
            depth = self.depth if layer == 0 else self.width * self.directions
            for _ in range(self.directions):
                skipped = self.skips and layer == 0
                result += [(0, 0) if skipped else (self.units, depth)] * gates
                result += [(self.units, self.width)] * gates
                result += [(self.projection, self.units)] * bool(self.projection)
        return result

    def bias_count(self) -> int:
        """The number of biases."""
        return self.layers * self.directions * 2 * GATES[self.mode]

    def size(self) -> int:
        """The number of parameters."""
        matrices = sum(rows * columns for rows, columns in self.weight_shapes())
        return matrices + self.bias_count() * self.units

    def split(self, params: Array) -> tuple[list[Any], list[Any]]:
        """The matrices and biases in a vector of parameters."""
        if params.shape != (self.size(),):
            fail(
                f"cudnn RNN parameters have the shape {list(params.shape)}, but {self.size()} "
                "are needed"
            )
        weights, position = [], 0
        for rows, columns in self.weight_shapes():
            weights.append(params[position : position + rows * columns].reshape(rows, columns))
            position += rows * columns
        biases = [
            params[position + i * self.units : position + (i + 1) * self.units]
            for i in range(self.bias_count())
        ]
        return weights, biases

    def of_layer(self, parts: list[Any], layer: int, direction: int) -> list[Any]:
        """The matrices or biases of one direction of a layer."""
        count = len(parts) // (self.layers * self.directions)
        start = (layer * self.directions + direction) * count
        return parts[start : start + count]


def network(
    mode: str,
    layers: int,
    units: int,
    depth: int,
    direction: str,
    input_mode: str,
    projection: int = 0,
) -> Network:
    """The network of attrs and sizes; "auto_select" skips the first matrices where it can."""
    fits = units == depth
    if input_mode == "skip_input" and not fits:
        fail(f"skip_input needs inputs of the size of the units, {units}, but has {depth}")
    if projection and mode != "lstm":
        fail(f"only lstm has projections, not {mode}")
    skips = input_mode == "skip_input" or (input_mode == "auto_select" and fits)
    directions = 2 if direction == "bidirectional" else 1
    return Network(mode, layers, units, depth, directions, skips, projection)


def _sigmoid(xp: ArrayModule, x: Array) -> Array:
    return xp.asarray(0.5, x.dtype) * (xp.tanh(x * xp.asarray(0.5, x.dtype)) + x.dtype.type(1))


def _step(
    xp: ArrayModule, mode: str, gates: list[Any], state: list[Any], h: Array, c: Array
) -> tuple[Array, ...]:
    """The next state; `gates` is what inputs give each gate, `state` matrices and biases."""
    count = len(gates)
    from_state = [h @ state[i].T + state[count + i] for i in range(count)]
    if mode == "gru":
        reset, update = (_sigmoid(xp, gates[i] + from_state[i]) for i in range(2))
        new = xp.tanh(gates[2] + reset * from_state[2])
        return (h - new) * update + new, c
    sums = [a + b for a, b in zip(gates, from_state)]
    if mode == "lstm":
        enter, forget = _sigmoid(xp, sums[0]), _sigmoid(xp, sums[1])
        c = forget * c + enter * xp.tanh(sums[2])
        return _sigmoid(xp, sums[3]) * xp.tanh(c), c
    return (xp.tanh(sums[0]) if mode == "rnn_tanh" else xp.maximum(sums[0], 0)), c


def _reversed(xp: ArrayModule, x: Array, lengths: Array) -> Array:
    """The first steps of each row in reversed order, [steps, batch, ...]."""
    steps = np.arange(x.shape[0])[:, None]
    if lengths is None:
        return x[::-1]
    places = xp.where(steps < lengths, lengths - 1 - steps, steps)
    return xp.take_along_axis(x, places[:, :, None], axis=0)


def _run(
    xp: ArrayModule, step: Callable[..., Any], start: Sequence[Array], inputs: list[Any]
) -> tuple[Any, Any]:
    """Runs a step over the first axis; returns the last state and all outputs."""
    if xp is not np:
        return lax.scan(step, start, inputs)
    outputs, state = [], start
    for values in zip(*inputs):
        state, output = step(state, values)
        outputs.append(output)
    return state, np.stack(outputs)


def layer(
    xp: ArrayModule,
    net: Network,
    parts: tuple[list[Any], list[Any]],
    x: Array,
    start: Sequence[Array],
    lengths: Array | None,
) -> tuple[Any, Any, Any]:
    """One direction of a layer.

    Args:
        xp: the array module.
        net: the network.
        parts: the matrices and the biases of this direction.
        x: the inputs, [steps, batch, depth].
        start: the state and the cells at the start, [batch, size of the state] and [batch, units].
        lengths: how many steps count, [batch]; None for all.

    Returns:
        The outputs, [steps, batch, size of the state], and the last state and cells.
    """
    weights, biases = parts
    count = GATES[net.mode]
    gates = [(x if w.size == 0 else x @ w.T) + b for w, b in zip(weights[:count], biases)]
    state = [*weights[count : 2 * count], *biases[count:]]
    alive = np.ones(x.shape[:2], bool)
    if lengths is not None:
        alive = np.arange(x.shape[0])[:, None] < lengths

    def step(carry: Sequence[Array], values: Sequence[Array]) -> tuple[Any, ...]:
        h, c = carry
        *from_inputs, counts = values
        new_h, new_c = _step(xp, net.mode, from_inputs, state, h, c)
        if net.projection:
            new_h = new_h @ weights[2 * count].T
        if lengths is None:
            return (new_h, new_c), new_h
        counts = counts[:, None]
        output = xp.where(counts, new_h, xp.zeros_like(new_h))
        return (xp.where(counts, new_h, h), xp.where(counts, new_c, c)), output

    (h, c), outputs = _run(xp, step, start, [*gates, alive])
    return outputs, h, c


def forward(
    xp: ArrayModule,
    net: Network,
    x: Array,
    h: Array,
    c: Array,
    params: Array,
    masks: list[Any],
    lengths: Array | None,
) -> tuple[Any, Any, Any]:
    """The whole network.

    Args:
        xp: the array module.
        net: the network.
        x: the inputs, [steps, batch, depth].
        h: the states at the start, [layers * directions, batch, size of the state].
        c: the cells at the start; used by ``lstm`` only.
        params: the vector of parameters.
        masks: factors for the inputs of each layer but the first; empty if nothing is dropped.
        lengths: how many steps count, [batch]; None for all.

    Returns:
        The outputs, the states of both directions side by side, the last states and cells.
    """
    weights, biases = net.split(params)
    last_h, last_c = [], []
    for i in range(net.layers):
        if masks and i:
            x = x * masks[i - 1]
        outputs = []
        for d in range(net.directions):
            parts = net.of_layer(weights, i, d), net.of_layer(biases, i, d)
            index = i * net.directions + d
            start = h[index], c[index] if net.mode == "lstm" else xp.zeros_like(h[index])
            source = _reversed(xp, x, lengths) if d else x
            found, end_h, end_c = layer(xp, net, parts, source, start, lengths)
            outputs.append(_reversed(xp, found, lengths) if d else found)
            last_h.append(end_h)
            last_c.append(end_c)
        x = xp.concatenate(outputs, -1)
    cells = xp.stack(last_c) if net.mode == "lstm" else xp.zeros((), x.dtype)
    return x, xp.stack(last_h), cells
