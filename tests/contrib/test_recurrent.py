"""`tf.contrib.recurrent` against loops over the same cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.recurrent.cells_as_functions import functional_rnn


def _cells() -> dict[str, Any]:
    cell = tf.nn.rnn_cell
    return {
        "gru": cell.GRUCell(4),
        "stacked": cell.MultiRNNCell([cell.LSTMCell(4), cell.LSTMCell(3)]),
        "projected": tf.contrib.rnn.OutputProjectionWrapper(cell.GRUCell(4), 2),
    }


def _run(loop: Any, kind: str, lengths: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.random.RandomState(1).uniform(-1, 1, (3, 5, 2)), tf.float32)
        initializer = tf.random_uniform_initializer(-1, 1, seed=1)
        with tf.variable_scope("net", initializer=initializer):
            outputs, state = loop(_cells()[kind], x, sequence_length=lengths, dtype=tf.float32)
        variables = tf.trainable_variables()
        flat = tf.contrib.framework.nest.flatten([outputs, state])
        loss = tf.add_n([tf.reduce_sum(tf.square(y)) for y in flat])
        gradients = tf.gradients(loss, [x, *variables])
        for i, variable in enumerate(variables):
            value = np.random.RandomState(i).uniform(-1, 1, variable.shape.as_list())
            variable.load(value.astype(np.float32), session)
        return session.run([flat, gradients]), [v.shape.as_list() for v in variables]


@pytest.mark.parametrize("lengths", [None, [5, 0, 3]])
@pytest.mark.parametrize("kind", ["gru", "stacked", "projected"])
def test_functional_rnn_computes_what_dynamic_rnn_does(kind: str, lengths: Any) -> None:
    (values, gradients), shapes = _run(functional_rnn, kind, lengths)
    (wanted, wanted_gradients), wanted_shapes = _run(tf.nn.dynamic_rnn, kind, lengths)
    assert shapes == wanted_shapes
    for mine, theirs in zip([*values, *gradients], [*wanted, *wanted_gradients], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def test_a_recurrence_is_differentiated_in_later_runs_too() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        theta, x = tf.constant(2.0), tf.placeholder(tf.float32, [None])
        _, (last,) = tf.contrib.recurrent.Recurrent(
            [theta], [tf.constant(1.0)], [x], lambda t, s, i: ([s[0] * t[0] + i[0]], [])
        )
        gradients = tf.gradients(last, [theta, x])
        for steps in (3, 3, 3, 5):
            dtheta, dx = session.run(gradients, {x: np.ones(steps)})
            # s[n] = 2^n + (2^n - 1), so ds/dtheta at 2 and ds/dx[i] = 2^(n - 1 - i).
            np.testing.assert_allclose(dx, 2.0 ** np.arange(steps)[::-1])
            powers = [k * 2.0 ** (k - 1) for k in range(1, steps)]
            assert dtheta == steps * 2.0 ** (steps - 1) + sum(powers)
