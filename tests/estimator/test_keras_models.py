"""`tf.keras.estimator.model_to_estimator`, with values of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
Y = np.array([[1.0], [2.0]], np.float32)
KL = tf.keras.layers


@pytest.fixture(autouse=True)
def _fresh():
    tf.keras.backend.clear_session()


def _dataset(features, labels):
    return lambda: tf.data.Dataset.from_tensors((features, labels)).repeat(3)


def _dense(optimizer="sgd", **kwargs):
    layer = KL.Dense(1, input_shape=(2,), kernel_initializer="ones", name="b")
    model = tf.keras.Sequential([layer])
    model.compile(optimizer, "mse", **kwargs)
    return model


def _to_estimator(*args, **kwargs):
    return tf.keras.estimator.model_to_estimator(*args, **kwargs)


def test_trains_evaluates_predicts_and_exports(tmp_path):
    model = tf.keras.Sequential(
        [
            KL.Dense(3, "relu", input_shape=(2,), kernel_initializer="ones", name="a"),
            KL.Dense(1, kernel_initializer="ones", name="b"),
        ]
    )
    model.compile("adam", "mse", ["mae"])
    model.train_on_batch(X, Y)
    estimator = _to_estimator(model, model_dir=str(tmp_path))
    first = tf.train.load_checkpoint(str(tmp_path / "keras"))
    # The weights of the model, but the state of a new optimizer.
    np.testing.assert_allclose(first.get_tensor("b/kernel"), np.full((3, 1), 0.999), rtol=1e-5)
    assert not first.get_tensor("training/Adam/a/kernel/m").any()
    assert first.get_tensor("global_step") == 0

    estimator.train(_dataset(X, Y), steps=2)
    assert estimator.get_variable_names() == [
        *("a/bias", "a/kernel", "b/bias", "b/kernel", "global_step"),
        *("training/Adam/a/bias/m", "training/Adam/a/bias/v"),
        *("training/Adam/a/kernel/m", "training/Adam/a/kernel/v"),
        *("training/Adam/b/bias/m", "training/Adam/b/bias/v"),
        *("training/Adam/b/kernel/m", "training/Adam/b/kernel/v"),
        *("training/Adam/beta_1", "training/Adam/beta_2"),
        *("training/Adam/decay", "training/Adam/learning_rate"),
    ]
    results = estimator.evaluate(_dataset({"a_input": X}, Y), steps=1)
    assert sorted(results) == ["global_step", "loss", "mean_absolute_error"]
    assert results["loss"] == pytest.approx(209.36673, rel=1e-5)
    assert results["mean_absolute_error"] == pytest.approx(13.398165, rel=1e-5)
    found = [each["b"][0] for each in estimator.predict(_dataset({"a_input": X}, Y))]
    np.testing.assert_allclose(found, [8.934109, 20.86222] * 3, rtol=1e-5)
    # The model itself is as it was.
    np.testing.assert_allclose(model.get_weights()[2], np.full((3, 1), 0.999), rtol=1e-5)

    inputs = {"a_input": tf.placeholder(tf.float32, [None, 2])}
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(inputs)
    path = estimator.export_saved_model(str(tmp_path / "export"), receiver)
    with tf.Session(graph=tf.Graph()) as session:
        loaded = tf.saved_model.loader.load(session, ["serve"], path)
        signature = loaded.signature_def["serving_default"]
        assert list(signature.inputs) == ["a_input"]
        assert signature.outputs["b"].name == "b/BiasAdd:0"


def _two_outputs():
    a, b = tf.keras.Input((2,), name="ia"), tf.keras.Input((2,), name="ib")
    h = KL.BatchNormalization(name="bn")(KL.add([a, b]))
    oa = KL.Dense(1, kernel_initializer="ones", name="oa")(h)
    penalty = tf.keras.regularizers.l2(0.1)
    ob = KL.Dense(2, "softmax", kernel_initializer="ones", kernel_regularizer=penalty, name="ob")(h)
    model = tf.keras.Model([a, b], [oa, ob])
    model.compile(
        "sgd",
        {"oa": "mse", "ob": "categorical_crossentropy"},
        metrics={"oa": ["mae"], "ob": ["acc"]},
    )
    return model


def test_several_inputs_and_outputs():
    labels = {"oa": Y, "ob": np.eye(2, dtype=np.float32)}
    estimator = _to_estimator(_two_outputs())
    estimator.train(_dataset({"ia": X, "ib": 2 * X}, labels), steps=2)
    results = estimator.evaluate(_dataset((X, 2 * X), (Y, labels["ob"])), steps=1)
    assert sorted(results) == ["global_step", "loss", "oa_mean_absolute_error", "ob_acc"]
    assert results["loss"] == pytest.approx(138.02484, rel=1e-5)
    assert results["oa_mean_absolute_error"] == pytest.approx(10.820487, rel=1e-5)
    mean = estimator.get_variable_value("bn/moving_mean")
    np.testing.assert_allclose(mean, [0.1194, 0.1791], rtol=1e-5)


class _Subclass(tf.keras.Model):
    def __init__(self, in_list=False):
        super().__init__(name="sub")
        layer = KL.Dense(1, kernel_initializer="ones", name="dd")
        if in_list:
            self.ds = [layer]
        else:
            self.d = layer

    def call(self, x):
        return self.d(x)


def test_subclass_starts_anew(tmp_path):
    model = _Subclass()
    model.compile(tf.train.AdamOptimizer(0.1), "mse", ["mae"])
    model.fit(X, Y, verbose=0)
    estimator = _to_estimator(model, model_dir=str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    estimator.train(_dataset(X, Y), steps=2)
    results = estimator.evaluate(_dataset(X, Y), steps=1)
    assert results["loss"] == pytest.approx(6.528287, rel=1e-5)
    assert next(estimator.predict(_dataset(X, Y)))["output_1"][0] == pytest.approx(2.2035563)
    names = estimator.get_variable_names()
    assert "sub/dd/kernel/Adam_1" in names
    assert "training/beta1_power" in names


def test_layers_in_lists_of_a_subclass():
    model = _Subclass(in_list=True)
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="We do not support the use of list-of-layers"):
        _to_estimator(model).train(_dataset(X, Y), steps=1)


def test_sample_weights():
    features = {"features": X, "sample_weights": np.array([0.0, 1.0], np.float32)}
    estimator = _to_estimator(_dense()).train(_dataset(features, Y), steps=2)
    results = estimator.evaluate(_dataset(features, Y), steps=1)
    assert results["loss"] == pytest.approx(3.7483218, rel=1e-5)


def test_names_of_features_and_labels():
    estimator = _to_estimator(_dense())
    with pytest.raises(KeyError, match="expected inputs keys defined in the keras model"):
        estimator.train(_dataset({"zz": X}, Y), steps=1)
    with pytest.raises(KeyError, match="expected outputs keys defined in the keras model"):
        estimator.train(_dataset({"b_input": X}, {"q": Y}), steps=1)


def test_a_folder_keeps_its_first_weights(tmp_path):
    model = _dense()
    _to_estimator(model, model_dir=str(tmp_path))
    model.set_weights([np.zeros((2, 1)), np.zeros(1)])
    estimator = _to_estimator(model, model_dir=str(tmp_path))
    results = estimator.evaluate(_dataset(X, Y), steps=1)
    assert results == {"loss": 14.5, "global_step": 0}


def test_arguments_are_checked():
    convert = _to_estimator
    with pytest.raises(ValueError, match="Either `keras_model` or `keras_model_path` needs"):
        convert()
    with pytest.raises(ValueError, match="specity either `keras_model` or `keras_model_path`, but"):
        convert(_dense(), "path")
    with pytest.raises(ValueError, match=r"has not been compiled yet\. Please compile the model"):
        convert(tf.keras.Sequential([KL.Dense(1, input_shape=(2,))]))
    with pytest.raises(ValueError, match=r'must be one of "checkpoint" or "saver"\. Got bad'):
        convert(_dense(), checkpoint_format="bad")
    with pytest.raises(ValueError, match="config must be an instance of `RunConfig`"):
        convert(_dense(), config={"model_dir": "x"})
