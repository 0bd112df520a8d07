from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import headwater as tf
from headwater.engine.block import runs_on_host
from headwater.engine.devices import local_devices
from headwater.engine.placement import place

TOWERS = """
import jax
import numpy as np
import headwater as tf

def model(devices):
    rng = np.random.RandomState(0)
    with tf.device("/cpu:0"):
        w = tf.get_variable("w", initializer=tf.constant(rng.randn(6, 4).astype(np.float32)))
        b = tf.get_variable("b", initializer=tf.zeros([4]), use_resource=True)
    optimizer = tf.train.AdamOptimizer(0.1)
    data = tf.constant(rng.randn(12, 6).astype(np.float32))
    towers = []
    for device, part in zip(devices, tf.split(data, 2)):
        with tf.device(device):
            loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(part, w) + b) - 0.5))
            towers.append((loss, optimizer.compute_gradients(loss)))
    grads = [
        (tf.add_n([g for g, _ in pairs]) / 2.0, pairs[0][1])
        for pairs in zip(*[pairs for _, pairs in towers])
    ]
    return w, optimizer.apply_gradients(grads), [loss for loss, _ in towers]

def train(devices):
    tf.reset_default_graph()
    w, step, losses = model(devices)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as session:
        session.run(tf.global_variables_initializer())
        found = [session.run([*losses, step])[:2] for _ in range(6)]
        # Reading and writing on different devices in one run.
        with tf.device("/cpu:2"):
            doubled = w * 2.0
        for _ in range(3):
            twice, once = session.run([doubled, w])
            np.testing.assert_allclose(twice, 2 * once)
        homes = {s.name: s.value.devices() for s in session._state._slots.values()
                 if hasattr(s.value, "devices")}
        plans = [str(plan) for plan in session._plans.values()]
    return np.array(found), homes, plans

one, homes, _ = train(["/cpu:0", "/cpu:0"])
two, homes, plans = train(["/cpu:1", "/cpu:2"])
np.testing.assert_allclose(one, two, rtol=1e-5)
assert homes["w"] == {jax.devices()[0]}, homes
assert max(plan.count("<segment") for plan in plans) >= 3, plans
print("equal")
"""


def test_towers_on_several_devices_give_the_results_of_one():
    environment = {
        **os.environ,
        "XLA_FLAGS": "--xla_force_host_platform_device_count=3",
        "PYTHONPATH": str(Path(tf.__file__).parents[1]),
    }
    result = subprocess.run(
        [sys.executable, "-c", TOWERS], capture_output=True, text=True, env=environment
    )
    assert result.stdout == "equal\n", result.stderr


def test_what_belongs_together_is_placed_together():
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
    with tf.device("/cpu:2"):
        tf.add(v, 1.0, name="total")
    update = v.assign(2.0)
    devices = local_devices(tf.ConfigProto(device_count={"CPU": 3}))
    ops = tf.get_default_graph().get_operations()
    found = {op.name: d.name[-5:] for op, d in place(ops, devices, runs_on_host).items()}
    assert found["v"] == found["v/read"] == found[update.op.name] == "CPU:1"
    assert found["total"] == "CPU:2"
    assert found["total/y"] == "CPU:2"
