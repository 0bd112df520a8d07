"""Kernels that take another way for small or plain inputs give what the plain way gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import headwater as tf
from headwater.base.checks import in_range
from headwater.graph import lookup
from headwater.ops.array.unique import kernel_unique, reference_unique

_INTEGERS = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64]


@given(
    st.sampled_from(_INTEGERS),
    st.sampled_from([0, -100, 27, 120, 1 << 30, -(1 << 40), (1 << 63) - 2]),
    st.lists(st.integers(0, 100), max_size=60),
    st.integers(1, 1 << 20),
)
@example(np.uint64, -100, [0, 1, 0], 1)
@example(np.uint64, 0, [0], 1)
@example(np.int8, 27, [11, 41], 244)
@example(np.int8, -100, [0, 100, 0], 2)
def test_unique_of_any_range(dtype, low, numbers, step):
    values = np.array([(low + n * step) % (1 << 64) for n in numbers], np.uint64).astype(dtype)
    found = kernel_unique(np, values, out_idx=tf.int32)
    for mine, expected in zip(found, reference_unique(values, out_idx=tf.int32), strict=True):
        assert mine.dtype == expected.dtype
        np.testing.assert_array_equal(mine, expected)


@given(
    st.sampled_from([np.int8, np.int32, np.int64, np.uint8]),
    st.lists(st.integers(-5, 9), max_size=8),
    st.integers(0, 8),
)
def test_in_range(dtype, numbers, size):
    indices = np.array(numbers).astype(dtype)
    expected = all(0 <= n < size for n in indices.tolist())
    for shaped in (indices, indices.reshape(-1, 1), indices[::-1], *indices):
        wanted = expected if np.ndim(shaped) else 0 <= int(shaped) < size
        assert np.all(in_range(np.asarray(shaped), size)) == wanted


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int32", "bool", "complex64", "string"])
@pytest.mark.parametrize("axis", [0, -1])
def test_pack_of_scalars(session, dtype, axis):
    values = [b"a", b"b"] if dtype == "string" else [1, 0]
    parts = [tf.placeholder(dtype, []) for _ in values]
    packed = tf.stack(parts, axis)
    got = session.run(packed, dict(zip(parts, values)))
    assert got.dtype == tf.as_dtype(dtype).as_numpy_dtype
    assert got.tolist() == values


def test_pack_of_scalars_along_a_missing_axis():
    pack = lookup("Pack").kernel
    with pytest.raises(ValueError, match="axis 1 is out of bounds"):
        pack(np, [np.array(1), np.array(2)], axis=1)


def test_expand_dims_of_views():
    x = np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)[::2]
    kernel = lookup("ExpandDims").kernel
    for position in range(-4, 4):
        result = kernel(np, x, np.array(position))
        np.testing.assert_array_equal(result, np.expand_dims(x, position))
        assert np.may_share_memory(result, x)


def test_buckets_of_more_strings_than_are_remembered(session):
    words = tf.placeholder(tf.string, [None])
    buckets = tf.string_to_hash_bucket_fast(words, 1000)
    strong = tf.string_to_hash_bucket_strong(words, 1000, [1, 2])
    many = [b"%d" % i for i in range(40000)] + [b"x" * 100]
    once = session.run(buckets, {words: many})
    np.testing.assert_array_equal(session.run(buckets, {words: many}), once)
    some = session.run([buckets, strong], {words: [b"", b"abc", b"x" * 100]})
    assert some[0][2] == once[-1]
    # From TensorFlow 1.15.5.
    assert [v.tolist() for v in some] == [[263, 385, 719], [435, 917, 463]]


def test_repeated_and_negative_segments(session):
    ids = tf.placeholder(tf.int32)
    sums = tf.unsorted_segment_sum(tf.constant([1.0, 2.0, 4.0]), ids, 2)
    np.testing.assert_array_equal(session.run(sums, {ids: [1, -1, 1]}), [0, 5])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"segment_ids\[2\] = 2 is out of"):
        session.run(sums, {ids: [0, -1, 2]})


def test_where_of_vectors_and_matrices(session):
    x = tf.placeholder(tf.bool)
    places = tf.where(x)
    for value in ([True, False, True], [[False, True], [True, True]], []):
        got = session.run(places, {x: np.array(value, bool)})
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, np.argwhere(value))
