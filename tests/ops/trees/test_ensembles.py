"""Ensembles of boosted trees; the trees and predictions are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf import text_format

import headwater as tf
from headwater.graph import build
from headwater.protos import boosted_trees_pb2 as pb

NO_PRUNING, PRE_PRUNING, POST_PRUNING = range(3)


@pytest.fixture
def grown(session):
    return Ensemble(session)


class Ensemble:
    def __init__(self, session):
        self.session = session
        self.handle = build.BoostedTreesEnsembleResourceHandleOp(shared_name="trees")

    def create(self, text="", stamp=0):
        serialized = text_format.Parse(text, pb.TreeEnsemble()).SerializeToString()
        self.session.run(build.BoostedTreesCreateEnsemble(self.handle, stamp, serialized))
        return self

    def trees(self):
        _, serialized = self.session.run(build.BoostedTreesSerializeEnsemble(self.handle))
        return pb.TreeEnsemble.FromString(serialized)

    def states(self):
        states = self.session.run(build.BoostedTreesGetEnsembleStates(self.handle))
        return [np.asarray(state).tolist() for state in states]

    def grow(self, nodes, gains, pruning_mode=NO_PRUNING, max_depth=2):
        count = len(nodes)
        sizes = [len(of_feature) for of_feature in nodes]
        self.session.run(
            build.BoostedTreesUpdateEnsemble(
                self.handle,
                list(range(count)),
                [np.array(n, np.int32) for n in nodes],
                [np.array(g, np.float32) for g in gains],
                [np.full(n, 3, np.int32) for n in sizes],
                [np.arange(1, n + 1, dtype=np.float32)[:, None] for n in sizes],
                [-np.arange(1, n + 1, dtype=np.float32)[:, None] for n in sizes],
                max_depth,
                0.1,
                pruning_mode=pruning_mode,
            )
        )

    def continued(self, trees, nodes, features):
        outputs = build.BoostedTreesTrainingPredict(
            self.handle, trees, nodes, features, logits_dimension=1
        )
        logits, trees, nodes = self.session.run(outputs)
        return logits.ravel(), trees.tolist(), nodes.tolist()

    def predicted(self, features):
        outputs = build.BoostedTreesPredict(self.handle, features, logits_dimension=1)
        return self.session.run(outputs).ravel()


def assert_ensemble(ensemble, text):
    assert ensemble == text_format.Parse(text, pb.TreeEnsemble())


def test_an_ensemble_is_created_once(grown):
    initialized = build.IsBoostedTreesEnsembleInitialized(grown.handle)
    assert not grown.session.run(initialized)
    with pytest.raises(
        tf.errors.NotFoundError,
        match=r"Container localhost does not exist\. \(Could not find resource: localhost/trees\)",
    ):
        grown.states()
    grown.create(stamp=3).create("trees {}", stamp=5)
    assert grown.session.run(initialized)
    assert grown.states() == [3, 0, 0, 0, [0, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to parse tree ensemble proto"):
        grown.session.run(build.BoostedTreesDeserializeEnsemble(grown.handle, 7, b"\x01zzz"))
    assert grown.states() == [3, 0, 0, 0, [0, 1]]
    content = pb.TreeEnsemble(tree_weights=[2]).SerializeToString()
    grown.session.run(build.BoostedTreesDeserializeEnsemble(grown.handle, 7, content))
    assert grown.trees().tree_weights == [2]


def test_the_bias_is_centered_until_it_stays(grown):
    grown.create()

    def center(gradient):
        return grown.session.run(
            build.BoostedTreesCenterBias(grown.handle, [[gradient]], [[2.0]], 0.1, 0.2)
        )

    assert center(1.5)
    assert not center(0.05)
    assert_ensemble(
        grown.trees(),
        "trees { nodes { leaf { scalar: -0.63636363 } } } tree_weights: 1 tree_metadata { }",
    )
    assert grown.states()[0] == 2
    grown.handle = build.BoostedTreesEnsembleResourceHandleOp(shared_name="centered")
    grown.create()
    assert [bool(center(0.0)) for _ in range(2)] == [True, False]


def test_layers_are_added_until_a_tree_is_deep_enough(grown):
    grown.create()
    grown.grow([[0], [0]], [[1.0], [2.0]])
    assert grown.states() == [1, 1, 0, 1, [1, 3]]
    grown.grow([[1, 2], [1]], [[-1.0, 0.5], [-1.0]])
    assert grown.states() == [2, 2, 1, 2, [0, 1]]
    first = grown.trees().trees[0].nodes
    assert [(n.bucketized_split.feature_id, round(n.metadata.gain, 6)) for n in first[:3]] == [
        (1, 2.0),
        (0, -1.0),
        (0, 0.5),
    ]
    features = [[1, 5, 3], [2, 3, 5]]
    np.testing.assert_allclose(grown.predicted(features), [0.2, 0.0, 0.1], atol=1e-6)


def test_no_layer_is_added_without_a_gain_in_pre_pruning(grown):
    grown.create()
    grown.grow([[0], [0]], [[-1.0], [-2.0]], PRE_PRUNING)
    assert_ensemble(
        grown.trees(),
        "trees { nodes { leaf { } } } tree_weights: 1 tree_metadata { } "
        "growing_metadata { num_trees_attempted: 1 num_layers_attempted: 1 }",
    )
    grown.grow([[0], [0]], [[-1.0], [0.0]], PRE_PRUNING)
    assert grown.states() == [2, 1, 0, 2, [1, 3]]


def test_post_pruning_moves_what_was_cached(grown):
    grown.create()
    features = [[1, 5, 3, 9]]
    grown.grow([[0]], [[0.1]], POST_PRUNING, max_depth=3)
    grown.grow([[1, 2]], [[-0.1, -0.2]], POST_PRUNING, max_depth=3)
    logits, trees, nodes = grown.continued([0] * 4, [-1] * 4, features)
    np.testing.assert_allclose(logits, [0.2, -0.3, 0.2, -0.3], rtol=1e-5)
    assert (trees, nodes) == ([0] * 4, [3, 6, 3, 6])
    grown.grow([[3, 4, 5, 6]], [[-0.1, 0.3, -0.2, -0.2]], POST_PRUNING, max_depth=3)
    updates = grown.trees().tree_metadata[0].post_pruned_nodes_meta
    assert [u.new_node_id for u in updates] == [0, 1, 2, 3, 4, 2, 2, 3, 3, 5, 6, 2, 2, 2, 2]
    changes = [u.logit_change[0] for u in updates]
    wanted = [0, 0, 0, 0, 0, -0.2, 0.2, -0.1, 0.1, 0, 0, -0.5, 0.1, -0.2, 0.6]
    np.testing.assert_allclose(changes, wanted, atol=1e-6)
    logits, trees, nodes = grown.continued(trees, nodes, features)
    np.testing.assert_allclose(logits, [0, 0.2, 0, 0.2], atol=1e-6)
    assert (trees, nodes) == ([1] * 4, [0] * 4)


def test_splits_of_other_kinds(grown):
    for kind, wanted in {
        "INEQUALITY_DEFAULT_LEFT": "bucketized_split { threshold: 3 %s }",
        "INEQUALITY_DEFAULT_RIGHT": (
            "bucketized_split { threshold: 3 %s default_direction: DEFAULT_RIGHT }"
        ),
        "EQUALITY_DEFAULT_RIGHT": "categorical_split { value: 3 %s }",
    }.items():
        grown.handle = build.BoostedTreesEnsembleResourceHandleOp(shared_name=kind)
        grown.create()
        inputs = [[0], [[2]], [[0]], [[0.5]], [[3]], [[[1.0]]], [[[-2.0]]], [[kind]], 2, 0.1, 0]
        grown.session.run(build.BoostedTreesUpdateEnsembleV2(grown.handle, *inputs))
        node = grown.trees().trees[0].nodes[0]
        node.ClearField("metadata")
        place = "left_id: 1 right_id: 2 dimension_id: 2"
        assert node == text_format.Parse(wanted % place, pb.Node())
        np.testing.assert_allclose(
            grown.predicted([[2, 3, 4, -1]]),
            {
                "INEQUALITY_DEFAULT_LEFT": [0.1, 0.1, -0.2, 0.1],
                "INEQUALITY_DEFAULT_RIGHT": [0.1, 0.1, -0.2, -0.2],
                "EQUALITY_DEFAULT_RIGHT": [-0.2, 0.1, -0.2, -0.2],
            }[kind],
            rtol=1e-5,
        )


TWO_TREES = """
trees {
  nodes {
    bucketized_split { threshold: 3 left_id: 1 right_id: 2 }
    metadata { gain: 1 original_leaf { scalar: 0.5 } }
  }
  nodes { leaf { scalar: 1 } } nodes { leaf { scalar: 2 } }
}
trees {
  nodes {
    bucketized_split { feature_id: 1 threshold: 3 left_id: 1 right_id: 2 } metadata { gain: 1 }
  }
  nodes { leaf { scalar: 0.1 } } nodes { leaf { scalar: -0.2 } }
}
trees { nodes { leaf { } } }
tree_weights: 1 tree_weights: 0.5 tree_weights: 1
tree_metadata { is_finalized: true } tree_metadata { is_finalized: true } tree_metadata { }
"""


def test_predictions_of_several_trees(grown):
    grown.create(TWO_TREES)
    features = [[1, 5], [9, 1]]
    assert grown.states() == [0, 3, 2, 0, [0, 1]]
    np.testing.assert_allclose(grown.predicted(features), [0.9, 2.05])
    logits, trees, nodes = grown.continued([0, 1], [1, 2], features)
    np.testing.assert_allclose(logits, [-0.1, 0], atol=1e-6)
    assert (trees, nodes) == ([2, 2], [0, 0])


def test_explanations_are_the_paths_through_all_trees(grown):
    grown.create(TWO_TREES)
    outputs = build.BoostedTreesExampleDebugOutputs(
        grown.handle, [[1, 5], [9, 1]], logits_dimension=1
    )
    first, second = map(pb.DebugOutput.FromString, grown.session.run(outputs))
    assert list(first.feature_ids) == list(second.feature_ids) == [0, 1]
    np.testing.assert_allclose(first.logits_path, [0.5, 1, 0.9], rtol=1e-6)
    np.testing.assert_allclose(second.logits_path, [0.5, 2, 2.05], rtol=1e-6)


def test_bad_cached_ids_and_features_are_refused(grown):
    grown.create(TWO_TREES)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Cached tree ids must be in \[0, 3\)"
    ):
        grown.continued([3], [0], [[1], [1]])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Cached node id 7 is not in \[0, 3\)"
    ):
        grown.continued([0], [7], [[1], [1]])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="splits on feature 1, but there are 1"
    ):
        grown.predicted([[1]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Node 9 of the tree is not a leaf"):
        grown.grow([[9]], [[1.0]])
    assert grown.states() == [0, 3, 2, 0, [0, 1]]
    with pytest.raises(
        ValueError, match=r"Dimension 0 in both shapes must be equal, but are 3 and 2"
    ):
        grown.predicted([[1, 2, 3], [1, 2]])
