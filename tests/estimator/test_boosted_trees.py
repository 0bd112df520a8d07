"""Boosted trees; the numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

RNG = np.random.RandomState(1)
ROWS = 64
FEATURES = {
    "a": RNG.randn(ROWS, 1).astype(np.float32),
    "b": RNG.randn(ROWS, 1).astype(np.float32),
    "c": np.array([["x"], ["y"], ["w"], ["z"]])[RNG.randint(0, 4, ROWS)],
}
LABELS = FEATURES["a"] + FEATURES["b"] * FEATURES["a"] + 0.3 * RNG.randn(ROWS, 1) > 0
NUMBERS = FEATURES["a"] * 2 + FEATURES["b"] * FEATURES["b"]


def columns():
    column = tf.feature_column
    words = column.categorical_column_with_vocabulary_list("c", ["x", "y"])
    return [
        column.bucketized_column(column.numeric_column("a"), [-1.0, -0.5, 0.0, 0.5]),
        column.indicator_column(words),
        column.numeric_column("b"),
    ]


def batches(labels, epochs=None, batch_size=None):
    def input_fn():
        if batch_size is None:
            return tf.data.Dataset.from_tensors((FEATURES, labels)).repeat(epochs)
        data = tf.data.Dataset.from_tensor_slices((FEATURES, labels))
        return data.batch(batch_size).repeat(epochs)

    return input_fn


def logits(estimator, key="logits"):
    predictions = estimator.predict(batches(LABELS.astype(np.int32), 1))
    return [float(p[key][0]) for p in predictions][:5]


@pytest.mark.parametrize("in_memory", [False, True])
def test_classifier(in_memory):
    labels = LABELS.astype(np.int32)
    estimator = tf.estimator.BoostedTreesClassifier(
        columns(), 1, n_trees=3, max_depth=3, train_in_memory=in_memory
    )
    estimator.train(batches(labels), max_steps=20)
    metrics = estimator.evaluate(batches(labels, 1))
    assert metrics["global_step"] == 9
    np.testing.assert_allclose(metrics["average_loss"], 0.3234, atol=1e-4)
    np.testing.assert_allclose(metrics["auc"], 0.9917, atol=1e-4)
    wanted = [1.2825, -0.9054, -1.2262, -1.2262, 1.2825]
    np.testing.assert_allclose(logits(estimator), wanted, atol=1e-4)
    importances = estimator.experimental_feature_importances()
    assert list(importances) == ["a_bucketized", "b", "c"]
    np.testing.assert_allclose(list(importances.values()), [1.178, 0.591, 0.041], atol=1e-3)
    shares = estimator.experimental_feature_importances(normalize=True)
    np.testing.assert_allclose(sum(shares.values()), 1)


def test_regressor_of_several_batches():
    estimator = tf.estimator.BoostedTreesRegressor(
        columns(), 4, n_trees=3, max_depth=3, center_bias=True
    )
    estimator.train(batches(NUMBERS, batch_size=16), max_steps=60)
    metrics = estimator.evaluate(batches(NUMBERS, 1))
    assert metrics["global_step"] == 44
    np.testing.assert_allclose(metrics["average_loss"], 1.421, atol=1e-3)
    names = estimator.get_variable_names()
    assert sorted(names) == [
        "boosted_trees/QuantileAccumulator:0_bucket_boundaries_0",
        "boosted_trees/are_boundaries_ready",
        "boosted_trees/center_bias_needed",
        "boosted_trees:0_serialized",
        "boosted_trees:0_stamp",
        "global_step",
    ]


def test_pruned_trees_of_an_estimator_with_a_head():
    head = tf.contrib.estimator.regression_head()
    estimator = tf.estimator.BoostedTreesEstimator(
        columns(), 1, head, n_trees=1, max_depth=2, pruning_mode="post", tree_complexity=0.1
    )
    estimator.train(batches(NUMBERS), max_steps=9)
    before = estimator.evaluate(batches(NUMBERS, 1))["average_loss"]
    estimator.train(batches(NUMBERS), max_steps=1)
    assert estimator.evaluate(batches(NUMBERS, 1))["average_loss"] == before < 8


def test_explanations_sum_up_to_the_prediction():
    labels = LABELS.astype(np.int32)
    estimator = tf.estimator.BoostedTreesClassifier(
        columns(), 1, n_trees=1, max_depth=2, center_bias=True
    )
    estimator.train(batches(labels), max_steps=20)
    found = list(estimator.experimental_predict_with_explanations(batches(labels, 1)))
    assert len(found) == ROWS
    for prediction in found:
        total = prediction["bias"] + sum(prediction["dfc"].values())
        np.testing.assert_allclose(total, prediction["logits"][0], atol=1e-6)
        assert set(prediction["dfc"]) <= {"a_bucketized", "b", "c"}


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"pruning_mode": "x"}, "pruning_mode mode must be one of: none, post, pre"),
        ({"pruning_mode": "pre"}, r"For pruning, tree_complexity must be positive\."),
        ({"tree_complexity": 0.1}, "Tree complexity have no effect unless pruning mode is chosen"),
        ({"n_classes": 4}, r"For now pruning is not supported with multi class\."),
    ],
)
def test_wrong_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        tf.estimator.BoostedTreesClassifier(columns(), 1, **arguments)


def test_categorical_columns_need_an_indicator():
    words = tf.feature_column.categorical_column_with_identity("q", 2)
    with pytest.raises(
        ValueError, match="CategoricalColumn must be wrapped by IndicatorColumn, got: Identity"
    ):
        tf.estimator.BoostedTreesRegressor([words], 1)
    with pytest.raises(AssertionError, match="n_batches_per_layer should be set as 1"):
        tf.estimator.BoostedTreesRegressor(columns(), 2, train_in_memory=True)


def test_explanations_need_a_bias():
    estimator = tf.estimator.BoostedTreesRegressor(columns(), 1)
    with pytest.raises(ValueError, match="center_bias must be enabled"):
        list(estimator.experimental_predict_with_explanations(batches(NUMBERS, 1)))


def test_training_in_memory_repeats_the_only_batch():
    classifier = tf.contrib.estimator.boosted_trees_classifier_train_in_memory(
        batches(LABELS.astype(np.int32), 1), columns()[:1], n_trees=2, max_depth=1
    )
    assert classifier.get_variable_value("global_step") == 2
