"""Heads of contrib.learn: losses, predictions, metrics and names, with values of TF 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as tf

learn = tf.contrib.learn
WEIGHTS = {"w": [[1.0], [0.1], [1.5]]}
BINARY_LOGITS = [[0.5], [1.0], [-0.5]]
CLASS_LOGITS = [[0.5, 0.0, 1.0], [1.0, 2.0, 3.0], [-0.5, 0.5, 0.0]]
LABEL_LOGITS = [[0.5, 0.0, 1.0], [1.0, 2.0, -3.0]]


def no_op(loss: Any) -> Any:
    return tf.no_op()


def evaluated(
    head: Any, labels: Any, mode: str = "eval", features: Any = None, **logits: Any
) -> tuple[Any, dict[str, float], float]:
    """The ops, the metrics and the loss of a head."""
    features = {name: tf.constant(value) for name, value in (features or {}).items()}
    if isinstance(labels, dict):
        labels = {name: tf.constant(value) for name, value in labels.items()}
    elif isinstance(labels, list):
        labels = tf.constant(labels)
    logits = {
        name: {key: tf.constant(part) for key, part in value.items()}
        if isinstance(value, dict)
        else tf.constant(value)
        for name, value in logits.items()
    }
    ops = head.create_model_fn_ops(features, mode, labels, no_op, **logits)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(tf.tables_initializer())
        loss = session.run(ops.loss)
        session.run({name: update for name, (_, update) in ops.eval_metric_ops.items()})
        metrics = session.run({name: value for name, (value, _) in ops.eval_metric_ops.items()})
    return ops, metrics, loss


def check_metrics(metrics: dict[str, float], expected: dict[str, float]) -> None:
    assert sorted(metrics) == sorted(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(metrics[name], value, atol=1e-5, err_msg=name)


def test_regression_with_weights_and_a_centered_bias() -> None:
    head = learn.regression_head("l", "w", enable_centered_bias=True, head_name="h")
    ops, metrics, loss = evaluated(
        head, {"l": [[0.0], [1.0], [1.0]]}, "train", WEIGHTS, logits=[[1.0], [1.0], [3.0]]
    )
    np.testing.assert_allclose(loss, 7 / 3, rtol=1e-6)
    check_metrics(metrics, {"loss/h": 7 / 2.6})
    assert ops.loss.name == "h/mean_squared_loss/loss:0"
    assert ops.train_op.name == "h/train_op/group_deps"
    names = [variable.op.name for variable in tf.global_variables()]
    assert names == ["h/centered_bias_weight", "h/h/centered_bias_weight/Adagrad"]
    assert {key: kind for key, (kind, _) in ops.output_alternatives.items()} == {"h": 2}
    tags = [summary.op.inputs[0] for summary in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    with tf.Session() as session:
        assert list(session.run(tags)) == [b"h/centered_bias/bias_0/h", b"loss/h"]


def test_poisson_regression() -> None:
    head = learn.poisson_regression_head()
    _, metrics, loss = evaluated(head, [[0.0], [1.0], [2.0]], logits=[[1.0], [1.0], [3.0]])
    np.testing.assert_allclose(loss, 6.391303, rtol=1e-6)
    check_metrics(metrics, {"loss": 6.391303})


def test_two_classes() -> None:
    head = learn.multi_class_head(2, thresholds=[0.3, 0.7])
    ops, metrics, loss = evaluated(head, [[1], [0], [1]], logits=BINARY_LOGITS)
    np.testing.assert_allclose(loss, 0.920472, rtol=1e-5)
    expected = {
        "accuracy": 1 / 3,
        "accuracy/baseline_label_mean": 2 / 3,
        "accuracy/threshold_0.300000_mean": 2 / 3,
        "accuracy/threshold_0.700000_mean": 0.0,
        "auc": 0.0,
        "auc_precision_recall": 0.41667,
        "labels/actual_label_mean": 2 / 3,
        "labels/prediction_mean": 0.57702,
        "loss": 0.92047,
        "precision/positive_threshold_0.300000_mean": 2 / 3,
        "precision/positive_threshold_0.700000_mean": 0.0,
        "recall/positive_threshold_0.300000_mean": 1.0,
        "recall/positive_threshold_0.700000_mean": 0.0,
    }
    check_metrics(metrics, expected)
    assert sorted(ops.predictions) == ["classes", "logistic", "logits", "probabilities"]
    (kind, served) = ops.output_alternatives[None]
    assert kind == learn.ProblemType.LOGISTIC_REGRESSION
    with tf.Session() as session:
        assert session.run(served["classes"]).tolist() == [[b"0", b"1"]] * 3


def test_several_classes_with_metrics_of_their_own() -> None:
    head = learn.multi_class_head(3, metric_class_ids=[0, 2])
    _, metrics, loss = evaluated(head, [[1], [0], [2]], logits=CLASS_LOGITS)
    np.testing.assert_allclose(loss, 1.756048, rtol=1e-5)
    expected = {
        "accuracy": 0.0,
        "labels/actual_label_mean/class0": 1 / 3,
        "labels/actual_label_mean/class2": 1 / 3,
        "labels/logits_mean/class0": 1 / 3,
        "labels/logits_mean/class2": 4 / 3,
        "labels/prediction_mean/class0": 0.0,
        "labels/prediction_mean/class2": 2 / 3,
        "labels/probability_mean/class0": 0.19452,
        "labels/probability_mean/class2": 0.49297,
        "loss": 1.75605,
    }
    check_metrics(metrics, expected)


def test_weights_of_classes_and_classes_by_name() -> None:
    head = learn.multi_class_head(3, weight_column_name="w")
    _, metrics, loss = evaluated(head, [[1], [0], [2]], features=WEIGHTS, logits=CLASS_LOGITS)
    np.testing.assert_allclose(loss, 1.230478, rtol=1e-5)
    check_metrics(metrics, {"accuracy": 0.0, "loss": 1.41978})
    tf.reset_default_graph()
    head = learn.multi_class_head(3, label_keys=["a", "b", "c"], metric_class_ids=[1])
    ops, metrics, _ = evaluated(head, [["b"], ["a"], ["c"]], logits=CLASS_LOGITS)
    check_metrics(metrics, {"accuracy": 0.0, "loss": 1.75605})
    assert ops.predictions["classes"].dtype == tf.string


def test_hinge_loss() -> None:
    _, metrics, loss = evaluated(
        learn.binary_svm_head(thresholds=[0.5]), [[1], [0], [1]], logits=BINARY_LOGITS
    )
    np.testing.assert_allclose(loss, 4 / 3, rtol=1e-6)
    check_metrics(metrics, {"accuracy": 1 / 3, "loss": 4 / 3})


def test_several_labels() -> None:
    head = learn.multi_label_head(3, metric_class_ids=[0])
    _, metrics, loss = evaluated(head, [[1, 0, 1], [0, 1, 0]], logits=LABEL_LOGITS)
    np.testing.assert_allclose(loss, 0.494877, rtol=1e-5)
    expected = {
        "accuracy": 5 / 6,
        "auc": 5 / 6,
        "auc/class0": 0.0,
        "auc_precision_recall": 0.84722,
        "auc_precision_recall/class0": 0.25,
        "labels/actual_label_mean/class0": 0.5,
        "labels/logits_mean/class0": 0.75,
        "labels/prediction_mean/class0": 1.0,
        "labels/probability_mean/class0": 0.67676,
        "loss": 0.49488,
    }
    check_metrics(metrics, expected)


def test_sparse_labels() -> None:
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2])
    _, _, loss = evaluated(learn.multi_label_head(3), labels, logits=LABEL_LOGITS)
    np.testing.assert_allclose(loss, 0.494877, rtol=1e-5)
    with pytest.raises(ValueError, match=r"SparseTensor is not supported\."):
        evaluated(learn.multi_class_head(3), labels, logits=LABEL_LOGITS)


def test_several_heads() -> None:
    head = learn.multi_head(
        [
            learn.multi_class_head(3, label_name="l1", head_name="h1"),
            learn.regression_head(label_name="l2", head_name="h2"),
        ],
        loss_weights=[1.0, 0.5],
    )
    assert head.logits_dimension == 4
    labels = {"l1": [[1], [0]], "l2": [[2.0], [3.0]]}
    logits = [[0.5, 0.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0]]
    ops, metrics, loss = evaluated(head, labels, logits=logits)
    np.testing.assert_allclose(loss, 2.293938, rtol=1e-6)
    check_metrics(metrics, {"accuracy/h1": 0.0, "loss/h1": 2.04394, "loss/h2": 0.5})
    assert ("h1", "classes") in ops.predictions and ("h2", "scores") in ops.predictions
    spec = head.create_model_fn_ops({}, "infer", logits=tf.constant(logits))
    assert sorted(spec.output_alternatives) == ["h1", "h2"]
    train = head.create_model_fn_ops(
        {}, "train", {"l1": tf.constant([[1]]), "l2": tf.constant([[2.0]])}, no_op,
        logits=tf.constant(logits[:1]),
    )  # fmt: skip
    assert train.predictions is None and train.train_op.type == "NoOp"


def test_a_head_without_logits() -> None:
    head = learn.head.loss_only_head(lambda: tf.constant(3.5), head_name="lo")
    ops, _, loss = evaluated(head, [1.0])
    assert (loss, ops.loss.name, ops.predictions) == (3.5, "lo/Const:0", {})
    assert head.create_model_fn_ops({}, "infer").loss is None


def test_logits_are_made_by_a_linear_layer() -> None:
    head = learn.regression_head(label_dimension=2)
    head.create_model_fn_ops({}, "infer", logits_input=tf.constant([[1.0, 0.0]]))
    names = [variable.op.name for variable in tf.global_variables()]
    assert names == ["regression_head/logits/weights", "regression_head/logits/biases"]


def test_a_loss_of_the_program() -> None:
    def loss_fn(labels: Any, logits: Any, weights: Any = None) -> Any:
        return tf.reduce_sum(tf.to_float(labels)) + tf.reduce_sum(logits)

    _, _, loss = evaluated(
        learn.multi_class_head(3, loss_fn=loss_fn), [[1], [0], [2]], logits=CLASS_LOGITS
    )
    assert loss == 10.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Neither logits nor logits_input supplied"),
        (
            {"logits": [[1.0]], "logits_input": [[1.0]]},
            "Both logits and logits_input supplied",
        ),
        ({"logits": [[1.0, 2.0]]}, "Dimensions 2 and 1 are not compatible"),
        ({"logits": [[1.0]], "mode": "bad"}, "mode=bad unrecognized"),
    ],
)
def test_errors_of_calls(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluated(learn.regression_head(), [[1.0]], **arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: learn.multi_class_head(1), "n_classes must be > 1 for classification: 1"),
        (lambda: learn.multi_class_head(2, metric_class_ids=[1]), "metric_class_ids invalid"),
        (lambda: learn.multi_class_head(2, label_keys=["a", "b"]), "label_keys is not supported"),
        (lambda: learn.multi_class_head(3, metric_class_ids=[5]), r"Class ID 5 not in \[0, 3\)"),
        (lambda: learn.multi_class_head(3, label_keys=["a"]), "Length of label_keys must equal"),
        (lambda: learn.multi_class_head(3, loss_fn=lambda a: a), "Argument labels not found"),
        (lambda: learn.multi_label_head(1), "n_classes must be > 1 for classification"),
        (lambda: learn.multi_head([learn.regression_head()]), "Members of MultiHead must have"),
        (lambda: learn.regression_head(label_dimension=0), "Invalid logits_dimension 0"),
    ],
)
def test_errors_of_constructors(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_missing_weights() -> None:
    with pytest.raises(ValueError, match=r"Weights q missing from features\."):
        evaluated(learn.multi_class_head(2, weight_column_name="q"), [[1]], logits=[[0.5]])


def test_logits_that_are_lists_and_weights_of_each_label() -> None:
    head = learn.multi_label_head(3, weight_column_name="w", metric_class_ids=[2])
    features = {"w": tf.constant([[1.0, 2.0, 3.0]])}
    ops = head.create_model_fn_ops(
        features, "eval", tf.constant([[0, 0, 1]]), no_op, logits=[[1.0, 0.0, 0.0]]
    )
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run([update for _, update in ops.eval_metric_ops.values()])
        value, _ = ops.eval_metric_ops["labels/actual_label_mean/class2"]
        assert session.run(value) == 1.0


def test_a_schedule_is_found_among_attributes_that_fail(tmp_path: Any) -> None:
    class Partial(learn.Experiment):  # type: ignore[misc]
        """Sets no attributes; properties of it fail."""

        def __init__(self) -> None:
            self._estimator = learn.Estimator(None, str(tmp_path))

        def simple(self) -> int:
            return 3

    run = learn.learn_runner.run
    assert run(lambda output_dir: Partial(), "/x", schedule="simple") == 3
    with pytest.raises(ValueError, match="Schedule references non-existent task other"):
        run(lambda output_dir: Partial(), "/x", schedule="other")
