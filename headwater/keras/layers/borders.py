"""Layers that pad, crop and enlarge inputs along their spatial axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, export
from headwater.keras.backend.settings import image_data_format
from headwater.keras.backend.shaping import (
    repeat_elements,
    resize_images,
    resize_volumes,
    spatial_2d_padding,
    spatial_3d_padding,
    temporal_padding,
)
from headwater.keras.layers.arguments import KerasConfig
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.windows import checked_format, numbers

Pairs = tuple[tuple[int, ...], ...]

_FORMS = {
    2: "a tuple of 2 ints (symmetric_height_{0}, symmetric_width_{0}), or a tuple of 2 tuples of 2 "
    "ints ((top_{0}, bottom_{0}), (left_{0}, right_{0}))",
    3: "a tuple of 3 ints (symmetric_dim1_{0}, symmetric_dim2_{0}, symmetric_dim3_{0}), or a tuple "
    "of 3 tuples of 2 ints ((left_dim1_{0}, right_dim1_{0}), (left_dim2_{0}, right_dim2_{0}), "
    "(left_dim3_{0}, right_dim2_{0}))",
}
_ORDINALS = ("1st", "2nd", "3rd")
_SHORT = {"padding": "pad", "cropping": "crop"}


def _pairs(value: Any, rank: int, name: str) -> Pairs:
    """The lengths before and after each spatial axis.

    Args:
        value: a number for all, a number for each axis, or a pair for each axis.
        rank: the number of axes, 2 or 3.
        name: "padding" or "cropping".

    Raises:
        ValueError: if it is none of these.
    """
    if isinstance(value, int):
        return ((value, value),) * rank
    if not hasattr(value, "__len__"):
        raise ValueError(
            f"`{name}` should be either an int, {_FORMS[rank].format(_SHORT[name])}. Found: {value}"
        )
    if len(value) != rank:
        count = "two" if rank == 2 else rank
        raise ValueError(f"`{name}` should have {count} elements. Found: {value}")
    return tuple(
        numbers(each, 2, f"{_ORDINALS[i]} entry of {name}") for i, each in enumerate(value)
    )


class _Spatial(KerasConfig):
    """The base of layers that change the lengths of the spatial axes.

    Attributes:
        rank: the number of spatial axes.
    """

    rank: int

    def __init__(self, data_format: str | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_format(data_format or image_data_format())
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _first_axis(self) -> int:
        return 2 if self.data_format == "channels_first" else 1

    def _length(self, length: int, axis: int) -> int:
        """The new length of a spatial axis."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        dims = TensorShape(input_shape).as_list()
        first = self._first_axis()
        for axis in range(self.rank):
            length = dims[first + axis]
            dims[first + axis] = None if length is None else self._length(length, axis)
        return TensorShape(dims)


class _ZeroPadding(_Spatial):
    """The base of the layers that pad with zeros."""

    padding: Pairs

    def _length(self, length: int, axis: int) -> int:
        return length + sum(self.padding[axis])


@export("keras.layers.ZeroPadding1D")
class ZeroPadding1D(_ZeroPadding):
    """Pads sequences (batch, steps, features) with zeros.

    Args:
        padding: the number of steps before and after: a number for both, or two.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if `padding` is neither.
    """

    rank = 1
    config_names = ("padding",)

    def __init__(self, padding: int | Sequence[int] = 1, **kwargs: Any) -> None:
        super().__init__("channels_last", **kwargs)
        self.padding: Any = numbers(padding, 2, "padding")

    def _length(self, length: int, axis: int) -> int:
        return length + sum(self.padding)

    def call(self, inputs: TensorLike) -> Tensor:
        """Pads the steps."""
        return temporal_padding(inputs, padding=self.padding)


@export("keras.layers.ZeroPadding2D")
class ZeroPadding2D(_ZeroPadding):
    """Pads images with zeros.

    Args:
        padding: the number of rows and columns: one number, one for each axis, or pairs of those
            before and after.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if `padding` is none of these.
    """

    rank = 2
    config_names = ("padding", "data_format")

    def __init__(
        self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = _pairs(padding, 2, "padding")

    def call(self, inputs: TensorLike) -> Tensor:
        """Pads rows and columns."""
        return spatial_2d_padding(inputs, padding=self.padding, data_format=self.data_format)


@export("keras.layers.ZeroPadding3D")
class ZeroPadding3D(_ZeroPadding):
    """Pads volumes with zeros.

    Args:
        padding: the lengths: one number, one for each axis, or pairs of those before and after.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if `padding` is none of these.
    """

    rank = 3
    config_names = ("padding", "data_format")

    def __init__(
        self, padding: Any = (1, 1, 1), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = _pairs(padding, 3, "padding")

    def call(self, inputs: TensorLike) -> Tensor:
        """Pads the three axes."""
        return spatial_3d_padding(inputs, padding=self.padding, data_format=self.data_format)


class _Cropping(_Spatial):
    """The base of the layers that cut borders off."""

    cropping: Pairs

    def _length(self, length: int, axis: int) -> int:
        return length - sum(self.cropping[axis])

    def call(self, inputs: TensorLike) -> Tensor:
        """Cuts the borders off."""
        cut = [slice(before, -after if after else None) for before, after in self.cropping]
        return inputs[(slice(None),) * self._first_axis() + tuple(cut)]


@export("keras.layers.Cropping1D")
class Cropping1D(_Cropping):
    """Cuts off the first and last steps of sequences (batch, steps, features).

    Args:
        cropping: the numbers of steps at the start and at the end; a number for both, or two.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if `cropping` is neither.
    """

    rank = 1
    config_names = ("cropping",)

    def __init__(self, cropping: int | Sequence[int] = (1, 1), **kwargs: Any) -> None:
        super().__init__("channels_last", **kwargs)
        self.cropping: Any = numbers(cropping, 2, "cropping")

    def _length(self, length: int, axis: int) -> int:
        return length - sum(self.cropping)

    def call(self, inputs: TensorLike) -> Tensor:
        """Cuts the steps off."""
        before, after = self.cropping
        return inputs[:, before : -after if after else None, :]


@export("keras.layers.Cropping2D")
class Cropping2D(_Cropping):
    """Cuts off the borders of images.

    Args:
        cropping: the number of rows and columns: one number, one for each axis, or pairs of those
            at the start and at the end.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if `cropping` is none of these.
    """

    rank = 2
    config_names = ("cropping", "data_format")

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = _pairs(cropping, 2, "cropping")


@export("keras.layers.Cropping3D")
class Cropping3D(_Cropping):
    """Cuts off the borders of volumes.

    Args:
        cropping: the lengths: one number, one for each axis, or pairs of those at the start and at
            the end.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if `cropping` is none of these.
    """

    rank = 3
    config_names = ("cropping", "data_format")

    def __init__(
        self,
        cropping: Any = ((1, 1), (1, 1), (1, 1)),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = _pairs(cropping, 3, "cropping")


class _UpSampling(_Spatial):
    """The base of the layers that repeat elements."""

    size: Any

    def _length(self, length: int, axis: int) -> int:
        factor: int = self.size[axis]
        return length * factor


@export("keras.layers.UpSampling1D")
class UpSampling1D(_UpSampling):
    """Repeats each step of sequences (batch, steps, features).

    Args:
        size: how often.
        **kwargs: further arguments of Layer.
    """

    rank = 1
    config_names = ("size",)

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__("channels_last", **kwargs)
        self.size = int(size)

    def _length(self, length: int, axis: int) -> int:
        factor: int = self.size
        return length * factor

    def call(self, inputs: TensorLike) -> Tensor:
        """Repeats the steps."""
        return repeat_elements(inputs, self.size, axis=1)


@export("keras.layers.UpSampling2D")
class UpSampling2D(_UpSampling):
    """Enlarges images.

    Args:
        size: the factors of rows and columns: one number for both, or two.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        interpolation: "nearest" or "bilinear".
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the interpolation is unknown.
    """

    rank = 2
    config_names = ("size", "data_format", "interpolation")

    def __init__(
        self,
        size: int | Sequence[int] = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.size = numbers(size, 2, "size")
        if interpolation not in {"nearest", "bilinear"}:
            raise ValueError(
                '`interpolation` argument should be one of `"nearest"` or `"bilinear"`.'
            )
        self.interpolation = interpolation

    def call(self, inputs: TensorLike) -> Tensor:
        """Enlarges the images."""
        rows, columns = self.size
        return resize_images(inputs, rows, columns, self.data_format, self.interpolation)


@export("keras.layers.UpSampling3D")
class UpSampling3D(_UpSampling):
    """Repeats the elements of volumes.

    Args:
        size: the factors of the axes: one number for all, or three.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        **kwargs: further arguments of Layer.
    """

    rank = 3
    config_names = ("size", "data_format")

    def __init__(
        self,
        size: int | Sequence[int] = (2, 2, 2),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.size = numbers(size, 3, "size")
        # 1.15.5 does not check the rank.
        self.input_spec = None

    def call(self, inputs: TensorLike) -> Tensor:
        """Repeats the elements."""
        depth, rows, columns = self.size
        return resize_volumes(inputs, depth, rows, columns, self.data_format)
