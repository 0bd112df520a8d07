"""tf.estimator.Head and its subclasses (golden values of TensorFlow 1.15.5)."""

import numpy as np
import pytest

import headwater as tf

LOGITS = np.random.RandomState(0).randn(6, 3).astype("f")
WEIGHTS = np.array([1, 2, 3, 0.5, 0, 1], "f")
BINARY = np.array([1, 0, 1, 1, 0, 0])
CLASSES = np.array([0, 1, 2, 2, 1, 0])


def evaluated(head, logits, labels, weights=None, losses=None):
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
    expected = {
        "accuracy": 0.5,
        "accuracy_baseline": 0.5,
        "auc": 0.5556,
        "auc_precision_recall": 0.485,
        "average_loss": 0.8923,
        "label/mean": 0.5,
        "precision": 0.5,
        "prediction/mean": 0.724,
        "recall": 1.0,
        "loss": 0.8923,
    }
    head = tf.estimator.BinaryClassHead()
    assert evaluated(head, LOGITS[:, :1], BINARY) == pytest.approx(expected, abs=1e-4)


def test_weights_thresholds_and_words():
    head = tf.estimator.BinaryClassHead("w", [0.3, 0.7], ["a", "b"], "sum", name="h")
    labels = tf.constant(np.array(["a", "b"])[BINARY])
    losses = [tf.constant(1.5), tf.constant(0.25)]
    values = evaluated(head, LOGITS[:, :1], labels, WEIGHTS, losses)
    expected = {
        "accuracy/h": 0.6,
        "accuracy/positive_threshold_0.3/h": 0.6,
        "accuracy/positive_threshold_0.7/h": 0.6667,
        "auc/h": 0.3333,
        "auc_precision_recall/h": 0.4762,
        "average_loss/h": 0.9268,
        "regularization_loss/h": 1.75,
        "loss": 0.9268 * 7.5 + 1.75,
    }
    assert {key: values[key] for key in expected} == pytest.approx(expected, abs=4e-4)


def test_labels_of_several_classes():
    head = tf.estimator.MultiLabelHead(3, classes_for_class_based_metrics=[1])
    values = evaluated(head, LOGITS, (LOGITS > 0).astype(int))
    assert values["auc"] == pytest.approx(1.0, abs=1e-4)
    assert values["probability_mean/class1"] == pytest.approx(
        np.mean(1 / (1 + np.exp(-LOGITS[:, 1]))), rel=1e-5
    )


def test_weighted_loss_joins_no_collection():
    loss = tf.estimator.RegressionHead().loss(BINARY.astype("f"), tf.constant(LOGITS[:, :1]))
    assert loss.eval(session=tf.Session()) == pytest.approx(
        np.mean((LOGITS[:, 0] - BINARY) ** 2), rel=1e-5
    )
    # The losses of examples are those of tf.losses, which join it.
    names = [loss.name for loss in tf.get_collection(tf.GraphKeys.LOSSES)]
    assert names == ["losses/mean_squared_error/Mul:0"]


def test_several_heads():
    head = tf.estimator.MultiHead(
        [
            tf.estimator.PoissonRegressionHead(name="p"),
            tf.estimator.LogisticRegressionHead(name="l"),
            tf.estimator.MultiClassHead(3, name="m"),
        ],
        head_weights=[1.0, 2.0, 0.5],
    )
    assert (head.name, head.logits_dimension) == ("p_l_m", 5)
    logits = np.random.RandomState(1).randn(6, 5).astype("f")
    labels = {"p": BINARY, "l": BINARY, "m": CLASSES}
    values = evaluated(head, logits, labels)
    assert values["loss"] == pytest.approx(
        values["loss/p"] + 2 * values["loss/l"] + 0.5 * values["loss/m"], rel=1e-5
    )
    assert "accuracy/m" in values
    with pytest.raises(ValueError, match=r"labels has missing values for head\(s\): \['m'\]"):
        head.loss({"p": BINARY, "l": BINARY}, tf.constant(logits))


def test_training_runs_update_ops():
    ran, trained = tf.Variable(0.0), tf.Variable(0.0)
    spec = tf.estimator.RegressionHead().create_estimator_spec(
        {},
        "train",
        tf.constant(LOGITS[:, :1]),
        BINARY.astype("f"),
        train_op_fn=lambda loss: tf.assign_add(trained, loss),
        update_ops=[tf.assign_add(ran, 1.0)],
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(spec.train_op)
        assert session.run(ran) == 1.0
        assert session.run(trained) == pytest.approx(session.run(spec.loss))


def trained_by(**kwargs):
    return tf.estimator.BinaryClassHead().create_estimator_spec(
        {}, "train", tf.constant(LOGITS[:, :1]), BINARY, **kwargs
    )


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.estimator.MultiClassHead(2), "n_classes must be > 2: 2."),
        (
            lambda: tf.estimator.MultiClassHead(3, label_vocabulary=["a"]),
            '"label_vocabulary" does not have "n_classes" items.',
        ),
        (
            lambda: tf.estimator.RegressionHead(loss_reduction="weighted_sum"),
            "Invalid loss_reduction: weighted_sum. See `tf.losses.Reduction` for valid options.",
        ),
        (lambda: tf.estimator.MultiLabelHead(1), "n_classes must be > 1 for multi-label"),
        (
            lambda: trained_by(optimizer=tf.train.AdamOptimizer()),
            "The given optimizer is not a tf.keras.optimizers.Optimizer instance.",
        ),
        (trained_by, "train_op_fn and optimizer cannot both be None."),
        (
            lambda: tf.estimator.BinaryClassHead().predictions(tf.constant([[0.0]]), keys=["z"]),
            "Prediction key must be in PredictionKeys, given: z.",
        ),
    ],
)
def test_errors(make, text):
    with pytest.raises(ValueError, match=text):
        make()
