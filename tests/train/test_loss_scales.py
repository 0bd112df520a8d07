"""Loss scales and the optimizer that uses them; values are those of 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

experimental = tf.train.experimental
LARGEST = np.finfo(np.float32).max


@pytest.mark.parametrize(
    ("finite", "expected", "first", "period", "multiplier"),
    [
        ([True] * 6, [1, 2, 2, 4, 4, 8], 1, 2, 2),
        ([True] * 4, [LARGEST / 4, LARGEST / 2, LARGEST / 2, LARGEST / 2], LARGEST / 4, 2, 2.0),
        ([False] * 6, [8, 4, 2, 1, 1, 1], 16, 2, 2),
        ([True, True, True, False, True], [1, 2, 2, 1, 1], 1, 2, 2),
        ([True] * 3 + [False, True, True], [2, 4, 8, 4, 8, 16], 1, 1, 2),
        ([True, True, False, True, True], [4, 12, 4, 4, 12], 4, 2, 3),
    ],
)
def test_scales_follow_the_gradients(session, finite, expected, first, period, multiplier):
    scale = experimental.DynamicLossScale(first, period, multiplier)
    gradient = tf.placeholder(tf.float32, [2])
    update, applies = scale.update([None, gradient])
    session.run(tf.global_variables_initializer())
    found = []
    for good in finite:
        feed = {gradient: [1.0, 1.0 if good else float("nan")]}
        assert session.run([applies, update], feed)[0] == good
        found.append(session.run(scale()))
    if first == LARGEST / 4:
        expected[3] = LARGEST
    np.testing.assert_array_equal(found, np.float32(expected))


def test_optimizers_skip_steps_with_infinite_gradients(tmp_path, session):
    v = tf.Variable(1.0)
    factor = tf.placeholder(tf.float32, [])
    scale = experimental.DynamicLossScale(4.0, increment_period=2)
    optimizer = experimental.MixedPrecisionLossScaleOptimizer(
        tf.train.MomentumOptimizer(0.5, 0.0), scale
    )
    step = tf.train.get_or_create_global_step()
    train = optimizer.minimize(v * factor, global_step=step)
    session.run(tf.global_variables_initializer())
    for value, expected in ((1.0, 0.5), (float("inf"), 0.5), (2.0, -0.5)):
        session.run(train, {factor: value})
        assert session.run(v) == expected
    assert session.run([step, scale()]) == [2, 2.0]
    path = tf.train.Checkpoint(v=v, optimizer=optimizer).write(str(tmp_path / "model"), session)
    assert [name.partition("/.ATTRIBUTES")[0] for name, _ in tf.train.list_variables(path)] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "optimizer/loss_scale/current_loss_scale",
        "optimizer/loss_scale/good_steps",
        "v",
        "v/.OPTIMIZER_SLOT/optimizer/base_optimizer/momentum",
    ]


def test_fixed_scales(session):
    scale = experimental.FixedLossScale(2)
    update, applies = scale.update([tf.constant(float("nan"))])
    assert applies is True and session.run(update) is None and session.run(scale()) == 2.0
    assert experimental.FixedLossScale.from_config(scale.get_config()).get_config() == {
        "loss_scale_value": 2.0
    }
    assert repr(scale) == "FixedLossScale(2.0)"


def test_wrong_arguments():
    with pytest.raises(ValueError, match="loss_scale_value must be at least 1"):
        experimental.FixedLossScale(0)
    with pytest.raises(ValueError, match="loss_scale_value must be a Python int or float"):
        experimental.FixedLossScale("a")
    adam = tf.train.AdamOptimizer()
    with pytest.raises(ValueError, match="Could not interpret loss scale identifier: q"):
        experimental.MixedPrecisionLossScaleOptimizer(adam, "q")
    with pytest.raises(ValueError, match='"opt" must be an instance of Optimizer, but got: <class'):
        experimental.MixedPrecisionLossScaleOptimizer(3, 1.0)
    with pytest.raises(ValueError, match='"opt" must be an instance of a tf'):
        experimental.enable_mixed_precision_graph_rewrite(3)
    wrapped = experimental.enable_mixed_precision_graph_rewrite(adam)
    with pytest.raises(ValueError, match='"opt" must not already be an instance of a Mixed'):
        experimental.enable_mixed_precision_graph_rewrite(wrapped)
