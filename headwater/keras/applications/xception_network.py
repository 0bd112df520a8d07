"""Xception (Chollet, 2016)."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.keras.applications.assembly import Arguments
from headwater.keras.applications.chosen_layers import (
    Activation,
    BatchNormalization,
    Conv2D,
    MaxPooling2D,
    SeparableConv2D,
    add,
    takes_layers,
)
from headwater.keras.engine.training import Model

_SITE = "https://github.com/fchollet/deep-learning-models/releases/download/v0.4/"
_HASHES = ("0a58e3b7378bc2990ea3b43d5981f1f6", "b0042744bf5b25fce3cb969f33bebb97")


def _separable(x: Any, axis: int, filters: int, name: str) -> Any:
    x = SeparableConv2D(filters, 3, padding="same", use_bias=False, name=name)(x)
    return BatchNormalization(axis=axis, name=f"{name}_bn")(x)


def _shrinking(x: Any, axis: int, filters: tuple[int, int], block: int) -> Any:
    """Two convolutions and a pooling, beside a convolution of stride 2."""
    residual = Conv2D(filters[1], 1, strides=2, padding="same", use_bias=False)(x)
    residual = BatchNormalization(axis=axis)(residual)
    for i, size in enumerate(filters, 1):
        if block > 2 or i > 1:
            x = Activation("relu", name=f"block{block}_sepconv{i}_act")(x)
        x = _separable(x, axis, size, f"block{block}_sepconv{i}")
    x = MaxPooling2D(3, strides=2, padding="same", name=f"block{block}_pool")(x)
    return add([x, residual])


@export("keras.applications.Xception", "keras.applications.xception.Xception")
@takes_layers
def Xception(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes Xception.

    Args:
        include_top: whether the network ends with the classes.
        weights: None, "imagenet" or a file.
        input_tensor: the input; a new one if None.
        input_shape: the shape of an image.
        pooling: "avg", "max" or None: what ends a network without the classes.
        classes: the number of classes.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    given = Arguments(
        *(include_top, weights, input_tensor, input_shape, pooling, classes),
        default_size=299,
        min_size=71,
    )
    axis = given.channel_axis
    x = Conv2D(32, 3, strides=2, use_bias=False, name="block1_conv1")(given.input)
    x = BatchNormalization(axis=axis, name="block1_conv1_bn")(x)
    x = Activation("relu", name="block1_conv1_act")(x)
    x = Conv2D(64, 3, use_bias=False, name="block1_conv2")(x)
    x = BatchNormalization(axis=axis, name="block1_conv2_bn")(x)
    x = Activation("relu", name="block1_conv2_act")(x)
    for block, filters in enumerate((128, 256, 728), 2):
        x = _shrinking(x, axis, (filters, filters), block)
    for block in range(5, 13):
        before = x
        for i in range(1, 4):
            x = Activation("relu", name=f"block{block}_sepconv{i}_act")(x)
            x = _separable(x, axis, 728, f"block{block}_sepconv{i}")
        x = add([x, before])
    x = _shrinking(x, axis, (728, 1024), 13)
    for i, filters in enumerate((1536, 2048), 1):
        x = _separable(x, axis, filters, f"block14_sepconv{i}")
        x = Activation("relu", name=f"block14_sepconv{i}_act")(x)
    x = given.classified(x, "avg_pool", "predictions")
    url = f"{_SITE}xception_weights_tf_dim_ordering_tf_kernels{{}}.h5"
    return given.loaded(given.model(x, "xception"), url, _HASHES)
