"""The layers that networks are made of: those of `tf.keras.layers`, or what a program hands in.

`MobileNet(layers=module)` takes its layers from another module or object, which may give batch
normalization other settings, for example (the object detection API does).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from headwater.keras.engine import input_layer
from headwater.keras.layers import (
    activations,
    borders,
    convolution,
    core,
    merge,
    normalization,
    pooling,
    separable_convolution,
)

# Arguments of networks that name modules; of these, the layers matter.
_MODULES = ("backend", "layers", "models", "utils")
Network = TypeVar("Network", bound=Callable[..., Any])


class _Choice(threading.local):
    module: Any = None


_choice = _Choice()


def takes_layers(network: Network) -> Network:
    """Decorates a function that makes a network and may be given `layers`.

    The function raises TypeError for arguments by name that it does not know.
    """
    code = network.__code__
    known = {*_MODULES, *code.co_varnames[: code.co_argcount]}

    @functools.wraps(network)
    def made(*args: Any, **kwargs: Any) -> Any:
        for key in kwargs:
            if key not in known:
                raise TypeError("Invalid keyword argument: %s", key)
        before, _choice.module = _choice.module, kwargs.get("layers")
        try:
            return network(*args, **kwargs)
        finally:
            _choice.module = before

    return made  # type: ignore[return-value]


def _layer(default: Callable[..., Any]) -> Callable[..., Any]:
    """A layer or a function of layers, which is taken by its name where a program has chosen."""

    @functools.wraps(default, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        return getattr(_choice.module, default.__name__, default)(*args, **kwargs)

    return make


Activation = _layer(core.Activation)
Add = _layer(merge.Add)
AveragePooling2D = _layer(pooling.AveragePooling2D)
BatchNormalization = _layer(normalization.BatchNormalization)
Concatenate = _layer(merge.Concatenate)
Conv2D = _layer(convolution.Conv2D)
Cropping2D = _layer(borders.Cropping2D)
Dense = _layer(core.Dense)
DepthwiseConv2D = _layer(separable_convolution.DepthwiseConv2D)
Dropout = _layer(core.Dropout)
Flatten = _layer(core.Flatten)
GlobalAveragePooling2D = _layer(pooling.GlobalAveragePooling2D)
GlobalMaxPooling2D = _layer(pooling.GlobalMaxPooling2D)
Input = _layer(input_layer.Input)
Lambda = _layer(core.Lambda)
MaxPooling2D = _layer(pooling.MaxPooling2D)
ReLU = _layer(activations.ReLU)
Reshape = _layer(core.Reshape)
SeparableConv2D = _layer(separable_convolution.SeparableConv2D)
ZeroPadding2D = _layer(borders.ZeroPadding2D)
add = _layer(merge.add)
concatenate = _layer(merge.concatenate)
