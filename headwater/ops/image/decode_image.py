"""`tf.image.decode_image`: the format is detected when the graph runs."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, control_dependencies, export, name_scope
from headwater.ops.control.assertion import assert_
from headwater.ops.control.cond import cond
from headwater.ops.image.convert_dtype import convert_image_dtype
from headwater.ops.image.decode import decode_bmp, decode_gif, decode_jpeg, decode_png


@export("image.is_jpeg", "io.is_jpeg")
def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Tells whether a file begins like a JPEG file.

    Args:
        contents: a string scalar, the bytes of the file.
        name: the name scope.

    Returns:
        A boolean scalar.
    """
    with name_scope(name, "is_jpeg"):
        return build.Equal(build.Substr(contents, 0, 3), b"\xff\xd8\xff")


def _is_png(contents: TensorLike) -> Tensor:
    with name_scope(None, "is_png"):
        return build.Equal(build.Substr(contents, 0, 3), b"\x89PN")


def _differs(channels: int, refused: int, name: str) -> Tensor:
    return build.NotEqual(channels, refused, name=name)


@export("image.decode_image", "io.decode_image")
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Reads a JPEG, PNG, GIF or BMP file.

    Args:
        contents: a string scalar, the bytes of the file.
        channels: 1 for grey, 3 for RGB, 4 for RGB and alpha, 0 or None for those of the file.
        dtype: the type of the result.
        name: the name scope.
        expand_animations: whether a GIF file gives all frames; if not, the result has rank 3.

    Returns:
        A tensor ``[height, width, channels]``, or ``[frames, height, width, 3]`` of a GIF file.

    Raises:
        ValueError: if `channels` does not fit.
        InvalidArgumentError: when the graph runs, if the file is damaged.
    """
    with name_scope(name, "decode_image"):
        if channels not in (None, 0, 1, 3, 4):
            raise ValueError("channels must be in (None, 0, 1, 3, 4)")
        count = 0 if channels is None else channels
        beginning = build.Substr(contents, 0, 3)

        def bmp() -> Tensor:
            is_bmp = build.Equal(build.Substr(contents, 0, 2), b"BM", name="is_bmp")
            text = "Unable to decode bytes as JPEG, PNG, GIF, or BMP"
            known = assert_(is_bmp, [text])
            text = "Channels must be in (None, 0, 3) when decoding BMP images"
            fits = assert_(_differs(count, 1, "check_channels"), [text])
            with control_dependencies([known, fits]):
                return convert_image_dtype(decode_bmp(contents), dtype)

        def gif() -> Tensor:
            fits = build.LogicalAnd(
                _differs(count, 1, "check_gif_channels"), _differs(count, 4, "check_gif_channels")
            )
            text = "Channels must be in (None, 0, 3) when decoding GIF images"
            with control_dependencies([assert_(fits, [text])]):
                frames = convert_image_dtype(decode_gif(contents), dtype)
                return frames if expand_animations else build.GatherV2(frames, 0, 0)

        def gif_or_bmp() -> Tensor:
            is_gif = build.Equal(beginning, b"GIF", name="is_gif")
            return cond(is_gif, gif, bmp, name="cond_gif")

        def png() -> Tensor:
            stored = dtypes.uint8 if dtypes.as_dtype(dtype) is dtypes.uint8 else dtypes.uint16
            return convert_image_dtype(decode_png(contents, count, stored), dtype)

        def png_gif_or_bmp() -> Tensor:
            return cond(_is_png(contents), png, gif_or_bmp, name="cond_png")

        def jpeg() -> Tensor:
            text = "Channels must be in (None, 0, 1, 3) when decoding JPEG images"
            fits = assert_(_differs(count, 4, "check_jpeg_channels"), [text])
            with control_dependencies([fits]):
                return convert_image_dtype(decode_jpeg(contents, count), dtype)

        return cond(is_jpeg(contents), jpeg, png_gif_or_bmp, name="cond_jpeg")
