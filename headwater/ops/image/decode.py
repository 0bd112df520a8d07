"""Reading JPEG, PNG, GIF and BMP files: DecodeJpeg, DecodePng, DecodeGif, DecodeBmp, ..."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import RunsOn, ShapeContext, Tensor, build, export, register_op, shapes
from headwater.ops.image import gif, jpeg, png
from headwater.ops.image.sampling import invalid

_PRINTABLE = range(32, 127)
# Whether they have one byte or four.
_MOST_BMP_PIXELS = (1 << 28) - 2
_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def contents_of(contents: Array) -> bytes:
    """The bytes of a file, of a string scalar."""
    array: Array = np.asarray(contents, object)
    if array.ndim:
        raise invalid(f"contents must be scalar, got shape {shapes.show(array.shape)}")
    return array[()]


def _escaped(data: bytes) -> str:
    return "".join(_ESCAPES.get(b) or (chr(b) if b in _PRINTABLE else f"\\{b:03o}") for b in data)


def _unknown(data: bytes) -> Exception:
    found = f"unknown format starting with '{_escaped(data[:16])}'" if data else "empty file"
    return invalid(f"Expected image (JPEG, PNG, or GIF), got {found}")


def _frames(data: bytes) -> np.ndarray:
    """All frames of a GIF file, ``[frames, height, width, 3]``."""
    try:
        return gif.decode(data)
    except gif.Unreadable as error:
        raise invalid(f"Invalid GIF data (size {len(data)}), {error}") from error


def _read_png(data: bytes, channels: int, dtype: DTypeLike) -> np.ndarray:
    try:
        return png.decode(data, channels, np.dtype(dtype))
    except png.Unreadable as error:
        if error.args == ("header",):
            raise invalid(f"Invalid PNG header, data size {len(data)}") from error
        if error.args == ("size",):
            header = png.read_header(data)
            raise invalid(
                f"PNG size too large for int: {header.width} by {header.height}"
            ) from error
        raise invalid(f"Invalid PNG data, size {len(data)}") from error


def _read_jpeg(data: bytes, channels: int, options: dict[str, Any]) -> np.ndarray:
    if channels == 4:
        raise invalid(f"channels must be 0, 1, or 3 for JPEG, got {channels}")
    try:
        return jpeg.decode(data, channels, **options)
    except jpeg.Unreadable as error:
        raise invalid(f"Invalid JPEG data or crop window, data size {len(data)}") from error


def _read(
    data: bytes, channels: int, dtype: DTypeLike = np.uint8, options: dict[str, Any] | None = None
) -> np.ndarray:
    """An image of any of the three formats."""
    if channels not in (0, 1, 3, 4):
        raise invalid(f"channels must be 0, 1, 3, or 4, got {channels}")
    if data.startswith(jpeg.MAGIC):
        if dtype != np.uint8:
            raise invalid("JPEG does not support uint16 output")
        return _read_jpeg(data, channels, options or {})
    if data.startswith(png.MAGIC[:4]):
        return _read_png(data, channels, dtype)
    if data.startswith(gif.MAGIC):
        if channels not in (0, 3):
            raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
        frames = _frames(data)
        if len(frames) != 1:
            raise invalid(
                f"Got {len(frames)} frames, but animated gifs can only be decoded by "
                "tf.image.decode_gif or tf.image.decode_image"
            )
        return frames[0]
    raise _unknown(data)


def _jpeg_options(
    ratio: int, fancy_upscaling: bool, try_recover_truncated: bool, dct_method: str
) -> dict[str, Any]:
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
    return {
        "ratio": ratio,
        "fancy": fancy_upscaling,
        "accurate": dct_method == "INTEGER_ACCURATE",
        "recover": try_recover_truncated,
    }


def kernel_decode_jpeg(
    xp: ArrayModule,
    contents: Array,
    *,
    channels: int,
    ratio: int,
    fancy_upscaling: bool,
    try_recover_truncated: bool,
    dct_method: str,
) -> np.ndarray:
    options = _jpeg_options(ratio, fancy_upscaling, try_recover_truncated, dct_method)
    return _read(contents_of(contents), channels, np.uint8, options)


def kernel_decode_and_crop_jpeg(
    xp: ArrayModule,
    contents: Array,
    crop_window: Array,
    *,
    channels: int,
    ratio: int,
    fancy_upscaling: bool,
    try_recover_truncated: bool,
    dct_method: Any,
) -> np.ndarray:
    options = _jpeg_options(ratio, fancy_upscaling, try_recover_truncated, dct_method)
    data = contents_of(contents)
    window = np.asarray(crop_window)
    if window.ndim != 1:
        raise invalid(f"crop_window must be 1-D, got shape {shapes.show(window.shape)}")
    if window.size != 4:
        raise invalid(f"crop_size must have four elements {shapes.show(window.shape)}")
    if not data.startswith(jpeg.MAGIC):
        return _read(data, channels, np.uint8, options)
    image = _read(data, channels, np.uint8, options)
    top, left, height, width = (int(n) for n in window)
    inside = top >= 0 and left >= 0 and height > 0 and width > 0
    if not inside or top + height > image.shape[0] or left + width > image.shape[1]:
        raise invalid(f"Invalid JPEG data or crop window, data size {len(data)}")
    return image[top : top + height, left : left + width]


def kernel_decode_png(
    xp: ArrayModule, contents: Array, *, channels: int, dtype: DType
) -> np.ndarray:
    return _read(contents_of(contents), channels, dtype.as_numpy_dtype)


def rows_of_decode_png(
    xp: ArrayModule, rows: Array, contents: Array, *, channels: int, dtype: DType
) -> np.ndarray:
    kind = dtype.as_numpy_dtype
    return np.stack([_read(data, channels, kind) for data in contents.tolist()])


def kernel_decode_gif(xp: ArrayModule, contents: Array) -> np.ndarray:
    data = contents_of(contents)
    if data.startswith(gif.MAGIC):
        return _frames(data)
    return _read(data, 3)[None]


def kernel_decode_bmp(xp: ArrayModule, contents: Array, *, channels: int) -> np.ndarray:
    data = contents_of(contents)
    if channels not in (0, 1, 3, 4):
        raise invalid(f"channels must be 0, 1, 3 or 4, got {channels}")
    if len(data) < 32:
        raise invalid(
            "Incomplete bmp content, requires at least 32 bytes to find the header size, width, "
            f"height, and bpp, got {len(data)} bytes"
        )
    (start,) = struct.unpack_from("<i", data, 10)
    width, height, _, bits = struct.unpack_from("<iiHH", data, 18)
    count = bits // 8
    if channels and channels != count:
        raise invalid(
            f"channels attribute {channels} does not match bits per pixel from file {count}"
        )
    if count not in (1, 3, 4):
        raise invalid(f"Number of channels must be 1, 3 or 4, was {count}")
    if width <= 0 or start < 0:
        raise invalid("Width must be positive")
    if height == 0:
        raise invalid("Height must be nonzero")
    rows = abs(height)
    if width * rows > _MOST_BMP_PIXELS:
        raise invalid("Total possible pixel bytes must be less than 2^30")
    stride = (count * width + 3) // 4 * 4
    last = count * width
    needed = start + (rows - 1) * stride + last
    if len(data) < needed:
        raise invalid(
            f"Incomplete bmp content, requires at least {needed} bytes, got {len(data)} bytes"
        )
    padded = data[start : start + rows * stride].ljust(rows * stride, b"\0")
    lines = np.frombuffer(padded, np.uint8).reshape(rows, stride)[:, :last]
    pixels = lines.reshape(rows, width, count)
    if height > 0:
        pixels = pixels[::-1]
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[count]
    return np.ascontiguousarray(pixels[:, :, order])


def kernel_extract_jpeg_shape(
    xp: ArrayModule, contents: Array, *, output_type: DType
) -> np.ndarray:
    data = contents_of(contents)
    try:
        found = jpeg.shape_of(data)
    except jpeg.Unreadable as error:
        raise invalid(f"Invalid JPEG data, size {len(data)}") from error
    return np.array(found, output_type.as_numpy_dtype)


def _channels(c: ShapeContext) -> int | None:
    c.with_rank("contents", 0)
    channels = c.attr("channels")
    if channels < 0:
        c.fail(f"channels must be non-negative, got {channels}")
    return channels or None


def shape_decode(c: ShapeContext) -> Shape:
    return (None, None, _channels(c))


def shape_decode_and_crop(c: ShapeContext) -> Any:
    channels = _channels(c)
    (count,) = c.with_rank("crop_window", 1)
    if count not in (4, None):
        c.fail(f"Dimension must be 4 but is {count}")
    window = c.value("crop_window")
    if window is None:
        return (None, None, channels)
    return (int(window[2]), int(window[3]), channels)


def shape_decode_gif(c: ShapeContext) -> Shape:
    c.with_rank("contents", 0)
    return (None, None, None, 3)


def shape_extract(c: ShapeContext) -> Shape:
    c.with_rank("contents", 0)
    return (3,)


_JPEG_ATTRS = (
    "channels: int = 0, ratio: int = 1, fancy_upscaling: bool = true, "
    "try_recover_truncated: bool = false, acceptable_fraction: float = 1.0, "
    "dct_method: string = ''"
)


def _register_decoder(
    name: str,
    *,
    kernel: Callable[..., Any],
    shape: Callable[..., Any],
    inputs: str = "contents: string",
    output: str = "image: uint8",
    attrs: str = "",
    row_kernel: Callable[..., Any] | None = None,
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=output,
        attrs=attrs,
        shape=shape,
        kernel=kernel,
        row_kernel=row_kernel,
        runs_on=RunsOn.HOST,
    )


_register_decoder("DecodeJpeg", kernel=kernel_decode_jpeg, shape=shape_decode, attrs=_JPEG_ATTRS)
_register_decoder(
    "DecodeAndCropJpeg",
    kernel=kernel_decode_and_crop_jpeg,
    shape=shape_decode_and_crop,
    inputs="contents: string, crop_window: int32",
    attrs=_JPEG_ATTRS,
)
_register_decoder(
    "DecodePng",
    kernel=kernel_decode_png,
    row_kernel=rows_of_decode_png,
    shape=shape_decode,
    output="image: dtype",
    attrs="channels: int = 0, dtype: {uint8, uint16} = uint8",
)
_register_decoder(
    "DecodeBmp", kernel=kernel_decode_bmp, shape=shape_decode, attrs="channels: int = 0"
)
_register_decoder("DecodeGif", kernel=kernel_decode_gif, shape=shape_decode_gif)
register_op(
    "ExtractJpegShape",
    inputs="contents: string",
    outputs="image_shape: output_type",
    attrs="output_type: {int32, int64} = int32",
    shape=shape_extract,
    kernel=kernel_extract_jpeg_shape,
    runs_on=RunsOn.HOST,
)


def _given(**attrs: Any) -> dict[str, Any]:
    """The attrs that are not None, which stood for the default in early releases."""
    return {name: value for name, value in attrs.items() if value is not None}


@export("image.decode_jpeg", "io.decode_jpeg")
def decode_jpeg(
    contents: TensorLike,
    channels: int | None = 0,
    ratio: int | None = 1,
    fancy_upscaling: bool | None = True,
    try_recover_truncated: bool | None = False,
    acceptable_fraction: float | None = 1,
    dct_method: str | None = "",
    name: str | None = None,
) -> Tensor:
    """Reads a JPEG file (or a PNG file, or a GIF file of one frame).

    Args:
        contents: a string scalar, the bytes of the file.
        channels: 1 for grey, 3 for RGB, 0 for those of the file.
        ratio: the image is made smaller by this: 1, 2, 4 or 8.
        fancy_upscaling: whether colours that are stored at half the size are smoothed.
        try_recover_truncated: whether a file that is cut off is read as far as it goes.
        acceptable_fraction: the part of the lines that must be there then.
        dct_method: ``"INTEGER_FAST"`` or ``"INTEGER_ACCURATE"``.
        name: the name of the node.

    Returns:
        A uint8 tensor ``[height, width, channels]``.

    Raises:
        InvalidArgumentError: when the graph runs, if the file is damaged.
    """
    attrs = _given(
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
    )
    return build.DecodeJpeg(contents, name=name, **attrs)


@export("image.decode_and_crop_jpeg", "io.decode_and_crop_jpeg")
def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Reads a window of a JPEG file.

    Args:
        contents: a string scalar, the bytes of the file.
        crop_window: the first row, the first column, the height and the width of the window.
        channels: 1 for grey, 3 for RGB, 0 for those of the file.
        ratio: the image is made smaller by this: 1, 2, 4 or 8.
        fancy_upscaling: whether colours that are stored at half the size are smoothed.
        try_recover_truncated: whether a file that is cut off is read as far as it goes.
        acceptable_fraction: the part of the lines that must be there then.
        dct_method: ``"INTEGER_FAST"`` or ``"INTEGER_ACCURATE"``.
        name: the name of the node.

    Returns:
        A uint8 tensor ``[height, width, channels]``.

    Raises:
        InvalidArgumentError: when the graph runs, if the file is damaged.
    """
    return build.DecodeAndCropJpeg(
        contents,
        crop_window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@export("image.decode_png", "io.decode_png")
def decode_png(
    contents: TensorLike,
    channels: int | None = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """Reads a PNG file (or a JPEG file, or a GIF file of one frame).

    Args:
        contents: a string scalar, the bytes of the file.
        channels: 1 for grey, 3 for RGB, 4 for RGB and alpha, 0 for those of the file.
        dtype: uint8 or uint16.
        name: the name of the node.

    Returns:
        A tensor ``[height, width, channels]``.

    Raises:
        InvalidArgumentError: when the graph runs, if the file is damaged.
    """
    return build.DecodePng(contents, name=name, **_given(channels=channels, dtype=dtype))


@export("image.decode_gif", "io.decode_gif")
def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """Reads all frames of a GIF file.

    Args:
        contents: a string scalar, the bytes of the file.
        name: the name of the node.

    Returns:
        A uint8 tensor ``[frames, height, width, 3]``.

    Raises:
        InvalidArgumentError: when the graph runs, if the file is damaged.
    """
    return build.DecodeGif(contents, name=name)


@export("image.decode_bmp", "io.decode_bmp")
def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """Reads a BMP file of whole bytes.

    Args:
        contents: a string scalar, the bytes of the file.
        channels: 1, 3 or 4; 0 for those of the file.
        name: the name of the node.

    Returns:
        A uint8 tensor ``[height, width, channels]``.

    Raises:
        InvalidArgumentError: when the graph runs, if the file is damaged.
    """
    return build.DecodeBmp(contents, channels=channels, name=name)


@export("image.extract_jpeg_shape", "io.extract_jpeg_shape")
def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:
    """Reads the size of the image in a JPEG file.

    Args:
        contents: a string scalar, the bytes of the file.
        output_type: int32 or int64.
        name: the name of the node.

    Returns:
        A tensor of height, width and number of channels.

    Raises:
        InvalidArgumentError: when the graph runs, if the file is damaged.
    """
    return build.ExtractJpegShape(contents, output_type=output_type, name=name)
