"""Classifier and the modules that release 0.12 shows as parts of contrib.learn."""

from __future__ import annotations

import os

import numpy as np
import pytest

import headwater as tf

learn = tf.contrib.learn
VALUES = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], np.float32)
LABELS = np.array([1, 0, 0])


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _model(features, labels, mode, params=None):
    """Probabilities that do not depend on training: the softmax of the features."""
    weight = tf.get_variable("w", initializer=(params or {}).get("scale", 1.0))
    probabilities = tf.nn.softmax(tf.cast(features, tf.float32) * weight)
    if labels is None:
        return probabilities, None, None
    train_op = tf.assign_add(tf.train.get_global_step(), 1)
    return probabilities, tf.reduce_mean(probabilities[:, 0]), train_op


def test_classes_and_probabilities():
    classifier = learn.Classifier(_model, n_classes=2)
    classifier.fit(VALUES, LABELS, steps=2, batch_size=3)
    scores = classifier.evaluate(VALUES, LABELS, batch_size=3, steps=1)
    assert sorted(scores) == ["accuracy", "global_step", "loss"]
    assert scores["accuracy"] == pytest.approx(2 / 3)
    assert scores["global_step"] == 2
    assert list(classifier.predict(VALUES)) == [1, 0, 1]
    assert classifier.predict(VALUES, as_iterable=False).tolist() == [1, 0, 1]
    expected = np.exp(VALUES) / np.exp(VALUES).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(list(classifier.predict_proba(VALUES)), expected, rtol=1e-5)
    arrays = classifier.predict_proba(input_fn=lambda: tf.constant(VALUES), as_iterable=False)
    np.testing.assert_allclose(arrays, expected, rtol=1e-5)


def test_params():
    classifier = learn.Classifier(_model, n_classes=2, params={"scale": 0.0})
    classifier.fit(VALUES, LABELS, steps=1, batch_size=3)
    assert np.all(classifier.predict_proba(VALUES, as_iterable=False) == 0.5)


def test_modules():
    assert learn.dnn.DNNClassifier is learn.DNNClassifier
    assert learn.linear.LinearRegressor is learn.LinearRegressor
    assert learn.dnn_linear_combined.DNNLinearCombinedRegressor is learn.DNNLinearCombinedRegressor
    assert learn.logistic_regressor.LogisticRegressor is learn.LogisticRegressor
    assert learn.classifier.Classifier is learn.Classifier
    assert learn.data_feeder.DataFeeder is learn.io.data_feeder.DataFeeder
    assert learn.pandas_input_fn is learn.io.pandas_input_fn
    assert learn.graph_io.KEY_FEATURE_NAME == "__key__"
    assert learn.HAS_PANDAS is learn.io.HAS_PANDAS
