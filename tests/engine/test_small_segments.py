"""Small segments whose results are awaited are interpreted; large ones are compiled."""

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling.segment import Segment


def segments_of_last_run(session):
    (plan,) = [plan for plan in session._plans.values() if plan.schedule.steps]
    return [step for step in plan.schedule.steps if isinstance(step, Segment)]


def scaled(size):
    x = tf.placeholder(tf.uint8, [size])
    y = tf.cast(x, tf.float32) * (1.0 / 255) - 0.5
    return x, tf.abs(y) + tf.reduce_mean(y) * y


@pytest.mark.parametrize(("size", "compiled"), [(784, False), (784_000, True)])
def test_what_a_queue_takes_is_compiled_if_it_is_large(size, compiled, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        x, y = scaled(size)
        queue = tf.FIFOQueue(100, tf.float32, shapes=[[size]])
        enqueue, dequeued = queue.enqueue(y), queue.dequeue()
        values = np.arange(size).astype(np.uint8)
        for _ in range(5):
            session.run(enqueue, {x: values})
        (segment,) = segments_of_last_run(session)
        assert bool(segment._programs) is compiled
        expected = values.astype(np.float32) / np.float32(255) - np.float32(0.5)
        expected = np.abs(expected) + expected.mean() * expected
        np.testing.assert_allclose(session.run(dequeued), expected, atol=1e-6)


def test_the_size_of_a_batch_decides_whether_what_the_host_takes_is_compiled(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 10])
        y = tf.abs(tf.tanh(x * 2.0) + 1.0) - tf.reduce_sum(x, 1, keepdims=True) * 0.5
        found, _ = tf.unique(tf.reshape(tf.round(y), [-1]))
        for rows, compiled in ((8, False), (20_000, True), (8, True)):
            value = np.arange(rows * 10, dtype=np.float32).reshape(rows, 10) % 7
            for _ in range(5):
                result = session.run(found, {x: value})
            expected = np.abs(np.tanh(value * 2) + 1) - value.sum(1, keepdims=True) / 2
            assert set(result) == set(np.round(expected).ravel())
            programs = [program for s in segments_of_last_run(session) for program in s._programs]
            assert bool(programs) is compiled
            assert all(shapes[0] == (20_000, 10) for shapes in programs)


def test_what_is_only_handed_on_is_not_worth_a_program(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        x = tf.placeholder(tf.int32, [None])
        pairs = tf.reshape(tf.expand_dims(tf.reshape(x, [-1, 2]), 1), [-1, 4])
        found, _ = tf.unique(tf.reshape(tf.squeeze(tf.expand_dims(pairs, 0), [0]), [-1]))
        value = np.arange(400_000, dtype=np.int32)
        for _ in range(5):
            np.testing.assert_array_equal(session.run(found, {x: value}), value)
        assert not any(segment._programs for segment in segments_of_last_run(session))


def test_small_values_of_unknown_shape_are_interpreted(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        total = tf.reduce_sum(x * 2.0)
        counts = []
        for size in (100, 100, 100, 1000, 1000, 1000, 100, 50, 50):
            assert session.run(total, {x: np.ones(size)}) == 2 * size
            (segment,) = segments_of_last_run(session)
            counts.append(len(segment._programs))
        # Once a shape was large, others are compiled as well; the first one stays as it is.
        assert counts == [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_large_values_between_small_ones_are_compiled(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 1])
        total = tf.reduce_sum(x - tf.transpose(x))
        for _ in range(3):
            assert session.run(total, {x: np.ones((200, 1))}) == 0
        assert any(segment._programs for segment in segments_of_last_run(session))


def test_updates_of_variables_are_compiled_though_a_queue_takes_results(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [8])
        variable = tf.Variable(tf.zeros([8]))
        updated = variable.assign(tf.tanh(variable * 0.5 + x) - tf.sigmoid(x) * 0.25)
        enqueue = tf.FIFOQueue(100, tf.float32).enqueue(tf.reduce_sum(updated * x) + 1.0)
        session.run(variable.initializer)
        session._plans.clear()
        for _ in range(5):
            session.run(enqueue, {x: np.ones(8)})
        assert any(segment._programs for segment in segments_of_last_run(session))


def test_storing_arrays_of_the_host_is_not_compiled(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        variable = tf.get_variable("v", [100_000])
        resource = tf.get_variable("r", [100_000], use_resource=True)
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        path = saver.save(session, str(tmp_path / "m"))
        doubled = tf.group(variable.assign(variable * 2), resource.assign(resource + 1.0))
        expected = session.run([variable, resource])
        session._plans.clear()
        for _ in range(4):
            saver.restore(session, path)
        assert not any(segment._programs for segment in segments_of_last_run(session))
        # The arrays of the caller are not those of the variable.
        fed = np.ones(100_000, np.float32)
        for _ in range(4):
            variable.load(fed, session)
        fed[:] = 5
        assert session.run(variable).max() == 1
        for _ in range(3):
            session.run(doubled)
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run([variable, resource]), expected)


def shifted(x):
    """Large values, of which only views are taken."""
    return tf.expand_dims(tf.reverse(tf.reshape(x, [-1, 400])[:, 1:], [1]), 0)


@pytest.mark.parametrize("shape", ([None, None], [500, 800]))
@pytest.mark.parametrize("computed", (False, True))
def test_views_of_large_values_are_not_compiled(shape, computed, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    x = tf.placeholder(tf.float32, shape)
    wanted = shifted(x * 2.0 if computed else x)
    values = np.arange(400_000, dtype=np.float32).reshape(500, 800)
    expected = values.reshape(-1, 400)[:, 1:][:, ::-1][None] * (2 if computed else 1)
    with tf.Session() as session:
        for _ in range(5):
            np.testing.assert_array_equal(session.run(wanted, {x: values}), expected)
        assert any(s._programs for s in segments_of_last_run(session)) is computed


def test_views_of_a_large_variable_are_compiled(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    x = tf.Variable(tf.ones([500, 800]))
    wanted = shifted(x)
    with tf.Session() as session:
        session.run(x.initializer)
        session._plans.clear()
        for _ in range(5):
            assert session.run(wanted).sum() == 1000 * 399
        assert any(segment._programs for segment in segments_of_last_run(session))


REDUCED = np.arange(600_000, dtype=np.float32) % 5
SUMS = {
    "all of it": (lambda x: tf.reduce_mean(x), False),
    "rows": (lambda x: tf.reduce_sum(tf.reshape(x, [600, 1000]), 0), False),
    "few channels": (lambda x: tf.reduce_max(tf.reshape(x, [-1, 3]), 0), True),
    "something computed": (lambda x: tf.reduce_sum(tf.square(x)), True),
}


@pytest.mark.parametrize("kind", SUMS)
def test_what_only_sums_up_is_compiled_if_numpy_loops_are_short(kind, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    function, compiled = SUMS[kind]
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        y = function(x)
        results = [session.run(y, {x: REDUCED}) for _ in range(5)]
        np.testing.assert_allclose(results[-1], results[0], rtol=1e-5)
        programs = [program for s in segments_of_last_run(session) for program in s._programs]
        assert bool(programs) is compiled
