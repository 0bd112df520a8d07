"""NASNet-A, found by a search (Zoph et al., 2017)."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.graph import name_scope
from headwater.keras.applications.assembly import Arguments
from headwater.keras.applications.chosen_layers import (
    Activation,
    AveragePooling2D,
    BatchNormalization,
    Conv2D,
    Cropping2D,
    MaxPooling2D,
    SeparableConv2D,
    ZeroPadding2D,
    add,
    concatenate,
    takes_layers,
)
from headwater.keras.engine.training import Model

_SITE = "https://github.com/titu1994/Keras-NASNet/releases/download/v1.2/"
_MOBILE = ("020fb642bf7360b370c678b08e0adf61", "1ed92395b5b598bdda52abe5c0dbfd63")
_LARGE = ("11577c9a518f0070763c2b964a382f17", "d81d89dc07e6e56530c4e77faddd61b5")


def _padding(x: Any, size: int, first: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The rows and columns around images, for windows of stride 2 with "valid" padding."""
    sides = x.shape.as_list()[first : first + 2]
    half = size // 2
    rows, columns = (half - (1 if side is None else 1 - side % 2) for side in sides)
    return (rows, half), (columns, half)


class _NASNet:
    """The cells of NASNet-A."""

    def __init__(self, axis: int) -> None:
        self._axis = -1 if axis == 3 else axis
        self._first = 1 if axis == 3 else 2

    def norm(self, x: Any, name: str) -> Any:
        return BatchNormalization(axis=self._axis, momentum=0.9997, epsilon=1e-3, name=name)(x)

    def conv(self, x: Any, filters: int, name: str) -> Any:
        return Conv2D(
            filters, 1, padding="same", use_bias=False, kernel_initializer="he_normal", name=name
        )(x)

    def separable(self, x: Any, filters: int, size: int, block: str, stride: int = 1) -> Any:
        """Two separable convolutions."""
        with name_scope(f"separable_conv_block_{block}"):
            x = Activation("relu")(x)
            padding = "same"
            if stride == 2:
                around = _padding(x, size, self._first)
                x = ZeroPadding2D(around, name=f"separable_conv_1_pad_{block}")(x)
                padding = "valid"
            for number in (1, 2):
                x = SeparableConv2D(
                    filters,
                    size,
                    strides=stride if number == 1 else 1,
                    padding=padding if number == 1 else "same",
                    use_bias=False,
                    kernel_initializer="he_normal",
                    name=f"separable_conv_{number}_{block}",
                )(x)
                x = self.norm(x, f"separable_conv_{number}_bn_{block}")
                if number == 1:
                    x = Activation("relu")(x)
            return x

    def adjusted(self, p: Any, x: Any, filters: int, block: str) -> Any:
        """The output of the cell before the last, with the size and channels of the last."""
        if p is None:
            return x
        rows = self._first
        with name_scope("adjust_block"):
            if p.shape[rows].value != x.shape[rows].value:
                with name_scope(f"adjust_reduction_block_{block}"):
                    return self._halved(p, filters, block)
            if p.shape[self._axis].value != filters:
                with name_scope(f"adjust_projection_block_{block}"):
                    p = self.conv(Activation("relu")(p), filters, f"adjust_conv_projection_{block}")
                    return self.norm(p, f"adjust_bn_{block}")
        return p

    def _halved(self, p: Any, filters: int, block: str) -> Any:
        p = Activation("relu", name=f"adjust_relu_1_{block}")(p)
        p1 = AveragePooling2D(1, strides=2, name=f"adjust_avg_pool_1_{block}")(p)
        p1 = self.conv(p1, filters // 2, f"adjust_conv_1_{block}")
        p2 = Cropping2D(((1, 0), (1, 0)))(ZeroPadding2D(((0, 1), (0, 1)))(p))
        p2 = AveragePooling2D(1, strides=2, name=f"adjust_avg_pool_2_{block}")(p2)
        p2 = self.conv(p2, filters // 2, f"adjust_conv_2_{block}")
        return self.norm(concatenate([p1, p2], axis=self._axis), f"adjust_bn_{block}")

    def _mean(self, x: Any, name: str, stride: int = 1) -> Any:
        padding = "same" if stride == 1 else "valid"
        return AveragePooling2D(3, strides=stride, padding=padding, name=name)(x)

    def normal(self, x: Any, p: Any, filters: int, block: str) -> tuple[Any, Any]:
        """A cell that keeps the size of images; returns its output and its input."""
        with name_scope(f"normal_A_block_{block}"):
            p = self.adjusted(p, x, filters, block)
            h = self.conv(Activation("relu")(x), filters, f"normal_conv_1_{block}")
            h = self.norm(h, f"normal_bn_1_{block}")
            with name_scope("block_1"):
                left = self.separable(h, filters, 5, f"normal_left1_{block}")
                right = self.separable(p, filters, 3, f"normal_right1_{block}")
                x1 = add([left, right], name=f"normal_add_1_{block}")
            with name_scope("block_2"):
                left = self.separable(p, filters, 5, f"normal_left2_{block}")
                right = self.separable(p, filters, 3, f"normal_right2_{block}")
                x2 = add([left, right], name=f"normal_add_2_{block}")
            with name_scope("block_3"):
                mean = self._mean(h, f"normal_left3_{block}")
                x3 = add([mean, p], name=f"normal_add_3_{block}")
            with name_scope("block_4"):
                left = self._mean(p, f"normal_left4_{block}")
                right = self._mean(p, f"normal_right4_{block}")
                x4 = add([left, right], name=f"normal_add_4_{block}")
            with name_scope("block_5"):
                left = self.separable(h, filters, 3, f"normal_left5_{block}")
                x5 = add([left, h], name=f"normal_add_5_{block}")
            whole = [p, x1, x2, x3, x4, x5]
            return concatenate(whole, axis=self._axis, name=f"normal_concat_{block}"), x

    def reduction(self, x: Any, p: Any, filters: int, block: str) -> tuple[Any, Any]:
        """A cell that halves the size of images; returns its output and its input."""
        with name_scope(f"reduction_A_block_{block}"):
            p = self.adjusted(p, x, filters, block)
            h = self.conv(Activation("relu")(x), filters, f"reduction_conv_1_{block}")
            h = self.norm(h, f"reduction_bn_1_{block}")
            padded = ZeroPadding2D(_padding(h, 3, self._first), name=f"reduction_pad_1_{block}")(h)
            with name_scope("block_1"):
                left = self.separable(h, filters, 5, f"reduction_left1_{block}", 2)
                right = self.separable(p, filters, 7, f"reduction_right1_{block}", 2)
                x1 = add([left, right], name=f"reduction_add_1_{block}")
            with name_scope("block_2"):
                left = MaxPooling2D(3, strides=2, name=f"reduction_left2_{block}")(padded)
                right = self.separable(p, filters, 7, f"reduction_right2_{block}", 2)
                x2 = add([left, right], name=f"reduction_add_2_{block}")
            with name_scope("block_3"):
                left = self._mean(padded, f"reduction_left3_{block}", 2)
                right = self.separable(p, filters, 5, f"reduction_right3_{block}", 2)
                x3 = add([left, right], name=f"reduction_add3_{block}")
            with name_scope("block_4"):
                x4 = add([x2, self._mean(x1, f"reduction_left4_{block}")])
            with name_scope("block_5"):
                left = self.separable(x1, filters, 3, f"reduction_left4_{block}")
                right = MaxPooling2D(3, strides=2, name=f"reduction_right5_{block}")(padded)
                x5 = add([left, right], name=f"reduction_add4_{block}")
            whole = [x2, x3, x4, x5]
            return concatenate(whole, axis=self._axis, name=f"reduction_concat_{block}"), x


def _network(
    given: Arguments,
    penultimate_filters: int,
    num_blocks: int,
    stem_filters: int,
    skip_reduction: bool,
) -> Model:
    """A NASNet-A.

    Args:
        given: the arguments.
        penultimate_filters: the number of channels before the classes.
        num_blocks: the number of cells of each size.
        stem_filters: the number of filters of the first convolution.
        skip_reduction: whether a cell after a reduction gets the input of the reduction too.
    """
    made = _NASNet(given.channel_axis)
    filters = penultimate_filters // 24
    x = Conv2D(
        stem_filters,
        3,
        strides=2,
        use_bias=False,
        kernel_initializer="he_normal",
        name="stem_conv1",
    )(given.input)
    x, p = made.norm(x, "stem_bn1"), None
    x, p = made.reduction(x, p, filters // 4, "stem_1")
    x, p = made.reduction(x, p, filters // 2, "stem_2")
    for stage in range(3):
        if stage:
            x, before = made.reduction(x, p, filters * 2**stage, f"reduce_{num_blocks * stage}")
            p = p if skip_reduction else before
        for number in range(num_blocks):
            block = str(num_blocks * stage + number + (stage > 0))
            x, p = made.normal(x, p, filters * 2**stage, block)
    x = given.classified(Activation("relu")(x), None, "predictions")
    return given.model(x, "NASNet")


@export("keras.applications.NASNetMobile", "keras.applications.nasnet.NASNetMobile")
@takes_layers
def NASNetMobile(
    input_shape: Any = None,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes NASNet-A (4 @ 1056), for images of 224 x 224.

    Args:
        input_shape: the shape of an image.
        include_top: whether the network ends with the classes.
        weights: None, "imagenet" or a file.
        input_tensor: the input; a new one if None.
        pooling: "avg", "max" or None: what ends a network without the classes.
        classes: the number of classes.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    given = Arguments(
        *(include_top, weights, input_tensor, input_shape, pooling, classes),
        default_size=224,
        min_size=32,
        needs_size=True,
    )
    model = _network(given, 1056, 4, 32, skip_reduction=False)
    return given.loaded(model, f"{_SITE}NASNet-mobile{{}}.h5", _MOBILE, without="-no-top")


@export("keras.applications.NASNetLarge", "keras.applications.nasnet.NASNetLarge")
@takes_layers
def NASNetLarge(
    input_shape: Any = None,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Model:
    """Makes NASNet-A (6 @ 4032), for images of 331 x 331.

    Args:
        input_shape: the shape of an image.
        include_top: whether the network ends with the classes.
        weights: None, "imagenet" or a file.
        input_tensor: the input; a new one if None.
        pooling: "avg", "max" or None: what ends a network without the classes.
        classes: the number of classes.
        **kwargs: `layers`, a module or object whose layers are used; `backend`, `models` and
            `utils` have no effect.

    Returns:
        A Model.
    """
    given = Arguments(
        *(include_top, weights, input_tensor, input_shape, pooling, classes),
        default_size=331,
        min_size=32,
        needs_size=True,
    )
    model = _network(given, 4032, 6, 96, skip_reduction=True)
    return given.loaded(model, f"{_SITE}NASNet-large{{}}.h5", _LARGE, without="-no-top")
