"""replicate_model_fn and TowerOptimizer; the numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import headwater as tf

_ESTIMATOR = tf.contrib.estimator
_TWO = ["/cpu:0", "/cpu:0"]


def _model_fn(features: Any, labels: Any, mode: str) -> Any:
    ones = tf.ones_initializer()
    predictions = tf.layers.dense(features["x"], 1, name="d", kernel_initializer=ones)
    if mode == "infer":
        outputs = {
            "o": tf.estimator.export.PredictOutput({"p": predictions}),
            "r": tf.estimator.export.RegressionOutput(predictions),
            "c": tf.estimator.export.ClassificationOutput(scores=predictions),
            "serving_default": tf.estimator.export.RegressionOutput(predictions),
        }
        return tf.estimator.EstimatorSpec(mode, {"p": predictions}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, predictions)
    optimizer = _ESTIMATOR.TowerOptimizer(lambda: tf.train.GradientDescentOptimizer(0.1))
    return tf.estimator.EstimatorSpec(
        mode,
        loss=loss,
        train_op=optimizer.minimize(loss, tf.train.get_global_step()),
        eval_metric_ops={"mean": tf.metrics.mean(predictions)},
    )


def _data(size: int = 2) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
    x = tf.constant([[1.0 + i] for i in range(size)])
    return {"x": x}, 3 * x


@pytest.mark.parametrize(
    ("reduction", "kernel", "loss"),
    [
        ("weighted_sum", 2.568, 0.18662372),
        # Repeats with another factor of the loss what the other one checks.
        pytest.param("weighted_mean", 2.426, 0.083458036, marks=pytest.mark.slow),
    ],
)
def test_two_towers(reduction: str, kernel: float, loss: float) -> None:
    model_fn = _ESTIMATOR.replicate_model_fn(_model_fn, reduction, devices=_TWO)
    estimator = tf.estimator.Estimator(model_fn).train(_data, steps=3)
    np.testing.assert_allclose(estimator.get_variable_value("d/kernel"), [[kernel]], rtol=1e-5)
    assert estimator.get_variable_value("global_step") == 3
    result = estimator.evaluate(_data, steps=2)
    assert result["loss"] == pytest.approx(loss, rel=1e-5)
    # The input never ends.
    predictions = [each["p"].item() for each in itertools.islice(estimator.predict(_data), 2)]
    assert result["mean"] == pytest.approx(np.mean(predictions), rel=1e-5)


def test_one_tower_builds_the_graph_of_the_function() -> None:
    names = []
    for model_fn in (_model_fn, _ESTIMATOR.replicate_model_fn(_model_fn, devices=["/cpu:0"])):
        with tf.Graph().as_default() as graph:
            tf.train.get_or_create_global_step()
            model_fn(*_data(), mode="train")
            names.append([op.name for op in graph.get_operations()])
            assert _ESTIMATOR.TowerOptimizer.has_been_used()
    assert names[0] == names[1]


def test_names_of_towers() -> None:
    tf.train.get_or_create_global_step()
    model_fn = _ESTIMATOR.replicate_model_fn(_model_fn, devices=_TWO)
    spec = model_fn(*_data(), mode="train")
    assert (spec.loss.op.name, spec.train_op.name) == ("loss", "GradientDescent")
    names = {op.name for op in tf.get_default_graph().get_operations()}
    assert {"split_inputs/split", "averaged_loss", "d/BiasAdd", "tower_1/d/BiasAdd"} <= names
    assert [variable.op.name for variable in tf.trainable_variables()] == ["d/kernel", "d/bias"]


def test_exports_have_the_predictions_of_all_towers() -> None:
    spec = _ESTIMATOR.replicate_model_fn(_model_fn, devices=_TWO)(*_data(4), mode="infer")
    outputs = spec.export_outputs
    tensors = [outputs["o"].outputs["p"], outputs["r"].value, outputs["c"].scores]
    assert [tensor.get_shape().as_list() for tensor in tensors] == [[4, 1]] * 3
    assert outputs["c"].classes is None


def test_sparse_features_and_gradients_of_rows() -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        table = tf.get_variable("table", initializer=[[1.0], [2.0]])
        rows = tf.nn.embedding_lookup_sparse(table, features, None, combiner="sum")
        loss = tf.reduce_sum(rows)
        sgd = _ESTIMATOR.TowerOptimizer(tf.train.GradientDescentOptimizer(1.0))
        assert sgd.get_name() == "GradientDescent"
        assert sgd.get_slot_names() == []
        train_op = sgd.minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    def data() -> tuple[Any, None]:
        return tf.SparseTensor([[0, 0], [1, 0], [2, 0], [3, 0]], [0, 0, 0, 1], [4, 1]), None

    model_fn = _ESTIMATOR.replicate_model_fn(model_fn, "weighted_sum", devices=_TWO)
    estimator = tf.estimator.Estimator(model_fn).train(data, steps=1)
    assert estimator.get_variable_value("table").tolist() == [[-2.0], [1.0]]


def test_a_tower_optimizer_alone() -> None:
    variable = tf.Variable(1.0)
    optimizer = _ESTIMATOR.TowerOptimizer(tf.train.MomentumOptimizer(0.1, 0.9))
    step = optimizer.minimize(variable * variable)
    assert optimizer.get_slot_names() == ["momentum"]
    assert [slot.op.name for slot in optimizer.variables()] == ["Variable/Momentum"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(variable) == pytest.approx(0.8)


def test_errors() -> None:
    with pytest.raises(ValueError, match="Tower losses need to be reduced in some way, yet none"):
        _ESTIMATOR.replicate_model_fn(_model_fn, loss_reduction="none")
    model_fn = _ESTIMATOR.replicate_model_fn(_model_fn, devices=_TWO)
    with pytest.raises(ValueError, match=r"Batch size 3 needs to be divisible .* which is 2\."):
        model_fn(*_data(3), mode="train")

    def plain(features: Any, labels: Any, mode: str) -> Any:
        return tf.estimator.EstimatorSpec(mode, loss=tf.zeros([]), train_op=tf.no_op())

    with tf.Graph().as_default(), pytest.raises(ValueError, match="wrap optimizers with Tower"):
        _ESTIMATOR.replicate_model_fn(plain, devices=_TWO)(*_data(), mode="train")
