"""The estimators of releases 0.8 to 0.11, which take arrays."""

from __future__ import annotations

import json

import numpy as np
import pytest

import headwater as tf

learn = tf.contrib.learn

X = np.linspace(-1.0, 1.0, 48, dtype=np.float32).reshape(-1, 1)
CLASSES = (X[:, 0] > 0).astype(np.int64)
VALUES = 3.0 * X[:, 0] - 1.0


def test_linear_classifier():
    model = learn.TensorFlowLinearClassifier(n_classes=2, steps=40)
    assert model.fit(X, CLASSES) is model
    assert model.score(X, CLASSES) > 0.9
    np.testing.assert_array_equal(model.predict(X), np.argmax(model.predict_proba(X), 1))
    np.testing.assert_allclose(model.predict_proba(X, batch_size=5).sum(1), 1.0, rtol=1e-6)
    assert model.weights_.shape == (1, 2) and model.bias_.shape == (2,)
    logits = X @ model.weights_ + model.bias_
    odds = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), odds, rtol=1e-5)
    loss = -np.log(odds[np.arange(48), CLASSES])
    # The mean of the losses of two batches of 32 and 16 rows.
    expected = (loss[:32].mean() + loss[32:].mean()) / 2
    np.testing.assert_allclose(model.evaluate(X, CLASSES)["loss"], expected, rtol=1e-5)


@pytest.mark.slow
def test_linear_regressor():
    model = learn.TensorFlowLinearRegressor(steps=60, learning_rate=0.5)
    model.fit(X, VALUES)
    assert model.score(X, VALUES) > 0.9
    np.testing.assert_allclose(
        model.predict(X), (X @ model.weights_ + model.bias_)[:, 0], rtol=1e-4, atol=1e-6
    )


def test_deep_classifier_is_saved_and_restored(tmp_path):
    model = learn.TensorFlowDNNClassifier([4, 3], n_classes=2, steps=5, dropout=0.1)
    model.fit(X, CLASSES)
    assert [value.shape for value in model.weights_] == [(1, 4), (4, 3), (3, 2)]
    assert [value.shape for value in model.bias_] == [(4,), (3,), (2,)]
    assert "dnn/layer0/fully_connected/weights" in model.get_variable_names()
    model.save(str(tmp_path / "model"))
    restored = learn.TensorFlowEstimator.restore(str(tmp_path / "model"))
    assert type(restored) is learn.TensorFlowDNNClassifier
    assert (restored.steps, restored.dropout, restored.hidden_units) == (5, 0.1, [4, 3])
    np.testing.assert_array_equal(restored.predict_proba(X), model.predict_proba(X))


@pytest.mark.slow
def test_every_fit_begins_anew_unless_training_continues():
    fresh = learn.TensorFlowDNNRegressor(hidden_units=[2], steps=3)
    fresh.fit(X, VALUES).fit(X, VALUES)
    assert fresh.get_variable_value("global_step") == 3
    going_on = learn.TensorFlowDNNRegressor(hidden_units=[2], steps=3, continue_training=True)
    going_on.fit(X, VALUES).fit(X, VALUES)
    assert going_on.get_variable_value("global_step") == 6
    going_on.partial_fit(X, VALUES)
    assert going_on.get_variable_value("global_step") == 7


def test_a_function_of_features_and_labels():
    seen = []

    def model_fn(x, y):
        seen.append((tf.get_collection("IS_TRAINING"), y.shape.as_list()))
        hidden = learn.ops.dnn(x, [3], activation=tf.tanh, dropout=0.5)
        return learn.models.logistic_regression(hidden, y)

    def rate(step):
        return tf.train.exponential_decay(0.1, step, 10, 0.5)

    model = learn.TensorFlowEstimator(
        model_fn,
        n_classes=2,
        steps=2,
        optimizer=lambda value: tf.train.MomentumOptimizer(value, 0.9),
        learning_rate=rate,
        class_weight=[1.0, 2.0],
    )
    with pytest.raises(learn.NotFittedError, match="TensorFlowEstimator is not trained"):
        model.predict(X)
    model.fit(X, CLASSES)
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(X))  # no dropout
    assert seen == [([1], [None, 2])] + 2 * [([0], [None, 2])]


@pytest.mark.slow
def test_recurrent_classifier():
    model = learn.TensorFlowRNNClassifier(
        rnn_size=3, n_classes=2, input_op_fn=lambda x: tf.split(x, 2, 1), steps=2
    )
    model.fit(np.concatenate([X, X], 1), CLASSES)
    assert model.weights_.shape == (3, 2) and model.bias_.shape == (2,)


def test_restoring_says_what_is_missing(tmp_path):
    with pytest.raises(ValueError, match="Restore folder doesn't contain model definition"):
        learn.TensorFlowEstimator.restore(str(tmp_path))
    definition = {"class": "TensorFlowEstimator", "params": {}}
    (tmp_path / "model.def").write_text(json.dumps(definition))
    with pytest.raises(ValueError, match="TensorFlowEstimator has a model function"):
        learn.TensorFlowEstimator.restore(str(tmp_path))
