"""CudnnRNN and its gradients, and the layout of its parameters, on every device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.lazy import jax, jnp
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Operation, RunsOn, ShapeContext, Tensor, build, register_op
from headwater.ops.nn.cudnn_layers import Network, forward, network
from headwater.ops.random import arguments, distributions


def _network(x: Array, h: Array, c: Array, attrs: dict[str, Any]) -> Network:
    if x.ndim != 3:
        fail("RNN input must be a 3-D vector.")
    directions = 2 if attrs["direction"] == "bidirectional" else 1
    if h.ndim != 3 or h.shape[1] != x.shape[1] or h.shape[0] % directions:
        fail(f"Invalid input_h shape: {list(h.shape)} for inputs of shape {list(x.shape)}")
    projection = attrs.get("num_proj", 0)
    if projection and (h.shape[2] != projection or c.ndim != 3):
        fail(f"Invalid input_h shape: {list(h.shape)} for projections of size {projection}")
    return network(
        attrs["rnn_mode"],
        h.shape[0] // directions,
        c.shape[2] if projection else h.shape[2],
        x.shape[2],
        attrs["direction"],
        attrs["input_mode"],
        projection,
    )


def _mask_shape(net: Network, x: Array) -> tuple[int, ...]:
    return (net.layers - 1, *x.shape[:2], net.width * net.directions)


def _time_major(xp: ArrayModule, x: Array, attrs: dict[str, Any]) -> Array:
    return x if attrs.get("time_major", True) else xp.swapaxes(x, 0, 1)


def _states(xp: ArrayModule, h: Array, attrs: dict[str, Any]) -> Array:
    """States with the layers first: of V3 without time_major the batch stands first."""
    return _time_major(xp, h, attrs) if h.ndim == 3 else h


def _forward(
    xp: ArrayModule, inputs: list[Any], attrs: dict[str, Any], is_training: bool, state: Array
) -> tuple[Any, ...]:
    x, h, c, params, *rest = inputs
    x, h, c = _time_major(xp, x, attrs), _states(xp, h, attrs), _states(xp, c, attrs)
    net = _network(x, h, c, attrs)
    reserved, masks = xp.zeros(0, x.dtype), []
    if is_training and attrs["dropout"] > 0 and net.layers > 1:
        shape = _mask_shape(net, x)
        count = int(np.prod(shape))
        numbers = distributions.uniform(xp, state, count, np.dtype(np.float32))
        keep = np.float32(1 - attrs["dropout"])
        reserved = xp.where(numbers < keep, 1 / keep, np.float32(0)).astype(x.dtype)
        state = arguments.advance(xp, state, count)
        masks = list(reserved.reshape(shape))
    lengths = rest[0] if rest else None
    output, last_h, last_c = forward(xp, net, x, h, c, params, masks, lengths)
    results = _time_major(xp, output, attrs), _states(xp, last_h, attrs)
    return (*results, _states(xp, last_c, attrs), reserved), state


def kernel_rnn(
    xp: ArrayModule, x: Array, h: Array, c: Array, params: Array, *, rnn_mode: str, input_mode: str,
    direction: str, dropout: float, is_training: bool, state: Array,
) -> tuple[Any, ...]:  # fmt: skip
    attrs = _attrs(rnn_mode, input_mode, direction, dropout)
    return _forward(xp, [x, h, c, params], attrs, is_training, state)


def kernel_rnn_v2(
    xp: ArrayModule, x: Array, h: Array, c: Array, params: Array, *, rnn_mode: str, input_mode: str,
    direction: str, dropout: float, is_training: bool, state: Any,
) -> tuple[Array, Array]:  # fmt: skip
    attrs = _attrs(rnn_mode, input_mode, direction, dropout)
    results, state = _forward(xp, [x, h, c, params], attrs, is_training, state)
    return (*results, xp.zeros(0, np.int8)), state


def kernel_rnn_v3(
    xp: ArrayModule, x: Array, h: Array, c: Array, params: Array, lengths: Array, *, rnn_mode: str,
    input_mode: str, direction: str, dropout: float, is_training: bool, num_proj: int,
    time_major: bool, state: Array,
) -> tuple[Any, ...]:  # fmt: skip
    attrs = _attrs(rnn_mode, input_mode, direction, dropout, num_proj, time_major)
    results, state = _forward(xp, [x, h, c, params, lengths], attrs, is_training, state)
    return (*results, xp.zeros(0, np.int8)), state


def _attrs(
    rnn_mode: str, input_mode: str, direction: str, dropout: float,
    num_proj: int = 0, time_major: bool = True,
) -> dict[str, Any]:  # fmt: skip
    return {
        "rnn_mode": rnn_mode,
        "input_mode": input_mode,
        "direction": direction,
        "dropout": dropout,
        "num_proj": num_proj,
        "time_major": time_major,
    }


def _backward(inputs: list[Any], lengths: Array | None, attrs: dict[str, Any]) -> tuple[Array, ...]:
    x, h, c, params, grad, grad_h, grad_c, reserved = inputs
    steps = _time_major(jnp, x, attrs)
    net = _network(steps, _states(jnp, h, attrs), _states(jnp, c, attrs), attrs)
    masks = list(reserved.reshape(_mask_shape(net, steps))) if reserved.size else []

    def outputs(x: Array, h: Array, c: Array, params: Array) -> tuple[Array, ...]:
        x, h, c = _time_major(jnp, x, attrs), _states(jnp, h, attrs), _states(jnp, c, attrs)
        output, last_h, last_c = forward(jnp, net, x, h, c, params, masks, lengths)
        found = _time_major(jnp, output, attrs), _states(jnp, last_h, attrs)
        return (*found, _states(jnp, last_c, attrs)) if net.mode == "lstm" else found

    _, pull = jax.vjp(outputs, x, h, c, params)
    return pull((grad, grad_h, grad_c) if net.mode == "lstm" else (grad, grad_h))


def kernel_backprop(
    xp: ArrayModule,
    x: Array,
    h: Array,
    c: Array,
    params: Array,
    output: Array,
    output_h: Array,
    output_c: Array,
    grad: Array,
    grad_h: Array,
    grad_c: Array,
    reserved: Array,
    host_reserved: Array = None,
    *,
    rnn_mode: str,
    input_mode: str,
    direction: str,
    dropout: float,
) -> tuple[Array, ...]:
    attrs = _attrs(rnn_mode, input_mode, direction, dropout)
    return _backward([x, h, c, params, grad, grad_h, grad_c, reserved], None, attrs)


def kernel_backprop_v3(
    xp: ArrayModule,
    x: Array,
    h: Array,
    c: Array,
    params: Array,
    lengths: Array,
    output: Array,
    output_h: Array,
    output_c: Array,
    grad: Array,
    grad_h: Array,
    grad_c: Array,
    reserved: Array,
    host_reserved: Array,
    *,
    rnn_mode: str,
    input_mode: str,
    direction: str,
    dropout: float,
    num_proj: int,
    time_major: bool,
) -> tuple[Array, ...]:
    attrs = _attrs(rnn_mode, input_mode, direction, dropout, num_proj, time_major)
    return _backward([x, h, c, params, grad, grad_h, grad_c, reserved], lengths, attrs)


def _gradient(op: Operation, grads: tuple[Any, ...]) -> tuple[Tensor | None, ...]:
    kind = op.type
    if not op.get_attr("is_training"):
        raise ValueError(f"To use {kind} in gradients, is_training must be set to True.")
    names = ["dropout", "seed", "seed2", "rnn_mode", "input_mode", "direction"]
    if kind == "CudnnRNNV3":
        names += ["num_proj", "time_major"]
    attrs = {name: op.get_attr(name) for name in names}
    make = getattr(build, kind.replace("CudnnRNN", "CudnnRNNBackprop"))
    outputs = list(op.outputs)
    found = make(*op.inputs, *outputs[:3], *grads[:3], *outputs[3:], **attrs)
    return (*found, *(None for _ in op.inputs[4:]))


def gradient_rnn(op: Operation, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
    return _gradient(op, grads)


# The layout of the parameters


def _size_of(
    sizes: tuple[Any, Any, Any], attrs: tuple[str, str, str], num_proj: int = 0
) -> Network:
    layers, units, depth = (int(v) for v in sizes)
    mode, input_mode, direction = attrs
    return network(mode, layers, units, depth, direction, input_mode, num_proj)


def kernel_params_size(
    xp: ArrayModule,
    num_layers: Array,
    num_units: Array,
    input_size: Array,
    *,
    S: DType,
    rnn_mode: str,
    input_mode: str,
    direction: str,
    num_proj: int,
) -> Array:
    sizes = (num_layers, num_units, input_size)
    net = _size_of(sizes, (rnn_mode, input_mode, direction), num_proj)
    return np.array([net.size()], S.numpy_dtype)


def kernel_to_canonical(
    xp: ArrayModule,
    num_layers: Array,
    num_units: Array,
    input_size: Array,
    params: Array,
    *,
    rnn_mode: str,
    input_mode: str,
    direction: str,
) -> tuple[Array, ...]:
    net = _size_of((num_layers, num_units, input_size), (rnn_mode, input_mode, direction))
    weights, biases = net.split(params)
    return (*weights, *biases)


def kernel_to_canonical_v2(
    xp: ArrayModule,
    num_layers: Array,
    num_units: Array,
    input_size: Array,
    params: Array,
    *,
    rnn_mode: str,
    input_mode: str,
    direction: str,
    num_proj: int,
) -> tuple[Array, ...]:
    sizes = (num_layers, num_units, input_size)
    weights, biases = _size_of(sizes, (rnn_mode, input_mode, direction), num_proj).split(params)
    return (*weights, *biases)


def kernel_from_canonical(
    xp: ArrayModule, num_layers: Array, num_units: Array, input_size: Array, weights: list[Any],
    biases: list[Any], *, rnn_mode: str, input_mode: str, direction: str,
) -> Array:  # fmt: skip
    net = _size_of((num_layers, num_units, input_size), (rnn_mode, input_mode, direction))
    return _joined(xp, net, weights, biases)


def kernel_from_canonical_v2(
    xp: ArrayModule, num_layers: Array, num_units: Array, input_size: Array, weights: list[Any],
    biases: list[Any], *, rnn_mode: str, input_mode: str, direction: str, num_proj: int,
) -> Array:  # fmt: skip
    sizes = (num_layers, num_units, input_size)
    net = _size_of(sizes, (rnn_mode, input_mode, direction), num_proj)
    return _joined(xp, net, weights, biases)


def _joined(xp: ArrayModule, net: Network, weights: list[Any], biases: list[Any]) -> Array:
    for i, (given, shape) in enumerate(zip(weights, net.weight_shapes())):
        if given.size != shape[0] * shape[1]:
            fail(f"Number of elements not equal for weight {i}: {given.size} and {shape}")
    return xp.concatenate([part.reshape(-1) for part in (*weights, *biases)])


# Static shapes


def shape_rnn(c: ShapeContext) -> list[Shape]:
    x, h = c.with_rank("input", 3), c.with_rank("input_h", 3)
    c.with_rank("params", 1)
    directions = 2 if c.attr("direction") == "bidirectional" else 1
    units = None if h[2] is None else h[2] * directions
    lstm = c.attr("rnn_mode") == "lstm"
    cells = c.shape("input_c") if c.attrs.get("num_proj") else h
    results: list[Any] = [(x[0], x[1], units), h, cells if lstm else (), (None,)]
    return results if c.record.name == "CudnnRNN" else [*results, (None,)]


def shape_backprop(c: ShapeContext) -> list[Shape]:
    return [c.shape(name) for name in ("input", "input_h", "input_c", "params")]


def shape_to_canonical(c: ShapeContext) -> list[Shape]:
    c.with_rank("params", 1)
    both = c.attrs.get("num_params")
    weights: int = c.attr("num_params_weights") if both is None else both
    biases: int = c.attr("num_params_biases") if both is None else both
    return [*[(None, None)] * weights, *[(None,)] * biases]


_TYPE = "T: {half, float, double}"
_MODES = (
    "rnn_mode: {'rnn_relu', 'rnn_tanh', 'lstm', 'gru'} = 'lstm', "
    "input_mode: {'linear_input', 'skip_input', 'auto_select'} = 'linear_input', "
    "direction: {'unidirectional', 'bidirectional'} = 'unidirectional', "
    "dropout: float = 0.0, seed: int = 0, seed2: int = 0"
)
_INPUTS = "input: T, input_h: T, input_c: T, params: T"
_OUTPUTS = "output: T, output_h: T, output_c: T, reserve_space: T"
_GRADS = "output_backprop: T, output_h_backprop: T, output_c_backprop: T, reserve_space: T"
_RESULTS = "input_backprop: T, input_h_backprop: T, input_c_backprop: T, params_backprop: T"
_SIZES = "num_layers: int32, num_units: int32, input_size: int32"


def _register_rnn(
    name: str,
    backprop_name: str,
    *,
    attrs: str,
    forward_kernel: Callable[..., Any],
    backward_kernel: Callable[..., Any],
    lengths: str = "",
    reserved: str = "",
) -> None:
    register_op(
        name,
        inputs=_INPUTS + lengths,
        outputs=_OUTPUTS + reserved,
        attrs=attrs,
        shape=shape_rnn,
        kernel=forward_kernel,
        gradient=gradient_rnn,
        state=arguments.state_of,
        stateful=True,
    )
    register_op(
        backprop_name,
        inputs=f"{_INPUTS}{lengths}, output: T, output_h: T, output_c: T, {_GRADS}{reserved}",
        outputs=_RESULTS,
        attrs=attrs.replace(", is_training: bool = true", ""),
        shape=shape_backprop,
        kernel=backward_kernel,
        runs_on=RunsOn.XLA,
        stateful=True,
    )


_register_rnn(
    "CudnnRNN",
    "CudnnRNNBackprop",
    attrs=f"{_TYPE}, {_MODES}, is_training: bool = true",
    forward_kernel=kernel_rnn,
    backward_kernel=kernel_backprop,
)
_register_rnn(
    "CudnnRNNV2",
    "CudnnRNNBackpropV2",
    attrs=f"{_TYPE}, {_MODES}, is_training: bool = true",
    forward_kernel=kernel_rnn_v2,
    backward_kernel=kernel_backprop,
    reserved=", host_reserved: int8",
)
_register_rnn(
    "CudnnRNNV3",
    "CudnnRNNBackpropV3",
    attrs=f"{_TYPE}, {_MODES}, num_proj: int = 0, is_training: bool = true, "
    "time_major: bool = true",
    forward_kernel=kernel_rnn_v3,
    backward_kernel=kernel_backprop_v3,
    lengths=", sequence_lengths: int32",
    reserved=", host_reserved: int8",
)
register_op(
    "CudnnRNNParamsSize",
    inputs=_SIZES,
    outputs="params_size: S",
    attrs=f"{_TYPE}, S: {{int32, int64}}, {_MODES}, num_proj: int = 0",
    shape=lambda c: (1,),
    kernel=kernel_params_size,
    concrete=("num_layers", "num_units", "input_size"),
)


def _register_canonical(
    to_canonical: str,
    from_canonical: str,
    weights: str,
    biases: str,
    counts: str,
    last: str,
    to_kernel: Callable[..., Any],
    from_kernel: Callable[..., Any],
) -> None:
    register_op(
        to_canonical,
        inputs=f"{_SIZES}, params: T",
        outputs=f"weights: {weights} * T, biases: {biases} * T",
        attrs=f"{_TYPE}, {counts}, {_MODES}{last}",
        shape=shape_to_canonical,
        kernel=to_kernel,
        concrete=("num_layers", "num_units", "input_size"),
    )
    register_op(
        from_canonical,
        inputs=f"{_SIZES}, weights: {weights} * T, biases: {biases} * T",
        outputs="params: T",
        attrs=f"{_TYPE}, {counts}, {_MODES}{last}",
        shape=lambda c: (None,),
        kernel=from_kernel,
        concrete=("num_layers", "num_units", "input_size"),
    )


_register_canonical(
    "CudnnRNNParamsToCanonical",
    "CudnnRNNCanonicalToParams",
    weights="num_params",
    biases="num_params",
    counts="num_params: int >= 1",
    last="",
    to_kernel=kernel_to_canonical,
    from_kernel=kernel_from_canonical,
)
_register_canonical(
    "CudnnRNNParamsToCanonicalV2",
    "CudnnRNNCanonicalToParamsV2",
    weights="num_params_weights",
    biases="num_params_biases",
    counts="num_params_weights: int >= 1, num_params_biases: int >= 1",
    last=", num_proj: int = 0",
    to_kernel=kernel_to_canonical_v2,
    from_kernel=kernel_from_canonical_v2,
)
