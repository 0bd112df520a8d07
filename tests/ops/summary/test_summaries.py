from __future__ import annotations

import io
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import headwater as tf
from headwater.ops.summary.buckets import bucket_limits, bucket_positions, fill_histogram


def parsed(session, summary):
    return tf.Summary.FromString(session.run(summary)).value


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40))
def test_every_value_is_in_its_bucket(values):
    histogram = tf.HistogramProto()
    with np.errstate(over="ignore"):
        fill_histogram(histogram, np.array(values))
    assert sum(histogram.bucket) == histogram.num == len(values)
    limits = [-np.inf, *histogram.bucket_limit]
    for low, high, count in zip(limits, limits[1:], histogram.bucket):
        inside = sum(low <= value < high for value in values)
        if high == bucket_limits()[-1]:
            inside += sum(value == high for value in values)
        assert count == inside
    assert list(histogram.bucket_limit) == sorted(set(histogram.bucket_limit))
    empty = [count == 0 for count in histogram.bucket]
    assert not any(a and b for a, b in itertools.pairwise(empty))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("scale", [1e-13, 1.0, 1e3, 1e19, 1e300])
def test_positions_of_many_values(rng, dtype, scale):
    with np.errstate(all="ignore"):
        values = (rng.standard_normal(5000) * scale).astype(dtype)
    values = values[np.isfinite(values)]
    values[::7] = 0
    expected = np.searchsorted(bucket_limits(), values.astype(np.float64), side="right")
    np.testing.assert_array_equal(bucket_positions(values), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_positions_of_values_beside_the_limits(dtype):
    with np.errstate(over="ignore"):
        limits = bucket_limits().astype(dtype)
        sides = [np.nextafter(limits, dtype(side)) for side in (-np.inf, np.inf)]
    values = np.concatenate([limits, *sides, [dtype(-0.0)]])
    values = values[np.isfinite(values)]
    expected = np.searchsorted(bucket_limits(), values.astype(np.float64), side="right")
    last = len(bucket_limits()) - 1
    np.testing.assert_array_equal(bucket_positions(values), expected.clip(max=last))


def test_sums_are_those_of_a_loop(rng):
    values = rng.standard_normal(70_000).astype(np.float32)
    histogram = tf.HistogramProto()
    fill_histogram(histogram, values)
    total = squares = 0.0
    for value in values.astype(np.float64).tolist():
        total += value
        squares += value * value
    assert (histogram.num, histogram.sum, histogram.sum_squares) == (70_000, total, squares)
    assert (histogram.min, histogram.max) == (values.min(), values.max())


def test_summaries_of_nothing(session):
    assert parsed(session, tf.summary.histogram("h", tf.zeros([0])))[0].histo.num == 0
    assert not parsed(session, tf.summary.audio("a", tf.zeros([0, 3, 2]), 1.0))


def test_tag_must_be_a_scalar(session):
    with pytest.raises(tf.errors.InvalidArgumentError, match="tags must be scalar"):
        session.run(tf.histogram_summary(["a", "b"], 1.0))


def test_old_scalar_names(session):
    x = tf.constant(1.0)
    tf.scalar_summary("loss", x)
    two = tf.scalar_summary(["a", "b"], [1.0, 2.0], name="n")
    tf.histogram_summary("h h", x)
    with tf.name_scope("s"):
        other = tf.scalar_summary("loss", x, collections=["c"])
    tf.image_summary("im", tf.zeros([3, 2, 2, 3]), max_images=2)
    tf.audio_summary("au", tf.zeros([3, 2, 2]), 44100.0)
    merged = tf.merge_summary([two])
    everything = tf.merge_all_summaries()
    assert tf.merge_all_summaries("nothing") is None
    # As release 0.12.1 names them.
    assert [op.name for op in tf.get_default_graph().get_operations()] == (
        "Const ScalarSummary/tags ScalarSummary n/tags n/values n HistogramSummary/tag "
        "HistogramSummary s/ScalarSummary/tags s/ScalarSummary zeros ImageSummary/tag "
        "ImageSummary zeros_1 AudioSummary/sample_rate AudioSummary/tag AudioSummary "
        "MergeSummary/MergeSummary MergeSummary_1/MergeSummary"
    ).split()
    assert tf.get_collection("c") == [other]
    assert [v.tag for v in parsed(session, everything)] == [
        *("loss", "a", "b", "h h", "im/image/0", "im/image/1"),
        *("au/audio/0", "au/audio/1", "au/audio/2"),
    ]
    assert [(v.tag, v.simple_value) for v in parsed(session, merged)] == [("a", 1.0), ("b", 2.0)]


def test_summaries_follow_feeds(session):
    x = tf.placeholder(tf.float32, [])
    merged = tf.summary.merge([tf.summary.scalar("double", x * 2)])
    for value in (1.0, 2.0, 3.0, 4.0):
        (result,) = tf.Summary.FromString(session.run(merged, {x: value})).value
        assert result.simple_value == 2 * value


def test_image_is_a_png(session):
    pixels = np.random.RandomState(0).randint(0, 256, (1, 5, 7, 4)).astype(np.uint8)
    (value,) = parsed(session, tf.summary.image("im", tf.constant(pixels), max_outputs=1))
    assert (value.image.height, value.image.width, value.image.colorspace) == (5, 7, 4)
    image = Image.open(io.BytesIO(value.image.encoded_image_string))
    assert image.format == "PNG"
    np.testing.assert_array_equal(np.asarray(image), pixels[0])


def test_text_must_be_a_string():
    with pytest.raises(ValueError, match="to have dtype string, got"):
        tf.summary.text("t", tf.constant(1.0))
