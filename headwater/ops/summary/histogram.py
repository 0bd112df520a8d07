"""Summaries of the distribution of values."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

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
from headwater.ops.summary.scope import collect, summary_scope
from headwater.ops.summary.serialized import new_summary, serialized, text_of

if TYPE_CHECKING:
    from headwater.protos.summary_pb2 import HistogramProto

_LARGEST = sys.float_info.max


@functools.cache
def bucket_limits() -> np.ndarray:
    """The upper limits of all buckets: 0, +-1e-12 * 1.1^k below 1e20, +-the largest double."""
    positive = []
    limit = 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(_LARGEST)
    return np.array([-v for v in reversed(positive)] + [0.0] + positive)


def kernel_histogram_summary(xp: ArrayModule, tag: Array, values: Array) -> np.ndarray:
    name = text_of(tag)
    flat = np.asarray(values).reshape(-1).astype(np.float64)
    finite = np.isfinite(flat)
    if not finite.all():
        what = "Nan" if np.isnan(flat[~finite][0]) else "Infinity"
        raise errors.InvalidArgumentError(None, None, f"{what} in summary histogram for: {name}")
    summary = new_summary()
    fill_histogram(summary.value.add(tag=name).histo, flat)
    return serialized(summary)


def fill_histogram(histogram: HistogramProto, values: np.ndarray) -> None:
    """Fills a HistogramProto; runs of empty buckets become one.

    Args:
        histogram: the proto.
        values: finite doubles, of shape (n,).
    """
    limits = bucket_limits()
    positions = np.searchsorted(limits, values, side="right").clip(max=len(limits) - 1)
    counts = np.bincount(positions, minlength=len(limits))
    full = counts > 0
    kept = full | np.append(full[1:], False)
    kept[-1] = True
    histogram.min = values.min() if values.size else _LARGEST
    histogram.max = values.max() if values.size else -_LARGEST
    histogram.num = values.size
    if values.size:
        # Sequential sums, so that the rounding is that of a loop.
        histogram.sum = np.cumsum(values)[-1]
        histogram.sum_squares = np.cumsum(values * values)[-1]
    histogram.bucket_limit.extend(limits[kept].tolist())
    histogram.bucket.extend(counts[kept].tolist())


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
