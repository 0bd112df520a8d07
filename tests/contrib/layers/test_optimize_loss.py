"""optimize_loss; values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

L = tf.contrib.layers


def _train(**arguments):
    """The variable after each of three steps, the global step and the names of summaries."""
    with tf.Graph().as_default():
        tf.set_random_seed(4)
        x = tf.placeholder(tf.float32, [])
        variable = tf.get_variable("var", [], initializer=tf.constant_initializer(10.0))
        step = tf.train.get_or_create_global_step()
        train = L.optimize_loss(tf.abs(variable * x), step, **arguments)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = []
            for _ in range(3):
                session.run(train, {x: 5.0})
                values.append(session.run(variable))
            names = [s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)]
            return values, session.run(step), names


CASES = {
    "name": ({"learning_rate": 0.1, "optimizer": "SGD"}, [9.5, 9.0, 8.5]),
    "momentum": ({"learning_rate": 0.1, "optimizer": "Momentum"}, [9.5, 8.55, 7.195]),
    "class": (
        {"learning_rate": 0.1, "optimizer": tf.train.AdamOptimizer, "clip_gradients": 0.5},
        [9.9, 9.8, 9.7],
    ),
    "noise": (
        {"learning_rate": 0.1, "optimizer": "SGD", "gradient_noise_scale": 10.0},
        [10.1139, 10.3155, 10.2126],
    ),
    "decay": (
        {"learning_rate": 0.1, "optimizer": "SGD", "learning_rate_decay_fn": lambda r, s: r * 0.5},
        [9.75, 9.5, 9.25],
    ),
    "multipliers": (
        {
            "learning_rate": 0.1,
            "optimizer": tf.train.GradientDescentOptimizer,
            "gradient_multipliers": {"var:0": 7.0},
        },
        [6.5, 3.0, -0.5],
    ),
    "adaptive clipping": (
        {
            "learning_rate": 0.1,
            "optimizer": "SGD",
            "clip_gradients": tf.contrib.slim.adaptive_clipping_fn(decay=0.5, static_max_norm=3.0),
        },
        [9.7, 9.4, 9.1],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_training(name):
    arguments, expected = CASES[name]
    values, step, _ = _train(**arguments)
    np.testing.assert_allclose(values, expected, rtol=1e-4)
    assert step == 3


def test_optimizer_with_its_own_rate_and_no_step():
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    values, step, names = _train(
        learning_rate=None, optimizer=optimizer, increment_global_step=False
    )
    assert (values, step) == ([7.5, 5.0, 2.5], 0)
    assert names == ["OptimizeLoss/global_norm/gradient_norm", "OptimizeLoss/loss"]


def test_all_summaries():
    _, _, names = _train(
        learning_rate=0.1, optimizer="SGD", summaries=L.OPTIMIZER_SUMMARIES, clip_gradients=1.0
    )
    assert names == [
        "OptimizeLoss/global_norm/gradient_norm",
        "OptimizeLoss/loss",
        "OptimizeLoss/gradients/var_0",
        "OptimizeLoss/gradient_norm/var_0",
        "OptimizeLoss/global_norm/clipped_gradient_norm",
    ]


def test_updates_run_before_the_loss():
    with tf.Graph().as_default():
        scale = tf.get_variable("scale", [], initializer=tf.ones_initializer(), trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign(scale, 20.0))
        variable = tf.get_variable("var", [], initializer=tf.ones_initializer())
        tf.train.create_global_step()
        train = L.optimize_loss(variable * 2.0, None, 0.1, "SGD")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(train) == 2.0
            assert session.run(scale) == 20.0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"learning_rate": "a"}, "Learning rate should be 0d Tensor or float. Got a of type"),
        ({"learning_rate": -0.1}, "Invalid learning_rate"),
        ({"learning_rate": None}, "should be specified if optimizer is string"),
        ({"optimizer": "X"}, "Optimizer name should be one of .*, you provided X."),
        ({"optimizer": 3}, "Unrecognized optimizer: should be string"),
        ({"optimizer": lambda rate: 3}, "function should return subclass of Optimizer. Got 3."),
        ({"summaries": ["x"]}, "Summaries should be one of .*, you provided x."),
        ({"clip_gradients": "x"}, "Unknown type .* for clip_gradients"),
    ],
)
def test_errors(arguments, text):
    with pytest.raises(ValueError, match=text):
        _train(**{"learning_rate": 0.1, "optimizer": "SGD", **arguments})
