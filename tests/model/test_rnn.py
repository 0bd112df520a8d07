"""Recurrent networks: old argument orders, and loops that must agree with each other."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf


def _values(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda: tf.nn.rnn_cell.BasicRNNCell(4, 3), 4),
        (lambda: tf.nn.rnn_cell.BasicRNNCell(4, None, tf.nn.relu), 4),
        (lambda: tf.nn.rnn_cell.GRUCell(4, input_size=3), 4),
        (lambda: tf.nn.rnn_cell.GRUCell(4, 3, tf.sigmoid), 4),
        (lambda: tf.nn.rnn_cell.BasicLSTMCell(4, 0.5, None, True), (4, 4)),
        (lambda: tf.nn.rnn_cell.BasicLSTMCell(4, 0.5, 3, False), 8),
        (lambda: tf.nn.rnn_cell.BasicLSTMCell(4, input_size=3, state_is_tuple=False), 8),
        (lambda: tf.nn.rnn_cell.LSTMCell(4, 3, num_proj=2), (4, 2)),
        (lambda: tf.nn.rnn_cell.LSTMCell(4, input_size=3, state_is_tuple=False), 8),
        (lambda: tf.contrib.rnn.InputProjectionWrapper(tf.nn.rnn_cell.GRUCell(4), 2, 3), 4),
        (lambda: tf.contrib.rnn.LSTMBlockCell(4, use_compatible_names=True), (4, 4)),
        (lambda: tf.contrib.rnn.LSTMBlockCell(4, 1.0, True), (4, 4)),
        (lambda: tf.contrib.rnn.NASCell(4, use_biases=True), (4, 4)),
    ],
)
def test_arguments_of_old_releases_make_a_cell(make, size):
    tf.reset_default_graph()
    cell = make()
    assert cell.state_size == size
    outputs, _ = tf.nn.rnn(cell, [tf.ones([2, 3])] * 2, dtype=tf.float32)
    assert [x.shape.as_list() for x in outputs] == [[2, cell.output_size]] * 2


def test_activation_of_old_releases_is_used():
    tf.reset_default_graph()
    cell = tf.nn.rnn_cell.BasicRNNCell(4, None, tf.nn.relu)
    output, _ = cell(tf.ones([2, 3]), tf.zeros([2, 4]))
    assert output.op.type == "Relu"


def test_modules_of_old_releases_have_the_cells():
    for module in (tf.models.rnn.rnn_cell, tf.contrib.rnn.core_rnn_cell):
        assert module.LSTMCell is tf.nn.rnn_cell.LSTMCell
        assert module.EmbeddingWrapper is tf.contrib.rnn.EmbeddingWrapper
    assert tf.models.rnn.rnn.rnn is tf.nn.static_rnn


def test_linear_takes_the_first_value_of_the_bias_and_a_scope():
    tf.reset_default_graph()
    ones = tf.ones([1, 2])
    with tf.variable_scope("s", initializer=tf.ones_initializer()):
        result = tf.nn.rnn_cell._linear([ones, ones], 3, True, 2.0, scope="Linear")
    assert [v.name for v in tf.global_variables()] == ["s/Linear/kernel:0", "s/Linear/bias:0"]
    np.testing.assert_allclose(_values(result), [[6, 6, 6]])


def test_copy_of_a_fresh_cell_makes_its_own_variables():
    tf.reset_default_graph()
    cell = tf.nn.rnn_cell.GRUCell(2)
    x = tf.ones([1, 2])
    for one, scope in ((cell, "a"), (copy.deepcopy(cell), "b")):
        with tf.variable_scope(scope):
            one(x, one.zero_state(1, tf.float32))
    assert {v.name.split("/")[0] for v in tf.global_variables()} == {"a", "b"}


@settings(max_examples=8, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 4), min_size=1, max_size=3),
    steps=st.integers(1, 4),
    peepholes=st.booleans(),
)
def test_all_loops_agree(lengths, steps, peepholes):
    tf.reset_default_graph()
    lengths = np.minimum(lengths, steps).astype(np.int32)
    rows = np.random.RandomState(0).randn(len(lengths), steps, 3).astype(np.float32)
    x = tf.constant(rows)
    by_time = tf.transpose(x, [1, 0, 2])
    results = []
    with tf.variable_scope("net", initializer=tf.constant_initializer(0.2), reuse=tf.AUTO_REUSE):
        cell = tf.nn.rnn_cell.LSTMCell(2, use_peepholes=peepholes, name="lstm")
        fused = tf.contrib.rnn.LSTMBlockFusedCell(2, use_peephole=peepholes, name="lstm")
        options = {"sequence_length": lengths, "dtype": tf.float32}
        outputs, state = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), scope="a", **options)
        results.append([tf.stack(outputs, 1), *state])
        outputs, state = tf.nn.dynamic_rnn(cell, x, scope="a", **options)
        results.append([outputs, *state])
        with tf.variable_scope("a"):
            outputs, state = fused(by_time, **options)
        results.append([tf.transpose(outputs, [1, 0, 2]), *state])
    (static, dynamic, block) = _values(results)
    for expected, second, third in zip(static, dynamic, block, strict=True):
        np.testing.assert_allclose(second, expected, atol=1e-6)
        np.testing.assert_allclose(third, expected, atol=1e-6)


def test_rows_that_are_over_give_zeros_and_keep_their_state():
    tf.reset_default_graph()
    cell = tf.nn.rnn_cell.GRUCell(2)
    x = np.ones([3, 4, 2], np.float32)
    outputs, state = tf.nn.dynamic_rnn(cell, x, sequence_length=[0, 2, 4], dtype=tf.float32)
    found, last = _values([outputs, state])
    assert not found[0].any()
    assert not last[0].any()
    assert not found[1, 2:].any()
    # A compiled program may compute the state apart from the outputs, with other rounding.
    np.testing.assert_allclose(last[1:], [found[1, 1], found[2, 3]], rtol=1e-6)


def test_variables_of_a_loop_are_trained_through_scan_and_map():
    tf.reset_default_graph()
    w = tf.get_variable("w", initializer=2.0)
    x = tf.constant([1.0, 2.0, 3.0])
    scanned = tf.scan(lambda a, v: a * w + v, x)
    mapped = tf.map_fn(lambda v: v * w, x)
    found = _values([scanned, tf.gradients(scanned, w)[0], tf.gradients(mapped, w)[0]])
    np.testing.assert_allclose(found[0], [1, 4, 11])
    np.testing.assert_allclose(found[1], 1 + (2 * 2 + 2))
    np.testing.assert_allclose(found[2], 6)
