"""Optimizers: names, steps, slots, defaults, gates and refused arguments."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

OPTIMIZERS = {
    "GradientDescent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "Adadelta": lambda: tf.train.AdadeltaOptimizer(),
    "Adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "Momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "Adam": lambda: tf.train.AdamOptimizer(),
    "Ftrl": lambda: tf.train.FtrlOptimizer(0.1),
    "RMSProp": lambda: tf.train.RMSPropOptimizer(0.1),
}
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    step = tf.Variable(0, trainable=False)
    optimizer = OPTIMIZERS[name]()
    assert optimizer.get_name() == name
    pairs = optimizer.compute_gradients(v * v + 0.0 * w)
    assert [variable for _, variable in pairs] == [v, w]
    update = optimizer.apply_gradients(pairs, global_step=step)
    assert update.name == name and isinstance(update, tf.Operation)
    for slot in optimizer.get_slot_names():
        assert isinstance(optimizer.get_slot(v, slot), tf.Variable)
    assert optimizer.get_slot(v, "no_such_slot") is None
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        assert session.run(step) == 1 and session.run(v) < 1.0


def test_refusals():
    v = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="Must specify the optimizer name"):
        tf.train.GradientDescentOptimizer(0.1, name="")
    with pytest.raises((TypeError, ValueError), match=r"Argument is not a tf\.Variable: 3"):
        optimizer.minimize(v * v, var_list=[3])
    with pytest.raises(TypeError, match=r"Argument is not a tf\.Variable: <object object"):
        optimizer.compute_gradients(v * v, var_list=[object()])
    with pytest.raises(ValueError, match=r"No variables provided\."):
        optimizer.apply_gradients([])
    with pytest.raises(
        ValueError, match=r'No gradients provided for any variable: \["<tf\.Variable'
    ):
        optimizer.apply_gradients([(None, v)])
    with pytest.raises(
        TypeError, match="Gradient must be convertible to a Tensor or IndexedSlices, or"
    ):
        optimizer.apply_gradients([(object(), v)])


def test_gradients_of_the_loss_and_gates():
    v = tf.Variable(3.0)
    for gate in (0, 1, 2):
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        pairs = optimizer.compute_gradients(v * v, gate_gradients=gate, grad_loss=tf.constant(2.0))
        assert value(pairs[0][0]) == 12.0
    assert (optimizer.GATE_NONE, optimizer.GATE_OP, optimizer.GATE_GRAPH) == (0, 1, 2)


def test_ranges_of_parameters():
    bad = [
        lambda: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0),
        lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=0.1),
        lambda: tf.train.FtrlOptimizer(0.1, initial_accumulator_value=-0.1),
        lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-0.1),
        lambda: tf.train.FtrlOptimizer(0.1, l2_regularization_strength=-0.1),
    ]
    for call in bad:
        with pytest.raises(ValueError, match=r"initial_accumulator_value|0\.100000 needs to be"):
            call()


def test_adam():
    v = tf.Variable([1.0, -2.0])
    gradient = np.float32([0.5, -0.25])
    update = tf.train.AdamOptimizer(0.01).apply_gradients([(tf.constant(gradient), v)])
    x, m, s = np.float64([1, -2]), 0.0, 0.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for t in range(1, 4):
            session.run(update)
            m = 0.9 * m + 0.1 * gradient
            s = 0.999 * s + 0.001 * gradient**2
            rate = 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            x = x - rate * m / (np.sqrt(s) + 1e-8)
            close(session.run(v), x, rtol=1e-5)


def test_defaults_of_optimizers():
    """The names and documented parameters, as the ops of one step get them."""
    made = {
        "GradientDescent": (tf.train.GradientDescentOptimizer(0.5), {}),
        "Adadelta": (tf.train.AdadeltaOptimizer(), {"lr": 0.001, "rho": 0.95, "epsilon": 1e-8}),
        "Adagrad": (tf.train.AdagradOptimizer(0.5), {}),
        "Momentum": (tf.train.MomentumOptimizer(0.5, 0.9), {"momentum": 0.9}),
        "Adam": (
            tf.train.AdamOptimizer(),
            {"lr": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
        ),
        "Ftrl": (tf.train.FtrlOptimizer(0.5), {"lr_power": -0.5, "l1": 0.0, "l2": 0.0}),
        "RMSProp": (
            tf.train.RMSPropOptimizer(0.5),
            {"rho": 0.9, "momentum": 0.0, "epsilon": 1e-10},
        ),
    }
    v = tf.Variable([1.0])
    for name, (optimizer, expected) in made.items():
        assert optimizer.get_name() == name
        step = optimizer.minimize(tf.reduce_sum(v * v))
        assert step.name == name
        ops = tf.get_default_graph().get_operations()
        (apply,) = (op for op in ops if op.type == f"Apply{name}")
        arguments = dict(zip((a.name for a in apply.op_def.input_arg), apply.inputs))
        for argument, number in expected.items():
            close(tf.contrib.util.constant_value(arguments[argument]), number)


def test_first_base_of_optimizers_is_optimizer():
    # Libraries of the time look for it: `optimizer_type.__base__ is tf.train.Optimizer`.
    names = [n for n in dir(tf.train) if n.endswith("Optimizer") and n != "Optimizer"]
    assert "AdamOptimizer" in names
    assert {getattr(tf.train, name).__base__ for name in names} == {tf.train.Optimizer}
