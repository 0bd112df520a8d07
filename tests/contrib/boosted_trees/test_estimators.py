"""Estimators of gradient boosted trees; the numbers are those of TensorFlow 1.13.2."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.protos import learner_pb2

_BATCH = tf.contrib.boosted_trees.estimator_batch
_RNG = np.random.RandomState(0)
_X = _RNG.rand(120, 4).astype(np.float32)
_CLASSES = _X[:, :3].argmax(1).astype(np.int32)


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _config(**options: Any) -> Any:
    config = learner_pb2.LearnerConfig(**options)
    config.learning_rate_tuner.fixed.learning_rate = 0.3
    config.regularization.l2 = 0.1
    config.constraints.max_tree_depth = 2
    return config


def _inputs(labels: np.ndarray, epochs: int | None = None) -> Any:
    return tf.estimator.inputs.numpy_input_fn(
        {"x": _X}, labels, batch_size=60, num_epochs=epochs, shuffle=False
    )


@pytest.mark.parametrize(
    ("n_classes", "accuracy", "loss"), [(2, 0.875, 0.4493457), (3, 0.7916667, 0.6799122)]
)
def test_classifier_stops_after_its_trees(
    tmp_path: Path, n_classes: int, accuracy: float, loss: float
) -> None:
    labels = np.minimum(_CLASSES, n_classes - 1)
    estimator = _BATCH.estimator.GradientBoostedDecisionTreeClassifier(
        learner_config=_config(),
        examples_per_layer=60,
        n_classes=n_classes,
        num_trees=3,
        center_bias=False,
        output_leaf_index=True,
        model_dir=str(tmp_path),
    )
    estimator.fit(input_fn=_inputs(labels), max_steps=50)
    result = estimator.evaluate(input_fn=_inputs(labels, epochs=1))
    # One step to find buckets, and one for each layer.
    assert result["global_step"] == 7
    assert result["accuracy"] == pytest.approx(accuracy)
    assert result["loss"] == pytest.approx(loss, rel=1e-5)
    predicted = list(estimator.predict(input_fn=_inputs(labels, epochs=1)))
    assert len(predicted) == 120
    assert predicted[0]["leaf_index"].shape == (3,)
    names = [name for name, _ in tf.train.list_variables(str(tmp_path))]
    head = "binary_logistic_head" if n_classes == 2 else "multi_class_head"
    expected = {"ensemble_model:0_config", "ensemble_model:0_stamp", "attempted_trees"}
    assert {*expected, f"{head}/train_op/num_layer_steps"} <= set(names)


def test_regressors(tmp_path: Path) -> None:
    labels = _X[:, :1] * 2 - _X[:, 1:2]
    options = {"examples_per_layer": 60, "num_trees": 4, "center_bias": False}
    module = _BATCH.estimator
    mean = module.GradientBoostedDecisionTreeRegressor(_config(), **options)
    mean.fit(input_fn=_inputs(labels), max_steps=50)
    result = mean.evaluate(input_fn=_inputs(labels, epochs=1))
    assert result["loss"] == pytest.approx(0.04718, rel=1e-5)
    quantile = module.GradientBoostedDecisionTreeQuantileRegressor(
        _config(), quantiles=[0.9], **options
    )
    quantile.fit(input_fn=_inputs(labels), max_steps=50)
    scores = [p["scores"] for p in quantile.predict(input_fn=_inputs(labels, epochs=1))]
    assert np.mean(np.ravel(scores) > labels[:, 0]) > 0.55
    with pytest.raises(ValueError, match="just one quantile per estimator"):
        module.GradientBoostedDecisionTreeQuantileRegressor(_config(), 10, [0.1, 0.9])


def test_estimator_of_today_with_a_head(tmp_path: Path) -> None:
    module = _BATCH.estimator
    config = tf.estimator.RunConfig(model_dir=str(tmp_path))
    estimator = module.CoreGradientBoostedDecisionTreeEstimator(
        learner_config=_config(num_classes=3),
        examples_per_layer=60,
        head=module.core_multiclass_head(3),
        num_trees=2,
        center_bias=False,
        feature_columns=[tf.feature_column.numeric_column("x", shape=[4])],
        config=config,
    )
    estimator.train(_inputs(_CLASSES), max_steps=50)
    result = estimator.evaluate(_inputs(_CLASSES, epochs=1))
    assert result["global_step"] == 5
    assert result["accuracy"] == pytest.approx(0.8)
    assert result["loss"] == pytest.approx(0.7988005, rel=1e-5)


def test_numbers_of_classes_must_be_equal() -> None:
    with pytest.raises(ValueError, match=r"n_classes \(5\) doesn't match learner_config \(3\)\."):
        _BATCH.estimator.GradientBoostedDecisionTreeClassifier(
            _config(num_classes=5), 10, n_classes=3
        )


class _Context:
    stopped = False

    def request_stop(self) -> None:
        self.stopped = True


@pytest.mark.parametrize(
    ("attempted", "finalized", "stops"), [(1, 0, False), (3, 3, True), (5, 2, False), (6, 2, True)]
)
def test_stops_after_twice_as_many_attempts(attempted: int, finalized: int, stops: bool) -> None:
    hook = _BATCH.trainer_hooks.StopAfterNTrees(3, None, None)
    context = _Context()
    values = {"num_attempted_trees": attempted, "num_finalized_trees": finalized}
    hook.after_run(context, tf.train.SessionRunValues(values, None, None))
    assert context.stopped == stops
