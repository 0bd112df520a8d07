"""Ops of gradient boosted trees; the values are those of TensorFlow 1.13.2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import headwater as tf
from headwater.graph import build
from headwater.protos import learner_pb2, quantiles_pb2, split_info_pb2, tree_config_pb2

_Config = tree_config_pb2.DecisionTreeEnsembleConfig
_Learner = learner_pb2.LearnerConfig


def _split(column: int, threshold: float, left: float, right: float) -> bytes:
    info = split_info_pb2.SplitInfo()
    info.split_node.dense_float_binary_split.feature_column = column
    info.split_node.dense_float_binary_split.threshold = threshold
    for leaf, value in ((info.left_child, left), (info.right_child, right)):
        leaf.sparse_vector.index.append(0)
        leaf.sparse_vector.value.append(value)
    return info.SerializeToString()


class _Ensemble:
    def __init__(self, session: tf.Session, text: str = "") -> None:
        self._session = session
        self.handle = build.DecisionTreeEnsembleResourceHandleOp(shared_name="trees")
        serialized = text_format.Parse(text, _Config()).SerializeToString()
        session.run(build.CreateTreeEnsembleVariable(self.handle, 0, serialized))
        self.stamp = 0

    def proto(self) -> Any:
        return _Config.FromString(self._session.run(build.TreeEnsembleSerialize(self.handle))[1])

    def grow(self, learner: Any, *handlers: tuple[list[int], list[float], list[bytes]]) -> Any:
        nodes, gains, splits = zip(*handlers)
        self._session.run(
            build.GrowTreeEnsemble(
                self.handle,
                self.stamp,
                self.stamp + 1,
                0.1,
                123,
                2,
                0,
                [np.array(n, np.int32) for n in nodes],
                [np.array(g, np.float32) for g in gains],
                [np.array(s, object) for s in splits],
                learner_config=learner.SerializeToString(),
                center_bias=False,
            )
        )
        self.stamp += 1
        return self.proto()

    def predict(self, learner: Any, **options: Any) -> list[np.ndarray]:
        attrs = {"apply_dropout": False, "apply_averaging": False, "center_bias": False, **options}
        outputs = build.GradientTreesPredictionVerbose(
            self.handle,
            1,
            [[[1.0], [3.0]]],
            [[[0, 0]]],
            [[4.0]],
            [[2, 1]],
            [[[1, 0]]],
            [[7]],
            [[2, 1]],
            learner_config=learner.SerializeToString(),
            reduce_dim=True,
            **attrs,
        )
        return [np.asarray(value) for value in self._session.run(outputs)]


_FIRST = ([0], [1.7], [_split(1, 1.5, 3, 4)])


def test_layers_add_up(session: tf.Session) -> None:
    learner = _Learner(num_classes=2, growing_mode=_Learner.LAYER_BY_LAYER, pruning_mode=1)
    ensemble = _Ensemble(session)
    # Of equal gains the last handler's is taken; losing splits are refused.
    grown = ensemble.grow(learner, ([0], [1.7], [_split(0, 0.5, 1, 2)]), _FIRST)
    assert grown.trees[0].nodes[0].dense_float_binary_split.feature_column == 1
    grown = ensemble.grow(
        learner, ([1, 2], [0.5, -0.2], [_split(0, 0.6, 5, 6), _split(0, 0.7, 7, 8)])
    )
    leaves = [n.leaf.sparse_vector.value[0] for n in grown.trees[0].nodes if n.HasField("leaf")]
    assert leaves == [4.0, 8.0, 9.0]
    assert grown.tree_metadata[0].is_finalized
    stats = session.run(build.TreeEnsembleStats(ensemble.handle, 2))
    assert [int(number) for number in stats] == [1, 2, 1, 2, 1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="The stamp of the tree ensemble"):
        session.run(build.TreeEnsembleStats(ensemble.handle, 1))


def test_pruned_at_the_end(session: tf.Session) -> None:
    learner = _Learner(num_classes=2, growing_mode=_Learner.WHOLE_TREE, pruning_mode=2)
    ensemble = _Ensemble(session)
    ensemble.grow(learner, _FIRST)
    splits = [_split(0, 0.6, 5, 6), _split(0, 0.7, 7, 8)]
    grown = ensemble.grow(learner, ([1, 2], [0.5, -0.2], splits))
    nodes = grown.trees[0].nodes
    assert len(nodes) == 5
    assert [nodes[i].leaf.sparse_vector.value[0] for i in (2, 3, 4)] == [4.0, 5.0, 6.0]
    # A tree of which nothing is left is removed.
    ensemble.grow(learner, ([0], [-1.7], [_split(1, 1.5, 3, 4)]))
    grown = ensemble.grow(learner, ([1, 2], [-0.5, -0.2], splits))
    assert len(grown.trees) == len(grown.tree_weights) == len(grown.tree_metadata) == 1
    assert grown.growing_metadata.num_trees_attempted == 2


_TREES = """
trees {
  nodes { dense_float_binary_split { threshold: 2 left_id: 1 right_id: 2 } }
  nodes { leaf { vector { value: 1 } } }
  nodes { sparse_float_binary_split_default_left {
    split { threshold: 3 left_id: 3 right_id: 4 } } }
  nodes { leaf { vector { value: 2 } } }
  nodes { leaf { sparse_vector { index: 0 value: 4 } } }
}
trees {
  nodes { categorical_id_binary_split { feature_id: 7 left_id: 1 right_id: 2 } }
  nodes { leaf { vector { value: 8 } } }
  nodes { leaf { vector { value: 16 } } }
}
tree_weights: 1 tree_weights: 0.5
tree_metadata { num_layers_grown: 2 is_finalized: true }
tree_metadata { num_layers_grown: 1 }
"""


def test_predictions(session: tf.Session) -> None:
    ensemble = _Ensemble(session, _TREES)
    predictions, dropout, leaves = ensemble.predict(_Learner(num_classes=2))
    assert predictions.tolist() == [[9.0], [6.0]]
    assert dropout.shape == (2, 0)
    assert leaves.tolist() == [[1, 2], [3, 1]]
    whole = _Learner(num_classes=2, growing_mode=_Learner.WHOLE_TREE)
    assert ensemble.predict(whole)[0].tolist() == [[1.0], [2.0]]
    averaging = _Learner(num_classes=2)
    averaging.averaging_config.average_last_n_trees = 2
    assert ensemble.predict(averaging, apply_averaging=True)[0].tolist() == [[5.0], [4.0]]


def test_dropped_trees(session: tf.Session) -> None:
    leaf = "trees { nodes { leaf { vector { value: 1 } } } } tree_weights: 1 "
    ensemble = _Ensemble(session, 12 * (leaf + "tree_metadata { is_finalized: true } "))
    learner = _Learner(num_classes=2)
    learner.learning_rate_tuner.dropout.dropout_probability = 0.5
    dropped = ensemble.predict(learner, apply_dropout=True)[1][0].tolist()
    assert dropped == [1, 3, 4, 6, 7, 9, 10]
    dropped = ensemble.predict(learner, apply_dropout=True, center_bias=True)[1][0].tolist()
    assert dropped == [2, 4, 5, 7, 8, 10, 11]


def test_bias_is_centered_until_it_stays(session: tf.Session) -> None:
    ensemble = _Ensemble(session)
    again = []
    for stamp, factor in enumerate((1, 1, 0.018)):
        center = build.CenterTreeEnsembleBias(
            ensemble.handle, stamp, stamp + 1, [0.5 * factor], learner_config=b""
        )
        again.append(bool(session.run(center)))
    assert again == [True, True, False]
    bias = ensemble.proto().trees[0].nodes[0].leaf.vector.value[0]
    assert bias == pytest.approx(1.009)


def _dense_splits(session: tf.Session, **options: Any) -> tuple[list[float], list[Any]]:
    given = {"l1": 0.0, "l2": 1.0, "complexity": 0.0, "weight": 0.0, "learner": 0, **options}
    _, gains, splits = session.run(
        build.BuildDenseInequalitySplits(
            1,
            [0, 0, 0, 1, 1],
            [[0, 0], [1, 0], [2, 0], [1, 0], [2, 0]],
            [2.4, -0.6, 0.3, -9, 1.0],
            [0.2, 0.1, 0.7, 0.4, 0.3],
            [0.3, 0.52, 0.7],
            0,
            3,
            *(given[name] for name in ("l1", "l2", "complexity", "weight")),
            1,
            given["learner"],
        )
    )
    return gains.tolist(), list(splits)


def test_splits(session: tf.Session) -> None:
    gains, splits = _dense_splits(session)
    assert gains == pytest.approx([2.645, 20.979321], rel=1e-6)
    first = split_info_pb2.SplitInfo.FromString(splits[0])
    assert first.split_node.dense_float_binary_split.threshold == pytest.approx(0.3)
    assert first.left_child.sparse_vector.value[0] == pytest.approx(-2.0)
    # Nodes that are too small predict nothing.
    gains, splits = _dense_splits(session, weight=0.9, l2=0.1)
    assert gains == [0.0, 0.0]
    gains, splits = _dense_splits(session, learner=1)
    layer = split_info_pb2.ObliviousSplitInfo.FromString(splits[0])
    assert gains == pytest.approx([21.319569], rel=1e-6)
    assert list(layer.children_parent_id) == [0, 1]
    assert len(layer.children) == 4


def test_rounding_decides_between_equal_splits(session: tf.Session) -> None:
    # All examples go left; the gain is what remains of rounding, and a split of it is pruned.
    gradients = [-0.785152912, -0.281730115]
    hessians = [0.586410165, 0.0639552698]
    count = len(gradients)
    rows = [[i, 0] for i in range(count)]
    thresholds = np.arange(count) + 0.5
    regularization = (0.0, 1.0, 0.0, 0.0)
    _, gains, _ = session.run(
        build.BuildDenseInequalitySplits(
            3, [0] * count, rows, gradients, hessians, thresholds, -1, 0, *regularization, 1, 0
        )
    )
    assert gains.tolist() == [-2.2351741790771484e-08]


def test_accumulators_survive(session: tf.Session) -> None:
    scalar = build.StatsAccumulatorScalarResourceHandleOp(shared_name="scalar")
    assert not session.run(build.StatsAccumulatorScalarIsInitialized(scalar))
    session.run(build.CreateStatsAccumulatorScalar(scalar, 3))
    session.run(build.StatsAccumulatorScalarDeserialize(scalar, 7, 5, [1], [[2, 3]], [1.0], [2.0]))
    stamp, updates, *rows = session.run(build.StatsAccumulatorScalarSerialize(scalar))
    assert (stamp, updates, *(row.tolist() for row in rows)) == (7, 5, [1], [[2, 3]], [1], [2])
    tensor = build.StatsAccumulatorTensorResourceHandleOp(shared_name="tensor")
    session.run(build.CreateStatsAccumulatorTensor(tensor, 0, [2], [2]))
    assert session.run(build.StatsAccumulatorTensorIsInitialized(tensor))
    row = [1], [[2, 3]], [[1.0, 2.0]], [[3.0, 4.0]]
    session.run(build.StatsAccumulatorTensorDeserialize(tensor, 1, 1, *row))
    assert session.run(build.StatsAccumulatorTensorSerialize(tensor))[4].tolist() == [[1.0, 2.0]]
    bad = build.StatsAccumulatorTensorAdd([tensor], 1, [[1]], [[[2, 3]]], [[[1.0]]], [[[1.0]]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Gradients dimensions must match"):
        session.run(bad)


def test_quantiles_survive(session: tf.Session) -> None:
    handle = build.QuantileStreamResourceHandleOp(shared_name="quantiles")
    assert not session.run(build.QuantileAccumulatorIsInitialized(handle))
    session.run(build.CreateQuantileAccumulator(handle, 0, epsilon=0.01, num_quantiles=4))
    column = np.arange(8, dtype=np.float32)[:, None]
    (summary,), _ = build.MakeQuantileSummaries(
        [column], [], [], [], np.ones_like(column), epsilon=0.01
    )
    session.run(build.QuantileAccumulatorAddSummaries([handle], 0, [summary]))
    state = session.run(build.QuantileAccumulatorSerialize(handle))
    taken = session.run(build.QuantileAccumulatorFlushSummary(handle, 0, 1))
    entries = quantiles_pb2.QuantileSummaryState.FromString(taken).entries
    assert [entry.value for entry in entries] == list(range(8))
    session.run(build.QuantileAccumulatorDeserialize(handle, *state))
    session.run(build.QuantileAccumulatorFlush(handle, 0, 1))
    (ready,), (buckets,) = session.run(build.QuantileAccumulatorGetBuckets([handle], 1))
    assert ready
    assert buckets.tolist() == [0.0, 2.0, 4.0, 6.0, 7.0]


def test_errors_of_quantiles_are_float32(session: tf.Session) -> None:
    column = np.random.RandomState(1).rand(400, 1).astype(np.float32)
    (summary,), _ = build.MakeQuantileSummaries(
        [column], [], [], [], np.ones_like(column), epsilon=0.005
    )
    entries = quantiles_pb2.QuantileSummaryState.FromString(session.run(summary)).entries
    assert len(entries) == 202


def test_ensembles_survive(session: tf.Session) -> None:
    ensemble = _Ensemble(session)
    assert session.run(build.TreeEnsembleIsInitializedOp(ensemble.handle))
    serialized = text_format.Parse(_TREES, _Config()).SerializeToString()
    session.run(build.TreeEnsembleDeserialize(ensemble.handle, 11, serialized))
    assert session.run(build.TreeEnsembleStampToken(ensemble.handle)) == 11
    assert ensemble.proto() == text_format.Parse(_TREES, _Config())
