"""Several summaries as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import ArrayModule, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Tensor,
    build,
    export,
    get_default_graph,
    name_scope,
    register_op,
    shapes,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.summary.scope import collect
from headwater.ops.summary.serialized import new_summary, serialized


def kernel_merge_summary(xp: ArrayModule, inputs: list[Any]) -> np.ndarray:
    merged = new_summary()
    tags: set[str] = set()
    for item in inputs:
        for data in np.asarray(item, object).reshape(-1).tolist():
            summary = new_summary()
            try:
                summary.ParseFromString(data)
            except Exception as error:
                # protobuf's DecodeError, without importing protobuf for its name.
                raise errors.InvalidArgumentError(
                    None, None, "Could not parse one of the summary inputs"
                ) from error
            for value in summary.value:
                if value.tag and value.tag in tags:
                    raise errors.InvalidArgumentError(
                        None, None, f"Duplicate tag {value.tag} found in summary inputs"
                    )
                tags.add(value.tag)
            merged.MergeFrom(summary)
    return serialized(merged)


register_op(
    "MergeSummary",
    inputs="inputs: N * string",
    outputs="summary: string",
    attrs="N: int >= 1",
    shape=shapes.scalar,
    kernel=kernel_merge_summary,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("summary.merge")
def merge(
    inputs: Sequence[TensorLike], collections: Sequence[str] | None = None, name: str | None = None
) -> Tensor:
    """Merges summaries.

    Args:
        inputs: a list of string tensors that hold serialized Summary protos.
        collections: the keys of the collections that get the result; none by default.
        name: the name scope.

    Returns:
        A string scalar with all values; the run fails with InvalidArgumentError if two of them
        have the same tag.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(
            f"Expected list for 'inputs' argument to 'merge_summary' Op, not {inputs!r}."
        )
    return _merge(inputs, collections, name, "Merge")


def _merge(
    inputs: Sequence[Tensor], collections: Sequence[str] | None, name: str | None, default: str
) -> Tensor:
    with name_scope(name, default, inputs):
        return collect(build.MergeSummary(inputs), collections, default=())


@export("summary.merge_all")
def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """Merges all summaries of the default graph.

    Args:
        key: the collection that they are in.
        scope: only those whose names match this regular expression.
        name: the name scope.

    Returns:
        A string scalar, or None if there are no summaries.

    Example:
        >>> loss = tf.summary.scalar("loss", 0.5)
        >>> rate = tf.summary.scalar("rate", 0.25)
        >>> merged = tf.Summary.FromString(tf.summary.merge_all().eval())
        >>> print([value.tag for value in merged.value])
        ['loss', 'rate']
    """
    summaries = get_default_graph().get_collection(key, scope)
    return _merge(summaries, None, name, "Merge") if summaries else None


@export("merge_summary", "contrib.deprecated.merge_summary")
def merge_summary(
    inputs: Sequence[TensorLike], collections: Sequence[str] | None = None, name: str | None = None
) -> Tensor:
    """Merges summaries: `tf.summary.merge` as it was called before release 1.0.

    Args:
        inputs: a list of string tensors that hold serialized Summary protos.
        collections: the keys of the collections that get the result; none by default.
        name: the name scope.

    Returns:
        A string scalar with all values.
    """
    return _merge(inputs, collections, name, "MergeSummary")


@export("merge_all_summaries", "contrib.deprecated.merge_all_summaries")
def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Tensor | None:
    """Merges all summaries: `tf.summary.merge_all` as it was called before release 1.0.

    Args:
        key: the collection that they are in.

    Returns:
        A string scalar, or None if there are no summaries.
    """
    summaries = get_default_graph().get_collection(key)
    return _merge(summaries, None, None, "MergeSummary") if summaries else None
