"""Weights that Keras 1, or another backend of Keras, has written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.typing import Array

_Weights = list[Array]
_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "ConvLSTM2D")


def of_keras_1(layer: Any, weights: _Weights) -> _Weights:
    """The weights of a layer, from those that Keras 1 has written.

    Args:
        layer: the layer.
        weights: the values in the file, in their order.

    Returns:
        A list of arrays.
    """
    convert = _OF_KERAS_1.get(type(layer).__name__)
    return weights if convert is None else convert(layer, weights)


def of_backend(layer: Any, weights: _Weights, backend: str | None) -> _Weights:
    """The weights of a layer, from those of another backend.

    Args:
        layer: the layer.
        weights: the values in the file, in their order.
        backend: "theano" or another name. Theano's convolutions flip the kernel.

    Returns:
        A list of arrays.
    """
    if backend != "theano" or type(layer).__name__ not in _CONVOLUTIONS:
        return weights
    flipped = list(weights)
    kernels = 2 if type(layer).__name__ == "ConvLSTM2D" else 1
    for i in range(kernels):
        axes = tuple(range(flipped[i].ndim - 2))
        flipped[i] = np.flip(flipped[i], axes)
    return flipped


def in_order_of_axes(layer: Any, weights: _Weights) -> _Weights:
    """The weights of a layer, from those with kernels of (out, in, height, width).

    Args:
        layer: a layer with variables.
        weights: the values in the file, in their order.

    Returns:
        A list of arrays.
    """
    if type(layer).__name__ not in _CONVOLUTIONS:
        return weights
    if tuple(layer.weights[0].shape.as_list()) == tuple(weights[0].shape):
        return weights
    kernels = 2 if type(layer).__name__ == "ConvLSTM2D" else 1
    turned = [kernel.transpose((3, 2, 0, 1)) for kernel in weights[:kernels]]
    return [*turned, *weights[kernels:]]


def _inner(layer: Any, weights: _Weights) -> _Weights:
    return of_keras_1(layer.layer, weights)


def _two_directions(layer: Any, weights: _Weights) -> _Weights:
    half = len(weights) // 2
    return of_keras_1(layer.forward_layer, weights[:half]) + of_keras_1(
        layer.backward_layer, weights[half:]
    )


def _conv1d(layer: Any, weights: _Weights) -> _Weights:
    kernel = weights[0]
    # Kernels of (length, 1, in, out), or of (out, in, length, 1) from Theano's order of axes.
    if kernel.shape[:2] != (layer.kernel_size[0], 1) or kernel.shape[3] != layer.filters:
        kernel = kernel.transpose((2, 3, 1, 0))
    return [kernel[:, 0], *weights[1:]]


def _of_channels_first(order: tuple[int, ...]) -> Callable[[Any, _Weights], _Weights]:
    def convert(layer: Any, weights: _Weights) -> _Weights:
        if layer.data_format != "channels_first":
            return weights
        return [weights[0].transpose(order), *weights[1:]]

    return convert


def _conv2d_transpose(layer: Any, weights: _Weights) -> _Weights:
    order = (0, 1, 3, 2) if layer.data_format == "channels_last" else (2, 3, 0, 1)
    return [weights[0].transpose(order), *weights[1:]]


def _lstm(layer: Any, weights: _Weights) -> _Weights:
    if len(weights) != 12:
        return weights
    # Three arrays (kernel, recurrent kernel, bias) of each of the gates i, c, f, o.
    return [np.concatenate([weights[g + k] for g in (0, 6, 3, 9)], -1) for k in range(3)]


def _gru(layer: Any, weights: _Weights) -> _Weights:
    if len(weights) != 9:
        return weights
    return [np.concatenate([weights[g + k] for g in (0, 3, 6)], -1) for k in range(3)]


def _conv_lstm2d(layer: Any, weights: _Weights) -> _Weights:
    if len(weights) != 12:
        return weights
    kernel, recurrent, bias = _lstm(layer, weights)
    if layer.data_format == "channels_first":
        kernel, recurrent = (w.transpose((2, 3, 1, 0)) for w in (kernel, recurrent))
    return [kernel, recurrent, bias]


def _model(layer: Any, weights: _Weights) -> _Weights:
    trainable = sum(len(each.trainable_weights) for each in layer.layers)
    parts = {"trainable": list(weights[:trainable]), "other": list(weights[trainable:])}
    found: dict[str, _Weights] = {"trainable": [], "other": []}
    for each in layer.layers:
        counts = {"trainable": len(each.trainable_weights)}
        counts["other"] = len(each.weights) - counts["trainable"]
        taken = []
        for kind, count in counts.items():
            taken += parts[kind][:count]
            del parts[kind][:count]
        converted = of_keras_1(each, taken)
        found["trainable"] += converted[: counts["trainable"]]
        found["other"] += converted[counts["trainable"] :]
    return found["trainable"] + found["other"]


_OF_KERAS_1: dict[str, Callable[[Any, _Weights], _Weights]] = {
    "Bidirectional": _two_directions,
    "Conv1D": _conv1d,
    "Conv2D": _of_channels_first((2, 3, 1, 0)),
    "Conv2DTranspose": _conv2d_transpose,
    "Conv3D": _of_channels_first((2, 3, 4, 1, 0)),
    "ConvLSTM2D": _conv_lstm2d,
    "GRU": _gru,
    "LSTM": _lstm,
    "Model": _model,
    "Sequential": _model,
    "TimeDistributed": _inner,
}
