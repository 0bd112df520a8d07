"""Images in files and as arrays."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.keras.backend.settings import floatx, image_data_format

_INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")
_MODES = {"grayscale": "L", "rgba": "RGBA", "rgb": "RGB"}


def checked_format(data_format: str | None) -> str:
    """The data format, that of tf.keras.backend if None.

    Raises:
        ValueError: if it is unknown.
    """
    found = data_format or image_data_format()
    if found not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {found}")
    return found


@export("keras.preprocessing.image.array_to_img")
def array_to_img(
    x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None
) -> Any:
    """Makes an image of Pillow of an array.

    Args:
        x: an array of shape (height, width, channels), or channels first.
        data_format: "channels_last" or "channels_first".
        scale: whether values are scaled to the range from 0 to 255.
        dtype: the type in which this is computed.

    Returns:
        A PIL.Image.

    Raises:
        ValueError: if the array is not an image.
    """
    # Pillow loads slowly.
    from PIL import Image

    x = np.asarray(x, dtype=dtype or floatx())
    if x.ndim != 3:
        raise ValueError(
            f"Expected image array to have rank 3 (single image). Got array with shape: {x.shape}"
        )
    if checked_format(data_format) == "channels_first":
        x = x.transpose(1, 2, 0)
    if scale:
        x = x - np.min(x)
        largest = np.max(x)
        if largest != 0:
            x = x / largest
        x = x * 255
    channels = x.shape[2]
    if channels in (3, 4):
        return Image.fromarray(x.astype("uint8"), "RGB" if channels == 3 else "RGBA")
    if channels != 1:
        raise ValueError(f"Unsupported channel number: {channels}")
    if np.max(x) > 255:
        return Image.fromarray(x[:, :, 0].astype("int32"))
    return Image.fromarray(x[:, :, 0].astype("uint8"))


@export("keras.preprocessing.image.img_to_array")
def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> Array:
    """Makes an array of an image of Pillow.

    Args:
        img: a PIL.Image.
        data_format: "channels_last" or "channels_first".
        dtype: the type of the array.

    Returns:
        An array of shape (height, width, channels), or channels first.

    Raises:
        ValueError: if it is not an image.
    """
    first = checked_format(data_format) == "channels_first"
    x = np.asarray(img, dtype=dtype or floatx())
    if x.ndim == 3:
        return x.transpose(2, 0, 1) if first else x
    if x.ndim == 2:
        return x[None] if first else x[:, :, None]
    raise ValueError(f"Unsupported image shape: {x.shape}")


@export("keras.preprocessing.image.load_img")
def load_img(
    path: Any,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: tuple[int, int] | None = None,
    interpolation: str = "nearest",
) -> Any:
    """Reads an image.

    Args:
        path: the file.
        grayscale: the older form of color_mode="grayscale".
        color_mode: "grayscale", "rgb" or "rgba".
        target_size: (height, width) to which the image is resized.
        interpolation: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos".

    Returns:
        A PIL.Image.

    Raises:
        ValueError: if an argument is unknown.
    """
    # Pillow loads slowly.
    from PIL import Image

    color_mode = "grayscale" if grayscale else color_mode
    if color_mode not in _MODES:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    image: Any = Image.open(path)
    image.load()  # closes the file
    if image.mode != _MODES[color_mode] and not (
        color_mode == "grayscale" and image.mode in ("I;16", "I")
    ):
        image = image.convert(_MODES[color_mode])
    if target_size is not None:
        size = (target_size[1], target_size[0])
        if image.size != size:
            if interpolation not in _INTERPOLATIONS:
                raise ValueError(
                    f"Invalid interpolation method {interpolation} specified. Supported methods "
                    f"are {', '.join(_INTERPOLATIONS)}"
                )
            image = image.resize(size, getattr(Image.Resampling, interpolation.upper()))
    return image


@export("keras.preprocessing.image.save_img")
def save_img(
    path: Any,
    x: Any,
    data_format: str | None = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Writes an array as an image.

    Args:
        path: the file.
        x: an array of shape (height, width, channels), or channels first.
        data_format: "channels_last" or "channels_first".
        file_format: the format; that of the file's ending if None.
        scale: whether values are scaled to the range from 0 to 255.
        **kwargs: arguments of PIL.Image.save.
    """
    image = array_to_img(x, data_format=data_format, scale=scale)
    if image.mode == "RGBA" and file_format in ("jpg", "jpeg"):
        image = image.convert("RGB")
    form = {"jpg": "jpeg"}.get(file_format or "", file_format)
    image.save(path if hasattr(path, "write") else os.fspath(path), format=form, **kwargs)
