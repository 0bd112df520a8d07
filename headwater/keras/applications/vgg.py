"""VGG16 and VGG19 (Simonyan and Zisserman, 2014)."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.keras.applications.assembly import Arguments
from headwater.keras.applications.chosen_layers import (
    Conv2D,
    Dense,
    Flatten,
    MaxPooling2D,
    takes_layers,
)
from headwater.keras.engine.training import Model

_SITE = "https://github.com/fchollet/deep-learning-models/releases/download/v0.1/"


def _vgg(name: str, depths: tuple[int, ...], hashes: tuple[str, str], *args: Any) -> Model:
    given = Arguments(*args, default_size=224, min_size=32)
    x = given.input
    for block, (depth, filters) in enumerate(zip(depths, (64, 128, 256, 512, 512)), 1):
        for i in range(1, depth + 1):
            x = Conv2D(filters, 3, activation="relu", padding="same", name=f"block{block}_conv{i}")(
                x
            )
        x = MaxPooling2D(2, strides=2, name=f"block{block}_pool")(x)
    if given.include_top:
        x = Flatten(name="flatten")(x)
        x = Dense(4096, activation="relu", name="fc1")(x)
        x = Dense(4096, activation="relu", name="fc2")(x)
        x = Dense(given.classes, activation="softmax", name="predictions")(x)
    else:
        x = given.pooled(x)
    url = f"{_SITE}{name}_weights_tf_dim_ordering_tf_kernels{{}}.h5"
    return given.loaded(given.model(x, name), url, hashes)


@export("keras.applications.VGG16", "keras.applications.vgg16.VGG16")
@takes_layers
def VGG16(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes VGG16.

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

    Raises:
        ValueError: if an argument is unknown.
    """
    hashes = ("64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc")
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _vgg("vgg16", (2, 2, 3, 3, 3), hashes, *args)


@export("keras.applications.VGG19", "keras.applications.vgg19.VGG19")
@takes_layers
def VGG19(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes VGG19; see `VGG16`.

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
    hashes = ("cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6")
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _vgg("vgg19", (2, 2, 4, 4, 4), hashes, *args)
