"""Summaries of images, written as PNG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Tensor,
    build,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.summary.pictures import add_images, check_images
from headwater.ops.summary.scope import collect, of_first_replica, summary_scope
from headwater.ops.summary.serialized import dims_text, new_summary, serialized, text_of


def kernel_image_summary(
    xp: ArrayModule, tag: Array, tensor: Array, *, max_images: int, bad_color: np.ndarray
) -> np.ndarray:
    images, name = np.asarray(tensor), text_of(tag)
    check_images(images)
    depth = images.shape[3]
    colour = np.asarray(bad_color)
    if colour.dtype != np.uint8 or colour.ndim != 1 or colour.size < depth:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"expected bad_color to be a uint8 vector with at least {depth} elements, "
            f"got shape {dims_text(colour)}",
        )
    summary = new_summary()
    add_images(summary, name, images, max_images, colour)
    return serialized(summary)


register_op(
    "ImageSummary",
    inputs="tag: string, tensor: T",
    outputs="summary: string",
    attrs=(
        "max_images: int >= 1 = 3, T: {uint8, float, half, double} = DT_FLOAT, "
        "bad_color: tensor = uint8 [255, 0, 0, 255]"
    ),
    shape=shapes.scalar,
    kernel=kernel_image_summary,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("summary.image")
@of_first_replica
def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Makes a summary of images.

    Floats are scaled so that the largest is 255, or, if there are negative values, so that zero
    is 128 and the value with the largest magnitude 1 or 255.

    Args:
        name: the name of the node and the beginning of the tags.
        tensor: uint8 or floats of shape (batch, height, width, channels) with 1 channel (grey),
            3 (RGB) or 4 (RGBA).
        max_outputs: how many images of a batch are written.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        family: a prefix of the tags, by which TensorBoard groups.

    Returns:
        A string scalar that holds a serialized Summary.

    Example:
        >>> written = tf.Summary.FromString(tf.summary.image("white", tf.ones([1, 4, 6, 3])).eval())
        >>> print(written.value[0].tag, written.value[0].image.height, written.value[0].image.width)
        white/image/0 4 6
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        summary = build.ImageSummary(tag, tensor, max_images=max_outputs, name=scope)
        return collect(summary, collections)


@export("image_summary", "contrib.deprecated.image_summary")
def image_summary(
    tag: TensorLike,
    tensor: TensorLike,
    max_images: int = 3,
    collections: Sequence[str] | None = None,
    name: str | None = None,
    max_outputs: int | None = None,
) -> Tensor:
    """Makes a summary of images, with a tag of its own (before release 1.0).

    Args:
        tag: a string scalar, the beginning of the tags.
        tensor: as in `tf.summary.image`.
        max_images: how many images of a batch are written.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        name: the name of the op.
        max_outputs: a later name of `max_images`.

    Returns:
        A string scalar that holds a serialized Summary.
    """
    count = max_images if max_outputs is None else max_outputs
    with name_scope(name, "ImageSummary", [tag, tensor]) as scope:
        return collect(build.ImageSummary(tag, tensor, max_images=count, name=scope), collections)
