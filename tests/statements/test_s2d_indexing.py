"""Statements on reductions, segments, indexing and logic (lines 16562 to 17948)."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_16572_to_16584_reductions():
    x = np.ones((2, 3), np.int32)
    equal(value(tf.reduce_sum(x)), 6)
    equal(value(tf.reduce_sum(x, 0)), [2, 2, 2])
    equal(value(tf.reduce_sum(x, 1)), [3, 3])
    equal(value(tf.reduce_sum(x, 1, keep_dims=True)), [[3], [3]])
    equal(value(tf.reduce_sum(x, [0, 1])), 6)
    y = np.array([[1.0, -2, 3], [4, 5, -6]])
    for f, reference in ((tf.reduce_prod, np.prod), (tf.reduce_min, np.min),
                         (tf.reduce_max, np.max), (tf.reduce_mean, np.mean)):  # fmt: skip
        assert f(y).get_shape() == [] and value(f(y)) == reference(y)
        close(value(f(y, reduction_indices=[1])), reference(y, axis=1))
        kept = f(y, reduction_indices=1, keep_dims=True)
        assert kept.get_shape() == [2, 1]
        close(value(kept), reference(y, axis=1, keepdims=True))


def test_16678_to_16755_means_and_logical_reductions():
    x = [[1.0, 1.0], [2.0, 2.0]]
    assert value(tf.reduce_mean(x)) == 1.5
    equal(value(tf.reduce_mean(x, 0)), [1.5, 1.5])
    equal(value(tf.reduce_mean(x, 1)), [1, 2])
    t = [[True, True], [False, False]]
    assert value([tf.reduce_all(t), tf.reduce_any(t)]) == [False, True]
    equal(value([tf.reduce_all(t, 0), tf.reduce_any(t, 0)]), [[False] * 2, [True] * 2])
    equal(value([tf.reduce_all(t, 1), tf.reduce_any(t, 1)]), [[True, False]] * 2)
    for f in (tf.reduce_all, tf.reduce_any):
        with pytest.raises((TypeError, ValueError)):
            f([1, 0])


def test_16771_16798_accumulate_n():
    a, b = tf.constant([[1, 2], [3, 4]]), tf.constant([[5, 0], [0, 6]])
    equal(value(tf.accumulate_n([a, b, a])), [[7, 4], [6, 14]])
    checked = tf.accumulate_n([a, b, a], shape=[2, 2], tensor_dtype=tf.int32)
    equal(value(checked), [[7, 4], [6, 14]])
    for given in ([a, tf.constant([1, 2])], [a, tf.cast(b, tf.float32)]):
        with pytest.raises(ValueError):
            tf.accumulate_n(given)


def test_16802_to_16905_segments():
    c = tf.constant([[1, 2, 3, 4], [-1, -2, -3, -4], [5, 6, 7, 8]])
    equal(value(tf.segment_sum(c, tf.constant([0, 0, 1]))), [[0, 0, 0, 0], [5, 6, 7, 8]])
    x = np.array([[1.0, 2], [3, -4], [5, 6], [-7, 8]])
    for kind in (np.int32, np.int64):
        ids = np.array([0, 0, 1, 1], kind)
        for f, reference in ((tf.segment_sum, np.sum), (tf.segment_prod, np.prod),
                             (tf.segment_min, np.min), (tf.segment_max, np.max),
                             (tf.segment_mean, np.mean)):  # fmt: skip
            equal(value(f(x, ids)), [reference(x[:2], axis=0), reference(x[2:], axis=0)])
    for ids in ([0, 1], [1, 0, 0, 0]):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            value(tf.segment_sum(x, ids))


def test_16926_16944_unsorted_segments():
    x = np.arange(8.0).reshape(4, 2)
    found = tf.unsorted_segment_sum(x, [2, 0, 2, 0], 4)
    assert found.get_shape() == [4, 2]
    equal(value(found), [x[1] + x[3], [0, 0], x[0] + x[2], [0, 0]])


def test_16956_to_17016_17299_sparse_segments():
    c = tf.constant([[1, 2, 3, 4], [-1, -2, -3, -4], [5, 6, 7, 8]])
    equal(value(tf.sparse_segment_sum(c, [0, 1], [0, 0])), [[0, 0, 0, 0]])
    equal(value(tf.sparse_segment_sum(c, [0, 1], [0, 1])), [[1, 2, 3, 4], [-1, -2, -3, -4]])
    both = tf.sparse_segment_sum(c, [0, 1, 2], [0, 0, 1]), tf.segment_sum(c, [0, 0, 1])
    equal(*value(both))
    x = np.arange(12.0).reshape(4, 3)
    sums = np.array([x[0] + x[2], x[3]])
    close(value(tf.sparse_segment_mean(x, [0, 2, 3], [0, 0, 1])), sums / [[2], [1]])
    close(value(tf.sparse_segment_sqrt_n(x, [0, 2, 3], [0, 0, 1])), sums / [[2**0.5], [1]])
    grad = tf.sparse_segment_sqrt_n_grad(np.ones((2, 3)), [0, 2, 3], [0, 0, 1], 4)
    close(value(grad), np.outer([0.5**0.5, 0, 0.5**0.5, 1], np.ones(3)))


def test_17043_17062_argmin_and_argmax():
    x = np.array([[3.0, 1, 2], [0, 5, 4]])
    for f, reference in ((tf.argmin, np.argmin), (tf.argmax, np.argmax)):
        for axis in (0, 1):
            found = value(f(x, axis))
            assert found.dtype == np.int64
            equal(found, reference(x, axis))
        equal(value(f(x, dimension=1)), reference(x, 1))
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            value(f(x, 2))


def test_17071_to_17104_listdiff():
    out, idx = value(tf.listdiff([1, 2, 3, 4, 5, 6], [1, 3, 5]))
    equal(out, [2, 4, 6])
    equal(idx, [1, 3, 5])
    assert idx.dtype == np.int32
    out, idx = value(tf.listdiff(["b", "a", "b"], ["a"]))
    equal(out, [b"b", b"b"])
    equal(idx, [0, 2])


def test_17110_to_17177_where_and_unique():
    found = value(tf.where([[True, False], [True, False]]))
    assert found.dtype == np.int64
    equal(found, [[0, 0], [1, 0]])
    cubes = [[[True, False], [True, False]], [[False, True], [False, True]],
             [[False, False], [False, True]]]  # fmt: skip
    equal(value(tf.where(cubes)), [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [2, 1, 1]])
    y, idx = value(tf.unique([1, 1, 2, 4, 4, 4, 7, 8, 8]))
    equal(y, [1, 2, 4, 7, 8])
    equal(idx, [0, 0, 1, 2, 2, 2, 3, 4, 4])


def test_17187_to_17243_edit_distance():
    hypothesis = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], (2, 1, 1))
    truth = tf.SparseTensor(
        [[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], (2, 2, 2)
    )
    equal(value(tf.edit_distance(hypothesis, truth)), [[np.inf, 1], [0.5, 1]])
    counted = value(tf.edit_distance(hypothesis, truth, normalize=False))
    equal(counted, [[1, 1], [1, 1]])
    for pair in ((hypothesis, [1]), ([1], truth)):
        with pytest.raises(TypeError):
            tf.edit_distance(*pair)


def test_17252_to_17292_permutations_and_scalar_mul():
    equal(value(tf.invert_permutation([3, 4, 0, 2, 1])), [2, 4, 3, 0, 1])
    for wrong in ([0, 0], [1, 2], [-1, 0]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            value(tf.invert_permutation(wrong))
    equal(value(tf.scalar_mul(3, tf.constant([1, 2]))), [3, 6])
    slices = tf.IndexedSlices(tf.constant([[1.0, 2]]), tf.constant([4]))
    scaled = tf.scalar_mul(2.0, slices)
    assert isinstance(scaled, tf.IndexedSlices)
    equal(value([scaled.values]), [[[2, 4]]])
    for scalar in (tf.constant([1.0, 2]), tf.placeholder(tf.float32)):
        with pytest.raises(ValueError):
            tf.scalar_mul(scalar, tf.constant([1.0, 2]))


def test_17576_to_17715_logic_and_comparisons():
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    equal(value(tf.logical_and(x, y)), x & y)
    equal(value(tf.logical_or(x, y)), x | y)
    equal(value(tf.logical_not(x)), ~x)
    with tf.Graph().as_default():
        either = tf.logical_xor(x, y)
        assert either.op.name.startswith("LogicalXor")
        equal(value(either), x ^ y)
    for given in ([True, False], ["a", "b"], np.array([1 + 2j, 2])):
        equal(value(tf.equal(given, given[0])), [True, False])
        equal(value(tf.not_equal(given, given[0])), [False, True])
    numbers = [1, 2, 3]
    for f, expected in ((tf.less, [1, 0, 0]), (tf.less_equal, [1, 1, 0]),
                        (tf.greater, [0, 0, 1]), (tf.greater_equal, [0, 1, 1])):  # fmt: skip
        equal(value(f(numbers, 2)), np.array(expected, bool))
        for refused in (["a"], [True], np.array([1j])):
            with pytest.raises((TypeError, ValueError)):
                f(refused, refused)


def test_17731_to_17756_select():
    t, e = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
    equal(value(tf.select([[True, False], [False, True]], t, e)), [[1, 6], [7, 4]])
    equal(value(tf.select([True, False], t, e)), [[1, 2], [7, 8]])
    assert value(tf.select(True, 1, 2)) == 1
    for condition, one, two in (([True, False, True], t, e), ([True, False], t, e[0])):
        with pytest.raises(ValueError):
            tf.select(condition, one, two)


def test_17826_to_17885_finite_numbers():
    x = np.array([1.0, np.inf, -np.inf, np.nan])
    equal(value(tf.is_finite(x)), [True, False, False, False])
    equal(value(tf.is_inf(x)), [False, True, True, False])
    equal(value(tf.is_nan(x)), [False, False, False, True])
    good = tf.constant([1.0, 2.0])
    equal(value(tf.verify_tensor_all_finite(good, "bad")), [1, 2])
    equal(value(tf.check_numerics(good, "bad")), [1, 2])
    for wrong in (np.inf, np.nan):
        with pytest.raises(tf.errors.InvalidArgumentError, match="so bad"):
            value(tf.check_numerics([wrong], "so bad"))
        with pytest.raises(tf.errors.InvalidArgumentError):
            value(tf.verify_tensor_all_finite([wrong], "so bad"))


def test_17898_17902_add_check_numerics_ops():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        y = 1.0 / x
        check = tf.add_check_numerics_ops()
        assert isinstance(check, tf.Operation)
        with tf.Session() as session:
            assert session.run([y, check], {x: 2.0})[0] == 0.5
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run([y, check], {x: 0.0})


def test_17910_to_17943_assert_and_print(capfd):
    x = tf.placeholder(tf.float32, [3])
    guard = tf.Assert(tf.less_equal(tf.reduce_max(x), 1.0), [x])
    with tf.control_dependencies([guard]):
        guarded = tf.identity(x)
    with tf.Session() as session:
        equal(session.run(guarded, {x: [0.5, 1, 0]}), [0.5, 1, 0])
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(guarded, {x: [0.5, 2, 0]})
        equal(session.run(x * 2, {x: [0, 2, 0]}), [0, 4, 0])
        shown = tf.Print(x, [x, tf.shape(x)], message="so: ", first_n=2)
        for _ in range(3):
            equal(session.run(shown, {x: [1, 2, 3]}), [1, 2, 3])
    assert capfd.readouterr().err.count("so: [1 2 3][3]") == 2
    many = tf.Print(tf.constant(1), [tf.range(9)])
    value(many)
    assert "[0 1 2...]" in capfd.readouterr().err
