"""tf.keras.mixed_precision.experimental, with the answers of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

MP = tf.keras.mixed_precision.experimental


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize(
    ("name", "compute", "variables"),
    [
        ("float32", "float32", "float32"),
        ("mixed_float16", "float16", "float32"),
        ("mixed_bfloat16", "bfloat16", "float32"),
        ("float16", "float16", "float16"),
        ("infer", None, None),
        ("infer_with_float32_vars", None, "float32"),
        ("int32", "int32", "int32"),
    ],
)
def test_types_of_policies(name, compute, variables):
    policy = MP.Policy(name)
    assert (policy.name, policy.compute_dtype, policy.variable_dtype) == (name, compute, variables)
    assert policy.should_cast_variables == (compute != variables)


def test_loss_scales_of_policies():
    assert repr(MP.Policy("float32")) == '<Policy "float32", loss_scale=None>'
    assert repr(MP.Policy("mixed_float16")) == (
        '<Policy "mixed_float16", loss_scale=DynamicLossScale(initial_loss_scale=32768.0, '
        "increment_period=2000, multiplier=2.0)>"
    )
    assert repr(MP.Policy("infer", loss_scale=3).loss_scale) == "FixedLossScale(3.0)"
    assert MP.Policy("mixed_float16", loss_scale=None).loss_scale is None


def test_wrong_policies():
    with pytest.raises(ValueError, match=r"^Cannot convert value float32_with_float16_vars to a "):
        MP.Policy("float32_with_float16_vars")
    with pytest.raises(TypeError, match=r"^'name' must be a string, but got: 3"):
        MP.set_policy(3)
    with pytest.raises(TypeError, match=r"^'name' must be a string, not a DType\. Instead, pass"):
        MP.Policy(tf.float16)
    with pytest.raises(ValueError, match=r"^The global policy can only be set to a non-infer"):
        MP.set_policy("mixed_float16")
    MP.set_policy("infer")
    assert MP.global_policy().name == "infer"


def test_a_policy_as_the_type_of_a_layer():
    layer = tf.keras.layers.Dense(3, dtype=MP.Policy("float64"))
    assert layer(tf.zeros([2, 4], tf.float64)).dtype == tf.float64 and layer.dtype == "float64"
    with pytest.raises(tf.errors.UnimplementedError, match=r"^Layers with the policy mixed_float"):
        tf.keras.layers.Dense(3, dtype=MP.Policy("mixed_float16"))


def test_an_optimizer_with_a_fixed_scale():
    v = tf.Variable(5.0, use_resource=True)
    optimizer = MP.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), loss_scale=4)
    scaled = optimizer.get_scaled_loss(tf.constant(2.0, tf.float16))
    unscaled, none = optimizer.get_unscaled_gradients([tf.constant(2.0), None])
    (gradient,) = optimizer.get_gradients(v * 3.0, [v])
    step = optimizer.minimize(lambda: v * 3.0, [v])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert none is None and scaled.dtype == tf.float16
        assert session.run([scaled, unscaled, gradient]) == [8.0, 0.5, 3.0]
        session.run(step)
        assert session.run([v, optimizer.iterations]) == [2.0, 1]
    assert optimizer.lr is optimizer.learning_rate


def test_steps_with_gradients_that_are_not_finite_are_skipped():
    v = tf.Variable(5.0, use_resource=True)
    x = tf.placeholder(tf.float32, [])
    optimizer = MP.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), loss_scale="dynamic")
    step = optimizer.minimize(lambda: v * x, [v])
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (3.0, np.inf, 1.0):
            session.run(step, {x: value})
            found.append(session.run([v, optimizer.iterations, optimizer.loss_scale()]))
    assert found == [[2.0, 1, 32768.0], [2.0, 1, 16384.0], [1.0, 2, 16384.0]]


def test_wrong_optimizers():
    with pytest.raises(ValueError, match=r'^"opt" must be an instance of OptimizerV2, but got: 3'):
        MP.LossScaleOptimizer(3, loss_scale=4)
    clipping = tf.keras.optimizers.SGD(1.0, clipnorm=1.0)
    with pytest.raises(ValueError, match=r"does not support wrapping optimizers with a clipnorm"):
        MP.LossScaleOptimizer(clipping, loss_scale=3)
    with pytest.raises(NotImplementedError, match=r"^get_config\(\) is not yet implemented"):
        MP.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), loss_scale=4).get_config()
