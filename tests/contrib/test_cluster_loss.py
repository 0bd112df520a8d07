"""tf.contrib.losses.metric_learning.cluster_loss, with values of TensorFlow 1.15.5."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.losses import cluster_loss as parts

CASES = json.loads((Path(__file__).parent.parent / "golden" / "cluster_losses.json").read_text())
EMBEDDINGS = np.random.RandomState(0).rand(9, 3).astype(np.float32)
LABELS = np.array([0, 0, 1, 1, 1, 2, 2, 0, 2], np.int32)

cluster_loss = tf.contrib.losses.metric_learning.cluster_loss


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_losses_are_those_of_the_release(session):
    losses, wanted = [], []
    for case in CASES:
        labels, embeddings = tf.constant(case["labels"]), tf.constant(case["embeddings"])
        for name, value in case["losses"].items():
            kind, search = name.split()
            losses.append(
                cluster_loss(labels, embeddings, case["multiplier"], search == "refined", kind)
            )
            wanted.append(value)
    np.testing.assert_allclose(session.run(losses), wanted, atol=2e-5)


def test_the_gradient(session):
    x = tf.constant(EMBEDDINGS)
    loss = cluster_loss(tf.constant(LABELS[:, None]), x, 1.0)
    assert loss.name == "clustering_loss:0" and loss.shape.as_list() == []
    value, gradient = session.run([loss, tf.gradients(loss, x)[0]])
    assert value == pytest.approx(1.9736872, abs=1e-5)
    np.testing.assert_allclose(gradient[0], [0.0121, 0.5075, 1.7416], atol=1e-4)
    np.testing.assert_allclose(gradient[8], [0.2641, 0.9882, -1.6447], atol=1e-4)


def test_parts(session):
    distances = parts.pairwise_distance(tf.constant(EMBEDDINGS))
    chosen = tf.constant([0, 3, 5])
    clusters = parts.get_cluster_assignment(distances, chosen)
    found = session.run(
        [
            parts.compute_gt_cluster_score(distances, tf.constant(LABELS)),
            parts.compute_facility_energy(distances, chosen),
            *(
                parts.compute_clustering_score(tf.constant(LABELS), clusters, kind)
                for kind in ("nmi", "ami", "ari", "vmeasure", "const")
            ),
        ]
    )
    wanted = [-3.5623076, -2.5800939, 0.3522601, 0.07997196, 0.09677419, 0.3522601, 0.0]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert session.run(clusters).tolist() == [0, 0, 0, 1, 1, 2, 0, 0, 1]


def test_wrong_margin():
    with pytest.raises(ValueError, match=r"^Unrecognized margin_type: foo"):
        cluster_loss([0, 1], [[1.0], [2.0]], 1.0, margin_type="foo")
