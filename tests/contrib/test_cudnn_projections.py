"""cuDNN's LSTM networks with projected states: as LSTM cells with projections compute them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.cudnn_rnn import models

UNITS, PROJECTION, DEPTH = 4, 2, 3


def _weights(session: Any) -> None:
    for i, variable in enumerate(tf.trainable_variables()):
        value = np.random.RandomState(i).uniform(-1, 1, variable.shape.as_list())
        variable.load(value.astype(np.float32), session)


def _cell_networks(x: Any, lengths: Any, both: bool) -> Any:
    def cells() -> list[Any]:
        return [
            tf.nn.rnn_cell.LSTMCell(UNITS, num_proj=PROJECTION, forget_bias=0.0) for _ in range(2)
        ]

    options = {"dtype": tf.float32, "time_major": True, "sequence_length": lengths}
    if both:
        run = tf.contrib.rnn.stack_bidirectional_dynamic_rnn
        outputs, forward, backward = run(cells(), cells(), x, **options)
        states = [s for pair in zip(forward, backward) for s in pair]
    else:
        cell = tf.nn.rnn_cell.MultiRNNCell(cells())
        outputs, states = tf.nn.dynamic_rnn(cell, x, **options)
    return outputs, tf.stack([s.h for s in states]), tf.stack([s.c for s in states])


@pytest.mark.parametrize("lengths", [None, [5, 2]])
@pytest.mark.parametrize("both", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_networks_compute_what_cells_with_projections_compute(both: bool, lengths: Any) -> None:
    direction = "bidirectional" if both else "unidirectional"
    places = 4 if both else 2
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.random.RandomState(0).randn(5, 2, DEPTH), tf.float32)
        wanted = _cell_networks(x, lengths, both)
        names = ("lstm_cell/kernel", "lstm_cell/bias", "projection/kernel")
        kernels, biases, projections = (
            [v for v in tf.trainable_variables() if v.op.name.endswith(name)] for name in names
        )
        if both:  # The variables of a layer stand forwards, then backwards, as cuDNN has them.
            assert ["/fw/" in v.op.name for v in kernels] == [True, False] * 2
        converter = tf.contrib.cudnn_rnn.CudnnParamsFormatConverterLSTM(
            2, UNITS, DEPTH, num_proj=PROJECTION, direction=direction
        )
        params = converter.tf_canonical_to_opaque([*kernels, *biases], projections)
        network = models.CudnnLSTM(
            2, UNITS, DEPTH, direction=direction, num_proj=PROJECTION, dtype=tf.float32
        )
        found = network(
            x,
            tf.zeros([places, 2, PROJECTION]),
            tf.zeros([places, 2, UNITS]),
            params,
            sequence_lengths=lengths,
        )
        back = converter.opaque_to_tf_canonical(params)
        losses = [tf.add_n([tf.reduce_sum(y**2) for y in ys]) for ys in (wanted, found)]
        of_input, of_params = tf.gradients(losses[1], [x, params])
        gradients = [
            tf.gradients(losses[0], [x, *projections]),
            [of_input, *converter.opaque_to_tf_canonical(of_params)[2]],
        ]
        assert found[0].shape.as_list() == [5, 2, PROJECTION * places // 2]
        assert [s.shape.as_list()[2] for s in found[1:]] == [PROJECTION, UNITS]
        _weights(session)
        values = session.run([*wanted, *gradients[0]]), session.run([*found, *gradients[1]])
        for mine, theirs in zip(*values, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
        # In later runs, which are compiled, too.
        for again, theirs in zip(session.run(list(found)), values[0]):
            np.testing.assert_allclose(again, theirs, rtol=1e-4, atol=1e-5)
        assert session.run(network.params_size()) == session.run(tf.size(params))
        pairs = zip([*back[0], *back[1], *back[2]], [*kernels, *biases, *projections], strict=True)
        for one, variable in pairs:
            np.testing.assert_allclose(*session.run([one, variable]), rtol=1e-6)


def test_only_lstm_has_projections() -> None:
    size = models.CudnnGRU(1, UNITS, DEPTH, num_proj=PROJECTION).params_size()
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="only lstm"):
        session.run(size)
