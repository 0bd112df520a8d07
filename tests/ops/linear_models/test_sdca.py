"""Dual coordinate ascent: steps of single examples as in TensorFlow 1.15.5, and convergence."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build

F = np.float32
DENSE = np.array([[1, 2]], F)
WEIGHTS = np.array([[0.5, -0.25]], F)


def step(
    loss,
    labels,
    state=None,
    weights=None,
    sparse=((), (), (), (), ()),
    dense=(DENSE,),
    dense_weights=(WEIGHTS,),
    **options,
):
    """Runs one step; returns the state and the changes of the weights."""
    options = {"l1": 0.0, "l2": 1.0, "num_loss_partitions": 1, "num_inner_iterations": 1, **options}
    rows, ids, values, known, of_sparse = (list(part) for part in sparse)
    result = tf.train.sdca_optimizer(
        rows,
        ids,
        values,
        list(dense),
        np.ones(len(labels), F) if weights is None else np.array(weights, F),
        np.array(labels, F),
        known,
        of_sparse,
        list(dense_weights),
        np.zeros((len(labels), 4), F) if state is None else np.array(state, F),
        loss_type=loss,
        adaptative=False,
        **options,
    )
    with tf.Session() as session:
        return session.run([result[0], list(result[1]), list(result[2])])


@pytest.mark.parametrize(
    ("loss", "label", "expected", "change"),
    [
        ("logistic_loss", 0, [-0.235501051, 0.693147182, 0, 1], -0.235501051),
        ("logistic_loss", 1, [0.235501051, 0.693147182, 0, 1], 0.235501051),
        ("squared_loss", 0, [0, 0, 0, 1], 0),
        ("squared_loss", 1, [0.166666672, 0.5, 0, 1], 0.166666672),
        ("hinge_loss", 1, [0.2, 1, 0, 1], 0.2),
        ("smooth_hinge_loss", 0, [-0.166666672, 0.5, 0, 1], -0.166666672),
        ("poisson_loss", 0, [-0.265344948, 1, 0, 1], -0.265344948),
        ("poisson_loss", 3, [0.205528587, 1, 0.295836866, 1], 0.205528587),
    ],
)
def test_the_first_step(loss, label, expected, change):
    state, _, (delta,) = step(loss, [label])
    np.testing.assert_allclose(state, [expected], rtol=1e-6)
    np.testing.assert_allclose(delta, [[change, 2 * change]], rtol=1e-6)


@pytest.mark.parametrize(
    ("loss", "label", "expected", "change"),
    [
        ("logistic_loss", 0, [-0.070512481, 0.798138857, 0.341073573, 1], -0.185256243),
        ("logistic_loss", 1, [0.353705466, 0.598138869, -0.610864341, 1], 0.026852721),
        ("squared_loss", 0, [0.241176486, 0.02, 0.045, 1], -0.029411767),
        ("squared_loss", 1, [0.358823538, 0.32, -0.255, 1], 0.029411763),
        ("hinge_loss", 0, [0, 1.2, np.inf, 1], -0.15),
        ("hinge_loss", 1, [0.406666666, 0.8, -0.3, 1], 0.053333331),
        ("smooth_hinge_loss", 1, [0.358823538, 0.32, -0.255, 1], 0.029411763),
        ("poisson_loss", 0, [-0.073937684, 1.221402764, np.inf, 1], -0.186968848),
        ("poisson_loss", 1, [0.237227321, 1.021402717, -0.949672461, 1], -0.031386349),
    ],
)
def test_a_step_with_partitions_and_both_regularizations(loss, label, expected, change):
    options = {"l1": 0.4, "l2": 2.0, "num_loss_partitions": 3, "num_inner_iterations": 4}
    state, _, (delta,) = step(loss, [label], [[0.3, 0, 0, 0]], **options)
    np.testing.assert_allclose(state, [expected], rtol=2e-6)
    np.testing.assert_allclose(delta, [[change, 2 * change]], rtol=2e-6)


def test_weights_of_examples():
    state, _, (delta,) = step("logistic_loss", [1], [[-0.3, 0, 0, 0]], weights=[2.5])
    np.testing.assert_allclose(state, [[0.018353384, 1.732867956, 0.852683902, 2.5]], rtol=1e-6)
    np.testing.assert_allclose(delta, [[0.795883477, 1.591766953]], rtol=1e-6)
    state, _, (delta,) = step("squared_loss", [2], weights=[0])
    np.testing.assert_array_equal(state, [[2, 0, 0, 0]])
    np.testing.assert_array_equal(delta, [[0, 0]])


def sparse(rows=(0, 0), ids=(7, 3), values=(1.5, -2)):
    of_values = [np.array(values, F)] if values else []
    return (
        [np.array(rows)],
        [np.array(ids)],
        of_values,
        [np.array([3, 7])],
        [np.array([0.1, 0.2])],
    )


def test_sparse_features():
    state, (change,), (delta,) = step("squared_loss", [2], sparse=sparse())
    np.testing.assert_allclose(state, [[0.155102044, 1.804999948, 0, 1]], rtol=1e-6)
    np.testing.assert_allclose(change, [-0.310204089, 0.232653067], rtol=1e-6)
    np.testing.assert_allclose(delta, [[0.155102044, 0.310204089]], rtol=1e-6)


def test_sparse_features_without_values():
    state, (change,), _ = step("squared_loss", [2], sparse=sparse(values=()))
    np.testing.assert_allclose(state, [[0.212500006, 1.444999933, 0, 1]], rtol=1e-6)
    np.testing.assert_allclose(change, [0.212500006, 0.212500006], rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sparse": sparse(ids=(7, 7))}, "Duplicate index in sparse vector."),
        ({"sparse": sparse(ids=(7, 2))}, "Found sparse feature indices out of valid range: 2"),
        ({"sparse": sparse(rows=(0, 1))}, "Example index 1 of sparse feature 0 is not in"),
        ({"sparse": sparse(rows=(0,))}, "Sparse feature 0 has 1 example indices and 2 feature"),
        ({"state": [[0, 0, 0]]}, r"Expected shape \[1,4\] for example_state_data, got \[1,3\]"),
        ({"dense": [np.ones((2, 2), F)]}, "Dense feature 0 must be a matrix with 1 rows"),
        ({"dense": [], "dense_weights": []}, "Requires at least one feature to train."),
    ],
)
def test_bad_input(options, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        step("squared_loss", [2], **options)


@pytest.mark.parametrize("loss", ["logistic_loss", "hinge_loss", "smooth_hinge_loss"])
def test_labels_of_classes_are_0_and_1(loss):
    text = "Only labels of 0.0 or 1.0 are supported right now. Found example with label: 3"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        step(loss, [3])


def test_counts_are_not_negative():
    text = "Only non-negative labels can be used with the Poisson log loss."
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        step("poisson_loss", [-1])


@pytest.mark.parametrize("adaptive", [False, True])
def test_ridge_regression_converges_to_the_solution_of_the_normal_equations(adaptive):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(40, 3)).astype(F)
    labels = (features @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=40)).astype(F)
    weights, state = tf.placeholder(tf.float32, [1, 3]), tf.placeholder(tf.float32, [40, 4])
    node = build.SdcaOptimizerV2(
        [],
        [],
        [],
        [features],
        np.ones(40, F),
        labels,
        [],
        [],
        [weights],
        state,
        loss_type="squared_loss",
        l1=0.0,
        l2=2.0,
        num_loss_partitions=1,
        num_inner_iterations=1,
        adaptive=adaptive,
    )
    found, kept = np.zeros((1, 3), F), np.zeros((40, 4), F)
    with tf.Session() as session:
        for _ in range(60):
            kept, change = session.run([node[0], node[2][0]], {weights: found, state: kept})
            found = found + change
    wanted = np.linalg.solve(features.T @ features + 2 * np.eye(3), features.T @ labels)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-4)


def test_static_shapes():
    node = build.SdcaOptimizer(
        [tf.placeholder(tf.int64)],
        [tf.placeholder(tf.int64)],
        [],
        [tf.placeholder(tf.float32)],
        tf.placeholder(tf.float32),
        tf.placeholder(tf.float32),
        [tf.placeholder(tf.int64)],
        [tf.placeholder(tf.float32, [7])],
        [tf.placeholder(tf.float32, [None, 3])],
        tf.placeholder(tf.float32, [5, 4]),
        loss_type="squared_loss",
        l1=0.0,
        l2=1.0,
        num_loss_partitions=1,
        num_inner_iterations=1,
    )
    found = [tensor.shape.as_list() for tensor in (node[0], *node[1], *node[2])]
    assert found == [[None, 4], [7], [None, 3]]


@pytest.mark.parametrize("mode", ["never", "always"])
def test_several_variables_are_shrunk_by_one_op(mode, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    first, second = tf.Variable([1.0, -0.3, 0.05]), tf.Variable([[1.0, -0.2]])
    shrink = tf.train.sdca_shrink_l1([first._ref(), second._ref()], l1=0.5, l2=2.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(shrink)
        one, two = session.run([first, second])
    np.testing.assert_allclose(one, [0.75, -0.05, 0.0], atol=1e-7)
    np.testing.assert_allclose(two, [[0.75, 0.0]], atol=1e-7)


def test_only_variables_can_be_shrunk():
    text = "'SdcaShrinkL1' Op requires that input 'weights' be a mutable tensor"
    with pytest.raises(TypeError, match=text):
        tf.train.sdca_shrink_l1([tf.constant([1.0])], l1=0.0, l2=1.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [4463240938071824939, 4374473821787594281]),
        ("abc", [4143508125394299908, -6879828354153669051]),
        ("0123456789abcdef", [-2347567976820271828, -3177687296717892822]),
        ("a" * 33, [788109909639807068, 7051527043807600860]),
        ("b" * 100, [-9128393662264563522, -3776655564544846573]),
        ("q" * 143, [4079152015705739252, 7099711275008545419]),
        ("q" * 144, [-7392554316107516089, -7769591088305031118]),
        ("w" * 400, [130438002067935274, -657052581114497840]),
    ],
)
def test_fingerprints(text, expected):
    fingerprint = tf.train.sdca_fprint([text])
    assert fingerprint.shape == [1, 2]
    with tf.Session() as session:
        assert session.run(fingerprint).tolist() == [expected]
