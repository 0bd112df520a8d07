"""SVM and SDCAOptimizer in linear estimators; the numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

import os
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
    features = {
        "example_id": tf.constant(["1", "2", "3"]),
        "price": tf.constant([[0.6], [0.8], [0.3]]),
        "sq_footage": tf.constant([[900.0], [700.0], [600.0]]),
        "country": tf.SparseTensor([[0, 0], [1, 3], [2, 1]], ["IT", "US", "GB"], [3, 5]),
        "weights": tf.constant([[3.0], [1.0], [1.0]]),
    }
    return features, tf.constant([[1], [0], [1]])


def _columns() -> list[Any]:
    size = _LAYERS.real_valued_column("sq_footage")
    return [
        _LAYERS.real_valued_column("price"),
        _LAYERS.bucketized_column(size, boundaries=[650.0, 800.0]),
        _LAYERS.sparse_column_with_hash_bucket("country", hash_bucket_size=5),
    ]


def _sdca(**options: Any) -> Any:
    return tf.contrib.linear_optimizer.SDCAOptimizer("example_id", **options)


def _close(estimator: Any, name: str, expected: list[Any]) -> None:
    np.testing.assert_allclose(estimator.get_variable_value(name), expected, atol=2e-4)


def test_svm_separates_two_classes() -> None:
    columns = _columns()
    columns.append(_LAYERS.crossed_column(columns[1:], hash_bucket_size=10))
    svm = _LEARN.SVM(
        example_id_column="example_id",
        feature_columns=columns,
        weight_column_name="weights",
        l1_regularization=0.1,
        l2_regularization=1.0,
    )
    svm.fit(input_fn=_data, steps=30)
    _close(svm, "linear/bias_weight", [0.1667])
    _close(svm, "linear/price/weight", [[0.0]])
    _close(svm, "linear/sq_footage_bucketized/weights", [[0.2778], [-0.3889], [0.2778]])
    unshrunk = "binary_svm_head/train_op/linear/bias_weight_unshrinked/SDCAOptimizer"
    _close(svm, unshrunk, [0.2667])
    assert "ShardedMutableHashTable-1-of-1-keys" in svm.get_variable_names()
    result = svm.evaluate(input_fn=_data, steps=1)
    assert result["accuracy"] == 1.0
    assert result["loss"] == pytest.approx(0.0, abs=1e-6)
    assert list(svm.predict_classes(input_fn=_data)) == [1, 0, 1]
    assert set(next(iter(svm.predict(input_fn=_data)))) == {"logits", "classes"}
    with pytest.raises(ValueError, match=r"at least one output from .*\['probabilities'\]"):
        list(svm.predict_proba(input_fn=_data))


# Repeats with another loss what the test of SVM checks.
@pytest.mark.slow
def test_classifier() -> None:
    classifier = _LEARN.LinearClassifier(
        _columns(), weight_column_name="weights", optimizer=_sdca()
    )
    classifier.fit(input_fn=_data, steps=3)
    names = classifier.get_variable_names()
    slot = "binary_logistic_head/train_op/linear/country/weights_unshrinked/SDCAOptimizer"
    assert slot in names
    assert classifier.get_variable_value("global_step") == 3
    assert classifier.evaluate(input_fn=_data, steps=1)["accuracy"] == 1.0


# Repeats with another loss what the test of SVM checks.
@pytest.mark.slow
def test_regressor() -> None:
    regressor = _LEARN.LinearRegressor(
        _columns(),
        weight_column_name="weights",
        optimizer=_sdca(symmetric_l2_regularization=2.0),
    )
    regressor.fit(input_fn=_data, steps=30)
    _close(regressor, "linear/bias_weight", [0.3033])
    _close(regressor, "linear/price/weight", [[0.1126]])
    scores = list(regressor.predict(input_fn=_data))
    np.testing.assert_allclose(scores, [0.84271646, 0.19669245, 0.6685432], rtol=1e-4)


# Repeats with other options what the test of SVM checks.
@pytest.mark.slow
def test_partitioned_variables_and_normalized_features() -> None:
    price = _LAYERS.real_valued_column("price", normalizer=lambda x: x * 2.0)
    optimizer = _sdca(partitioner=tf.fixed_size_partitioner(2, axis=0))
    regressor = _LEARN.LinearRegressor([price], optimizer=optimizer)
    regressor.fit(input_fn=_data, steps=30)
    _close(regressor, "linear/price/weight", [[0.0405]])
    slot = "regression_head/train_op/linear/price/weight/part_0_unshrinked/SDCAOptimizer"
    assert slot in regressor.get_variable_names()


@pytest.mark.parametrize(
    ("kind", "options", "text"),
    [
        ("LinearClassifier", {"n_classes": 3}, "SDCA only applies to binary classification."),
        (
            "LinearClassifier",
            {"_joint_weight": True},
            "_joint_weight is incompatible with the SDCAOptimizer",
        ),
        (
            "LinearRegressor",
            {"_joint_weights": True},
            "_joint_weights is incompatible with SDCAOptimizer.",
        ),
        ("LinearRegressor", {"label_dimension": 2}, "SDCA only applies for label_dimension=1."),
    ],
)
def test_models_that_cannot_be_trained(kind: str, options: dict[str, Any], text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        getattr(_LEARN, kind)(_columns(), optimizer=_sdca(), **options)


def test_errors() -> None:
    with pytest.raises(ValueError, match="Kernel SVMs are not currently supported"):
        _LEARN.SVM("example_id", _columns(), kernels=1)
    with pytest.raises(ValueError, match="LinearEstimator does not support SDCA optimizer"):
        _LEARN.LinearEstimator(_columns(), head=_LEARN.multi_class_head(2), optimizer=_sdca())
    bias = _LAYERS.real_valued_column("tf_virtual_bias_column")
    with pytest.raises(ValueError, match="tf_virtual_bias_column is a reserved column name"):
        _LEARN.LinearClassifier([bias], optimizer=_sdca()).fit(
            input_fn=lambda: ({"tf_virtual_bias_column": tf.ones([3, 1])}, tf.constant([1, 0, 1])),
            steps=1,
        )
