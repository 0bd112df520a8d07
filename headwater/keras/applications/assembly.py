"""What all networks share: inputs, the end of the network, published weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headwater.keras.applications.chosen_layers import (
    Dense,
    GlobalAveragePooling2D,
    GlobalMaxPooling2D,
    Input,
)
from headwater.keras.backend.settings import image_data_format
from headwater.keras.engine.tensor_origins import get_source_inputs
from headwater.keras.engine.training import Model
from headwater.keras.utils.files import get_file


class Arguments:
    """The arguments of a network, checked, and its input.

    Args:
        include_top: whether the network ends with the classes.
        weights: None, "imagenet" or a file.
        input_tensor: the input; a new one if None.
        input_shape: the shape of an image.
        pooling: "avg", "max" or None: what ends a network without the classes.
        classes: the number of classes.
        default_size: the height and width of images of the published network.
        min_size: the least height and width.
        needs_size: whether the size has to be known; `include_top` if None.

    Raises:
        ValueError: if an argument is unknown, or they do not go together.
    """

    def __init__(
        self,
        include_top: bool,
        weights: str | None,
        input_tensor: Any,
        input_shape: Any,
        pooling: str | None,
        classes: int,
        *,
        default_size: int,
        min_size: int,
        needs_size: bool | None = None,
    ) -> None:
        if weights not in (None, "imagenet") and not Path(str(weights)).exists():
            raise ValueError(
                "The `weights` argument should be either `None` (random initialization), "
                "`imagenet` (pre-training on ImageNet), or the path to the weights file to be "
                "loaded."
            )
        if weights == "imagenet" and include_top and classes != 1000:
            raise ValueError(
                'If using `weights` as `"imagenet"` with `include_top` as true, `classes` should '
                "be 1000"
            )
        self.include_top, self.weights = include_top, weights
        self.pooling, self.classes = pooling, classes
        needs = include_top if needs_size is None else needs_size
        self.input_shape = checked_image_shape(input_shape, default_size, min_size, needs, weights)
        self.channel_axis = 3 if image_data_format() == "channels_last" else 1
        if input_tensor is None:
            self.input = Input(shape=self.input_shape)
            self.inputs: Any = self.input
        else:
            known = hasattr(input_tensor, "_keras_history")
            self.input = (
                input_tensor if known else Input(tensor=input_tensor, shape=self.input_shape)
            )
            self.inputs = get_source_inputs(input_tensor) if known else self.input

    def pooled(self, x: Any, named: bool = False) -> Any:
        """The end of a network without the classes."""
        if self.pooling == "avg":
            return GlobalAveragePooling2D(name="avg_pool" if named else None)(x)
        if self.pooling == "max":
            return GlobalMaxPooling2D(name="max_pool" if named else None)(x)
        return x

    def classified(self, x: Any, pool: str | None, name: str) -> Any:
        """The end of a network: the mean over the image, then the classes."""
        if not self.include_top:
            return self.pooled(x)
        x = GlobalAveragePooling2D(name=pool)(x)
        return Dense(self.classes, activation="softmax", name=name)(x)

    def model(self, x: Any, name: str) -> Model:
        """The network with an output."""
        inputs = self.inputs
        if isinstance(inputs, list) and len(inputs) == 1:
            inputs = inputs[0]
        return Model(inputs, x, name=name)

    def loaded(
        self,
        model: Model,
        url: str,
        hashes: tuple[str | None, str | None],
        without: str = "_notop",
    ) -> Model:
        """The network with published weights, or with those of a file.

        Args:
            model: the network.
            url: the address of the weights, with `{}` where the file's name says that the classes
                are left out.
            hashes: the digests of the files with and without the classes.
            without: what the file's name says if the classes are left out.
        """
        if self.weights == "imagenet":
            address = url.format("" if self.include_top else without)
            path = get_file(
                address.rpartition("/")[2],
                address,
                cache_subdir="models",
                file_hash=hashes[0] if self.include_top else hashes[1],
            )
            model.load_weights(path)
        elif self.weights is not None:
            model.load_weights(self.weights)
        return model


def checked_image_shape(
    shape: Any,
    default_size: int,
    min_size: int,
    needs_size: bool,
    weights: str | None,
    data_format: str | None = None,
) -> tuple[int | None, ...]:
    """Returns the shape of the images that a network takes.

    Args:
        shape: the shape that is asked for, or None.
        default_size: height and width of the images that published weights are for.
        min_size: the least height and width.
        needs_size: whether height and width have to be known.
        weights: "imagenet", a path, or None.
        data_format: "channels_last" or "channels_first"; that of the settings if None.

    Raises:
        ValueError: if the shape is not possible.
    """
    last = (data_format or image_data_format()) == "channels_last"
    channels = 3
    if weights != "imagenet" and shape and len(shape) == 3:
        channels = shape[-1] if last else shape[0]
    size = (default_size, default_size)
    default = (*size, channels) if last else (channels, *size)
    if weights == "imagenet" and needs_size:
        if shape is not None and tuple(shape) != default:
            raise ValueError(
                "When setting `include_top=True` and loading `imagenet` weights, `input_shape` "
                f"should be {default}."
            )
        return default
    if not shape:
        found: tuple[int | None, ...] = (None, None, 3) if last else (3, None, None)
        found = default if needs_size else found
    else:
        found = tuple(shape)
        if len(found) != 3:
            raise ValueError("`input_shape` must be a tuple of three integers.")
        if weights == "imagenet" and channels_of(found) != 3:
            raise ValueError(f"The input must have 3 channels; got `input_shape={found}`")
        sides = found[:2] if last else found[1:]
        if any(side is not None and side < min_size for side in sides):
            raise ValueError(
                f"Input size must be at least {min_size}x{min_size}; got `input_shape={found}`"
            )
    if needs_size and None in found:
        raise ValueError(
            "If `include_top` is True, you should specify a static `input_shape`. Got "
            f"`input_shape={found}`"
        )
    return found


def channels_of(shape: Any) -> Any:
    """The number of channels of the shape of an image."""
    return shape[-1] if image_data_format() == "channels_last" else shape[0]
