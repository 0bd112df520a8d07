"""tf.contrib.constrained_optimization, with the values of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

CO = tf.contrib.constrained_optimization
SGD = tf.train.GradientDescentOptimizer


class Problem(CO.ConstrainedMinimizationProblem):
    def __init__(self, proxy=False):
        self.w = tf.Variable([1.0, 2.0], name="w", use_resource=True)
        self.proxy = proxy

    @property
    def objective(self):
        return tf.reduce_sum(tf.square(self.w - 1.0))

    @property
    def constraints(self):
        return tf.stack([self.w[0] - 0.5, tf.reduce_sum(self.w) - 1.2, -self.w[1]])

    @property
    def proxy_constraints(self):
        return 2.0 * self.constraints if self.proxy else None


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def after_steps(optimizer, proxy=False, **options):
    """The model and the state of the constraints after six steps."""
    step = tf.train.get_or_create_global_step()
    op = optimizer.minimize(Problem(proxy), global_step=step, **options)
    assert [v.name for v in tf.trainable_variables()] == ["w:0"]
    state = next(v for v in tf.global_variables() if v.op.name.endswith("regret_optimizer_state"))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(6):
            session.run(op)
        assert session.run(step) == 6
        return session.run([tf.trainable_variables()[0], state])


def check(found, model, state):
    np.testing.assert_allclose(found[0], model, atol=2e-5)
    np.testing.assert_allclose(found[1], state, atol=3e-5)


def test_multipliers():
    found = after_steps(CO.AdditiveExternalRegretOptimizer(SGD(0.1)))
    check(found, [0.77144, 1.08854], [0.26326, 0.78394, 0.0])


def test_multipliers_of_a_largest_sum():
    optimizer = CO.AdditiveExternalRegretOptimizer(SGD(0.1), SGD(1.0), 0.3)
    check(after_steps(optimizer, proxy=True), [0.7983, 1.06045], [0.0, 0.3, 0.0])


def test_first_steps_without_constraints():
    optimizer = CO.AdditiveExternalRegretOptimizer(SGD(0.1))
    found = after_steps(optimizer, unconstrained_steps=3)
    check(found, [0.95029, 1.22643], [0.14819, 0.3618, 0.0])


def test_one_optimizer_updates_both_sides():
    optimizer = CO.AdditiveExternalRegretOptimizer(tf.train.AdamOptimizer(0.1))
    assert optimizer.constraint_optimizer is None
    check(after_steps(optimizer), [0.55766, 1.40516], [0.57862, 0.58787, 0.0])


def test_a_matrix_of_weights():
    found = after_steps(CO.AdditiveSwapRegretOptimizer(SGD(0.1)))
    state = [[0.63592, 1, 0.94441, 1], [0] * 4, [0.36408, 0, 0.05559, 0], [0] * 4]
    check(found, [0.92982, 1.25518], state)


def test_a_matrix_of_weights_with_proxies():
    found = after_steps(CO.AdditiveSwapRegretOptimizer(SGD(0.1), SGD(0.7)), proxy=True)
    check(found, [0.3713, 0.93494], [[0, 1, 0, 1], [0] * 4, [1, 0, 1, 0], [0] * 4])


def test_a_logarithm_of_the_matrix():
    optimizer = CO.MultiplicativeSwapRegretOptimizer(SGD(0.1), SGD(0.7), 0.01, 0.2)
    state = [
        [-1.46618, -0.17053, -0.25418, -0.16431],
        [-3.09658, -2.90432, -2.71723, -2.95987],
        [-0.32467, -2.6789, -1.90816, -2.86971],
        [-5.99146, -3.40035, -4.60168, -3.14695],
    ]
    check(after_steps(optimizer, proxy=True), [0.70767, 1.1898], state)


def test_first_matrix_of_the_multiplicative_optimizer():
    CO.MultiplicativeSwapRegretOptimizer(SGD(0.1)).minimize(Problem())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        (state,) = [session.run(v) for v in tf.global_variables() if "swap" in v.name]
    np.testing.assert_allclose(state[0], -0.00075, atol=1e-6)
    np.testing.assert_allclose(state[1:], -8.29405, atol=1e-5)


@pytest.mark.parametrize(
    ("objectives", "constraints", "plain", "ranked"),
    [
        ([4, 0, 3, 3, 3], [[-2, 0, 2, -1, 1], [3, -3, -3, 1, -1], [-2, 3, 3, -3, -2]], 1, 1),
        ([1, 1, 1, 0, 2], [[1, 0, 3, 0, -1], [1, -1, -3, -3, 1], [2, 2, 3, -3, 1]], 3, 3),
        ([1, 4, 1, 2, 2], [[-3, -2, -2, -2, -2], [0, 3, 0, 3, -1], [0, -3, 3, 0, 2]], 0, 0),
        ([0, 1, 1, 3, 0], np.zeros((0, 5)), 4, None),
    ],
)
def test_best_candidates(objectives, constraints, plain, ranked):
    assert CO.find_best_candidate_index(objectives, constraints) == plain
    if ranked is not None:
        assert CO.find_best_candidate_index(objectives, constraints, True) == ranked


def test_best_mixtures():
    best = CO.find_best_candidate_distribution
    constraints = [[-2, 0, 2, -1, 1], [3, -3, -3, 1, -1], [-2, 3, 3, -3, -2]]
    np.testing.assert_allclose(best([4, 0, 3, 3, 3], constraints), [0, 0.5, 0, 0.5, 0], atol=1e-6)
    # No mixture keeps the constraints: the third candidate violates them least.
    violated = [[1.1, 3.1, 1.1, 1.1, 0.1], [1.1, 1.1, 1.1, 3.1, 3.1], [1.1, 0.1, 1.1, 2.1, 2.1]]
    for epsilon in (0.0, 0.5):
        found = best([4, 1, 2, 4, 3], violated, epsilon)
        np.testing.assert_allclose(found, [0, 0, 1, 0, 0], atol=1e-6)


def test_wrong_arguments():
    external, multiplicative = (
        CO.AdditiveExternalRegretOptimizer,
        CO.MultiplicativeSwapRegretOptimizer,
    )
    with pytest.raises(ValueError, match=r"^maximum_multiplier_radius must be strictly positive"):
        external(SGD(0.1), maximum_multiplier_radius=-1.0)
    with pytest.raises(
        ValueError, match=r"^minimum_multiplier_radius must be in the range \(0,1\)"
    ):
        multiplicative(SGD(0.1), minimum_multiplier_radius=1.0)
    with pytest.raises(ValueError, match=r"^initial_multiplier_radius must be in the range \[min"):
        multiplicative(SGD(0.1), None, 0.5, 0.1)
    with pytest.raises(ValueError, match=r"^global_step cannot be None if unconstrained_steps is"):
        external(SGD(0.1)).minimize(Problem(), unconstrained_steps=3)
    with pytest.raises(
        ValueError, match=r"^objective_vector must have shape \(n,\), and constraint"
    ):
        CO.find_best_candidate_index([1.0, 2.0], [[1.0]])
    with pytest.raises(ValueError, match=r"^epsilon must be nonnegative"):
        CO.find_best_candidate_distribution([1.0], [[1.0]], epsilon=-1.0)
    with pytest.raises(
        TypeError, match=r"^Can't instantiate abstract class ConstrainedMinimization"
    ):
        CO.ConstrainedMinimizationProblem()


def test_shapes_of_constraints(monkeypatch):
    problem = Problem()
    assert problem.num_constraints == 3 and problem.pre_train_ops is None
    monkeypatch.setattr(Problem, "proxy_constraints", property(lambda self: tf.zeros([2])))
    with pytest.raises(ValueError, match=r"^constraints and proxy_constraints must have the same"):
        _ = problem.num_constraints
    unknown = property(lambda self: tf.placeholder(tf.float32))
    monkeypatch.setattr(Problem, "proxy_constraints", unknown)
    with pytest.raises(ValueError, match=r"^constraints and proxy_constraints must have fully-kno"):
        _ = problem.num_constraints
