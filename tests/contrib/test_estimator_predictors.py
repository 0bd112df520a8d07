"""Predictors of estimators: tensors, values and errors of TensorFlow 1.15.5."""

from __future__ import annotations

import os
import re

import pytest

import headwater as tf

predictor = tf.contrib.predictor
VALUES = [[1.0, 2.0, 3.0]]


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _inputs():
    return {"x": tf.constant(VALUES)}, tf.constant([[1.0]])


def _receiver():
    x = tf.placeholder(tf.float32, [None, 3])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def _input_ops():
    x = tf.placeholder(tf.float32, [None, 3])
    return tf.contrib.learn.InputFnOps({"x": x}, None, {"x": x})


@pytest.fixture
def core():
    column = tf.feature_column.numeric_column("x", shape=(3,))
    return tf.estimator.LinearRegressor([column]).train(_inputs, steps=1)


@pytest.fixture
def contrib():
    column = tf.contrib.layers.real_valued_column("x", dimension=3)
    return tf.contrib.learn.LinearRegressor([column]).fit(input_fn=_inputs, steps=1)


def test_core_estimator(core, contrib):
    predict = predictor.from_estimator(core, _receiver, "predict")
    assert predict({"x": VALUES})["predictions"] == pytest.approx(1.393, abs=5e-4)
    name = "linear/linear_model/linear_model/linear_model/weighted_sum:0"
    assert repr(predict) == (
        "CoreEstimatorPredictor with feed tensors {'x': <tf.Tensor 'Placeholder:0' shape=(?, 3) "
        f"dtype=float32>}} and fetch_tensors {{'predictions': <tf.Tensor '{name}' shape=(?, 1) "
        "dtype=float32>}"
    )
    message = (
        "output_key must be one of dict_keys(['serving_default', 'regression', 'predict']); got zz"
    )
    with pytest.raises(KeyError, match=re.escape(message)):
        predictor.from_estimator(core, _receiver, output_key="zz")
    with pytest.raises(TypeError, match="You likely want to call from_contrib_estimator"):
        predictor.from_estimator(contrib, _receiver)
    graph = tf.Graph()
    given = predictor.from_estimator(core, _receiver, "predict", graph=graph)
    assert given.graph is graph


def test_estimator_of_contrib(core, contrib):
    predict = predictor.from_contrib_estimator(contrib, _input_ops)
    assert predict({"x": VALUES})["scores"] == pytest.approx(1.393, abs=5e-4)
    assert predict.fetch_tensors["scores"].name == "linear/regression_head/predictions/Identity:0"
    with pytest.raises(ValueError, match=r"zz, but available output_alternatives are: \[None\]"):
        predictor.from_contrib_estimator(contrib, _input_ops, output_alternative_key="zz")
    with pytest.raises(KeyError, match="zz"):
        predictor.from_contrib_estimator(contrib, _input_ops, input_alternative_key="zz")
    with pytest.raises(TypeError, match="You likely want to call from_estimator"):
        predictor.from_contrib_estimator(core, _input_ops)
