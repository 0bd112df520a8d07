"""`tf.compat.v2.summary.scalar` and its like: tensors in the form of TensorBoard's plugins."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    name_scope,
)
from headwater.model.functional_loops import map_fn
from headwater.ops.array.constant import constant
from headwater.ops.control.cond import cond
from headwater.ops.control.rank_checks import assert_rank, assert_scalar
from headwater.ops.control.type_checks import assert_type
from headwater.ops.control.value_checks import assert_non_negative
from headwater.ops.image.convert_dtype import convert_image_dtype
from headwater.ops.math.ranges import linspace
from headwater.train.summaries.written import plugin_metadata, summary_scope, write

# The field `encoding` of AudioPluginData: WAV.
_WAV_CONTENT = b"\x10\x0b"


def scalar(
    name: str, data: TensorLike, step: TensorLike | None = None, description: str | None = None
) -> Tensor:
    """Writes a number to the default summary writer.

    Args:
        name: the tag.
        data: a real scalar.
        step: an integer scalar; what `set_step` has set by default.
        description: a text about the summary, in Markdown.

    Returns:
        A boolean scalar: whether the summary is recorded.

    Raises:
        ValueError: if the value is not a scalar, or there is no step.
    """
    with summary_scope(name, "scalar_summary", values=[data, step]) as (tag, _):
        value = build.Cast(assert_scalar(data), DstT=dtypes.float32)
        return write(tag, value, step, plugin_metadata("scalars", description=description))


def histogram(
    name: str,
    data: TensorLike,
    step: TensorLike | None = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes a histogram to the default summary writer.

    Args:
        name: the tag.
        data: a real tensor of any shape.
        step: an integer scalar; what `set_step` has set by default.
        buckets: the number of buckets; 30 by default.
        description: a text about the summary, in Markdown.

    Returns:
        A boolean scalar: whether the summary is recorded.

    Raises:
        ValueError: if there is no step.
    """
    with summary_scope(name, "histogram_summary", values=[data, buckets, step]) as (tag, _):
        counts = _bucket_counts(data, 30 if buckets is None else buckets)
        return write(tag, counts, step, plugin_metadata("histograms", description=description))


def _bucket_counts(data: TensorLike, count: int) -> Tensor:
    """Rows of left edge, right edge and number of values, of shape (buckets, 3)."""
    with name_scope(None, "buckets"):
        values = build.Cast(build.Reshape(data, [-1]), DstT=dtypes.float64)

        def spread(low: Tensor, high: Tensor) -> Tensor:
            width = (high - low) / count
            places = build.Cast(build.Floor((values - low) / width), DstT=dtypes.int32)
            ones = build.OneHot(build.Minimum(places, count - 1), count, 1.0, 0.0)
            edges = linspace(low, high, count + 1)
            numbers = build.Cast(build.Sum(ones, 0), DstT=dtypes.float64)
            return build.Transpose(build.Pack([edges[:-1], edges[1:], numbers]), [1, 0])

        def single(low: Tensor) -> Tensor:
            number = build.Cast(build.Size(values), DstT=dtypes.float64)
            return build.Reshape(build.Pack([low - 0.5, low + 0.5, number]), [1, 3])

        def some() -> Tensor:
            low, high = build.Min(values, [0]), build.Max(values, [0])
            same = build.Equal(low, high)
            return cond(same, lambda: single(low), lambda: spread(low, high))

        empty = build.Equal(build.Size(values), 0)
        return cond(empty, lambda: constant(0.0, dtypes.float64, shape=[0, 3]), some)


def image(
    name: str,
    data: TensorLike,
    step: TensorLike | None = None,
    max_outputs: int = 3,
    description: str | None = None,
) -> Tensor:
    """Writes images to the default summary writer.

    Args:
        name: the tag.
        data: uint8, or floats in 0..1, of shape (batch, height, width, channels).
        step: an integer scalar; what `set_step` has set by default.
        max_outputs: how many images of a batch are written.
        description: a text about the summary, in Markdown.

    Returns:
        A boolean scalar: whether the summary is recorded.

    Raises:
        ValueError: if the rank is another one, or there is no step.
    """
    with summary_scope(name, "image_summary", values=[data, max_outputs, step]) as (tag, _):
        checks = [assert_rank(data, 4), assert_non_negative(max_outputs)]
        images = convert_image_dtype(data, dtypes.uint8, saturate=True)
        encoded = _encoded(lambda one: build.EncodePng(one), images[:max_outputs], checks)
        shape = build.Shape(images)
        size = build.Pack([build.AsString(shape[2]), build.AsString(shape[1])])
        value = build.ConcatV2([size, encoded], 0)
        return write(tag, value, step, plugin_metadata("images", description=description))


def audio(
    name: str,
    data: TensorLike,
    sample_rate: TensorLike,
    step: TensorLike | None = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes sounds to the default summary writer.

    Args:
        name: the tag.
        data: float32 samples in -1..1 of shape (batch, frames, channels).
        sample_rate: in Hertz, an int32 scalar.
        step: an integer scalar; what `set_step` has set by default.
        max_outputs: how many sounds of a batch are written.
        encoding: "wav", or None for the same.
        description: a text about the summary, in Markdown.

    Returns:
        A boolean scalar: whether the summary is recorded.

    Raises:
        ValueError: if the rank or the encoding is another one, or there is no step.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    values = [data, sample_rate, max_outputs, step]
    with summary_scope(name, "audio_summary", values=values) as (tag, _):
        checks = [assert_rank(data, 3), assert_non_negative(max_outputs)]
        sounds = convert_to_tensor(data, dtypes.float32)[:max_outputs]
        encoded = _encoded(lambda one: build.EncodeWav(one, sample_rate), sounds, checks)
        labels = build.Fill(build.Shape(encoded), "")
        value = build.Transpose(build.Pack([encoded, labels]), [1, 0])
        metadata = plugin_metadata("audio", _WAV_CONTENT, description)
        return write(tag, value, step, metadata)


def text(
    name: str, data: TensorLike, step: TensorLike | None = None, description: str | None = None
) -> Tensor:
    """Writes texts to the default summary writer.

    Args:
        name: the tag.
        data: strings, shown as Markdown.
        step: an integer scalar; what `set_step` has set by default.
        description: a text about the summary, in Markdown.

    Returns:
        A boolean scalar: whether the summary is recorded.

    Raises:
        TypeError: if the values are not strings.
        ValueError: if there is no step.
    """
    with summary_scope(name, "text_summary", values=[data, step]) as (tag, _):
        value = convert_to_tensor(data)
        assert_type(value, dtypes.string)
        return write(tag, value, step, plugin_metadata("text", description=description))


def _encoded(
    encode: Callable[[Tensor], Tensor], elements: Tensor, checks: Sequence[Operation]
) -> Tensor:
    """The elements of a batch, encoded one by one, of shape (batch,)."""
    with control_dependencies(checks):
        batch = build.Identity(elements)
    strings: Tensor = map_fn(encode, batch, dtype=dtypes.string, name="encode_each")
    # Of an empty batch, nothing tells that its elements have no dimensions.
    return build.Reshape(strings, [-1])
