"""Summaries of sounds, written as WAV."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.summary.scope import collect, of_first_replica, summary_scope
from headwater.ops.summary.serialized import new_summary, serialized, text_of
from headwater.ops.summary.sounds import add_sounds, check_sounds


def kernel_audio_summary(
    xp: ArrayModule, tag: Array, tensor: Array, sample_rate: Array, *, max_outputs: int
) -> np.ndarray:
    sounds, rate, name = np.asarray(tensor), float(sample_rate), text_of(tag)
    check_sounds(sounds)
    if rate <= 0:
        raise errors.InvalidArgumentError(
            None, None, f"sample_rate must be in the range (0, inf), got: {rate:g}"
        )
    summary = new_summary()
    add_sounds(summary, name, sounds, rate, max_outputs)
    return serialized(summary)


register_op(
    "AudioSummary",
    inputs="tag: string, tensor: float",
    outputs="summary: string",
    attrs="sample_rate: float, max_outputs: int >= 1 = 3",
    shape=shapes.scalar,
    kernel=lambda xp, tag, tensor, *, sample_rate, max_outputs: kernel_audio_summary(
        xp, tag, tensor, sample_rate, max_outputs=max_outputs
    ),
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "AudioSummaryV2",
    inputs="tag: string, tensor: float, sample_rate: float",
    outputs="summary: string",
    attrs="max_outputs: int >= 1 = 3",
    shape=shapes.scalar,
    kernel=kernel_audio_summary,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("summary.audio")
@of_first_replica
def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Makes a summary of sounds.

    Args:
        name: the name of the node and the beginning of the tags.
        tensor: float32 samples in -1..1 of shape (batch, frames, channels) or (batch, frames).
        sample_rate: in Hertz, a float32 scalar.
        max_outputs: how many sounds of a batch are written.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        family: a prefix of the tags, by which TensorBoard groups.

    Returns:
        A string scalar that holds a serialized Summary.
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return _audio(tag, tensor, sample_rate, max_outputs, collections, scope)


def _audio(
    tag: TensorLike,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int,
    collections: Sequence[str] | None,
    scope: str,
) -> Tensor:
    rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
    summary = build.AudioSummaryV2(tag, tensor, rate, max_outputs=max_outputs, name=scope)
    return collect(summary, collections)


@export("audio_summary", "contrib.deprecated.audio_summary")
def audio_summary(
    tag: TensorLike,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Makes a summary of sounds, with a tag of its own (before release 1.0).

    Args:
        tag: a string scalar, the beginning of the tags.
        tensor: as in `tf.summary.audio`.
        sample_rate: in Hertz, a float32 scalar.
        max_outputs: how many sounds of a batch are written.
        collections: the keys of the collections that get the summary; SUMMARIES by default.
        name: the name of the op.

    Returns:
        A string scalar that holds a serialized Summary.
    """
    with name_scope(name, "AudioSummary", [tag, tensor]) as scope:
        return _audio(tag, tensor, sample_rate, max_outputs, collections, scope)
