"""tf.contrib.linear_optimizer; the numbers and names are those of TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.estimator.sdca.sharded_table import ShardedMutableDenseHashTable

_OPTIMIZER = tf.contrib.linear_optimizer


def _problem(
    loss_type: str, l1: float, l2: float, labels: list[float], dense: bool, parts: int = 1
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    partitioner = tf.fixed_size_partitioner(parts) if parts > 1 else None
    zeros = tf.zeros_initializer()
    sparse_weights = tf.get_variable("w", [5], initializer=zeros, partitioner=partitioner)
    dense_weights = tf.get_variable("d", [2], initializer=zeros)
    column = _OPTIMIZER.SparseFeatureColumn([0, 0, 1, 2], [0, 4, 2, 0], [1.0, 2.0, 1.0, 0.5])
    feature = tf.constant([[1.0, 0.5], [-1.0, 2.0], [0.25, -1.0]])
    examples = {
        "sparse_features": [column],
        "dense_features": [feature] if dense else [],
        "example_weights": [1.0, 2.0, 0.5],
        "example_labels": labels,
        "example_ids": ["a", "b", "c"],
    }
    variables = {
        "sparse_features_weights": [sparse_weights],
        "dense_features_weights": [dense_weights] if dense else [],
    }
    options = {
        "symmetric_l1_regularization": l1,
        "symmetric_l2_regularization": l2,
        "loss_type": loss_type,
        "num_table_shards": parts,
    }
    return examples, variables, options


@pytest.mark.parametrize(
    ("problem", "predictions", "unregularized", "regularized"),
    [
        (
            ("logistic_loss", 0, 1, [0.0, 1.0, 1.0], True),
            [0.2173, 0.8174, 0.3841],
            0.32192,
            0.41914,
        ),
        (
            ("logistic_loss", 0.25, 1, [0.0, 1.0, 1.0], True, 3),
            [0.2825, 0.7636, 0.4093],
            0.37661,
            0.52181,
        ),
        (
            ("squared_loss", 0, 2, [-1.0, 3.0, 0.5], True),
            [-0.7378, 2.4666, -0.8048],
            0.21273,
            0.54128,
        ),
        (
            ("squared_loss", 0.5, 1, [-1.0, 3.0, 0.5], False, 2),
            [-0.6, 1.8333, 0.0],
            0.4296,
            1.22738,
        ),
        (
            ("hinge_loss", 0, 1, [0.0, 1.0, 1.0], True),
            [-1.0, 1.0, -0.1856],
            0.16938,
            0.23243,
        ),
    ],
)
def test_training_converges_to_the_optimum(
    problem: tuple[Any, ...], predictions: list[float], unregularized: float, regularized: float
) -> None:
    examples, variables, options = _problem(*problem)
    model = _OPTIMIZER.SdcaModel(examples, variables, options)
    step = tf.Variable(0, trainable=False)
    train = model.minimize(global_step=step)
    update = model.update_weights(train)
    results = [
        model.predictions(examples),
        model.unregularized_loss(examples),
        model.regularized_loss(examples),
        model.approximate_duality_gap(),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(40):
            session.run(update)
        got = session.run(results)
        assert session.run(step) == 40
    np.testing.assert_allclose(got[0], predictions, atol=2e-3)
    np.testing.assert_allclose(got[1:3], [unregularized, regularized], atol=1e-3)
    assert abs(got[3]) < 2e-3


def test_names_of_the_variables_and_of_the_table() -> None:
    problem = _problem("logistic_loss", 0, 1, [0.0, 1.0, 1.0], dense=True, parts=2)
    model = _OPTIMIZER.SdcaModel(*problem)
    train = model.minimize(global_step=tf.train.create_global_step())
    update = model.update_weights(train)
    assert (train.name, update.name) == ("sdca/minimize/AssignAdd_1", "group_deps")
    assert [v.op.name for v in tf.global_variables()] == [
        "w/part_0",
        "w/part_1",
        "d",
        "w/part_0_unshrinked/SDCAOptimizer",
        "w/part_1_unshrinked/SDCAOptimizer",
        "d_unshrinked/SDCAOptimizer",
        "global_step",
    ]
    saved = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)
    assert [s.name for s in saved] == [
        "ShardedMutableHashTable-1-of-2",
        "ShardedMutableHashTable-2-of-2",
    ]
    assert [t.name for t in tf.get_collection("summaries")] == [
        "approximate_duality_gap:0",
        "examples_seen:0",
    ]


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_all_arguments_are_required(missing: int) -> None:
    problem: list[Any] = list(_problem("logistic_loss", 0, 1, [0.0, 1.0, 1.0], dense=True))
    problem[missing] = None
    with pytest.raises(ValueError, match="examples, variables and options must all"):
        _OPTIMIZER.SdcaModel(*problem)


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("loss_type", "x", r"\('Unsupported loss_type: ', 'x'\)"),
        (
            "symmetric_l1_regularization",
            -1,
            r"symmetric_l1_regularization should be non-negative. Found \(-1.000000\)",
        ),
        (
            "symmetric_l2_regularization",
            -1.0,
            r"symmetric_l2_regularization should be non-negative. Found \(-1.000000\)",
        ),
    ],
)
def test_wrong_options(option: str, value: Any, text: str) -> None:
    examples, variables, options = _problem("logistic_loss", 0, 1, [0.0, 1.0, 1.0], dense=True)
    options[option] = value
    with pytest.raises(ValueError, match=text):
        _OPTIMIZER.SdcaModel(examples, variables, options)


def test_sharded_table_finds_what_was_inserted() -> None:
    table = ShardedMutableDenseHashTable(
        tf.int64, tf.float32, [0.0, 0.0], [-1, -1], [-2, -2], num_shards=3
    )
    keys = tf.constant([[4, 1], [5, 1], [-7, 0]], tf.int64)
    insert = table.insert(keys, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    asked = table.lookup(tf.constant([[-7, 0], [4, 1], [4, 2]], tf.int64))
    with tf.Session() as session:
        session.run(insert)
        np.testing.assert_array_equal(session.run(asked), [[5, 6], [1, 2], [0, 0]])
        assert session.run(table.size()) == 3
    with pytest.raises(TypeError, match="Keys must be dtype <dtype: 'int64'>, got <dtype: 'int32'"):
        table.lookup(tf.constant([[1, 2]]))


def test_optimizer_trains_columns_of_contrib_layers() -> None:
    layers = tf.contrib.layers
    price = layers.real_valued_column("price")
    country = layers.sparse_column_with_hash_bucket("country", hash_bucket_size=5)
    features: dict[Any, Any] = {
        "price": tf.constant([[0.4], [0.6]]),
        "country": tf.SparseTensor([[0, 0], [1, 3]], ["IT", "US"], [2, 5]),
        "weights": tf.constant([[1.0], [2.0]]),
        "ids": tf.constant(["1", "2"]),
    }
    features.update(layers.transform_features(features, [price, country]))
    variables = {
        price: [tf.get_variable("price", [1, 1], initializer=tf.zeros_initializer())],
        country: [tf.get_variable("country", [5, 1], initializer=tf.zeros_initializer())],
    }
    optimizer = _OPTIMIZER.SDCAOptimizer("ids")
    assert (optimizer.get_name(), optimizer.adaptive) == ("SDCAOptimizer", True)
    step = tf.train.create_global_step()
    labels = tf.constant([[1], [0]])
    model, train = optimizer.get_train_step(
        variables, "weights", "logistic_loss", features, labels, step
    )
    update = model.update_weights(train)
    gap = model.approximate_duality_gap()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(20):
            session.run(update)
        assert abs(session.run(gap)) < 1e-3
        assert session.run(variables[country][0]).max() > 0.1
