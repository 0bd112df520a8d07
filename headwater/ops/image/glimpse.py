"""Cutting windows at given places out of images, with noise outside: ExtractGlimpse."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    ShapeContext,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.image.sampling import invalid, size_of


def _noise(images: np.ndarray, shape: tuple[int, ...], kind: str) -> np.ndarray:
    random = np.random.default_rng()
    if kind == "zero" or not images.size:
        return np.zeros(shape, np.float32)
    if kind == "gaussian":
        return random.normal(images.mean(), images.std(), shape).astype(np.float32)
    low, high = images.min(), images.max()
    return (random.random(shape, np.float32) * (high - low) + low).astype(np.float32)


def kernel_extract_glimpse(
    xp: ArrayModule,
    images: Array,
    size: Array,
    offsets: Array,
    *,
    centered: bool,
    normalized: bool,
    uniform_noise: bool,
    noise: str,
) -> np.ndarray:
    if images.ndim != 4:
        raise invalid(
            "input must be 4-dimensional (batch_size, height, width, depth)"
            f"{shapes.show(images.shape)}"
        )
    if size.shape != (2,):
        raise invalid(f"input must be a vector of size 2 (height, width){shapes.show(size.shape)}")
    if offsets.ndim != 2 or offsets.shape[1] != 2:
        raise invalid(f"input must be a matrix{shapes.show(offsets.shape)}")
    batch, height, width, depth = images.shape
    if offsets.shape[0] != batch:
        raise invalid(f"first dimension should be batch{shapes.show(offsets.shape)}")
    rows, columns = (int(n) for n in size)
    places = np.asarray(offsets, np.float32)
    whole = np.array([height, width], np.float32)
    if normalized:
        places = places * whole
    if centered:
        places = places / np.float32(2) + whole / np.float32(2)
    places = places - np.array([rows, columns], np.float32) / np.float32(2)
    kind = "gaussian" if noise == "uniform" and not uniform_noise else noise
    result = _noise(np.asarray(images), (batch, rows, columns, depth), kind)
    for image, target, (top, left) in zip(images, result, places.astype(np.int64).tolist()):
        y, x = max(top, 0), max(left, 0)
        part = image[y : max(top + rows, 0), x : max(left + columns, 0)]
        target[y - top : y - top + part.shape[0], x - left : x - left + part.shape[1]] = part
    return result


def shape_glimpse(c: ShapeContext) -> Shape:
    images = c.with_rank("input", 4)
    offsets = c.with_rank("offsets", 2)
    batch = c.merge_dims(images[0], offsets[0])
    if offsets[1] not in (2, None):
        c.fail(f"Dimension must be 2 but is {offsets[1]}")
    return (batch, *size_of(c, "size"), images[3])


register_op(
    "ExtractGlimpse",
    inputs="input: float, size: int32, offsets: float",
    outputs="glimpse: float",
    attrs=(
        "centered: bool = true, normalized: bool = true, uniform_noise: bool = true, "
        "noise: string = 'uniform'"
    ),
    shape=shape_glimpse,
    kernel=kernel_extract_glimpse,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("image.extract_glimpse")
def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool | None = True,
    normalized: bool | None = True,
    uniform_noise: bool | None = True,
    name: str | None = None,
) -> Tensor:
    """Cuts a window out of each image; what lies outside is noise.

    Args:
        input: images ``[batch, height, width, channels]``.
        size: height and width of the windows.
        offsets: ``[batch, 2]``, the middle of each window, down and across.
        centered: whether offsets count from the middle of the image.
        normalized: whether they are parts of the image rather than pixels.
        uniform_noise: whether the noise is uniform rather than normal.
        name: the name of the node.

    Returns:
        A float32 tensor ``[batch, height, width, channels]``.
    """
    given = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise}
    attrs = {key: value for key, value in given.items() if value is not None}
    return build.ExtractGlimpse(input, size, offsets, name=name, **attrs)


def extract_glimpse_v2(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Cuts a window out of each image; what lies outside is noise.

    Args:
        input: images ``[batch, height, width, channels]``.
        size: height and width of the windows.
        offsets: ``[batch, 2]``, the middle of each window, down and across.
        centered: whether offsets count from the middle of the image.
        normalized: whether they are parts of the image rather than pixels.
        noise: "uniform", "gaussian" or "zero".
        name: the name of the node.

    Returns:
        A float32 tensor ``[batch, height, width, channels]``.
    """
    return build.ExtractGlimpse(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=False,
        noise=noise,
        name=name,
    )
