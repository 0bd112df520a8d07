"""The structural similarity of images, at one scale and at several.

Source: Wang et al., "Image quality assessment: from error visibility to structural similarity",
2004; Wang et al., "Multi-scale structural similarity for image quality assessment", 2003.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.stack import stack
from headwater.ops.control.assertion import assert_
from headwater.ops.control.cond import cond
from headwater.ops.image.convert_dtype import convert_image_dtype
from headwater.ops.image.measures import comparable, depthwise
from headwater.ops.math.axes import all_axes
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_

_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _gaussian(size: Tensor, sigma: Tensor) -> Tensor:
    """A Gaussian filter ``[size, size, 1, 1]`` whose sum is 1."""
    places = cast(range_(size), sigma.dtype) - cast(size - 1, sigma.dtype) / 2.0
    logarithms = build.Square(places) * (-0.5 / build.Square(sigma))
    table = reshape(logarithms, [1, -1]) + reshape(logarithms, [-1, 1])
    weights = build.Softmax(reshape(table, [1, -1]))
    return reshape(weights, [size, size, 1, 1])


def _similarity(
    x: Tensor, y: Tensor, blur: Callable[[Tensor], Tensor], largest: Tensor, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """Luminance, and contrast together with structure, at each place."""
    c1, c2 = (k1 * largest) ** 2, (k2 * largest) ** 2
    mean_x, mean_y = blur(x), blur(y)
    product = mean_x * mean_y * 2.0
    squares = build.Square(mean_x) + build.Square(mean_y)
    luminance = (product + c1) / (squares + c1)
    both = blur(x * y) * 2.0
    each = blur(build.Square(x) + build.Square(y))
    c2 = c2 * 1.0
    return luminance, (both - product + c2) / (each - squares + c2)


def _per_channel(
    x: Tensor, y: Tensor, largest: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """Similarity, and contrast together with structure, of each image and channel."""
    filter_size = constant(size, dtype=dtypes.int32)
    deviation = constant(sigma, dtype=x.dtype)
    shapes = build.ShapeN([x, y])
    checks = []
    for shape in shapes:
        enough = build.GreaterEqual(shape[-3:-1], filter_size)
        enough = build.All(enough, all_axes(enough))
        checks.append(assert_(enough, [shape, filter_size], summarize=8))
    with control_dependencies(checks):
        x = build.Identity(x)
    kernel = build.Tile(_gaussian(filter_size, deviation), [1, 1, shapes[0][-1], 1])

    def blur(images: Tensor) -> Tensor:
        shape = shape_tensor(images)
        blurred = depthwise(reshape(images, concat([[-1], shape[-3:]], 0)), kernel)
        return reshape(blurred, concat([shape[:-3], shape_tensor(blurred)[1:]], 0))

    luminance, structure = _similarity(x, y, blur, largest, k1, k2)
    axes = constant([-3, -2], dtype=dtypes.int32)
    return build.Mean(luminance * structure, axes), build.Mean(structure, axes)


def _checked(
    first: TensorLike, second: TensorLike, max_val: TensorLike
) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
    """Both images as floats, the largest value, and the shapes."""
    first = convert_to_tensor(first, name="img1")
    second = convert_to_tensor(second, name="img2")
    shapes, checks = comparable(first, second)
    with control_dependencies(checks):
        first = build.Identity(first)
    largest = convert_image_dtype(cast(max_val, first.dtype), dtypes.float32)
    first = convert_image_dtype(first, dtypes.float32)
    return first, convert_image_dtype(second, dtypes.float32), largest, shapes


@export("image.ssim")
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of images, the mean over places and channels.

    Args:
        img1: ``[..., height, width, channels]``.
        img2: a tensor of the same shape.
        max_val: the difference of the largest and the smallest possible value.
        filter_size: the side of the Gaussian window.
        filter_sigma: its width.
        k1: the constant that steadies luminance.
        k2: the constant that steadies contrast.

    Returns:
        A float32 tensor with an element for each image.

    Raises:
        ValueError: if the shapes do not fit.
    """
    x, y, largest, _ = _checked(img1, img2, max_val)
    similarity, _ = _per_channel(x, y, largest, filter_size, filter_sigma, k1, k2)
    return build.Mean(similarity, [-1])


@export("image.ssim_multiscale")
def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence[float] = _POWERS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of images at several scales, each half the one before.

    Args:
        img1: ``[..., height, width, channels]``.
        img2: a tensor of the same shape.
        max_val: the difference of the largest and the smallest possible value.
        power_factors: the exponent of each scale.
        filter_size: the side of the Gaussian window.
        filter_sigma: its width.
        k1: the constant that steadies luminance.
        k2: the constant that steadies contrast.

    Returns:
        A float32 tensor with an element for each image.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(None, "MS-SSIM", [img1, img2]):
        x, y, largest, shapes = _checked(img1, img2, max_val)
        pair = [x, y]
        heads = [shape[:-3] for shape in shapes]
        tails = [shape[-3:] for shape in shapes]
        divisor = constant([2, 2, 1], dtype=dtypes.int32)
        factors = []
        for scale in range(len(power_factors)):
            with name_scope(None, f"Scale{scale}", pair):
                if scale:
                    small = _halved(pair, tails, divisor)
                    tails = [shape[1:] for shape in build.ShapeN(small)]
                    pair = [
                        reshape(image, concat([head, tail], 0))
                        for image, head, tail in zip(small, heads, tails)
                    ]
                similarity, structure = _per_channel(
                    pair[0], pair[1], largest, filter_size, filter_sigma, k1, k2
                )
                factors.append(build.Relu(structure))
        factors[-1] = build.Relu(similarity)
        powers = build.Pow(stack(factors, -1), list(power_factors))
        return build.Mean(build.Prod(powers, [-1]), [-1])


def _halved(pair: list[Tensor], tails: list[Tensor], divisor: Tensor) -> list[Tensor]:
    """Images of half the size, as batches; an odd border is doubled first."""
    flat = [reshape(image, concat([[-1], tail], 0)) for image, tail in zip(pair, tails)]
    odd = tails[0] % divisor
    differs = build.NotEqual(odd, 0)

    def padded() -> list[Tensor]:
        widths = pad(expand_dims(odd, -1), [[1, 0], [1, 0]])
        return [build.MirrorPad(image, widths, mode="SYMMETRIC") for image in flat]

    even = cond(build.Any(differs, all_axes(differs)), padded, lambda: flat)
    window: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    return [build.AvgPool(image, **window) for image in even]
