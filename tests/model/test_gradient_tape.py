"""tf.GradientTape in graph mode; the values are those of TensorFlow 1.15.5."""

import numpy as np
import pytest

import headwater as tf


@pytest.fixture
def x():
    return tf.constant([1.0, 2.0])


def variable(name, trainable=True):
    return tf.get_variable(name, initializer=3.0, use_resource=True, trainable=trainable)


def run(values):
    """The values of tensors in a structure that may have None."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [None if v is None else session.run(v).tolist() for v in values]


def test_gradients_reach_what_is_watched_and_trainable(x):
    v, u = variable("v"), variable("u", trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * v
        z = tf.reduce_sum(y) * u
    assert tape.watched_variables() == (v,)
    assert run(tape.gradient(z, [x, v, u, y])) == [[18.0, 36.0], 15.0, None, [3.0, 3.0]]


def test_variables_of_old_kind_are_watched_too(x):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * w
    assert run([tape.gradient(y, w)]) == [3.0]


def test_variables_are_not_watched_on_request():
    v, u = variable("v"), variable("u")
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(u)
        y = v * u
    assert run(tape.gradient(y, [v, u])) == [None, 3.0]


def test_only_ops_made_after_watching_count(x):
    v = variable("v")
    with tf.GradientTape(persistent=True) as tape:
        a = x * x
        tape.watch(x)
        y = x * x * v
        b = a * y
        c = tf.stop_gradient(y) * x
    assert run(tape.gradient(b, [x, a])) == [[6.0, 48.0], None]
    assert tape.gradient(a, x) is None
    assert run([tape.gradient(c, x)]) == [[3.0, 12.0]]
    assert run([tape.gradient(a, x, unconnected_gradients="zero")]) == [[0.0, 0.0]]
    assert run([tape.gradient(y, x, output_gradients=tf.constant([2.0, 3.0]))]) == [[12.0, 36.0]]
    assert run(tape.gradient([y, b], [x])) == [[12.0, 60.0]]
    assert run(tape.jacobian(y, [x, v])) == [[[6.0, 0.0], [0.0, 12.0]], [1.0, 4.0]]
    assert sorted(tape.gradient(b, {"x": x})) == ["x"]


def test_ops_made_while_it_does_not_record_are_constants():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * 3
        q = y + z
    jacobian = [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
    assert run([tape.batch_jacobian(y, x)]) == [jacobian]
    assert run([tape.gradient(q, x)]) == [[[2.0, 4.0], [6.0, 8.0]]]
    with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank at least 2"):
        tape.batch_jacobian(y, tf.constant([1.0]))
    with pytest.raises(ValueError, match="Tape is not recording"):
        tape.reset()


def test_reset_forgets(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
    assert tape.gradient(y, x) is None


def test_second_derivatives_by_two_tapes(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        slope = inner.gradient(y, x)
    assert run([outer.gradient(slope, x)]) == [[6.0, 12.0]]


def test_gradients_go_through_loops(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, y = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * x), [0, x])
    np.testing.assert_allclose(run([tape.gradient(y, x)]), [[4.0, 32.0]])


def test_misuse(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with pytest.raises(ValueError, match="Tape is already recording"):
            tape.__enter__()
        with pytest.raises(ValueError, match=r"object of type <class 'int'>, not tf.Ten"):
            tape.watch(3)
    tape.gradient(y, x)
    text = "GradientTape.{} can only be called once on non-persistent tapes"
    with pytest.raises(RuntimeError, match=text.format("gradient")):
        tape.gradient(y, x)
    with pytest.raises(RuntimeError, match=text.format("jacobian")):
        tape.jacobian(y, x)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'dtype'"):
        tf.GradientTape().gradient(y, 3)


def test_a_tape_goes_on_when_it_is_entered_again(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with tape:
        tape.watch(x)
        z = y * 2.0
    assert run([tape.gradient(z, x)]) == [[4.0, 8.0]]
    # It has given its gradient: what it has recorded before is forgotten.
    with tape:
        w = x * z
    assert tape.gradient(w, x) is None
