"""Summaries of the distribution of values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
from headwater.ops.summary.buckets import add_histogram
from headwater.ops.summary.scope import collect, of_first_replica, summary_scope
from headwater.ops.summary.serialized import new_summary, serialized, text_of


def kernel_histogram_summary(xp: ArrayModule, tag: Array, values: Array) -> np.ndarray:
    summary = new_summary()
    add_histogram(summary, text_of(tag), np.asarray(values))
    return serialized(summary)


register_op(
    "HistogramSummary",
    inputs="tag: string, values: T",
    outputs="summary: string",
    attrs="T: realnumbertype = DT_FLOAT",
    shape=shapes.scalar,
    kernel=kernel_histogram_summary,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("summary.histogram")
@of_first_replica
def histogram(
    name: str,
    values: TensorLike,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Makes a summary of the distribution of values.

    Args:
        name: the name of the node, which is also the tag.
        values: a real tensor of any shape.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        family: a prefix of the tag, by which TensorBoard groups.

    Returns:
        A string scalar that holds a serialized Summary. The run fails with InvalidArgumentError
        if a value is not finite.

    Example:
        >>> written = tf.Summary.FromString(tf.summary.histogram("w", [1.0, 2.0]).eval())
        >>> print(written.value[0].histo.num, written.value[0].histo.max)
        2.0 2.0
    """
    with summary_scope(name, family, "HistogramSummary", [values]) as (tag, scope):
        return collect(build.HistogramSummary(tag, values, name=scope), collections)


@export("histogram_summary", "contrib.deprecated.histogram_summary")
def histogram_summary(
    tag: TensorLike,
    values: TensorLike,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Makes a summary of a distribution, with a tag of its own (before release 1.0).

    Args:
        tag: a string scalar.
        values: a real tensor of any shape.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        name: the name of the op.

    Returns:
        A string scalar that holds a serialized Summary.
    """
    with name_scope(name, "HistogramSummary", [tag, values]) as scope:
        return collect(build.HistogramSummary(tag, values, name=scope), collections)
