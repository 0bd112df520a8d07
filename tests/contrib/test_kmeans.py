"""k-means of mini-batches, where the order of reads and updates is left open in TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

STEPS = 7


@pytest.fixture
def points(rng):
    centers = np.array([[0, 3], [4, 1], [-3, -3]])
    return (np.repeat(centers, 30, 0) + 0.3 * rng.normal(size=(90, 2))).astype(np.float32)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def trained(points, cosine, steps_per_iteration):
    """The centers after each step by Sculley's formula, and the nearest of them at the end."""
    centers = points[[0, 30, 60]].astype(np.float64)
    centers = unit(centers) if cosine else centers
    shown, counts, left = centers.copy(), np.ones(3), steps_per_iteration
    if steps_per_iteration > 1:
        counts[:] = 0
    history = []
    for step in range(STEPS):
        batch = points[step::6].astype(np.float64)
        batch = unit(batch) if cosine else batch
        compared = unit(shown) if cosine else shown
        nearest = np.argmin(((batch[:, None] - compared) ** 2).sum(2), 1)
        if steps_per_iteration > 1:
            if left <= 0:
                shown, left = (unit(centers) if cosine else centers.copy()), steps_per_iteration - 1
                counts[:] = 0
            else:
                left -= 1
        for k in range(3):
            rows = batch[nearest == k]
            if len(rows):
                counts[k] += len(rows)
                centers[k] += (rows - centers[k]).sum(0) / counts[k]
        if steps_per_iteration == 1:
            shown = centers
        history.append(centers.copy())
    return history, counts


@pytest.mark.parametrize("steps_per_iteration", [1, 3])
@pytest.mark.parametrize("metric", ["squared_euclidean", "cosine"])
def test_mini_batches(points, metric, steps_per_iteration):
    x = tf.placeholder(tf.float32, [None, 2])
    model = tf.contrib.factorization.KMeans(
        x,
        3,
        initial_clusters=points[[0, 30, 60]],
        distance_metric=metric,
        use_mini_batch=True,
        mini_batch_steps_per_iteration=steps_per_iteration,
    )
    *_, initialized, init_op, train_op = model.training_graph()
    variables = {v.op.name: v for v in tf.global_variables()}
    centers = variables["clusters" if steps_per_iteration == 1 else "clusters_updated"]
    expected, counts = trained(points, metric == "cosine", steps_per_iteration)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(init_op, {x: points[:2]}) and sess.run(initialized)
        for step in range(STEPS):
            sess.run(train_op, {x: points[step::6]})
            np.testing.assert_allclose(sess.run(centers), expected[step], rtol=1e-4, atol=1e-4)
        assert sess.run(variables["Variable"]).tolist() == counts.tolist()
