from __future__ import annotations

import pytest

import headwater as tf
from headwater.engine.analysis.placement import place
from headwater.engine.devices import local_devices

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

LOOPS = """
import contextlib
import numpy as np
import headwater as tf

def on(name):
    return contextlib.nullcontext() if name is None else tf.device(name)

def train(outer, inner, branch):
    tf.reset_default_graph()
    rng = np.random.RandomState(0)
    with on(outer):
        w = tf.get_variable("w", initializer=tf.constant(rng.randn(6, 3).astype(np.float32)))
        x = tf.constant(rng.randn(5, 2, 3).astype(np.float32))
        rows = tf.TensorArray(tf.float32, 5).unstack(x)

        def step(t, h, out):
            with on(inner):
                mixed = tf.matmul(tf.concat([rows.read(t), h], 1), w)
            h = tf.cond(t > 2, lambda: tf.tanh(mixed), lambda: h * 0.5 + x[t])
            return t + 1, h, out.write(t, h)

        first = [0, tf.zeros([2, 3]), tf.TensorArray(tf.float32, 5)]
        out = tf.while_loop(lambda t, *_: t < 5, step, first)[2]
        sums = tf.while_loop(
            lambda i, a: i < 50, lambda i, a: [i + 1, a * 0.9 + w[0, 0]], [0, 1.0]
        )[1]
        loss = tf.reduce_mean(out.stack() ** 2)
        with on(branch):
            loss += tf.cond(loss > 0.1, lambda: loss * 2.0, lambda: loss)
        update = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        session.run(tf.global_variables_initializer())
        found = [session.run([loss, sums, update])[:2] for _ in range(6)]
        homes = [s.value.devices() for s in session._state._slots.values()
                 if s.name == "w" and hasattr(s.value, "devices")]
        return np.array(found), homes

expected, _ = train(None, None, None)
for places in (("/cpu:1",) * 3, ("/cpu:1", "/cpu:2", "/cpu:3"), (None, "/cpu:3", "/cpu:3")):
    found, homes = train(*places)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert [d.id for home in homes for d in home] == [int((places[0] or "0")[-1])]
for places in (("/cpu:7", None, None), (None, "/gpu:9", None), (None, None, "/cpu:4")):
    try:
        train(*places)
    except tf.errors.InvalidArgumentError as error:
        assert "Cannot assign a device for operation" in str(error), error
    else:
        raise AssertionError(places)
print("equal")
"""


@pytest.mark.parametrize(("program", "count"), [(TOWERS, 3), (LOOPS, 4)], ids=["towers", "loops"])
def test_programs_on_several_devices_give_the_results_of_one(fork, program, count):
    devices = f"--xla_force_host_platform_device_count={count}"
    # Only programs have values on other devices than the host.
    environment = {"XLA_FLAGS": devices, "HEADWATER_JIT": "auto"}
    result = fork(program, environment=environment, setup="import headwater, jax")
    assert result.stdout == "equal\n", result.stderr


def test_what_belongs_together_is_placed_together():
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
    with tf.device("/cpu:2"):
        tf.add(v, 1.0, name="total")
    update = v.assign(2.0)
    devices = local_devices(tf.ConfigProto(device_count={"CPU": 3}))
    ops = tf.get_default_graph().get_operations()
    found = {op.name: d.name[-5:] for op, d in place(ops, devices).items()}
    assert found["v"] == found["v/read"] == found[update.op.name] == "CPU:1"
    assert found["total"] == "CPU:2"
    assert found["total/y"] == "CPU:2"


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_of_strings_are_not_compiled(use_resource):
    initial = tf.placeholder(tf.string)
    words = tf.Variable(initial, validate_shape=False, use_resource=use_resource)
    count = tf.size(words) + 1
    chosen = tf.cond(count > 3, lambda: words + "x", lambda: words + "y")
    with tf.Session() as session:
        for given in (["a", "b"], ["c", "d", "e"]):
            session.run(words.initializer, {initial: given})
            # A segment is compiled in its second run.
            assert [session.run(count) for _ in range(3)] == [len(given) + 1] * 3
            ending = "x" if len(given) == 3 else "y"
            found = [session.run(chosen).tolist() for _ in range(3)]
            assert found == [[(word + ending).encode() for word in given]] * 3
