"""The functions for pictures that `scipy.misc` had up to SciPy 1.1, on top of Pillow."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.lazy import LazyModule

Image: Any = LazyModule("PIL.Image")
ImageFilter: Any = LazyModule("PIL.ImageFilter")

_FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}
_EFFECTS = (
    "blur contour detail edge_enhance edge_enhance_more emboss find_edges"
    " smooth smooth_more sharpen"
).split()
_WITH_PALETTE, _GRAY = "P", "L"
_MODES = {3: ("RGB", "YCbCr"), 4: ("RGBA", "CMYK")}


def bytescale(
    data: Any, cmin: float | None = None, cmax: float | None = None, high: int = 255, low: int = 0
) -> np.ndarray:
    """Scales values to bytes between `low` and `high`.

    Args:
        data: an array; one of bytes stays as it is.
        cmin: what becomes `low`, by default the smallest value.
        cmax: what becomes `high`, by default the largest one.
        high: at most 255.
        low: at least 0.

    Returns:
        An array of uint8.
    """
    data = np.asarray(data)
    if data.dtype == np.uint8:
        return data
    if high > 255:
        raise ValueError("`high` should be less than or equal to 255.")
    if low < 0:
        raise ValueError("`low` should be greater than or equal to 0.")
    if high < low:
        raise ValueError("`high` should be greater than or equal to `low`.")
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    span = cmax - cmin
    if span < 0:
        raise ValueError("`cmax` should be larger than `cmin`.")
    scaled = (data - cmin) * (float(high - low) / (span or 1)) + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: float | None = None,
    cmax: float | None = None,
    pal: Any = None,
    mode: str | None = None,
    channel_axis: int | None = None,
) -> Any:
    """Makes a picture of Pillow from an array of two or three axes.

    Args:
        arr: gray values, or an array one of whose axes has three or four elements: the channels.
        high: the byte of the largest value.
        low: the byte of the smallest value.
        cmin: what becomes `low`.
        cmax: what becomes `high`.
        pal: colors of a palette, for mode "P".
        mode: Pillow's mode.
        channel_axis: the axis of the channels, by default the first one that can be it.

    Returns:
        The picture.
    """
    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        return _gray_picture(data, high, low, cmin, cmax, pal, mode)
    if data.ndim != 3 or not {3, 4} & set(data.shape):
        raise ValueError("'arr' does not have a suitable array shape for any mode.")
    if channel_axis is None:
        channel_axis = data.shape.index(3 if 3 in data.shape else 4)
    channels = data.shape[channel_axis]
    if channels not in _MODES:
        raise ValueError("Channel axis dimension is not valid.")
    mode = mode or _MODES[channels][0]
    if mode not in _MODES[channels]:
        raise ValueError("Invalid array shape for mode.")
    pixels = np.moveaxis(bytescale(data, cmin, cmax, high, low), channel_axis, 2)
    return _from_bytes(mode, pixels)


def _gray_picture(
    data: np.ndarray,
    high: int,
    low: int,
    cmin: float | None,
    cmax: float | None,
    pal: Any,
    mode: str | None,
) -> Any:
    if mode == "F":
        return _from_bytes("F", data.astype(np.float32))
    if mode in (None, _GRAY, _WITH_PALETTE):
        picture = _from_bytes(_GRAY, bytescale(data, cmin, cmax, high, low))
        if pal is not None:
            picture.putpalette(np.asarray(pal, np.uint8).tobytes())
        elif mode == _WITH_PALETTE:
            picture.putpalette(np.repeat(np.arange(256, dtype=np.uint8), 3).tobytes())
        return picture
    if mode == "1":
        # One byte for each pixel, of which Pillow takes eight pixels: as SciPy has done.
        return _from_bytes("1", data > high)
    cmin = np.amin(data) if cmin is None else cmin
    cmax = np.amax(data) if cmax is None else cmax
    data = (data * 1.0 - cmin) * (high - low) / (cmax - cmin) + low
    if mode == "I":
        return _from_bytes("I", data.astype(np.uint32))
    raise ValueError("Could not convert an array of two axes to mode " + str(mode))


def _from_bytes(mode: str, pixels: np.ndarray) -> Any:
    return Image.frombytes(mode, (pixels.shape[1], pixels.shape[0]), pixels.tobytes())


def fromimage(im: Any, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """Returns the pixels of a picture of Pillow.

    Args:
        im: the picture.
        flatten: whether colors become gray values of float32.
        mode: what Pillow converts the picture to.

    Returns:
        An array [height, width] or [height, width, channels].
    """
    if not isinstance(im, Image.Image):
        raise TypeError("Input is not a PIL image.")
    if mode is not None:
        if mode != im.mode:
            im = im.convert(mode)
    elif im.mode == _WITH_PALETTE:
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert(_GRAY)
    return np.array(im)


def imread(name: Any, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """Reads a picture from a file.

    Args:
        name: the name of the file, or an open file.
        flatten: whether colors become gray values of float32.
        mode: what Pillow converts the picture to.

    Returns:
        An array [height, width] or [height, width, channels].
    """
    return fromimage(Image.open(name), flatten=flatten, mode=mode)


def imsave(name: Any, arr: Any, format: str | None = None) -> None:
    """Writes a picture to a file; values other than bytes are scaled to what bytes can show.

    Args:
        name: the name of the file, or an open file.
        arr: an array [height, width] or [height, width, channels].
        format: Pillow's name of the format, by default that of the file's extension.
    """
    picture = toimage(arr, channel_axis=2)
    if format is None:
        picture.save(name)
    else:
        picture.save(name, format)


def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: str | None = None) -> np.ndarray:
    """Returns a picture in another size, as bytes.

    Args:
        arr: an array [height, width] or [height, width, channels].
        size: height and width, or an integer for per cent, or a float for a factor.
        interp: "nearest", "lanczos", "bilinear", "bicubic" or "cubic".
        mode: Pillow's mode of the picture.

    Returns:
        The pixels of the picture.
    """
    picture = toimage(arr, mode=mode)
    if isinstance(size, (float, np.floating)):
        width, height = (int(side * size) for side in picture.size)
    elif isinstance(size, (int, np.integer)):
        width, height = (int(side * (size / 100.0)) for side in picture.size)
    else:
        height, width = size[0], size[1]
    return fromimage(picture.resize((int(width), int(height)), resample=_FILTERS[interp]))


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> np.ndarray:
    """Returns a picture rotated around its center, counter-clockwise.

    Args:
        arr: an array [height, width] or [height, width, channels].
        angle: in degrees.
        interp: as that of `imresize`.

    Returns:
        The pixels of the picture, which keeps its size.
    """
    return fromimage(toimage(arr).rotate(angle, resample=_FILTERS[interp]))


def imfilter(arr: Any, ftype: str) -> np.ndarray:
    """Applies one of Pillow's filters, such as "blur", "sharpen" or "find_edges".

    Args:
        arr: an array [height, width] or [height, width, channels].
        ftype: the name of the filter.

    Returns:
        The pixels of the picture.
    """
    if ftype not in _EFFECTS:
        raise ValueError("Unknown filter type.")
    return fromimage(toimage(arr).filter(getattr(ImageFilter, ftype.upper())))


def imshow(arr: Any) -> None:
    """Shows a picture in the system's viewer.

    Args:
        arr: an array [height, width] or [height, width, channels].
    """
    toimage(arr).show()
