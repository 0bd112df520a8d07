"""The nodes of compiled models are those of TensorFlow 1.15.5, so seeded values that follow are."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import headwater as tf

X, Y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)


def _model(units=1, activation=None):
    """A model in a graph that has the learning phase, as the graphs of the recorded figures."""
    tf.keras.backend.clear_session()
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Dense(2, input_shape=(3,)), layers.Dense(units, activation=activation)]
    )


def _types(first: int) -> str:
    operations = tf.get_default_graph().get_operations()
    return " ".join(op.type for op in operations[first:])


def _count() -> int:
    return len(tf.get_default_graph().get_operations())


# Optimizer -> number of nodes of the first `fit`, and the CRC-32 of their types, by TensorFlow.
OPTIMIZERS = {
    "sgd": (120, 1997329260),
    "rmsprop": (216, 2526253470),
    "adam": (194, 523862036),
    "adamax": (189, 59543658),
    "adagrad": (139, 1849254711),
    "adadelta": (169, 2694795456),
    "ftrl": (185, 732422575),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_nodes_of_the_optimizers(name):
    model = _model()
    model.compile(name, "mse")
    before = _count()
    model.fit(X, Y, verbose=0)
    assert (_count() - before, zlib.crc32(_types(before).encode())) == OPTIMIZERS[name]


def test_nodes_of_options_of_optimizers():
    optimizers = tf.keras.optimizers
    schedule = optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    expected = [
        (optimizers.SGD(0.1, momentum=0.9, decay=1e-3), 1524082524),
        (optimizers.RMSprop(momentum=0.5, centered=True), 1987323932),
        (optimizers.Adam(amsgrad=True), 4109363598),
        (optimizers.Adam(clipnorm=1.0), 2626194782),
        (optimizers.SGD(schedule), 3088014595),
    ]
    for optimizer, types in expected:
        model = _model()
        model.compile(optimizer, "mse")
        before = _count()
        model.fit(X, Y, verbose=0)
        assert zlib.crc32(_types(before).encode()) == types


def test_nodes_of_losses_and_metrics():
    model = _model()
    model.compile("sgd", "mse", metrics=["mae"])
    before = _count()
    model.fit(X, Y, verbose=0, validation_data=(X, Y))
    assert (_count() - before, zlib.crc32(_types(before).encode())) == (129, 2844880216)


def test_nodes_of_weights_of_examples():
    model = _model()
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mse"])
    before = _count()
    model.fit(X, Y, verbose=0, sample_weight=np.ones(4))
    assert (_count() - before, zlib.crc32(_types(before).encode())) == (301, 1906577323)
    assert tf.get_default_graph().get_operation_by_name("dense_1_sample_weights").type == (
        "PlaceholderWithDefault"
    )


def test_a_model_after_a_trained_one_has_the_initial_values_of_tensorflow():
    tf.set_random_seed(7)
    layers = tf.keras.layers
    kernels = []
    for loss, optimizer in (("mse", "adam"), ("mae", "sgd")):
        model = tf.keras.Sequential(
            [
                layers.Dense(2, input_shape=(3,)),
                layers.Dropout(0.5),
                layers.BatchNormalization(),
                layers.Dense(1),
            ]
        )
        model.compile(optimizer, loss, metrics=["mae"])
        kernels.append(model.get_weights()[0].ravel()[:3])
        model.fit(X, Y, verbose=0)
        model.set_weights(model.get_weights())
        model.predict(X)
        model.evaluate(X, Y, verbose=0)
    np.testing.assert_allclose(kernels[0], [-0.6675471, 0.0853354, -0.9923601], rtol=1e-5)
    np.testing.assert_allclose(kernels[1], [0.991101, 0.3367069, 0.2430267], rtol=1e-5)


def test_the_string_adagrad_starts_from_zero():
    model = _model()
    model.compile("adagrad", "mse")
    assert model.optimizer.get_config()["initial_accumulator_value"] == 0.0
    assert tf.keras.optimizers.Adagrad().get_config()["initial_accumulator_value"] == 0.1
