"""Mirroring, transposing and turning images, also by chance."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope, shape_tensor
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose as transpose_axes
from headwater.ops.control.case import case
from headwater.ops.control.cond import cond
from headwater.ops.image.arguments import checked_image, three_or_four
from headwater.ops.math.cast import cast
from headwater.ops.random.uniform import random_uniform


def _with_shape_of(image: Tensor, result: Tensor) -> Tensor:
    result.set_shape([None] * 3 if image._shape is None else image._shape)
    return result


def _flip(image: TensorLike, axis: int, scope_name: str) -> Tensor:
    """Mirrors images along an axis of the image."""
    with name_scope(None, scope_name, [image]):
        image = checked_image(convert_to_tensor(image, name="image"))
        rank = three_or_four(image)
        axes = [axis + 1] if rank == 4 else [axis]
        result = build.ReverseV2(image, axes)
        return _with_shape_of(image, result) if rank != 4 else result


def _random_flip(image: TensorLike, axis: int, seed: int | None, scope_name: str) -> Tensor:
    """Mirrors images along an axis of the image with a chance of one half each."""
    with name_scope(None, scope_name, [image]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        if three_or_four(image) != 4:
            mirrored = build.Less(random_uniform([], 0, 1.0, seed=seed), 0.5)
            result = cond(
                mirrored,
                lambda: build.ReverseV2(image, [axis]),
                lambda: image,
                name=scope,
            )
            return _with_shape_of(image, result)
        count = shape_tensor(image)[0]
        chances = reshape(random_uniform([count], 0, 1.0, seed=seed), [count, 1, 1, 1])
        mirrored = cast(build.Round(chances), image.dtype)
        flipped = build.ReverseV2(image, [axis + 1])
        return mirrored * flipped + (1 - mirrored) * image


@export("image.flip_left_right")
def flip_left_right(image: TensorLike) -> Tensor:
    """Mirrors images so that left becomes right.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the rank does not fit.
    """
    return _flip(image, 1, "flip_left_right")


@export("image.flip_up_down")
def flip_up_down(image: TensorLike) -> Tensor:
    """Mirrors images so that top becomes bottom.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the rank does not fit.
    """
    return _flip(image, 0, "flip_up_down")


@export("image.random_flip_left_right")
def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Mirrors images left to right with a chance of one half each.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        seed: the op-level seed; see `tf.set_random_seed`.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the rank does not fit.
    """
    return _random_flip(image, 1, seed, "random_flip_left_right")


@export("image.random_flip_up_down")
def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Mirrors images upside down with a chance of one half each.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        seed: the op-level seed; see `tf.set_random_seed`.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the rank does not fit.
    """
    return _random_flip(image, 0, seed, "random_flip_up_down")


@export("image.transpose", "image.transpose_image")
def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Exchanges rows and columns of images.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        name: the name scope.

    Returns:
        A tensor of the same rank.

    Raises:
        ValueError: if the rank does not fit.
    """
    with name_scope(name, "transpose", [image]):
        image = checked_image(convert_to_tensor(image, name="image"))
        if three_or_four(image) == 4:
            return transpose_axes(image, [0, 2, 1, 3], name="transpose")
        return transpose_axes(image, [1, 0, 2], name="transpose")


@export("image.rot90")
def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """Turns images by right angles, against the clock.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        k: how many right angles; an integer scalar.
        name: the name scope.

    Returns:
        A tensor of the same rank.

    Raises:
        ValueError: if a rank does not fit.
    """
    with name_scope(name, "rot90", [image, k]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        k = convert_to_tensor(k, dtypes.int32, name="k")
        k.get_shape().assert_has_rank(0)
        k = build.FloorMod(k, 4)
        down = 1 if three_or_four(image) == 4 else 0
        across = down + 1
        swapped = [0, 2, 1, 3] if down else [1, 0, 2]

        def once() -> Tensor:
            return transpose_axes(build.ReverseV2(image, [across]), swapped)

        def twice() -> Tensor:
            return build.ReverseV2(image, [down, across])

        def thrice() -> Tensor:
            return build.ReverseV2(transpose_axes(image, swapped), [across])

        turns = [(build.Equal(k, n), f) for n, f in ((1, once), (2, twice), (3, thrice))]
        result = case(turns, default=lambda: image, exclusive=True, name=scope)
        shape = image._shape
        if down:
            result.set_shape([shape[0], None, None, shape[3]])
        else:
            result.set_shape([None, None, None if shape is None else shape[2]])
        return result
