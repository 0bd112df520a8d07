"""cuDNN's networks: the same as the cells that compute the same, gradients and checkpoints too."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.cudnn_rnn import functions, models

cudnn = tf.contrib.cudnn_rnn
CELLS = {
    "lstm": (cudnn.CudnnLSTM, cudnn.CudnnCompatibleLSTMCell),
    "gru": (cudnn.CudnnGRU, cudnn.CudnnCompatibleGRUCell),
    "tanh": (cudnn.CudnnRNNTanh, tf.nn.rnn_cell.BasicRNNCell),
    "relu": (cudnn.CudnnRNNRelu, lambda n: tf.nn.rnn_cell.BasicRNNCell(n, activation=tf.nn.relu)),
}
QUICK = [("tanh", False)]


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()
    tf.set_random_seed(3)


def inputs():
    return tf.constant(np.random.RandomState(0).randn(5, 2, 4).astype(np.float32))


def of_cells(kind, x, lengths, both):
    """Outputs, and states of all layers and directions, of the cells that compute the same."""
    make = CELLS[kind][1]
    options = {"time_major": True, "dtype": tf.float32, "sequence_length": lengths}
    one = [make(3) for _ in range(2)]
    if both:
        other = [make(3) for _ in range(2)]
        run = tf.contrib.rnn.stack_bidirectional_dynamic_rnn
        outputs, forward, backward = run(one, other, x, **options)
        states = [s for pair in zip(forward, backward) for s in pair]
    else:
        outputs, states = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(one), x, **options)
    return outputs, tf.stack([s.h if kind == "lstm" else s for s in states])


# Each kind takes seconds to compile; one of them covers what all have in common.
@pytest.mark.parametrize(
    ("kind", "both"),
    [
        pytest.param(kind, both, marks=[] if (kind, both) in QUICK else [pytest.mark.slow])
        for kind in CELLS
        for both in (False, True)
    ],
)
def test_layers_compute_what_compatible_cells_compute(kind, both, tmp_path):
    direction = "bidirectional" if both else "unidirectional"
    layer = CELLS[kind][0](
        2,
        3,
        direction=direction,
        name="net",
        bias_initializer=tf.random_uniform_initializer(-0.5, 0.5),
    )
    x, lengths = inputs(), [5, 3]

    def results(outputs, states, short, short_states, x):
        loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(short_states**2)
        return [outputs, states, short, short_states, tf.gradients(loss, x)[0]]

    outputs, states = layer(x)
    short, short_states = layer(x, sequence_lengths=tf.constant(lengths))
    fetches = results(outputs, states[0], short, short_states[0], x)
    slope = tf.gradients(tf.reduce_sum(outputs), layer.kernel)[0]
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        saver.save(session, str(tmp_path / "model"))
        found = [session.run(fetches) for _ in range(2)][-1]
        assert np.abs(session.run(slope)).sum() > 0
        session.run(layer.kernel.assign(0.0 * layer.kernel))
        saver.restore(session, str(tmp_path / "model"))
        np.testing.assert_allclose(session.run(outputs), found[0], rtol=1e-4, atol=1e-6)
    tf.reset_default_graph()
    x = inputs()
    with tf.variable_scope("net"):
        plain = of_cells(kind, x, None, both)
    with tf.variable_scope("net", reuse=True):
        fetches = results(*plain, *of_cells(kind, x, tf.constant(lengths), both), x)
    with tf.Session() as session:
        tf.train.Saver().restore(session, str(tmp_path / "model"))
        expected = session.run(fetches)
    for value, other in zip(found, expected):
        np.testing.assert_allclose(value, other, rtol=1e-4, atol=1e-5)


def test_the_batch_may_stand_first():
    layer = cudnn.CudnnGRU(1, 3)
    x = inputs()
    one, state = layer(x)
    two, other = layer(tf.transpose(x, [1, 0, 2]), time_major=False)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b, c, d = session.run([one, two, state[0], other[0]])
    np.testing.assert_allclose(a, b.swapaxes(0, 1), rtol=1e-5)
    np.testing.assert_allclose(c, d.swapaxes(0, 1), rtol=1e-5)


@pytest.mark.parametrize("mode", ["never", "always"])
def test_gradients_see_what_was_dropped(monkeypatch, mode):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    layer = cudnn.CudnnRNNRelu(
        2,
        3,
        dropout=0.5,
        seed=1,
        kernel_initializer=tf.ones_initializer(),
        bias_initializer=tf.zeros_initializer(),
    )
    x = tf.ones([1, 64, 4])
    outputs, _ = layer(x)
    kept, _ = layer(x, training=False)
    slope = tf.gradients(outputs, x)[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        seen = [session.run([outputs, slope]) for _ in range(2)]
        np.testing.assert_array_equal(session.run(kept), np.full([1, 64, 3], 12.0))
    assert (seen[0][0] != seen[1][0]).any()
    for values, slopes in seen:
        # 4 units of input give 4 to each of 3 units; of those the kept ones count twice.
        assert set(values.ravel()) <= {0.0, 8.0, 16.0, 24.0}
        np.testing.assert_allclose(slopes[..., 0] * 4, values.sum(-1), rtol=1e-5)


def test_parameters_go_into_matrices_and_back():
    model = models.CudnnLSTM(2, 3, 4, direction="bidirectional")
    sizes = (model.rnn_mode, model.num_layers, model.num_units, model.input_size)
    with tf.Session() as session:
        size = session.run(model.params_size())
        assert size == 2 * 4 * (3 * 4 + 3 * 3 + 2 * 3) + 2 * 4 * (3 * 6 + 3 * 3 + 2 * 3)
        params = np.arange(size, dtype=np.float32)
        weights, biases = model.params_to_canonical(tf.constant(params))
        assert len(weights) == len(biases) == functions.parameter_count("lstm", 2, "bidirectional")
        back = functions.from_canonical(*sizes, weights, biases, direction="bidirectional")
        np.testing.assert_array_equal(session.run(back), params)
        np.testing.assert_array_equal(session.run(weights[0]), params[:12].reshape(3, 4))


def test_inputs_go_past_the_first_matrices():
    x = tf.constant(np.random.RandomState(1).randn(3, 2, 3).astype(np.float32))
    start = tf.zeros([1, 2, 3])
    for input_mode in ("skip_input", "auto_select"):
        model = models.CudnnRNNTanh(1, 3, 3, input_mode=input_mode)
        with tf.Session() as session:
            size = session.run(model.params_size())
            assert size == 9 + 6
            outputs, _ = model(x, start, tf.zeros([size]))
            np.testing.assert_allclose(*session.run([outputs, tf.tanh(x)]), rtol=1e-6)


def test_gradients_need_training():
    layer = cudnn.CudnnLSTM(1, 3)
    x = inputs()
    with pytest.raises(ValueError, match="is_training must be set to True"):
        tf.gradients(layer(x, training=False)[0], x)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="Invalid direction: up"):
        cudnn.CudnnLSTM(1, 2, direction="up")
    with pytest.raises(ValueError, match="Only support float16, float32, float64"):
        cudnn.CudnnLSTM(1, 2, dtype=tf.int32)
    with pytest.raises(ValueError, match="Expecting input_shape with 3 dims, got 2"):
        cudnn.CudnnLSTM(1, 2).build([3, 4])
    with pytest.raises(ValueError, match="'input_size' is unknown"):
        _ = cudnn.CudnnLSTM(1, 2).input_size
    wrong = models.CudnnGRU(1, 2, 3)
    outputs, _ = wrong(tf.zeros([1, 1, 3]), tf.zeros([1, 1, 2]), tf.zeros([7]))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="42 are"):
        session.run(outputs)
