"""tf.contrib.tensor_forest; names, formats and losses are those of TensorFlow 1.15.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build
from headwater.model.resources import shared_resources
from headwater.protos import generic_tree_model_pb2

_FOREST = tf.contrib.tensor_forest.tensor_forest
_ESTIMATORS = tf.contrib.tensor_forest.client.random_forest
_DATA = tf.contrib.tensor_forest.data_ops


def _iris() -> tuple[np.ndarray, np.ndarray]:
    iris = tf.contrib.learn.datasets.base.load_iris()
    return iris.data.astype(np.float32), iris.target.astype(np.int32)


def _params(**kwargs: Any) -> Any:
    options = {"num_trees": 3, "max_nodes": 1000, "num_features": 4, "split_after_samples": 20}
    return _FOREST.ForestHParams(**{**options, **kwargs})


def _initialize(session: tf.Session) -> None:
    session.run([tf.global_variables_initializer(), *[r.create for r in shared_resources()]])


def test_parameters_that_depend_on_others() -> None:
    params = _params(num_classes=3).fill()
    assert (params.num_splits_to_consider, params.num_output_columns) == (10, 4)
    assert (params.leaf_model_type, params.regression, params.bagged_features) == (0, False, None)
    assert _params(num_classes=2, num_features=3000).fill().num_splits_to_consider == 54
    bagged = _params(num_classes=2, feature_bagging_fraction=0.5).fill()
    assert [len(features) for features in bagged.bagged_features] == [2, 2, 2]
    with pytest.raises(AttributeError, match="'ForestHParams' object has no attribute"):
        _FOREST.ForestHParams(num_features=4).fill()
    with pytest.raises(KeyError, match="zz"):
        _params(num_classes=2, model_name="zz").fill()


def test_parameters_as_a_message() -> None:
    params = _FOREST.ForestHParams(num_classes=2, num_features=4, regression=True).fill()
    assert _FOREST.build_params_proto(params).SerializeToString() == (
        b'\x08\x02\x10\x02"\x07\n\x05\r\x00\x00\x00\x00*\x07\n\x05\r\x00\x00\x00\x000d8\x90N@\x01'
        b"`\x02j\x05\r\x00\x00 Ar\x05\r\x00\x00zCz\x05\r\xa4p}?\xa8\x01\x04"
    )


def test_graph_and_variables() -> None:
    forest = _FOREST.RandomForestGraphs(_params(num_classes=3, num_trees=2).fill())
    data = tf.zeros([5, 4])
    train = forest.training_graph(data, tf.constant([0, 1, 2, 0, 1]))
    assert train.name == "train"
    assert [op.name for op in train.control_inputs] == ["GrowTreeV4", "GrowTreeV4_1"]
    probabilities, _, _ = forest.inference_graph(data)
    assert probabilities.name == "probabilities:0"
    saved = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)
    assert [s.name for s in saved] == ["stats-0:0", "tree-0:0", "stats-1:0", "tree-1:0"]
    spec = tf.get_default_graph().get_operation_by_name("TraverseTreeV4").get_attr("input_spec")
    assert spec == (
        b"dense_features_size: 4 dense: [{name: dense_features original_type: 0 size: 4}] "
        b"sparse: []"
    )


def test_first_split_comes_when_its_candidates_have_seen_enough() -> None:
    params = _params(num_classes=3, num_trees=1, split_after_samples=10).fill()
    forest = _FOREST.RandomForestGraphs(params)
    data = np.random.default_rng(0).random((5, 4)).astype(np.float32)
    train = forest.training_graph(tf.constant(data), tf.constant([0, 1, 2, 0, 1]))
    probabilities = forest.inference_graph(tf.constant(data))[0]
    size = forest.trees[0].size()
    serialized = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)[1].specs[0].tensor
    with tf.Session() as session:
        _initialize(session)
        np.testing.assert_array_equal(session.run(probabilities), np.zeros((5, 3)))
        sizes = []
        for _ in range(6):
            session.run(train)
            sizes.append(session.run(size))
        model = generic_tree_model_pb2.Model.FromString(session.run(serialized))
        importances = session.run(forest.feature_importances())
    # Two steps draw 10 candidates, two more count 10 examples; two add theirs to the leaves.
    assert sizes == [1, 1, 1, 3, 3, 3]
    leaves = [node.leaf for node in model.decision_tree.nodes[1:]]
    assert sum(value.float_value for leaf in leaves for value in leaf.vector.value) == 20.0
    test = model.decision_tree.nodes[0].binary_node.inequality_left_child_test
    assert importances[int(test.feature_id.id.value)] == 1.0


@pytest.mark.parametrize(
    "options",
    [
        {"split_finish_name": "hoeffding", "early_finish_check_every_samples": 10},
        {"split_finish_name": "bootstrap", "early_finish_check_every_samples": 10},
        {"split_pruning_name": "half", "prune_every_samples": 5},
        {"bagging_fraction": 0.8, "feature_bagging_fraction": 0.75},
        {"split_name": "less", "checkpoint_stats": True},
    ],
    ids=lambda options: "-".join(str(v) for v in options.values()),
)
def test_ways_to_train(options: dict[str, Any]) -> None:
    data, labels = _iris()
    params = _params(num_classes=3, num_trees=2, base_random_seed=7, **options).fill()
    forest = _FOREST.RandomForestGraphs(params)
    train = forest.training_graph(tf.constant(data), tf.constant(labels))
    probabilities = forest.inference_graph(tf.constant(data))[0]
    with tf.Session() as session:
        _initialize(session)
        for _ in range(30):
            session.run(train)
        predicted = session.run(probabilities).argmax(1)
    assert (predicted == labels).mean() > 0.9


def test_forest_is_restored_from_a_checkpoint(tmp_path: Path) -> None:
    data, labels = _iris()
    params = _params(num_classes=3, checkpoint_stats=True).fill()
    forest = _FOREST.RandomForestGraphs(params)
    train = forest.training_graph(tf.constant(data), tf.constant(labels))
    fetches = [forest.inference_graph(tf.constant(data))[0], forest.average_size()]
    saver = tf.train.Saver()
    with tf.Session() as session:
        _initialize(session)
        for _ in range(5):
            session.run(train)
        before = session.run(fetches)
        path = saver.save(session, str(tmp_path / "forest"))
    assert before[1] > 3
    with tf.Session() as session:
        saver.restore(session, path)
        after = session.run(fetches)
        session.run(train)
    np.testing.assert_array_equal(after[0], before[0])
    assert after[1] == before[1]


def test_classifier_learns_iris(tmp_path: Path) -> None:
    data, labels = _iris()
    params = _params(num_classes=3)
    estimator = _ESTIMATORS.TensorForestEstimator(
        params, model_dir=str(tmp_path), report_feature_importances=True
    )
    inputs = lambda: (tf.constant(data), tf.constant(labels))  # noqa: E731
    result = estimator.fit(input_fn=inputs, steps=40).evaluate(input_fn=inputs, steps=1)
    assert result["accuracy"] > 0.95
    # The loss of certain predictions: the probabilities are taken for logits.
    assert result["loss"] == pytest.approx(0.55144465, abs=0.05)
    first = next(iter(estimator.predict(input_fn=lambda: tf.constant(data[:1]))))
    assert sorted(first) == ["classes", "logits", "prediction_variance", "probabilities"]
    assert first["classes"] == 0
    assert "tree-2:0" in estimator.get_variable_names()


def test_regression(tmp_path: Path) -> None:
    data, _ = _iris()
    targets = 2 * data[:, :1]
    params = _params(num_classes=1, regression=True)
    estimator = _ESTIMATORS.TensorForestEstimator(params, model_dir=str(tmp_path))
    inputs = lambda: (tf.constant(data), tf.constant(targets))  # noqa: E731
    result = estimator.fit(input_fn=inputs, steps=40).evaluate(input_fn=inputs, steps=1)
    assert result["loss"] < 0.1
    first = next(iter(estimator.predict(input_fn=lambda: tf.constant(data[:1]))))
    assert first["scores"] == pytest.approx(targets[0, 0], abs=1.0)


def test_core_estimator(tmp_path: Path) -> None:
    data, labels = _iris()
    head = tf.contrib.estimator.multi_class_head(
        3, loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE
    )
    estimator = _ESTIMATORS.CoreTensorForestEstimator(
        _params(num_classes=3), model_dir=str(tmp_path), head=head
    )
    inputs = lambda: ({"x": tf.constant(data)}, tf.constant(labels))  # noqa: E731
    estimator.train(inputs, steps=30)
    assert estimator.evaluate(inputs, steps=1)["accuracy"] > 0.9


def test_features_of_all_kinds_in_one_matrix() -> None:
    columns = {
        "b": tf.constant([[1], [2]]),
        "a": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "c": tf.constant([["a"], [""]]),
    }
    data, sparse, spec = _DATA.ParseDataTensorOrDict(columns)
    assert sparse is None
    assert spec.SerializeToString() == (
        "dense_features_size: 4 dense: [{name: a original_type: 0 size: 2}"
        "{name: b original_type: 1 size: 1}{name: c original_type: 1 size: 1}] sparse: []"
    )
    with tf.Session() as session:
        expected = [[1, 2, 1, 4.9938928e18], [3, 4, 2, 6.1425091e18]]
        np.testing.assert_allclose(session.run(data), expected, rtol=1e-7)


def test_sparse_features() -> None:
    rng = np.random.default_rng(1)
    dense = rng.random((40, 6)).astype(np.float32) * (rng.random((40, 6)) < 0.7)
    labels = (dense[:, 2] > 0.4).astype(np.int32)
    places = np.argwhere(dense)
    sparse = tf.SparseTensor(places, dense[tuple(places.T)].astype(np.float32), [40, 6])
    forest = _FOREST.RandomForestGraphs(_params(num_classes=2, num_features=6).fill())
    train = forest.training_graph(sparse, tf.constant(labels))
    probabilities = forest.inference_graph(sparse)[0]
    with tf.Session() as session:
        _initialize(session)
        for _ in range(40):
            session.run(train)
        assert (session.run(probabilities).argmax(1) == labels).mean() > 0.85


def test_metrics_by_name() -> None:
    metrics = tf.contrib.tensor_forest.client.eval_metrics
    assert metrics.get_prediction_key("r2") == "scores"
    assert metrics.get_prediction_key("accuracy") == "classes"
    with pytest.raises(KeyError, match="top_k"):
        metrics.get_metric("top_k")
    predictions = tf.constant([[1.0], [2.0], [4.0]])
    r2 = metrics.get_metric("r2")(predictions, tf.constant([[1.0], [2.0], [3.0]]))
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(r2[1]) == pytest.approx(0.5)


def test_wrong_labels() -> None:
    forest = _FOREST.RandomForestGraphs(_params(num_classes=2, num_trees=1).fill())
    train = forest.training_graph(tf.zeros([2, 4]), tf.constant([0, 2]))
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="is not initialized"):
            session.run(forest.trees[0].size())
        _initialize(session)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Labels must be in \[0, 2\)"):
            session.run(train)


def test_raw_ops() -> None:
    matrix = tf.Variable(tf.zeros([2, 2]), use_resource=False)
    ops = tf.contrib.tensor_forest.tensor_forest_ops
    add = ops.scatter_add_ndim(matrix, [[0, 1], [0, 1], [1, 0]], [1.0, 2.0, 4.0])
    wrong = ops.scatter_add_ndim(matrix, [[2, 0]], [1.0])
    forest = _FOREST.RandomForestGraphs(_params(num_classes=2, num_trees=1).fill())
    tree = forest.variables[0]
    params = forest.params.serialized_params_proto
    finalize = build.FinalizeTree(tree.tree, tree.stats, params=params)
    made = [resource.is_initialized for resource in shared_resources()]
    with tf.Session() as session:
        assert session.run(made) == [False, False]
        _initialize(session)
        assert session.run(made) == [True, True]
        session.run([add, finalize])
        np.testing.assert_array_equal(session.run(matrix), [[0, 3], [4, 0]])
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of the bounds of input"):
            session.run(wrong)
