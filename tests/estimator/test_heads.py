"""Heads: losses, metrics, predictions and export outputs (golden values of TensorFlow 1.15.5)."""

import numpy as np
import pytest

import headwater as tf

estimator = tf.contrib.estimator
LOGITS = np.random.RandomState(0).randn(6, 3).astype("f")
WEIGHTS = np.array([1, 2, 3, 0.5, 0, 1], "f")
BINARY = np.array([1, 0, 1, 1, 0, 0])
CLASSES = np.array([0, 1, 2, 2, 1, 0])
SUM = tf.losses.Reduction.SUM


def evaluated(head, logits, labels, weights=None, losses=None):
    """The metrics of a head, and its loss, for one batch."""
    features = {} if weights is None else {"w": tf.constant(weights)}
    spec = head.create_estimator_spec(
        features, "eval", tf.constant(logits), labels, regularization_losses=losses
    )
    with tf.Session() as session:
        session.run([tf.local_variables_initializer(), tf.tables_initializer()])
        session.run([update for _, update in spec.eval_metric_ops.values()])
        values = session.run({key: value for key, (value, _) in spec.eval_metric_ops.items()})
        return {**values, "loss": session.run(spec.loss)}


def test_binary_metrics():
    head = estimator.binary_classification_head()
    assert (head.name, head.logits_dimension) == (None, 1)
    expected = {
        "accuracy": 0.5,
        "accuracy_baseline": 0.5,
        "auc": 0.5556,
        "auc_precision_recall": 0.4611,
        "average_loss": 0.8923,
        "label/mean": 0.5,
        "precision": 0.5,
        "prediction/mean": 0.724,
        "recall": 1.0,
        "loss": 0.8923,
    }
    assert evaluated(head, LOGITS[:, :1], BINARY) == pytest.approx(expected, abs=1e-4)


def test_names_and_regularization():
    head = estimator.regression_head(weight_column="w", label_dimension=3, name="r")
    losses = [tf.constant(1.5), tf.constant(0.25)]
    values = evaluated(head, LOGITS, LOGITS * 2, np.abs(LOGITS), losses)
    assert set(values) == {
        "average_loss/r",
        "label/mean/r",
        "prediction/mean/r",
        "regularization_loss/r",
        "loss",
    }
    assert values["average_loss/r"] == pytest.approx(2.237, abs=1e-4)
    assert values["label/mean/r"] == pytest.approx(2.4389, abs=1e-4)
    assert values["regularization_loss/r"] == 1.75


def test_thresholds():
    head = estimator.binary_classification_head(
        "w", [0.3, 0.7], ["a", "b"], loss_reduction=SUM, name="h"
    )
    labels = tf.constant(np.array(["a", "b"])[BINARY])
    values = evaluated(head, LOGITS[:, :1], labels, WEIGHTS)
    keys = {key for key in values if "threshold" in key}
    assert keys == {
        f"{metric}/positive_threshold_{threshold}/h"
        for metric in ("accuracy", "precision", "recall")
        for threshold in ("0.3", "0.7")
    }
    assert values["accuracy/positive_threshold_0.3/h"] == pytest.approx(4.5 / 7.5)
    assert values["loss"] == pytest.approx(values["average_loss/h"] * WEIGHTS.sum(), rel=1e-5)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (lambda: (LOGITS > 0).astype(int), 1.0),
        (lambda: tf.SparseTensor([[0, 0], [1, 1]], [0, 2], [6, 2]), None),
        (lambda: tf.SparseTensor([[0, 0], [1, 1]], ["a", "c"], [6, 2]), None),
    ],
)
def test_labels_of_several_classes(labels, expected):
    words = ["a", "b", "c"] if expected is None else None
    head = estimator.multi_label_head(
        3, label_vocabulary=words, classes_for_class_based_metrics=[0, 2]
    )
    values = evaluated(head, LOGITS, labels())
    names = ["a", "c"] if words else ["class0", "class2"]
    for name in names:
        assert f"auc/{name}" in values
    indicators = np.zeros((6, 3))
    indicators[0, 0] = indicators[1, 2] = 1
    given = indicators if words else LOGITS > 0
    losses = np.log1p(np.exp(LOGITS)) - LOGITS * given
    assert values["average_loss"] == pytest.approx(losses.mean(), rel=1e-5)


def test_links_of_regressions():
    logits = tf.constant(LOGITS[:, :1])
    poisson = estimator.poisson_regression_head().create_estimator_spec({}, "infer", logits)
    logistic = estimator.logistic_regression_head().create_estimator_spec({}, "infer", logits)
    with tf.Session() as session:
        rate, share = session.run([s.predictions["predictions"] for s in (poisson, logistic)])
    np.testing.assert_allclose(rate, np.exp(LOGITS[:, :1]), rtol=1e-5)
    np.testing.assert_allclose(share, 1 / (1 + np.exp(-LOGITS[:, :1])), rtol=1e-5)
    assert list(poisson.export_outputs) == ["serving_default", "regression", "predict"]


def multi_head():
    return estimator.multi_head(
        [
            estimator.regression_head(name="r"),
            estimator.binary_classification_head(name="b"),
            estimator.multi_class_head(3, name="m"),
        ],
        head_weights=[1.0, 2.0, 0.5],
    )


def test_several_heads():
    head = multi_head()
    assert (head.name, head.logits_dimension) == ("r_b_m", 5)
    logits = tf.constant(np.random.RandomState(1).randn(6, 5).astype("f"))
    spec = head.create_estimator_spec({}, "infer", logits)
    assert ("b", "logistic") in spec.predictions
    assert set(spec.export_outputs) == {
        "serving_default",
        "predict",
        *("r", "r/regression", "r/predict"),
        *("b", "b/classification", "b/regression", "b/predict"),
        *("m", "m/classification", "m/predict"),
    }
    assert "m/probabilities" in spec.export_outputs["predict"].outputs
    labels = {"r": tf.constant(BINARY.astype("f")), "b": BINARY, "m": CLASSES}
    spec = head.create_estimator_spec({}, "eval", logits, labels)
    with tf.Session() as session:
        session.run([tf.local_variables_initializer()])
        session.run([update for _, update in spec.eval_metric_ops.values()])
        loss = session.run(spec.loss)
        parts = [session.run(spec.eval_metric_ops[f"loss/{name}"][0]) for name in "rbm"]
    assert loss == pytest.approx(parts[0] + 2 * parts[1] + 0.5 * parts[2], rel=1e-5)


def test_training_counts_update_ops_and_writes_summaries():
    ran = tf.Variable(0.0)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(ran, 1.0))
    head = estimator.regression_head(loss_reduction=SUM)
    total = tf.Variable(0.0)
    spec = head.create_estimator_spec(
        {},
        "train",
        tf.constant(LOGITS[:, :1]),
        BINARY.astype("f"),
        train_op_fn=lambda loss: tf.assign_add(total, loss),
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(spec.train_op)
        assert session.run(ran) == 1.0
        assert session.run(total) == pytest.approx(np.sum((LOGITS[:, 0] - BINARY) ** 2), rel=1e-5)
        text = session.run(tf.summary.merge_all())
    tags = [value.tag for value in tf.Summary.FromString(text).value]
    assert tags == ["loss", "average_loss"]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: estimator.multi_class_head(2), ValueError, "n_classes must be > 2: 2."),
        (lambda: estimator.multi_label_head(1), ValueError, "n_classes must be > 1 for"),
        (
            lambda: estimator.binary_classification_head(thresholds=[1.0]),
            ValueError,
            r"thresholds not in \(0, 1\)",
        ),
        (
            lambda: estimator.binary_classification_head(label_vocabulary="ab"),
            TypeError,
            "label_vocabulary should be a list or tuple.",
        ),
        (lambda: estimator.regression_head(label_dimension=0), ValueError, "Invalid label_dim"),
        (lambda: estimator.regression_head(loss_reduction="x"), ValueError, "Invalid loss_reduc"),
        (
            lambda: estimator.regression_head(loss_fn=lambda labels: labels),
            ValueError,
            "loss_fn must contain argument: logits.",
        ),
        (
            lambda: estimator.regression_head(loss_fn=lambda labels, logits, z: z),
            ValueError,
            "loss_fn has unexpected args: \\['z'\\]",
        ),
        (lambda: estimator.multi_head([]), ValueError, "Must specify heads."),
        (
            lambda: estimator.multi_head([estimator.regression_head()]),
            ValueError,
            "All given heads must have name specified.",
        ),
        (
            lambda: evaluated(estimator.regression_head(), LOGITS[:, :2], BINARY),
            ValueError,
            r"logits shape must be \[D0, D1, ... DN, logits_dimension\], got \(6, 2\).",
        ),
        (
            lambda: evaluated(estimator.regression_head(), LOGITS[:, :1], None),
            ValueError,
            "You must provide a labels Tensor.",
        ),
        (
            lambda: evaluated(estimator.multi_class_head(3), LOGITS, CLASSES.astype("f")),
            ValueError,
            "Labels dtype should be integer. Instead got <dtype: 'float32'>.",
        ),
        (
            lambda: evaluated(estimator.regression_head(weight_column=3), LOGITS[:, :1], BINARY),
            TypeError,
            "Weight column must be either a string or _NumericColumn.",
        ),
        (
            lambda: evaluated(estimator.multi_class_head(3), LOGITS, CLASSES + 1),
            tf.errors.InvalidArgumentError,
            "Labels must <= n_classes - 1",
        ),
        (
            lambda: multi_head().create_estimator_spec({}, "infer", tf.constant(LOGITS)),
            ValueError,
            "Could not split logits of shape",
        ),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()
