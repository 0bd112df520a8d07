"""MobileNet, first and second version (Howard et al., 2017; Sandler et al., 2018)."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.keras.applications.assembly import Arguments
from headwater.keras.applications.chosen_layers import (
    Activation,
    Add,
    BatchNormalization,
    Conv2D,
    Dense,
    DepthwiseConv2D,
    Dropout,
    GlobalAveragePooling2D,
    ReLU,
    Reshape,
    ZeroPadding2D,
    takes_layers,
)
from headwater.keras.engine.training import Model

_SITE = "https://github.com/fchollet/deep-learning-models/releases/download/v0.6/"
_SITE_V2 = "https://github.com/JonathanCMitchell/mobilenet_v2_keras/releases/download/v1.1/"
_SIZES = (128, 160, 192, 224)
# (filters, stride) of the blocks of the first version.
_BLOCKS = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1),) * 5,
    *((1024, 2), (1024, 1)),
)
# (filters, stride of the first block, blocks, expansion) of the stages of the second version.
_STAGES = (
    *((16, 1, 1, 1), (24, 2, 2, 6), (32, 2, 3, 6), (64, 2, 4, 6)),
    *((96, 1, 3, 6), (160, 2, 3, 6), (320, 1, 1, 6)),
)
_EDGE = ((0, 1), (0, 1))


def _size_in_name(given: Arguments, sizes: tuple[int, ...]) -> int | None:
    """The height of images in the name of the network; a published one for published weights."""
    rows, columns = given.input_shape[:2] if given.channel_axis == 3 else given.input_shape[1:]
    if given.weights == "imagenet" and (rows != columns or rows not in sizes):
        return 224
    return rows


def _check_alpha(alpha: float, weights: Any, known: tuple[float, ...]) -> None:
    if weights == "imagenet" and alpha not in known:
        listed = ", ".join(f"`{each:.2f}`" for each in known)
        raise ValueError(
            f"If imagenet weights are being loaded, alpha can be one of {listed} only."
        )


def _depthwise(x: Any, axis: int, filters: int, multiplier: int, stride: int, number: int) -> Any:
    if stride > 1:
        x = ZeroPadding2D(_EDGE, name=f"conv_pad_{number}")(x)
    x = DepthwiseConv2D(
        3,
        padding="same" if stride == 1 else "valid",
        depth_multiplier=multiplier,
        strides=stride,
        use_bias=False,
        name=f"conv_dw_{number}",
    )(x)
    x = BatchNormalization(axis=axis, name=f"conv_dw_{number}_bn")(x)
    x = ReLU(6.0, name=f"conv_dw_{number}_relu")(x)
    x = Conv2D(filters, 1, padding="same", use_bias=False, name=f"conv_pw_{number}")(x)
    x = BatchNormalization(axis=axis, name=f"conv_pw_{number}_bn")(x)
    return ReLU(6.0, name=f"conv_pw_{number}_relu")(x)


@export("keras.applications.MobileNet", "keras.applications.mobilenet.MobileNet")
@takes_layers
def MobileNet(
    input_shape: Any = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 1e-3,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes MobileNet.

    Args:
        input_shape: the shape of an image.
        alpha: the factor of the numbers of filters.
        depth_multiplier: the number of outputs of depthwise convolutions for each channel.
        dropout: the rate of the dropout before the classes.
        include_top: whether the network ends with the classes.
        weights: None, "imagenet" or a file.
        input_tensor: the input; a new one if None.
        pooling: "avg", "max" or None: what ends a network without the classes.
        classes: the number of classes.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.

    Raises:
        ValueError: if there are no published weights for these arguments.
    """
    sides = None if input_shape is None else input_shape[0 if input_shape[-1] in (1, 3) else 1]
    default = sides if sides in _SIZES else 224
    given = Arguments(
        *(include_top, weights, input_tensor, input_shape, pooling, classes),
        default_size=default,
        min_size=32,
    )
    _check_alpha(alpha, weights, (0.25, 0.50, 0.75, 1.0))
    if weights == "imagenet" and depth_multiplier != 1:
        raise ValueError("If imagenet weights are being loaded, depth multiplier must be 1")
    axis = given.channel_axis
    x = ZeroPadding2D(_EDGE, name="conv1_pad")(given.input)
    x = Conv2D(int(32 * alpha), 3, use_bias=False, strides=2, name="conv1")(x)
    x = ReLU(6.0, name="conv1_relu")(BatchNormalization(axis=axis, name="conv1_bn")(x))
    for number, (filters, stride) in enumerate(_BLOCKS, 1):
        x = _depthwise(x, axis, int(filters * alpha), depth_multiplier, stride, number)
    if include_top:
        wide = int(1024 * alpha)
        x = GlobalAveragePooling2D()(x)
        x = Reshape((1, 1, wide) if axis == 3 else (wide, 1, 1), name="reshape_1")(x)
        x = Dropout(dropout, name="dropout")(x)
        x = Conv2D(classes, 1, padding="same", name="conv_preds")(x)
        x = Activation("softmax", name="act_softmax")(Reshape((classes,), name="reshape_2")(x))
    else:
        x = given.pooled(x)
    size = _size_in_name(given, _SIZES)
    model = given.model(x, f"mobilenet_{alpha:.2f}_{size}")
    text = {1.0: "1_0", 0.75: "7_5", 0.50: "5_0", 0.25: "2_5"}.get(alpha, "")
    top = "" if include_top else "_no_top"
    return given.loaded(model, f"{_SITE}mobilenet_{text}_{size}_tf{top}.h5", (None, None))


def _divisible(value: float, divisor: int = 8) -> int:
    """The next multiple of 8, which is not more than a tenth below."""
    found = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return found + divisor if found < 0.9 * value else found


def _normalized(x: Any, axis: int, name: str) -> Any:
    return BatchNormalization(axis=axis, epsilon=1e-3, momentum=0.999, name=name)(x)


def _inverted(x: Any, axis: int, filters: int, stride: int, expansion: int, number: int) -> Any:
    before, channels = x, x.shape.as_list()[axis]
    prefix = f"block_{number}_" if number else "expanded_conv_"
    if number:
        x = Conv2D(expansion * channels, 1, padding="same", use_bias=False, name=f"{prefix}expand")(
            x
        )
        x = ReLU(6.0, name=f"{prefix}expand_relu")(_normalized(x, axis, f"{prefix}expand_BN"))
    if stride == 2:
        x = ZeroPadding2D(_correct_padding(x, axis), name=f"{prefix}pad")(x)
    x = DepthwiseConv2D(
        3,
        strides=stride,
        use_bias=False,
        padding="same" if stride == 1 else "valid",
        name=f"{prefix}depthwise",
    )(x)
    x = ReLU(6.0, name=f"{prefix}depthwise_relu")(_normalized(x, axis, f"{prefix}depthwise_BN"))
    x = Conv2D(filters, 1, padding="same", use_bias=False, name=f"{prefix}project")(x)
    x = _normalized(x, axis, f"{prefix}project_BN")
    if channels == filters and stride == 1:
        return Add(name=f"{prefix}add")([before, x])
    return x


def _correct_padding(x: Any, axis: int) -> Any:
    """The padding of a convolution of size 3 and stride 2."""
    dims = x.shape.as_list()
    sides = dims[1:3] if axis == 3 else dims[2:]
    adjust = [1 if side is None else 1 - side % 2 for side in sides]
    return ((1 - adjust[0], 1), (1 - adjust[1], 1))


@export("keras.applications.MobileNetV2", "keras.applications.mobilenet_v2.MobileNetV2")
@takes_layers
def MobileNetV2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes the second version of MobileNet.

    Args:
        input_shape: the shape of an image.
        alpha: the factor of the numbers of filters.
        include_top: whether the network ends with the classes.
        weights: None, "imagenet" or a file.
        input_tensor: the input; a new one if None.
        pooling: "avg", "max" or None: what ends a network without the classes.
        classes: the number of classes.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.

    Raises:
        ValueError: if there are no published weights for these arguments.
    """
    sides = None if input_shape is None else input_shape[0 if input_shape[-1] in (1, 3) else 1]
    default = sides if sides in (96, *_SIZES) else 224
    given = Arguments(
        *(include_top, weights, input_tensor, input_shape, pooling, classes),
        default_size=default,
        min_size=32,
    )
    _check_alpha(alpha, weights, (0.35, 0.50, 0.75, 1.0, 1.3, 1.4))
    axis = given.channel_axis
    x = ZeroPadding2D(_correct_padding(given.input, axis), name="Conv1_pad")(given.input)
    x = Conv2D(_divisible(32 * alpha), 3, strides=2, use_bias=False, name="Conv1")(x)
    x = ReLU(6.0, name="Conv1_relu")(_normalized(x, axis, "bn_Conv1"))
    number = 0
    for filters, stride, blocks, expansion in _STAGES:
        for i in range(blocks):
            size = _divisible(int(filters * alpha))
            x = _inverted(x, axis, size, stride if i == 0 else 1, expansion, number)
            number += 1
    last = _divisible(1280 * alpha) if alpha > 1.0 else 1280
    x = Conv2D(last, 1, use_bias=False, name="Conv_1")(x)
    x = ReLU(6.0, name="out_relu")(_normalized(x, axis, "Conv_1_bn"))
    if include_top:
        x = GlobalAveragePooling2D()(x)
        x = Dense(classes, activation="softmax", use_bias=True, name="Logits")(x)
    else:
        x = given.pooled(x)
    rows = _size_in_name(given, (96, *_SIZES))
    model = given.model(x, f"mobilenetv2_{alpha:.2f}_{rows}")
    top = "" if include_top else "_no_top"
    name = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{alpha}_{rows}{top}.h5"
    return given.loaded(model, _SITE_V2 + name, (None, None))
