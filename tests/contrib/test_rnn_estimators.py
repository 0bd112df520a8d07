"""RNNClassifier and RNNEstimator: variables, metrics and predictions of TensorFlow 1.15.5."""

from __future__ import annotations

import os

import numpy as np
import pytest

import headwater as tf

contrib = tf.contrib.estimator
columns = tf.contrib.feature_column


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _inputs():
    places = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]
    features = {
        "price": tf.SparseTensor(places, [1.0, 2.0, 3.0, 4.0, 0.5], [2, 3]),
        "tok": tf.SparseTensor(places, ["a", "b", "a", "c", "d"], [2, 3]),
        "ctx": tf.constant([[1.0], [2.0]]),
    }
    return features, tf.constant([[1], [0]])


def _trained(estimator):
    """The metrics, the sums of variables and the first prediction after two steps."""
    estimator.train(_inputs, steps=2)
    metrics = estimator.evaluate(_inputs, steps=1)
    sums = {
        name: float(np.sum(estimator.get_variable_value(name)))
        for name in estimator.get_variable_names()
    }
    return metrics, sums, next(iter(estimator.predict(_inputs)))


def _price():
    return columns.sequence_numeric_column("price")


def _config():
    return tf.estimator.RunConfig(tf_random_seed=4)


def test_classifier_of_two_classes():
    tokens = columns.sequence_categorical_column_with_vocabulary_list("tok", ["a", "b", "c", "d"])
    embedded = tf.feature_column.embedding_column(tokens, dimension=2)
    metrics, sums, prediction = _trained(
        contrib.RNNClassifier([_price(), embedded], num_units=[3], config=_config())
    )
    assert metrics["loss"] == pytest.approx(0.6565, abs=1e-4)
    table = "rnn/sequence_input_layer/sequence_input_layer/tok_embedding/embedding_weights"
    assert sums == pytest.approx(
        {
            "global_step": 2,
            "rnn/logits/dense/bias": 0.0051,
            "rnn/logits/dense/bias/t_0/Adagrad": 0.1005,
            "rnn/logits/dense/kernel": -0.624,
            "rnn/logits/dense/kernel/t_0/Adagrad": 0.676,
            "rnn/rnn/basic_rnn_cell/bias": 0.0163,
            "rnn/rnn/basic_rnn_cell/bias/t_0/Adagrad": 0.3043,
            "rnn/rnn/basic_rnn_cell/kernel": -0.0984,
            "rnn/rnn/basic_rnn_cell/kernel/t_0/Adagrad": 1.8633,
            table: -2.1252,
            f"{table}/t_0/Adagrad": 0.8121,
        },
        abs=1e-4,
    )
    assert prediction["logits"] == pytest.approx(0.0332, abs=1e-4)


def test_layers_and_context():
    context = tf.feature_column.numeric_column("ctx")
    metrics, sums, prediction = _trained(
        contrib.RNNClassifier(
            [_price()],
            [context],
            num_units=[3, 2],
            cell_type="lstm",
            n_classes=3,
            optimizer="Adam",
            config=_config(),
        )
    )
    assert metrics["loss"] == pytest.approx(1.0167, abs=1e-4)
    cell = "rnn/rnn/multi_rnn_cell/cell_{}/basic_lstm_cell/kernel"
    assert sums[cell.format(0)] == pytest.approx(0.0696, abs=1e-4)
    assert sums[cell.format(1)] == pytest.approx(-1.9776, abs=1e-4)
    assert prediction["probabilities"] == pytest.approx([0.3603, 0.359, 0.2808], abs=1e-4)


def test_cell_function_and_head():
    modes = []

    def cell(mode):
        modes.append(mode)
        return tf.nn.rnn_cell.GRUCell(2)

    metrics, sums, prediction = _trained(
        contrib.RNNEstimator(
            contrib.regression_head(),
            [_price()],
            rnn_cell_fn=cell,
            optimizer=tf.train.GradientDescentOptimizer(0.1),
            config=_config(),
        )
    )
    assert modes == ["train", "eval", "infer"]
    assert metrics["loss"] == pytest.approx(0.3074, abs=1e-4)
    assert sums["rnn/rnn/gru_cell/gates/bias"] == pytest.approx(4.0198, abs=1e-4)
    assert prediction["predictions"] == pytest.approx(0.2853, abs=1e-4)


@pytest.mark.parametrize("given", [{"num_units": [2]}, {"cell_type": "lstm"}])
def test_cells_given_twice(given):
    with pytest.raises(ValueError, match="must not be specified when using rnn_cell_fn"):
        contrib.RNNClassifier([_price()], rnn_cell_fn=lambda mode: None, **given)


def test_wrong_cell_type():
    classifier = contrib.RNNClassifier([_price()], num_units=[2], cell_type=int)
    message = r"Supported cell types are \['basic_rnn', 'lstm', 'gru'\]; got <class 'int'>"
    with pytest.raises(ValueError, match=message):
        classifier.train(_inputs, steps=1)
