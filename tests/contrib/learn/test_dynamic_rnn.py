"""DynamicRnnEstimator: variables, losses and predictions of TensorFlow 1.15.5."""

from __future__ import annotations

import os

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.learn.canned.dynamic_rnn import dynamic_rnn_model_fn, output_alternatives
from headwater.contrib.learn.canned.rnn_parts import PredictionType, apply_dropout

learn = tf.contrib.learn
layers = tf.contrib.layers
ProblemType = learn.ProblemType


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _input(labels):
    def input_fn():
        steps = tf.constant(np.arange(24).reshape(2, 4, 3) / 10.0, tf.float32)
        features = {"x": steps, "ctx": tf.constant([[1.0], [2.0]])}
        # Not used; but seeds are those of a graph with this node.
        features["unused"] = tf.constant([3, 4])
        return features, tf.constant(labels)

    return input_fn


def _estimator(problem_type, prediction_type, **arguments):
    return learn.DynamicRnnEstimator(
        problem_type,
        prediction_type,
        [layers.real_valued_column("x", dimension=3)],
        config=learn.RunConfig(tf_random_seed=2),
        **arguments,
    )


def _sum(estimator, name):
    return float(np.sum(estimator.get_variable_value(name), dtype=np.float64))


def test_classes_of_steps():
    input_fn = _input([[1, 0, 1, 0], [0, 1, 1, 1]])
    estimator = _estimator(
        ProblemType.CLASSIFICATION,
        PredictionType.MULTIPLE_VALUE,
        num_classes=2,
        num_units=4,
        predict_probabilities=True,
    ).fit(input_fn=input_fn, steps=3)
    assert estimator.get_variable_names() == [
        "OptimizeLoss/learning_rate",
        "fully_connected/biases",
        "fully_connected/weights",
        "global_step",
        "rnn/basic_rnn_cell/bias",
        "rnn/basic_rnn_cell/kernel",
    ]
    np.testing.assert_allclose(_sum(estimator, "fully_connected/weights"), 2.2569, atol=1e-4)
    results = estimator.evaluate(input_fn=input_fn, steps=1)
    np.testing.assert_allclose([results["accuracy"], results["loss"]], [0.875, 0.6656], atol=1e-4)
    first, second = estimator.predict(input_fn=input_fn)
    assert first["classes"].tolist() == [1, 0, 0, 0]
    np.testing.assert_allclose(first["probabilities"][0], [0.4859, 0.5141], atol=1e-4)
    assert second["rnn_cell_state_0"].shape == (4,)


def test_a_score_of_a_sequence_with_its_context():
    input_fn = _input([1.0, 2.0])
    estimator = _estimator(
        ProblemType.LINEAR_REGRESSION,
        PredictionType.SINGLE_VALUE,
        num_units=4,
        context_feature_columns=[layers.real_valued_column("ctx")],
        gradient_clipping_norm=None,
    ).fit(input_fn=input_fn, steps=3)
    np.testing.assert_allclose(_sum(estimator, "rnn/basic_rnn_cell/kernel"), -5.3189, atol=1e-3)
    results = estimator.evaluate(input_fn=input_fn, steps=1)
    np.testing.assert_allclose(results["loss"], 0.2647, atol=1e-4)
    scores = [prediction["scores"] for prediction in estimator.predict(input_fn=input_fn)]
    np.testing.assert_allclose(scores, [1.5453, 1.5182], atol=2e-4)


def test_layers_of_lstm_cells_with_momentum():
    estimator = _estimator(
        ProblemType.CLASSIFICATION,
        PredictionType.SINGLE_VALUE,
        num_classes=2,
        num_units=[4, 3],
        cell_type="lstm",
        optimizer="Momentum",
        momentum=0.9,
        dropout_keep_probabilities=[1.0, 1.0, 1.0],
    ).fit(input_fn=_input([1, 0]), steps=1)
    names = estimator.get_variable_names()
    assert "OptimizeLoss/rnn/multi_rnn_cell/cell_1/lstm_cell/kernel/Momentum" in names
    (first, _) = estimator.predict(input_fn=_input([1, 0]))
    assert sorted(first) == ["classes", *(f"rnn_cell_state_{i}" for i in range(4))]


def test_a_state_goes_on():
    """Half a sequence after the other gives the state of the whole."""
    steps = np.arange(12, dtype=np.float32).reshape(1, 4, 3) / 10
    estimator = _estimator(
        ProblemType.LINEAR_REGRESSION, PredictionType.SINGLE_VALUE, num_units=4
    ).fit(input_fn=_input([1.0, 2.0]), steps=1)

    def state(part, before=None):
        def input_fn():
            features = {"x": tf.constant(part)}
            if before is not None:
                features["rnn_cell_state_0"] = tf.constant(before[None])
            return features

        (prediction,) = estimator.predict(input_fn=input_fn)
        return prediction["rnn_cell_state_0"]

    half = state(steps[:, :2])
    np.testing.assert_allclose(state(steps[:, 2:], half), state(steps), rtol=1e-5)


@pytest.mark.parametrize(
    ("problem", "prediction", "text"),
    [
        (ProblemType.CLASSIFICATION, PredictionType.SINGLE_VALUE, "num_classes must be specified"),
        (9, PredictionType.SINGLE_VALUE, "problem_type must be either .* got 9"),
        (ProblemType.LINEAR_REGRESSION, 9, "prediction_type must be one of .* got 9"),
    ],
)
def test_errors(problem, prediction, text):
    with pytest.raises(ValueError, match=text):
        _estimator(problem, prediction, num_units=4)


def test_numbers_of_dropout_probabilities():
    with pytest.raises(ValueError, match="Got 1 cells and 1 dropout probabilities"):
        apply_dropout([tf.nn.rnn_cell.GRUCell(2)], [0.5])


def test_predictions_of_sequences_can_be_served():
    features, labels = _input([[1.0], [0.5]])()
    model_fn = dynamic_rnn_model_fn(
        cell_type="lstm",
        num_units=2,
        target_column=layers.regression_target(),
        problem_type=ProblemType.LINEAR_REGRESSION,
        prediction_type=PredictionType.SINGLE_VALUE,
        optimizer="SGD",
        sequence_feature_columns=[layers.real_valued_column("x", dimension=3)],
    )
    ops = model_fn(features, labels, learn.ModeKeys.EVAL)
    assert set(ops.predictions) == {"scores", "rnn_cell_state_0", "rnn_cell_state_1"}
    ((problem_type, served),) = ops.output_alternatives.values()
    assert problem_type == ProblemType.LINEAR_REGRESSION
    assert served == {"scores": ops.predictions["scores"]}
    # One prediction for each step cannot be.
    multiple = PredictionType.MULTIPLE_VALUE
    assert output_alternatives(multiple, problem_type, served) is None
