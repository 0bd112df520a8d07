"""Inception v3 (Szegedy et al., 2015)."""

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
    takes_layers,
)
from headwater.keras.engine.training import Model

_SITE = "https://github.com/fchollet/deep-learning-models/releases/download/v0.5/"
_HASHES = ("9a0d58056eeedaa3f26cb7ebd46da564", "bcbd6486424b2319ff4ef7d526e38f63")


class _Inception:
    """The blocks of Inception v3."""

    def __init__(self, axis: int) -> None:
        self._axis = axis

    def conv(
        self, x: Any, filters: int, rows: int, columns: int, padding: str = "same", stride: int = 1
    ) -> Any:
        x = Conv2D(filters, (rows, columns), strides=stride, padding=padding, use_bias=False)(x)
        x = BatchNormalization(axis=self._axis, scale=False)(x)
        return Activation("relu")(x)

    def join(self, branches: list[Any], name: str | None = None) -> Any:
        return Concatenate(axis=self._axis, name=name)(branches)

    def _pooled(self, x: Any, filters: int) -> Any:
        return self.conv(AveragePooling2D(3, strides=1, padding="same")(x), filters, 1, 1)

    def block35(self, x: Any, filters: int, name: str) -> Any:
        one = self.conv(x, 64, 1, 1)
        five = self.conv(self.conv(x, 48, 1, 1), 64, 5, 5)
        three = self.conv(self.conv(self.conv(x, 64, 1, 1), 96, 3, 3), 96, 3, 3)
        return self.join([one, five, three, self._pooled(x, filters)], name)

    def block17(self, x: Any, filters: int, name: str) -> Any:
        one = self.conv(x, 192, 1, 1)
        seven = self.conv(x, filters, 1, 1)
        seven = self.conv(self.conv(seven, filters, 1, 7), 192, 7, 1)
        double = self.conv(x, filters, 1, 1)
        double = self.conv(self.conv(double, filters, 7, 1), filters, 1, 7)
        double = self.conv(self.conv(double, filters, 7, 1), 192, 1, 7)
        return self.join([one, seven, double, self._pooled(x, 192)], name)

    def block8(self, x: Any, number: int, name: str) -> Any:
        one = self.conv(x, 320, 1, 1)
        three = self.conv(x, 384, 1, 1)
        parts = [self.conv(three, 384, 1, 3), self.conv(three, 384, 3, 1)]
        three = self.join(parts, f"mixed9_{number}")
        double = self.conv(self.conv(x, 448, 1, 1), 384, 3, 3)
        double = self.join([self.conv(double, 384, 1, 3), self.conv(double, 384, 3, 1)])
        return self.join([one, three, double, self._pooled(x, 192)], name)

    def reduce17(self, x: Any) -> Any:
        three = self.conv(x, 384, 3, 3, "valid", 2)
        double = self.conv(self.conv(x, 64, 1, 1), 96, 3, 3)
        double = self.conv(double, 96, 3, 3, "valid", 2)
        return self.join([three, double, MaxPooling2D(3, strides=2)(x)], "mixed3")

    def reduce8(self, x: Any) -> Any:
        three = self.conv(self.conv(x, 192, 1, 1), 320, 3, 3, "valid", 2)
        seven = self.conv(self.conv(x, 192, 1, 1), 192, 1, 7)
        seven = self.conv(self.conv(seven, 192, 7, 1), 192, 3, 3, "valid", 2)
        return self.join([three, seven, MaxPooling2D(3, strides=2)(x)], "mixed8")

    def stem(self, x: Any) -> Any:
        x = self.conv(x, 32, 3, 3, "valid", 2)
        x = self.conv(self.conv(x, 32, 3, 3, "valid"), 64, 3, 3)
        x = MaxPooling2D(3, strides=2)(x)
        x = self.conv(self.conv(x, 80, 1, 1, "valid"), 192, 3, 3, "valid")
        return MaxPooling2D(3, strides=2)(x)


@export("keras.applications.InceptionV3", "keras.applications.inception_v3.InceptionV3")
@takes_layers
def InceptionV3(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes Inception v3.

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
    made = _Inception(given.channel_axis)
    x = made.stem(given.input)
    for number, filters in enumerate((32, 64, 64)):
        x = made.block35(x, filters, f"mixed{number}")
    x = made.reduce17(x)
    for number, filters in enumerate((128, 160, 160, 192), 4):
        x = made.block17(x, filters, f"mixed{number}")
    x = made.reduce8(x)
    for number in range(2):
        x = made.block8(x, number, f"mixed{9 + number}")
    x = given.classified(x, "avg_pool", "predictions")
    url = f"{_SITE}inception_v3_weights_tf_dim_ordering_tf_kernels{{}}.h5"
    return given.loaded(given.model(x, "inception_v3"), url, _HASHES)
