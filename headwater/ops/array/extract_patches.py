"""All windows of images and volumes: ExtractImagePatches, ExtractVolumePatches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.older_calls import rewritten
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import VJP, Sample, Tensor, build, export, register_op, shapes

_TYPES = "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"


def _window(
    size: int, window: int, stride: int, rate: int, padding: str
) -> tuple[int, tuple[int, int]]:
    """How many windows fit along a dimension, and the zeros to put around it."""
    extent = (window - 1) * rate + 1
    if padding == "VALID":
        return max(0, -(-(size - extent + 1) // stride)), (0, 0)
    count = -(-size // stride)
    missing = max(0, (count - 1) * stride + extent - size)
    return count, (missing // 2, missing - missing // 2)


def _shape(c: shapes.ShapeContext, rank: int, rates: list[int]) -> Shape:
    shape = c.with_rank(c.record.schema.inputs[0].name, rank)
    ksizes, strides, padding = c.attr("ksizes"), c.attr("strides"), c.attr("padding")
    for name in ("ksizes", "strides", "rates"):
        if name in c.attrs and len(c.attr(name)) != rank:
            c.fail(
                f"ExtractImagePatches requires the {name} attribute to contain {rank} values, "
                f"but got: {len(c.attr(name))}"
            )
    depth = shape[-1]
    count = int(np.prod(ksizes[1:-1]))
    spatial = shape[1:-1]
    sizes: tuple[int | None, ...] = (None,) * (rank - 2)
    if shapes.is_static(spatial):
        sizes = tuple(
            _window(n, k, s, r, padding)[0]
            for n, k, s, r in zip(spatial, ksizes[1:], strides[1:], rates)
        )
    return (shape[0], *sizes, None if depth is None else depth * count)


def _patches(
    xp: ArrayModule, x: Array, ksizes: list[int], strides: list[int], rates: list[int], padding: str
) -> Array:
    """Windows over the dimensions between batch and depth, flattened into the depth."""
    if x.ndim != len(ksizes):
        fail(f"input must be {len(ksizes)}-dimensional{shapes.show(x.shape)}")
    for name, sizes in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
        if sizes[0] != 1 or sizes[-1] != 1:
            raise errors.UnimplementedError(None, None, f"Only support {name} across space.")
    found = [
        _window(*one, padding)
        for one in zip(x.shape[1:-1], ksizes[1:-1], strides[1:-1], rates[1:-1])
    ]
    x = xp.pad(x, [(0, 0), *(widths for _, widths in found), (0, 0)])
    parts = []
    for offset in itertools.product(*map(range, ksizes[1:-1])):
        place = [
            slice(o * r, o * r + (count - 1) * s + 1, s) if count else slice(0, 0)
            for o, r, s, (count, _) in zip(offset, rates[1:], strides[1:], found)
        ]
        parts.append(x[(slice(None), *place)])
    return xp.concatenate(parts, -1)


def kernel_image_patches(
    xp: ArrayModule,
    images: Array,
    *,
    ksizes: list[int],
    strides: list[int],
    rates: list[int],
    padding: str,
) -> Array:
    return _patches(xp, images, ksizes, strides, rates, padding)


def kernel_volume_patches(
    xp: ArrayModule, x: Array, *, ksizes: list[int], strides: list[int], padding: str
) -> Array:
    return _patches(xp, x, ksizes, strides, [1] * 5, padding)


def _reference(
    x: np.ndarray, ksizes: list[int], strides: list[int], rates: list[int], padding: str
) -> np.ndarray:
    found = [
        _window(*one, padding)
        for one in zip(x.shape[1:-1], ksizes[1:-1], strides[1:-1], rates[1:-1])
    ]
    x = np.pad(x, [(0, 0), *(widths for _, widths in found), (0, 0)])
    counts = [count for count, _ in found]
    depth = int(np.prod(ksizes)) * x.shape[-1]
    result = np.zeros((x.shape[0], *counts, depth), x.dtype)
    for batch, *place in np.ndindex(x.shape[0], *counts):
        index = [
            slice(p * s, p * s + (k - 1) * r + 1, r)
            for p, s, k, r in zip(place, strides[1:], ksizes[1:], rates[1:])
        ]
        result[(batch, *place)] = x[(batch, *index)].ravel()
    return result


def reference_image_patches(
    images: np.ndarray,
    *,
    ksizes: list[int],
    strides: list[int],
    rates: list[int],
    padding: str,
) -> np.ndarray:
    return _reference(images, ksizes, strides, rates, padding)


def reference_volume_patches(
    x: np.ndarray, *, ksizes: list[int], strides: list[int], padding: str
) -> np.ndarray:
    return _reference(x, ksizes, strides, [1] * 5, padding)


def samples_image_patches() -> Iterator[Sample]:
    x = np.arange(48, dtype=np.float32).reshape(1, 4, 6, 2)
    one = [1, 1, 1, 1]
    for padding in ("SAME", "VALID"):
        attrs: dict[str, Any] = {"padding": padding}
        yield Sample(x, ksizes=[1, 2, 3, 1], strides=[1, 1, 2, 1], rates=one, **attrs)
        yield Sample(x, ksizes=[1, 2, 2, 1], strides=one, rates=[1, 2, 1, 1], **attrs)
    yield Sample(x.astype(np.int32), ksizes=one, strides=[1, 3, 3, 1], rates=one, padding="VALID")


def samples_volume_patches() -> Iterator[Sample]:
    x = np.arange(54, dtype=np.float32).reshape(1, 3, 3, 3, 2)
    for padding in ("SAME", "VALID"):
        yield Sample(x, ksizes=[1, 2, 2, 1, 1], strides=[1, 1, 2, 1, 1], padding=padding)


_SIZES = "ksizes: list(int) >= {0}, strides: list(int) >= {0}"
register_op(
    "ExtractImagePatches",
    inputs="images: T",
    outputs="patches: T",
    attrs=f"{_SIZES.format(4)}, rates: list(int) >= 4, T: {_TYPES}, padding: {{'SAME', 'VALID'}}",
    shape=lambda c: _shape(c, 4, c.attr("rates")[1:]),
    kernel=kernel_image_patches,
    gradient=VJP,
    reference=reference_image_patches,
    samples=samples_image_patches,
)
register_op(
    "ExtractVolumePatches",
    inputs="input: T",
    outputs="patches: T",
    attrs=f"{_SIZES.format(5)}, T: {_TYPES}, padding: {{'SAME', 'VALID'}}",
    shape=lambda c: _shape(c, 5, [1, 1, 1]),
    kernel=kernel_volume_patches,
    gradient=VJP,
    reference=reference_volume_patches,
    samples=samples_volume_patches,
)


def _padding_last(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """In early releases the padding was the second argument."""
    if len(args) > 1 and isinstance(args[1], str):
        return (args[0], *args[2:5]), {"padding": args[1], **kwargs}
    return args, kwargs


@export("extract_image_patches", "image.extract_image_patches")
@signature("images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None")
@rewritten(_padding_last)
def extract_image_patches(
    images: TensorLike | None = None,
    ksizes: Sequence[int] | None = None,
    strides: int | Sequence[int] | None = None,
    rates: int | Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Sequence[int] | None = None,
) -> Tensor:
    """Puts all windows of images into the depth.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        ksizes: the size of the windows, [1, height, width, 1].
        strides: the distance of the windows, [1, height, width, 1].
        rates: the distance of the elements within a window, [1, height, width, 1].
        padding: ``"VALID"``: windows lie inside; ``"SAME"``: zeros are put around the images.
        name: the name of the node.
        sizes: the newer name of `ksizes`.

    Returns:
        A tensor of shape [batch, windows down, windows across, elements of a window].
    """
    return build.ExtractImagePatches(
        images,
        ksizes=ksizes if sizes is None else sizes,
        strides=strides,
        rates=rates,
        padding=padding,
        name=name,
    )


@export("image.extract_patches")
def extract_patches(
    images: TensorLike,
    sizes: Sequence[int],
    strides: int | Sequence[int],
    rates: int | Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Puts all windows of images into the depth; newer form of `tf.extract_image_patches`.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        sizes: the size of the windows, [1, height, width, 1].
        strides: the distance of the windows, [1, height, width, 1].
        rates: the distance of the elements within a window, [1, height, width, 1].
        padding: ``"VALID"`` or ``"SAME"``.
        name: the name of the node.

    Returns:
        A tensor of shape [batch, windows down, windows across, elements of a window].
    """
    return extract_image_patches(images, sizes, strides, rates, padding, name)


@export("extract_volume_patches")
def extract_volume_patches(
    input: TensorLike,
    ksizes: Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Puts all windows of volumes into the depth.

    Args:
        input: a tensor of shape [batch, planes, height, width, depth].
        ksizes: the size of the windows, [1, planes, height, width, 1].
        strides: the distance of the windows, [1, planes, height, width, 1].
        padding: ``"VALID"``: windows lie inside; ``"SAME"``: zeros are put around the volumes.
        name: the name of the node.

    Returns:
        A tensor whose depth holds the elements of a window.
    """
    return build.ExtractVolumePatches(
        input, ksizes=ksizes, strides=strides, padding=padding, name=name
    )
