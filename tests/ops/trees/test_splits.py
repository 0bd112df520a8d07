"""The best splits of nodes; the values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np

from headwater.graph import build

STATS = np.array(
    [[[[-0.4, 1], [0.2, 0.9], [0.7, 0.5], [0.1, 0.2]]], [[[0.3, 0.5], [-1, 1], [0.5, 2], [0, 0]]]],
    np.float32,
)


def test_missing_values_go_to_the_better_side(session):
    found = session.run(
        build.BoostedTreesCalculateBestFeatureSplit(
            [0, 2], STATS, 0.0, 0.1, 0.05, 0.0, logits_dimension=1
        )
    )
    nodes, gains, dimensions, thresholds, left, right, kinds = (f.tolist() for f in found)
    assert (nodes, dimensions, thresholds) == ([0, 1], [0, 0], [1, 1])
    np.testing.assert_allclose(gains, [0.637879, 0.364186], rtol=1e-4)
    np.testing.assert_allclose(left, [[0.0454546], [0.4375]], rtol=1e-4)
    np.testing.assert_allclose(right, [[-1.166666], [-0.238095]], rtol=1e-4)
    assert kinds == [b"INEQUALITY_DEFAULT_LEFT", b"INEQUALITY_DEFAULT_LEFT"]


def test_sparse_statistics_give_the_same_splits(session):
    options = [0.0, 0.1, 0.05, 0.0]
    dense = build.BoostedTreesCalculateBestFeatureSplit([0, 2], STATS, *options, logits_dimension=1)
    indices = np.argwhere(STATS != 0).astype(np.int32)
    sparse = build.BoostedTreesSparseCalculateBestFeatureSplit(
        [0, 2], indices, STATS[STATS != 0], STATS.shape, *options, logits_dimension=1
    )
    for a, b in zip(*session.run([list(dense), list(sparse)])):
        np.testing.assert_array_equal(a, b)


def test_light_nodes_are_not_split(session):
    found = session.run(
        build.BoostedTreesCalculateBestFeatureSplit(
            [0, 2], STATS, 0.0, 0.1, 0.05, 3.0, logits_dimension=1, split_type="equality"
        )
    )
    assert found[0].tolist() == [1]
    assert found[6].tolist() == [b"EQUALITY_DEFAULT_RIGHT"]
