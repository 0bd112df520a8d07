"""ResNet50, 101 and 152, and their second version (He et al., 2015 and 2016)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.keras.applications.assembly import Arguments
from headwater.keras.applications.chosen_layers import (
    Activation,
    Add,
    BatchNormalization,
    Conv2D,
    MaxPooling2D,
    ZeroPadding2D,
    takes_layers,
)
from headwater.keras.engine.training import Model

_SITE = "https://github.com/keras-team/keras-applications/releases/download/resnet/"
_HASHES = {
    "resnet50": ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626"),
    "resnet101": ("f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21"),
    "resnet152": ("100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c"),
    "resnet50v2": ("3ef43a0b657b3be2300d5770ece849e0", "fac2f116257151a9d068a22e544a4917"),
    "resnet101v2": ("6343647c601c52e1368623803854d971", "c0ed64b8031c3730f411d2eb4eea35b5"),
    "resnet152v2": ("a49b44d1979771252814e80f8ec446f9", "ed17cf2e0169df9d443503ef94b23b33"),
}


def _normalized(x: Any, axis: int, name: str) -> Any:
    return BatchNormalization(axis=axis, epsilon=1.001e-5, name=name)(x)


def _block1(x: Any, axis: int, filters: int, stride: int, shortcut: bool, name: str) -> Any:
    before = x
    if shortcut:
        before = Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(x)
        before = _normalized(before, axis, f"{name}_0_bn")
    x = Conv2D(filters, 1, strides=stride, name=f"{name}_1_conv")(x)
    x = Activation("relu", name=f"{name}_1_relu")(_normalized(x, axis, f"{name}_1_bn"))
    x = Conv2D(filters, 3, padding="same", name=f"{name}_2_conv")(x)
    x = Activation("relu", name=f"{name}_2_relu")(_normalized(x, axis, f"{name}_2_bn"))
    x = Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    x = Add(name=f"{name}_add")([before, _normalized(x, axis, f"{name}_3_bn")])
    return Activation("relu", name=f"{name}_out")(x)


def _stack1(x: Any, axis: int, filters: int, blocks: int, stride: int, name: str) -> Any:
    x = _block1(x, axis, filters, stride, True, f"{name}_block1")
    for i in range(2, blocks + 1):
        x = _block1(x, axis, filters, 1, False, f"{name}_block{i}")
    return x


def _block2(x: Any, axis: int, filters: int, stride: int, shortcut: bool, name: str) -> Any:
    ready = _normalized(x, axis, f"{name}_preact_bn")
    ready = Activation("relu", name=f"{name}_preact_relu")(ready)
    if shortcut:
        before = Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(ready)
    else:
        before = MaxPooling2D(1, strides=stride)(x) if stride > 1 else x
    x = Conv2D(filters, 1, strides=1, use_bias=False, name=f"{name}_1_conv")(ready)
    x = Activation("relu", name=f"{name}_1_relu")(_normalized(x, axis, f"{name}_1_bn"))
    x = ZeroPadding2D(((1, 1), (1, 1)), name=f"{name}_2_pad")(x)
    x = Conv2D(filters, 3, strides=stride, use_bias=False, name=f"{name}_2_conv")(x)
    x = Activation("relu", name=f"{name}_2_relu")(_normalized(x, axis, f"{name}_2_bn"))
    x = Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    return Add(name=f"{name}_out")([before, x])


def _stack2(x: Any, axis: int, filters: int, blocks: int, stride: int, name: str) -> Any:
    x = _block2(x, axis, filters, 1, True, f"{name}_block1")
    for i in range(2, blocks):
        x = _block2(x, axis, filters, 1, False, f"{name}_block{i}")
    return _block2(x, axis, filters, stride, False, f"{name}_block{blocks}")


def _resnet(name: str, depths: tuple[int, ...], *args: Any) -> Model:
    second = name.endswith("v2")
    given = Arguments(*args, default_size=224, min_size=32)
    axis = given.channel_axis
    x = ZeroPadding2D(((3, 3), (3, 3)), name="conv1_pad")(given.input)
    x = Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if not second:
        x = Activation("relu", name="conv1_relu")(_normalized(x, axis, "conv1_bn"))
    x = ZeroPadding2D(((1, 1), (1, 1)), name="pool1_pad")(x)
    x = MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    stacked: Callable[..., Any] = _stack2 if second else _stack1
    strides = (2, 2, 2, 1) if second else (1, 2, 2, 2)
    for i, (filters, depth) in enumerate(zip((64, 128, 256, 512), depths)):
        x = stacked(x, axis, filters, depth, strides[i], f"conv{i + 2}")
    if second:
        x = Activation("relu", name="post_relu")(_normalized(x, axis, "post_bn"))
    if given.include_top:
        x = given.classified(x, "avg_pool", "probs")
    else:
        x = given.pooled(x, named=True)
    url = f"{_SITE}{name}_weights_tf_dim_ordering_tf_kernels{{}}.h5"
    return given.loaded(given.model(x, name), url, _HASHES[name])


@export(
    "keras.applications.ResNet50",
    "keras.applications.resnet.ResNet50",
    "keras.applications.resnet50.ResNet50",
)
@takes_layers
def ResNet50(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes ResNet-50.

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
    return _resnet("resnet50", (3, 4, 6, 3), *args)


@export("keras.applications.ResNet101", "keras.applications.resnet.ResNet101")
@takes_layers
def ResNet101(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes ResNet-101; see `ResNet50`.

    Args:
        include_top: see `ResNet50`.
        weights: see `ResNet50`.
        input_tensor: see `ResNet50`.
        input_shape: see `ResNet50`.
        pooling: see `ResNet50`.
        classes: see `ResNet50`.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _resnet("resnet101", (3, 4, 23, 3), *args)


@export("keras.applications.ResNet152", "keras.applications.resnet.ResNet152")
@takes_layers
def ResNet152(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes ResNet-152; see `ResNet50`.

    Args:
        include_top: see `ResNet50`.
        weights: see `ResNet50`.
        input_tensor: see `ResNet50`.
        input_shape: see `ResNet50`.
        pooling: see `ResNet50`.
        classes: see `ResNet50`.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _resnet("resnet152", (3, 8, 36, 3), *args)


@export("keras.applications.ResNet50V2", "keras.applications.resnet_v2.ResNet50V2")
@takes_layers
def ResNet50V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes the second version of ResNet-50; see `ResNet50`.

    Args:
        include_top: see `ResNet50`.
        weights: see `ResNet50`.
        input_tensor: see `ResNet50`.
        input_shape: see `ResNet50`.
        pooling: see `ResNet50`.
        classes: see `ResNet50`.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _resnet("resnet50v2", (3, 4, 6, 3), *args)


@export("keras.applications.ResNet101V2", "keras.applications.resnet_v2.ResNet101V2")
@takes_layers
def ResNet101V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes the second version of ResNet-101; see `ResNet50`.

    Args:
        include_top: see `ResNet50`.
        weights: see `ResNet50`.
        input_tensor: see `ResNet50`.
        input_shape: see `ResNet50`.
        pooling: see `ResNet50`.
        classes: see `ResNet50`.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _resnet("resnet101v2", (3, 4, 23, 3), *args)


@export("keras.applications.ResNet152V2", "keras.applications.resnet_v2.ResNet152V2")
@takes_layers
def ResNet152V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes the second version of ResNet-152; see `ResNet50`.

    Args:
        include_top: see `ResNet50`.
        weights: see `ResNet50`.
        input_tensor: see `ResNet50`.
        input_shape: see `ResNet50`.
        pooling: see `ResNet50`.
        classes: see `ResNet50`.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    args = (include_top, weights, input_tensor, input_shape, pooling, classes)
    return _resnet("resnet152v2", (3, 8, 36, 3), *args)
