"""Dropout of cells with a keep probability of zero."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


@pytest.mark.parametrize("as_tensor", [False, True])
@pytest.mark.parametrize("which", ["input", "output", "state"])
def test_everything_dropped_is_zeros(which: str, as_tensor: bool) -> None:
    keep = tf.placeholder_with_default(np.float32(1e-10), []) if as_tensor else 1e-12
    wrapped = tf.nn.rnn_cell.GRUCell(3)
    cell = tf.nn.rnn_cell.DropoutWrapper(wrapped, **{f"{which}_keep_prob": keep})
    x, start = tf.ones([2, 4]), tf.ones([2, 3])
    output, state = cell(x, start)
    plain = wrapped(tf.zeros_like(x) if which == "input" else x, start)[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        output, state, plain = session.run([output, state, plain])
    np.testing.assert_array_equal(output, np.zeros([2, 3]) if which == "output" else plain)
    np.testing.assert_array_equal(state, np.zeros([2, 3]) if which == "state" else plain)
