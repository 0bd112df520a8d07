"""Gradient boosted trees of batches; losses and trees are those of TensorFlow 1.13.2."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.boosted_trees import losses
from headwater.contrib.boosted_trees.ensemble_variable import tree_ensemble_variable
from headwater.contrib.boosted_trees.gbdt_batch import (
    GradientBoostedDecisionTreeModel,
    extract_features,
)
from headwater.model.resources import initialize_resources, shared_resources
from headwater.protos import learner_pb2, tree_config_pb2

_KINDS = learner_pb2.LearnerConfig
_RNG = np.random.RandomState(0)
_X = _RNG.rand(40, 2).astype(np.float32)
_Y = ((_X[:, :1] > 0.4) ^ (_X[:, 1:] > 0.6)).astype(np.float32)
_CLASSES = np.floor(_X[:, :1] * 2.997).astype(np.int32)


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _config(num_classes: int = 2, depth: int = 2, **options: Any) -> Any:
    config = _KINDS(num_classes=num_classes, **options)
    config.learning_rate_tuner.fixed.learning_rate = 0.3
    config.regularization.l2 = 1.0
    config.constraints.max_tree_depth = depth
    return config


def _mixed(rows: tf.Tensor) -> dict[str, Any]:
    """A dense feature, a sparse one that some examples lack, and a categorical one."""
    first, second = tf.gather(_X[:, 0], rows), tf.gather(_X[:, 1], rows)
    count = tf.to_int64(tf.size(rows))
    present = tf.where(first > 0.3)[:, 0]
    every = tf.range(count)
    zeros = tf.zeros_like
    return {
        "a": tf.expand_dims(first, 1),
        "s": tf.SparseTensor(
            tf.stack([present, zeros(present)], 1), tf.gather(second, present), [count, 1]
        ),
        "c": tf.SparseTensor(
            tf.stack([every, zeros(every)], 1), tf.to_int64(second * 5), [count, 1]
        ),
    }


class _Trained:
    """What becomes of an ensemble in some steps."""

    def __init__(
        self,
        config: Any,
        steps: int,
        *,
        batches: int = 1,
        examples_per_layer: int = 40,
        features: Any = None,
        logits: int = 1,
        **options: Any,
    ) -> None:
        handle = tree_ensemble_variable(0, "", "ensemble")
        tf.train.get_or_create_global_step()
        rows = tf.placeholder(tf.int32, [None])
        model = GradientBoostedDecisionTreeModel(
            is_chief=True,
            num_ps_replicas=0,
            ensemble_handle=handle,
            center_bias=options.pop("center_bias", False),
            examples_per_layer=examples_per_layer,
            learner_config=config,
            logits_dimension=logits,
            features=features(rows) if features else {"x": tf.gather(_X, rows)},
            **options,
        )
        predicted = model.predict("train")
        labels = tf.gather(_Y if logits == 1 else _CLASSES, rows)
        ones = tf.ones_like(tf.to_float(labels))
        logits_of = predicted["predictions"]
        if logits == 1:
            loss, _ = losses.per_example_logistic_loss(labels, ones, logits_of)
        else:
            loss, _ = losses.per_example_maxent_loss(labels, ones, logits_of, logits)
        loss = tf.reduce_mean(loss)
        train = model.train(loss, predicted, labels)
        serialized = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)[0].specs[1].tensor
        self.losses = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(initialize_resources(shared_resources()))
            for step in range(steps):
                feed = {rows: np.arange(40)[step % batches :: batches]}
                self.losses.append(round(float(session.run(loss, feed)), 5))
                session.run(train, feed)
            parse = tree_config_pb2.DecisionTreeEnsembleConfig.FromString
            self.ensemble = parse(session.run(serialized))
        self.nodes = [len(tree.nodes) for tree in self.ensemble.trees]


def test_dense_features() -> None:
    config = _config()
    trained = _Trained(config, 6)
    # The first step only finds the buckets.
    assert trained.losses == [0.69315, 0.69315, 0.69019, 0.6772, 0.67445, 0.66347]
    assert trained.nodes == [7, 7, 3]
    assert (config.pruning_mode, config.growing_mode) == (_KINDS.POST_PRUNE, _KINDS.LAYER_BY_LAYER)
    root, left = trained.ensemble.trees[0].nodes[:2]
    assert root.dense_float_binary_split.feature_column == 1
    assert root.dense_float_binary_split.threshold == pytest.approx(0.6399, abs=1e-4)
    assert root.node_metadata.gain == pytest.approx(0.01002, abs=1e-5)
    assert left.dense_float_binary_split.threshold == pytest.approx(0.3595, abs=1e-4)
    assert [s.name for s in tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)] == [
        *("ensemble:0", "StatsAccumulatorx0/", "QuantileAccumulatorx0/"),
        *("StatsAccumulatorx1/", "QuantileAccumulatorx1/", "BiasAccumulator/"),
        "StepsAccumulator/",
    ]
    assert [v.op.name for v in tf.global_variables()] == [
        *("global_step", "Variable", "attempted_trees", "finalized_trees"),
        *("num_layer_examples", "num_layer_steps", "num_layers", "active_tree", "active_layer"),
        "continue_centering",
    ]


@pytest.mark.parametrize(
    ("config", "options", "expected", "nodes"),
    [
        (_config(), {"center_bias": True}, [0.69315, 0.69019, 0.6772], [1, 7, 3]),
        (_config(), {"batches": 2}, [0.69315, 0.69315, 0.69315], [3]),
        (_config(growing_mode=_KINDS.WHOLE_TREE), {}, [0.69315, 0.69315, 0.67998], [7, 3]),
        (_config(), {"features": _mixed}, [0.69315, 0.67929, 0.65944], [7, 3]),
        (
            _config(feature_fraction_per_level=0.5),
            {"features": _mixed},
            [0.69315, 0.67929, 0.65944],
            [7, 3],
        ),
        (
            _config(weak_learner_type=_KINDS.OBLIVIOUS_DECISION_TREE),
            {},
            [0.69315, 0.69019, 0.6772],
            [6, 3],
        ),
        (_config(), {"num_quantiles": 5}, [0.69315, 0.6911, 0.68129], [7, 3]),
        (
            _config(3, multi_class_strategy=_KINDS.DIAGONAL_HESSIAN),
            {"logits": 3},
            [1.09861, 1.05927, 1.01843],
            [5, 3],
        ),
        (
            _config(3, multi_class_strategy=_KINDS.FULL_HESSIAN),
            {"logits": 3},
            [1.09861, 1.06108, 1.02158],
            [5, 3],
        ),
        (
            _config(3, multi_class_strategy=_KINDS.TREE_PER_CLASS),
            {"logits": 3},
            [1.09861, 1.08961, 1.07083],
            [7, 3],
        ),
    ],
)
def test_strategies(config: Any, options: Any, expected: list[float], nodes: list[int]) -> None:
    trained = _Trained(config, 4, **options)
    assert trained.losses[1:] == expected
    assert trained.nodes == nodes


def test_losses(session: tf.Session) -> None:
    labels, weights = tf.constant([[0.0], [1], [1]]), tf.constant([[1.0], [2], [0.5]])
    predictions = tf.constant([[0.3], [2], [-1.5]])
    expected = {
        losses.per_example_exp_loss: [2.10523, 0.7357589, 1.3591409],
        losses.per_example_logistic_loss: [0.8543553, 0.253856, 0.8507066],
        losses.per_example_squared_loss: [0.09, 2.0, 3.125],
        losses.per_example_full_exp_loss: [1.3498589, 0.27067056, 2.2408445],
    }
    for function, values in expected.items():
        loss, _ = function(labels, weights, predictions)
        np.testing.assert_allclose(session.run(loss)[:, 0], values, rtol=1e-5)
    hinge, _ = losses.per_example_squared_hinge_loss(labels, weights, predictions)
    assert session.run(hinge) == pytest.approx(0.7225)
    quantile, _ = losses.per_example_quantile_regression_loss(labels, weights, predictions, 0.3)
    np.testing.assert_allclose(session.run(quantile)[:, 0], [0.0441, 0.98, 0.28125], rtol=1e-5)
    logits = tf.constant([[0.3, 1, 2], [2.0, -1, 1], [1.0, 3, -2]])
    maxent, _ = losses.per_example_maxent_loss([[0], [2], [1]], weights, logits, 3)
    expected_maxent = [2.1386182, 2.6980245, 0.0664226]
    np.testing.assert_allclose(session.run(maxent)[:, 0], expected_maxent, rtol=1e-5)


def test_features_by_kind() -> None:
    def sparse(dtype: Any) -> tf.SparseTensor:
        return tf.SparseTensor([[0, 0], [1, 0]], tf.constant([1, 2], dtype), [2, 1])

    extracted = extract_features(
        {
            "b": tf.constant([[1.0, 2], [3, 4]]),
            "a": tf.constant([[1.0], [3]]),
            "z": sparse(tf.float32),
            "y": sparse(tf.int64),
        },
        None,
        False,
    )
    assert extracted[0] == ["a", "b_0", "b_1", "z", "y"]
    assert [len(column) for column in extracted[1:]] == [3, 1, 1, 1, 1, 1, 1]
    with pytest.raises(ValueError, match=r"Features dictionary must be specified\."):
        extract_features({}, None, False)
    with pytest.raises(ValueError, match=r"Unsupported dense feature Const.* with dtype"):
        extract_features({"a": tf.constant([[1]])}, None, False)
    columns = [
        tf.contrib.layers.real_valued_column("b", 2),
        tf.contrib.layers.sparse_column_with_hash_bucket("s", 10),
    ]
    features = {
        "b": tf.ones([2, 2]),
        "s": tf.SparseTensor([[0, 0], [1, 0]], ["x", "y"], [2, 1]),
    }
    assert extract_features(features, columns, False)[0] == ["b_0", "b_1", "s"]
    core = [
        tf.feature_column.numeric_column("b", 2),
        tf.feature_column.categorical_column_with_hash_bucket("s", 10),
    ]
    assert extract_features(features, core, True)[0] == ["b_0", "b_1", "s"]
