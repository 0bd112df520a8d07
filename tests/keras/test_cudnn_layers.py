"""CuDNNLSTM and CuDNNGRU: the same results as LSTM and GRU with converted weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.keras.engine.hdf5 import converted_weights

K, layers = tf.keras.backend, tf.keras.layers
PAIRS = [
    (layers.CuDNNLSTM, layers.LSTM, {}),
    (layers.CuDNNGRU, layers.GRU, {"reset_after": True}),
]


def set_random(layer: Any, rng: np.random.Generator) -> list[np.ndarray]:
    weights = [rng.uniform(-1, 1, w.shape.as_list()) for w in layer.weights]
    layer.set_weights(weights)
    return [w.astype("float32") for w in weights]


@pytest.mark.parametrize(("fused", "plain", "arguments"), PAIRS)
@pytest.mark.parametrize(
    "shared",
    [
        {"return_sequences": True, "return_state": True},
        {"go_backwards": True, "return_state": True},
        {"return_sequences": True, "time_major": True},
    ],
)
def test_weights_convert_both_ways(
    fused: Any, plain: Any, arguments: Any, shared: Any, rng: np.random.Generator
) -> None:
    x = tf.constant(rng.standard_normal((2, 3, 4)), tf.float32)
    a = fused(5, **shared)
    b = plain(5, recurrent_activation="sigmoid", **arguments, **shared)
    outputs = [a(x), b(x)]
    weights = set_random(a, rng)
    b.set_weights(converted_weights(b, weights))
    ours, theirs = K.get_session().run([tf.nest.flatten(y) for y in outputs])
    for first, second in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-6)
    for first, second in zip(weights[:2], converted_weights(a, b.get_weights())[:2], strict=True):
        np.testing.assert_array_equal(first, second)
    assert converted_weights(a, weights) is weights


@pytest.mark.parametrize(("fused", "plain", "arguments"), PAIRS)
def test_weights_inside_of_other_layers_convert(
    fused: Any, plain: Any, arguments: Any, rng: np.random.Generator
) -> None:
    x = tf.keras.Input((3, 2))
    a = layers.Bidirectional(fused(3))
    b = layers.Bidirectional(plain(3, recurrent_activation="sigmoid", **arguments))
    inner = tf.keras.Model(x, layers.Dense(1)(b(x)))
    model = tf.keras.Model(x, a(x))
    weights = set_random(a, rng)
    dense = [np.ones((6, 1), np.float32), np.zeros(1, np.float32)]
    inner.set_weights(converted_weights(inner, weights + dense))
    data = rng.standard_normal((2, 3, 2)).astype("float32")
    expected = model.predict(data).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(inner.predict(data), expected, atol=1e-5)


def test_variables_and_configurations() -> None:
    lstm, gru = layers.CuDNNLSTM(2), layers.CuDNNGRU(2)
    lstm(tf.zeros((1, 2, 3))), gru(tf.zeros((1, 2, 3)))
    shapes = [(w.name, w.shape.as_list()) for w in lstm.weights]
    assert shapes == [
        ("cu_dnnlstm/kernel:0", [3, 8]),
        ("cu_dnnlstm/recurrent_kernel:0", [2, 8]),
        ("cu_dnnlstm/bias:0", [16]),
    ]
    assert gru.weights[2].shape.as_list() == [12]
    # The forget gate's bias of states begins with 1.
    np.testing.assert_array_equal(lstm.get_weights()[2], [0] * 10 + [1] * 2 + [0] * 4)
    config = lstm.get_config()
    assert list(config)[3:9] == [
        "return_sequences",
        "return_state",
        "go_backwards",
        "stateful",
        "time_major",
        "units",
    ]
    assert "unit_forget_bias" in config and "unroll" not in config
    assert layers.CuDNNLSTM.from_config(config).get_config() == config


def test_a_stateful_layer_goes_on(rng: np.random.Generator) -> None:
    data = rng.standard_normal((2, 4, 3)).astype("float32")
    stateful, whole = layers.CuDNNGRU(2, stateful=True), layers.CuDNNGRU(2)
    x = tf.keras.Input(batch_shape=(2, 2, 3))
    step = K.function([x], [stateful(x)], updates=stateful.updates)
    y = whole(tf.constant(data))
    whole.set_weights(set_random(stateful, rng))
    first, second = step([data[:, :2]]), step([data[:, 2:]])
    np.testing.assert_allclose(K.get_session().run(y), second[0], atol=1e-6)
    stateful.reset_states()
    np.testing.assert_allclose(step([data[:, :2]]), first, atol=1e-6)


def test_errors() -> None:
    with pytest.raises(ValueError, match="Masking is not supported for CuDNN RNNs"):
        layers.CuDNNLSTM(2)(layers.Masking()(tf.keras.Input((3, 2))))
    weights = [np.zeros((3, 6)), np.zeros((2, 6)), np.zeros(6)]
    with pytest.raises(ValueError, match=r"GRU\(reset_after=False\) is not compatible with CuDNN"):
        converted_weights(layers.CuDNNGRU(2), weights)
    with pytest.raises(ValueError, match=r"Invalid bias shape: \(5,\)"):
        converted_weights(layers.LSTM(2), [np.zeros((3, 8)), np.zeros((2, 8)), np.zeros(5)])
