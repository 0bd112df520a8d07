"""Inception-ResNet v2 (Szegedy et al., 2016)."""

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
    Lambda,
    MaxPooling2D,
    takes_layers,
)
from headwater.keras.engine.training import Model

_SITE = "https://github.com/fchollet/deep-learning-models/releases/download/v0.7/"
_HASHES = ("e693bd0210a403b3192acc6073ad2e96", "d19885ff4a710c122648d3b5c3b684e4")


class _InceptionResNet:
    """The blocks of Inception-ResNet v2."""

    def __init__(self, axis: int) -> None:
        self._axis = axis

    def conv(
        self,
        x: Any,
        filters: int,
        size: Any,
        padding: str = "same",
        stride: int = 1,
        name: str | None = None,
    ) -> Any:
        x = Conv2D(filters, size, strides=stride, padding=padding, use_bias=False, name=name)(x)
        x = BatchNormalization(
            axis=self._axis, scale=False, name=None if name is None else f"{name}_bn"
        )(x)
        return Activation("relu", name=None if name is None else f"{name}_ac")(x)

    def chain(self, x: Any, *convolutions: tuple[int, Any]) -> Any:
        for filters, size in convolutions:
            x = self.conv(x, filters, size)
        return x

    def join(self, branches: list[Any], name: str) -> Any:
        return Concatenate(axis=self._axis, name=name)(branches)

    def stem(self, x: Any) -> Any:
        x = self.conv(x, 32, 3, "valid", 2)
        x = self.conv(self.conv(x, 32, 3, "valid"), 64, 3)
        x = MaxPooling2D(3, strides=2)(x)
        x = self.conv(self.conv(x, 80, 1, "valid"), 192, 3, "valid")
        return MaxPooling2D(3, strides=2)(x)

    def mixed(self, x: Any) -> Any:
        """The block before the residual ones."""
        one = self.conv(x, 96, 1)
        five = self.chain(x, (48, 1), (64, 5))
        three = self.chain(x, (64, 1), (96, 3), (96, 3))
        pooled = self.conv(AveragePooling2D(3, strides=1, padding="same")(x), 64, 1)
        return self.join([one, five, three, pooled], "mixed_5b")

    def reduce17(self, x: Any) -> Any:
        one = self.conv(x, 384, 3, "valid", 2)
        three = self.conv(self.chain(x, (256, 1), (256, 3)), 384, 3, "valid", 2)
        return self.join([one, three, MaxPooling2D(3, strides=2)(x)], "mixed_6a")

    def reduce8(self, x: Any) -> Any:
        one = self.conv(self.conv(x, 256, 1), 384, 3, "valid", 2)
        two = self.conv(self.conv(x, 256, 1), 288, 3, "valid", 2)
        three = self.conv(self.chain(x, (256, 1), (288, 3)), 320, 3, "valid", 2)
        return self.join([one, two, three, MaxPooling2D(3, strides=2)(x)], "mixed_7a")

    def block35(self, x: Any, number: int) -> Any:
        branches = [
            self.conv(x, 32, 1),
            self.chain(x, (32, 1), (32, 3)),
            self.chain(x, (32, 1), (48, 3), (64, 3)),
        ]
        return self._residual(x, branches, f"block35_{number}", 0.17)

    def block17(self, x: Any, number: int) -> Any:
        branches = [self.conv(x, 192, 1), self.chain(x, (128, 1), (160, (1, 7)), (192, (7, 1)))]
        return self._residual(x, branches, f"block17_{number}", 0.1)

    def block8(self, x: Any, number: int, scale: float = 0.2, active: bool = True) -> Any:
        branches = [self.conv(x, 192, 1), self.chain(x, (192, 1), (224, (1, 3)), (256, (3, 1)))]
        return self._residual(x, branches, f"block8_{number}", scale, active)

    def _residual(
        self, x: Any, branches: list[Any], name: str, scale: float, active: bool = True
    ) -> Any:
        """Adds the scaled branches to the input."""
        shape = x.shape.as_list()
        mixed = self.join(branches, f"{name}_mixed")
        up = Conv2D(shape[self._axis], 1, padding="same", name=f"{name}_conv")(mixed)
        x = Lambda(_scaled_sum, output_shape=shape[1:], arguments={"scale": scale}, name=name)(
            [x, up]
        )
        return Activation("relu", name=f"{name}_ac")(x) if active else x


def _scaled_sum(inputs: list[Any], scale: float) -> Any:
    return inputs[0] + inputs[1] * scale


@export(
    "keras.applications.InceptionResNetV2",
    "keras.applications.inception_resnet_v2.InceptionResNetV2",
)
@takes_layers
def InceptionResNetV2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes Inception-ResNet v2.

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
        min_size=75,
    )
    made = _InceptionResNet(given.channel_axis)
    x = made.mixed(made.stem(given.input))
    for number in range(1, 11):
        x = made.block35(x, number)
    x = made.reduce17(x)
    for number in range(1, 21):
        x = made.block17(x, number)
    x = made.reduce8(x)
    for number in range(1, 10):
        x = made.block8(x, number)
    x = made.block8(x, 10, scale=1.0, active=False)
    x = made.conv(x, 1536, 1, name="conv_7b")
    x = given.classified(x, "avg_pool", "predictions")
    url = f"{_SITE}inception_resnet_v2_weights_tf_dim_ordering_tf_kernels{{}}.h5"
    return given.loaded(given.model(x, "inception_resnet_v2"), url, _HASHES)
