"""tf.vectorized_map and pfor: all iterations together give what a loop gives."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.model.parallel_for import converter
from headwater.model.parallel_for.gradients import batch_jacobian, jacobian
from headwater.model.parallel_for.loops import for_loop, pfor


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def vectorized(monkeypatch):
    """Fails where an op runs once for each index."""

    def fail(self, call):
        raise AssertionError(f"{call.op.type} has no rule")

    monkeypatch.setattr(converter.Converter, "_one_by_one", fail)


def evaluated(*values):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(values)


def numbers(*shape):
    return tf.constant(np.random.rand(*shape).astype(np.float32))


def row_functions():
    """Functions of the index, each with some rules."""
    x, y, z = numbers(4, 3), numbers(3, 5), numbers(4, 2, 3)
    images, kernel = numbers(4, 2, 6, 6, 2), numbers(3, 3, 2, 3)
    row = lambda tensor, i: tf.gather(tensor, i)  # noqa: E731
    pool = ([1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    nhwc = lambda i: tf.nn.conv2d(row(images, i), kernel, [1, 1, 1, 1], "SAME")  # noqa: E731
    return {
        "unary": lambda i: tf.nn.softmax(tf.exp(-row(x, i))),
        "broadcast": lambda i: row(x, i) + tf.transpose(y) * row(x, i)[0],
        "matmul": lambda i: [
            tf.matmul(row(z, i), y),
            tf.matmul(y, row(z, i), transpose_a=True, transpose_b=True),
            tf.matmul(row(z, i), row(z, i), transpose_b=True),
        ],
        "batch_matmul": lambda i: tf.matmul(row(images, i), row(images, i), transpose_a=True),
        "axes": lambda i: [
            tf.reduce_sum(row(z, i), 0),
            tf.reduce_max(row(z, i), -1, keepdims=True),
            tf.argmax(row(z, i), 1),
            tf.cumsum(row(z, i), 1),
            tf.expand_dims(row(z, i), 1),
            tf.reverse(row(z, i), [0]),
        ],
        "shapes": lambda i: [
            tf.reshape(row(z, i), [-1]),
            tf.reshape(row(z, i), tf.shape(row(z, i))[::-1]),
            tf.transpose(row(z, i)),
            tf.tile(row(x, i), [2]),
            tf.pad(row(z, i), [[1, 0], [0, 2]]),
            tf.squeeze(row(z, i)[:1]),
            tf.size(row(z, i)) + tf.rank(row(z, i)),
        ],
        "lists": lambda i: [
            tf.concat([row(z, i), z[0]], 1),
            tf.stack([row(x, i), x[0]], 1),
            *tf.unstack(row(z, i)),
            *tf.split(row(z, i), [1, 2], 1),
            *tf.split(row(z, i), 3, -1),
        ],
        "slices": lambda i: [
            z[i],
            row(z, i)[1, ::-1],
            row(z, i)[:, tf.newaxis, 1:],
            tf.slice(row(z, i), [0, 1], [2, -1]),
            tf.gather(z, i, axis=0),
            tf.gather(y, tf.stack([i % 2, 0]), axis=1),
            tf.gather(row(z, i), [1, 0], axis=-1),
        ],
        "select": lambda i: [
            tf.where(row(x, i) > 0.5, row(x, i), x[0]),
            tf.where(row(x, i)[0] > 0.5, row(z, i), z[0]),
        ],
        "images": lambda i: [
            nhwc(i),
            tf.nn.max_pool(nhwc(i), *pool),
            *tf.gradients(tf.nn.max_pool(nhwc(i), *pool), images),
            *tf.gradients(tf.nn.avg_pool(tf.nn.bias_add(nhwc(i), [1.0, 2.0, 3.0]), *pool), images),
        ],
        "inference": lambda i: tf.nn.fused_batch_norm(
            row(images, i), [1.0, 2.0], [0.5, 1.0], [0.0, 0.1], [1.0, 2.0], is_training=False
        )[0],
        "losses": lambda i: [
            tf.nn.l2_loss(row(z, i)),
            tf.nn.softmax_cross_entropy_with_logits_v2(labels=z[0], logits=row(z, i)),
            *tf.gradients(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=row(z, i)), z
            ),
            tf.nn.in_top_k(row(z, i), [1, i % 3], 1),
            *tf.gradients(tf.nn.bias_add(row(z, i), x[0]), x),
        ],
        "matrices": lambda i: [
            tf.matrix_band_part(row(z, i), 0, 1),
            tf.matrix_set_diag(row(z, i), row(x, i)[:2]),
            tf.abs(tf.svd(row(z, i), compute_uv=False)),
            tf.abs(tf.spectral.rfft(row(z, i), [4])),
            tf.cross(row(z, i), z[0]),
        ],
        "places": lambda i: [
            tf.one_hot([i % 3, 1], 3),
            tf.one_hot([i % 3, 1], 3, axis=0),
            tf.gather_nd(x, [[i % 4, 1], [0, 0]]),
            tf.gather_nd(row(z, i), [[1, i % 3], [0, 0]]),
            tf.nn.top_k(row(z, i), 2)[1],
            tf.broadcast_to(row(x, i), [2, 2, 3]),
            tf.roll(row(z, i), 1, -1),
            tf.roll(row(z, i), 1, 0),
        ],
        "segments": lambda i: tf.unsorted_segment_sum(row(z, i), [1, -1], 3),
        "index": lambda i: {"i": i, "same": x, "float": tf.cast(i, tf.float32)},
    }


with tf.Graph().as_default():
    NAMES = list(row_functions())


@pytest.mark.parametrize("name", NAMES)
def test_rules_give_what_a_loop_gives(vectorized, name):
    function = row_functions()[name]
    together = pfor(function, 4)
    types = tf.contrib.framework.nest.map_structure(lambda x: x.dtype, together)
    one_by_one = for_loop(function, types, 4)
    flat = tf.contrib.framework.nest.flatten
    for ours, wanted in zip(*evaluated(flat(together), flat(one_by_one)), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-5, atol=1e-6)


def test_ops_without_a_rule_run_once_for_each_index():
    x = tf.constant([[4, 1, 4], [2, 2, 3]])
    (found,) = evaluated(pfor(lambda i: tf.nn.top_k(tf.gather(x, i), 2).indices, 2))
    np.testing.assert_array_equal(found, [[0, 2], [2, 0]])


def test_layers_that_make_their_variables_inside(vectorized):
    layer = tf.keras.layers.Dense(1)
    inputs, labels = numbers(10, 4), numbers(10, 1)

    def gradients_of(arguments):
        x, label = arguments
        with tf.GradientTape() as tape:
            loss = tf.nn.l2_loss(tf.expand_dims(label, 0) - layer(tf.expand_dims(x, 0)))
        return tape.gradient(loss, (layer.kernel, layer.bias))

    kernel, bias = tf.vectorized_map(gradients_of, (inputs, labels))
    assert kernel.shape == (10, 4, 1)
    assert bias.shape == (10, 1)
    error = layer(inputs) - labels
    ours, theirs, x, wanted = evaluated(kernel, bias, inputs, error)
    np.testing.assert_allclose(theirs, wanted, rtol=1e-5)
    np.testing.assert_allclose(ours, (x * wanted)[:, :, np.newaxis], rtol=1e-5)


def test_loops_and_branches_inside():
    sums = pfor(lambda i: tf.while_loop(lambda j, v: j < i, lambda j, v: (j + 1, v + j), (0, 0)), 4)
    branches, none = pfor(lambda i: [tf.cond(i < 2, lambda: 1.0, lambda: 2.0), None], 4)
    assert none is None
    (counts, totals), chosen = evaluated(sums, branches)
    assert counts.tolist() == [0, 1, 2, 3] and totals.tolist() == [0, 0, 1, 3]
    assert chosen.tolist() == [1.0, 1.0, 2.0, 2.0]


def test_operations_and_none():
    v = tf.Variable(1.0)
    steps = pfor(lambda i: [tf.assign_add(v, tf.cast(i, tf.float32)).op, None], 4)
    assert steps[1] is None
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(steps[0])
        assert session.run(v) == 7.0


def test_random_values_differ():
    (found,) = evaluated(pfor(lambda i: tf.random_uniform([3]), 4))
    assert found.shape == (4, 3) and len(np.unique(found)) == 12


def test_values_of_all_iterations():
    x = tf.constant([[1.0, 2.0], [3.0, 6.0]])

    def centred(i, pfor_config):
        row = tf.gather(x, i)
        return row - pfor_config.reduce_mean(row), pfor_config.reduce_sum(row)

    rows, sums = evaluated(*pfor(centred, 2))
    assert rows.tolist() == [[-1, -2], [1, 2]] and sums.tolist() == [[4, 8], [4, 8]]


def test_vectorized_map(vectorized):
    x = tf.constant([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    mapped = tf.vectorized_map(lambda e: {"r": tf.reduce_sum(e["k"])}, {"k": x})
    assert mapped["r"].shape.as_list() == [2]
    pairs = tf.vectorized_map(lambda pair: pair[0] + pair[1], (x, x))
    unknown = tf.placeholder(tf.float32, [None, 3])
    squares = tf.vectorized_map(tf.square, unknown)
    with tf.Session() as session:
        assert session.run(mapped["r"]).tolist() == [3.0, 12.0]
        assert session.run(pairs).tolist() == [[0, 2, 4], [6, 8, 10]]
        assert session.run(squares, {unknown: [[1, 2, 3]]}).tolist() == [[1, 4, 9]]
    with pytest.raises(ValueError, match=r"^slice index 0 of dimension 0 out of bounds"):
        tf.vectorized_map(lambda e: e, tf.constant(1.0))


def test_for_loop():
    x = tf.constant([[0.0, 1.0], [2.0, 3.0]])
    rows, none = for_loop(lambda i: [tf.gather(x, i), None], [tf.float32, tf.int32], 2)
    assert none is None and rows.shape.as_list() == [None, 2]
    np.testing.assert_array_equal(*evaluated(rows, x))
    with pytest.raises(ValueError, match=r"^Found parallel_iterations == 1\. Use for_loop instead"):
        pfor(lambda i: i, 2, parallel_iterations=1)


def test_jacobians(vectorized):
    y = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    z = tf.matmul(y, y)
    whole, none = jacobian(z, [y, tf.constant(1.0)])
    assert none is None and whole.shape.as_list() == [2, 2, 2, 2]
    one_by_one = jacobian(z, y, use_pfor=False)
    of_examples = batch_jacobian(y * y, y)
    found, again, examples = evaluated(whole, one_by_one, of_examples)
    assert found.tolist() == again.tolist()
    assert found.tolist() == [
        [[[2, 3], [2, 0]], [[2, 5], [0, 2]]],
        [[[3, 0], [5, 3]], [[0, 3], [2, 8]]],
    ]
    assert examples.tolist() == [[[2, 0], [0, 4]], [[6, 0], [0, 8]]]
    assert batch_jacobian(tf.ones([2, 2]), y) is None
    with pytest.raises(ValueError, match=r"^Need first dimension of output shape \(\(3, 2\)\) and"):
        batch_jacobian(tf.zeros([3, 2]), y)


def test_jacobian_of_a_network(vectorized):
    x, w = numbers(3, 6, 6, 2), numbers(3, 3, 2, 4)
    hidden = tf.nn.max_pool(
        tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")), [1, 2, 2, 1], [1, 2, 2, 1], "VALID"
    )
    y = tf.nn.softmax(0.01 * tf.matmul(tf.reshape(hidden, [3, -1]), numbers(36, 5)))
    together, one_by_one = evaluated(batch_jacobian(y, x), batch_jacobian(y, x, use_pfor=False))
    np.testing.assert_allclose(together, one_by_one, rtol=1e-4, atol=1e-7)
