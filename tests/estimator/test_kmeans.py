"""k-means as an estimator, beside TensorFlow 1.15.5."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import headwater as tf

_SOURCE = np.random.RandomState(0)
POINTS = np.concatenate([_SOURCE.randn(20, 2), _SOURCE.randn(20, 2) + 8]).astype(np.float32)
MEANS = [[0.5267629, 0.09832188], [7.455467, 7.7972765]]

_KINDS = pytest.mark.parametrize(
    "kind", [tf.estimator.experimental.KMeans, tf.contrib.factorization.KMeansClustering]
)


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _points() -> tuple[tf.Tensor, None]:
    return tf.constant(POINTS), None


def _twice() -> Any:
    return tf.data.Dataset.from_tensors(POINTS).repeat(2)


@_KINDS
def test_whole_batches(kind: Any) -> None:
    kmeans = kind(2, initial_clusters=POINTS[[0, 20]], use_mini_batch=False)
    kmeans.train(_points, steps=3)
    np.testing.assert_allclose(kmeans.cluster_centers(), MEANS, rtol=1e-5)
    assert kmeans.get_variable_names() == ["clusters", "global_step", "initialized"]
    assert kmeans.score(_twice) == pytest.approx(68.562225, rel=1e-4)
    assert list(kmeans.predict_cluster_index(_twice)) == ([0] * 20 + [1] * 20) * 2
    distances = next(iter(kmeans.predict(_twice)))["all_distances"]
    np.testing.assert_allclose(distances, [1.6219897, 87.10958], rtol=1e-5)
    transformed = next(iter(kmeans.transform(_twice)))
    contrib = kind is tf.contrib.factorization.KMeansClustering
    np.testing.assert_allclose(transformed, distances if contrib else np.sqrt(distances))


def test_mini_batches_of_cosine_distances() -> None:
    kmeans = tf.estimator.experimental.KMeans(
        2, initial_clusters=POINTS[:2], distance_metric="cosine"
    )
    kmeans.train(_points, steps=1)
    # Each center counts as a point.
    assert sum(kmeans.get_variable_value("Variable")) == 42
    distances = next(iter(kmeans.transform(_twice)))
    assert np.all(distances >= -1e-6)
    assert np.all(distances <= 2)


def test_parts_of_points_and_feature_columns() -> None:
    def parts() -> dict[str, tf.Tensor]:
        return {"y": tf.constant(POINTS[:, 1:]), "x": tf.constant(POINTS[:, :1])}

    columns = [tf.feature_column.numeric_column("y")]
    for given, size in ((None, 2), (columns, 1)):
        kmeans = tf.estimator.experimental.KMeans(2, seed=1, feature_columns=given)
        assert kmeans.train(parts, steps=1).cluster_centers().shape == (2, size)


def test_the_seed_of_the_graph_counts() -> None:
    config = tf.estimator.RunConfig(tf_random_seed=14)
    centers = [
        tf.estimator.experimental.KMeans(2, seed=seed, use_mini_batch=False, config=config)
        .train(_points, steps=1)
        .cluster_centers()
        for seed in (None, 12)
    ]
    expected = [[2.5893380, 2.0821843], [7.2619290, 8.3009014]]
    np.testing.assert_allclose(centers, [expected, expected], rtol=1e-5)


def test_signatures_of_an_export(tmp_path: Any) -> None:
    def receiver() -> Any:
        x = tf.placeholder(tf.float32, [None, 2])
        return tf.estimator.export.TensorServingInputReceiver(x, x)

    kmeans = tf.estimator.experimental.KMeans(2, str(tmp_path / "model"), seed=1)
    folder = kmeans.train(_points, steps=1).export_savedmodel(str(tmp_path / "export"), receiver)
    with tf.Session(graph=tf.Graph()) as session:
        signatures = tf.saved_model.loader.load(session, ["serve"], folder).signature_def
    assert set(signatures) == {"all_distances", "cluster_index", "serving_default"}


@_KINDS
def test_invalid_arguments(kind: Any) -> None:
    with pytest.raises(ValueError, match="Unsupported initialization algorithm 'kmc2'"):
        kind(2, initial_clusters="kmc2")
    with pytest.raises(ValueError, match="Unsupported distance metric 'x'"):
        kind(2, distance_metric="x")
    with pytest.raises(ValueError, match="model_fn does not take labels"):
        kind(2).train(lambda: (tf.constant(POINTS), tf.constant([1])), steps=1)
