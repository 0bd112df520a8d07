"""What functions of images have in common: checks of ranks and sizes, known or not."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    convert_to_tensor,
    rank_tensor,
    shape_tensor,
    with_dependencies,
)
from headwater.ops.array.stack import unstack
from headwater.ops.control.assertion import assert_
from headwater.ops.control.value_checks import assert_greater_equal, assert_positive

RANKS = "'image' must have either 3 or 4 dimensions."


def image_checks(image: Tensor, known: bool = False) -> list[Operation]:
    """Makes the ops that check that a tensor is an image or a batch, as far as it is not known.

    Args:
        image: the tensor.
        known: whether the whole shape has to be known.

    Raises:
        ValueError: if its shape is known and not that of an image.
    """
    shape = image._shape
    if shape is not None and len(shape) < 3:
        raise ValueError("'image' must be at least three-dimensional.")
    if shape is None or None in shape:
        if known:
            raise ValueError("'image' must be fully defined.")
        return [
            assert_positive(shape_tensor(image), ["all dims of 'image.shape' must be > 0."]),
            assert_greater_equal(
                rank_tensor(image), 3, message="'image' must be at least three-dimensional."
            ),
        ]
    if 0 in shape:
        raise ValueError(f"all dims of 'image.shape' must be > 0: {image.shape}")
    return []


def checked_image(image: Tensor) -> Tensor:
    """An image (or a batch) that is there once its shape has been checked."""
    return with_dependencies(image_checks(image), image)


def three_or_four(image: Tensor) -> int | None:
    """The rank of an image or a batch, or None if it is not known.

    Raises:
        ValueError: if it has another rank.
    """
    rank = None if image._shape is None else len(image._shape)
    if rank not in (3, 4, None):
        raise ValueError(RANKS)
    return rank


def sizes_of(image: Tensor, rank: int) -> list[Any]:
    """The dimensions: integers as far as they are known, scalar tensors where they are not."""
    shape = image._shape
    if shape is not None and None not in shape:
        return list(shape)
    known = (None,) * rank if shape is None else shape
    dynamic = unstack(shape_tensor(image), rank)
    return [d if d is not None else dynamic[i] for i, d in enumerate(known)]


def check_that(condition: TensorLike, message: str) -> list[Operation]:
    """Checks a condition now if it is a bool, else makes the op that checks it.

    Raises:
        ValueError: if it is false.
    """
    if isinstance(condition, Tensor):
        return [assert_(condition, [message])]
    if not condition:
        raise ValueError(message)
    return []


def larger(x: TensorLike, y: TensorLike) -> Tensor | float:
    """The larger of two integers or tensors."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return build.Maximum(x, y)
    return max(x, y)


def smaller(x: TensorLike, y: TensorLike) -> Tensor | float:
    """The smaller of two integers or tensors."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return build.Minimum(x, y)
    return min(x, y)


def equal(x: TensorLike, y: TensorLike) -> bool:
    """Whether two integers or tensors are equal."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return build.Equal(x, y)
    return x == y


def known_size(value: TensorLike) -> int | None:
    """An integer, or None for a tensor."""
    return None if isinstance(value, Tensor) else value


def known_dim(image: Tensor, axis: int) -> int | None:
    """A dimension if it is known."""
    return None if image._shape is None else image._shape[axis]


def size_tensor_of(size: TensorLike) -> Tensor:
    """A tensor of two integers: height and width."""
    try:
        size = convert_to_tensor(size, dtypes.int32, name="size")
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if size._shape is not None and size._shape not in ((2,), (None,)):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return size
