"""tf.keras.backend: settings, sessions, variables, functions."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

K = tf.keras.backend


def test_settings_are_checked() -> None:
    assert (K.floatx(), K.epsilon(), K.image_data_format()) == ("float32", 1e-7, "channels_last")
    with pytest.raises(ValueError, match="Unknown floatx type: int8"):
        K.set_floatx("int8")
    with pytest.raises(ValueError, match="Unknown data_format: HWC"):
        K.set_image_data_format("HWC")
    K.set_floatx("float64")
    try:
        assert K.zeros((1,)).dtype.base_dtype == tf.float64
        assert K.cast_to_floatx([1]).dtype == np.float64
    finally:
        K.set_floatx("float32")


def test_the_session_initializes_variables() -> None:
    v = K.variable([1.0, 2.0])
    K.set_value(v, [3.0, 4.0])
    w = K.ones((2,), name="w")
    np.testing.assert_array_equal(K.batch_get_value([v, w]), [[3.0, 4.0], [1.0, 1.0]])
    assert v._keras_initialized and w.name == "w_1:0"
    assert K.get_session() is K.get_session()
    K.clear_session()
    assert "keras_learning_phase" in [o.name for o in tf.get_default_graph().get_operations()]


def test_a_default_session_is_used(session: tf.Session) -> None:
    assert K.get_session() is session


def test_names_are_counted_per_graph() -> None:
    assert [K.get_uid("dense"), K.get_uid("dense"), K.get_uid("lstm")] == [1, 2, 1]
    with tf.Graph().as_default():
        assert K.get_uid("dense") == 1
    K.reset_uids()
    assert K.get_uid("dense") == 1


def test_functions_run_updates_after_outputs() -> None:
    x = K.placeholder((2,))
    total = K.zeros((2,))
    function = K.function([x], [x * 2.0, total + 0.0], updates=[(total, total + x)])
    first = function([[1.0, 2.0]])
    function([[1.0, 2.0]])
    np.testing.assert_array_equal(first, [[2.0, 4.0], [0.0, 0.0]])
    np.testing.assert_array_equal(K.get_value(total), [2.0, 4.0])
    with pytest.raises(ValueError, match=r'Invalid argument "foo" passed to K.function'):
        K.function([x], [x], foo=1)
    with pytest.raises(TypeError, match="`updates` in a Keras backend function should be a list"):
        K.function([x], [x], updates={1: 2})


def test_the_learning_phase_can_be_fed_and_set() -> None:
    value = K.in_train_phase(lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    phase = K.learning_phase()
    assert (phase.name, phase.op.type) == ("keras_learning_phase:0", "PlaceholderWithDefault")
    assert K.function([phase], [value])([True]) == [1.0]
    assert K.eval(value) == 2.0
    with K.learning_phase_scope(1):
        assert K.in_train_phase("train", "test") == "train"
    assert K.learning_phase() is phase
    with pytest.raises(ValueError, match="Expected learning phase to be 0 or 1"):
        K.set_learning_phase(2)


def test_a_gradient_of_what_does_not_matter_is_none() -> None:
    v, w = K.variable(3.0), K.variable(1.0)
    gradients = K.gradients(K.square(v), [v, w])
    assert K.eval(gradients[0]) == 6.0
    assert gradients[1] is None


def test_wrong_arguments_are_refused() -> None:
    x = tf.placeholder(tf.float32, [2, 3])
    with pytest.raises(ValueError, match="Unexpected bias dimensions 3, expect to be 1 or 2"):
        K.bias_add(x, tf.zeros([1, 2, 3]))
    with pytest.raises(ValueError, match="Rank of `condition` should be less than or equal"):
        K.switch(tf.zeros([2, 3, 4], tf.bool), x, x)
    with pytest.raises(ValueError, match="Unexpectedly found an instance of type"):
        K.is_keras_tensor(np.zeros(2))
    with pytest.raises(ValueError, match="Unrolling requires a fixed number of timesteps"):
        K.rnn(lambda i, s: (i, s), K.placeholder((2, None, 3)), [], unroll=True)
    with pytest.raises(ValueError, match="No initial states provided!"):
        K.rnn(lambda i, s: (i, s), tf.zeros([2, 2, 3]), [], mask=tf.zeros([2, 2], tf.bool))
    with pytest.raises(ValueError, match="Invalid padding: full"):
        K.conv2d(tf.zeros([1, 2, 2, 1]), tf.zeros([1, 1, 1, 1]), padding="full")


def test_moving_averages_have_no_bias_to_zero() -> None:
    average = K.zeros((1,))
    update = K.moving_average_update(average, np.float32([5.0]), 0.9)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(update), [5.0], rtol=1e-6)


def test_layers_and_inputs_are_numbered_from_one_store() -> None:
    layers = tf.keras.layers
    assert [layers.Dense(1).name, layers.Dense(1).name] == ["dense", "dense_1"]
    assert K.get_uid("dense") == 1
    assert [layers.Dense(1).name, tf.layers.Dense(1).name] == ["dense_2", "dense_4"]
    assert layers.Dense(1, name="dense_3").name == "dense_3"
    assert [tf.keras.Input((2,)).op.name, K.get_uid("input")] == ["input_1", 2]
    assert tf.keras.Input((2,)).op.name == "input_3"
    K.reset_uids()
    assert [layers.Dense(1).name, K.get_uid("dense")] == ["dense", 1]
    assert tf.layers.Dense(1).name == "dense_2"
    K.clear_session()
    assert [layers.Dense(1).name, K.get_uid("dense")] == ["dense", 1]


def test_checkpoints_use_the_session_of_models(tmp_path):
    layer = tf.keras.layers.Dense(2)
    layer(tf.ones([1, 3]))
    path = tf.train.Checkpoint(layer=layer).save(str(tmp_path / "c"))
    saved = tf.train.load_checkpoint(path).get_tensor("layer/kernel/.ATTRIBUTES/VARIABLE_VALUE")
    assert (saved == tf.keras.backend.get_session().run(layer.kernel)).all()
