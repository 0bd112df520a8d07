"""`LinearModel` and `WideDeepModel`, with values of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
Y = np.array([[1.0], [2.0]], np.float32)
experimental = tf.keras.experimental


@pytest.fixture(autouse=True)
def _fresh():
    tf.keras.backend.clear_session()


def _wide_deep(**kwargs):
    linear = experimental.LinearModel(kernel_initializer="ones")
    deep = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    return experimental.WideDeepModel(linear, deep, **kwargs)


def test_linear_model():
    model = experimental.LinearModel(kernel_initializer="ones")
    model.compile("sgd", "mse")
    history = model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history
    np.testing.assert_allclose(history["loss"], [14.5, 6.804998397827148], rtol=1e-5)
    assert [w.name for w in model.weights] == ["linear_model/dense/kernel:0", "linear_model/bias:0"]
    np.testing.assert_allclose(model.get_weights()[0], [[0.7134], [0.596]], rtol=1e-5)


def test_linear_model_of_several_inputs():
    model = experimental.LinearModel(
        units=2,
        activation="sigmoid",
        kernel_initializer="ones",
        bias_initializer="ones",
        kernel_regularizer="l2",
        name="q",
    )
    model.compile("sgd", "mse")
    # Nearly all of it is the regularization of eight weights.
    assert model.evaluate([X, 2 * X], np.ones((2, 2)), verbose=0) == pytest.approx(0.08, rel=1e-5)
    names = ["q/dense/kernel:0", "q/dense_1/kernel:0", "q/bias:0"]
    assert [w.name for w in model.weights] == names
    copy = experimental.LinearModel.from_config(model.get_config())
    assert copy.get_config() == model.get_config()


@pytest.mark.parametrize(
    ("optimizer", "loss", "deep"),
    [("sgd", 16.164630889892578, 0.53040004), (["sgd", "adam"], 35.778472900390625, 0.998003)],
)
def test_wide_deep_model(optimizer, loss, deep):
    model = _wide_deep()
    model.compile(optimizer, "mse")
    history = model.fit([X, 2 * X], Y, epochs=2, verbose=0, shuffle=False).history
    np.testing.assert_allclose(history["loss"], [42.25, loss], rtol=1e-5)
    assert [w.name for w in model.weights] == [
        "wide_deep_model/linear_model/dense_1/kernel:0",
        "wide_deep_model/linear_model/bias:0",
        "wide_deep_model/sequential/dense/kernel:0",
        "wide_deep_model/sequential/dense/bias:0",
    ]
    assert model.get_weights()[2][0, 0] == pytest.approx(deep, rel=1e-5)


def test_both_models_take_one_input():
    model = _wide_deep()
    model.compile("sgd", "mse")
    model.fit(X, Y, verbose=0)
    for kernel in model.get_weights()[::2]:
        np.testing.assert_allclose(kernel, [[0.915], [0.88]], rtol=1e-5)


def test_wide_deep_model_of_a_configuration():
    made = experimental.WideDeepModel.from_config(_wide_deep(activation="relu").get_config())
    assert isinstance(made.linear_model, experimental.LinearModel)
    assert isinstance(made.dnn_model, tf.keras.Sequential)
    assert made.activation is tf.keras.activations.relu


def test_layers_made_in_build_are_trained():
    class Late(tf.keras.Model):
        def build(self, input_shape):
            self.parts = [tf.keras.layers.Dense(1, kernel_initializer="ones")]
            self.built = True

        def call(self, x):
            return self.parts[0](x)

    model = Late()
    model.compile("sgd", "mse")
    model.fit(X, Y, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], [[0.83], [0.76]], rtol=1e-5)
