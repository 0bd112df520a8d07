"""Elements of a list in turn."""

from __future__ import annotations

import pytest

import headwater as tf


def test_obtain_next_starts_again_after_the_last():
    counter = tf.Variable(-1, dtype=tf.int64)
    element = tf.contrib.input_pipeline.obtain_next(["a", "b"], counter._ref())
    with tf.Session() as session:
        session.run(counter.initializer)
        assert [session.run(element) for _ in range(3)] == [b"a", b"b", b"a"]
        assert session.run(counter) == 0


def test_seek_next_ends_after_the_epochs():
    element = tf.contrib.input_pipeline.seek_next(["a", "b", "c"], num_epochs=2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(element) for _ in range(6)] == [b"a", b"b", b"c"] * 2
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 6"):
            session.run(element)


def test_seek_next_shuffles():
    element = tf.contrib.input_pipeline.seek_next(list("abcdef"), shuffle=True, seed=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run(element) for _ in range(12)]
    assert sorted(found[:6]) == [b"a", b"b", b"c", b"d", b"e", b"f"]
    assert found[:6] == found[6:] and found[:6] != sorted(found[:6])


def test_an_empty_list():
    counter = tf.Variable(-1, dtype=tf.int64)
    element = tf.contrib.input_pipeline.obtain_next(tf.zeros([0], tf.string), counter._ref())
    with tf.Session() as session:
        session.run(counter.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must not be empty"):
            session.run(element)
