"""Functions that build the ops of cuDNN's recurrent networks."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.seeds import get_seed

UNIDIRECTION, BIDIRECTION = "unidirectional", "bidirectional"
LINEAR_INPUT = "linear_input"
# Matrices, and biases, of one direction of a layer.
PARAMS_PER_LAYER = {"lstm": 8, "gru": 6, "rnn_tanh": 2, "rnn_relu": 2}


def check_direction(direction: str) -> None:
    """Raises ValueError if a direction is unknown."""
    if direction not in (UNIDIRECTION, BIDIRECTION):
        raise ValueError(
            f"Invalid direction: {direction}, expecting {UNIDIRECTION} or {BIDIRECTION}"
        )


def check_mode(mode: str) -> None:
    """Raises ValueError if a kind of network is unknown."""
    if mode not in PARAMS_PER_LAYER:
        raise ValueError(f"Invalid rnn_mode: {mode}, expect one of (lstm, gru, rnn_tanh, rnn_relu)")


def direction_count(direction: str) -> int:
    """The number of directions."""
    check_direction(direction)
    return 2 if direction == BIDIRECTION else 1


def parameter_count(mode: str, num_layers: int, direction: str) -> int:
    """The number of matrices, and of biases, of a network."""
    check_mode(mode)
    return PARAMS_PER_LAYER[mode] * num_layers * direction_count(direction)


def cudnn_rnn(
    inputs: TensorLike,
    input_h: TensorLike,
    input_c: TensorLike,
    params: TensorLike,
    is_training: bool,
    rnn_mode: str,
    sequence_lengths: TensorLike | None = None,
    time_major: bool = True,
    input_mode: str = LINEAR_INPUT,
    direction: str = UNIDIRECTION,
    dropout: float = 0.0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Runs a network.

    Args:
        inputs: [steps, batch, depth].
        input_h: the states at the start, [layers * directions, batch, units].
        input_c: the cells at the start; anything for networks that have none.
        params: the vector of parameters.
        is_training: whether gradients are taken, and inputs of layers dropped.
        rnn_mode: ``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``.
        sequence_lengths: how many steps count, int32 [batch]; None for all.
        time_major: whether the first axis are the steps, not the batch.
        input_mode: ``linear_input``, ``skip_input`` or ``auto_select``.
        direction: ``unidirectional`` or ``bidirectional``.
        dropout: the part of the inputs of layers behind the first that is dropped in training.
        seed: the seed of what is dropped.
        num_proj: the size to which states of ``lstm`` are projected; None for no projection.
        name: the name of the node.

    Returns:
        The outputs, the last states and the last cells.

    Raises:
        ValueError: if `rnn_mode` or `direction` is unknown.
    """
    check_mode(rnn_mode)
    check_direction(direction)
    first, second = get_seed(seed)
    attrs: dict[str, Any] = {
        "is_training": is_training,
        "rnn_mode": rnn_mode,
        "input_mode": input_mode,
        "direction": direction,
        "dropout": dropout,
        "seed": first or 0,
        "seed2": second or 0,
        "name": name,
    }
    if sequence_lengths is not None or not time_major or num_proj:
        inputs = convert_to_tensor(inputs)
        if sequence_lengths is None:
            batch, steps = (0, 1) if not time_major else (1, 0)
            sizes = build.Shape(inputs)
            sequence_lengths = build.Fill(sizes[batch : batch + 1], sizes[steps])
        found = build.CudnnRNNV3(
            inputs,
            input_h,
            input_c,
            params,
            sequence_lengths,
            time_major=time_major,
            num_proj=num_proj or 0,
            **attrs,
        )
    else:
        found = build.CudnnRNN(inputs, input_h, input_c, params, **attrs)
    return found[0], found[1], found[2]


def params_size(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    input_mode: str = LINEAR_INPUT,
    direction: str = UNIDIRECTION,
    dtype: DTypeLike = dtypes.float32,
    dropout: float = 0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The number of parameters of a network, as a tensor.

    Args:
        rnn_mode: the kind of network.
        num_layers: the number of layers.
        num_units: the number of units of each direction.
        input_size: the size of the inputs.
        input_mode: how the first layer takes its inputs.
        direction: the directions.
        dtype: the type of the parameters.
        dropout: of no influence.
        seed: of no influence.
        num_proj: the size to which states of ``lstm`` are projected; None for no projection.
        name: the name of the node.

    Returns:
        An int32 scalar.
    """
    check_mode(rnn_mode)
    check_direction(direction)
    first, second = get_seed(seed)
    found = build.CudnnRNNParamsSize(
        num_layers,
        num_units,
        input_size,
        T=dtype,
        S=dtypes.int32,
        rnn_mode=rnn_mode,
        input_mode=input_mode,
        direction=direction,
        dropout=dropout,
        seed=first or 0,
        seed2=second or 0,
        num_proj=num_proj or 0,
        name=name,
    )
    return build.Squeeze(found)


def to_canonical(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    params: TensorLike,
    input_mode: str = LINEAR_INPUT,
    direction: str = UNIDIRECTION,
    dropout: float = 0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> tuple[list[Tensor], list[Tensor]]:
    """The matrices and biases in a vector of parameters.

    Args:
        rnn_mode: the kind of network.
        num_layers: the number of layers.
        num_units: the number of units of each direction.
        input_size: the size of the inputs.
        params: the vector.
        input_mode: how the first layer takes its inputs.
        direction: the directions.
        dropout: of no influence.
        seed: of no influence.
        num_proj: the size to which states of ``lstm`` are projected; None for no projection.
        name: the name of the node.

    Returns:
        A list of matrices and a list of vectors.
    """
    first, second = get_seed(seed)
    count = parameter_count(rnn_mode, num_layers, direction)
    attrs: dict[str, Any] = {
        "rnn_mode": rnn_mode,
        "input_mode": input_mode,
        "direction": direction,
        "dropout": dropout,
        "seed": first or 0,
        "seed2": second or 0,
        "name": name,
    }
    sizes = num_layers, num_units, input_size
    if num_proj:
        found = build.CudnnRNNParamsToCanonicalV2(
            *sizes,
            params,
            num_params_weights=count + num_layers * direction_count(direction),
            num_params_biases=count,
            num_proj=num_proj,
            **attrs,
        )
    else:
        found = build.CudnnRNNParamsToCanonical(*sizes, params, num_params=count, **attrs)
    return list(found[0]), list(found[1])


def from_canonical(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    weights: list[Any],
    biases: list[Any],
    input_mode: str = LINEAR_INPUT,
    direction: str = UNIDIRECTION,
    dropout: float = 0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The vector of parameters of matrices and biases.

    Args:
        rnn_mode: the kind of network.
        num_layers: the number of layers.
        num_units: the number of units of each direction.
        input_size: the size of the inputs.
        weights: the matrices.
        biases: the biases.
        input_mode: how the first layer takes its inputs.
        direction: the directions.
        dropout: of no influence.
        seed: of no influence.
        num_proj: the size to which states of ``lstm`` are projected; None for no projection.
        name: the name of the node.

    Returns:
        A vector.
    """
    check_mode(rnn_mode)
    check_direction(direction)
    first, second = get_seed(seed)
    attrs: dict[str, Any] = {
        "rnn_mode": rnn_mode,
        "input_mode": input_mode,
        "direction": direction,
        "dropout": dropout,
        "seed": first or 0,
        "seed2": second or 0,
        "name": name,
    }
    sizes = num_layers, num_units, input_size
    if num_proj:
        return build.CudnnRNNCanonicalToParamsV2(
            *sizes, weights, biases, num_proj=num_proj, **attrs
        )
    return build.CudnnRNNCanonicalToParams(*sizes, weights, biases, **attrs)
