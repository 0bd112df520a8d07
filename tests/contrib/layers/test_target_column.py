"""Target columns, beside TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

layers = tf.contrib.layers
LOGITS = [[1.0], [1.0], [3.0]]
LABELS = [[0.0], [1.0], [1.0]]


def _weights():
    return {"w": tf.constant([[2.0], [5.0], [0.0]])}


def _value(tensor):
    with tf.Session() as session:
        return session.run(tensor)


@pytest.mark.parametrize(
    ("target", "weighted", "training_loss", "loss"),
    [
        (layers.regression_target, False, 1.66667, 1.66667),
        (layers.regression_target, True, 0.66667, 0.28571),
        (layers.multi_class_target, False, 0.55837, 0.55837),
        (layers.multi_class_target, True, 1.39762, 0.59898),
    ],
)
def test_losses(target, weighted, training_loss, loss):
    arguments = [2] if target is layers.multi_class_target else []
    column = target(*arguments, weight_column_name="w" if weighted else None)
    data = tf.constant(LOGITS), tf.constant(LABELS), _weights()
    np.testing.assert_allclose(_value(column.training_loss(*data)), training_loss, atol=1e-5)
    np.testing.assert_allclose(_value(column.loss(*data)), loss, atol=1e-5)


def test_predictions():
    logits = tf.constant(LOGITS)
    assert _value(layers.regression_target().logits_to_predictions(logits)).tolist() == [1, 1, 3]
    classes = layers.multi_class_target(2)
    assert _value(classes.logits_to_predictions(logits)).tolist() == [1, 1, 1]
    probabilities = _value(classes.logits_to_predictions(logits, proba=True))
    np.testing.assert_allclose(probabilities[:, 0], [0.26894, 0.26894, 0.04743], atol=1e-5)
    svm = tf.contrib.slim.binary_svm_target()
    with pytest.raises(ValueError, match="not supported for _BinarySvmTargetColumn"):
        svm.logits_to_predictions(logits, proba=True)


def test_metrics_of_two_classes():
    column = layers.multi_class_target(2, weight_column_name="w")
    metrics = column.get_eval_ops(_weights(), tf.constant(LOGITS), tf.constant(LABELS))
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run([update for _, update in metrics.values()])
        values = {name: session.run(value) for name, (value, _) in metrics.items()}
    expected = {
        "accuracy": 0.71429,
        "accuracy/baseline_target_mean": 0.66667,
        "accuracy/threshold_0.500000_mean": 0.66667,
        "auc": 0.75,
        "labels/actual_target_mean": 0.66667,
        "labels/prediction_mean": 0.8049,
        "loss": 0.59898,
        "precision/positive_threshold_0.500000_mean": 0.66667,
        "recall/positive_threshold_0.500000_mean": 1.0,
    }
    assert values == pytest.approx(expected, abs=1e-4)


def test_more_classes_and_the_hinge_loss():
    column = layers.multi_class_target(3)
    logits = tf.constant([[1.0, 0.0, 0.0]])
    for labels in ([2], [[2]]):
        loss = column.training_loss(logits, tf.constant(labels), {})
        np.testing.assert_allclose(_value(loss), 1.55144, atol=1e-5)
    svm = tf.contrib.slim.binary_svm_target()
    loss = svm.training_loss(tf.constant([[-0.4], [1.4], [0.3]]), tf.constant([[0], [1], [1]]), {})
    np.testing.assert_allclose(_value(loss), 0.43333, atol=1e-5)


@pytest.mark.parametrize(
    ("metrics", "text"),
    [
        ({("x", "prob"): None}, "should be either 'classes' or 'probabilities'"),
        ({("x", "prob", "z"): None}, "It returned a tuple with len 3, expected 2."),
        ({3: None}, "Its name is not in the correct form."),
    ],
)
def test_names_of_metrics(metrics, text):
    column = layers.multi_class_target(3)
    with pytest.raises(ValueError, match=text):
        column.get_eval_ops({}, tf.constant([[1.0, 0.0, 0.0]]), tf.constant([2]), metrics)


def test_errors():
    with pytest.raises(ValueError, match="n_classes must be > 1 for classification"):
        layers.multi_class_target(1)
    with pytest.raises(ValueError, match="Target's dtype should be integer"):
        layers.multi_class_target(3).loss(tf.constant([[1.0, 0.0, 0.0]]), tf.constant([2.0]), {})
