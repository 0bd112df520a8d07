"""`tf.contrib.ndlstm`: forms against each other, and against dynamic_rnn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf


def _loaded(session: Any, y: Any) -> Any:
    """The value of a tensor with variables of fixed values."""
    for i, variable in enumerate(sorted(tf.trainable_variables(), key=lambda v: v.name)):
        value = np.random.RandomState(i).uniform(-1, 1, variable.shape.as_list())
        variable.load(value.astype(np.float32), session)
    return session.run(y)


def _sequence() -> Any:
    return np.random.RandomState(9).uniform(-1, 1, (6, 2, 5)).astype(np.float32)


def _images() -> Any:
    return np.random.RandomState(9).uniform(-1, 1, (2, 4, 3, 5)).astype(np.float32)


def _value(make: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return _loaded(session, make(tf.contrib.ndlstm))


@pytest.mark.parametrize("reverse", [False, True])
def test_base_gives_the_same_in_a_loop_and_unrolled(reverse: bool) -> None:
    looped, unrolled, final = (
        _value(lambda lib: lib.ndlstm_base(_input(), 4, reverse=reverse)),
        _value(lambda lib: lib.ndlstm_base(_input(), 4, reverse=reverse, dynamic=False)),
        _value(lambda lib: lib.sequence_to_final(_input(), 4, reverse=reverse)),
    )
    np.testing.assert_allclose(looped, unrolled, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(final, unrolled[0 if reverse else -1], rtol=1e-5, atol=1e-6)


def _input() -> Any:
    return tf.constant(_sequence())


def test_a_softmax_layer_is_the_same_for_each_step() -> None:
    probabilities = _value(lambda lib: lib.sequence_softmax(_input(), 3))
    biases, weights = (
        np.random.RandomState(i).uniform(-1, 1, shape) for i, shape in enumerate([[3], [5, 3]])
    )
    wanted = np.exp(_sequence() @ weights + biases)
    np.testing.assert_allclose(probabilities, wanted / wanted.sum(-1, keepdims=True), rtol=1e-5)


def test_columns_are_the_steps_of_a_sequence() -> None:
    images = _images()
    sequence = _value(lambda lib: lib.images_to_sequence(tf.constant(images)))
    np.testing.assert_array_equal(sequence[1, 4 + 2], images[1, 2, 1])
    back = _value(
        lambda lib: lib.sequence_to_images(lib.images_to_sequence(tf.constant(images)), 2)
    )
    np.testing.assert_array_equal(back, images)


def test_blocks_keep_their_pixels_together() -> None:
    blocks = _value(lambda lib: lib.get_blocks(tf.constant(_images()), [2, 2]))
    assert blocks.shape == (2, 2, 2, 20)
    np.testing.assert_array_equal(blocks[1, 1, 0].reshape(2, 2, 5), _images()[1, 2:4, 0:2])
    assert not blocks[:, :, 1].reshape(2, 2, 2, 2, 5)[..., 1, :].any()


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [((8,), (2, 4, 3, 8)), ((8, [2, 2]), (2, 2, 2, 8)), ((8, None, 6), (2, 4, 3, 8))],
)
def test_separable_lstm_sees_rows_and_columns(arguments: Any, shape: Any) -> None:
    value = _value(lambda lib: lib.separable_lstm(tf.constant(_images()), *arguments))
    assert value.shape == shape


def test_the_depth_between_may_stand_in_the_third_place() -> None:
    old = _value(lambda lib: lib.separable_lstm(tf.constant(_images()), 8, 6))
    new = _value(lambda lib: lib.separable_lstm(tf.constant(_images()), 8, nhidden=6))
    np.testing.assert_array_equal(old, new)


def test_images_are_reduced_to_sequences_and_vectors() -> None:
    images = _images()
    reduced = _value(lambda lib: lib.reduce_to_sequence(tf.constant(images), 4))
    columns = images.transpose(1, 0, 2, 3).reshape(4, 6, 5)
    final = _value(lambda lib: lib.sequence_to_final(tf.constant(columns), 4))
    np.testing.assert_allclose(reduced.reshape(6, 4), final, rtol=1e-5)
    assert _value(lambda lib: lib.reduce_to_final(tf.constant(images), 4, 7)).shape == (2, 4)


def test_names_of_variables() -> None:
    with tf.Graph().as_default():
        tf.contrib.ndlstm.horizontal_lstm(tf.constant(_images()), 4)
        assert [v.op.name for v in tf.trainable_variables()] == [
            f"HorizontalLstm/{direction}/SeqLstm/rnn/basic_lstm_cell/{name}"
            for direction in ("lr", "rl")
            for name in ("kernel", "bias")
        ]


def test_vectors_and_masks() -> None:
    images, labels = _images(), np.array([[[0], [1]], [[2], [1]]])
    np.testing.assert_array_equal(
        _value(lambda lib: lib.pixels_as_vector(tf.constant(images))), images.reshape(2, -1)
    )
    np.testing.assert_allclose(
        _value(lambda lib: lib.pool_as_vector(tf.constant(images))), images.mean((1, 2)), rtol=1e-5
    )
    np.testing.assert_array_equal(
        _value(lambda lib: lib.one_hot_planes(tf.constant([0, 2]), 3))[:, 0, 0],
        np.eye(3)[[0, 2]],
    )
    np.testing.assert_array_equal(
        _value(lambda lib: lib.one_hot_mask(tf.constant(labels), 3)), np.eye(3)[labels[..., 0]]
    )
