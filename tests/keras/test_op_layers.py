"""Ops outside of layers, losses inside models, and copies of models."""

import json
import os

import numpy as np
import pytest

import headwater as tf

layers = tf.keras.layers
X = np.random.RandomState(0).rand(8, 4).astype("f4")


@pytest.fixture(autouse=True)
def fresh_graph(monkeypatch):
    # Compiling such small models takes most of the time.
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")
    tf.keras.backend.clear_session()


def test_ops_between_layers_become_layers_of_the_model():
    inputs = layers.Input((4,))
    x = tf.nn.relu(layers.Dense(3)(inputs)) * 2.0 + tf.constant([1.0, 2.0, 3.0])
    model = tf.keras.Model(inputs, layers.Dense(2)(x))
    names = [layer.name for layer in model.layers]
    assert names == ["input_1", "dense", *(f"tf_op_layer_{n}" for n in ("Relu", "mul", "add"))] + [
        "dense_1"
    ]
    copy = tf.keras.models.model_from_json(model.to_json())
    copy.set_weights(model.get_weights())
    np.testing.assert_allclose(copy.predict(X), model.predict(X), atol=1e-5)
    clone = tf.keras.models.clone_model(model)
    assert len(clone.weights) == 4
    lines = []
    model.summary(print_fn=lines.append)
    assert "tf_op_layer_Relu (TensorFlow [(None, 3)]               0         " in lines


def test_losses_and_metrics_of_tensors_inside():
    inputs = layers.Input((4,))
    hidden = layers.Dense(3)(inputs)
    model = tf.keras.Model(inputs, layers.Dense(1)(hidden))
    model.add_loss(tf.reduce_mean(tf.abs(hidden)))
    model.add_metric(hidden, name="hidden", aggregation="mean")
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    assert model.metrics_names == ["loss", "hidden"]
    y = X.sum(1, keepdims=True)
    loss, metric = model.train_on_batch(X, y)
    inner = tf.keras.Model(inputs, hidden).predict(X)
    expected = np.abs(inner).mean() + np.square(model.predict(X) - y).mean()
    np.testing.assert_allclose([loss, metric], [expected, inner.mean()], rtol=1e-4)
    kinds = [entry["class_name"] for entry in json.loads(model.to_json())["config"]["layers"]]
    assert kinds[-2:] == ["AddLoss", "AddMetric"] or kinds[-2:] == ["AddMetric", "AddLoss"]
    copy = tf.keras.Model.from_config(model.get_config())
    assert len(copy.losses) == 1 and [m.name for m in copy.metrics] == ["hidden"]


def test_a_model_may_have_only_losses_of_its_own():
    inputs = layers.Input((4,))
    outputs = layers.Dense(4, activation="sigmoid")(layers.Dense(2)(inputs))
    model = tf.keras.Model(inputs, outputs)
    model.add_loss(tf.reduce_mean(tf.keras.losses.binary_crossentropy(inputs, outputs)))
    model.compile("adam")
    assert len(model.fit(X, verbose=0, validation_data=(X, None)).history["val_loss"]) == 1


def test_clones_have_variables_of_their_own():
    shared = layers.Dense(4)
    inputs = layers.Input((4,))
    model = tf.keras.Model(inputs, layers.add([shared(inputs), shared(inputs)]))
    clone = tf.keras.models.clone_model(model)
    assert [layer.name for layer in clone.layers] == ["input_1", "dense", "add"]
    clone.set_weights([w + 1 for w in model.get_weights()])
    assert not np.allclose(clone.predict(X), model.predict(X))
    new = layers.Input((4,))
    assert tf.keras.models.clone_model(model, input_tensors=new).inputs[0] is new
    doubled = tf.keras.models.clone_model(
        tf.keras.Sequential([layers.Dense(2, input_shape=(4,))]),
        clone_function=lambda layer: layers.Dense(2 * layer.units),
    )
    assert doubled(tf.constant(X)).shape.as_list() == [8, 4]

    class Own(tf.keras.Model):
        pass

    with pytest.raises(ValueError, match="but got a subclass model instead"):
        tf.keras.models.clone_model(Own())
