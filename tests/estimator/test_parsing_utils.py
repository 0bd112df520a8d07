"""The specifications for parsing Examples of classifiers and regressors."""

from __future__ import annotations

import pytest

import headwater as tf


def test_label_and_weights_are_parsed_with_the_features() -> None:
    columns = [tf.feature_column.numeric_column("a")]
    one = tf.FixedLenFeature((1,), tf.float32)
    spec = tf.estimator.classifier_parse_example_spec(columns, "l", weight_column="w")
    assert spec == {"a": one, "l": tf.FixedLenFeature((1,), tf.int64), "w": one}
    spec = tf.estimator.regressor_parse_example_spec(
        columns, "l", label_dimension=3, label_default=1.0
    )
    assert spec == {"a": one, "l": tf.FixedLenFeature((3,), tf.float32, 1.0)}


def test_label_and_weights_are_no_features() -> None:
    columns = [tf.feature_column.numeric_column("a")]
    with pytest.raises(ValueError, match="label should not be used as feature"):
        tf.estimator.classifier_parse_example_spec(columns, "a")
    with pytest.raises(ValueError, match="weight_column should not be used"):
        tf.estimator.regressor_parse_example_spec(columns, "l", weight_column="a")
    with pytest.raises(ValueError, match="Given type: <class 'int'> value: 3"):
        tf.estimator.regressor_parse_example_spec(columns, "l", weight_column=3)
