"""Models of tf.keras as SavedModels: `save(save_format="tf")` and `export_saved_model`."""

from __future__ import annotations

import json

import numpy as np
import pytest

import headwater as tf

X, Y = np.arange(12, dtype=np.float32).reshape(4, 3) / 10, np.ones((4, 1), np.float32)


def _trained():
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Dense(2, input_shape=(3,), name="a"), layers.Dense(1, name="b")]
    )
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(X, Y, verbose=0)
    return model


def test_a_model_in_a_folder(tmp_path):
    model = _trained()
    predicted = model.predict(X)
    folder = str(tmp_path / "model")
    model.save(folder, save_format="tf")
    names = {name for name, _ in tf.train.list_variables(f"{folder}/variables/variables")}
    assert "optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE" in names
    assert "layer_with_weights-1/bias/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE" in (
        names
    )
    loaded = tf.keras.models.load_model(folder)
    np.testing.assert_allclose(loaded.predict(X), model.predict(X), rtol=1e-5, atol=1e-6)
    for mine, theirs in zip(loaded.optimizer.get_weights(), model.optimizer.get_weights()):
        np.testing.assert_array_equal(mine, theirs)
    assert loaded.metrics_names == model.metrics_names
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.load(session, ["serve"], folder).signature_def["serving_default"]
        fed = {signature.inputs["a_input"].name: X}
        served = session.run(signature.outputs["b"].name, fed)
    np.testing.assert_allclose(served, predicted, rtol=1e-6)


def test_a_folder_without_the_optimizer(tmp_path):
    model = _trained()
    folder = str(tmp_path / "model")
    model.save(folder, include_optimizer=False, save_format="tf")
    names = [name for name, _ in tf.train.list_variables(f"{folder}/variables/variables")]
    assert not [name for name in names if "optimizer" in name.lower()]
    assert model.optimizer is not None
    loaded = tf.keras.models.load_model(folder)
    assert loaded.optimizer is None
    np.testing.assert_allclose(loaded.predict(X), model.predict(X), rtol=1e-5, atol=1e-6)


def test_exported_graphs(tmp_path):
    model = _trained()
    predicted = model.predict(X)
    folder = str(tmp_path / "exported")
    tf.keras.experimental.export_saved_model(model, folder)
    names = {
        "train": ["loss", "metrics/mean_absolute_error/update_op"]
        + ["metrics/mean_absolute_error/value", "predictions/b"],
        "serve": ["b"],
    }
    for tag, outputs in names.items():
        with tf.Graph().as_default(), tf.Session() as session:
            meta_graph = tf.saved_model.load(session, [tag], folder)
            key = "serving_default" if tag == "serve" else tag
            signature = meta_graph.signature_def[key]
            assert sorted(signature.outputs) == outputs
            fed = {signature.inputs["a_input"].name: X}
            if tag == "train":
                step = meta_graph.signature_def["__saved_model_train_op"]
                fed[signature.inputs["b_target"].name] = Y
                session.run(step.outputs["__saved_model_train_op"].name, fed)
            else:
                served = session.run(signature.outputs["b"].name, fed)
                np.testing.assert_allclose(served, predicted, rtol=1e-6)
    loaded = tf.keras.experimental.load_from_saved_model(folder)
    np.testing.assert_allclose(loaded.predict(X), model.predict(X), rtol=1e-5, atol=1e-6)
    with pytest.raises(AssertionError, match="Export directory already exists, and isn't empty"):
        tf.keras.experimental.export_saved_model(model, folder)


def test_what_cannot_be_exported(tmp_path):
    with pytest.raises(ValueError, match="Weights for sequential model have not yet been created"):
        tf.keras.experimental.export_saved_model(
            tf.keras.Sequential([tf.keras.layers.Dense(1)]), str(tmp_path / "a")
        )

    class Own(tf.keras.Model):
        def call(self, x):
            return x

    with pytest.raises(NotImplementedError, match="can only be exported for serving"):
        tf.keras.experimental.export_saved_model(Own(), str(tmp_path / "b"))
    with pytest.raises(tf.errors.NotFoundError):
        tf.keras.experimental.load_from_saved_model(str(tmp_path / "c"))


def test_checkpoints_of_objects_of_an_estimator(tmp_path):
    model = _trained()
    start = model.get_weights()
    folder = str(tmp_path / "estimator")
    estimator = tf.keras.estimator.model_to_estimator(
        model, model_dir=folder, checkpoint_format="checkpoint"
    )
    names = [name for name, _ in tf.train.list_variables(f"{folder}/keras")]
    assert "_CHECKPOINTABLE_OBJECT_GRAPH" in names
    assert "estimator_global_step/.ATTRIBUTES/VARIABLE_VALUE" in names
    model.set_weights([np.zeros_like(value) for value in start])
    model.load_weights(tf.train.latest_checkpoint(f"{folder}/keras"))
    for mine, theirs in zip(model.get_weights(), start):
        np.testing.assert_array_equal(mine, theirs)
    estimator.train(lambda: tf.data.Dataset.from_tensors(({"a_input": X}, Y)), steps=1)
    model.load_weights(estimator.latest_checkpoint())
    assert np.abs(model.get_weights()[0] - start[0]).max() == pytest.approx(1e-3, rel=0.2)


def test_metadata_of_a_folder(tmp_path):
    folder = tmp_path / "model"
    _trained().save(str(folder), save_format="tf")
    text = (folder / "saved_model.pb").read_bytes()
    start = text.index(b'{"class_name": "Sequential"')
    metadata, _ = json.JSONDecoder().raw_decode(text[start:].decode("latin1"))
    assert metadata["training_config"]["optimizer_config"]["class_name"] == "Adam"
    assert metadata["model_config"]["class_name"] == "Sequential"
