"""DenseNet-121, 169 and 201 (Huang et al., 2016)."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.keras.applications.assembly import Arguments
from headwater.keras.applications.chosen_layers import (
    Activation,
    AveragePooling2D,
    BatchNormalization,
    Concatenate,
    Conv2D,
    MaxPooling2D,
    ZeroPadding2D,
    takes_layers,
)
from headwater.keras.engine.training import Model

_SITE = "https://github.com/keras-team/keras-applications/releases/download/densenet/"
_HASHES = {
    "densenet121": ("9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738"),
    "densenet169": ("d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b"),
    "densenet201": ("1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1"),
}
_GROWTH = 32


def _activated(x: Any, axis: int, bn: str, relu: str) -> Any:
    x = BatchNormalization(axis=axis, epsilon=1.001e-5, name=bn)(x)
    return Activation("relu", name=relu)(x)


def _block(x: Any, axis: int, name: str) -> Any:
    new = _activated(x, axis, f"{name}_0_bn", f"{name}_0_relu")
    new = Conv2D(4 * _GROWTH, 1, use_bias=False, name=f"{name}_1_conv")(new)
    new = _activated(new, axis, f"{name}_1_bn", f"{name}_1_relu")
    new = Conv2D(_GROWTH, 3, padding="same", use_bias=False, name=f"{name}_2_conv")(new)
    return Concatenate(axis=axis, name=f"{name}_concat")([x, new])


def _transition(x: Any, axis: int, name: str) -> Any:
    x = _activated(x, axis, f"{name}_bn", f"{name}_relu")
    filters = x.shape.as_list()[axis] // 2
    x = Conv2D(filters, 1, use_bias=False, name=f"{name}_conv")(x)
    return AveragePooling2D(2, strides=2, name=f"{name}_pool")(x)


def _densenet(name: str, depths: tuple[int, ...], *args: Any) -> Model:
    given = Arguments(*args, default_size=224, min_size=32)
    axis = given.channel_axis
    x = ZeroPadding2D(((3, 3), (3, 3)))(given.input)
    x = Conv2D(64, 7, strides=2, use_bias=False, name="conv1/conv")(x)
    x = _activated(x, axis, "conv1/bn", "conv1/relu")
    x = ZeroPadding2D(((1, 1), (1, 1)))(x)
    x = MaxPooling2D(3, strides=2, name="pool1")(x)
    for stage, depth in enumerate(depths, 2):
        for i in range(1, depth + 1):
            x = _block(x, axis, f"conv{stage}_block{i}")
        if stage < 5:
            x = _transition(x, axis, f"pool{stage}")
    x = _activated(x, axis, "bn", "relu")
    if given.include_top:
        x = given.classified(x, "avg_pool", "fc1000")
    else:
        x = given.pooled(x, named=True)
    url = f"{_SITE}{name}_weights_tf_dim_ordering_tf_kernels{{}}.h5"
    return given.loaded(given.model(x, name), url, _HASHES[name])


@export("keras.applications.DenseNet121", "keras.applications.densenet.DenseNet121")
@takes_layers
def DenseNet121(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes DenseNet-121.

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
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _densenet("densenet121", (6, 12, 24, 16), *args)


@export("keras.applications.DenseNet169", "keras.applications.densenet.DenseNet169")
@takes_layers
def DenseNet169(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes DenseNet-169; see `DenseNet121`.

    Args:
        include_top: see `DenseNet121`.
        weights: see `DenseNet121`.
        input_tensor: see `DenseNet121`.
        input_shape: see `DenseNet121`.
        pooling: see `DenseNet121`.
        classes: see `DenseNet121`.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _densenet("densenet169", (6, 12, 32, 32), *args)


@export("keras.applications.DenseNet201", "keras.applications.densenet.DenseNet201")
@takes_layers
def DenseNet201(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes DenseNet-201; see `DenseNet121`.

    Args:
        include_top: see `DenseNet121`.
        weights: see `DenseNet121`.
        input_tensor: see `DenseNet121`.
        input_shape: see `DenseNet121`.
        pooling: see `DenseNet121`.
        classes: see `DenseNet121`.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _densenet("densenet201", (6, 12, 48, 32), *args)
