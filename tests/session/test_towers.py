"""Programs on several devices give what they give on one."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def matmul_on(device):
    with tf.device(device):
        a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3])
        b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2])
        return tf.matmul(a, b)


def train_towers(devices):
    """Three steps of training with a tower on each device and the variables on the first CPU."""
    tf.reset_default_graph()
    data = np.arange(24, dtype=np.float32).reshape(8, 3) / 24
    with tf.device("/cpu:0"):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.5))
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    losses = []
    for i, device in enumerate(devices):
        with tf.device(device), tf.name_scope(f"tower_{i}"):
            x = tf.constant(data[i :: len(devices)])
            losses.append(tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0)))
    with tf.device("/cpu:0"):
        step = optimizer.minimize(tf.add_n(losses) / len(devices))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        return session.run(w)


def test_devices_that_do_not_exist():
    with tf.Session(config=tf.ConfigProto(log_device_placement=False)) as session:
        equal(session.run(matmul_on("/cpu:0")), [[22, 28], [49, 64]])
        c = matmul_on("/gpu:7")
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            session.run(c)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        equal(session.run(c), [[22, 28], [49, 64]])


def test_towers_on_several_devices():
    parts = [matmul_on(device) for device in ("/gpu:2", "/gpu:3")]
    with tf.device("/cpu:0"):
        total = tf.add_n(parts)
    names = [op.name for op in tf.get_default_graph().get_operations()]
    assert names == ["Const", "Const_1", "MatMul", "Const_2", "Const_3", "MatMul_1", "AddN"]
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        equal(session.run(total), [[44, 56], [98, 128]])


def test_towers_give_the_result_of_one_device():
    one = train_towers(["/cpu:0"])
    four = train_towers(["/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"])
    np.testing.assert_allclose(one, four, rtol=1e-5)


def test_parts_on_several_devices():
    def model(x, y):
        w = tf.get_variable("w", shape=[3, 1])
        f = tf.stack([tf.square(x), x, tf.ones_like(x)], 1)
        return tf.square(tf.squeeze(tf.matmul(f, w), 1) - y)

    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    parts = []
    for i, (some_x, some_y) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
        device = tf.DeviceSpec(device_type="GPU", device_index=i)
        scope = tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE)
        with tf.device(device), scope:
            parts.append(model(some_x, some_y))
    loss = tf.concat(parts, axis=0)
    train = tf.train.AdamOptimizer(0.1).minimize(
        tf.reduce_mean(loss), colocate_gradients_with_ops=True
    )
    assert len(tf.contrib.framework.get_variables_by_name("w")) == 1
    random = np.random.RandomState(0)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(600):
            x_value = random.uniform(-10.0, 10.0, size=100)
            _, found = session.run([train, loss], {x: x_value, y: 5 * x_value**2 + 3})
        assert found.shape == (100,)
        (w,) = session.run(tf.contrib.framework.get_variables_by_name("w"))
    assert abs(w[0, 0] - 5) < 0.05 and abs(w[1, 0]) < 0.05 and 2 < w[2, 0] < 6


def test_a_text_that_names_no_device_fails_in_the_run(session):
    with tf.device(lambda op: "nonsense"):
        placed = tf.constant(1.0) + 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Malformed device specification"):
        session.run(placed)
