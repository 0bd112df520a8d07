"""Weights of LSTM and GRU in cuDNN's layout, and the reverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.typing import Array


def _by_gate(kernels: Array, gates: int, change: Any) -> Array:
    return np.hstack([change(kernel) for kernel in np.hsplit(kernels, gates)])


def _kernels(values: list[Array], gates: int, from_cudnn: bool) -> list[Array]:
    """Both kernels in the other layout: cuDNN's are transposed, gate by gate."""
    order: Any = "F" if from_cudnn else "C"
    return [
        _by_gate(values[0], gates, lambda kernel: kernel.T.reshape(kernel.shape, order=order)),
        _by_gate(values[1], gates, lambda kernel: kernel.T),
    ]


def lstm_weights(values: list[Array], to_cudnn: bool) -> list[Array]:
    """The values of a file as LSTM or CuDNNLSTM needs them.

    Args:
        values: kernel, recurrent kernel and bias of either layer; others stay as they are.
        to_cudnn: whether they are for CuDNNLSTM.

    Returns:
        A list of arrays.

    Raises:
        ValueError: if the bias has another shape.
    """
    if len(values) != 3:
        return values
    units = values[1].shape[0]
    if values[2].shape == (2 * units * 4,):
        from_cudnn = True
    elif values[2].shape == (units * 4,):
        from_cudnn = False
    else:
        raise ValueError(f"Invalid bias shape: {values[2].shape}")
    if from_cudnn == to_cudnn:
        return values
    bias = values[2]
    # cuDNN adds two biases; how their sum is divided makes no difference.
    bias = np.tile(0.5 * bias, 2) if to_cudnn else np.sum(np.split(bias, 2), axis=0)
    return [*_kernels(values, 4, from_cudnn), bias]


def gru_weights(values: list[Array], to_cudnn: bool, reset_after: bool) -> list[Array]:
    """The values of a file as GRU or CuDNNGRU needs them.

    Args:
        values: kernel, recurrent kernel and bias of either layer; others stay as they are.
        to_cudnn: whether they are for CuDNNGRU.
        reset_after: whether they are for a GRU whose reset gate acts after the product.

    Returns:
        A list of arrays.

    Raises:
        ValueError: if the bias has another shape, or a GRU without `reset_after` and another layer
            are mixed.
    """
    if len(values) != 3:
        return values
    units = values[1].shape[0]
    kinds = {
        (2 * units * 3,): "CuDNNGRU",
        (2, units * 3): "GRU(reset_after=True)",
        (units * 3,): "GRU(reset_after=False)",
    }
    source = kinds.get(values[2].shape)
    if source is None:
        raise ValueError(f"Invalid bias shape: {values[2].shape}")
    target = "CuDNNGRU" if to_cudnn else f"GRU(reset_after={reset_after})"
    if source == target:
        return values
    if "GRU(reset_after=False)" in (source, target):
        raise ValueError(f"{source} is not compatible with {target}")
    from_cudnn = source == "CuDNNGRU"
    bias = values[2].reshape((2, -1) if from_cudnn else -1)
    return [*_kernels(values, 3, from_cudnn), bias]
