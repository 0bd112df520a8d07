"""KMeansClustering, GMM and LogisticRegressor, beside TensorFlow 1.15.5."""

from __future__ import annotations

import os

import numpy as np
import pytest

import headwater as tf

learn = tf.contrib.learn

_SOURCE = np.random.RandomState(0)
POINTS = np.concatenate([_SOURCE.randn(20, 2), _SOURCE.randn(20, 2) + 8]).astype(np.float32)


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _points():
    return tf.constant(POINTS), None


def _kmeans(**arguments):
    config = learn.RunConfig(tf_random_seed=14)
    return learn.KMeansClustering(2, random_seed=12, config=config, **arguments)


def test_clusters_of_whole_batches():
    kmeans = _kmeans(use_mini_batch=False).fit(input_fn=_points, steps=8)
    centers = kmeans.clusters()
    np.testing.assert_allclose(sorted(centers[:, 0]), [0.527, 7.455], atol=1e-3)
    assert kmeans.get_variable_value("global_step") == 8
    clusters = list(kmeans.predict_cluster_idx(input_fn=_points))
    assert len(set(clusters[:20])) == len(set(clusters[20:])) == 1 and clusters[0] != clusters[-1]
    distances = kmeans.transform(input_fn=_points)
    np.testing.assert_allclose(
        kmeans.score(input_fn=_points, steps=1), distances.min(axis=1).sum(), rtol=1e-5
    )
    assert len(list(kmeans.transform(input_fn=_points, as_iterable=True))) == 40


def test_clusters_of_mini_batches_and_of_parts_of_points():
    def parts():
        return {"y": tf.constant(POINTS[:, 1:]), "x": tf.constant(POINTS[:, :1])}, None

    kmeans = _kmeans().fit(input_fn=parts, steps=3)
    # Each cluster began with one point and has met 20 in each step.
    assert kmeans.get_variable_value("Variable").tolist() == [61, 61]
    assert kmeans.clusters().shape == (2, 2)


def test_training_stops_when_the_loss_settles():
    kmeans = _kmeans(
        use_mini_batch=False, initial_clusters="kmeans_plus_plus", relative_tolerance=1e-4
    )
    kmeans.fit(input_fn=_points, steps=30)
    assert kmeans.get_variable_value("global_step") < 30


@pytest.mark.parametrize(("covariance", "score"), [("full", 0.773), ("diag", 0.756)])
def test_mixtures(covariance, score):
    mixture = tf.contrib.factorization.GMM(
        2,
        covariance_type=covariance,
        initial_clusters=POINTS[[0, 39]],
        config=learn.RunConfig(tf_random_seed=14),
    )
    mixture.fit(input_fn=_points, steps=5)
    means = [[0.527, 0.098], [7.455, 7.797]]
    np.testing.assert_allclose(mixture.clusters(), means, atol=1e-3)
    np.testing.assert_allclose(mixture.weights(), [0.5, 0.5], atol=1e-3)
    variances = mixture.covariances()
    if covariance == "full":
        np.testing.assert_allclose(variances[0], [[1.172, -0.014], [-0.014, 1.004]], atol=1e-3)
    else:
        np.testing.assert_allclose(variances[0], [1.172, 1.004], atol=1e-3)
    assert list(mixture.predict_assignments(input_fn=_points)) == [0] * 20 + [1] * 20
    np.testing.assert_allclose(mixture.score(input_fn=_points, steps=1), score, atol=1e-3)


def test_metrics_of_a_logistic_regressor():
    def model(features, labels, mode):
        weights = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        probabilities = tf.sigmoid(tf.matmul(features, weights))
        if mode == learn.ModeKeys.INFER:
            return probabilities, None, None
        loss = tf.losses.log_loss(labels, probabilities)
        step = tf.contrib.framework.get_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        return probabilities, loss, train

    def labelled():
        return tf.constant(POINTS), tf.constant(np.repeat([[0.0], [1.0]], 20, 0), tf.float32)

    regressor = learn.LogisticRegressor(model, thresholds=[0.3, 0.5])
    regressor.fit(input_fn=labelled, steps=3)
    results = regressor.evaluate(input_fn=labelled, steps=1)
    assert results["labels/actual_label_mean"] == 0.5
    assert sorted(name for name in results if "threshold" in name) == [
        "accuracy/threshold_0.300000_mean",
        "accuracy/threshold_0.500000_mean",
        "precision/positive_threshold_0.300000_mean",
        "precision/positive_threshold_0.500000_mean",
        "recall/positive_threshold_0.300000_mean",
        "recall/positive_threshold_0.500000_mean",
    ]
    assert results["recall/positive_threshold_0.500000_mean"] == 1.0
    assert len(list(regressor.predict(input_fn=labelled))) == 40
