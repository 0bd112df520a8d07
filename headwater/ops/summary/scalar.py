"""Summaries of single numbers."""

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
from headwater.ops.summary.scope import collect, of_first_replica, summary_scope
from headwater.ops.summary.serialized import dims_text, new_summary, serialized, text_of


def kernel_scalar_summary(xp: ArrayModule, tags: Array, values: Array) -> np.ndarray:
    tags, values = np.asarray(tags), np.asarray(values)
    if tags.shape != values.shape:
        single = f" (tag '{text_of(tags.reshape(-1)[0])}')" if tags.size == 1 else ""
        raise errors.InvalidArgumentError(
            None,
            None,
            f"tags and values not the same shape: {dims_text(tags)} != {dims_text(values)}{single}",
        )
    summary = new_summary()
    with np.errstate(over="ignore"):
        numbers = values.astype(np.float32).reshape(-1).tolist()
    for tag, number in zip(tags.reshape(-1).tolist(), numbers):
        summary.value.add(tag=text_of(tag), simple_value=number)
    return serialized(summary)


register_op(
    "ScalarSummary",
    inputs="tags: string, values: T",
    outputs="summary: string",
    attrs="T: realnumbertype",
    shape=shapes.scalar,
    kernel=kernel_scalar_summary,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("summary.scalar")
@of_first_replica
def scalar(
    name: str,
    tensor: TensorLike,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Makes a summary of a number.

    Args:
        name: the name of the node, which is also the tag.
        tensor: a real scalar.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        family: a prefix of the tag, by which TensorBoard groups.

    Returns:
        A string scalar that holds a serialized Summary.

    Example:
        >>> written = tf.Summary.FromString(tf.summary.scalar("loss", 0.5).eval())
        >>> print(written.value[0].tag, written.value[0].simple_value)
        loss 0.5
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return collect(build.ScalarSummary(tag, tensor, name=scope), collections)


@export("scalar_summary", "contrib.deprecated.scalar_summary")
def scalar_summary(
    tags: TensorLike,
    values: TensorLike,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Makes a summary of numbers, with tags of their own (before release 1.0).

    Args:
        tags: strings, of the shape of `values`.
        values: a real tensor.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        name: the name of the op.

    Returns:
        A string scalar that holds a serialized Summary.
    """
    with name_scope(name, "ScalarSummary", [tags, values]) as scope:
        return collect(build.ScalarSummary(tags, values, name=scope), collections)
