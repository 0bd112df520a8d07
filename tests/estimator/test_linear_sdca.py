"""LinearSDCA; the numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import headwater as tf

_COLUMNS = tf.feature_column


def _data() -> tuple[dict[str, Any], tf.Tensor]:
    country = tf.SparseTensor([[0, 0], [1, 3]], ["IT", "US"], [2, 5])
    features = {
        "example_id": tf.constant(["1", "2"]),
        "price": tf.constant([[0.4], [0.6]]),
        "sq_footage": tf.constant([[900.0], [700.0]]),
        "weights": tf.constant([[1.0], [2.0]]),
        "country": country,
    }
    return features, tf.constant([[1], [0]])


def _sdca() -> Any:
    return tf.estimator.experimental.LinearSDCA("example_id", symmetric_l2_regularization=1.0)


def test_classifier_reaches_the_optimum(tmp_path: Path) -> None:
    size = _COLUMNS.numeric_column("sq_footage")
    columns = [
        _COLUMNS.numeric_column("price"),
        _COLUMNS.bucketized_column(size, boundaries=[600.0, 800.0]),
        _COLUMNS.categorical_column_with_hash_bucket("country", hash_bucket_size=5),
    ]
    estimator = tf.estimator.LinearClassifier(
        columns, str(tmp_path), weight_column="weights", optimizer=_sdca()
    )
    estimator.train(_data, steps=30)
    result = estimator.evaluate(_data, steps=1)
    assert result["global_step"] == 30
    assert result["loss"] == pytest.approx(0.9998547, abs=1e-3)
    assert result["prediction/mean"] == pytest.approx(0.37147656, abs=1e-3)
    names = estimator.get_variable_names()
    assert "ShardedMutableHashTable-1-of-1-keys" in names
    assert "linear/linear/linear_model/price/weights/part_0_unshrunk" in names
    assert "linear/linear_model/bias_weights" in names


@pytest.mark.parametrize(
    ("kind", "options", "text"),
    [
        ("LinearClassifier", {"n_classes": 3}, "cannot be used in a multi-class setting."),
        ("LinearRegressor", {"label_dimension": 2}, "only be used with one-dimensional label."),
        ("LinearClassifier", {"sparse_combiner": "mean"}, 'sparse_combiner must be "sum" when'),
    ],
)
def test_models_that_cannot_be_trained(
    tmp_path: Path, kind: str, options: dict[str, Any], text: str
) -> None:
    price = _COLUMNS.numeric_column("price")
    make = getattr(tf.estimator, kind)
    estimator = make([price], str(tmp_path), optimizer=_sdca(), **options)
    with pytest.raises(ValueError, match=text):
        estimator.train(_data, steps=1)
