"""Calls of array ops with the values that the documentation prints."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
THREES = np.array([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
SIXES = np.array([[[i] * 3, [i + 1] * 3] for i in (1, 3, 5)])
ROWS = np.array([[1, 2, 3], [4, 5, 6]])
MORE_ROWS = ROWS + 6
CUBES = np.arange(24).reshape(1, 2, 3, 4)
TENS = [10, 20, 30, 40, 50]
PADDINGS = [[1, 1], [2, 2]]
EXAMPLES = {
    "zeros": (lambda: tf.zeros([3, 4], tf.int32), np.zeros((3, 4))),
    "zeros_like": (lambda: tf.zeros_like(ROWS), [[0, 0, 0], [0, 0, 0]]),
    "ones": (lambda: tf.ones([2, 3], tf.int32), [[1, 1, 1], [1, 1, 1]]),
    "ones_like": (lambda: tf.ones_like(ROWS), [[1, 1, 1], [1, 1, 1]]),
    "fill": (lambda: tf.fill([2, 3], 9), [[9, 9, 9], [9, 9, 9]]),
    "constant": (lambda: tf.constant([1, 2, 3, 4, 5, 6, 7]), [1, 2, 3, 4, 5, 6, 7]),
    "constant, 2": (lambda: tf.constant(-1.0, shape=[2, 3]), [[-1, -1, -1], [-1, -1, -1]]),
    "linspace": (lambda: tf.linspace(10.0, 12.0, 3, name="linspace"), [10, 11, 12]),
    "range": (lambda: tf.range(3, 18, 3), [3, 6, 9, 12, 15]),
    "range, 2": (lambda: tf.range(5), [0, 1, 2, 3, 4]),
    "cast": (lambda: tf.cast(tf.constant([1.8, 2.2]), tf.int32), [1, 2]),
    "shape": (lambda: tf.shape(THREES), [2, 2, 3]),
    "size": (lambda: tf.size(THREES), 12),
    "rank": (lambda: tf.rank(THREES), 3),
    "reshape": (lambda: tf.reshape(np.arange(1, 10), [3, 3]), [[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
    "reshape, 2": (
        lambda: tf.reshape([[[1, 1], [2, 2]], [[3, 3], [4, 4]]], [2, 4]),
        [[1, 1, 2, 2], [3, 3, 4, 4]],
    ),
    "reshape, 3": (lambda: tf.reshape(SIXES, [-1]), np.repeat(np.arange(1, 7), 3)),
    "reshape, 4": (lambda: tf.reshape(SIXES, [2, -1]), np.repeat(np.arange(1, 7), 3).reshape(2, 9)),
    "reshape, 5": (lambda: tf.reshape(SIXES, [-1, 9]), np.repeat(np.arange(1, 7), 3).reshape(2, 9)),
    "reshape, 6": (
        lambda: tf.reshape(SIXES, [2, -1, 3]),
        np.repeat(range(1, 7), 3).reshape(2, 3, 3),
    ),
    "reshape, 7": (lambda: tf.reshape([7], []), 7),
    "shape, 2": (lambda: tf.shape(tf.squeeze(tf.zeros([1, 2, 1, 3, 1, 1]))), [2, 3]),
    "shape, 3": (lambda: tf.shape(tf.squeeze(tf.zeros([1, 2, 1, 3, 1, 1]), [2, 4])), [1, 2, 3, 1]),
    "shape, 4": (lambda: tf.shape(tf.expand_dims([0, 0], 0)), [1, 2]),
    "shape, 5": (lambda: tf.shape(tf.expand_dims([0, 0], 1)), [2, 1]),
    "shape, 6": (lambda: tf.shape(tf.expand_dims([0, 0], -1)), [2, 1]),
    "shape, 7": (lambda: tf.shape(tf.expand_dims(tf.zeros([2, 3, 5]), 0)), [1, 2, 3, 5]),
    "shape, 8": (lambda: tf.shape(tf.expand_dims(tf.zeros([2, 3, 5]), 2)), [2, 3, 1, 5]),
    "shape, 9": (lambda: tf.shape(tf.expand_dims(tf.zeros([2, 3, 5]), 3)), [2, 3, 5, 1]),
    "slice": (lambda: tf.slice(SIXES, [1, 0, 0], [1, 1, 3]), [[[3, 3, 3]]]),
    "slice, 2": (lambda: tf.slice(SIXES, [1, 0, 0], [1, 2, 3]), [[[3, 3, 3], [4, 4, 4]]]),
    "slice, 3": (lambda: tf.slice(SIXES, [1, 0, 0], [2, 1, 3]), [[[3, 3, 3]], [[5, 5, 5]]]),
    "shape, 10": (lambda: tf.shape(tf.split(1, 3, tf.zeros([5, 30]))[0]), [5, 10]),
    "tile": (lambda: tf.tile(["a", "b", "c", "d"], [2]), list("abcdabcd")),
    "pad": (
        lambda: tf.pad(ROWS, PADDINGS, "CONSTANT"),
        [[0] * 7, [0, 0, 1, 2, 3, 0, 0], [0, 0, 4, 5, 6, 0, 0], [0] * 7],
    ),
    "pad, 2": (
        lambda: tf.pad(ROWS, PADDINGS, "REFLECT"),
        [[6, 5, 4, 5, 6, 5, 4], [3, 2, 1, 2, 3, 2, 1]] * 2,
    ),
    "pad, 3": (
        lambda: tf.pad(ROWS, PADDINGS, "SYMMETRIC"),
        [[2, 1, 1, 2, 3, 3, 2]] * 2 + [[5, 4, 4, 5, 6, 6, 5]] * 2,
    ),
    "concat": (lambda: tf.concat(0, [ROWS, MORE_ROWS]), np.arange(1, 13).reshape(4, 3)),
    "concat, 2": (
        lambda: tf.concat(1, [ROWS, MORE_ROWS]),
        [[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]],
    ),
    "shape, 11": (lambda: tf.shape(tf.concat(0, [ROWS, ROWS])), [4, 3]),
    "shape, 12": (lambda: tf.shape(tf.concat(1, [ROWS, ROWS])), [2, 6]),
    "pack": (lambda: tf.pack([[1, 4], [2, 5], [3, 6]]), [[1, 4], [2, 5], [3, 6]]),
    "unpack": (lambda: tf.unpack(ROWS), ROWS),
    "reverse": (lambda: tf.reverse(CUBES, [False, False, False, True]), CUBES[..., ::-1]),
    "reverse, 2": (lambda: tf.reverse(CUBES, [False, True, False, False]), CUBES[:, ::-1]),
    "reverse, 3": (lambda: tf.reverse(CUBES, [False, False, True, False]), CUBES[:, :, ::-1]),
    "transpose": (lambda: tf.transpose(ROWS), [[1, 4], [2, 5], [3, 6]]),
    "transpose, 2": (lambda: tf.transpose(ROWS, perm=[1, 0]), [[1, 4], [2, 5], [3, 6]]),
    "transpose, 3": (
        lambda: tf.transpose(np.arange(1, 13).reshape(2, 2, 3), perm=[0, 2, 1]),
        [[[1, 4], [2, 5], [3, 6]], [[7, 10], [8, 11], [9, 12]]],
    ),
    "space_to_depth": (
        lambda: tf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2),
        [[[[1, 2, 3, 4]]]],
    ),
    "space_to_depth, 2": (
        lambda: tf.space_to_depth(np.arange(1, 13).reshape(1, 2, 2, 3), 2),
        np.arange(1, 13).reshape(1, 1, 1, 12),
    ),
    "space_to_depth, 3": (
        lambda: tf.space_to_depth(
            [
                [
                    [[1], [2], [5], [6]],
                    [[3], [4], [7], [8]],
                    [[9], [10], [13], [14]],
                    [[11], [12], [15], [16]],
                ]
            ],
            2,
        ),
        np.arange(1, 17).reshape(1, 2, 2, 4),
    ),
    "depth_to_space": (
        lambda: tf.depth_to_space([[[[1, 2, 3, 4]]]], 2),
        [[[[1], [2]], [[3], [4]]]],
    ),
    "depth_to_space, 2": (
        lambda: tf.depth_to_space(np.arange(1, 13).reshape(1, 1, 1, 12), 2),
        np.arange(1, 13).reshape(1, 2, 2, 3),
    ),
    "depth_to_space, 3": (
        lambda: tf.depth_to_space(np.arange(1, 17).reshape(1, 2, 2, 4), 2)[0, :, :, 0],
        [[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]],
    ),
    "dynamic_partition": (lambda: tf.dynamic_partition(TENS, [0, 0, 1, 1, 0], 2)[0], [10, 20, 50]),
    "dynamic_partition, 2": (lambda: tf.dynamic_partition(TENS, [0, 0, 1, 1, 0], 2)[1], [30, 40]),
    "shape, 13": (lambda: tf.shape(tf.dynamic_partition([10, 20], 1, 2)[0]), [0, 2]),
    "dynamic_partition, 3": (lambda: tf.dynamic_partition([10, 20], 1, 2)[1], [[10, 20]]),
    "dynamic_stitch": (
        lambda: tf.dynamic_stitch(
            [6, [4, 1], [[5, 2], [0, 3]]],
            [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]],
        ),
        [[1, 2], [11, 12], [21, 22], [31, 32], [41, 42], [51, 52], [61, 62]],
    ),
    "boolean_mask": (lambda: tf.boolean_mask([0, 1, 2, 3], [True, False, True, False]), [0, 2]),
    "boolean_mask, 2": (
        lambda: tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]),
        [[1, 2], [5, 6]],
    ),
    "one_hot": (
        lambda: tf.one_hot([0, 2, -1, 1], depth=3, on_value=5.0, off_value=0.0, axis=-1),
        [[5, 0, 0], [0, 0, 5], [0, 0, 0], [0, 5, 0]],
    ),
    "one_hot, 2": (
        lambda: tf.one_hot([[0, 2], [1, -1]], depth=3, on_value=1.0, off_value=0.0, axis=-1),
        [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 0]]],
    ),
    "one_hot, 3": (
        lambda: tf.one_hot([0, 1], 3, axis=0),
        [[1, 0], [0, 1], [0, 0]],
    ),
}


@pytest.mark.parametrize("call", EXAMPLES)
def test_printed_values(call):
    build, expected = EXAMPLES[call]
    expected = np.asarray(expected)
    with tf.Session() as session:
        found = np.asarray(session.run(build()))
    if found.dtype == object:
        expected = np.array([each.encode() for each in expected], object)
    assert found.shape == expected.shape
    equal(found, expected)


def test_reverse_sequence():
    x = np.arange(4 * 8).reshape(4, 8)
    lengths = np.array([7, 2, 3, 5])
    expected = [np.r_[row[:n][::-1], row[n:]] for row, n in zip(x, lengths)]
    with tf.Session() as session:
        equal(session.run(tf.reverse_sequence(x, lengths, seq_dim=1, batch_dim=0)), expected)
        turned = tf.reverse_sequence(x.T, lengths, seq_dim=0, batch_dim=1)
        equal(session.run(turned), np.transpose(expected))


def test_sparse_mask():
    a = tf.IndexedSlices(tf.constant(np.arange(40).reshape(4, 10)), tf.constant([12, 26, 37, 45]))
    b = tf.sparse_mask(a, [12, 45])
    with tf.Session() as session:
        assert session.run(tf.shape(a.values)).tolist() == [4, 10]
        assert session.run(b.indices).tolist() == [26, 37]
        assert session.run(tf.shape(b.values)).tolist() == [2, 10]
