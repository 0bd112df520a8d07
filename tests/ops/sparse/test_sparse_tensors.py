"""Sparse tensors: conversions, concatenation, reductions, sums, softmax, products."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def sparse(entries, shape):
    """A SparseTensor of a dictionary from positions to values."""
    return tf.SparseTensor(indices=list(entries), values=list(entries.values()), shape=shape)


def holds(found, entries, shape):
    """The value of a SparseTensor has these entries, in this order."""
    found = value(found) if isinstance(found, tf.SparseTensor) else found
    equal(found.indices, np.array(list(entries), np.int64).reshape(-1, len(shape)))
    values = [v.encode() if isinstance(v, str) else v for v in entries.values()]
    equal(found.values, values)
    equal(found.dense_shape, shape)


def test_sparse_tensors():
    st = tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], shape=[3, 4])
    assert st.indices.dtype == tf.int64 == st.dense_shape.dtype and st.dtype == tf.int32
    assert st.op is st.values.op and st.graph is tf.get_default_graph()
    equal(value(tf.sparse_tensor_to_dense(st)), [[1, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]])
    with tf.Session() as session:
        found = st.eval()
        assert isinstance(found, tf.SparseTensorValue)
        for each in (found, st.eval(session=session)):
            equal(each[0], [[0, 0], [1, 2]])
            equal(each[1], [1, 2])
            equal(each[2], [3, 4])
        equal(found.shape, found.dense_shape)
        x = tf.placeholder(tf.int32, [2])
        fed = tf.SparseTensor([[0, 0], [1, 2]], x, [3, 4]).eval({x: [7, 8]})
        equal(fed.values, [7, 8])
    spelled = tf.SparseTensorValue(indices=[[0]], values=[1], shape=[2])
    assert spelled == ([[0]], [1], [2])
    holds(tf.SparseTensor.from_value(found), {(0, 0): 1, (1, 2): 2}, [3, 4])
    unordered = sparse({(1, 0): 1, (0, 0): 2}, [2, 1])
    equal(value(unordered).indices, [[1, 0], [0, 0]])


def test_sparse_to_dense():
    equal(value(tf.sparse_to_dense(2, [4], 9)), [0, 0, 9, 0])
    equal(value(tf.sparse_to_dense([1, 3], [4], [5, 6], -1)), [-1, 5, -1, 6])
    equal(value(tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], 7)), [[0, 7], [7, 0]])
    for places in ([3, 1], [1, 1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = \[1\] is"):
            value(tf.sparse_to_dense(places, [4], [5, 6]))
    loose = tf.sparse_to_dense([3, 1], [4], [5, 6], validate_indices=False)
    equal(value(loose), [0, 6, 0, 5])
    with pytest.raises(
        (TypeError, ValueError),
        match="Input 'output_shape' of 'SparseToDense' Op has type int64 that",
    ):
        tf.sparse_to_dense(tf.constant([1]), tf.constant([4], tf.int64), [5])


def test_sparse_tensor_to_dense():
    st = sparse({(0, 1): "a", (0, 3): "b", (2, 0): "c"}, [3, 5])
    found = value(tf.sparse_tensor_to_dense(st, default_value="x"))
    equal(found, [[b"x", b"a", b"x", b"b", b"x"], [b"x"] * 5, [b"c"] + [b"x"] * 4])


def test_what_is_not_sparse_is_refused():
    """Lines 19098, 19147, 19194, 19330, 19369, 19402, 19439, 19495 and 19291."""
    dense = tf.constant([[1, 2]])
    for f in (
        tf.sparse_tensor_to_dense,
        lambda x: tf.sparse_to_indicator(x, 5),
        lambda x: tf.sparse_merge(x, x, 5),
        tf.sparse_reorder,
        lambda x: tf.sparse_split(0, 1, x),
        lambda x: tf.sparse_retain(x, [True]),
        tf.sparse_reset_shape,
        lambda x: tf.sparse_fill_empty_rows(x, 0),
        lambda x: tf.sparse_concat(0, x),
        lambda x: tf.sparse_concat(0, [x, x]),
        tf.sparse_softmax,
    ):
        with pytest.raises(
            (TypeError, ValueError),
            match=r"Input must be a SparseTensor\.|Inputs must be a list or tuple\.|"
            r"Keyword arguments are required for",
        ):
            f(dense)


def test_sparse_to_indicator():
    """One position is outside of the shape, as documented: the last axis does not count."""
    st = sparse(
        {(0, 0, 0): 0, (0, 1, 0): 10, (1, 0, 3): 103, (1, 1, 2): 150, (1, 1, 3): 149,
         (1, 1, 4): 150, (1, 2, 1): 121},
        [2, 3, 4],
    )  # fmt: skip
    found = value(tf.sparse_to_indicator(st, 200))
    assert found.dtype == bool and found.shape == (2, 3, 200)
    equal(
        np.argwhere(found),
        [[0, 0, 0], [0, 1, 10], [1, 0, 103], [1, 1, 149], [1, 1, 150], [1, 2, 121]],
    )


def test_sparse_merge():
    def example(ids, values):
        return tf.train.Example(
            features=tf.train.Features(
                feature={
                    "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=ids)),
                    "values": tf.train.Feature(float_list=tf.train.FloatList(value=values)),
                }
            )
        ).SerializeToString()

    parsed = tf.parse_example(
        [example([0], [-3]), example([1, 4, 3], [1, 1, 4]), example([0, 3], [5, 9])],
        {"ids": tf.VarLenFeature(tf.int64), "values": tf.VarLenFeature(tf.float32)},
    )
    merged = tf.sparse_merge(parsed["ids"], parsed["values"], 6)
    entries = {(0, 0): -3, (1, 1): 1, (1, 3): 4, (1, 4): 1, (2, 0): 5, (2, 3): 9}
    holds(merged, entries, [3, 6])
    named = tf.sparse_merge(parsed["ids"], parsed["values"], vocab_size=6)
    holds(named, entries, [3, 6])


def test_sparse_concat():
    one = sparse({(0, 2): "a", (1, 0): "b", (1, 1): "c"}, [2, 3])
    two = sparse({(0, 1): "d", (0, 2): "e"}, [2, 4])
    entries = {(0, 2): "a", (0, 4): "d", (0, 5): "e", (1, 0): "b", (1, 1): "c"}
    holds(tf.sparse_concat(1, [one, two]), entries, [2, 7])
    tall = sparse({(0, 2): "a", (1, 0): "b", (2, 1): "c"}, [3, 3])
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match="Input shapes must match: expected 3 for dimension 0 but got 2",
    ):
        value(tf.sparse_concat(1, [tall, two]))
    entries = {(0, 2): "a", (0, 4): "d", (0, 5): "e", (1, 0): "b", (2, 1): "c"}
    joined = tf.sparse_concat(1, [tall, two], expand_nonconcat_dim=True)
    holds(joined, entries, [3, 7])
    joined = tf.sparse_concat(concat_dim=1, sp_inputs=[tall, two], expand_nonconcat_dim=True)
    holds(joined, entries, [3, 7])


def test_reorder_and_split():
    mixed = sparse({(0, 3): "b", (0, 1): "a", (3, 1): "d", (2, 0): "c"}, [4, 5])
    ordered = {(0, 1): "a", (0, 3): "b", (2, 0): "c", (3, 1): "d"}
    holds(tf.sparse_reorder(mixed), ordered, [4, 5])
    st = sparse({(0, 2): "a", (0, 4): "d", (0, 5): "e", (1, 0): "b", (1, 1): "c"}, [2, 7])
    left, right = {(0, 2): "a", (1, 0): "b", (1, 1): "c"}, {(0, 0): "d", (0, 1): "e"}
    for parts in (
        tf.sparse_split(1, 2, st),
        tf.sparse_split(split_dim=1, num_split=2, sp_input=st),
        tf.sparse_split(sp_input=st, num_split=2, axis=1),
    ):
        holds(parts[0], left, [2, 4])
        holds(parts[1], right, [2, 3])


def test_retain_and_reset_shape():
    st = sparse({(0, 1): "a", (0, 3): "b", (2, 0): "c", (3, 1): "d"}, [4, 5])
    kept = tf.sparse_retain(st, [True, False, False, True])
    holds(kept, {(0, 1): "a", (3, 1): "d"}, [4, 5])
    entries = {(0, 0, 1): "a", (0, 1, 0): "b", (0, 2, 2): "c", (1, 0, 3): "d"}
    st = sparse(entries, [2, 3, 5])
    holds(tf.sparse_reset_shape(st), entries, [2, 3, 4])
    holds(tf.sparse_reset_shape(st, [2, 3, 6]), entries, [2, 3, 6])
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        tf.sparse_reset_shape(st, [3, 7])
    with pytest.raises(
        tf.errors.OpError,
        match=r"assertion failed: \[Condition x == y did not hold element-wise:\]",
    ):
        value(tf.sparse_reset_shape(st, tf.placeholder_with_default([3, 7], [None])))
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match="Requested new_shape should have dimension sizes >=",
    ):
        value(tf.sparse_reset_shape(st, [2, 3, 3]))


def test_fill_empty_rows():
    st = sparse({(0, 1): "a", (0, 3): "b", (2, 0): "c", (3, 1): "d"}, [5, 6])
    filled, empty = tf.sparse_fill_empty_rows(st, "none")
    entries = {(0, 1): "a", (0, 3): "b", (1, 0): "none", (2, 0): "c", (3, 1): "d",
               (4, 0): "none"}  # fmt: skip
    holds(filled, entries, [5, 6])
    equal(value(empty), [False, True, False, False, True])


def test_sparse_reduce_sum():
    x = sparse({(0, 0): 1, (0, 2): 1, (1, 1): 1}, [2, 3])
    assert value(tf.sparse_reduce_sum(x)) == 3
    equal(value(tf.sparse_reduce_sum(x, 0)), [1, 1, 1])
    equal(value(tf.sparse_reduce_sum(x, 1)), [2, 1])
    equal(value(tf.sparse_reduce_sum(x, reduction_axes=-1)), [2, 1])
    equal(value(tf.sparse_reduce_sum(x, 1, keep_dims=True)), [[2], [1]])
    assert value(tf.sparse_reduce_sum(x, [0, 1])) == 3


def test_sparse_add():
    a = sparse({(0, 0): 2.0, (0, 1): 0.1, (1, 1): 6.0}, [3, 2])
    b = sparse({(0, 0): -2.0, (1, 0): -0.2, (1, 1): 1.0}, [3, 2])
    for thresh, kept in ((0, 4), (0.11, 2), (0.21, 1)):
        total = value(tf.sparse_add(a, b, thresh))
        assert len(total.values) == kept
    dense = np.ones((3, 2), np.float32)
    expected = dense + [[2, 0.1], [0, 6], [0, 0]]
    for pair in ((a, dense), (dense, a)):
        result = tf.sparse_add(*pair)
        assert isinstance(result, tf.Tensor)
        close(value(result), expected, 1e-6)
    with pytest.raises(
        TypeError, match="At least one input should be SparseTensor; do you mean to use"
    ):
        tf.sparse_add(dense, dense)
    z = tf.SparseTensor([[0]], tf.constant([3 + 4j], tf.complex64), [1])
    assert len(value(tf.sparse_add(z, z, np.float32(11))).values) == 0
    with pytest.raises(
        (TypeError, ValueError), match="Tensor conversion requested dtype float32 for Tensor"
    ):
        tf.sparse_add(z, z, tf.constant(11.0, tf.float64))


def test_the_thresholds_of_the_page():
    """Sums 2.0, 0.1, 0, -0.2 and 6.0: 0.11 keeps three of them and 0.21 keeps two."""
    sums = {(0, 0): 2.0, (0, 1): 0.1, (1, 0): 6.0, (1, 1): 0.0, (2, 0): -0.2}
    nothing = sparse({(1, 1): 0.0}, [3, 2])
    for thresh, kept in ((0, 5), (0.11, 3), (0.21, 2)):
        assert len(value(tf.sparse_add(sparse(sums, [3, 2]), nothing, thresh)).values) == kept


def test_sparse_softmax():
    dense = np.array([[[0, np.e], [1, 0]], [[np.e, 0], [np.e, np.e]]])
    places = np.argwhere(dense)
    st = tf.SparseTensor(places, dense[dense != 0], dense.shape)
    found = value(tf.sparse_softmax(st))
    equal(found.indices, [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    close(found.values, [1, 1, 1, 0.5, 0.5])
    equal(found.dense_shape, [2, 2, 2])
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match="Input should have rank >= 2, but received shape: 2",
    ):
        value(tf.sparse_softmax(tf.SparseTensor([[0]], [1.0], [2])))


def test_products_with_dense_matrices():
    """The page conjugates an adjoint A; every release only transposes it."""
    a = np.array([[0, 1 + 2j, 0], [3, 0, -1j]], np.complex64)
    st = tf.SparseTensor(np.argwhere(a), a[a != 0], a.shape)
    x = (np.arange(6).reshape(3, 2) * (1 - 1j)).astype(np.complex64)
    close(value(tf.sparse_tensor_dense_matmul(st, x)), a @ x, 1e-5)
    adjoint = tf.sparse_tensor_dense_matmul(st, x.T, adjoint_a=True, adjoint_b=False)
    close(value(adjoint), a.T @ x.T, 1e-5)
    both = tf.sparse_tensor_dense_matmul(st, x[:, :].conj().T, adjoint_b=True)
    close(value(both), a @ x, 1e-5)
