"""Writing JPEG and PNG files: EncodeJpeg, EncodeJpegVariableQuality, EncodePng."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import RunsOn, ShapeContext, Tensor, build, export, register_op, shapes
from headwater.ops.image import jpeg, png
from headwater.ops.image.sampling import invalid


def _checked(image: Array, counts: tuple[int, ...]) -> np.ndarray:
    image = np.asarray(image)
    if image.ndim != 3:
        raise invalid(f"image must be 3-dimensional{shapes.show(image.shape)}")
    if image.shape[2] not in counts:
        if counts == (1, 3):
            raise invalid(f"image must have 1 or 3 channels, got {shapes.show(image.shape)}")
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {image.shape[2]}")
    if not image.size:
        raise invalid(f"image must not be empty, got {shapes.show(image.shape)}")
    return image


def _check_quality(quality: int) -> None:
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")


def kernel_encode_jpeg(
    xp: ArrayModule,
    image: Array,
    *,
    format: str,
    quality: int,
    progressive: bool,
    optimize_size: bool,
    chroma_downsampling: bool,
    density_unit: str,
    x_density: int,
    y_density: int,
    xmp_metadata: str,
) -> np.ndarray:
    _check_quality(quality)
    image = _checked(image, (1, 3))
    wanted = {"grayscale": 1, "rgb": 3}.get(format, image.shape[2])
    if image.shape[2] != wanted:
        raise invalid(f"format {format} expects {wanted} channels, got {shapes.show(image.shape)}")
    xmp = xmp_metadata if isinstance(xmp_metadata, bytes) else xmp_metadata.encode()
    data = jpeg.encode(
        image,
        quality,
        progressive,
        optimize_size,
        chroma_downsampling,
        density_unit,
        (x_density, y_density),
        xmp,
    )
    return np.array(data, object)


def kernel_encode_variable(xp: ArrayModule, images: Array, quality: Array) -> np.ndarray:
    # Qualities out of range are the nearest ones.
    wanted = min(max(int(quality), 0), 100)
    return np.array(jpeg.encode(_checked(images, (1, 3)), wanted), object)


def kernel_encode_png(xp: ArrayModule, image: Array, *, compression: int) -> np.ndarray:
    if not -1 <= compression <= 9:
        raise invalid(f"compression should be in [-1,9], got {compression}")
    return np.array(png.encode(_checked(image, (1, 2, 3, 4)), compression), object)


def shape_encode(c: ShapeContext) -> Shape:
    c.with_rank(c.record.schema.inputs[0].name, 3)
    return ()


register_op(
    "EncodeJpeg",
    inputs="image: uint8",
    outputs="contents: string",
    attrs=(
        "format: {'', 'grayscale', 'rgb'} = '', quality: int = 95, progressive: bool = false, "
        "optimize_size: bool = false, chroma_downsampling: bool = true, "
        "density_unit: {'in', 'cm'} = 'in', x_density: int = 300, y_density: int = 300, "
        "xmp_metadata: string = ''"
    ),
    shape=shape_encode,
    kernel=kernel_encode_jpeg,
    runs_on=RunsOn.HOST,
)
register_op(
    "EncodeJpegVariableQuality",
    inputs="images: uint8, quality: int32",
    outputs="contents: string",
    shape=shape_encode,
    kernel=kernel_encode_variable,
    runs_on=RunsOn.HOST,
)
register_op(
    "EncodePng",
    inputs="image: T",
    outputs="contents: string",
    attrs="compression: int = -1, T: {uint8, uint16} = uint8",
    shape=shape_encode,
    kernel=kernel_encode_png,
    runs_on=RunsOn.HOST,
)


@export("image.encode_jpeg", "io.encode_jpeg")
def encode_jpeg(
    image: TensorLike,
    format: str | None = "",
    quality: int | None = 95,
    progressive: bool | None = False,
    optimize_size: bool | None = False,
    chroma_downsampling: bool | None = True,
    density_unit: str | None = "in",
    x_density: int | None = 300,
    y_density: int | None = 300,
    xmp_metadata: str | None = "",
    name: str | None = None,
) -> Tensor:
    """Writes an image as a JPEG file.

    Args:
        image: a uint8 tensor ``[height, width, channels]`` with 1 or 3 channels.
        format: ``"grayscale"`` or ``"rgb"``; empty for what the channels tell.
        quality: 0 to 100.
        progressive: whether the image is stored coarse to fine.
        optimize_size: whether the codes are fitted to the image.
        chroma_downsampling: whether colours are stored at half the size.
        density_unit: ``"in"`` or ``"cm"``.
        x_density: pixels per unit, across.
        y_density: pixels per unit, down.
        xmp_metadata: metadata in XMP.
        name: the name of the node.

    Returns:
        A string scalar.
    """
    attrs = {
        "format": format,
        "quality": quality,
        "progressive": progressive,
        "optimize_size": optimize_size,
        "chroma_downsampling": chroma_downsampling,
        "density_unit": density_unit,
        "x_density": x_density,
        "y_density": y_density,
        "xmp_metadata": xmp_metadata,
    }
    # None stood for the default in early releases.
    given = {key: value for key, value in attrs.items() if value is not None}
    return build.EncodeJpeg(image, name=name, **given)


@export("image.encode_png")
def encode_png(image: TensorLike, compression: int | None = -1, name: str | None = None) -> Tensor:
    """Writes an image as a PNG file.

    Args:
        image: a uint8 or uint16 tensor ``[height, width, channels]`` with 1 to 4 channels.
        compression: the level of zlib, 0 to 9; -1 for the default.
        name: the name of the node.

    Returns:
        A string scalar.
    """
    return build.EncodePng(image, compression=-1 if compression is None else compression, name=name)
