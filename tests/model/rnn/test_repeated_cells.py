"""One cell at several places of a MultiRNNCell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf

cells = tf.nn.rnn_cell


def _shapes(make: Any, depth: int, dynamic: bool) -> Any:
    """The shapes of the variables, and the gradients of each."""
    with tf.Graph().as_default(), tf.Session() as session:
        cell = cells.MultiRNNCell([make()] * 3)
        x = tf.constant(np.sin(np.arange(2 * 3 * depth)).reshape(2, 3, depth), tf.float32)
        if dynamic:
            outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        else:
            outputs, _ = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)
        variables = tf.trainable_variables()
        gradients = tf.gradients(outputs, variables)
        session.run(tf.global_variables_initializer())
        return {v.op.name: v.shape.as_list() for v in variables}, session.run(gradients)


def _dropped() -> Any:
    return cells.DropoutWrapper(cells.GRUCell(4), output_keep_prob=tf.constant(1.0))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("make", [lambda: cells.BasicLSTMCell(4), _dropped])
def test_places_with_inputs_of_other_sizes_have_own_weights(make: Any, dynamic: bool) -> None:
    shapes, gradients = _shapes(make, 5, dynamic)
    kernels = [shape for name, shape in shapes.items() if name.endswith("kernel")]
    places = {name.split("/")[2] for name in shapes}
    assert places == {"cell_0", "cell_1", "cell_2"}
    assert [shape[0] for shape in kernels[:: len(kernels) // 3]] == [9, 8, 8]
    assert all(np.abs(gradient).max() > 0 for gradient in gradients)


def test_places_with_inputs_of_one_size_share_weights() -> None:
    shapes, _ = _shapes(lambda: cells.BasicLSTMCell(4), 4, True)
    assert shapes == {
        "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel": [8, 16],
        "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias": [16],
    }
