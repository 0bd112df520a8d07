"""Ops that repeat something as often as an argument says: a time limit ends them."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.base import cancellation
from headwater.graph import build

_MANY = 10**9


def different_classes():
    # Only one of the classes is ever drawn.
    return tf.nn.fixed_unigram_candidate_sampler(
        np.zeros([1, 1], np.int64), 1, 3, True, 3, unigrams=[1.0, 0.0, 0.0]
    )


def classes():
    return tf.nn.uniform_candidate_sampler(np.zeros([1, 1], np.int64), 1, 10**7, False, 1000)


def distorted_boxes():
    # No box of that size covers the object.
    box = tf.constant([[[0.0, 0.0, 1.0, 1.0]]])
    return tf.image.sample_distorted_bounding_box(
        [100, 100, 3], box, min_object_covered=1.0, area_range=[0.01, 0.02], max_attempts=_MANY
    )


def first_centers():
    points = np.random.rand(100, 2).astype("f")
    return build.KmeansPlusPlusInitialization(points, np.int64(2), np.int64(1), np.int64(_MANY))


def probes():
    product = np.random.rand(1, 30).astype("f")
    return build.HyperplaneLSHProbes(product, np.int32(1), np.int32(30), np.int32(10**7))


def truncated_normals():
    rows = np.zeros(10**6, "f")
    return build.ParameterizedTruncatedNormal(
        np.array([10**6, 1], np.int32), rows, rows + 1, rows - 1, rows + 1
    )


def array_elements():
    return tf.TensorArray(tf.float32, size=_MANY).write(0, 1.0).flow


def combinations():
    columns = [
        tf.SparseTensor([[0, i] for i in range(100)], np.arange(100), [1, 100]) for _ in range(5)
    ]
    return build.SparseCross(
        [c.indices for c in columns], [c.values for c in columns],
        [c.dense_shape for c in columns], [], hashed_output=True, num_buckets=7, hash_key=1,
        out_type=tf.int64, internal_type=tf.int64,
    )  # fmt: skip


@pytest.mark.parametrize(
    "make",
    [
        different_classes,
        classes,
        distorted_boxes,
        first_centers,
        probes,
        truncated_normals,
        array_elements,
        combinations,
    ],
)
def test_a_time_limit_ends_a_long_loop(make, session):
    fetch = make()
    with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out"):
        session.run(fetch, options=tf.RunOptions(timeout_in_ms=100))


def test_a_join_has_no_work_for_segments_without_rows(session):
    joined = build.UnsortedSegmentJoin(
        np.array([[b"a", b""], [b"b", b"c"], [b"d", b"e"]], object),
        np.array([7, 7, 10**6], np.int32),
        np.int32(2 * 10**6),
        separator="-",
    )
    found = session.run(joined)
    assert found.shape == (2 * 10**6, 2)
    assert found[7].tolist() == [b"a-b", b"c"]
    assert found[10**6].tolist() == [b"d", b"e"]
    assert np.count_nonzero(found != b"") == 4


def test_a_cross_has_no_work_for_rows_without_features(session):
    def crossed(rows):
        columns = [
            tf.SparseTensor([[0, 0], [0, 1], [row, 0]], np.array([1, 2, 3]), [_MANY, 2])
            for row in rows
        ]
        return session.run(
            build.SparseCross(
                [c.indices for c in columns], [c.values for c in columns],
                [c.dense_shape for c in columns], [], hashed_output=False, num_buckets=0,
                hash_key=1, out_type=tf.string, internal_type=tf.int64,
            )
        )  # fmt: skip

    indices, values, shape = crossed([_MANY - 1, _MANY - 1])
    assert indices.tolist() == [[0, 0], [0, 1], [0, 2], [0, 3], [_MANY - 1, 0]]
    assert values.tolist() == [b"1_X_1", b"1_X_2", b"2_X_1", b"2_X_2", b"3_X_3"]
    assert shape.tolist() == [_MANY, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Row \d+ of column 1 is out of"):
        crossed([5, _MANY])


def test_different_classes_are_drawn_in_pieces(monkeypatch):
    from headwater.ops.nn import class_sampling  # to draw fewer at once

    def sampled():
        with tf.Graph().as_default(), tf.Session() as session:
            true_classes = np.arange(6, dtype=np.int64)[:, None]
            found = tf.nn.log_uniform_candidate_sampler(true_classes, 1, 40, True, 60, seed=3)
            return session.run(found)

    whole = sampled()
    monkeypatch.setattr(class_sampling, "_MOST_AT_ONCE", 16)
    for value, other in zip(sampled(), whole):
        np.testing.assert_array_equal(value, other)


def test_a_cancelled_iteration_ends():
    stopped = cancellation.Cancellation()
    outer = cancellation.enter(stopped)
    try:
        numbers = cancellation.checked(range(100), every=10)
        assert next(numbers) == 0
        stopped.cancel()
        with pytest.raises(tf.errors.CancelledError, match="Run call was cancelled"):
            list(numbers)
    finally:
        cancellation.enter(outer)
    assert list(cancellation.checked(range(3))) == [0, 1, 2]
