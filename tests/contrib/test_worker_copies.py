"""Optimizers whose workers train copies: golden values of TensorFlow 1.15.5, with one worker."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

GETTERS = {
    "ea": tf.contrib.opt.ElasticAverageCustomGetter,
    "agn": tf.contrib.opt.AGNCustomGetter,
    "ma": tf.contrib.opt.ModelAverageCustomGetter,
}


def model(kind):
    getter = GETTERS[kind](worker_device="/cpu:0")
    with tf.variable_scope("", custom_getter=getter):
        v0 = tf.get_variable("v0", initializer=[1.0, 2.0])
        v1 = tf.get_variable("v1", initializer=3.0)
    return getter, v0, v1, tf.reduce_sum(tf.square(v0)) * v1


def optimizer(kind, getter, inner, period):
    if kind == "ea":
        return tf.contrib.opt.ElasticAverageOptimizer(inner, 1, getter, period, moving_rate=0.5)
    if kind == "agn":
        return tf.contrib.opt.AGNOptimizer(inner, 1, getter, period)
    return tf.contrib.opt.ModelAverageOptimizer(inner, 1, True, getter, period)


# v0, v1, global step, center of v0 after each of four steps, with a period of 2.
STEPS = {
    "ea": [
        ([0.4, 0.8], 2.5, 0, [1.0, 2.0]),
        ([0.75, 1.5], 2.835, 1, [0.75, 1.5]),
        ([0.44974998, 0.89949995], 2.63625, 1, [0.75, 1.5]),
        ([0.61887217, 1.2377443], 2.7759938, 2, [0.61887217, 1.2377443]),
    ],
    "agn": [
        ([0.4, 0.8], 2.5, 0, [1.0, 2.0]),
        ([0.6, 1.2], 2.71, 1, [0.6, 1.2]),
        ([0.2748, 0.5496], 2.53, 1, [0.6, 1.2]),
        ([0.36787564, 0.7357513], 2.6011212, 2, [0.36787564, 0.7357513]),
    ],
    "ma": [
        ([0.4, 0.8], 2.5, 0, [1.0, 2.0]),
        ([0.2, 0.4], 2.42, 1, [0.2, 0.4]),
        ([0.10319999, 0.20639998], 2.4, 1, [0.2, 0.4]),
        ([0.05366399, 0.10732798], 2.394675, 2, [0.05366399, 0.10732798]),
    ],
}


@pytest.mark.parametrize("kind", ["ea", "agn", "ma"])
def test_workers_synchronize_after_each_period(kind):
    getter, v0, v1, loss = model(kind)
    step = tf.train.get_or_create_global_step()
    opt = optimizer(kind, getter, tf.train.GradientDescentOptimizer(0.1), 2)
    train = opt.apply_gradients(opt.compute_gradients(loss), step)
    center = next(v for v in tf.global_variables() if v.op.name == "global_center_variable/v0")
    hook = opt.make_session_run_hook() if kind == "ma" else opt.make_session_run_hook(True, 0)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for number, (a, b, count, middle) in enumerate(STEPS[kind]):
            assert session.run(train) == (number % 2 == 1)
            got = session.run([v0, v1, step, center])
            for value, expected in zip(got, (a, b, count, middle)):
                np.testing.assert_allclose(value, expected, rtol=2e-6)


@pytest.mark.parametrize("kind", ["ea", "agn", "ma"])
def test_copies_are_local_and_centers_are_global(kind):
    getter, _, _, loss = model(kind)
    with tf.variable_scope("", custom_getter=getter):
        plain = tf.get_variable("plain", [], trainable=False, collections=["mine"])
    opt = optimizer(kind, getter, tf.train.MomentumOptimizer(0.1, 0.9), 3)
    opt.apply_gradients(opt.compute_gradients(loss), tf.train.get_or_create_global_step())
    centers = ["global_center_variable/v0", "global_center_variable/v1", "global_step"]
    copies = {"ea": "local_center_variable/", "agn": "grad_variable/"}
    made = [copies[kind] + name for name in ("v0", "v1")] if kind in copies else []
    local = [*made, "local_step", "v0", "v1"]
    slots = ["v0/Momentum", "v1/Momentum"]
    if kind == "ma":
        centers += slots
    else:
        local += slots
    if kind == "agn":
        centers += ["global_center_variable/" + slot for slot in slots]
    assert sorted(v.op.name for v in tf.global_variables()) == sorted(centers)
    assert sorted(v.op.name for v in tf.local_variables()) == sorted(local)
    assert tf.get_collection("mine") == [plain]


def test_elastic_average_derives_rates_and_saves_centers(session, tmp_path):
    getter, v0, _, loss = model("ea")
    opt = tf.contrib.opt.ElasticAverageOptimizer(
        tf.train.MomentumOptimizer(0.3, 0.9), num_worker=2, ea_custom_getter=getter
    )
    assert (opt._moving_rate, opt._rho) == (pytest.approx(0.045), pytest.approx(0.15))
    opt.apply_gradients(opt.compute_gradients(loss))
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run(tf.assign(v0, [7.0, 7.0]))
    path = opt.swapping_saver().save(session, str(tmp_path / "model"))
    assert tf.train.load_variable(path, "v0").tolist() == [1.0, 2.0]
    session.run(opt.get_init_op(0))
    assert session.run(v0).tolist() == [1.0, 2.0]


def test_a_synchronous_start_waits_for_all_workers():
    getter, _, _, _ = model("ea")
    opt = tf.contrib.opt.ElasticAverageOptimizer(
        tf.train.GradientDescentOptimizer(1.0), 3, getter, synchronous=True
    )
    op = opt.get_init_op(1)
    kinds = [o.type for o in op.control_inputs]
    assert sorted(kinds) == ["NoOp", "QueueDequeueManyV2", "QueueEnqueueV2", "QueueEnqueueV2"]
    queues = [o for o in op.graph.get_operations() if o.type == "FIFOQueueV2"]
    names = [q.get_attr("shared_name") for q in queues]
    assert names == [b"variable_init_sync_queue%d" % i for i in range(3)]


def test_errors():
    getter, _, _, loss = model("ma")
    opt = optimizer("ma", getter, tf.train.GradientDescentOptimizer(0.1), 2)
    with pytest.raises(ValueError, match=r"^Global step is required$"):
        opt.apply_gradients(opt.compute_gradients(loss))
    with pytest.raises(ValueError, match=r"^Must supply at least one variable$"):
        opt.apply_gradients([], tf.train.get_or_create_global_step())


def test_a_worker_needs_variables():
    getter, _, _, _ = model("agn")
    opt = optimizer("agn", getter, tf.train.GradientDescentOptimizer(0.1), 2)
    with pytest.raises(ValueError, match=r"^No variables provided"):
        opt.apply_gradients([])
