"""Composable models in an estimator of one's own, beside TensorFlow 1.15.5."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
import pytest

import headwater as tf

_LEARN, _LAYERS = tf.contrib.learn, tf.contrib.layers


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _data() -> tuple[dict[str, Any], tf.Tensor]:
    language = tf.SparseTensor(values=["english"], indices=[[0, 0]], dense_shape=[1, 1])
    return {"age": tf.constant([[1.0]]), "language": language}, tf.constant([[1]])


class _Estimator(_LEARN.BaseEstimator):
    """An estimator whose logits and training step are a composable model's."""

    def __init__(self, model: Any, columns: list[Any]) -> None:
        super().__init__(model_dir=tempfile.mkdtemp())
        self.model, self._columns = model, columns

    def _ops(self, features: Any, labels: Any, is_training: bool) -> Any:
        logits = self.model.build_model(features, self._columns, is_training=is_training)
        head = _LEARN.multi_class_head(n_classes=2)
        return head.create_model_fn_ops(
            features, _LEARN.ModeKeys.TRAIN, labels, lambda loss: tf.no_op(), logits
        )

    def _get_train_ops(self, features: Any, labels: Any) -> Any:
        ops = self._ops(features, labels, True)
        with tf.control_dependencies(self.model.get_train_step(ops.loss)):
            train_op = tf.assign_add(tf.train.get_global_step(), 1).op
        return ops._replace(train_op=train_op)

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any = None) -> Any:
        ops = self._ops(features, labels, False)
        return ops._replace(eval_metric_ops={"loss": tf.metrics.mean(ops.loss)})

    def _get_predict_ops(self, features: Any) -> Any:
        raise NotImplementedError


@pytest.fixture
def columns() -> list[Any]:
    language = _LAYERS.sparse_column_with_hash_bucket("language", 10)
    return [_LAYERS.real_valued_column("age"), language]


def test_linear_model(columns: list[Any]) -> None:
    model = _LEARN.composable_model.LinearComposableModel(num_label_columns=1)
    assert model.get_scope_name() == "linear"
    estimator = _Estimator(model, columns)
    estimator.fit(input_fn=_data, steps=2)
    before = estimator.evaluate(input_fn=_data, steps=1)["loss"]
    estimator.fit(input_fn=_data, steps=2)
    assert estimator.evaluate(input_fn=_data, steps=1)["loss"] < before
    weights = model.get_weights(estimator.model_dir)
    assert set(weights) == {"linear/age/weight", "linear/language/weights"}
    np.testing.assert_allclose(
        model.get_bias(estimator.model_dir), weights["linear/age/weight"][0], rtol=1e-5
    )


def test_joint_weights_in_a_scope_of_their_own(columns: list[Any]) -> None:
    model = _LEARN.composable_model.LinearComposableModel(
        1, optimizer="SGD", _joint_weights=True, gradient_clip_norm=0.1, scope="mine"
    )
    features = {"language": _data()[0]["language"]}
    logits = model.build_model(features, columns[1:], is_training=True)
    assert logits.get_shape().ndims == 2
    names = [variable.op.name for variable in tf.get_collection("mine")]
    assert names == ["mine/linear_weights/weights/part_0", "mine/bias_weight/part_0"]
    assert [op.type for op in model.get_train_step(tf.reduce_sum(logits))] == ["NoOp"]


def test_deep_model(columns: list[Any]) -> None:
    model = _LEARN.composable_model.DNNComposableModel(1, [3, 2], dropout=0.5)
    assert model.get_scope_name() == "dnn"
    estimator = _Estimator(model, columns[:1])
    estimator.fit(input_fn=_data, steps=1)
    assert [w.shape for w in model.get_weights(estimator.model_dir)] == [(1, 3), (3, 2), (2, 1)]
    assert [b.shape for b in model.get_bias(estimator.model_dir)] == [(3,), (2,), (1,)]
    assert "dnn/logits/biases/Adagrad" in estimator.get_variable_names()
